//! What a cluster has already.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::{AnkaiosFacts, Manifest, Workload};

/// See the module.
#[derive(Debug)]
pub(crate) struct Snapshot {
    facts: Arc<AnkaiosFacts>,
    workloads: FxHashMap<Arc<str>, u32>,
    configs: FxHashMap<Arc<str>, u32>,
    /// The workloads of which an instance holds back what it needs.
    running: FxHashSet<Arc<str>>,
}

/// States in which a workload holds back nothing that it needs.
const ENDED: [&str; 6] = [
    "SUCCEEDED",
    "FAILED",
    "STOPPING",
    "REMOVED",
    "NOT_SCHEDULED",
    "NOTSCHEDULED",
];

impl Snapshot {
    /// `None` where a file is not output of `ank get state`.
    pub(crate) fn new(facts: Arc<AnkaiosFacts>) -> Option<Self> {
        let state = facts.state()?;
        let name = |name: &str| Arc::<str>::from(name);
        let workloads: FxHashMap<_, _> = (0u32..)
            .zip(&state.desired.workloads)
            .map(|(n, w)| (name(&w.name.value), n))
            .collect();
        let configs = (0u32..)
            .zip(&state.desired.configs)
            .map(|(n, c)| (name(&c.name.value), n))
            .collect();
        let known: FxHashSet<&str> = state.states.iter().map(|(name, _)| &**name).collect();
        let holds = |state: &str| !ENDED.iter().any(|word| state.eq_ignore_ascii_case(word));
        let mut running: FxHashSet<Arc<str>> = state
            .states
            .iter()
            .filter(|(_, state)| holds(state))
            .map(|(n, _)| name(n))
            .collect();
        // A workload without a state may run.
        running.extend(workloads.keys().filter(|n| !known.contains(&***n)).cloned());
        Some(Self {
            workloads,
            configs,
            running,
            facts,
        })
    }

    /// Its desired state.
    pub(crate) fn desired(&self) -> Option<&Manifest> {
        Some(&self.facts.state()?.desired)
    }

    pub(crate) fn has_workload(&self, name: &str) -> bool {
        self.workloads.contains_key(name)
    }

    pub(crate) fn has_config(&self, name: &str) -> bool {
        self.configs.contains_key(name)
    }

    pub(crate) fn workload(&self, name: &str) -> Option<&Workload> {
        self.desired()?.workloads.get(*self.workloads.get(name)? as usize)
    }

    /// The item that a config is, with the manifest that has it.
    pub(crate) fn config(&self, name: &str) -> Option<(&Manifest, u32)> {
        let desired = self.desired()?;
        Some((
            desired,
            desired.configs.get(*self.configs.get(name)? as usize)?.item,
        ))
    }

    pub(crate) fn workloads(&self) -> impl Iterator<Item = &Workload> {
        self.desired().into_iter().flat_map(|d| &d.workloads)
    }

    /// Whether a workload is taken as pending or running, so that it holds back what it needs.
    pub(crate) fn runs(&self, name: &str) -> bool {
        self.running.contains(name)
    }
}
