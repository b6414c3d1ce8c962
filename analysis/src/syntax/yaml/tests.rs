use super::*;

/// The tree as an indented outline: kind, span and source of every node.
fn outline(text: &str) -> String {
    let tree = parse(text);
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
