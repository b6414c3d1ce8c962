//! The details of findings of shared rules: the text under them, their related places, and the result of each
//! fix in the file.

use crate::rules::fixture::check;
use applyorder_core::rules::{
    Rule, cycle, duplicate_dependency, duplicate_key, duplicate_name, invalid_name, invalid_value,
    missing_file, redundant_dependency, self_dependency, syntax_error, unknown_dependency, unknown_field,
    unresolved, wrong_type,
};

/// One stack at `/s`, with lines, among `/a`, `/a/b` and `/c`, which have the tag `one`, the tag `two` and no
/// tag.
struct Row {
    rule: &'static Rule,
    lines: &'static str,
    under: &'static str,
    related: &'static [&'static str],
    /// The lines after each fix.
    fixed: &'static [&'static str],
}

const OTHERS: &str = "//- /w/a/s.tm\nstack {\n  id = \"ID\"\n  tags = [\"one\"]\n}\n//- /w/a/b/s.tm\nstack {\n  tags = [\"two\"]\n}\n//- /w/c/s.tm\nstack {\n}\n//- /w/file.txt\nx\n//- /w/empty/file.txt\nx\n//- /w/skip/.tmskip\n\n//- /w/skip/s/s.tm\nstack {\n}\n";

#[track_caller]
fn holds(row: &Row) {
    let own = |lines: &str| format!("//- /w/s/s.tm\nstack {{\n{lines}\n}}\n");
    let checked = check(row.rule, &format!("{}{OTHERS}", own(row.lines)));
    let found = checked.found();
    let first = found.first().cloned().unwrap_or_default();
    let (place, rest) = first.split_once(' ').unwrap_or_default();
    assert!(place.starts_with("/s/s.tm:"), "{}: {found:?}", row.lines);
    assert!(
        rest.starts_with(&format!("{}: ", row.under)),
        "{}: {found:?}",
        row.lines
    );
    assert_eq!(checked.related(), row.related, "{}", row.lines);
    let fixed: Vec<String> = (0..checked.fixes()).map(|i| checked.fixed(i)).collect();
    let expected: Vec<String> = row.fixed.iter().map(|lines| own(lines)).collect();
    assert_eq!(fixed, expected, "{}", row.lines);
}

#[test]
fn syntax_and_schema() {
    for row in [
        Row {
            rule: &syntax_error::RULE,
            lines: "  name = \"x\"\n  name = \"y\"",
            under: "name",
            related: &["/s/s.tm:2 name"],
            fixed: &["  name = \"x\""],
        },
        Row {
            rule: &unknown_field::RULE,
            lines: "  depends_on = [\"/a\"]",
            under: "depends_on",
            related: &[],
            fixed: &["  after = [\"/a\"]"],
        },
        Row {
            rule: &wrong_type::RULE,
            lines: "  name = 1",
            under: "1",
            related: &[],
            fixed: &["  name = \"1\""],
        },
        Row {
            rule: &wrong_type::RULE,
            lines: "  after = \"/a\"",
            under: "\"/a\"",
            related: &[],
            fixed: &["  after = [\"/a\"]"],
        },
        Row {
            rule: &wrong_type::RULE,
            lines: "  after = tm_toset([\"/a\"])",
            under: "tm_toset([\"/a\"])",
            related: &[],
            fixed: &["  after = tm_tolist(tm_toset([\"/a\"]))"],
        },
        Row {
            rule: &wrong_type::RULE,
            lines: "  after = tm_fileset(\".\", \"*\")",
            under: "tm_fileset(\".\", \"*\")",
            related: &[],
            fixed: &["  after = tm_tolist(tm_fileset(\".\", \"*\"))"],
        },
        Row {
            rule: &wrong_type::RULE,
            lines: "  after = [\"/a\", 1]",
            under: "1",
            related: &[],
            fixed: &["  after = [\"/a\", \"1\"]"],
        },
        Row {
            rule: &duplicate_dependency::RULE,
            lines: "  after = [\"/a\", \"/c\", \"/a\"]",
            under: "\"/a\"",
            related: &["/s/s.tm:2 \"/a\""],
            fixed: &["  after = [\"/a\", \"/c\"]"],
        },
        Row {
            rule: &unresolved::RULE,
            lines: "  after = [tm_file(\"x\")]",
            under: "[tm_file(\"x\")]",
            related: &[],
            fixed: &[],
        },
    ] {
        holds(&row);
    }
}

#[test]
fn blocks() {
    let checked = check(&unknown_field::RULE, "//- /w/s/s.tm\nstak {\n}\n");
    assert_eq!(checked.found(), ["/s/s.tm:1 stak: unknown block `stak`"]);
    assert_eq!(checked.fixed(0), "//- /w/s/s.tm\nstack {\n}\n");
    let files = "//- /w/s/a.tm\nglobals {\n  x = 1\n}\n//- /w/s/b.tm\nglobals {\n  x = 2\n}\n";
    assert_eq!(check(&duplicate_key::RULE, files).related(), ["/s/a.tm:2 x"]);
}

