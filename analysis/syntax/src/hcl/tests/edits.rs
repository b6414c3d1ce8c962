use super::*;
use crate::text::{TextEdit, apply_edits};

fn list<'t>(tree: &'t Tree) -> Expr<'t> {
    tree.body()
        .blocks()
        .next()
        .unwrap()
        .body()
        .attribute("after")
        .unwrap()
        .value()
}

fn stack(list: &str) -> String {
    format!("stack {{\n  after = {list}\n}}\n")
}

fn edited(before: &str, edit: impl Fn(&str, &Tree) -> Option<TextEdit>) -> String {
    let text = stack(before);
    let tree = parse(&text);
    let after = apply_edits(&text, &[edit(&text, &tree).unwrap()]);
    assert!(parse(&after).is_clean(), "{after}");
    after
        .strip_prefix("stack {\n  after = ")
        .unwrap()
        .strip_suffix("\n}\n")
        .unwrap()
        .to_owned()
}

#[test]
fn an_entry_goes_with_its_comma_and_its_line() {
    let cases = [
        ("[\"a\"]", 0, "[]"),
        ("[\"a\", \"b\"]", 0, "[\"b\"]"),
        ("[\"a\", \"b\"]", 1, "[\"a\"]"),
        ("[\"a\", \"b\", \"c\"]", 1, "[\"a\", \"c\"]"),
        ("[\"a\", \"b\",]", 1, "[\"a\"]"),
        (
            "[\n    \"a\",\n    \"b\", # why\n    \"c\"\n  ]",
            1,
            "[\n    \"a\",\n    \"c\"\n  ]",
        ),
        ("[\n    \"a\",\n    \"b\"\n  ]", 1, "[\n    \"a\",\n  ]"),
        (
            "[\n    \"a\", \"b\",\n    \"c\"\n  ]",
            1,
            "[\n    \"a\",\n    \"c\"\n  ]",
        ),
    ];
    for (before, index, after) in cases {
        assert_eq!(
            edited(before, |text, tree| edit::remove_entry(text, list(tree), index)),
            after,
            "{before}"
        );
    }
}

#[test]
fn removing_any_entry_of_any_layout_leaves_exactly_the_others() {
    let gaps = ["", " ", "\n    ", " # c\n    ", " /* x, */ "];
    for a in gaps {
        for b in gaps {
            for c in gaps {
                for tail in ["", ","] {
                    let before = format!("[{a}\"a\",{b}\"b\",{c}\"c\"{tail}{a}]");
                    for index in 0..3 {
                        let text = stack(&before);
                        let tree = parse(&text);
                        let edit = edit::remove_entry(&text, list(&tree), index).unwrap();
                        let after = apply_edits(&text, &[edit]);
                        let tree = parse(&after);
                        assert!(tree.is_clean(), "{before} {index}\n{after}");
                        let left: Vec<_> = list(&tree)
                            .entries()
                            .unwrap()
                            .iter()
                            .map(|e| e.as_text().unwrap())
                            .collect();
                        let mut wanted = vec!["a", "b", "c"];
                        wanted.remove(index);
                        assert_eq!(left, wanted, "{before}\n{after}");
                    }
                    let text = stack(&before);
                    let tree = parse(&text);
                    let after =
                        apply_edits(&text, &[edit::append_entry(&text, list(&tree), "\"d\"").unwrap()]);
                    let tree = parse(&after);
                    assert!(tree.is_clean(), "{before}\n{after}");
                    assert_eq!(list(&tree).entries().unwrap().len(), 4, "{before}\n{after}");
                }
            }
        }
    }
}

#[test]
fn an_entry_is_appended_in_the_lists_own_layout() {
    let cases = [
        ("[]", "[\"z\"]"),
        ("[\n  ]", "[\"z\"]"),
        ("[\"a\"]", "[\"a\", \"z\"]"),
        ("[\"a\",]", "[\"a\", \"z\"]"),
        (
            "[\n    \"a\",\n    \"b\", # why\n  ]",
            "[\n    \"a\",\n    \"b\", # why\n    \"z\",\n  ]",
        ),
        (
            "[\n    \"a\",\n    \"b\"\n  ]",
            "[\n    \"a\",\n    \"b\",\n    \"z\"\n  ]",
        ),
    ];
    for (before, after) in cases {
        assert_eq!(
            edited(before, |text, tree| edit::append_entry(text, list(tree), "\"z\"")),
            after,
            "{before}"
        );
    }
}

