//! Texts of linted files in the formats of pictures: how wide they are, and how each format escapes them.

use std::fmt::Write;

/// How wide a character of a name is.
pub(crate) const NAME_CHAR: f64 = 7.9;
/// How wide a character of a second line or a label is.
pub(crate) const DETAIL_CHAR: f64 = 7.3;
/// Longer names and paths are shortened where they are shown; their title has them whole.
const LONGEST: usize = 40;

/// How many columns a text takes.
pub(crate) fn width(text: &str) -> f64 {
    let columns = unicode_width::UnicodeWidthStr::width(text);
    f64::from(u32::try_from(columns).unwrap_or(u32::MAX))
}

/// A name with its middle left out, where it is long.
pub(crate) fn shorten(name: &str) -> String {
    let count = name.chars().count();
    if count <= LONGEST {
        return name.to_owned();
    }
    let half = LONGEST / 2;
    let head: String = name.chars().take(half).collect();
    let tail: String = name.chars().skip(count - half + 1).collect();
    format!("{head}…{tail}")
}

/// A path with its beginning left out, where it is long.
pub(crate) fn shorten_path(path: &str) -> String {
    let count = path.chars().count();
    if count <= LONGEST {
        return path.to_owned();
    }
    let tail: String = path.chars().skip(count - LONGEST + 1).collect();
    format!("…{tail}")
}

/// A text for elements and attributes of XML and HTML.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML has no way to write these.
            c if (c.is_control() && c != '\t') || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            c => out.push(c),
        }
    }
    out
}

/// A quoted string of DOT.
pub(crate) fn dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // Graphviz reads entities in labels.
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The inside of a quoted text of Mermaid: what is no letter, digit or harmless mark is a numbered entity, so that
/// neither Mermaid nor Markdown nor HTML sees a mark of its own.
pub(crate) fn mermaid(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if c.is_alphanumeric() => out.push(c),
            ' ' | '.' | ',' | '/' | '-' | '_' | ':' | '@' | '+' | '=' | '…' | '–' | '×' | '↻' => {
                out.push(c)
            }
            c if c.is_control() => out.push('\u{fffd}'),
            c => {
                let _ = write!(out, "#{};", u32::from(c));
            }
        }
    }
    out
}

/// JSON for the inside of a `script` element.
pub(crate) fn script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_act_is_written_out() {
        assert_eq!(
            xml("<a b='c'>&\"\u{1}"),
            "&lt;a b=&#39;c&#39;&gt;&amp;&quot;\u{fffd}"
        );
        assert_eq!(dot("a\"b\\n&lt;"), "\"a\\\"b\\\\n&amp;lt;\"");
        assert_eq!(mermaid("a[\"x\"]#end"), "a#91;#34;x#34;#93;#35;end");
        assert_eq!(script("</script>&"), "\\u003c/script\\u003e\\u0026");
    }

    #[test]
    fn long_names_keep_both_ends_and_long_paths_their_end() {
        let long = "a".repeat(30) + &"b".repeat(30);
        assert_eq!(shorten(&long).chars().count(), LONGEST);
        assert!(shorten(&long).starts_with("aaa") && shorten(&long).ends_with("bbb"));
        assert!(shorten_path(&long).starts_with('…') && shorten_path(&long).ends_with("bbb"));
        assert_eq!(shorten("short"), "short");
    }
}
