use super::*;
use proptest::prelude::*;

/// Pieces that make and break HCL.
const PIECES: &[&str] = &[
    "stack {\n",
    "}\n",
    "  after = [\"../a\"]\n",
    "  after = [\n",
    "    \"../b\",\n",
    "  ]\n",
    "name = \"x\"\n",
    "\"",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "${",
    "%{",
    "<<EOT\n",
    "EOT\n",
    "  EOT\n",
    "/*",
    "*/",
    "# c\n",
    "\n",
    "\r\n",
    " ",
    "é",
    "=",
    ",",
    "x",
    "\u{feff}",
    "\\",
    "<<<<<<< HEAD\n",
    "resource \"a\" \"b\" {\n",
    "  b {\n    c = 1\n  }\n",
    "\t",
    "1.5",
    "for x in y : ",
];

fn text() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn boundary(text: &str, share: f64) -> usize {
    let mut at = (share * text.len() as f64) as usize;
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn an_edited_tree_is_the_tree_of_the_edited_text(
        before in text(),
        edits in prop::collection::vec((0.0..1.0f64, 0.0..0.2f64, 0usize..4), 1..5),
        inserted in prop::collection::vec(prop::sample::select(PIECES), 5),
    ) {
        let mut text = before;
        let mut tree = parse(&text);
        for (i, (at, length, pieces)) in edits.into_iter().enumerate() {
            let start = boundary(&text, at);
            let end = boundary(&text, (at + length).min(1.0)).max(start);
            let piece = if pieces == 0 { String::new() } else { inserted[i % inserted.len()].repeat(pieces.min(2)) };
            text.replace_range(start..end, &piece);
            tree = tree.reparse(&text);
            let fresh = parse(&text);
            prop_assert_eq!(&tree, &fresh);
        }
    }

    #[test]
    fn every_span_fits_the_text_and_its_parent(text in text()) {
        let tree = parse(&text);
        for error in tree.errors() {
            prop_assert!(text.get(error.span.range()).is_some(), "{:?}", error);
        }
        for span in tree.skipped().into_iter().chain(tree.comments().iter().map(|c| c.span)) {
            prop_assert!(text.get(span.range()).is_some());
        }
        let mut open: Vec<Item<'_>> = tree.body().items().collect();
        while let Some(item) = open.pop() {
            prop_assert!(text.get(item.span().range()).is_some());
            match item {
                Item::Block(block) => {
                    for inner in block.body().items() {
                        prop_assert!(block.span().contains(inner.span()), "{:?} {:?}", block.span(), inner.span());
                        open.push(inner);
                    }
                }
                Item::Attribute(attribute) => {
                    prop_assert!(attribute.span().contains(attribute.value().span()));
                    for expr in attribute.value().descendants() {
                        prop_assert!(attribute.value().span().contains(expr.span()));
                    }
                }
            }
        }
        for offset in 0..=text.len() {
            let path = tree.node_at(offset as u32);
            for pair in path.windows(2) {
                prop_assert!(pair[0].span().contains(pair[1].span()));
            }
        }
        if tree.is_clean() {
            prop_assert!(tree.skipped().is_empty());
        } else if tree.errors().iter().all(|e| e.kind == SyntaxErrorKind::Grammar) {
            prop_assert!(tree.errors().iter().all(|e| !e.message.is_empty()));
        }
    }
}

#[test]
fn an_edit_reuses_every_chunk_it_does_not_touch() {
    let text: String = (0..100)
        .map(|i| format!("stack {{\n  name = \"s{i}\"\n}}\n\n"))
        .collect();
    let tree = parse(&text);
    let edited = text.replacen("\"s50\"", "\"fifty\"", 1);
    let after = tree.reparse(&edited);
    assert_eq!(after, parse(&edited));
    let shared = after
        .chunks
        .iter()
        .filter(|p| tree.chunks.iter().any(|o| Arc::ptr_eq(&o.chunk, &p.chunk)));
    assert!(shared.count() >= tree.chunks.len() - 2);
}
