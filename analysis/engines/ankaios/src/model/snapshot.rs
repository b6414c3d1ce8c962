//! What a cluster already contains.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::{AnkaiosFacts, Instance, Manifest, Phase, Workload};

/// See the module.
#[derive(Debug)]
pub(crate) struct Snapshot {
    facts: Arc<AnkaiosFacts>,
    workloads: FxHashMap<Arc<str>, u32>,
    configs: FxHashMap<Arc<str>, u32>,
    /// The workloads with an instance that blocks the removal of what it needs.
    running: FxHashSet<Arc<str>>,
    /// The workloads that were not sent to an agent yet.
    unsent: FxHashSet<Arc<str>>,
}

impl Snapshot {
    /// `None` if the file is not output of `ank get state`.
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
        let instances = || state.instances.iter();
        let known: FxHashSet<&str> = instances().map(|i| &*i.workload).collect();
        let holding = instances().filter(|i| i.phase != Phase::Idle);
        let mut running: FxHashSet<Arc<str>> = holding.map(|i| name(&i.workload)).collect();
        let is_sent = |i: &Instance| {
            let is_absent = |agents: &Vec<Box<str>>| !agents.contains(&i.agent);
            i.phase != Phase::Initial || !state.agents.as_ref().is_some_and(is_absent)
        };
        let sent: FxHashSet<&str> = instances().filter(|i| is_sent(i)).map(|i| &*i.workload).collect();
        let unsent = known.iter().filter(|name| !sent.contains(*name));
        let unsent = unsent.map(|n| name(n)).collect();
        // A workload without a state may be running.
        running.extend(workloads.keys().filter(|n| !known.contains(&***n)).cloned());
        Some(Self {
            workloads,
            configs,
            running,
            unsent,
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

    /// The item of a config, with the manifest that has it.
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

    /// Whether a workload is treated as pending or running, so that it blocks the removal of what it needs.
    pub(crate) fn runs(&self, name: &str) -> bool {
        self.running.contains(name)
    }

    /// Whether a workload was not sent to an agent yet: the server itself removes it.
    pub(crate) fn is_unsent(&self, name: &str) -> bool {
        self.unsent.contains(name)
    }
}
