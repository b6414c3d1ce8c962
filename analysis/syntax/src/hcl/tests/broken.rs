//! Broken states of a file that occur while typing: each must be reported, and none may affect more than its
//! surroundings.

use super::*;

const FILE: &str = r#"globals {
  region = "eu"
}

stack {
  name = "app"
@
  tags = ["x"]
}

resource "aws_instance" "z" {
  ami        = local.ami
  depends_on = [module.net]
  nested {
    deep = [
      "a",
      "b",
    ]
  }
}

generate_hcl "x.tf" {
  content {
    text = <<-EOT
      stack {
    EOT
  }
}
"#;

/// The file with `line` in the stack, at the `@`.
fn within(line: &str) -> String {
    FILE.replace("@\n", &format!("{line}\n"))
}

/// The file with text between the stack and the resource.
fn between(text: &str) -> String {
    FILE.replace("@\n", "")
        .replace("\n\nresource", &format!("\n\n{text}\n\nresource"))
}

fn good() -> String {
    let text = FILE.replace("@\n", "");
    let tree = parse(&text);
    assert!(tree.is_clean(), "{:?}", tree.errors());
    outline(&tree, &text)
}

/// The top-level blocks of an outline other than those that a break may change.
fn others(outline: &str) -> Vec<String> {
    let mut blocks: Vec<String> = Vec::new();
    for line in outline.lines() {
        match blocks.last_mut() {
            Some(last) if line.starts_with(' ') => last.push_str(&format!("\n{line}")),
            _ => blocks.push(line.to_owned()),
        }
    }
    let kept = ["globals", "resource \"aws_instance\" \"z\"", "generate_hcl"];
    blocks
        .into_iter()
        .filter(|b| kept.iter().any(|k| b.starts_with(k)))
        .collect()
}

/// Every block but the stack is read as in the valid file, and an error is reported.
fn assert_neighbours_kept(name: &str, text: &str) -> Tree {
    let tree = parse(text);
    assert!(!tree.is_clean(), "{name}: no error reported");
    let shown = outline(&tree, text);
    assert_eq!(others(&shown), others(&good()), "{name}:\n{shown}");
    for error in tree.errors() {
        assert!(error.span.end as usize <= text.len(), "{name}: {error:?}");
    }
    tree
}

/// In addition, the stack's other attributes are unchanged, and nothing is added.
fn assert_kept(name: &str, text: &str) {
    let tree = assert_neighbours_kept(name, text);
    let stacks: Vec<_> = tree.body().blocks().filter(|b| b.kind() == "stack").collect();
    assert_eq!(stacks.len(), 1, "{name}");
    let mut found: Vec<String> = Vec::new();
    for attribute in stacks[0].body().attributes() {
        if attribute.name() != "after" {
            found.push(format!(
                "{} = {}",
                attribute.name(),
                attribute.value().span().slice(text)
            ));
        }
    }
    assert_eq!(
        found,
        ["name = \"app\"", "tags = [\"x\"]"],
        "{name}:\n{}",
        outline(&tree, text)
    );
    assert!(
        tree.body().attributes().all(|a| a.name() == "x"),
        "{name}: attributes invented at the top"
    );
}

#[test]
fn states_of_one_attribute_leave_the_rest_of_its_stack() {
    let states = [
        "  after = [\"../a\",",
        "  after = [",
        "  after = [\"../vpc\"",
        "  after = [\"../v",
        "  after = [\"../v]",
        "  after =",
        "  after",
        "  aft",
        "  after [\"../a\"]",
        "  after == [\"../a\"]",
        "  after = [\"../a\"]]",
        "  after = [\"../a\", , \"../b\"]",
        "  after = [\"a\" \"b\"]",
        "  after = {",
        "  after = tm_concat(",
        "  after = tm_concat([\"a\"],",
        "  after = \"${global.",
        "  after = global.",
        "  after = global.a +",
        "  after = var.x ?",
        "  after = <<EOT",
        "  after = [\"a\"] before = [\"b\"]",
        "  depends_on = [aws_instance.z, module.",
        "  after = merge(local.t, {",
        "  after = [\n    \"../a\",\n    \"../b\",",
        "  /* not closed",
        "@",
        "  @",
        "<<<<<<< HEAD\n  after = [\"a\"]\n=======\n>>>>>>> theirs",
    ];
    for state in states {
        let text = within(state);
        if state.starts_with("  depends_on") {
            let tree = assert_neighbours_kept(state, &text);
            let stack = tree.body().blocks().find(|b| b.kind() == "stack").unwrap();
            let names: Vec<_> = stack.body().attributes().map(|a| a.name()).collect();
            assert_eq!(names, ["name", "depends_on", "tags"]);
        } else {
            assert_kept(state, &text);
        }
    }
}

#[test]
fn states_of_the_stacks_frame_leave_its_attributes() {
    let missing_brace = FILE.replace("@\n", "").replace("[\"x\"]\n}\n", "[\"x\"]\n");
    assert_kept("missing } of stack", &missing_brace);
    assert_kept(
        "missing } of stack, attribute before it broken",
        &within("  after = [\"../v").replace("[\"x\"]\n}\n", "[\"x\"]\n"),
    );
}

#[test]
fn an_extra_brace_in_a_stack_costs_only_what_follows_in_it() {
    let tree = assert_neighbours_kept("extra }", &within("  }"));
    assert!(
        tree.errors().iter().any(|e| e.message.contains("unexpected `}`")),
        "{:?}",
        tree.errors()
    );
}

#[test]
fn states_at_the_top_leave_all_blocks() {
    let states = [
        "res",
        "resource \"aws",
        "resource \"x\" \"y\"",
        "stack_new {",
        "import { source = \"a\" b }",
        "/* not closed",
        "<<<<<<< HEAD",
        "@",
        "}",
        "x = [",
        "x = <<EOT",
    ];
    for state in states {
        assert_kept(state, &between(state));
    }
    let unclosed = between("stack {");
    let tree = assert_neighbours_kept("new 'stack {'", &unclosed);
    let stacks: Vec<_> = tree.body().blocks().filter(|b| b.kind() == "stack").collect();
    assert_eq!(stacks.len(), 2);
    assert!(!stacks[1].is_closed());
    assert_eq!(stacks[1].body().items().count(), 0);
}

#[test]
fn a_broken_value_is_known_to_be_there_and_to_be_unknown() {
    let text = within("  after = [\"../a\",");
    let tree = parse(&text);
    let stack = tree.body().blocks().find(|b| b.kind() == "stack").unwrap();
    let after = stack.body().attribute("after").unwrap();
    assert!(matches!(after.value().kind(), ExprKind::Broken));
    assert_eq!(after.value().span().slice(&text), "[\"../a\",");
    assert!(tree.has_gap(after.span()));
    assert!(tree.has_gap(stack.span()));
    let globals = tree.body().blocks().next().unwrap();
    assert!(!tree.has_gap(globals.span()));
}

#[test]
fn one_wrong_line_of_a_long_list_leaves_its_other_entries() {
    let text = "stack {\n  after = [\n    \"a\",\n    \"b\" \"c\",\n    \"d\",\n  ]\n}\n";
    let tree = parse(text);
    let after = tree
        .body()
        .blocks()
        .next()
        .unwrap()
        .body()
        .attribute("after")
        .unwrap();
    let entries: Vec<_> = after
        .value()
        .entries()
        .unwrap()
        .iter()
        .filter_map(|e| e.as_text())
        .collect();
    assert_eq!(entries, ["a", "d"]);
    assert!(tree.has_gap(after.value().span()));
    assert_eq!(tree.errors().len(), 1);
}

#[test]
fn every_file_of_several_breaks_reports_each() {
    let text = "a {\n  x = [\n}\n\nb {\n  y = \"\n  z = 1\n}\n\nc {\n  w = @\n}\n";
    let tree = parse(text);
    assert_eq!(tree.errors().len(), 3, "{:?}", tree.errors());
    assert_eq!(
        outline(&tree, text),
        "a\n  x = ?\nb\n  y = ?\n  z = 1\nc\n  w = ?\n"
    );
}

#[test]
fn a_duplicate_attribute_is_an_error_with_both_places() {
    let text = "stack {\n  id = \"a\"\n  id = \"b\"\n}\nx = 1\nx = 2\n";
    let tree = parse(text);
    let errors = tree.errors();
    let shown: Vec<_> = errors
        .iter()
        .map(|e| {
            (
                e.kind,
                e.span.slice(text),
                e.related.unwrap().start < e.span.start,
            )
        })
        .collect();
    let twice = SyntaxErrorKind::DuplicateAttribute;
    assert_eq!(shown, [(twice, "id", true), (twice, "x", true)]);
}

#[test]
fn nesting_beyond_the_limit_is_reported_and_never_overflows() {
    for (open, close) in [
        ("[", "]"),
        ("(", ")"),
        ("{a=", "}"),
        ("f(", ")"),
        ("!", ""),
        ("-", ""),
        ("\"${", "}\""),
        ("1?", ":1"),
        ("a[", "]"),
        ("[for x in ", ":x]"),
    ] {
        for depth in [100, 150] {
            let text = format!("x = {}1{}\n", open.repeat(depth), close.repeat(depth));
            assert!(
                parse(&text).is_clean(),
                "{open} {depth}: {:?}",
                parse(&text).errors()
            );
        }
        let text = format!("x = {}1{}\ny = 2\n", open.repeat(20_000), close.repeat(20_000));
        let tree = parse(&text);
        let kinds: Vec<_> = tree.errors().iter().map(|e| e.kind).collect();
        assert_eq!(kinds, [SyntaxErrorKind::Limit], "{open}");
        assert!(tree.body().attribute("y").is_some());
    }
    let blocks = format!("{}{}", "b {\n".repeat(50_000), "}\n".repeat(50_000));
    assert!(
        parse(&blocks)
            .errors()
            .iter()
            .any(|e| e.kind == SyntaxErrorKind::Limit)
    );
    for indent in ["", "  "] {
        let line = |depth: usize, text: &str| format!("{}{text}\n", indent.repeat(depth));
        let nested = |depth: usize| {
            let open = (0..depth).map(|i| line(i, "b {"));
            let close = (0..depth).rev().map(|i| line(i, "}"));
            open.chain(close).collect::<String>() + "y = 2\n"
        };
        assert!(parse(&nested(190)).is_clean());
        for depth in [199, 200, 201, 202, 250, 390] {
            let tree = parse(&nested(depth));
            let is_limit = |e: &SyntaxError| e.kind == SyntaxErrorKind::Limit;
            assert!(tree.errors().iter().all(is_limit), "{depth}: {:?}", tree.errors());
            assert!(tree.body().attribute("y").is_some(), "{depth}");
        }
    }
    let indented: String = (0..400).map(|i| format!("{}b {{\n", " ".repeat(i))).collect();
    assert!(!parse(&indented).is_clean());
    let chain = format!("x = 1{}\n", " + 1".repeat(50_000));
    assert!(parse(&chain).is_clean());
    let steps = format!("x = a{}\n", ".b".repeat(50_000));
    assert!(parse(&steps).is_clean());
}

#[test]
fn many_unclosed_openings_take_no_quadratic_time() {
    let seconds = |line: &str, count: usize| {
        let text = line.repeat(count);
        let start = std::time::Instant::now();
        assert!(!parse(&text).is_clean());
        start.elapsed().as_secs_f64()
    };
    for line in ["a {\n", "a = <<X\n", "a = \"\n", "a = [\n", "/*\n", "a = \"${\n"] {
        let (short, long) = (seconds(line, 1_000), seconds(line, 8_000));
        // Linear is 8 times as long, quadratic 64 times; the rest allows for a busy machine.
        assert!(long < 24.0 * short + 3.0, "{line:?} {short} {long}");
    }
}
