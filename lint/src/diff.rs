//! The difference between two texts of a file as a unified diff that `patch` and `git apply` accept.

use std::ops::Range;

use imara_diff::{Algorithm, Diff, InternedInput, Token};

use crate::escape::Snippet;

/// Lines shown around a change.
const CONTEXT: u32 = 3;

/// The difference; empty if there is none. Control characters and commands for CI systems are escaped, so a diff with
/// such characters in its lines cannot be applied as a patch.
#[must_use]
pub(crate) fn unified(old_path: &str, new_path: &str, before: &str, after: &str, color: bool) -> String {
    if before == after {
        return String::new();
    }
    let input = InternedInput::new(before, after);
    let mut diff = Diff::compute(Algorithm::Histogram, &input);
    diff.postprocess_lines(&input);
    let text = format!("--- a/{old_path}\n+++ b/{new_path}\n{}", hunks(&diff, &input));
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

/// Writes the changed lines and their context as `diff` does.
fn hunks(diff: &Diff, input: &InternedInput<&str>) -> String {
    let mut out = String::new();
    let mut hunks = diff.hunks().peekable();
    while let Some(first) = hunks.next() {
        let (mut lines, start) = (String::new(), first.before.start.saturating_sub(CONTEXT));
        let context = first.before.start - start;
        let ahead = first.after.start.saturating_sub(context);
        let (mut last, mut at) = (first.clone(), start);
        loop {
            write(&mut lines, ' ', input, &input.before, at..last.before.start);
            write(&mut lines, '-', input, &input.before, last.before.clone());
            write(&mut lines, '+', input, &input.after, last.after.clone());
            at = last.before.end;
            match hunks.next_if(|next| next.before.start - at <= 2 * CONTEXT) {
                Some(next) => last = next,
                None => break,
            }
        }
        let count = u32::try_from(input.before.len()).unwrap_or(u32::MAX);
        let end = at.saturating_add(CONTEXT).min(count);
        write(&mut lines, ' ', input, &input.before, at..end);
        let (before, after) = (end - start, last.after.end + (end - at) - ahead);
        out.push_str(&format!(
            "@@ -{} +{} @@\n{lines}",
            range(start, before),
            range(ahead, after)
        ));
    }
    out
}

fn write(out: &mut String, mark: char, input: &InternedInput<&str>, lines: &[Token], which: Range<u32>) {
    let lines = lines.get(which.start as usize..which.end as usize);
    for line in lines.into_iter().flatten() {
        let line = input.interner[*line];
        let end = if line.ends_with('\n') {
            ""
        } else {
            "\n\\ No newline at end of file\n"
        };
        out.push_str(&format!("{mark}{line}{end}"));
    }
}

/// A range of lines in a hunk header: a single line has no count, an empty range is given by the line before it.
fn range(start: u32, count: u32) -> String {
    match count {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        _ => format!("{},{count}", start + 1),
    }
}

fn harmless(line: &str) -> String {
    let text = Snippet::new(line).text.into_owned();
    // CI systems that scan a log skip the leading space of a context line.
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
    fn what_is_near_is_one_hunk_and_what_is_far_another() {
        let before: String = (1..=30).map(|n| format!("{n}\n")).collect();
        let after = before
            .replace("\n5\n", "\n")
            .replace("\n12\n", "\nx\ny\n")
            .replace("\n25\n", "\nz\n");
        let diff = unified("a", "a", &before, &after, false);
        let heads: Vec<&str> = diff.lines().filter(|line| line.starts_with("@@")).collect();
        assert_eq!(heads, ["@@ -2,14 +2,14 @@", "@@ -22,7 +22,7 @@"], "{diff}");
        assert_eq!(
            unified("a", "a", "", "1\n", false),
            "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+1\n"
        );
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
