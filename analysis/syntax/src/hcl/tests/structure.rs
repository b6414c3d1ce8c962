use super::*;

fn value<'t>(tree: &'t Tree, name: &str) -> Expr<'t> {
    tree.body().attribute(name).unwrap().value()
}

#[test]
fn spans_name_keys_labels_headers_and_bodies() {
    let text = "# lead\nresource \"aws\" z {\n  id = 1 # why\n}\n";
    let tree = parse(text);
    assert!(tree.is_clean());
    let block = tree.body().blocks().next().unwrap();
    assert_eq!(block.kind_span().slice(text), "resource");
    assert_eq!(block.header_span().slice(text), "resource \"aws\" z");
    assert_eq!(
        block.span().slice(text),
        "resource \"aws\" z {\n  id = 1 # why\n}"
    );
    assert_eq!(block.body_span().slice(text), "\n  id = 1 # why\n");
    let labels: Vec<_> = block.labels().map(|l| (l.text, l.span.slice(text))).collect();
    assert_eq!(labels, [("aws", "\"aws\""), ("z", "z")]);
    let id = block.body().attribute("id").unwrap();
    assert_eq!(
        (id.name_span().slice(text), id.span().slice(text)),
        ("id", "id = 1")
    );
    let comments: Vec<_> = tree.comments().iter().map(|c| c.span.slice(text)).collect();
    assert_eq!(comments, ["# lead", "# why"]);
}

#[test]
fn a_byte_order_mark_moves_every_span_and_nothing_else() {
    let text = "\u{feff}a = \"é\"\nb = [1]\n";
    let tree = parse(text);
    assert!(tree.is_clean());
    assert_eq!(value(&tree, "a").span().slice(text), "\"é\"");
    assert_eq!(value(&tree, "b").span().slice(text), "[1]");
    let without = &text[3..];
    assert_eq!(tree.reparse(without), parse(without));
    assert_eq!(parse(without).reparse(text), tree);
}

#[test]
fn operators_bind_as_in_hcl() {
    let text = "x = 1 + 2 * 3 == 7 && !a || b ? c : d\n";
    let tree = parse(text);
    let ExprKind::Conditional { condition, .. } = value(&tree, "x").kind() else {
        panic!()
    };
    let ExprKind::Binary {
        op: BinaryOp::Or,
        left,
        ..
    } = condition.kind()
    else {
        panic!()
    };
    let ExprKind::Binary {
        op: BinaryOp::And,
        left,
        ..
    } = left.kind()
    else {
        panic!()
    };
    let ExprKind::Binary {
        op: BinaryOp::Equal,
        left,
        ..
    } = left.kind()
    else {
        panic!()
    };
    let ExprKind::Binary {
        op: BinaryOp::Add,
        right,
        ..
    } = left.kind()
    else {
        panic!()
    };
    assert_eq!(right.span().slice(text), "2 * 3");
}

#[test]
fn identifiers_may_contain_dashes_and_traversals_keep_every_step() {
    let text = "x = spacelift_stack.ec2-stack[\"k\"].0.id\n";
    let tree = parse(text);
    let ExprKind::GetAttr {
        source,
        name: "id",
        name_span,
    } = value(&tree, "x").kind()
    else {
        panic!()
    };
    assert_eq!(name_span.slice(text), "id");
    let ExprKind::LegacyIndex { source, number: "0" } = source.kind() else {
        panic!()
    };
    let ExprKind::Index { source, key } = source.kind() else {
        panic!()
    };
    assert_eq!(key.as_text(), Some("k"));
    assert_eq!(source.as_names(), Some(vec!["spacelift_stack", "ec2-stack"]));
}

#[test]
fn attribute_splats_take_names_and_full_splats_take_indexes_too() {
    let text = "a = x.*.id[0]\nb = x[*].id[0]\n";
    let tree = parse(text);
    let ExprKind::Index { source, .. } = value(&tree, "a").kind() else {
        panic!()
    };
    assert!(matches!(source.kind(), ExprKind::Splat { full: false, .. }));
    let ExprKind::Splat { each, full: true, .. } = value(&tree, "b").kind() else {
        panic!()
    };
    assert!(matches!(each.kind(), ExprKind::Index { .. }));
}

