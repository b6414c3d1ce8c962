//! Graphs too large to recurse, and relations too many to write out.

use super::*;

/// Runs on a thread with a 2 MB stack, as servers do.
fn on_small_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new()
        .stack_size(2 << 20)
        .spawn(test)
        .unwrap()
        .join()
        .unwrap();
}

const LONG: u32 = if cfg!(debug_assertions) {
    200_000
} else {
    1_000_000
};

#[test]
fn a_long_chain_does_not_use_the_stack() {
    on_small_stack(|| {
        let mut b = GraphBuilder::new();
        let nodes: Vec<NodeId> = (0..=LONG).map(|i| b.unit(i)).collect();
        for (i, pair) in nodes.windows(2).enumerate() {
            b.explicit(pair[0], pair[1], i as u32);
        }
        let g = b.build();
        assert_eq!(g.layers().unwrap().len(), LONG as usize + 1);
        assert_eq!(g.critical_path().unwrap().len(), LONG as usize);
        let components = g.components();
        assert_eq!(components.len(), LONG as usize + 1);
        assert!(
            g.redundant(&components, BUDGET, |_| true, |_| true)
                .edges
                .is_empty()
        );
        assert_eq!(
            g.shortest_path(nodes[0], nodes[LONG as usize]).unwrap().len(),
            LONG as usize
        );
        assert_eq!(g.fifo_order(|v| v).sequence.len(), LONG as usize + 1);
    });
}

#[test]
fn a_long_cycle_does_not_use_the_stack() {
    on_small_stack(|| {
        let mut b = GraphBuilder::new();
        let nodes: Vec<NodeId> = (0..LONG).map(|i| b.unit(i)).collect();
        for (i, node) in nodes.iter().enumerate() {
            b.explicit(*node, nodes[(i + 1) % nodes.len()], i as u32);
        }
        let g = b.build();
        assert!(g.layers().is_none() && g.partial_layers().is_empty());
        let [cycle] = &g.cycles(&g.components(), BUDGET, |_| true)[..] else {
            panic!("one cycle")
        };
        assert_eq!(cycle.path.len(), LONG as usize);
        assert_eq!(cycle.cut.unwrap().left, 0);
    });
}

#[test]
fn many_owners_and_members_cost_their_sum() {
    let mut b = GraphBuilder::new();
    let nodes: Vec<NodeId> = (0..20_000).map(|i| b.unit(i)).collect();
    let (owners, members) = nodes.split_at(10_000);
    let kind = EdgeKind::Implicit { reason: 0 };
    let group = members.iter().map(|node| Member { node: *node, kind }).collect();
    let mut relations = Relations::new(b, vec![group]);
    let batch: Vec<Relation> = owners
        .iter()
        .map(|owner| Relation {
            owner: *owner,
            group: 0,
            side: Side::OwnerWaits,
            kind,
            weight: 0,
        })
        .collect();
    relations
        .add_optional(&batch, &mut 100_000, |_| panic!("nothing closes a cycle"))
        .unwrap();
    let g = relations.finish();
    assert_eq!(g.edges().len(), 20_000);
    let layers = g.layers().unwrap();
    assert_eq!((layers.layer(1), layers.layer(2)), (members, owners));
}

/// A group whose members wait for the group itself, three times: a million pairs each.
#[test]
fn a_group_related_to_itself_becomes_a_sequence_within_the_budget() {
    let size: u32 = if cfg!(debug_assertions) { 200 } else { 1000 };
    let mut b = GraphBuilder::new();
    let nodes: Vec<NodeId> = (0..size).map(|i| b.unit(i)).collect();
    let kind = EdgeKind::Implicit { reason: 0 };
    let orders: [Vec<NodeId>; 3] = [
        nodes.clone(),
        nodes.iter().rev().copied().collect(),
        nodes[size as usize / 3..].to_vec(),
    ];
    let groups = orders
        .iter()
        .map(|o| o.iter().map(|node| Member { node: *node, kind }).collect())
        .collect();
    let mut relations = Relations::new(b, groups);
    let mut budget = u64::from(size).pow(3);
    let mut dropped = 0u64;
    for (group, order) in orders.iter().enumerate() {
        let side = if group == 1 {
            Side::GroupWaits
        } else {
            Side::OwnerWaits
        };
        let batch: Vec<Relation> = order
            .iter()
            .map(|owner| Relation {
                owner: *owner,
                group: group as u32,
                side,
                kind,
                weight: 0,
            })
            .collect();
        relations
            .add_optional(&batch, &mut budget, |_| dropped += 1)
            .unwrap();
    }
    let g = relations.finish();
    let all = u64::from(size) * u64::from(size - 1) / 2;
    assert_eq!(g.layers().unwrap().len(), size as usize);
    assert_eq!(g.pair_count(), all);
    let third = u64::from(size - size / 3);
    assert_eq!(dropped, all + all + third * (third - 1) / 2);
    assert_eq!(relations_past_budget(), Err(Unresolved));
}

fn relations_past_budget() -> Result<(), Unresolved> {
    let mut b = GraphBuilder::new();
    let owner = b.unit(0);
    let kind = EdgeKind::Implicit { reason: 0 };
    let mut relations = Relations::new(b, vec![vec![Member { node: owner, kind }]]);
    let relation = Relation {
        owner,
        group: 0,
        side: Side::OwnerWaits,
        kind,
        weight: 0,
    };
    relations.add_optional(&[relation], &mut 0, |_| ())
}

/// 100 layers of 100 units, each of which waits for three of the layer below.
fn layered(back: &[(u32, u32)]) -> OrderGraph {
    let mut b = GraphBuilder::new();
    let units: Vec<NodeId> = (0..10_000).map(|unit| b.unit(unit)).collect();
    let mut dependency = 0;
    let mut edge = |from: u32, to: u32| {
        b.explicit(units[from as usize], units[to as usize], dependency);
        dependency += 1;
    };
    for from in 100..10_000 {
        let below = from / 100 * 100 - 100;
        for right in [0, 1, 37] {
            edge(from, below + (from + right) % 100);
        }
    }
    for (from, to) in back {
        edge(*from, *to);
    }
    b.build()
}

#[test]
fn one_dependency_too_many_is_found_in_a_few_walks() {
    for back in [
        &[(5, 9_905)][..],
        &[(5, 9_905), (6, 9_005)],
        &[(5, 9_905), (5_000, 5_500)],
    ] {
        let graph = layered(back);
        let found = graph.cycles(&graph.components(), 1_000_000, |_| true);
        let [cycle] = &found[..] else {
            panic!("one component")
        };
        assert!(cycle.shortest, "{back:?}");
        let cut = cycle.cut.unwrap();
        assert!(
            back.len() > 1 || cut.compared_all && cut.left == 0,
            "{back:?} {cut:?}"
        );
    }
}
