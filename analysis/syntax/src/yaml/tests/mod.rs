mod broken_states;
mod growth;

use super::*;
use crate::text::Span;

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

    /// Everything visible of a tree.
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
        #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]
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

/// Texts that must neither panic, overflow the stack nor take long.
mod hostile {
    use super::*;
    use crate::yaml::dialect::goyaml;

    #[test]
    fn deep_nesting_is_a_limit_of_ours() {
        let deep = [
            "[".repeat(10_000),
            "{a: ".repeat(10_000),
            "- ".repeat(50_000),
            (0..1_000).map(|i| format!("{}a:\n", " ".repeat(i))).collect(),
            format!("k: {}x{}\nother: 1\n", "[".repeat(201), "]".repeat(201)),
        ];
        for text in deep {
            let tree = parse(&*text);
            assert!(
                tree.errors().iter().any(|e| e.kind == SyntaxErrorKind::Limit),
                "{:.40}",
                text
            );
            assert!(!tree.errors().iter().any(goyaml::refuses));
            let document = tree.first_document().unwrap();
            assert_eq!(goyaml::syntax_fault(document), None);
        }
        let tree = parse(format!("k: {}x{}\n", "[".repeat(198), "]".repeat(198)));
        assert_eq!(tree.errors(), []);
    }

    #[test]
    fn what_is_next_to_the_deep_place_stays() {
        let tree = parse(format!(
            "a: 1\nk: {}x{}\nother: 2\n",
            "[".repeat(300),
            "]".repeat(300)
        ));
        let root = tree.first_document().unwrap().root().unwrap();
        assert_eq!(root.get("other").unwrap().value(), "2");
        assert_eq!(root.get("k").map(|k| k.is_absent()), None);
        assert_eq!(tree.errors().len(), 1);
    }

    #[test]
    fn alias_bombs_are_refused_and_not_expanded() {
        let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
        for i in 1..30 {
            let all = vec![format!("*a{}", i - 1); 9].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{all}]\n"));
        }
        let tree = parse(&*text);
        assert_eq!(tree.errors(), []);
        let found = goyaml::check(tree.first_document().unwrap());
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].kind, goyaml::DialectErrorKind::ExcessiveAliasing);
        let merges: String = (1..40)
            .map(|i| format!("m{i}: &m{i}\n  <<: [*m{}, *m{}]\n", i - 1, i - 1))
            .collect();
        let tree = parse(format!("m0: &m0 {{k: v}}\n{merges}"));
        let root = tree.first_document().unwrap().root().unwrap();
        assert_eq!(goyaml::fields(root.get("m39").unwrap()).len(), 1);
    }

    #[test]
    fn marks_and_controls() {
        let tree = parse("\u{feff}a: 1\r\nb:\r\n- c\r\n");
        let root = tree.first_document().unwrap().root().unwrap();
        assert_eq!(root.get("a").unwrap().span(), Span::new(6, 7));
        assert_eq!(root.get("b").unwrap().items().next().unwrap().value(), "c");
        assert_eq!(tree.errors(), []);
        let tree = parse("a: 1\nb: x\0y\nc: 2\n");
        assert_eq!(tree.errors()[0].kind, SyntaxErrorKind::Character);
        assert_eq!(tree.errors()[0].span.start, 9);
        assert_eq!(
            tree.first_document()
                .unwrap()
                .root()
                .unwrap()
                .get("c")
                .unwrap()
                .value(),
            "2"
        );
        for text in [
            "", "\n", "#", "---", "...", "\u{feff}", "\0", "--- ", "%", "-", ":", "?", "\"", "'", "&", "*",
            "!",
        ] {
            let tree = parse(text);
            let _ = (tree.node_at(0), tree.comments().count());
        }
    }
}

mod scalars {
    use super::*;

    fn only(text: &str) -> (Tree, String) {
        let tree = parse(text);
        let value = tree
            .first_document()
            .unwrap()
            .root()
            .unwrap()
            .get("k")
            .unwrap()
            .value()
            .into_owned();
        (tree, value)
    }

    #[test]
    fn decoded_text_leads_back_to_its_source() {
        let at = |text: &str, part: &str| {
            let (tree, value) = only(text);
            let node = tree.first_document().unwrap().root().unwrap().get("k").unwrap();
            let start = value.find(part).unwrap();
            node.source_span_of(start..start + part.len())
                .slice(text)
                .to_owned()
        };
        assert_eq!(at("k: plain text\n", "text"), "text");
        assert_eq!(at("k: 'it''s here'\n", "it's"), "it''s");
        assert_eq!(at("k: 'it''s here'\n", "here"), "here");
        assert_eq!(at("k: \"a\\tb\\u00e9c\"\n", "éc"), "\\u00e9c");
        assert_eq!(at("k: \"a\\tb\"\n", "\t"), "\\t");
        assert_eq!(at("k: one\n  two\n", "two"), "two");
        assert_eq!(at("k: one\n  two\n", "e t"), "e\n  t");
        assert_eq!(at("k: |\n    lit\n     eral\nx: 1\n", " eral"), " eral");
        assert_eq!(at("k: >\n    fold\n    ed\n", "ed"), "ed");
        assert_eq!(at("k: \"x\\\n   y\"\n", "y"), "y");
    }

