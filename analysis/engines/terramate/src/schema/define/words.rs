//! Terramate's messages about labels.

use applyorder_syntax::go;
use applyorder_syntax::hcl::Block;

/// Terramate's message for labels that a block cannot have.
pub(super) fn label_words(block: Block<'_>, is_top: bool) -> String {
    let kind = block.kind();
    let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
    let odd = |label: &str, wanted: &str| {
        let label = go::quote(label.as_bytes());
        format!("unexpected label {label}, expected {wanted}")
    };
    match (kind, labels.as_slice()) {
        ("define", labels) if is_top => match labels {
            ["component", label] => odd(label, "\"metadata\" or \"environments\""),
            ["bundle", label] => {
                let wanted = "\"metadata\", \"scaffolding\", \"environments\" or \"lets\"";
                odd(label, wanted)
            }
            [label, _] => odd(label, "\"component\", \"bundle\" or \"schema\""),
            ["component", label, _] => odd(label, "\"input\""),
            ["bundle", label, _] => odd(label, "\"input\", \"export\" or \"stack\""),
            [label] | [label, _, _] => odd(label, "\"component\" or \"bundle\""),
            ["bundle", "stack", _, label] => odd(label, "\"metadata\""),
            ["bundle", label, _, _] => odd(label, "\"stack\""),
            [_, _, _, _] => {
                "with this amount of labels, only \"define bundle stack <label> metadata\" is supported"
                    .to_owned()
            }
            _ => "unexpected number of labels in define block".to_owned(),
        },
        // It counts them, and its message has the wrong verb.
        ("component", []) => "component block must have at least one label%!(EXTRA int=0)".to_owned(),
        ("component", [_, label]) => odd(label, "\"inputs\""),
        ("component", [_, _, _, ..]) => {
            let count = labels.len();
            format!("the component block can be have either 1 or 2 labels, {count} given")
        }
        ("bundle", []) if is_top => "expected 1 label but got 0".to_owned(),
        ("bundle", labels) if is_top => format!("expected 1 or 2 labels but got {}", labels.len()),
        ("environment", labels) if is_top => {
            format!("environment block must have no labels but got {}", labels.len())
        }
        ("schema" | "attribute", _) => format!("{kind} block must have exactly one label"),
        ("export", []) => "output block must have a label".to_owned(),
        ("export", _) => "output block must have only one label".to_owned(),
        ("input", [_, _, ..]) => "input block must have only one label".to_owned(),
        ("uses", [label, _]) => odd(label, "\"schemas\""),
        ("uses", _) => "expected uses schema block".to_owned(),
        (_, [label, ..]) => format!("unexpected label {}", go::quote(label.as_bytes())),
        (_, []) => format!("{kind} block must have a label"),
    }
}
