//! Written edges that other edges already imply.

use super::order_graph::count;
use super::paths::Walk;
use super::{Components, Direction, Edge, EdgeId, NodeId, OrderGraph, Path};

/// A written edge without which its two ends are still ordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redundant {
    /// The edge.
    pub edge: EdgeId,
    /// A shortest path of other edges between its ends.
    pub path: Path,
}

/// What [`OrderGraph::redundant`] found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Redundancy {
    /// The redundant edges in edge order. All of them can be removed at once.
    pub edges: Vec<Redundant>,
    /// Whether the search was completed within the budget; if not, there may be more.
    pub searched: bool,
}

impl OrderGraph {
    /// The explicit edges that other edges imply, within `budget` steps.
    ///
    /// `judged` selects the explicit edges to check, `implies` the edges of any kind that can make another
    /// superfluous (an edge with a condition may not). An edge at a unit on a cycle is never redundant, nor one
    /// at a join. Of parallel edges the first written one is kept, or an implicit one.
    #[must_use]
    pub fn redundant(
        &self,
        components: &Components,
        budget: u64,
        judged: impl Fn(EdgeId) -> bool,
        implies: impl Fn(EdgeId) -> bool,
    ) -> Redundancy {
        let mut edges: Vec<Redundant> = Vec::new();
        let candidates = self.candidates(components, &judged, &implies, &mut edges);
        let condensed = Condensed::new(self, components, &implies);
        let mut reach = Reach::new(&condensed);
        let mut walk = Walk::new(self);
        let mut searched = true;
        for candidate in &candidates {
            if reach.cost + walk.cost > budget {
                searched = false;
                break;
            }
            if !reach.goes_around(&condensed, candidate) {
                continue;
            }
            let leads = |component: u32| reach.may_lead(component, candidate.target);
            let path = self.alternative_path(&mut walk, candidate.edge, |edge, node| {
                implies(edge) && components.of(node).is_some_and(leads)
            });
            edges.extend(path.map(|path| Redundant {
                edge: candidate.edge,
                path,
            }));
        }
        edges.sort_unstable_by_key(|redundant| redundant.edge);
        Redundancy { edges, searched }
    }

    /// The edges worth a search, sorted by target; edges that a parallel one implies go to `found`.
    fn candidates(
        &self,
        components: &Components,
        judged: &impl Fn(EdgeId) -> bool,
        implies: &impl Fn(EdgeId) -> bool,
        found: &mut Vec<Redundant>,
    ) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let mut stays: Vec<Option<EdgeId>> = vec![None; self.node_count()];
        for from in self
            .nodes()
            .filter(|node| self.is_shown_off_cycle(components, *node))
        {
            let links = self.links(from, Direction::Dependencies);
            let is_explicit = |edge: EdgeId| self.edge(edge).is_some_and(|e| e.kind.is_explicit());
            for link in links.clone().filter(|link| implies(link.edge)) {
                let kept = &mut stays[link.node.index()];
                if kept.is_none_or(|kept| is_explicit(kept) && !is_explicit(link.edge)) {
                    *kept = Some(link.edge);
                }
            }
            let alone = self.distinct(from, Direction::Dependencies).nth(1).is_none();
            for link in links
                .clone()
                .filter(|link| is_explicit(link.edge) && judged(link.edge))
            {
                let kept = stays[link.node.index()];
                if !self.is_shown_off_cycle(components, link.node) {
                    continue;
                }
                if let Some(kept) = kept.filter(|k| *k < link.edge || !is_explicit(*k)) {
                    found.push(Redundant {
                        edge: link.edge,
                        path: Path::new(self, from, &[kept]),
                    });
                } else if !alone
                    && self.distinct(link.node, Direction::Dependents).nth(1).is_some()
                    && let (Some(waiter), Some(target)) = (components.of(from), components.of(link.node))
                {
                    candidates.push(Candidate {
                        target,
                        waiter,
                        edge: link.edge,
                    });
                }
            }
            for link in links {
                stays[link.node.index()] = None;
            }
        }
        candidates.sort_unstable();
        candidates
    }

    fn is_shown_off_cycle(&self, components: &Components, node: NodeId) -> bool {
        !self.is_passed(node) && !components.on_cycle(self, node)
    }

    /// A shortest path between the ends of an edge that does not use it.
    fn alternative_path(
        &self,
        walk: &mut Walk,
        edge: EdgeId,
        allowed: impl Fn(EdgeId, NodeId) -> bool,
    ) -> Option<Path> {
        let Edge { from, to, .. } = *self.edge(edge)?;
        let last = walk.run(
            self,
            from,
            Some(to),
            Direction::Dependencies,
            u32::MAX,
            |id, node| allowed(id, node) && !(node == to && self.edge(id).is_some_and(|e| e.from == from)),
        )?;
        Some(Path::new(self, from, &walk.edges_to(self, last)))
    }
}

