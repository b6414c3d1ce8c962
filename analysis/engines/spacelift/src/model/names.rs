//! Names that are declared and referred to, for the editor: of resources of Spacelift's, locals and variables.

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Symbol;
use rustc_hash::FxHashMap;

use super::module::{Decl, Module, Spot};
use super::world::World;
use crate::read::Target;
use crate::schema::Kind;

/// The kinds of names.
fn word(decl: &Decl<'_>) -> &'static str {
    match (decl.is_data(), Kind::of(decl.ty())) {
        (true, _) => "data source",
        (false, Kind::Stack) => "stack",
        (false, Kind::Dependency) => "stack dependency",
        (false, Kind::Reference) => "stack dependency reference",
        (false, Kind::Destructor) => "stack destructor",
        _ => "resource",
    }
}

/// The names of all modules.
pub(super) fn symbols(world: &World<'_>, place: &dyn Fn(Spot) -> Place) -> Vec<Symbol> {
    let mut found = Vec::new();
    for module in &world.modules {
        of_module(module, place, &mut found);
    }
    found
}

fn of_module(module: &Module<'_>, place: &dyn Fn(Spot) -> Place, found: &mut Vec<Symbol>) {
    let mut uses: FxHashMap<&Target, Vec<Place>> = FxHashMap::default();
    let all = module
        .resources
        .iter()
        .chain(&module.outputs)
        .chain(&module.calls)
        .map(|d| d.refs.as_slice());
    for refs in all {
        for (file, r) in refs {
            let at = place(Spot {
                file: *file,
                at: r.name,
            });
            uses.entry(&r.target).or_default().push(at);
        }
    }
    for (file, r) in &module.local_refs {
        let at = place(Spot {
            file: *file,
            at: r.name,
        });
        uses.entry(&r.target).or_default().push(at);
    }
    let mut push = |kind: &'static str, name: &str, target: &Target, definition: Place| {
        found.push(Symbol {
            kind,
            name: name.into(),
            definitions: vec![definition],
            references: uses.get(target).cloned().unwrap_or_default(),
            units: Vec::new(),
            renameable: true,
        });
    };
    for decl in module.resources.iter().filter(|d| d.facts.is_spacelift()) {
        let target = Target::Resource(decl.is_data(), decl.ty().into(), decl.name().into());
        push(word(decl), decl.name(), &target, place(decl.name_spot()));
    }
    let mut locals: Vec<_> = module.locals.values().collect();
    locals.sort_by_key(|a| a.name);
    for attr in locals {
        push(
            "local value",
            attr.name,
            &Target::Local(attr.name.into()),
            place(attr.name_spot()),
        );
    }
    let mut variables: Vec<_> = module.variables.iter().collect();
    variables.sort_by_key(|(name, _)| **name);
    for (name, decl) in variables {
        push(
            "variable",
            name,
            &Target::Variable((*name).into()),
            place(decl.name_spot()),
        );
    }
}
