//! The output of a rule for the example on its page is shown below that example, so that neither can change without the
//! other.
#![allow(clippy::disallowed_methods, clippy::indexing_slicing, clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use applyorder_core::diagnostic::Rule;

/// The text before the block.
const INTRODUCTION: &str = "This is reported:\n```text\n";
const HEADING: &str = "\n## Example\n";

/// The problem if a page does not show the output of its example. `INSTA_UPDATE=always` writes it.
pub(crate) fn page_shows(rule: &Rule, printed: &str) -> Option<String> {
    let mut dirs = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let dir = dirs
        .find_map(|dir| Some(dir.join("docs/rules")).filter(|dir| dir.is_dir()))
        .unwrap();
    let path = dir.join(format!("{}.md", rule.id));
    let page = fs::read_to_string(&path).unwrap();
    let Some(wanted) = with(&page, printed) else {
        return Some(format!("{}: no example, or nothing is printed of it", rule.id));
    };
    if page == wanted {
        return None;
    }
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        fs::write(path, wanted).unwrap();
        return None;
    }
    Some(format!(
        "{}: the page does not show what is printed (INSTA_UPDATE=always writes it)\n{printed}",
        rule.id
    ))
}

/// A page with the output at the end of its example.
pub(crate) fn with(page: &str, printed: &str) -> Option<String> {
    if printed.is_empty() {
        return None;
    }
    let start = page.find(HEADING)? + HEADING.len();
    let (head, rest) = page.split_at(start);
    let end = rest.find("\n## ").unwrap_or(rest.len());
    let (example, rest) = rest.split_at(end);
    let example = example.split(INTRODUCTION).next()?.trim_end();
    Some(format!("{head}{example}\n\n{INTRODUCTION}{printed}```\n{rest}"))
}
