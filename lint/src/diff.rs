//! Two texts of a file as a unified diff that `patch` and `git apply` take.

use std::fmt::{self, Write};

use imara_diff::{Algorithm, Diff, InternedInput, Interner, Token, UnifiedDiffConfig, UnifiedDiffPrinter};

use crate::escape::Snippet;

/// Lines shown around a change.
const CONTEXT: u32 = 3;

/// The difference; empty where there is none. In what is shown nothing acts on a terminal or on who watches a log,
/// so a file that holds such characters in the lines shown cannot be patched with it.
#[must_use]
pub(crate) fn unified(old_path: &str, new_path: &str, before: &str, after: &str, color: bool) -> String {
    if before == after {
        return String::new();
    }
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let mut config = UnifiedDiffConfig::default();
    config.context_len(CONTEXT);
    let lines = Lines(&input.interner);
    let hunks = diff.unified_diff(&lines, config, &input);
    let text = format!("--- a/{old_path}\n+++ b/{new_path}\n{hunks}");
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let line = harmless(line);
        match style(&line).filter(|_| color) {
            Some(style) => {
                let (text, end) = line.split_at(line.trim_end_matches(['\r', '\n']).len());
                shown.push_str(&format!("\x1b[{style}m{text}\x1b[0m{end}"));
            }
            None => shown.push_str(&line),
        }
    }
    shown
}

/// Writes lines as `diff` does.
struct Lines<'a>(&'a Interner<&'a str>);

impl Lines<'_> {
    fn line(&self, mut f: impl Write, mark: char, line: Token) -> fmt::Result {
        let line = self.0[line];
        let end = if line.ends_with('\n') {
            ""
        } else {
            "\n\\ No newline at end of file\n"
        };
        write!(f, "{mark}{line}{end}")
    }
}

impl UnifiedDiffPrinter for Lines<'_> {
    fn display_header(
        &self,
        mut f: impl Write,
        start_before: u32,
        start_after: u32,
        len_before: u32,
        len_after: u32,
    ) -> fmt::Result {
        // Of no lines, the number is that of the line before them. A single one goes without its count.
        let range = |start: u32, len: u32| match len {
            0 => format!("{start},0"),
            1 => format!("{}", start + 1),
            _ => format!("{},{len}", start + 1),
        };
        let (before, after) = (range(start_before, len_before), range(start_after, len_after));
        writeln!(f, "@@ -{before} +{after} @@")
    }

    fn display_context_token(&self, f: impl Write, line: Token) -> fmt::Result {
        self.line(f, ' ', line)
    }

    fn display_hunk(&self, mut f: impl Write, before: &[Token], after: &[Token]) -> fmt::Result {
        for line in before {
            self.line(&mut f, '-', *line)?;
        }
        for line in after {
            self.line(&mut f, '+', *line)?;
        }
        Ok(())
    }
}

fn harmless(line: &str) -> String {
    let text = Snippet::new(line).text.into_owned();
    // A context line starts with a space, which systems that watch a log skip.
    if text.trim_start().starts_with("::") {
        text.replacen("::", ":\\:", 1)
    } else {
        text
    }
}

fn style(line: &str) -> Option<&'static str> {
    match line.as_bytes() {
        [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => Some("1"),
        [b'+', ..] => Some("32"),
        [b'-', ..] => Some("31"),
        [b'@', ..] => Some("36"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_shows_lines_around() {
        let before = "1\n2\n3\n4\n5\n6\n7\n8\nlast";
        let after = "1\n2\n3\n4\n5\nsix\n7\n8\nend";
        assert_eq!(
            unified("a", "b", before, after, false),
            "--- a/a\n+++ b/b\n@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n-last\n\\ No newline at end of file\n\
             +end\n\\ No newline at end of file\n"
        );
        assert_eq!(unified("a", "a", before, before, false), "");
    }

    #[test]
    fn line_endings_stay_and_nothing_acts() {
        let diff = unified(
            "a",
            "a",
            "1\r\n::error::\x1b[1m\r\n",
            "2\r\n::error::\x1b[1m\r\n",
            false,
        );
        assert!(diff.contains("-1\r\n+2\r\n :\\:error::␛[1m\r\n"), "{diff:?}");
        let colored = unified("a", "a", "1\r\n", "2\r\n", true);
        assert!(colored.contains("\x1b[32m+2\x1b[0m\r\n"), "{colored:?}");
    }
}
