//! Texts of linted files in the formats of pictures: their width, and the escaping of each format.

use std::fmt::Write;

/// The width of a character of a name.
pub(crate) const NAME_CHAR: f64 = 7.9;
/// The width of a character of a second line or a label.
pub(crate) const DETAIL_CHAR: f64 = 7.3;
/// Longer names and paths are shortened when displayed; their title has the full text.
const LONGEST: usize = 40;

/// The width of a text in columns.
pub(crate) fn width(text: &str) -> f64 {
    let columns = unicode_width::UnicodeWidthStr::width(text);
    f64::from(u32::try_from(columns).unwrap_or(u32::MAX))
}

/// Shortens a long name in the middle.
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

/// Shortens a long path at the start.
pub(crate) fn shorten_path(path: &str) -> String {
    let count = path.chars().count();
    if count <= LONGEST {
        return path.to_owned();
    }
    let tail: String = path.chars().skip(count - LONGEST + 1).collect();
    format!("…{tail}")
}

/// Escapes a text for elements and attributes of XML and HTML.
pub(crate) fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // XML cannot represent these.
            c if (c.is_control() && c != '\t') || matches!(c, '\u{fffe}' | '\u{ffff}') => {
                out.push('\u{fffd}')
            }
            c => out.push(c),
        }
    }
    out
}

/// A quoted DOT string.
pub(crate) fn dot(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            // Graphviz interprets entities in labels.
            '&' => out.push_str("&amp;"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The inside of a quoted Mermaid text: every character other than letters, digits and harmless punctuation becomes a
/// numeric entity, so that neither Mermaid, Markdown nor HTML interprets it.
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
