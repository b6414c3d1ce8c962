//! `map` blocks, in `globals` and `lets`. Terramate checks them depth first, and stops at the first mistake.
//!
//! Source: Terramate 0.17.2, its parser of these blocks.

use crate::problems::{Among, Fault, Problems};
use applyorder_syntax::hcl::{Block, Tree};
use applyorder_syntax::text::Span;

/// The next step of the traversal of a block.
enum Next<'t> {
    Map(Block<'t>),
    /// A block in a `map`, and whether one precedes it there.
    Inner(Block<'t>, Block<'t>, bool),
    /// A block in a `value`.
    Nested(Block<'t>),
    /// All of its contents were checked.
    Done(Block<'t>),
}

/// A mistake, and where it is.
type Mistake = (Span, Fault);

/// Reports the first mistake in a `map` block.
pub(super) fn check(reader: &mut Problems<'_>, tree: &Tree, block: Block<'_>) {
    if !block.is_closed() || tree.has_gap(block.span()) {
        return;
    }
    let mut open = vec![Next::Map(block)];
    while let Some(next) = open.pop() {
        let mistake = match next {
            Next::Map(map) => {
                open.push(Next::Done(map));
                let blocks: Vec<Block<'_>> = map.body().blocks().collect();
                let inner = blocks.into_iter().enumerate();
                open.extend(inner.rev().map(|(at, inner)| Next::Inner(map, inner, at > 0)));
                required(map)
            }
            Next::Inner(map, _, true) => Some((
                map.kind_span(),
                Fault::DuplicateBlock {
                    block: "value".into(),
                    words: "multiple map.value block declared".to_owned(),
                },
            )),
            Next::Inner(_, inner, false) if inner.kind() != "value" => {
                let words = format!("unrecognized block {} inside map block", inner.kind());
                Some(unknown(inner, "map", words))
            }
            Next::Inner(_, inner, false) => {
                let nested: Vec<Block<'_>> = inner.body().blocks().collect();
                open.extend(nested.into_iter().rev().map(Next::Nested));
                None
            }
            Next::Nested(inner) if inner.kind() != "map" => {
                let words = format!("unexpected block type {}", inner.kind());
                Some(unknown(inner, "value", words))
            }
            Next::Nested(inner) => {
                open.push(Next::Map(inner));
                None
            }
            Next::Done(map) => value(map),
        };
        if let Some((span, fault)) = mistake {
            reader.fatal(span, fault);
            return;
        }
    }
}

fn unknown(block: Block<'_>, outer: &str, words: String) -> Mistake {
    let fault = Fault::Unknown {
        what: "block",
        name: block.kind().into(),
        among: Among::Block(outer.into()),
        known: Vec::new(),
        words,
    };
    (block.kind_span(), fault)
}

fn missing(map: Block<'_>, name: &str, words: &str) -> Mistake {
    let fault = Fault::Missing {
        name: name.into(),
        block: "map".into(),
        words: words.to_owned(),
    };
    (map.header_span(), fault)
}

fn required(map: Block<'_>) -> Option<Mistake> {
    if map.labels().next().is_none() {
        let fault = Fault::LabelCount {
            block: "map".into(),
            takes: (1, usize::MAX),
            count: 0,
            words: "map block requires a label".to_owned(),
        };
        return Some((map.header_span(), fault));
    }
    let names = [
        ("for_each", "map.for_each attribute is required"),
        ("key", "map.key is required"),
    ];
    let (name, words) = names
        .iter()
        .find(|(name, _)| map.body().attribute(name).is_none())?;
    Some(missing(map, name, words))
}

/// Either an attribute or a block sets the values.
fn value(map: Block<'_>) -> Option<Mistake> {
    let attribute = map.body().attribute("value");
    let block = map.body().blocks().next();
    match (attribute, block) {
        (Some(attribute), Some(_)) => Some((
            attribute.name_span(),
            Fault::Conflict {
                name: "value".into(),
                with: "the `value` block",
                words: "value attribute conflicts with value block".to_owned(),
            },
        )),
        (None, None) => Some(missing(
            map,
            "value",
            "either a value attribute or a value block is required",
        )),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::check;
    use applyorder_core::rules::invalid_value::RULE;

    /// What `run` reports for a `map` with lines in it.
    fn said(lines: &str) -> Vec<String> {
        let files = format!("//- /w/g.tm\nglobals {{\n  map {lines}\n  }}\n}}\n");
        check(&RULE, &files)
            .said()
            .iter()
            .map(|s| (*s).to_owned())
            .collect()
    }

    #[test]
    fn the_first_mistake_is_reported() {
        let all = "\"m\" {\n    for_each = []\n    key = \"k\"\n";
        for (lines, words) in [
            ("{", "map block requires a label"),
            ("\"m\" {", "map.for_each attribute is required"),
            ("\"m\" {\n    for_each = []", "map.key is required"),
            (all, "either a value attribute or a value block is required"),
            (
                &format!("{all}    value = 1\n    value {{\n    }}"),
                "value attribute conflicts with value block",
            ),
            (
                &format!("{all}    value {{\n    }}\n    value {{\n    }}"),
                "multiple map.value block declared",
            ),
            (
                &format!("{all}    values {{\n    }}"),
                "unrecognized block values inside map block",
            ),
            (
                &format!("{all}    value {{\n      maps {{\n      }}\n    }}"),
                "unexpected block type maps",
            ),
            (
                &format!("{all}    value = 1\n    value {{\n      map \"n\" {{\n      }}\n    }}"),
                "map.for_each attribute is required",
            ),
        ] {
            assert_eq!(said(lines), [words], "{lines}");
        }
        assert_eq!(said(&format!("{all}    value = 1")), [""; 0]);
        assert_eq!(said(&format!("{all}    value {{\n    }}")), [""; 0]);
    }
}
