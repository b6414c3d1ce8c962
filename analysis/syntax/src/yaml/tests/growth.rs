//! Time grows with the size of the text, however broken it is.

use super::*;
use crate::growth::Growth;

fn growth() -> Growth<impl Fn(&str) -> Tree> {
    Growth::of(|text| {
        let tree = parse(text);
        let of_documents: usize = tree.documents().map(|d| d.errors().count()).sum();
        assert!(of_documents <= tree.errors().len());
        tree
    })
}

#[test]
fn texts_of_one_kind_of_line_are_read_in_linear_time() {
    let mut growth = growth();
    for line in [
        "\n",
        "\r\n",
        "# c\n",
        "a:\n",
        "a\n",
        "a: 1\n",
        "a: [\n",
        "a: \"\n",
        "a: '\n",
        "a: {\n",
        "]\n",
        "}\n",
        "- \n",
        "- a\n",
        "- ",
        "? ",
        "? a\n",
        ": ",
        "---\n",
        "---\na: [\n",
        "---\na: 1\n",
        "...\n",
        "\t",
        "\t\n",
        "\0",
        "\0\n",
        "%a\n",
        "&a ",
        "&a a\n",
        "*a\n",
        "!a ",
        "a: |\n",
        "a: |\n  b\n",
        "a: >-\n",
        "{{",
        "{{ a }}\n",
        "${",
        "\\",
        "\"",
        "'",
        "[",
        "{",
        "[a, ",
        "{a: ",
        "a: b: c\n",
        "@\n",
        "`",
        "é",
        "a: [b\nc: d\n",
        "<<<<<<< HEAD\n",
        "- a: 1\n  b\n",
        "a: 1\n b\n",
        "!!str ",
        "- [\n",
        "- \"\n",
        "? [\n",
        "a:\n\tb\n",
        "- a\n b\n",
    ] {
        growth.check(&format!("{line:?}"), 4_000, |n| line.repeat(n));
        growth.check(&format!("nested: {line:?}"), 4_000, |n| {
            format!("b:\n{}c: 1\n", format!("  {line}").repeat(n))
        });
        growth.check(&format!("in a list: {line:?}"), 4_000, |n| {
            format!("b: [\n{}\n]\n", line.repeat(n))
        });
        growth.check(&format!("behind a start: {line:?}"), 4_000, |n| {
            format!("b: \"\n{}", line.repeat(n))
        });
    }
    growth.finish();
}

/// Stand-in lines of lists stay: each line that may be dropped is checked for being one.
#[test]
fn broken_items_among_many_lists_are_read_in_linear_time() {
    let mut growth = growth();
    growth.check("items", 16_000, |n| {
        format!("b:\n{}c: 1\n", "  - a\n b\n".repeat(n))
    });
    growth.finish();
}

#[test]
fn nesting_is_read_in_linear_time() {
    let mut growth = growth();
    for (open, close) in [
        ("[", "]"),
        ("{a: ", "}"),
        ("- ", "a"),
        ("? ", ""),
        ("- [", "]"),
        ("[{", "}]"),
        ("\"", "\""),
    ] {
        let name = format!("{open:?} … {close:?}");
        growth.check(&name, 1_000, |n| open.repeat(n) + &close.repeat(n));
    }
    growth.finish();
}
