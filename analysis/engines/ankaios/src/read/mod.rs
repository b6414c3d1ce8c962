//! The facts of one file: a manifest, and every fault in it, as data.
//!
//! The server reads a startup manifest with serde straight from the text's events, `ank apply` reads a generic
//! value, checks it against a schema and converts it field by field. Both are modeled here in one pass, each
//! fault in the order in which the server would find it.

mod access;
mod configs;
pub(crate) mod fields;
mod filters;
mod keys;
mod manifest;
mod reader;
mod state;
pub(crate) mod template;
mod top;
mod workload;

use std::any::Any;
use std::sync::{Arc, OnceLock};

use applyorder_core::engine::{Facts, FactsInput, OutlineItem};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{self, Libyaml, Tree};

pub use manifest::Condition;
pub(crate) use manifest::{
    AccessFault, DocumentKind, Fault, FaultKind, Field, FileEntry, Item, Known, Manifest, NameFault, Restart,
    Said, Version, Workload,
};
pub(crate) use state::{Instance, Phase, State};
pub(crate) use workload::TAGGED;

/// The facts of one file.
#[derive(Debug)]
pub struct AnkaiosFacts {
    pub(crate) manifest: Manifest,
    /// Its content about a cluster, if it is the output of `ank get state`.
    state: Option<Box<State>>,
    places: Box<[Span]>,
    text: Arc<str>,
    /// A file that is edited once will be edited again; for all others the tree is parsed on demand.
    tree: OnceLock<Tree>,
}

/// Reads a text.
pub(crate) fn read(input: &FactsInput<'_>) -> AnkaiosFacts {
    let previous = input
        .previous
        .and_then(|p| p.as_any().downcast_ref::<AnkaiosFacts>());
    let tree = match previous.and_then(|previous| previous.tree.get()) {
        Some(before) => before.reparse(input.text.clone()),
        None => yaml::parse_as(input.text.clone(), Libyaml::New),
    };
    let (manifest, places) = top::manifest(&tree);
    let is_state = manifest.kind == DocumentKind::State;
    AnkaiosFacts {
        state: is_state.then(|| state::read(&tree)).flatten().map(Box::new),
        manifest,
        places: places.into(),
        text: input.text.clone(),
        tree: if previous.is_some() {
            tree.into()
        } else {
            OnceLock::new()
        },
    }
}

impl AnkaiosFacts {
    /// The tree, for editor requests at a cursor.
    pub(crate) fn tree(&self) -> &Tree {
        self.tree
            .get_or_init(|| yaml::parse_as(self.text.clone(), Libyaml::New))
    }

    /// The size of its text in bytes.
    pub(crate) fn size(&self) -> usize {
        self.text.len()
    }

    /// Its content about a cluster.
    pub(crate) fn state(&self) -> Option<&State> {
        self.state.as_deref()
    }

    /// Workloads and configs as an outline.
    pub(crate) fn outline(&self) -> Vec<OutlineItem> {
        let Some(root) = self.tree().first_document().and_then(|d| d.root()) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        for (top, unit) in [("workloads", true), ("configs", false)] {
            let Some(all) = root.get(top).and_then(|n| n.resolve()) else {
                continue;
            };
            for entry in all.entries().filter(|e| e.key.is_scalar()) {
                let detail = if unit {
                    let agent = entry.value.resolve().and_then(|w| w.get("agent"));
                    agent.map(|a| a.value().into_owned()).filter(|a| !a.is_empty())
                } else {
                    Some("config".to_owned())
                };
                out.push(OutlineItem {
                    name: entry.key.value().into_owned(),
                    detail,
                    span: entry.span(),
                    selection: entry.key.span(),
                    unit,
                    children: Vec::new(),
                });
            }
        }
        out
    }
}

impl Facts for AnkaiosFacts {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        let other = other.as_any().downcast_ref::<Self>();
        other.is_some_and(|o| self.manifest == o.manifest && self.state == o.state)
    }

    fn span(&self, index: u32) -> Option<Span> {
        self.places.get(index as usize).copied()
    }

    fn discovery_key(&self) -> u64 {
        match self.manifest.kind {
            DocumentKind::Manifest if self.manifest.has_what_manifests_have() => 0,
            DocumentKind::Manifest => 1,
            DocumentKind::State => 2,
            DocumentKind::Foreign => 3,
        }
    }

    fn load_key(&self) -> Option<u64> {
        Some(0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
