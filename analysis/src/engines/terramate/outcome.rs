//! What people and editors are shown of a project: made when somebody asks for it.

use std::sync::Arc;

use super::load::Loaded;
use super::load::tree::{Tree, files};
use super::model::Model;
use super::model::refs::Meaning;
use super::model::symbols;
use super::relate::Related;
use super::relate::order::{self, Ordering};
use crate::diagnostic::{FileId, Place};
use crate::engines::{Cx, Dependency, Lazy, Link, Member, OrderOf, Symbol, Unit, UnitIx, Variant};
use crate::files::join_clean;
use crate::graph::GraphBuilder;

/// What Terramate's own editor functions look up.
pub(crate) struct State {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) model: Arc<Model>,
    pub(crate) related: Arc<Related>,
}

/// The units and their order, once somebody asks for them.
pub(crate) fn variants(engine: u8, model: &Arc<Model>, related: &Arc<Related>) -> Lazy<Vec<Variant>> {
    let (model, related) = (model.clone(), related.clone());
    Lazy::new(move || vec![variant(engine, &model, &related)])
}

/// Tags and ids, once somebody asks for them.
pub(crate) fn symbols(engine: u8, model: &Arc<Model>) -> Lazy<Vec<Symbol>> {
    let model = model.clone();
    Lazy::new(move || symbols::symbols(engine, &model))
}

fn variant(engine: u8, model: &Model, related: &Related) -> Variant {
    let place = |file: FileId, at: u32| Place::anchor(file, engine, at);
    let units = model.stacks.iter().map(|(_, node)| Unit {
        name: node.path.clone(),
        header: node
            .stack()
            .map_or_else(|| Place::file(node.file), |s| place(node.file, s.header)),
        name_place: None,
        tags: node.tags.clone(),
    });
    let mut dependencies = Vec::new();
    for ((index, node), entries) in model.stacks.iter().zip(&related.entries) {
        let unknown = node.stack().is_some_and(|s| s.gap);
        dependencies.extend(entries.iter().map(|entry| Dependency {
            unit: UnitIx(index),
            place: place(node.file, entry.at),
            attribute: entry.attribute.name(),
            text: entry.text.clone(),
            targets: entry.targets.clone(),
            unknown: unknown || (entry.targets.is_empty() && matches!(entry.meaning, Meaning::BadFilter(_))),
        }));
    }
    let (apply, delete) = orders(model, related);
    let is_rootless = model.loaded.is_rootless;
    Variant {
        environments: vec![None],
        units: units.collect(),
        dependencies,
        reasons: if is_rootless {
            Vec::new()
        } else {
            order::REASONS.map(str::to_owned).to_vec()
        },
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

fn orders(model: &Model, related: &Related) -> (OrderOf, OrderOf) {
    if model.loaded.is_rootless {
        let empty = || OrderOf {
            graph: Arc::new(GraphBuilder::new().build()),
            layers: None,
            sequence: None,
            guaranteed: false,
            because: Some("there is no project root".to_owned()),
        };
        return (empty(), empty());
    }
    let ordering = Ordering {
        stacks: &model.stacks,
        entries: &related.entries,
        first: &first_entries(related),
        selected: &related.selected,
    };
    let (mut apply, mut delete) = ordering.orders(related.cycle.is_some());
    // Orders rest on what is not known, where something is not.
    if let Some(why) = &model.unknown {
        for order in [&mut apply, &mut delete] {
            order.because.get_or_insert_with(|| why.clone());
            order.guaranteed = false;
        }
    }
    (apply, delete)
}

/// The number of each stack's first entry among all of the project.
fn first_entries(related: &Related) -> Vec<u32> {
    let mut count = 0u32;
    let entries = related.entries.iter();
    entries
        .map(|entries| {
            let first = count;
            count = count.saturating_add(u32::try_from(entries.len()).unwrap_or(u32::MAX));
            first
        })
        .collect()
}

/// The files of a project.
pub(crate) fn members(tree: &Tree) -> Vec<Member> {
    let mut members: Vec<Member> = Vec::new();
    for dir in &tree.dirs {
        for loaded in &dir.files {
            let why = if dir.parent.is_none() {
                "the configuration of the root".to_owned()
            } else {
                format!("the configuration of `{}`", dir.path)
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

/// The places that name files.
pub(crate) fn links(cx: &Cx<'_>, tree: &Tree) -> Vec<Link> {
    let mut links = Vec::new();
    for dir in &tree.dirs {
        for (loaded, facts) in files(dir) {
            for import in &facts.shape.imports {
                let Some(source) = import.source.known() else {
                    continue;
                };
                if source.value.contains(['*', '?', '[']) {
                    continue;
                }
                let base = if source.value.starts_with('/') {
                    &tree.root
                } else {
                    &dir.host
                };
                links.push(Link {
                    place: cx.place(loaded.file, source.at),
                    target: join_clean(base, &source.value),
                });
            }
        }
    }
    links
}
