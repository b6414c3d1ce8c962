//! The output of `ank get state -o yaml`: the desired state of a cluster, and the states of its workloads.

use applyorder_syntax::yaml::{Node, Tree};

use super::manifest::Manifest;
use super::top;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Its desired state, read like a manifest; faults in it are not reported.
    pub(crate) desired: Manifest,
    /// The instances of its workloads.
    pub(crate) instances: Vec<Instance>,
    /// The connected agents, if listed.
    pub(crate) agents: Option<Vec<Box<str>>>,
}

/// An instance of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Instance {
    pub(crate) agent: Box<str>,
    pub(crate) workload: Box<str>,
    pub(crate) phase: Phase,
}

/// The state of an instance, as far as it matters to updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// No agent has started it.
    Initial,
    /// It is running, or about to.
    Active,
    /// It waits for others to start, has ended, or is unknown.
    Idle,
}

impl Phase {
    fn new(state: &str, sub: Option<&str>) -> Self {
        let is = |text: &str, word: &str| {
            let letters = text.chars().filter(|c| *c != '_');
            letters.map(|c| c.to_ascii_lowercase()).eq(word.chars())
        };
        let is_sub = |word: &str| sub.is_some_and(|sub| is(sub, word));
        if is(state, "running") {
            Self::Active
        } else if !is(state, "pending") || is_sub("waitingtostart") {
            Self::Idle
        } else if is_sub("initial") {
            Self::Initial
        } else {
            Self::Active
        }
    }
}

pub(super) fn read(tree: &Tree) -> Option<State> {
    let root = tree.first_document()?.root()?;
    let agents = root.get("agents").and_then(|n| n.resolve());
    Some(State {
        desired: top::desired(tree, root.get("desiredState")?.resolve()?),
        instances: instances(root),
        agents: agents.map(|agents| agents.entries().map(|e| e.key.value().into()).collect()),
    })
}

/// `workloadStates`: by agent, name and ID.
fn instances(root: Node<'_>) -> Vec<Instance> {
    let mut out = Vec::new();
    let agents = root.get("workloadStates").and_then(|n| n.resolve());
    for agent in agents.iter().flat_map(Node::entries) {
        for workload in agent.value.resolve().iter().flat_map(Node::entries) {
            for instance in workload.value.resolve().iter().flat_map(Node::entries) {
                let says = |field: &str| instance.value.resolve().and_then(|n| n.get(field));
                out.extend(says("state").map(|state| Instance {
                    agent: agent.key.value().into(),
                    workload: workload.key.value().into(),
                    phase: Phase::new(&state.value(), says("subState").map(|sub| sub.value()).as_deref()),
                }));
            }
        }
    }
    out
}
