//! Times of the order graph's algorithms: `cargo bench -p applyorder-analysis --bench graph`.
//!
//! The graph of 10,000 units and 30,000 edges is the size at which a changed dependency must be answered within
//! a keystroke; a group related to itself is the worst case of optional relations.
#![allow(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use applyorder_core::graph::{
    BUDGET, EdgeKind, GraphBuilder, Member, NodeId, OrderGraph, Relation, Relations, Side,
};

const UNITS: u32 = 10_000;
const EDGES: u32 = 30_000;

fn main() {
    println!("{UNITS} units, {EDGES} edges");
    time("build", 50, build);
    let graph = build();
    time("layers", 50, || graph.layers());
    time("components", 50, || graph.components());
    time("build + layers + components", 50, || {
        let graph = build();
        (graph.layers(), graph.components())
    });
    let components = graph.components();
    time("redundant edges", 10, || {
        graph.redundant(&components, BUDGET, |_| true, |_| true)
    });
    let cyclic = cyclic();
    let components = cyclic.components();
    time("one cycle per component", 10, || {
        cyclic.cycles(&components, BUDGET, |_| true)
    });
    println!("1,000 members, three optional relations of the group to itself");
    time("optional relations", 3, || overlapping(1000));
    let graph = overlapping(1000);
    time("layers", 3, || graph.layers());
    time("pairs", 3, || graph.pair_count());
}

fn time<T>(name: &str, rounds: u32, work: impl Fn() -> T) {
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        black_box(work());
        best = best.min(start.elapsed());
    }
    println!("  {name:<30} {:>9.3} ms", best.as_secs_f64() * 1000.0);
}

fn numbers() -> impl FnMut(u32) -> u32 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        ((state >> 32) % u64::from(below.max(1))) as u32
    }
}

fn build() -> OrderGraph {
    let mut next = numbers();
    let mut builder = GraphBuilder::with_capacity(UNITS as usize, EDGES as usize);
    for unit in 0..UNITS {
        builder.unit(unit);
    }
    for dependency in 0..EDGES {
        let from = 1 + next(UNITS - 1);
        builder.explicit(NodeId(from), NodeId(next(from)), dependency);
    }
    builder.build()
}

fn cyclic() -> OrderGraph {
    let mut next = numbers();
    let mut builder = GraphBuilder::with_capacity(UNITS as usize, EDGES as usize);
    for unit in 0..UNITS {
        builder.unit(unit);
    }
    for dependency in 0..EDGES {
        builder.explicit(NodeId(next(UNITS)), NodeId(next(UNITS)), dependency);
    }
    builder.build()
}

fn overlapping(size: u32) -> OrderGraph {
    let kind = EdgeKind::Implicit { reason: 0 };
    let mut builder = GraphBuilder::new();
    let nodes: Vec<NodeId> = (0..size).map(|unit| builder.unit(unit)).collect();
    let orders = [nodes.clone(), nodes.iter().rev().copied().collect(), nodes];
    let groups = orders
        .iter()
        .map(|o| o.iter().map(|node| Member { node: *node, kind }).collect())
        .collect();
    let mut relations = Relations::new(builder, groups);
    let mut budget = u64::MAX;
    for (group, order) in (0..).zip(&orders) {
        let relation = |owner: &NodeId| Relation {
            owner: *owner,
            group,
            side: Side::OwnerWaits,
            kind,
            weight: 0,
        };
        let batch: Vec<Relation> = order.iter().map(relation).collect();
        if relations.add_optional(&batch, &mut budget, |_| ()).is_err() {
            println!("  the budget was too small");
        }
    }
    relations.finish()
}
