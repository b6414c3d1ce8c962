//! The output of `ank get state -o yaml`: what a cluster wants, and what its workloads do.

use applyorder_syntax::yaml::{Node, Tree};

use super::manifest::Manifest;
use super::top;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    /// Its desired state, read like a manifest; nothing is said of faults in it.
    pub(crate) desired: Manifest,
    /// Names of workloads, and the state of each instance.
    pub(crate) states: Vec<(Box<str>, Box<str>)>,
}

pub(super) fn read(tree: &Tree) -> Option<State> {
    let root = tree.first_document()?.root()?;
    Some(State {
        desired: top::desired(tree, root.get("desiredState")?.resolve()?),
        states: states(root),
    })
}

/// `workloadStates`: by agent, name and id.
fn states(root: Node<'_>) -> Vec<(Box<str>, Box<str>)> {
    let mut out = Vec::new();
    let agents = root.get("workloadStates").and_then(|n| n.resolve());
    for agent in agents.iter().flat_map(Node::entries) {
        for workload in agent.value.resolve().iter().flat_map(Node::entries) {
            for instance in workload.value.resolve().iter().flat_map(Node::entries) {
                let state = instance.value.resolve().and_then(|n| n.get("state"));
                out.extend(state.map(|s| (workload.key.value().into(), s.value().into())));
            }
        }
    }
    out
}
