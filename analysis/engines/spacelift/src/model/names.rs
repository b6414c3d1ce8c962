//! Names that are declared and referred to, for the editor: of resources of Spacelift's, locals and variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::{EngineIx, FileId, Place};
use applyorder_core::engine::Symbol;

use super::Project;
use crate::read::{At, BlockKind, Target, TfFacts};
use crate::schema::Kind;

/// The kinds of names.
fn kind(is_data: bool, ty: &str) -> &'static str {
    match (is_data, Kind::of(ty)) {
        (true, _) => "data source",
        (false, Kind::Stack) => "stack",
        (false, Kind::Dependency) => "stack dependency",
        (false, Kind::Reference) => "stack dependency reference",
        (false, Kind::Destructor) => "stack destructor",
        _ => "resource",
    }
}

/// Where one name of a module is declared, by each block of it, and where it is referred to.
#[derive(Default)]
struct Name {
    definitions: Vec<Place>,
    references: Vec<Place>,
}

type Names = BTreeMap<Target, Name>;

/// The names of all modules. They are looked for in the texts: what is overridden is a place of the name as well.
pub(crate) fn symbols(project: &Project, engine: EngineIx) -> Vec<Symbol> {
    let place = |file: FileId, at: At| Place::anchor(file, engine, at);
    let files = |module: &[usize]| -> Vec<(FileId, &TfFacts)> {
        let files = module.iter().filter_map(|file| project.files.get(*file));
        files.map(|(file, facts)| (*file, &**facts)).collect()
    };
    let modules: Vec<Vec<(FileId, &TfFacts)>> = project.modules.iter().map(|m| files(m)).collect();
    let mut all: Vec<Names> = modules.iter().map(|module| of_module(module, &place)).collect();
    for ((module, loaded), number) in modules.iter().zip(&project.loaded.modules).zip(0usize..) {
        let calls = || {
            let blocks = module
                .iter()
                .flat_map(|(file, facts)| facts.blocks.iter().map(move |block| (*file, block)));
            blocks.filter(|(_, block)| block.kind == BlockKind::Module)
        };
        // What overrides a call need not say where it leads.
        let mut sources: BTreeMap<&str, &str> = BTreeMap::new();
        for (_, call) in calls() {
            if let Some(source) = call.source.as_deref() {
                sources.entry(call.label(0)).or_insert(source);
            }
        }
        for (file, call) in calls() {
            let target = sources.get(call.label(0)).and_then(|s| loaded.calls.get(*s));
            let Some(names) = target.filter(|t| **t != number).and_then(|t| all.get_mut(*t)) else {
                continue;
            };
            // A call names the variables that it sets.
            for attribute in &call.attributes {
                if let Some(name) = names.get_mut(&Target::Variable(attribute.name.clone())) {
                    name.references.push(place(file, attribute.name_at));
                }
            }
        }
    }
    if let Some(names) = all.first_mut() {
        given(project, names, &place);
    }
    let mut found = Vec::new();
    for (target, name) in all.into_iter().flatten() {
        let (kind, word): (&'static str, Arc<str>) = match target {
            Target::Resource(is_data, ty, word) => (kind(is_data, &ty), word),
            Target::Local(word) => ("local value", word),
            Target::Variable(word) => ("variable", word),
            Target::Module(..) => continue,
        };
        found.push(Symbol {
            kind,
            name: word,
            definitions: name.definitions,
            references: name.references,
            units: Vec::new(),
            renameable: true,
        });
    }
    found
}

/// The places in files of values that set the root's variables.
fn given(project: &Project, names: &mut Names, place: &dyn Fn(FileId, At) -> Place) {
    for (file, facts) in &project.given {
        for attribute in facts.tree.body().attributes() {
            if let Some(name) = names.get_mut(&Target::Variable(attribute.name().into())) {
                name.references
                    .push(place(*file, facts.at(attribute.name_span())));
            }
        }
    }
}

fn of_module(module: &[(FileId, &TfFacts)], place: &dyn Fn(FileId, At) -> Place) -> Names {
    let mut names = Names::new();
    for (file, facts) in module {
        let mut declare = |target: Target, at: At| {
            let name = names.entry(target).or_default();
            name.definitions.push(place(*file, at));
        };
        for block in &facts.blocks {
            let label = || {
                block
                    .labels
                    .last()
                    .filter(|_| block.labels.len() == block.kind.labels())
            };
            match (block.kind, label()) {
                (BlockKind::Resource | BlockKind::Data, Some((name, at))) if block.is_spacelift() => {
                    let is_data = block.kind == BlockKind::Data;
                    declare(
                        Target::Resource(is_data, block.label(0).into(), name.clone()),
                        *at,
                    );
                }
                (BlockKind::Variable, Some((name, at))) => declare(Target::Variable(name.clone()), *at),
                (BlockKind::Locals, _) => {
                    for attribute in &block.attributes {
                        declare(Target::Local(attribute.name.clone()), attribute.name_at);
                    }
                }
                _ => {}
            }
        }
    }
    for (file, facts) in module {
        for r in facts.blocks.iter().flat_map(|block| &block.refs) {
            if let Some(name) = names.get_mut(&r.target) {
                name.references.push(place(*file, r.name));
            }
        }
    }
    names
}
