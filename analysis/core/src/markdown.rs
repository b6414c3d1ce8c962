//! Text from files and engines as Markdown that shows it as it is.

/// If there are more names than this, the rest is counted, not shown.
pub const MOST_NAMES: usize = 8;

/// A text as inline code, whatever is in it.
#[must_use]
pub fn code(text: &str) -> String {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    if text.is_empty() {
        return "``\u{a0}``".to_owned();
    }
    let mut longest = 0usize;
    let mut run = 0usize;
    for c in text.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// A sentence as running text: only characters that have a meaning in Markdown or HTML at their position are
/// escaped, as not every editor removes the escapes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before: Option<char> = None;
    let mut has_opened = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let behind = chars.peek().copied();
        let is_in_word = || {
            [before, behind]
                .iter()
                .all(|c| c.is_some_and(char::is_alphanumeric))
        };
        let is_mark = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '|' | '~' => true,
            '_' => !is_in_word(),
            '&' => behind.is_some_and(|c| c.is_ascii_alphanumeric() || c == '#'),
            '#' => before.is_none(),
            // Without an open tag, `>` is a quote only at the beginning of a line.
            '>' => before.is_none() || has_opened,
            _ => false,
        };
        if is_mark {
            out.push('\\');
        }
        out.push(if c.is_control() { ' ' } else { c });
        before = Some(c);
        has_opened |= c == '<';
    }
    out
}

/// A sentence of ours as running text: text between backticks becomes code, the rest is escaped.
#[must_use]
pub fn sentence(text: &str) -> String {
    let parts = text.split('`').enumerate();
    // An odd number of backticks cannot be paired.
    if text.matches('`').count() % 2 == 1 {
        return escape(text);
    }
    let shown = parts.map(|(at, part)| if at % 2 == 1 { code(part) } else { escape(part) });
    shown.collect()
}

/// Markdown as [`code`] and [`escape`] write it, with emphasis, as text without marks.
#[must_use]
pub fn plain(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut chars = markdown.chars().peekable();
    let mut in_code = false;
    while let Some(c) = chars.next() {
        match c {
            '`' => in_code = !in_code,
            _ if in_code => out.push(c),
            '\\' => out.extend(chars.next_if(char::is_ascii_punctuation).or(Some(c))),
            '*' => {}
            '_' if out.is_empty() || out.ends_with('\n') || chars.peek().is_none_or(|c| *c == '\n') => {}
            _ => out.push(c),
        }
    }
    out
}

/// Names as a list in one line: the first few, then how many more there are.
#[must_use]
pub fn names<'a>(names: impl IntoIterator<Item = &'a str>, most: usize) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut more = 0usize;
    for name in names {
        if shown.len() < most {
            shown.push(code(name));
        } else {
            more += 1;
        }
    }
    let mut out = shown.join(", ");
    if more > 0 {
        out.push_str(&format!(" and {more} more"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_holds_any_text() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b"), "``a`b``");
        assert_eq!(code("`x"), "`` `x ``");
        assert_eq!(code("a\nb"), "`a b`");
    }

    #[test]
    fn plain_text_has_no_marks() {
        assert_eq!(
            plain("_with environment `prod`_\n\n**manifest `a_b`**: layer 1\n- \\*x\\* 1_2"),
            "with environment prod\n\nmanifest a_b: layer 1\n- *x* 1_2"
        );
    }

    #[test]
    fn long_lists_are_cut() {
        assert_eq!(names(["a", "b", "c"], 2), "`a`, `b` and 1 more");
    }

    #[test]
    fn names_in_sentences_are_code() {
        assert_eq!(sentence("`a*` waits for <b>"), "`a*` waits for \\<b\\>");
        assert_eq!(sentence("a`](x)"), "a\\`\\](x)");
    }

    #[test]
    fn links_and_html_are_harmless() {
        assert_eq!(escape("[x](y) <b>"), "\\[x\\](y) \\<b\\>");
        assert_eq!(escape("# _a_ &amp; ![x]"), "\\# \\_a\\_ \\&amp; !\\[x\\]");
    }

    #[test]
    fn characters_without_a_meaning_in_their_place_are_left_alone() {
        let text = "it's {namespace}: a_b -> c & d, no. #1!";
        assert_eq!(escape(text), text);
    }
}
