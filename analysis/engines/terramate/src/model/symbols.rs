//! Names that are not stacks: tags and ids.

use applyorder_core::engine::EngineIx;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Model;
use super::refs::Meaning;
use crate::read::Value;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Symbol, UnitIx};

/// The kind of tags among symbols.
pub(crate) const TAG: &str = "tag";

/// Every tag and every id of the project, with where it is declared and referred to.
pub(crate) fn symbols(engine: EngineIx, model: &Model) -> Vec<Symbol> {
    let stacks = &model.stacks;
    let at = |file: FileId, at: u32| Place::anchor(file, engine, at);
    let mut tags: BTreeMap<Arc<str>, Symbol> = BTreeMap::new();
    let mut ids: BTreeMap<String, Symbol> = BTreeMap::new();
    for (index, node) in stacks.iter() {
        let Some(stack) = node.stack() else { continue };
        for tag in stack.tags.entries.iter().filter(|t| !t.value.is_empty()) {
            let symbol = tags
                .entry(tag.value.clone())
                .or_insert_with(|| symbol(TAG, &tag.value));
            symbol.definitions.push(at(node.file, tag.at));
            symbol.units.push(UnitIx(index));
        }
        if let Value::Known(id) = &stack.id
            && !id.value.is_empty()
        {
            let symbol = ids
                .entry(id.value.to_ascii_lowercase())
                .or_insert_with(|| symbol("stack id", &id.value));
            symbol.definitions.push(at(node.file, id.at));
            symbol.units.push(UnitIx(index));
        }
    }
    for (_, node) in stacks.iter() {
        for entry in &node.written {
            let Meaning::Tags(filter, _) = &entry.meaning else {
                continue;
            };
            let list = node.stack().map(|s| entry.attribute.of(s));
            let mut parts = list
                .iter()
                .flat_map(|l| &l.tags)
                .filter(|t| t.entry == entry.at)
                .peekable();
            if parts.peek().is_some() {
                for part in parts {
                    if let Some(symbol) = tags.get_mut(&part.tag) {
                        symbol.references.push(at(node.file, part.at));
                    }
                }
                continue;
            }
            let place: Place = at(node.file, entry.at);
            let mut seen: Vec<&str> = Vec::new();
            for tag in filter.tags() {
                if seen.contains(&tag) {
                    continue;
                }
                seen.push(tag);
                if let Some(symbol) = tags.get_mut(tag) {
                    symbol.references.push(place);
                    // A computed filter has no place per tag.
                    symbol.renameable = false;
                }
            }
        }
    }
    for dir in &model.loaded.tree.dirs {
        for (loaded, facts) in model.sources.files(dir) {
            for input in &facts.shape.inputs {
                if let Some(symbol) = ids.get_mut(&input.from_stack_id.value.to_ascii_lowercase()) {
                    symbol.references.push(at(loaded.file, input.from_stack_id.at));
                }
            }
        }
    }
    tags.into_values().chain(ids.into_values()).collect()
}

fn symbol(kind: &'static str, name: &Arc<str>) -> Symbol {
    Symbol {
        kind,
        name: name.clone(),
        definitions: Vec::new(),
        references: Vec::new(),
        units: Vec::new(),
        dependencies: Vec::new(),
        renameable: true,
    }
}