#[test]
fn heredocs_lose_shared_indentation_and_keep_the_marker_out() {
    let text = "a = <<-EOT\n    one\n      two ${x}\n\n    three\n  EOT\nb = 1\n";
    let tree = parse(text);
    assert!(tree.is_clean(), "{:?}", tree.errors());
    let ExprKind::Template(template) = value(&tree, "a").kind() else {
        panic!()
    };
    assert!(template.is_heredoc());
    let literals: Vec<_> = template
        .parts()
        .iter()
        .filter_map(|p| match p {
            TemplatePart::Literal(text, _) => Some(text),
            _ => None,
        })
        .collect();
    assert_eq!(literals, ["one\n  two ", "\n\nthree\n"]);
    assert!(tree.body().attribute("b").is_some());
}

#[test]
fn escapes_and_doubled_openings_are_resolved() {
    let text = r#"a = "\u00e9\n$${x} %%{y} $5 \"q\"""#;
    let tree = parse(text);
    assert_eq!(value(&tree, "a").as_text(), Some("é\n${x} %{y} $5 \"q\""));
}

#[test]
fn directives_nest_and_trim() {
    let text = "a = \"x %{ for k, v in m ~}${k}%{ if v }y%{ else }n%{ endif }  %{~ endfor } z\"\n";
    let tree = parse(text);
    assert!(tree.is_clean(), "{:?}", tree.errors());
    let ExprKind::Template(template) = value(&tree, "a").kind() else {
        panic!()
    };
    let parts: Vec<_> = template.parts().iter().collect();
    assert_eq!(parts.len(), 3);
    assert!(matches!(parts[0], TemplatePart::Literal("x ", _)));
    let TemplatePart::For {
        key_var: Some("k"),
        value_var: "v",
        body,
        ..
    } = parts[1]
    else {
        panic!()
    };
    assert_eq!(body.iter().count(), 3);
    assert!(matches!(body.iter().last(), Some(TemplatePart::Literal("", _))));
}

#[test]
fn a_cursor_finds_its_way_down_to_the_entry() {
    let text = "stack {\n  after = [\"../a\", \"../b\"]\n}\n";
    let tree = parse(text);
    let path = tree.node_at(text.find("../b").unwrap() as u32);
    let shown: Vec<_> = path.iter().map(|n| n.span().slice(text)).collect();
    assert_eq!(
        shown[1..],
        ["after = [\"../a\", \"../b\"]", "[\"../a\", \"../b\"]", "\"../b\""]
    );
    assert!(matches!(path[0], NodeRef::Block(_)));
}

#[test]
fn errors_name_what_was_expected_and_what_was_found() {
    let cases = [
        (
            "a = [1 2]\n",
            "expected a comma or `]` after this entry, found `2`",
            "2",
        ),
        ("a = \n", "expected a value, found the end of the line", ""),
        (
            "a = 'x'\n",
            "single quotes do not enclose text in HCL; use double quotes",
            "'",
        ),
        (
            "a = \"x\nb = 1\n",
            "unterminated string: use a heredoc for several lines",
            "\"x",
        ),
        ("a {\n  b = 1\n", "unterminated block: missing `}`", "a {"),
        (
            "a = \"\\q\"\n",
            "`\\q` is not an escape: write a backslash as `\\\\`",
            "\\q",
        ),
        ("a = 1.2.3\n", "this is not a number", "1.2.3"),
        (
            "a \"b\"\n",
            "a block needs its opening brace on the line of its name",
            "a \"b\"",
        ),
        (
            "a = 1,\n",
            "attributes end with their line, not with a comma",
            ",",
        ),
    ];
    for (text, message, place) in cases {
        let errors = parse(text).errors();
        let shown: Vec<_> = errors
            .iter()
            .map(|e| (e.message.as_str(), e.span.slice(text)))
            .collect();
        assert_eq!(shown, [(message, place)]);
    }
}
