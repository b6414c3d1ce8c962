//! Ankaios' own search for cycles, which misses some.
//!
//! Source: the server's check of 1.0.1 and 1.1.0-pre, section 9 of the notes on Ankaios. It keeps a list of
//! nodes to visit and the path to the current one; a node that is in the list twice removes the entry of
//! another node from the path when its second copy is visited, and edges back to that one are no longer
//! detected. To name the node that Ankaios names, the same bug is reproduced here; the search itself is linear
//! whereas Ankaios' own is not.

/// The workload that Ankaios names as part of a cycle, if it detects one.
///
/// Nodes are numbered in byte order of their names; `needs` gives what each waits for, ascending, and `roots`,
/// from which it searches, are ascending as well. Names that no workload has are omitted: the server ignores
/// them.
pub(crate) fn reported<'a>(
    count: usize,
    needs: impl Fn(u32) -> &'a [u32],
    roots: impl IntoIterator<Item = u32>,
) -> Option<u32> {
    let mut visited = vec![false; count];
    let mut on_path = vec![false; count];
    let mut path: Vec<u32> = Vec::new();
    let mut stack: Vec<u32> = Vec::new();
    for root in roots {
        if is(&visited, root) {
            continue;
        }
        stack.push(root);
        while let Some(head) = stack.last().copied() {
            if is(&visited, head) {
                // Not always the entry of this node: this is Ankaios' bug.
                if let Some(last) = path.pop() {
                    set(&mut on_path, last, false);
                }
                stack.pop();
                continue;
            }
            set(&mut visited, head, true);
            set(&mut on_path, head, true);
            path.push(head);
            let own = needs(head);
            if let Some(met) = own.iter().find(|d| is(&on_path, **d)) {
                return Some(*met);
            }
            stack.extend(own.iter().filter(|d| !is(&visited, **d)));
        }
    }
    None
}

fn is(marks: &[bool], node: u32) -> bool {
    marks.get(node as usize).copied().unwrap_or(false)
}

fn set(marks: &mut [bool], node: u32, to: bool) {
    if let Some(mark) = marks.get_mut(node as usize) {
        *mark = to;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    fn reported(dependencies: &[Vec<u32>], roots: &[u32]) -> Option<u32> {
        let needs = |node: u32| dependencies[node as usize].as_slice();
        super::reported(dependencies.len(), needs, roots.iter().copied())
    }

    /// All nodes from which the server searches on an empty cluster.
    fn all(dependencies: &[Vec<u32>]) -> Vec<u32> {
        let numbered = (0u32..).zip(dependencies);
        numbered.filter(|(_, d)| !d.is_empty()).map(|(n, _)| n).collect()
    }

    /// The server's search, step by step.
    fn literal(dependencies: &[Vec<u32>], roots: &[u32]) -> Option<u32> {
        let mut visited: Vec<u32> = Vec::new();
        let mut path: Vec<u32> = Vec::new();
        let mut stack: Vec<u32> = Vec::new();
        for root in roots {
            if visited.contains(root) {
                continue;
            }
            stack.push(*root);
            while let Some(&head) = stack.last() {
                let Some(own) = dependencies.get(head as usize) else {
                    stack.pop();
                    continue;
                };
                if visited.contains(&head) {
                    path.pop();
                    stack.pop();
                } else {
                    visited.push(head);
                    path.push(head);
                }
                for d in own {
                    if path.contains(d) {
                        return Some(*d);
                    }
                }
                for d in own {
                    if !visited.contains(d) {
                        stack.push(*d);
                    }
                }
            }
        }
        None
    }

    fn graphs() -> impl Strategy<Value = Vec<Vec<u32>>> {
        (1usize..12).prop_flat_map(|n| {
            let one = prop::collection::btree_set(0..u32::try_from(n).unwrap_or(1), 0..n.min(5));
            prop::collection::vec(one.prop_map(|s| s.into_iter().collect()), n)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]
        #[test]
        fn the_linear_search_names_what_the_literal_one_names(graph in graphs(), some in any::<u32>()) {
            let roots = all(&graph);
            prop_assert_eq!(reported(&graph, &roots), literal(&graph, &roots), "{:?}", graph);
            // An update searches from what it changes.
            let roots: Vec<u32> = roots.into_iter().filter(|r| some >> r & 1 == 1).collect();
            prop_assert_eq!(reported(&graph, &roots), literal(&graph, &roots), "{:?} from {:?}", graph, roots);
        }
    }

    #[test]
    fn the_smallest_cycle_that_is_missed() {
        // a -> b, c, d; b -> a; d -> c: accepted. With c renamed to z it is rejected.
        let missed = [vec![1, 2, 3], vec![0], vec![], vec![2]];
        assert_eq!(reported(&missed, &all(&missed)), None);
        // A later change of b alone is detected.
        assert_eq!(reported(&missed, &[1]), Some(1));
        let renamed = [vec![1, 2, 3], vec![0], vec![3], vec![]];
        assert_eq!(reported(&renamed, &all(&renamed)), Some(0));
        assert_eq!(reported(&[vec![0]], &[0]), Some(0));
        assert_eq!(reported(&[vec![0]], &[]), None);
    }

    #[test]
    fn all_graphs_of_four_nodes_agree_and_four_are_missed() {
        let mut missed = 0;
        for bits in 0u32..1 << 16 {
            let graph: Vec<Vec<u32>> = (0..4)
                .map(|from| (0..4).filter(|to| bits >> (from * 4 + to) & 1 == 1).collect())
                .collect();
            let roots = all(&graph);
            let found = reported(&graph, &roots);
            assert_eq!(found, literal(&graph, &roots), "{graph:?}");
            if found.is_none() && is_cyclic(&graph) {
                missed += 1;
            }
        }
        assert_eq!(missed, 4);
    }

    fn is_cyclic(graph: &[Vec<u32>]) -> bool {
        let mut left: Vec<bool> = vec![true; graph.len()];
        loop {
            let free = (0..graph.len()).find(|n| left[*n] && graph[*n].iter().all(|d| !left[*d as usize]));
            match free {
                Some(node) => left[node] = false,
                None => return left.iter().any(|l| *l),
            }
        }
    }
}
