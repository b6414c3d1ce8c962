//! The content of one manifest, independent of others: computed once, unless its shape changes.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Unit;
use applyorder_core::layer::{Fingerprint, Pass, Sym};

use super::Rendered;
use crate::read::{Condition, Manifest, Restart, Workload};
use applyorder_core::diagnostic::FileId;

/// See the module.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The workloads, in the order of the text.
    pub(crate) workloads: Box<[Stated]>,
    /// The names of its configs, in the order of the text.
    pub(crate) configs: Box<[(Sym, Arc<str>)]>,
    /// The names of the configs that its workloads use, each once.
    pub(crate) used: Box<[Sym]>,
    /// Whether it is unknown which configs a workload uses.
    pub(crate) hides_configs: bool,
}

/// A workload as it is written.
#[derive(Debug)]
pub(crate) struct Stated {
    pub(crate) name: Sym,
    pub(crate) unit: Unit,
    /// The text of its agent.
    pub(crate) agent: Option<Arc<str>>,
    /// Its agent, if that depends on no config.
    pub(crate) own_agent: Option<Rendered>,
    /// Whether `ank apply` drops its configs.
    pub(crate) loses_configs: bool,
    pub(crate) needs: Box<[Need]>,
    pub(crate) public: Public,
    pub(crate) uses_configs: bool,
    /// Whether it may wait for more than is known.
    pub(crate) is_open: bool,
    /// Fingerprint of the name and of what is public.
    pub(crate) seen: Fingerprint,
}

/// The data that findings about other workloads need of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Public {
    pub(crate) restart: Restart,
    pub(crate) restart_place: Option<u32>,
    /// Where its agent is written, or else its name.
    pub(crate) agent_place: u32,
}

/// A dependency as it is written.
#[derive(Debug)]
pub(crate) struct Need {
    pub(crate) name: Sym,
    pub(crate) text: Arc<str>,
    pub(crate) place: Place,
    pub(crate) condition: Option<Condition>,
}

impl Piece {
    pub(super) fn new(pass: &Pass<'_>, file: FileId, manifest: &Manifest) -> Self {
        let stated = |workload: &Workload| Stated::new(pass, file, workload, manifest.is_broken);
        let names = pass.cx.memo().names();
        let intern = |name: &str| names.find(name).unwrap_or_else(|| names.intern(&Arc::from(name)));
        let uses = manifest.workloads.iter().flat_map(|w| &w.configs);
        let mut used: Vec<Sym> = uses.map(|used| intern(&used.config.value)).collect();
        used.sort_unstable();
        used.dedup();
        let configs = manifest.configs.iter().map(|c| Arc::from(&*c.name.value));
        Self {
            workloads: manifest.workloads.iter().map(stated).collect(),
            configs: configs.map(|name| (names.intern(&name), name)).collect(),
            used: used.into(),
            hides_configs: manifest.workloads.iter().any(|w| w.unread.contains(&"configs")),
        }
    }
}

impl Stated {
    fn new(pass: &Pass<'_>, file: FileId, workload: &Workload, is_broken: bool) -> Self {
        let names = pass.cx.memo().names();
        let place = |index| pass.cx.place(file, index);
        let name: Arc<str> = (*workload.name.value).into();
        let needs = workload.dependencies.iter().map(|written| {
            let text: Arc<str> = (*written.name.value).into();
            Need {
                name: names.intern(&text),
                text,
                place: place(written.name.place),
                condition: written.condition,
            }
        });
        let public = Public {
            restart: workload.restart,
            restart_place: workload.restart_place,
            agent_place: workload
                .agent
                .as_ref()
                .map_or(workload.name.place, |a| a.text.place),
        };
        let agent: Option<Arc<str>> = workload.agent.as_ref().map(|agent| (*agent.text.value).into());
        let own_agent = match (&workload.agent, &agent) {
            (Some(written), _) if !workload.configs.is_empty() => {
                written.template.fixed().map(|text| Rendered::Text(text.into()))
            }
            (_, Some(text)) => Some(Rendered::Text(text.clone())),
            (_, None) => Some(Rendered::Unknown),
        };
        Self {
            public,
            own_agent,
            loses_configs: workload.loses("configs"),
            is_open: is_broken || workload.unread.contains(&"dependencies"),
            uses_configs: !workload.configs.is_empty(),
            seen: Fingerprint::of(&(&name, &public)),
            name: names.intern(&name),
            needs: needs.collect(),
            agent,
            unit: Unit {
                name,
                header: place(workload.name.place),
                name_place: Some(place(workload.name.place)),
                tags: workload.tags.iter().map(|t| Arc::from(&**t)).collect(),
            },
        }
    }
}