#[test]
fn whole_project() {
    for row in [
        Row {
            rule: &invalid_name::RULE,
            lines: "  tags = [\"Ab c\"]",
            under: "\"Ab c\"",
            related: &[],
            fixed: &["  tags = [\"ab-c\"]"],
        },
        Row {
            rule: &invalid_value::RULE,
            lines: "  watch = [\"/a\"]",
            under: "\"/a\"",
            related: &[],
            fixed: &["  watch = []"],
        },
        Row {
            rule: &missing_file::RULE,
            lines: "  watch = [\"/nope\"]",
            under: "\"/nope\"",
            related: &[],
            fixed: &["  watch = []"],
        },
    ] {
        holds(&row);
    }
    let new = |rule: &'static Rule, id: &str, related: &[&str]| {
        let checked = check(
            rule,
            &format!("//- /w/s/s.tm\nstack {{\n  id = \"{id}\"\n}}\n{OTHERS}"),
        );
        assert_eq!(checked.related(), related);
        let fixed = checked.fixed(0);
        let written = fixed.split('"').nth(1).unwrap().to_owned();
        assert_eq!(written.len(), 36, "{fixed}");
    };
    new(&invalid_name::RULE, "no id", &[]);
    new(&duplicate_name::RULE, "id", &["/a/s.tm:2 \"ID\""]);
}

#[test]
fn entries() {
    for row in [
        Row {
            rule: &unknown_dependency::RULE,
            lines: "  after = [\"/a/bb\"]",
            under: "\"/a/bb\"",
            related: &[],
            fixed: &["  after = [\"/a/b\"]", "  after = []"],
        },
        Row {
            rule: &unknown_dependency::RULE,
            lines: "  after = [\"../a/bb\"]",
            under: "\"../a/bb\"",
            related: &[],
            fixed: &["  after = [\"../a/b\"]", "  after = []"],
        },
        Row {
            rule: &unknown_dependency::RULE,
            lines: "  after = [\"/empty/file.txt\"]",
            under: "\"/empty/file.txt\"",
            related: &[],
            fixed: &["  after = [\"/empty\"]", "  after = []"],
        },
        Row {
            rule: &unknown_dependency::RULE,
            lines: "  after = [\"/skip/s\"]",
            under: "\"/skip/s\"",
            related: &["/skip/.tmskip"],
            fixed: &["  after = []"],
        },
        Row {
            rule: &unknown_dependency::RULE,
            lines: "  after = [\"/empty\"]",
            under: "\"/empty\"",
            related: &[],
            fixed: &["  after = []"],
        },
        Row {
            rule: &unknown_dependency::RULE,
            lines: "  after = [\"tag:one:twoo\"]",
            under: "\"tag:one:twoo\"",
            related: &[],
            fixed: &["  after = [\"tag:one:two\"]", "  after = []"],
        },
        Row {
            rule: &invalid_value::RULE,
            lines: "  after = [\"tag:_one\"]",
            under: "\"tag:_one\"",
            related: &[],
            fixed: &["  after = [\"tag:one\"]", "  after = []"],
        },
        Row {
            rule: &invalid_value::RULE,
            lines: "  after = [\"tag:~one\"]",
            under: "\"tag:~one\"",
            related: &[],
            fixed: &["  after = []"],
        },
        Row {
            rule: &redundant_dependency::RULE,
            lines: "  after = [\"/a\", \"/a/b\"]",
            under: "\"/a/b\"",
            related: &["/s/s.tm:2 \"/a\""],
            fixed: &["  after = [\"/a\"]"],
        },
    ] {
        holds(&row);
    }
}

#[test]
fn cycles() {
    for row in [
        Row {
            rule: &self_dependency::RULE,
            lines: "  after = [\".\"]",
            under: "\".\"",
            related: &[],
            fixed: &["  after = []"],
        },
        Row {
            rule: &cycle::RULE,
            lines: "  after = [\"/\"]",
            under: "\"/\"",
            related: &[],
            fixed: &["  after = []", "  after = [\"/a\", \"/c\"]"],
        },
    ] {
        holds(&row);
    }
    let files =
        "//- /w/a/s.tm\nstack {\n  after = [\"/b\"]\n}\n//- /w/b/s.tm\nstack {\n  after = [\"/a\"]\n}\n";
    let checked = check(&cycle::RULE, files);
    assert_eq!(checked.related().len(), 2, "{:?}", checked.related());
    let fixed: Vec<String> = (0..checked.fixes()).map(|i| checked.fixed(i)).collect();
    assert!(
        fixed.contains(&"//- /w/a/s.tm\nstack {\n  after = []\n}\n".to_owned()),
        "{fixed:?}"
    );
    assert!(fixed.iter().any(|f| f.contains("before = [\"/b\"]")), "{fixed:?}");

    let above = "//- /w/a/s.tm\nstack {\n}\n//- /w/a/b/s.tm\nstack {\n  before = [\"/a\"]\n}\n";
    let checked = check(&cycle::RULE, above);
    assert_eq!(checked.found().len(), 1);
    assert!(checked.found()[0].starts_with("/a/b/s.tm:2 \"/a\": "));
    assert_eq!(checked.related(), ["/a/s.tm:1 stack"]);
    let nested = "//- /w/a/s.tm\nstack {\n  after = [\"/a/b\"]\n}\n//- /w/a/b/s.tm\nstack {\n}\n";
    let checked = check(&cycle::RULE, nested);
    assert!(
        checked.found()[0].starts_with("/a/s.tm:2 \"/a/b\": "),
        "{:?}",
        checked.found()
    );
    assert!(
        checked.related().contains(&"/a/b/s.tm:1 stack".to_owned()),
        "{:?}",
        checked.related()
    );
    let swapped = "//- /w/a/s.tm\nstack {\n  before = [\"/a/b\"]\n  after = []\n}\n";
    let fixed: Vec<String> = (0..checked.fixes()).map(|i| checked.fixed(i)).collect();
    assert!(
        fixed
            .iter()
            .any(|f| f == swapped || f.contains("before = [\"/a/b\"]")),
        "{fixed:?}"
    );
}
