//! What cannot be tested on a machine: reported, and an error in CI unless `tests/skipped.txt` lists it.

use std::io::Write as _;

/// The list: a line is what is skipped and why, with `: ` between them; `#` starts a comment.
const LIST: &str = include_str!("../skipped.txt");

/// Reports that a part cannot be tested here, and why.
///
/// # Panics
/// In CI, if the part is not listed.
#[track_caller]
pub(crate) fn skip(part: &str, why: &str) {
    // The test harness shows the output of `println!` only for failing tests.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {part}: {}", why.trim_end());
    assert!(
        !is_ci(std::env::var("CI").ok().as_deref()) || is_listed(part),
        "`{part}` is skipped in CI, and tests/skipped.txt does not list it: {why}"
    );
}

fn is_ci(variable: Option<&str>) -> bool {
    variable.is_some_and(|ci| !matches!(ci, "" | "0" | "false"))
}

fn is_listed(part: &str) -> bool {
    let entries = LIST.lines().filter(|line| !line.starts_with('#'));
    entries
        .filter_map(|line| line.split_once(": "))
        .any(|(listed, why)| listed == part && !why.trim().is_empty())
}

#[test]
fn only_what_is_listed_with_a_reason_may_be_skipped_in_ci() {
    assert!(is_ci(Some("true")) && is_ci(Some("1")));
    assert!(!is_ci(Some("false")) && !is_ci(Some("")) && !is_ci(None));
    let entries: Vec<&str> = LIST.lines().filter(|line| !line.starts_with('#')).collect();
    for entry in &entries {
        let part = entry.split(": ").next().unwrap_or("");
        assert!(is_listed(part), "`{entry}` gives no reason");
        assert!(!is_listed(&part[..part.len() - 1]), "part of a name is no name");
    }
    assert!(!is_listed("git") && !is_listed(""));
}