/// An edge between two components of one node each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    target: u32,
    waiter: u32,
    edge: EdgeId,
}

/// The edges that can imply others, between components; parallels and inner edges left out.
struct Condensed {
    starts: Vec<u32>,
    to: Vec<u32>,
}

impl Condensed {
    fn new(graph: &OrderGraph, components: &Components, implies: &impl Fn(EdgeId) -> bool) -> Self {
        let mut starts = Vec::with_capacity(components.len() + 1);
        let mut to = Vec::new();
        let mut seen = vec![u32::MAX; components.len()];
        for component in 0..count(components.len()) {
            starts.push(count(to.len()));
            for link in components
                .members(component)
                .iter()
                .flat_map(|n| graph.links(*n, Direction::Dependencies))
            {
                let Some(target) = components.of(link.node) else {
                    continue;
                };
                if target != component && implies(link.edge) && seen[target as usize] != component {
                    seen[target as usize] = component;
                    to.push(target);
                }
            }
        }
        starts.push(count(to.len()));
        Self { starts, to }
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    fn targets(&self, component: usize) -> &[u32] {
        &self.to[self.starts[component] as usize..self.starts[component + 1] as usize]
    }
}

/// The number of orders in which the components are walked for labels.
const LABELINGS: usize = 3;

/// Which components lead to which: mostly decided by labels, else searched.
///
/// A label is the interval of numbers that a depth-first walk gave to a component and everything it leads to. Where
/// one interval does not contain another, the one component cannot lead to the other one (Yildirim, Chaoji and Zaki:
/// GRAIL).
struct Reach {
    /// Per labeling and component: the least number of all components it leads to, and its own, assigned when
    /// it is left.
    labels: [Vec<(u32, u32)>; LABELINGS],
    /// When the first walk entered a component: it leads to what was entered from there.
    entered: Vec<u32>,
    /// The length of the longest path to a component that leads to nothing.
    levels: Vec<u32>,
    /// The search in which a component was last seen.
    seen: Vec<u32>,
    search: u32,
    open: Vec<u32>,
    /// How many edges were looked at.
    cost: u64,
}

impl Reach {
    fn new(condensed: &Condensed) -> Self {
        let len = condensed.len();
        let mut levels = vec![0u32; len];
        // The dependencies of a component have lower numbers.
        for component in 0..len {
            let below = condensed.targets(component).iter();
            levels[component] = below.map(|t| levels[*t as usize] + 1).max().unwrap_or(0);
        }
        let mut entered = vec![0; len];
        let labels = std::array::from_fn(|labeling| label(condensed, labeling, &mut entered));
        Self {
            labels,
            entered,
            levels,
            seen: vec![0; len],
            search: 0,
            open: Vec::new(),
            cost: (LABELINGS * condensed.to.len() + len) as u64,
        }
    }

    /// Whether a component may lead to another one, or is it; if false, it certainly does not.
    fn may_lead(&self, from: u32, to: u32) -> bool {
        let (from, to) = (from as usize, to as usize);
        from == to
            || self.levels[from] > self.levels[to]
                && self
                    .labels
                    .iter()
                    .all(|of| of[from].0 <= of[to].0 && of[to].1 <= of[from].1)
    }

