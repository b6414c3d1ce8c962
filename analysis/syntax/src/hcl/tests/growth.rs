//! Time grows with the size of the text, however broken it is.

use super::*;
use crate::growth::Growth;

fn growth() -> Growth<impl Fn(&str) -> Tree> {
    Growth::of(|text| {
        let tree = parse(text);
        assert_eq!(tree.text_len() as usize, text.len());
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
        "a {\n",
        "}\n",
        "]\n",
        "a = [\n",
        "a = \"\n",
        "a = 1\n",
        "a {}\n",
        "a = <<E\n",
        "a = <<E\nE\n",
        "/*\n",
        "/* */",
        "\t",
        "\0",
        "\0\n",
        "a = (",
        "a = 1 + ",
        "a = \"${",
        "a {",
        "<<E\n",
        "é",
        "\\",
        "\"",
        "a \"b\" {\n}\n",
        "<<<<<<< HEAD\n",
        "a = [ # c\n",
        "a.b",
        "a = x[",
        "a = -",
        "a = x.*",
        "a = x ? ",
        "a(",
        "%{ if a }",
        "${",
        "/",
        "*/",
        "a = [1,\n",
    ] {
        growth.check(&format!("{line:?}"), 1_000, |n| line.repeat(n));
        growth.check(&format!("in a list: {line:?}"), 1_000, |n| {
            format!("b = [\n{}\n]\n", line.repeat(n))
        });
        growth.check(&format!("behind a start: {line:?}"), 1_000, |n| {
            format!("b = \"\n{}", line.repeat(n))
        });
        growth.check(&format!("indented: {line:?}"), 1_000, |n| {
            format!("b {{\n{}\n}}\n", format!("  {line}").repeat(n))
        });
    }
    growth.finish();
}

#[test]
fn what_is_right_is_read_in_linear_time() {
    let mut growth = growth();
    for line in [
        "a = 1\n",
        "a {}\n",
        "a = [1, {b = c[0].*.d}]\n",
        "a = <<E\n  ${x}\nE\n",
        "/* */ a = 1 # b\n",
    ] {
        let named = |n: usize, before: &str| -> String {
            (0..n)
                .map(|i| format!("{before}{}", line.replacen('a', &format!("a{i}"), 1)))
                .collect()
        };
        growth.check(&format!("{line:?}"), 1_000, |n| named(n, ""));
        growth.check(&format!("in a block: {line:?}"), 1_000, |n| {
            format!("b {{\n{}}}\n", named(n, "  "))
        });
        growth.check(&format!("in a broken block: {line:?}"), 1_000, |n| {
            format!("b {{\n  =\n{}}}\n", named(n, "  "))
        });
    }
    growth.finish();
}

#[test]
fn nesting_is_read_in_linear_time() {
    let mut growth = growth();
    for (open, close) in [
        ("a {\n", "}\n"),
        ("a = [", "]"),
        ("a = {\n", "}\n"),
        ("[", "]"),
        ("a = \"${", "}\""),
        ("a {\n", ""),
        ("a {\n x = 1\n", " y = 2\n}\n"),
    ] {
        let name = format!("{open:?} … {close:?}");
        growth.check(&name, 1_000, |n| open.repeat(n) + &close.repeat(n));
    }
    growth.finish();
}

#[test]
fn what_comes_after_a_limit_is_marked_as_unread() {
    let good = "last = 1\n";
    for broken in [
        "a:\n".repeat(5_000),
        format!("b {{\n{}}}\n", "  a:\n".repeat(5_000)),
        "x = 1\n".repeat(5_000),
    ] {
        let tree = parse(&(broken.clone() + good));
        let errors = tree.errors();
        assert_eq!(errors.len(), MAX_ERRORS + 1);
        let last = errors.last().unwrap();
        assert_eq!(
            (last.kind, &*last.message),
            (SyntaxErrorKind::Limit, "more than 1000 errors in this file")
        );
        assert!(
            errors
                .iter()
                .rev()
                .skip(1)
                .all(|e| e.kind != SyntaxErrorKind::Limit)
        );
    }
    let text = "a:\n".repeat(5_000) + good;
    let tree = parse(&text);
    assert!(tree.has_gap(Span::from_usize(text.len() - good.len(), text.len())));
    assert_eq!(tree.body().items().count(), 0);

    let many: String = (0..=MAX_CHUNKS).map(|i| format!("a{i} = 1\n")).collect();
    let tree = parse(&many);
    assert_eq!(tree.body().items().count(), MAX_CHUNKS);
    assert_eq!(tree.errors().len(), 1);
    assert_eq!(
        tree.errors()[0].message,
        "more than 200000 attributes and blocks at the top of this file"
    );
    assert!(!tree.is_clean() && tree.has_gap(Span::from_usize(many.len() - 3, many.len())));

    let large = "\0".repeat(MAX_TEXT + 1);
    let tree = parse(&large);
    assert_eq!(tree.errors()[0].message, "the file is larger than 16 MiB");
    assert_eq!(tree.errors()[0].kind, SyntaxErrorKind::Limit);
    assert!(tree.has_gap(Span::from_usize(0, large.len())));
}

#[test]
fn an_edit_across_a_limit_gives_the_tree_of_the_edited_text() {
    let broken = |n: usize| "a:\n".repeat(n);
    let texts = [
        broken(MAX_ERRORS) + "x = 1\n",
        broken(MAX_ERRORS + 1) + "x = 1\ny = 2\n",
        format!("c = 1\n{}x = 1\ny = 2\n", broken(MAX_ERRORS + 1)),
        broken(MAX_ERRORS + 7) + "x = 1\ny = 2\n",
        broken(MAX_ERRORS - 1) + "x = 1\ny = 2\n",
        format!("{}d = 3\n{}x = 1\n", broken(600), broken(600)),
        format!("{}d = 3\n{}x = 1\n", broken(300), broken(600)),
        "x = 1\ny = 2\n".to_owned(),
        "\u{feff}".to_owned() + &broken(2 * MAX_ERRORS),
    ];
    for before in &texts {
        let tree = parse(before);
        for after in &texts {
            let edited = tree.reparse(after);
            assert_eq!(edited, parse(after));
            assert_eq!(edited.errors(), parse(after).errors());
        }
    }
}