    #[test]
    fn a_line_left_out_is_not_part_of_a_value() {
        let text = "k: one\n  two\n\tthree\n  four\nx: 1\n";
        let (tree, value) = only(text);
        assert_eq!(tree.errors().len(), 1);
        assert!(!value.contains("three"), "{value:?}");
    }
}

/// Of two faults in one mapping each affects its own line.
#[test]
fn a_second_fault_does_not_take_what_is_around_both() {
    let text = "v: 1\nunits:\n  a:\n    x: a\n    bad \"\"\n  b:\n    x: b\n    y: %\n  c:\n    x: c\n";
    let tree = parse(text);
    assert_eq!(tree.errors().len(), 1);
    let root = tree.first_document().and_then(|d| d.root()).unwrap();
    let units = root.get("units").unwrap();
    let said = units.entries().map(|unit| {
        let x = unit.value.get("x").map(|x| x.value().into_owned());
        (unit.key.value().into_owned(), x.unwrap_or_default())
    });
    let both = |name: &str| (name.to_owned(), name.to_owned());
    assert_eq!(said.collect::<Vec<_>>(), ["a", "b", "c"].map(both));
}

/// Where libyaml 0.2 differs from 0.1: the value of the root, or the message.
#[test]
fn the_versions_of_libyaml_read_words_and_tags_in_brackets_differently() {
    let read = |text: &str, libyaml: Libyaml| {
        let tree = parse_as(text, libyaml);
        if let Some(error) = tree.errors().first() {
            return error.message.to_string();
        }
        let root = tree.first_document().and_then(|d| d.root()).unwrap();
        let shown = |node: Node<'_>| format!("{}{}", node.tag().unwrap_or(""), node.value());
        let items: Vec<String> = root.children().map(shown).collect();
        items.join("|")
    };
    let old = |text| read(text, Libyaml::Old);
    let new = |text| read(text, Libyaml::New);
    for (text, wanted) in [
        ("[!x, y]", "!x|y"),
        ("[!x y, z]", "!xy|z"),
        ("[a?b, c?]", "a?b|c?"),
        ("{a?b: c}", "a?b|c"),
        ("{a: b?c}", "a|b?c"),
        ("[!<x,y> z]", "x,yz"),
    ] {
        assert_eq!(new(text), wanted, "{text}");
    }
    assert_eq!(new("[\"a\\/b\"]"), "a/b");
    assert_eq!(old("[\"a\\/b\"]"), "found unknown escape character");
    assert_eq!(new("[!x]"), "did not find expected whitespace or line break");
    assert_eq!(new("[a:]"), "found unexpected ':'");
    assert_eq!(new("{a:, b: c}"), "found unexpected ':'");
    assert_eq!(old("[!x, y]"), "!x,y");
    assert_eq!(old("{a:, b: c}"), "a:||b|c");
    assert!(old("[a?b]").contains("did not find expected"));
    // Outside brackets there is no difference.
    for text in ["- a?b", "- a:,b", "- !x y"] {
        assert_eq!(new(text), old(text), "{text}");
    }
    // A byte-order mark may start a line, where it counts as a column.
    for (text, wanted) in [
        ("a: 1\n\u{feff}# c\nw: 2\n", "a|1|w|2"),
        ("a: 1\n\u{feff}\nw: 2\n", "a|1|w|2"),
        ("{a: 1,\n\u{feff}b: 2}", "a|1|b|2"),
        ("[a\n\u{feff}b]", "a \u{feff}b"),
        ("- 'a\n  \u{feff}b'", "a \u{feff}b"),
    ] {
        assert_eq!(new(text), wanted, "{text}");
    }
    let nested = new("w:\n\u{feff}  a: 1\n   b: 2\n");
    assert_eq!(nested, new("w:\n   a: 1\n   b: 2\n"), "the mark is a column");
    assert_eq!(new("a: 1\n\u{feff}w: 2\n"), "did not find expected key");
    assert_eq!(old("a: 1\n\u{feff}w: 2\n"), "a|1|\u{feff}w|2");
    assert_eq!(old("a: 1\n\u{feff}# c\nw: 2\n"), "could not find expected ':'");
    let edited = parse_as("a: 1\nw: 2\n", Libyaml::New).reparse("a: 1\n\u{feff}# c\nw: 2\n");
    assert!(edited.errors().is_empty());
    // An edit keeps the version.
    let edited = parse_as("[a, b]", Libyaml::New).reparse("[a?b, c]");
    assert!(edited.errors().is_empty());
}
