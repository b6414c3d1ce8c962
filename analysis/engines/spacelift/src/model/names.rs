//! Names that are declared and referred to, for the editor: of stacks and of what orders them, and of calls that make
//! stacks; and the outputs and variables that references name, in what the stacks run. Other variables, local values and
//! outputs are left to the servers for Terraform, which answer on every one of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::{EngineIx, FileId, Place};
use applyorder_core::engine::{DependencyIx, Symbol, UnitIx};
use rustc_hash::FxHashMap;

use super::{Declared, Of, Project};
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
    /// The blocks.
    blocks: Vec<Place>,
    references: Vec<Place>,
}

/// By whether it is a data source, type and name.
type Names = BTreeMap<(bool, Arc<str>, Arc<str>), Name>;

/// The names of all modules. They are looked for in the texts: what is overridden is a place of the name as well.
/// `written` gives the dependencies of the model that the written ones are.
pub(crate) fn symbols(project: &Project, written: &[u32], engine: EngineIx) -> Vec<Symbol> {
    let edges = edges(project, written);
    let place = |file: FileId, at: At| Place::anchor(file, engine, at);
    let mut found = Vec::new();
    for module in &project.modules {
        let files = module.iter().filter_map(|file| project.files.get(*file));
        let files: Vec<(FileId, &TfFacts)> = files.map(|(file, facts)| (*file, &**facts)).collect();
        let names = of_module(&files, &place);
        let chained = chained(&files, &names, &place);
        let names = names.into_iter();
        found.extend(names.map(|((_, _, word), name)| {
            Symbol {
                kind: name.kind,
                name: word,
                dependencies: name
                    .blocks
                    .iter()
                    .flat_map(|block| edges.get(block).into_iter().flatten().copied())
                    .collect(),
                definitions: name.definitions,
                references: name.references,
                units: Vec::new(),
                renameable: true,
            }
        }));
        found.extend(chained);
    }
    found.extend(calls(project, &place));
    found.extend(carried(project));
    found
}

/// The prefix of a variable's name in the name of an environment variable.
pub(crate) const TF_VAR: &str = "TF_VAR_";

/// The kind of a symbol that is an output of what a stack runs.
pub(crate) const OUTPUT: &str = "output";
/// The kind of one that is a variable of what a stack runs.
pub(crate) const VARIABLE: &str = "variable";

/// The outputs and variables that references name, where the directory that declares them is in the repository. A name
/// in what several stacks run is as many symbols.
fn carried(project: &Project) -> Vec<Symbol> {
    // By the first place that declares it; what is declared in one directory is the same for all stacks that run it.
    let mut found: BTreeMap<(&'static str, Place), Symbol> = BTreeMap::new();
    let mut add = |kind, declared: &[Declared], name: &str, reference: Place| {
        let own = declared.iter().filter(|d| &*d.name.value == name);
        let definitions: Vec<Place> = own.map(|d| d.name.place).collect();
        let Some(first) = definitions.first() else { return };
        let symbol = found.entry((kind, *first)).or_insert_with(|| Symbol {
            kind,
            name: name.into(),
            definitions,
            references: Vec::new(),
            units: Vec::new(),
            dependencies: Vec::new(),
            renameable: false,
        });
        symbol.references.push(reference);
    };
    for reference in &project.references {
        let Of::Dependency(number) = reference.of else {
            continue;
        };
        let Some(dependency) = project.dependencies.get(number as usize) else {
            continue;
        };
        let upstream = dependency.upstream.stack().and_then(|s| project.outputs.get(&s));
        if let (Some(declared), Some(output)) = (upstream, &reference.output) {
            add(OUTPUT, declared, &output.value, output.place);
        }
        let downstream = dependency.stack.stack().filter(|s| project.reads_tf_vars(*s));
        let downstream = downstream.and_then(|s| project.inputs.get(&s));
        if let (Some(declared), Some(input)) = (downstream, &reference.input)
            && let Some(name) = input.value.strip_prefix(TF_VAR)
        {
            add(VARIABLE, declared, name, input.place);
        }
    }
    let mut found: Vec<Symbol> = found.into_values().collect();
    for symbol in &mut found {
        symbol.references.sort_unstable();
        symbol.references.dedup();
    }
    found
}

/// The names of calls by which there are stacks. Where a call is named the servers for Terraform answer.
fn calls(project: &Project, place: &dyn Fn(FileId, At) -> Place) -> Vec<Symbol> {
    let mut made: FxHashMap<Place, Vec<UnitIx>> = FxHashMap::default();
    for (unit, stack) in (0u32..).map(UnitIx).zip(&project.stacks) {
        for call in &stack.calls {
            made.entry(*call).or_default().push(unit);
        }
    }
    let mut found = Vec::new();
    for (file, facts) in &project.files {
        let calls = facts
            .blocks
            .iter()
            .filter(|block| block.kind == BlockKind::Module);
        for (word, at) in calls.filter_map(|call| call.labels.last()) {
            let name = place(*file, *at);
            if let Some(units) = made.remove(&name) {
                found.push(Symbol {
                    kind: "module",
                    name: word.clone(),
                    definitions: Vec::new(),
                    references: vec![name],
                    units,
                    dependencies: Vec::new(),
                    renameable: false,
                });
            }
        }
    }
    found
}

/// The written dependencies that each block declares or carries outputs for, by the block.
fn edges(project: &Project, written: &[u32]) -> FxHashMap<Place, Vec<DependencyIx>> {
    let mut found: FxHashMap<Place, Vec<DependencyIx>> = FxHashMap::default();
    let mut of_model: FxHashMap<u32, DependencyIx> = FxHashMap::default();
    for (ix, number) in (0u32..).map(DependencyIx).zip(written) {
        of_model.insert(*number, ix);
        if let Some(own) = project.dependencies.get(*number as usize) {
            found.entry(own.whole).or_default().push(ix);
        }
    }
    for reference in &project.references {
        if let Of::Dependency(number) = reference.of
            && let Some(ix) = of_model.get(&number)
        {
            found.entry(reference.whole).or_default().push(*ix);
        }
    }
    found
}

/// `each.value` where `for_each` takes the instances of a resource, which it means. Nothing of it is renamed.
fn chained(module: &[(FileId, &TfFacts)], names: &Names, place: &dyn Fn(FileId, At) -> Place) -> Vec<Symbol> {
    let mut found = Vec::new();
    for (file, facts) in module {
        for block in &facts.blocks {
            let Some(of) = block.chained.as_ref() else {
                continue;
            };
            let Some(name) = names.get(of) else { continue };
            let values = block.refs.iter().filter(|r| r.target == Target::EachValue);
            let references: Vec<Place> = values.map(|r| place(*file, r.name)).collect();
            if !references.is_empty() {
                found.push(Symbol {
                    kind: name.kind,
                    // A rename of the resource leaves it.
                    name: "each.value".into(),
                    definitions: name.definitions.clone(),
                    references,
                    units: Vec::new(),
                    dependencies: Vec::new(),
                    renameable: false,
                });
            }
        }
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
                blocks: Vec::new(),
                references: Vec::new(),
            });
            name.definitions.push(place(*file, *at));
            name.blocks.push(place(*file, block.whole));
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
