//! The purpose of a field.

use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::View;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{Node, Tree};

use crate::read::{AnkaiosFacts, Condition, Known, fields};

/// The path from the root to an offset: the keys, and the nodes whose entries they are.
pub(super) struct Spot<'t> {
    /// The keys of the mappings around the offset, the outermost first; `-` for an item of a list.
    pub(super) path: Vec<String>,
    /// The innermost mapping.
    pub(super) mapping: Option<Node<'t>>,
    /// The key under the offset.
    pub(super) key: Option<Node<'t>>,
    /// The value under the offset.
    pub(super) value: Option<Node<'t>>,
}

/// What is around an offset.
pub(super) fn spot(tree: &Tree, offset: u32) -> Spot<'_> {
    let nodes = tree.node_at(offset);
    let mut out = Spot {
        path: Vec::new(),
        mapping: None,
        key: None,
        value: None,
    };
    for (at, node) in nodes.iter().enumerate() {
        if node.is_mapping() {
            out.mapping = Some(*node);
            let next = nodes.get(at + 1);
            let entry = node
                .entries()
                .find(|e| next.is_some_and(|n| *n == e.key || *n == e.value));
            if let Some(entry) = entry {
                if next == Some(&entry.key) {
                    out.key = Some(entry.key);
                } else {
                    out.path.push(entry.key.value().into_owned());
                    out.value = Some(entry.value);
                }
            }
        } else if node.is_sequence() {
            out.path.push("-".to_owned());
            out.value = nodes.get(at + 1).copied();
        }
    }
    out
}

/// The table of the fields of a mapping at a path.
pub(super) fn known_at(path: &[String]) -> Option<&'static Known> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        [] => Some(&fields::TOP),
        ["workloads", _] => Some(&fields::WORKLOAD),
        ["workloads", _, "controlInterfaceAccess"] => Some(&fields::ACCESS),
        ["workloads", _, "controlInterfaceAccess", _, "-"] => Some(&fields::RULE),
        ["workloads", _, "files", "-"] => Some(&fields::FILE),
        _ => None,
    }
}

pub(crate) fn field(
    analysis: &dyn View,
    engine: EngineIx,
    file: FileId,
    offset: u32,
) -> Option<(Span, String)> {
    let facts: &AnkaiosFacts = analysis.facts_as(file, engine)?;
    let spot = spot(facts.tree(), offset);
    if let Some(key) = spot.key {
        let name = key.value();
        let (_, text) = known_at(&spot.path)?
            .fields
            .iter()
            .find(|(field, _)| *field == name)?;
        return Some((key.span(), format!("**{name}**\n\n{text}")));
    }
    let value = spot.value.filter(|v| v.is_scalar())?;
    if let [top, _, field, _] = spot.path.as_slice()
        && (top.as_str(), field.as_str()) == ("workloads", "dependencies")
    {
        let text = match Condition::of(&value.value())? {
            Condition::Running => "Holds while the workload is running.",
            Condition::Succeeded => "Holds once the workload ended with exit code 0.",
            Condition::Failed => "Holds once the workload ended with another exit code than 0.",
        };
        return Some((value.span(), text.to_owned()));
    }
    None
}
