//! Comparing two graphs, against looking at every pair.

use proptest::prelude::*;

use super::*;

/// Two graphs and which nodes of the first are nodes of the second.
fn two() -> impl Strategy<Value = (Small, Small, Vec<Option<NodeId>>)> {
    let kind = prop_oneof![
        5 => Just(NodeKind::Unit(0)),
        1 => Just(NodeKind::Join(0)),
        1 => Just(NodeKind::Outside(0)),
    ];
    let one = move |n: usize| {
        let edges = prop::collection::vec((0..n, 0..n), 0..n * 2);
        (prop::collection::vec(kind.clone(), n), edges).prop_map(|(kinds, edges)| Small {
            kinds,
            edges: edges
                .into_iter()
                .map(|(from, to)| (from, to, EdgeKind::Explicit { dependency: 0 }))
                .collect(),
        })
    };
    (2usize..9, 2usize..9).prop_flat_map(move |(n, m)| {
        // Neighbors in a shuffled row are the same unit.
        let same = (
            Just((0..m).collect::<Vec<_>>()).prop_shuffle(),
            prop::collection::vec(any::<bool>(), n),
        );
        (one(n), one(m), same).prop_map(move |(a, b, (row, kept))| {
            let there = (0..n).map(|node| {
                let other = *row.get(node)?;
                let units = a.kinds[node].unit().is_some() && b.kinds[other].unit().is_some();
                (units && (kept[node] || n < 4)).then(|| super::node(other))
            });
            let there = there.collect();
            (a, b, there)
        })
    })
}

/// Which pairs of nodes are connected by a path whose inner nodes are allowed by `inner`.
fn paths(graph: &Small, inner: impl Fn(usize) -> bool) -> Vec<Vec<bool>> {
    let n = graph.kinds.len();
    let mut joined = vec![vec![false; n]; n];
    for (from, to, _) in &graph.edges {
        joined[*from][*to] = true;
    }
    for via in (0..n).filter(|v| inner(*v)) {
        for from in 0..n {
            for to in 0..n {
                joined[from][to] |= joined[from][via] && joined[via][to];
            }
        }
    }
    joined
}

fn back(there: &[Option<NodeId>], n: usize) -> Vec<Option<NodeId>> {
    let mut back = vec![None; n];
    for (here, there) in there.iter().enumerate() {
        if let Some(there) = there {
            back[there.index()] = Some(node(here));
        }
    }
    back
}

/// Pairs of the first graph that wait for each other only over nodes that only it has, and do not wait at all
/// in the second.
fn lost(a: &Small, b: &Small, there: &[Option<NodeId>]) -> Vec<(usize, usize)> {
    let direct = paths(a, |node| there[node].is_none());
    let still = paths(b, |_| true);
    let units: Vec<usize> = (0..a.kinds.len()).filter(|n| there[*n].is_some()).collect();
    let pairs = units.iter().flat_map(|u| units.iter().map(|v| (*u, *v)));
    pairs
        .filter(|(u, v)| u != v && direct[*u][*v])
        .filter(|(u, v)| !still[there[*u].unwrap().index()][there[*v].unwrap().index()])
        .collect()
}

fn pairs(waits: &[Wait]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<_> = waits.iter().map(|w| (w.from.index(), w.to.index())).collect();
    pairs.sort_unstable();
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn two_graphs_differ_as_a_naive_look_says((a, b, there) in two()) {
        let (one, other) = (a.build(), b.build());
        let difference = one.difference(&other, &there, PLENTY);
        let turned = back(&there, b.kinds.len());
        prop_assert_eq!(pairs(&difference.lost), lost(&a, &b, &there));
        prop_assert_eq!(pairs(&difference.gained), lost(&b, &a, &turned));
        prop_assert_eq!(difference.uncompared, 0);
        for wait in &difference.lost {
            prop_assert_eq!(one.edge(wait.near).unwrap().from, wait.from);
            prop_assert_eq!(one.edge(wait.far).unwrap().to, wait.to);
        }
    }

    #[test]
    fn the_reverse_difference_is_the_mirror((a, b, there) in two()) {
        let (one, other) = (a.build(), b.build());
        let there_and = one.difference(&other, &there, PLENTY);
        let back = other.difference(&one, &back(&there, b.kinds.len()), PLENTY);
        prop_assert_eq!(pairs(&there_and.lost), pairs(&back.gained));
        prop_assert_eq!(pairs(&there_and.gained), pairs(&back.lost));
    }

    #[test]
    fn nothing_differs_from_itself((a, _, _) in two()) {
        let graph = a.build();
        let same: Vec<Option<NodeId>> = graph.nodes().map(Some).collect();
        prop_assert_eq!(graph.difference(&graph.clone(), &same, PLENTY), Difference::default());
    }

    #[test]
    fn many_questions_at_once_are_answered_as_one_by_one((a, _, _) in two(), few in any::<bool>()) {
        let graph = a.build();
        let n = a.kinds.len();
        let all = graph.nodes().flat_map(|u| graph.nodes().map(move |v| (u, v)));
        let asked: Vec<_> = all.filter(|(u, v)| u != v && (!few || v.0 == 1)).collect();
        let answers = graph.reaches_all(&graph.components(), &asked, &mut { PLENTY });
        let joined = paths(&a, |_| true);
        for ((u, v), answer) in asked.iter().zip(answers) {
            prop_assert_eq!(answer, Some(joined[u.index()][v.index()]), "{:?} of {}", (u, v), n);
        }
        let none = graph.reaches_all(&graph.components(), &asked, &mut 0);
        prop_assert!(none.iter().all(Option::is_none));
    }
}

#[test]
fn large_graphs_are_compared_within_their_budget() {
    let n = 20_000;
    let build = |step: usize| {
        let mut b = GraphBuilder::new();
        for unit in 0..n {
            b.unit(unit);
        }
        for unit in 1..n {
            b.explicit(NodeId(unit), NodeId(unit - 1), 0);
        }
        for unit in (2..n).step_by(step) {
            b.explicit(NodeId(unit), NodeId(unit / 2), 0);
        }
        b.build()
    };
    let (before, after) = (build(2), build(3));
    let same: Vec<Option<NodeId>> = before.nodes().map(Some).collect();
    // The chain orders everything: no other written edge is lost, and verifying that takes one path each.
    let difference = before.difference(&after, &same, COMPARE);
    assert_eq!(difference, Difference::default());
    let short = before.difference(&after, &same, 1_000_000);
    assert_eq!((short.lost.len(), short.gained.len()), (0, 0));
    assert!(short.uncompared > 0);
}
