use super::*;

/// The tree as an indented outline: kind, span and source of every node.
fn outline(text: &str) -> String {
    outline_of(&parse(text))
}

fn outline_of(tree: &Tree) -> String {
    let mut out = String::new();
    for document in tree.documents() {
        out.push_str(&format!(
            "document {} {:?}\n",
            document.index(),
            document.marker().map(|m| m.range())
        ));
        let mut stack: Vec<(usize, Node<'_>)> = document.root().into_iter().map(|n| (0, n)).collect();
        while let Some((depth, node)) = stack.pop() {
            let span = node.span();
            let what = match node.kind() {
                Kind::Scalar => format!("{:?} {:?}", node.style(), node.value()),
                Kind::Alias => format!("alias {}", node.value()),
                kind => format!("{:?} {kind:?}", node.style()),
            };
            out.push_str(&format!(
                "{}{}..{} {what}",
                "  ".repeat(depth),
                span.start,
                span.end
            ));
            if let Some(tag) = node.tag() {
                out.push_str(&format!(" tag={tag}"));
            }
            if let Some(anchor) = node.anchor() {
                out.push_str(&format!(" anchor={}@{}", anchor.name, anchor.span.start));
            }
            out.push('\n');
            let children: Vec<_> = node.children().collect();
            stack.extend(children.into_iter().rev().map(|c| (depth + 1, c)));
        }
    }
    for error in tree.errors() {
        out.push_str(&format!("error {:?} {}\n", error.span.range(), error.message));
    }
    out
}

#[test]
fn spans_are_those_of_the_values() {
    let text = "a: |2- # c | x\n    lit\n   two\n\nb: !!str &x \"q\\n\n  y\" # com\nc:\n- # empty\n-\n- &m\n  k: *x\nd: {a, \"b\":1, c: }\n";
    let expected = r#"document 0 None
0..105 Block Mapping
  0..1 Plain "a"
  3..29 Literal "  lit\n two"
  31..32 Plain "b"
  43..52 DoubleQuoted "q\n y" tag=tag:yaml.org,2002:str anchor=x@40
  59..60 Plain "c"
  62..86 Block Sequence
    63..63 Plain ""
    73..73 Plain ""
    81..86 Block Mapping anchor=m@76
      81..82 Plain "k"
      84..86 alias x
  87..88 Plain "d"
  90..105 Flow Mapping
    91..92 Plain "a"
    92..92 Plain ""
    94..97 DoubleQuoted "b"
    98..99 Plain "1"
    101..102 Plain "c"
    103..103 Plain ""
"#;
    assert_eq!(outline(text), expected);
}

mod incremental {
    use super::*;
    use proptest::prelude::*;

    /// Everything that can be seen of a tree.
    fn seen(tree: &Tree) -> String {
        let comments: Vec<_> = tree.comments().collect();
        format!("{}{comments:?}{:?}", outline_of(tree), tree.errors())
    }

    fn list(items: usize, indent: usize) -> String {
        let pad = " ".repeat(indent);
        let mut text = String::from("kind: T\nspec:\n  manifests:\n");
        for i in 0..items {
            text.push_str(&format!("{pad}- name: m{i}\n{pad}  path: './p {i}' # c\n"));
            if i % 3 == 1 {
                text.push_str(&format!("{pad}  dependsOn: [m0, \"m{}\"]\n", i - 1));
            }
            if i % 7 == 2 {
                text.push_str(&format!("{pad}# above\n\n{pad}# apart\n"));
            }
            if i % 5 == 3 {
                text.push_str(&format!(
                    "{pad}  text: |\n{pad}    one\n\n{pad}    two\n{pad}  tags: &t{i}\n{pad}  - a\n"
                ));
            }
        }
        text.push_str("  tests: []\n# end\nlast: *t3\n");
        text
    }

    fn documents(n: usize) -> String {
        let one = |i: usize| {
            format!(
                "---\nkind: K\nmetadata: {{name: n{i}, x: \"y z\"}}\ndata:\n  k: v # c\n  l:\n  - 1\n  - {i}\n"
            )
        };
        (0..n).map(one).collect()
    }

    fn base() -> impl Strategy<Value = String> {
        prop_oneof![
            Just(list(120, 4)),
            Just(list(120, 2)),
            Just(list(4, 2)),
            Just(documents(60)),
            Just(format!("{}---\n{}", list(100, 4), documents(5))),
        ]
    }

    fn edit() -> impl Strategy<Value = (f64, usize, &'static str)> {
        let words = prop_oneof![
            Just(""),
            Just(""),
            Just("x"),
            Just(" "),
            Just("\n"),
            Just("\""),
            Just("'"),
            Just("["),
            Just("]"),
            Just("- "),
            Just("\n    - name: new\n"),
            Just("\n  - name: new\n"),
            Just(": "),
            Just("#"),
            Just("\t"),
            Just("---\n"),
            Just("\n---\n"),
            Just("\n...\n"),
            Just("é"),
            Just("&a "),
            Just("*a"),
            Just("|\n"),
            Just("%"),
            Just("\r\n"),
            Just("{"),
            Just("\n   - a: b\n"),
            Just("--\n"),
            Just("\u{85}"),
        ];
        (
            0.0..1.0f64,
            prop_oneof![Just(0usize), Just(0), 0..4usize, 0..40usize],
            words,
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]
        #[test]
        fn reparsing_equals_parsing(text in base(), edits in prop::collection::vec(edit(), 1..6)) {
            let mut text = text;
            let mut tree = parse(&*text);
            for (at, remove, insert) in edits {
                let mut start = (text.len() as f64 * at) as usize;
                while !text.is_char_boundary(start) { start -= 1; }
                let mut end = (start + remove).min(text.len());
                while !text.is_char_boundary(end) { end += 1; }
                text.replace_range(start..end, insert);
                tree = tree.reparse(&*text);
                prop_assert_eq!(seen(&tree), seen(&parse(&*text)), "{:?}", text);
            }
        }
    }

    #[test]
    fn an_edit_leaves_the_other_items_as_they_are() {
        let text = list(200, 4);
        let tree = parse(&*text);
        let changed = text.replacen("name: m57\n", "name: changed\n", 1);
        let after = tree.reparse(&*changed);
        let keys = |tree: &Tree| -> Vec<_> {
            let list = tree
                .first_document()
                .unwrap()
                .root()
                .unwrap()
                .get("spec")
                .unwrap()
                .get("manifests")
                .unwrap();
            list.items()
                .map(|i| (i.memo(), i.source().to_owned(), i.span().start))
                .collect()
        };
        let (before, after) = (keys(&tree), keys(&after));
        assert_eq!(before.len(), 200);
        for (i, (old, new)) in before.iter().zip(&after).enumerate() {
            let (Some((old_key, old_base)), Some((key, base))) = (&old.0, &new.0) else {
                panic!("item {i}")
            };
            assert_eq!(old_key == key, i != 57, "item {i}");
            assert_eq!(old.2 - old_base, new.2 - base);
        }
    }
}