#[test]
fn a_text_is_replaced_with_what_it_needs_escaped() {
    let replaced =
        |value: &'static str| edited("\"x\"", move |_, tree| edit::replace_text(list(tree), value));
    assert_eq!(replaced("a\"b\\"), r#""a\"b\\""#);
    assert_eq!(replaced("${x}"), r#""$${x}""#);
    for value in ["", "$${", "%{", "$", "é\n\t\u{7}", "\\${x}", "$$${x}"] {
        let text = format!("a = {}\n", edit::quote(value));
        assert_eq!(
            parse(&text).body().attribute("a").unwrap().value().as_text(),
            Some(value),
            "{text}"
        );
    }
    let text = "a = \"${x}\"\nb = <<E\nx\nE\n";
    let tree = parse(text);
    assert!(
        tree.body()
            .attributes()
            .all(|a| edit::replace_text(a.value(), "y").is_none())
    );
}

#[test]
fn an_attribute_is_inserted_at_the_end_with_the_blocks_indentation() {
    let cases = [
        ("stack {}\n", "stack {\n  x = 1\n}\n"),
        ("stack { a = 2 }\n", "stack {\n  a = 2\n  x = 1\n}\n"),
        ("stack {\n}\n", "stack {\n  x = 1\n}\n"),
        (
            "stack {\n    a = 2\n    # c\n}\n",
            "stack {\n    a = 2\n    # c\n    x = 1\n}\n",
        ),
        (
            "b {\r\n\ta {\r\n\t}\r\n}\r\n",
            "b {\r\n\ta {\r\n\t}\r\n\tx = 1\r\n}\r\n",
        ),
    ];
    for (before, after) in cases {
        let tree = parse(before);
        let block = tree.body().blocks().next().unwrap();
        let edit = edit::insert_attribute(before, block, "x", "1").unwrap();
        assert_eq!(apply_edits(before, &[edit]), after);
    }
}

#[test]
fn an_attribute_goes_with_its_line_and_comment() {
    let text = "stack {\n  a = [\n    1,\n  ] # why\n  b = 2\n}\n";
    let tree = parse(text);
    let attribute = tree
        .body()
        .blocks()
        .next()
        .unwrap()
        .body()
        .attribute("a")
        .unwrap();
    let after = apply_edits(text, &[edit::remove_attribute(text, attribute)]);
    assert_eq!(after, "stack {\n  b = 2\n}\n");
}

#[test]
fn a_block_goes_with_its_lines_and_one_of_the_blank_lines_around_it() {
    let cases = [
        ("x {\n}\n\nr {\n  a = 1\n} # c\n\ny {\n}\n", "x {\n}\n\ny {\n}\n"),
        ("r {\n}\n\ny {\n}\n", "y {\n}\n"),
        ("x {\n}\n\nr {\n}\n", "x {\n}\n"),
        ("x {\n}\n\nr {\n}", "x {\n}\n"),
        ("r {\n}\n", ""),
        ("r {}", ""),
        ("x {\n}\r\n\r\nr {\r\n}\r\n\r\ny {\n}\n", "x {\n}\r\n\r\ny {\n}\n"),
        // What is directly next to it keeps its distance from the rest.
        ("x {\n}\nr {\n}\n\ny {\n}\n", "x {\n}\n\ny {\n}\n"),
        ("# x\nr {\n}\n\n\ny {\n}\n", "# x\n\n\ny {\n}\n"),
        ("x {\n}\n\nr {\n}\ny {\n}\n", "x {\n}\n\ny {\n}\n"),
        ("x {\n}\n\n\nr {\n}\n\ny {\n}\n", "x {\n}\n\n\ny {\n}\n"),
        ("x {\n  a = 1\n\n  r {\n  }\n}\n", "x {\n  a = 1\n}\n"),
        ("x {\n  r {\n  }\n\n  a = 1\n}\n", "x {\n  a = 1\n}\n"),
        ("r {} /* c */\ny {\n}\n", " /* c */\ny {\n}\n"),
    ];
    for (before, after) in cases {
        let tree = parse(before);
        let path = tree.node_at(u32::try_from(before.find("r {").unwrap()).unwrap() + 1);
        let block = path.iter().rev().find_map(|node| match node {
            NodeRef::Block(block) if block.kind() == "r" => Some(*block),
            _ => None,
        });
        let edit = edit::remove_block(before, block.unwrap());
        assert_eq!(apply_edits(before, &[edit]), after, "{before:?}");
    }
}
