//! Names that are declared and referred to, for the editor: of resources of Spacelift's, locals and variables.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Symbol;

use super::module::{Module, Spot};
use super::world::World;
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
pub(super) fn symbols(world: &World<'_>, place: &dyn Fn(Spot) -> Place) -> Vec<Symbol> {
    let mut all: Vec<Names> = world.modules.iter().map(|m| of_module(world, m, place)).collect();
    for ((module, loaded), number) in world.modules.iter().zip(&world.loaded.modules).zip(0usize..) {
        for call in &module.calls {
            let target = call.facts.source.as_deref().and_then(|s| loaded.calls.get(s));
            let Some(names) = target.filter(|t| **t != number).and_then(|t| all.get_mut(*t)) else {
                continue;
            };
            // A call names the variables that it sets.
            for attr in &call.attrs {
                if let Some(name) = names.get_mut(&Target::Variable(attr.name.into())) {
                    name.references.push(place(attr.name_spot()));
                }
            }
        }
    }
    if let Some(names) = all.first_mut() {
        given(world, names);
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
fn given(world: &World<'_>, names: &mut Names) {
    for path in &world.inputs.files {
        let Ok(read) = world.cx.facts::<TfFacts>(path) else {
            continue;
        };
        for attribute in read.facts.tree.body().attributes() {
            if let Some(name) = names.get_mut(&Target::Variable(attribute.name().into())) {
                let at = read.facts.at(attribute.name_span());
                name.references.push(world.cx.place(read.file, at));
            }
        }
    }
}

fn of_module(world: &World<'_>, module: &Module<'_>, place: &dyn Fn(Spot) -> Place) -> Names {
    let mut names = Names::new();
    let sources = || {
        let numbers = module.files.iter();
        numbers.filter_map(|file| Some((*file, world.sources.get(*file)?)))
    };
    for (file, source) in sources() {
        let mut declare = |target: Target, at: At| {
            let name = names.entry(target).or_default();
            name.definitions.push(place(Spot { file, at }));
        };
        for block in &source.facts.blocks {
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
    for (file, source) in sources() {
        for r in source.facts.blocks.iter().flat_map(|block| &block.refs) {
            if let Some(name) = names.get_mut(&r.target) {
                name.references.push(place(Spot { file, at: r.name }));
            }
        }
    }
    names
}
