//! What a line means, by a glyph and a color; never by color alone.

/// What a row means; each has a glyph and a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Error,
    Cycle,
    Lost,
    Changed,
    Gained,
    Ok,
    Unknown,
    Plain,
}

/// How glyphs and colors are written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    color: bool,
    pub(super) ascii: bool,
}

impl Style {
    /// As the terminal wants it: ASCII where it is dumb or the locale knows nothing else.
    pub(super) fn new(color: bool) -> Self {
        let env = |name: &str| std::env::var(name).ok().filter(|v| !v.is_empty());
        let locale = env("LC_ALL").or_else(|| env("LC_CTYPE")).or_else(|| env("LANG"));
        let is_ascii = locale.is_some_and(|l| {
            let l = l.to_ascii_lowercase();
            !l.contains("utf-8") && !l.contains("utf8")
        });
        Self {
            color,
            ascii: is_ascii || env("TERM").as_deref() == Some("dumb"),
        }
    }

    pub(super) fn arrow(self) -> &'static str {
        if self.ascii { "->" } else { "→" }
    }

    pub(super) fn dot(self) -> &'static str {
        if self.ascii { "-" } else { "·" }
    }

    pub(super) fn glyph(self, mark: Mark) -> &'static str {
        match (mark, self.ascii) {
            (Mark::Error, false) => "✗",
            (Mark::Error, true) => "x",
            (Mark::Cycle, false) => "↻",
            (Mark::Cycle, true) => "@",
            (Mark::Lost, false) => "−",
            (Mark::Lost, true) => "-",
            (Mark::Changed, _) => "!",
            (Mark::Gained, _) => "+",
            (Mark::Ok, false) => "✓",
            (Mark::Ok, true) => "ok",
            (Mark::Unknown, _) => "?",
            (Mark::Plain, _) => " ",
        }
    }

    /// A glyph in its color.
    pub(super) fn marked(self, mark: Mark) -> String {
        self.painted(mark, self.glyph(mark))
    }

    pub(super) fn painted(self, mark: Mark, text: &str) -> String {
        let code = match mark {
            Mark::Error | Mark::Cycle | Mark::Lost => "1;31",
            Mark::Changed | Mark::Unknown => "33",
            Mark::Gained | Mark::Ok => "32",
            Mark::Plain => "1",
        };
        self.paint(code, text)
    }

    pub(super) fn paint(self, code: &str, text: &str) -> String {
        if self.color && !text.is_empty() {
            format!("\x1b[{code}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}
