//! Ankaios' search for cycles over the workloads of a cluster and those that an apply adds: roots are the
//! workloads that the apply adds or changes.
//!
//! Source: section 9 of the notes on Ankaios; an old cycle that was not detected stays until a request changes
//! something that the search reaches.

use std::sync::Arc;

use applyorder_core::engine::UnitIx;
use applyorder_core::graph::{GraphBuilder, NodeId};
use rustc_hash::FxHashMap;

use super::walk;
use crate::model::{Change, Model};

/// The result of an apply into a cluster.
#[derive(Debug)]
pub(crate) struct InCluster {
    /// The workload that the search names.
    pub(crate) reported: Option<Arc<str>>,
    /// Whether that depends on the result of templates that are not evaluated.
    pub(crate) is_open: bool,
    /// Cycles that contain workloads that only the cluster has: the names of each, sorted, and some workload of
    /// the files that is in it.
    pub(crate) cycles: Vec<(Vec<Arc<str>>, Option<UnitIx>)>,
    /// Whether the apply changes nothing: then there is no search.
    pub(crate) is_unchanged: bool,
}

/// A workload of the state after an apply.
struct Node<'a> {
    name: &'a str,
    unit: Option<UnitIx>,
    needs: Vec<&'a str>,
    change: Change,
}

pub(super) fn in_cluster(model: &Model) -> Option<InCluster> {
    let snapshot = model.snapshot.as_ref()?;
    let mut nodes: Vec<Node<'_>> = Vec::new();
    for (unit, stated) in model.stated_units() {
        let Some((_, workload)) = model.workload(unit) else {
            continue;
        };
        let all = workload.dependencies.iter();
        let kept = all.filter(|_| !workload.loses("dependencies"));
        nodes.push(Node {
            name: &stated.unit.name,
            unit: Some(unit),
            needs: kept.map(|d| &*d.name.value).collect(),
            change: model.change(unit),
        });
    }
    let behind = snapshot
        .workloads()
        .filter(|w| model.named(&w.name.value).is_none());
    nodes.extend(behind.map(|workload| Node {
        name: &workload.name.value,
        unit: None,
        needs: workload.dependencies.iter().map(|d| &*d.name.value).collect(),
        change: model.change_behind(workload),
    }));
    nodes.sort_by_key(|node| node.name);
    let numbers: FxHashMap<&str, u32> = (0u32..).zip(&nodes).map(|(n, node)| (node.name, n)).collect();
    let edges: Vec<Vec<u32>> = nodes
        .iter()
        .map(|node| {
            let mut own: Vec<u32> = node
                .needs
                .iter()
                .filter_map(|n| numbers.get(n).copied())
                .collect();
            own.sort_unstable();
            own.dedup();
            own
        })
        .collect();
    let is_root = |node: &Node<'_>, unknown: bool| {
        let changed = node.change.is_update() || unknown && node.change == Change::Unknown;
        changed && !node.needs.is_empty()
    };
    let walked = |unknown: bool| {
        let numbered = (0u32..).zip(&nodes);
        let roots = numbered
            .filter(|(_, node)| is_root(node, unknown))
            .map(|(n, _)| n);
        let needs = |node: u32| edges.get(node as usize).map_or(&[][..], Vec::as_slice);
        walk::reported(edges.len(), needs, roots)
    };
    let (reported, other) = (walked(false), walked(true));
    let name = |number: u32| nodes.get(number as usize).map(|node| Arc::<str>::from(node.name));
    Some(InCluster {
        is_open: reported != other && reported.is_some() != other.is_some(),
        reported: reported.and_then(name),
        cycles: cycles(&nodes, &edges),
        is_unchanged: nodes.iter().all(|node| node.change == Change::Same),
    })
}

fn cycles(nodes: &[Node<'_>], edges: &[Vec<u32>]) -> Vec<(Vec<Arc<str>>, Option<UnitIx>)> {
    let mut builder = GraphBuilder::with_capacity(nodes.len(), edges.iter().map(Vec::len).sum());
    for number in (0u32..).zip(nodes).map(|(n, _)| n) {
        builder.unit(number);
    }
    for (from, own) in (0u32..).zip(edges) {
        for to in own {
            builder.implicit(NodeId(from), NodeId(*to), 0);
        }
    }
    let components = builder.build().components();
    let cyclic = components.cyclic().iter().map(|c| components.members(*c));
    let of = |node: &NodeId| nodes.get(node.index());
    cyclic
        .filter(|members| members.iter().filter_map(of).any(|node| node.unit.is_none()))
        .map(|members| {
            let mut names: Vec<Arc<str>> = members.iter().filter_map(of).map(|n| n.name.into()).collect();
            names.sort_unstable();
            (names, members.iter().filter_map(of).find_map(|node| node.unit))
        })
        .collect()
}
