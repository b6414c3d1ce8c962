//! The look of human-readable output on a terminal: colors, glyphs and width.

/// The capabilities of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether it supports color.
    pub color: bool,
    /// Whether it is a terminal.
    pub terminal: bool,
    /// Whether it shows only ASCII.
    pub ascii: bool,
    /// Its width in columns.
    pub width: usize,
}

/// The meaning of a text. Never blue, black or white: each is invisible in some theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The heading of a page.
    Title,
    /// A name or a heading.
    Bold,
    /// Emphasized text.
    Emphasis,
    /// An error, a cycle, something lost.
    Bad,
    /// A warning, something unknown.
    Doubtful,
    /// Something correct or gained.
    Good,
    /// The longest chain.
    Chain,
    /// A place.
    Place,
    /// Repeated text.
    Dim,
}

impl Look {
    /// For a file or a pipe.
    pub const PLAIN: Self = Self {
        color: false,
        terminal: false,
        ascii: false,
        width: usize::MAX,
    };

    /// Whether the environment indicates a terminal that shows only ASCII: without UTF-8, or a dumb one.
    pub(crate) fn shows_only_ascii(env: impl Fn(&str) -> Option<String>) -> bool {
        if env("TERM").as_deref() == Some("dumb") {
            return true;
        }
        let names = ["LC_ALL", "LC_CTYPE", "LANG"];
        let locale = names
            .into_iter()
            .find_map(|name| env(name).filter(|v| !v.is_empty()));
        locale.is_some_and(|locale| {
            let locale = locale.to_ascii_lowercase();
            !locale.contains("utf-8") && !locale.contains("utf8")
        })
    }

    /// A text in its style; unchanged without color.
    #[must_use]
    pub fn paint(self, style: Style, text: &str) -> String {
        if !self.color || text.is_empty() {
            return text.to_owned();
        }
        let code = match style {
            Style::Title => "1;4",
            Style::Bold => "1",
            Style::Emphasis => "3",
            Style::Bad => "1;31",
            Style::Doubtful => "33",
            Style::Good => "32",
            Style::Chain => "35",
            Style::Place => "36",
            Style::Dim => "2",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// A glyph, or its ASCII replacement.
    #[must_use]
    pub fn glyph(self, glyph: &'static str) -> &'static str {
        if !self.ascii {
            return glyph;
        }
        match glyph {
            "→" => "->",
            "◂" => "<",
            "▸" => ">",
            "−" => "-",
            "✗" => "x",
            "✓" => "ok",
            "↻" => "@",
            "●" => "*",
            "○" => "o",
            "━" => "=",
            "━━" => "==",
            "·" => "-",
            "…" => "...",
            "↑" => "^",
            "─" | "╌" => "-",
            "│" | "╎" => "|",
            "┊" => ":",
            "┝" | "┥" | "┌" | "┐" | "└" | "┘" => "+",
            "╭" | "╭─" => "/-",
            "╰" | "╰─" => "\\-",
            "──" => "--",
            "├─ " => "|- ",
            "├┄ " => "|~ ",
            "└─ " => "`- ",
            "└┄ " => "`~ ",
            "│  " => "|  ",
            _ => glyph,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_says_what_can_be_shown() {
        let with = |name: &'static str, value: &'static str| {
            Look::shows_only_ascii(move |asked| (asked == name).then(|| value.to_owned()))
        };
        assert!(with("TERM", "dumb") && with("LANG", "C") && with("LC_ALL", "de_DE.ISO-8859-1"));
        assert!(!with("LANG", "C.UTF-8") && !with("LC_CTYPE", "en_US.utf8") && !with("TERM", "xterm"));
    }

    #[test]
    fn without_color_a_text_is_as_it_is() {
        assert_eq!(Look::PLAIN.paint(Style::Bad, "x"), "x");
        let colored = Look {
            color: true,
            ..Look::PLAIN
        };
        assert_eq!(colored.paint(Style::Chain, "x"), "\x1b[35mx\x1b[0m");
        assert_eq!(colored.paint(Style::Chain, ""), "");
    }
}
