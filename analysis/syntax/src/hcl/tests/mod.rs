mod broken;
mod edits;
mod growth;
mod reparse;
mod structure;

use super::*;

/// A tree with one line per body item, for comparison.
pub(super) fn outline(tree: &Tree, text: &str) -> String {
    let mut out = String::new();
    outline_body(tree.body(), text, 0, &mut out);
    out
}

fn outline_body(body: Body<'_>, text: &str, depth: usize, out: &mut String) {
    for item in body.items() {
        out.push_str(&"  ".repeat(depth));
        match item {
            Item::Attribute(attribute) => {
                let value = attribute.value();
                let shown = match value.kind() {
                    ExprKind::Broken => "?".to_owned(),
                    _ => value
                        .span()
                        .slice(text)
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" "),
                };
                out.push_str(&format!("{} = {shown}\n", attribute.name()));
            }
            Item::Block(block) => {
                out.push_str(block.kind());
                for label in block.labels() {
                    out.push_str(&format!(" {:?}", label.text));
                }
                out.push_str(if block.is_closed() { "\n" } else { " (open)\n" });
                outline_body(block.body(), text, depth + 1, out);
            }
        }
    }
}