    /// Whether the first walk went from one component to another.
    fn was_led(&self, from: u32, to: u32) -> bool {
        let (from, to) = (from as usize, to as usize);
        let own = &self.labels[0];
        self.entered[from] <= self.entered[to] && own[to].1 <= own[from].1
    }

    /// Whether the waiting end of an edge leads to the other end over another of its edges.
    fn goes_around(&mut self, condensed: &Condensed, candidate: &Candidate) -> bool {
        let (from, to) = (candidate.waiter, candidate.target);
        self.search += 1;
        self.open.clear();
        self.open.push(from);
        while let Some(component) = self.open.pop() {
            for next in condensed.targets(component as usize) {
                self.cost += 1;
                let own = component == from && *next == to;
                if own || self.seen[*next as usize] == self.search || !self.may_lead(*next, to) {
                    continue;
                }
                if *next == to || self.was_led(*next, to) {
                    return true;
                }
                self.seen[*next as usize] = self.search;
                self.open.push(*next);
            }
        }
        false
    }
}

/// The labels of one depth-first walk; the first one notes when it entered each component.
fn label(condensed: &Condensed, labeling: usize, entered: &mut [u32]) -> Vec<(u32, u32)> {
    let len = condensed.len();
    let mut labels = vec![(u32::MAX, u32::MAX); len];
    let mut is_entered = vec![false; len];
    let (mut enter, mut leave) = (0u32, 0u32);
    let mut open: Vec<(u32, u32)> = Vec::new();
    let backwards = labeling % 2 == 1;
    // A third order for the third walk: the targets of a component from its middle on.
    let shift = if labeling == 2 { 1 } else { 0 };
    for step in 0..len {
        let start = if backwards { step } else { len - 1 - step };
        if std::mem::replace(&mut is_entered[start], true) {
            continue;
        }
        if labeling == 0 {
            entered[start] = enter;
            enter += 1;
        }
        open.push((count(start), 0));
        while let Some((component, at)) = open.last_mut() {
            let targets = condensed.targets(*component as usize);
            let index = *at as usize;
            if index < targets.len() {
                *at += 1;
                let index = if backwards {
                    targets.len() - 1 - index
                } else {
                    (index + shift * (targets.len() / 2)) % targets.len()
                };
                let next = targets[index] as usize;
                if !std::mem::replace(&mut is_entered[next], true) {
                    if labeling == 0 {
                        entered[next] = enter;
                        enter += 1;
                    }
                    open.push((count(next), 0));
                }
            } else {
                let least = targets.iter().map(|t| labels[*t as usize].0).min();
                labels[*component as usize] = (least.unwrap_or(leave).min(leave), leave);
                leave += 1;
                open.pop();
            }
        }
    }
    labels
}

#[cfg(test)]
mod tests {
    use super::super::{BUDGET, GraphBuilder};
    use super::*;

    fn redundant(graph: &OrderGraph) -> Vec<(u32, Vec<NodeId>)> {
        let found = graph.redundant(&graph.components(), BUDGET, |_| true, |_| true);
        assert!(found.searched);
        found
            .edges
            .iter()
            .map(|r| (r.edge.0, r.path.nodes().to_vec()))
            .collect()
    }

    #[test]
    fn an_edge_that_a_chain_implies_is_redundant_and_the_chain_is_named() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        let short = b.explicit(a, d, 0);
        let first = b.explicit(a, c, 1);
        b.implicit(c, d, 0);
        let g = b.build();
        assert_eq!(redundant(&g), [(short.0, vec![a, c, d])]);
        let kept = g.redundant(&g.components(), BUDGET, |_| true, |edge| edge != first);
        assert_eq!(kept.edges, []);
        let unasked = g.redundant(&g.components(), BUDGET, |edge| edge != short, |_| true);
        assert_eq!(unasked.edges, []);
    }

