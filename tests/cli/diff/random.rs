//! Random projects, compared with a naive implementation.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::Value;

use super::{json, pairs, repository, tazuna, unit};
use crate::selection::commit;

/// Which unit waits for which, by index.
type Edges = BTreeSet<(usize, usize)>;

fn random_tree(edges: &Edges, units: usize) -> String {
    let mut text = tazuna(&[("zero", ""), ("one", "zero")]);
    for n in 0..units {
        let on: Vec<String> = edges
            .iter()
            .filter(|(from, _)| *from == n)
            .map(|(_, to)| format!("u{to}"))
            .collect();
        text += &unit(&format!("u{n}"), &on.join(", "));
    }
    text
}

/// Pairs that wait in one graph and are ordered by no path in the other.
fn naive(one: &Edges, other: &Edges, units: usize) -> BTreeSet<String> {
    let mut reach = vec![vec![false; units]; units];
    for (from, to) in other {
        reach[*from][*to] = true;
    }
    for via in 0..units {
        for from in 0..units {
            for to in 0..units {
                reach[from][to] |= reach[from][via] && reach[via][to];
            }
        }
    }
    let lost = one.iter().filter(|(from, to)| from != to && !reach[*from][*to]);
    lost.map(|(from, to)| format!("u{from} u{to}")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn random_projects_differ_as_a_naive_look_says(
        one in prop::collection::btree_set((0usize..7, 0usize..7), 0..14),
        other in prop::collection::btree_set((0usize..7, 0usize..7), 0..14),
    ) {
        let Some(tree) = repository(&[("tazuna.yaml", &random_tree(&one, 7))]) else { return Ok(()) };
        tree.write("tazuna.yaml", random_tree(&other, 7));
        prop_assert!(one == other || commit(&tree, "two"));
        let (before, after) = if one == other { ("HEAD", "HEAD") } else { ("HEAD~1", "HEAD") };
        let there = json(&tree, &[&format!("{before}..{after}")]);
        let back = json(&tree, &[&format!("{after}..{before}")]);
        let set = |document: &Value, list| pairs(document, list).into_iter().collect::<BTreeSet<_>>();
        prop_assert_eq!(set(&there, "lost"), naive(&one, &other, 7));
        prop_assert_eq!(set(&there, "gained"), naive(&other, &one, 7));
        for (list, mirrored) in [("lost", "gained"), ("gained", "lost")] {
            prop_assert_eq!(set(&there, list), set(&back, mirrored));
        }
        let run = |document: &Value, list: &str| document["projects"][0]["runs"][0][list].clone();
        let count = |value: Value| value.as_array().unwrap().len();
        prop_assert_eq!(count(run(&there, "cycles")), count(run(&back, "cycles_gone")));
        prop_assert_eq!(count(run(&there, "moved")), count(run(&back, "moved")));
        prop_assert_eq!(run(&there, "before"), run(&back, "after"));
        let own = json(&tree, &["HEAD..HEAD"]);
        prop_assert_eq!(&own["changed"], &Value::Bool(false));
    }
}
