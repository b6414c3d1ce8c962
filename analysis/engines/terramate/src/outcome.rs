//! What users and editors are shown of a project, computed on demand.

use applyorder_core::engine::EngineIx;
use std::sync::Arc;

use super::load::tree::{Dir, Tree};
use super::model::Model;
use super::model::refs::Meaning;
use super::model::stacks::Node;
use super::model::symbols;
use super::read::{FileFacts, List, Marks};
use super::relate::Related;
use super::relate::order::Ordering;
use super::rules;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, Read, World};
use applyorder_core::engine::{Dependency, Lazy, Link, Member, Open, OrderOf, Symbol, Unit, UnitIx, Variant};
use applyorder_core::files::join_clean;
use applyorder_core::graph::GraphBuilder;
use applyorder_core::layer::{Outcome, Pass};
use applyorder_core::rules::redundant_dependency;
use applyorder_core::store::Shape;

/// What Terramate's own editor functions look up.
pub(crate) struct State {
    pub(crate) model: Arc<Model>,
    pub(crate) related: Arc<Related>,
}

/// The units and their order, computed on demand.
pub(crate) fn variants(engine: EngineIx, model: &Arc<Model>, related: &Arc<Related>) -> Lazy<Vec<Variant>> {
    let (model, related) = (model.clone(), related.clone());
    Lazy::new(move || vec![variant(engine, &model, &related)])
}

/// Tags and ids, computed on demand.
pub(crate) fn symbols(engine: EngineIx, model: &Arc<Model>) -> Lazy<Vec<Symbol>> {
    let model = model.clone();
    Lazy::new(move || symbols::symbols(engine, &model))
}

fn variant(engine: EngineIx, model: &Model, related: &Related) -> Variant {
    let place = |file: FileId, at: u32| Place::anchor(file, engine, at);
    let mut units = Vec::with_capacity(model.stacks.len());
    units.extend(model.stacks.iter().map(|(_, node)| {
        Unit {
            name: node.path.clone(),
            header: node
                .stack()
                .map_or_else(|| Place::file(node.file), |s| place(node.file, s.header)),
            name_place: None,
            tags: node.tags.clone(),
        }
    }));
    let mut dependencies = Vec::new();
    for (stack, node) in model.stacks.iter() {
        let unknown = node.stack().is_some_and(|s| s.gap);
        dependencies.extend(related.entries.of(stack).map(|entry| Dependency {
            unit: UnitIx(stack),
            place: place(node.file, entry.at),
            attribute: entry.attribute.name(),
            text: entry.text.clone(),
            targets: entry.targets.clone(),
            unknown: unknown || (entry.targets.is_empty() && matches!(entry.meaning, Meaning::BadFilter(_))),
        }));
    }
    dependencies.shrink_to_fit();
    let (apply, delete, reasons) = orders(model, related);
    let is_rootless = model.loaded.is_rootless;
    Variant {
        environments: vec![None],
        units,
        dependencies,
        reasons,
        conditions: Vec::new(),
        apply,
        delete,
        selected: related.is_limited().then(|| {
            let selected = (0u32..).zip(&related.selected);
            selected.filter(|(_, s)| **s).map(|(i, _)| UnitIx(i)).collect()
        }),
        properties: if is_rootless {
            Vec::new()
        } else {
            let command = model.command.as_deref().unwrap_or("run");
            vec![("command", command.to_owned())]
        },
        actions: Vec::new(),
    }
}

/// The lists that are not known as a whole.
fn open(model: &Model) -> Vec<Open> {
    let of_stack = |(ix, node): (u32, &Node)| {
        let stack = node.stack()?;
        // The lists may contain what is wrong in a stack.
        let is_open = |list: &List| stack.gap || list.unknown || (list.name.is_some() && stack.rejected);
        let after = is_open(&stack.after).then(|| Open::after(UnitIx(ix)));
        let before = is_open(&stack.before).then(|| Open::before(UnitIx(ix)));
        Some(after.into_iter().chain(before))
    };
    model.stacks.iter().filter_map(of_stack).flatten().collect()
}