    #[test]
    fn of_parallel_edges_the_first_written_or_the_implicit_one_stays() {
        let mut b = GraphBuilder::new();
        let [a, c, d] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(a, c, 0);
        let twice = b.explicit(a, c, 1);
        let written = b.explicit(c, d, 2);
        b.implicit(c, d, 0);
        assert_eq!(
            redundant(&b.build()),
            [(twice.0, vec![a, c]), (written.0, vec![c, d])]
        );
    }

    #[test]
    fn edges_at_a_cycle_imply_each_other_and_none_is_called_redundant() {
        let mut b = GraphBuilder::new();
        let [x, y, z, w] = std::array::from_fn(|i| b.unit(i as u32));
        b.explicit(x, y, 0);
        b.explicit(y, x, 1);
        b.explicit(x, z, 2);
        b.explicit(y, z, 3);
        b.explicit(w, x, 4);
        let over = b.explicit(w, z, 5);
        assert_eq!(redundant(&b.build()), [(over.0, vec![w, x, z])]);
    }

    #[test]
    fn a_path_through_a_group_implies_too() {
        let mut b = GraphBuilder::new();
        let [a, c] = std::array::from_fn(|i| b.unit(i as u32));
        let join = b.join(0);
        let written = b.explicit(a, c, 0);
        b.implicit(a, join, 0);
        b.implicit(join, c, 0);
        assert_eq!(redundant(&b.build()), [(written.0, vec![a, c])]);
    }

    #[test]
    fn past_the_budget_the_answer_says_that_it_was_not_searched() {
        let mut b = GraphBuilder::new();
        let nodes: Vec<NodeId> = (0..300).map(|i| b.unit(i)).collect();
        for (i, from) in nodes.iter().enumerate() {
            for to in nodes.iter().take(i) {
                b.explicit(*from, *to, 0);
            }
        }
        let g = b.build();
        let all = g.redundant(&g.components(), 1 << 40, |_| true, |_| true);
        assert_eq!((all.edges.len(), all.searched), (300 * 299 / 2 - 299, true));
        assert!(!g.redundant(&g.components(), 1000, |_| true, |_| true).searched);
    }

    /// Tries all paths, for comparison.
    fn by_search(graph: &OrderGraph) -> Vec<u32> {
        let edges = graph.edges();
        let leads = |from: NodeId, to: NodeId, without: usize| {
            let mut seen = vec![false; graph.node_count()];
            let mut open = vec![from];
            while let Some(node) = open.pop() {
                for (_, edge) in edges
                    .iter()
                    .enumerate()
                    .filter(|(i, e)| *i != without && e.from == node)
                {
                    if edge.to == to {
                        return true;
                    }
                    if !std::mem::replace(&mut seen[edge.to.index()], true) {
                        open.push(edge.to);
                    }
                }
            }
            false
        };
        let all = edges.iter().enumerate();
        all.filter(|(i, e)| leads(e.from, e.to, *i))
            .map(|(i, _)| i as u32)
            .collect()
    }

    #[test]
    fn random_graphs_have_the_edges_that_a_plain_search_finds() {
        let mut state = 7u64;
        let mut next = |end: u32| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as u32 % end
        };
        let mut most = 0;
        for _ in 0..300 {
            let count = 2 + next(24);
            let mut b = GraphBuilder::new();
            let nodes: Vec<NodeId> = (0..count).map(|i| b.unit(i)).collect();
            let mut pairs: Vec<(u32, u32)> = Vec::new();
            for number in 0..next(3 * count) {
                let (x, y) = (next(count), next(count));
                // Numbers do not imply the order.
                let rank = |n: u32| (n * 7 + 3) % 29;
                let (from, to) = if rank(x) > rank(y) { (x, y) } else { (y, x) };
                if rank(x) != rank(y) && !pairs.contains(&(from, to)) {
                    pairs.push((from, to));
                    b.explicit(nodes[from as usize], nodes[to as usize], number);
                }
            }
            let graph = b.build();
            let found: Vec<u32> = redundant(&graph).iter().map(|(e, _)| *e).collect();
            most = most.max(found.len());
            assert_eq!(found, by_search(&graph));
        }
        assert!(most > 5, "the graphs have something to find");
    }
}
