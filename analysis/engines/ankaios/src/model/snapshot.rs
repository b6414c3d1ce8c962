//! What a cluster has already: the output of `ank get state -o yaml`.

use std::sync::Arc;

use applyorder_syntax::yaml::Node;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::read::{AnkaiosFacts, Condition};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// The workloads it wants.
    pub(crate) workloads: FxHashMap<Arc<str>, Applied>,
    /// The configs it has.
    pub(crate) configs: FxHashSet<Arc<str>>,
}

/// A workload of a cluster.
#[derive(Debug, Default)]
pub(crate) struct Applied {
    pub(crate) dependencies: Vec<(Arc<str>, Option<Condition>)>,
    /// Its state, as `RUNNING`, where the snapshot has it.
    pub(crate) state: Option<Box<str>>,
}

impl Snapshot {
    pub(crate) fn read(facts: &AnkaiosFacts) -> Self {
        let mut out = Self::default();
        let Some(root) = facts.tree().first_document().and_then(|d| d.root()) else {
            return out;
        };
        let Some(desired) = root.get("desiredState").and_then(|n| n.resolve()) else {
            return out;
        };
        for entry in desired
            .get("workloads")
            .and_then(|n| n.resolve())
            .iter()
            .flat_map(Node::entries)
        {
            let mut applied = Applied::default();
            let dependencies = entry
                .value
                .resolve()
                .and_then(|w| w.get("dependencies"))
                .and_then(|n| n.resolve());
            for dependency in dependencies.iter().flat_map(Node::entries) {
                let condition = Condition::of(&dependency.value.value());
                applied
                    .dependencies
                    .push((dependency.key.value().into(), condition));
            }
            out.workloads.insert(entry.key.value().into(), applied);
        }
        for entry in desired
            .get("configs")
            .and_then(|n| n.resolve())
            .iter()
            .flat_map(Node::entries)
        {
            out.configs.insert(entry.key.value().into());
        }
        states(root, &mut out);
        out
    }
}

/// `workloadStates`: by agent, name and id.
fn states(root: Node<'_>, out: &mut Snapshot) {
    let agents = root.get("workloadStates").and_then(|n| n.resolve());
    for agent in agents.iter().flat_map(Node::entries) {
        for workload in agent.value.resolve().iter().flat_map(Node::entries) {
            for instance in workload.value.resolve().iter().flat_map(Node::entries) {
                let state = instance.value.resolve().and_then(|n| n.get("state"));
                if let (Some(state), Some(applied)) = (state, out.workloads.get_mut(&*workload.key.value())) {
                    applied.state = Some(state.value().into());
                }
            }
        }
    }
}

impl Applied {
    /// Whether it is taken as pending or running, so that it holds back what it needs.
    pub(crate) fn runs(&self) -> bool {
        let ended = |state: &str| {
            [
                "SUCCEEDED",
                "FAILED",
                "STOPPING",
                "REMOVED",
                "NOT_SCHEDULED",
                "NotScheduled",
                "Succeeded",
                "Failed",
            ]
            .iter()
            .any(|word| state.eq_ignore_ascii_case(word))
        };
        self.state.as_deref().is_none_or(|state| !ended(state))
    }
}
