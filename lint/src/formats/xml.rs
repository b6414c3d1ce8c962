//! Texts of XML 1.0.

use crate::escape;

/// A text for an attribute value or between tags. XML cannot represent control characters: they are escaped as
/// everywhere else within a line.
pub(super) fn text(text: &str) -> String {
    escaped(&escape::line(text))
}

/// The same for the start of a line.
pub(super) fn line_start(text: &str) -> String {
    escaped(&escape::line_start(text))
}

fn escaped(plain: &str) -> String {
    let mut out = String::with_capacity(plain.len());
    for c in plain.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_ends_an_attribute_or_begins_a_tag() {
        assert_eq!(
            super::text("<a b=\"c\">&'"),
            "&lt;a b=&quot;c&quot;&gt;&amp;&apos;"
        );
        assert_eq!(super::text("]]>\u{1}\u{ffff}\n"), "]]&gt;\\u{1}\u{fffd}\\n");
    }
}