fn orders(model: &Model, related: &Related) -> (OrderOf, OrderOf, Vec<String>) {
    if model.loaded.is_rootless {
        let empty = || OrderOf {
            graph: Arc::new(GraphBuilder::new().build()),
            layers: None,
            sequence: None,
            guaranteed: false,
            because: Some("missing project root".to_owned()),
            open: Vec::new(),
        };
        return (empty(), empty(), Vec::new());
    }
    let ordering = Ordering {
        stacks: &model.stacks,
        entries: &related.entries,
        selected: &related.selected,
    };
    let (mut apply, mut delete, reasons) = ordering.orders(related.cycle.is_some());
    apply.open = open(model);
    delete.open = apply.open.iter().map(|open| open.reversed()).collect();
    // Orders depend on the unknown values, if there are some.
    if let Some(why) = &model.unknowns.why {
        for order in [&mut apply, &mut delete] {
            order.because.get_or_insert_with(|| why.clone());
            order.guaranteed = false;
        }
    }
    (apply, delete, reasons)
}

/// The files of a project.
fn members(tree: &Tree) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::with_capacity(tree.files().count());
    for dir in &tree.dirs {
        for loaded in &dir.files {
            let why = if dir.parent.is_none() {
                "the configuration of the root".into()
            } else {
                format!("the configuration of `{}`", dir.path).into()
            };
            members.push(Member {
                file: loaded.file,
                why,
                via: None,
            });
        }
    }
    members
}

/// The imports of a file.
#[derive(PartialEq, Eq, Hash)]
struct LinksKey(World, FileId, Shape);

/// The places that name files.
fn links(cx: &Cx<'_>, model: &Model) -> Vec<Link> {
    let tree = &model.loaded.tree;
    let table = cx.memo().table::<LinksKey, Vec<Link>>();
    let importing = model.importing.iter();
    let mut links = Vec::with_capacity(model.importing.len());
    for dir in importing.filter_map(|dir| tree.dirs.get(*dir as usize)) {
        let own = model.sources.shaped(dir);
        for read in own.filter(|read| read.facts.marks.has(Marks::IMPORTS)) {
            let key = LinksKey(cx.world(), read.file, read.shape);
            let of_file = table.get(key, || links_of(cx.engine_index(), tree, dir, read));
            links.extend_from_slice(&of_file);
        }
    }
    links
}

fn links_of(engine: EngineIx, tree: &Tree, dir: &Dir, read: &Read<FileFacts>) -> Vec<Link> {
    let imports = read.facts.shape.imports.iter();
    let sources = imports.filter_map(|import| import.source.known());
    let plain = sources.filter(|source| !source.value.contains(['*', '?', '[']));
    let links = plain.map(|source| {
        let base = if source.value.starts_with('/') {
            &tree.root
        } else {
            &dir.host
        };
        Link {
            place: Place::anchor(read.file, engine, source.at),
            target: join_clean(base, &source.value).into(),
        }
    });
    links.collect()
}

/// The members of a project change only with the set of existing files.
#[derive(PartialEq, Eq, Hash)]
struct MembersKey(World);

/// What is needed of a project besides findings and verdicts.
pub(crate) fn outcome(pass: &Pass<'_>, model: &Arc<Model>, related: &Arc<Related>) -> Outcome {
    let (cx, engine) = (pass.cx, pass.cx.engine_index());
    let tree = &model.loaded.tree;
    let members: Arc<Arc<[Member]>> = cx.memo().get(MembersKey(cx.world()), || members(tree).into());
    let is_wanted = cx.is_wanted(&redundant_dependency::RULE);
    Outcome {
        members: (*members).clone(),
        variants: variants(engine, model, related),
        links: links(cx, model).into(),
        symbols: symbols(engine, model),
        unresolved: model.unknowns.why.iter().map(|why| (None, why.clone())).collect(),
        engine_version: model.loaded.version.clone(),
        state: Some(Arc::new(State {
            model: model.clone(),
            related: related.clone(),
        })),
        hints: is_wanted.then(|| rules::redundant_dependency::search(engine, model, related)),
    }
}
