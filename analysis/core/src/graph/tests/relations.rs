//! Relations of groups against trying each pair.

use super::*;

/// A group relation as the naive version sees it: owner, group, side.
type Rule = (usize, usize, bool);

fn relation(rule: &Rule, number: usize) -> Relation {
    Relation {
        owner: node(rule.0),
        group: rule.1 as u32,
        side: if rule.2 {
            Side::OwnerWaits
        } else {
            Side::GroupWaits
        },
        kind: EdgeKind::Implicit {
            reason: number as u32,
        },
        weight: 0,
    }
}

/// The pairs of a relation in order.
fn pairs(rule: &Rule, groups: &[Vec<usize>]) -> Vec<(usize, usize)> {
    groups[rule.1]
        .iter()
        .map(|member| {
            if rule.2 {
                (rule.0, *member)
            } else {
                (*member, rule.0)
            }
        })
        .collect()
}

fn waits(edges: &[(usize, usize)], from: usize, to: usize) -> bool {
    let mut open = vec![from];
    let mut seen = vec![from];
    while let Some(at) = open.pop() {
        for (_, next) in edges.iter().filter(|e| e.0 == at) {
            if *next == to {
                return true;
            }
            if !seen.contains(next) {
                seen.push(*next);
                open.push(*next);
            }
        }
    }
    false
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// kapp, "Building the graph": the optional pass, pair by pair.
    #[test]
    fn optional_relations_give_what_trying_each_pair_gives(
        n in 2usize..9,
        groups in prop::collection::vec(prop::collection::btree_set(0usize..9, 0..7), 1..5),
        required in prop::collection::vec((0usize..9, 0usize..5, any::<bool>()), 0..3),
        optional in prop::collection::vec((0usize..9, 0usize..5, any::<bool>(), any::<bool>()), 0..14),
    ) {
        let groups: Vec<Vec<usize>> =
            groups.into_iter().map(|g| g.into_iter().filter(|m| *m < n).collect()).collect();
        let fit = |rule: &Rule| (rule.0 % n, rule.1 % groups.len(), rule.2);
        let mut builder = GraphBuilder::new();
        for unit in 0..n {
            builder.unit(unit as u32);
        }
        let member = |m: &usize| Member { node: node(*m), kind: EdgeKind::Implicit { reason: 0 } };
        let members = groups.iter().map(|g| g.iter().map(member).collect()).collect();
        let mut relations = Relations::new(builder, members);
        let mut naive: Vec<(usize, usize)> = Vec::new();
        for (number, rule) in required.iter().map(fit).enumerate() {
            // Both versions stop at a cycle among required edges: leave out the rule that closes one.
            let new = pairs(&rule, &groups);
            let mut with = naive.clone();
            with.extend(&new);
            if (0..n).any(|v| waits(&with, v, v)) {
                continue;
            }
            naive = with;
            relations.require(&relation(&rule, number));
        }
        prop_assert!(relations.graph().layers().is_some());
        let mut batch: Vec<Relation> = Vec::new();
        let mut dropped = Vec::new();
        let mut naive_dropped = Vec::new();
        for (number, (owner, group, side, ends_batch)) in optional.iter().enumerate() {
            let rule = fit(&(*owner, *group, *side));
            batch.push(relation(&rule, number));
            for (from, to) in pairs(&rule, &groups) {
                if from == to || naive.contains(&(from, to)) {
                    continue;
                }
                if waits(&naive, to, from) {
                    naive_dropped.push((from, to));
                } else {
                    naive.push((from, to));
                }
            }
            if *ends_batch || number + 1 == optional.len() {
                let mut budget = PLENTY;
                relations.add_optional(&batch, &mut budget, |d| dropped.push((d.from.index(), d.to.index()))).unwrap();
                batch.clear();
            }
        }
        prop_assert_eq!(dropped, naive_dropped);
        let graph = relations.finish();
        let mut expand = Expand::new(&graph, Direction::Dependencies);
        for from in 0..n {
            let mut found: Vec<usize> = expand.of(node(from)).iter().map(|p| p.node.index()).collect();
            found.sort_unstable();
            let mut want: Vec<usize> = naive.iter().filter(|e| e.0 == from).map(|e| e.1).collect();
            want.sort_unstable();
            want.dedup();
            prop_assert_eq!(found, want);
        }
        prop_assert!(graph.layers().is_some());
    }
}
