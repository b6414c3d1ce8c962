//! Names that are declared and referred to, for the editor: of stacks and of what orders them. Variables, local values
//! and outputs are left to the servers for Terraform, which answer on every one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::{EngineIx, FileId, Place};
use applyorder_core::engine::Symbol;

use super::Project;
use crate::read::{At, BlockKind, Target, TfFacts};
use crate::schema::Kind;

/// The kind of a name; `None` for one that orders nothing.
fn kind(is_data: bool, ty: &str) -> Option<&'static str> {
    match (is_data, Kind::of(ty)) {
        (true, Kind::Stack) => Some("data source"),
        (false, Kind::Stack) => Some("stack"),
        (false, Kind::Dependency) => Some("stack dependency"),
        (false, Kind::Reference) => Some("stack dependency reference"),
        (false, Kind::Destructor) => Some("stack destructor"),
        _ => None,
    }
}

/// A name of a module: its kind, where it is declared, by each block of it, and where it is referred to.
struct Name {
    kind: &'static str,
    definitions: Vec<Place>,
    references: Vec<Place>,
}

/// By whether it is a data source, type and name.
type Names = BTreeMap<(bool, Arc<str>, Arc<str>), Name>;

/// The names of all modules. They are looked for in the texts: what is overridden is a place of the name as well.
pub(crate) fn symbols(project: &Project, engine: EngineIx) -> Vec<Symbol> {
    let place = |file: FileId, at: At| Place::anchor(file, engine, at);
    let mut found = Vec::new();
    for module in &project.modules {
        let files = module.iter().filter_map(|file| project.files.get(*file));
        let files: Vec<(FileId, &TfFacts)> = files.map(|(file, facts)| (*file, &**facts)).collect();
        let names = of_module(&files, &place).into_iter();
        found.extend(names.map(|((_, _, word), name)| Symbol {
            kind: name.kind,
            name: word,
            definitions: name.definitions,
            references: name.references,
            units: Vec::new(),
            renameable: true,
        }));
    }
    found
}

fn of_module(module: &[(FileId, &TfFacts)], place: &dyn Fn(FileId, At) -> Place) -> Names {
    let mut names = Names::new();
    for (file, facts) in module {
        for block in &facts.blocks {
            let is_data = match block.kind {
                BlockKind::Resource => false,
                BlockKind::Data => true,
                _ => continue,
            };
            let is_whole = block.labels.len() == block.kind.labels();
            let (Some((word, at)), Some(kind)) = (
                block.labels.last().filter(|_| is_whole),
                kind(is_data, block.label(0)),
            ) else {
                continue;
            };
            let name = names.entry((is_data, block.label(0).into(), word.clone()));
            let name = name.or_insert_with(|| Name {
                kind,
                definitions: Vec::new(),
                references: Vec::new(),
            });
            name.definitions.push(place(*file, *at));
        }
    }
    for (file, facts) in module {
        for r in facts.blocks.iter().flat_map(|block| &block.refs) {
            let Target::Resource(is_data, ty, word) = &r.target else {
                continue;
            };
            if let Some(name) = names.get_mut(&(*is_data, ty.clone(), word.clone())) {
                name.references.push(place(*file, r.name));
            }
        }
    }
    names
}
