//! The order in which stacks are deleted when everything is destroyed: that of Terraform's own graph, not that of
//! dependencies.
//!
//! Source: spec section 6, the table of situations.

use applyorder_core::engine::{Open, UnitIx};
use applyorder_core::graph::{Direction, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Model, Of, StackIx};

/// A problem of a dependency when everything is destroyed.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Index of the dependency.
    pub(crate) dependency: u32,
    /// Index of the destructor of the stack that is depended on.
    pub(crate) upstream: u32,
    /// Index of the destructor of the dependent stack.
    pub(crate) downstream: Option<u32>,
    pub(crate) kind: ProblemKind,
}

/// See [`Problem`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The stack that is depended on is deleted first.
    Inverted,
    /// It is deleted before the dependency is, unless the other stack happens to be quicker.
    Raced,
    /// It is unspecified which is deleted first.
    Unordered,
}

/// See the module.
#[derive(Default)]
pub(crate) struct Destroy {
    pub(crate) problems: Vec<Problem>,
    /// Destructors that do not wait for references of their stack: the destructor, and the references.
    pub(crate) without_references: Vec<(u32, Vec<u32>)>,
    /// Which stack is deleted before which, of those with destructors.
    pub(crate) before: Vec<(StackIx, StackIx)>,
    /// The stacks with destructors.
    pub(crate) stacks: Vec<StackIx>,
    /// What would be ordered by destructors that may not do anything, or whose stack is unknown.
    pub(crate) open: Vec<Open>,
    /// Whether not everything was checked.
    pub(crate) is_cut: bool,
}

/// The maximum number of entries of Terraform's graph that are visited.
const BUDGET: usize = 2_000_000;

pub(crate) fn destroy(model: &Model) -> Destroy {
    let mut result = Destroy::default();
    let mut of: FxHashMap<StackIx, Vec<u32>> = FxHashMap::default();
    let mut open: FxHashSet<StackIx> = FxHashSet::default();
    let mut uncertain: Vec<(u32, Option<StackIx>)> = Vec::new();
    for (number, destructor) in (0u32..).zip(&model.destructors) {
        match (destructor.deactivated, destructor.stack) {
            (Some(true), _) => {}
            (Some(false), Some(stack)) => of.entry(stack).or_default().push(number),
            (_, stack) => {
                open.extend(stack);
                uncertain.push((number, stack));
            }
        }
    }
    if of.is_empty() {
        return result;
    }
    let mut references: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (number, reference) in (0u32..).zip(&model.references) {
        if let Of::Dependency(dependency) = reference.of {
            references.entry(dependency).or_default().push(number);
        }
    }
    let mut search = Search {
        model,
        dependencies: FxHashMap::default(),
        spent: 0,
    };
    for (number, dependency) in (0u32..).zip(&model.dependencies) {
        let Some((down, up)) = dependency.edge().filter(|(down, up)| down != up) else {
            continue;
        };
        let downs = of.get(&down).map_or(&[][..], Vec::as_slice);
        let own: Vec<u32> = references.get(&number).cloned().unwrap_or_default();
        for upstream in of.get(&up).into_iter().flatten() {
            let kind = search.judge(number, downs, *upstream, &own);
            if let Some(kind) = kind.filter(|_| !open.contains(&down)) {
                result.problems.push(Problem {
                    dependency: number,
                    upstream: *upstream,
                    downstream: downs.first().copied(),
                    kind,
                });
            }
        }
        for destructor in downs {
            let missing: Vec<u32> = own
                .iter()
                .copied()
                .filter(|r| !search.reference_first(*destructor, *r))
                .collect();
            if !missing.is_empty() {
                match result
                    .without_references
                    .iter_mut()
                    .find(|(d, _)| d == destructor)
                {
                    Some((_, known)) => known.extend(missing),
                    None => result.without_references.push((*destructor, missing)),
                }
            }
        }
    }
    result.stacks = of.keys().copied().collect();
    result.stacks.sort_unstable();
    let stacks = search.stacks(&of);
    result.before = search.before(&stacks);
    result.open = search.open(&stacks, &uncertain);
    result.is_cut = search.spent > BUDGET || model.statics.is_cut;
    result
}

/// The stacks that each node of Terraform's graph destroys.
type Stacks = FxHashMap<NodeId, Vec<StackIx>>;

struct Search<'m> {
    model: &'m Model,
    /// Everything that a node of Terraform's graph depends on.
    dependencies: FxHashMap<NodeId, FxHashSet<NodeId>>,
    spent: usize,
}

impl Search<'_> {
    fn destructor(&self, number: u32) -> Option<NodeId> {
        let own = self.model.destructors.get(number as usize)?;
        self.model.statics.node(&own.resource)
    }

    fn dependency(&self, number: u32) -> Option<NodeId> {
        let own = self.model.dependencies.get(number as usize)?;
        self.model.statics.node(&own.resource)
    }

    fn reference(&self, number: u32) -> Option<NodeId> {
        let own = self.model.references.get(number as usize)?;
        self.model.statics.node(&own.resource)
    }

    /// Whether one node depends on another, directly or through others.
    fn depends(&mut self, from: NodeId, to: NodeId) -> bool {
        if self.spent > BUDGET {
            return false;
        }
        let statics = &self.model.statics;
        let spent = &mut self.spent;
        let reached = self.dependencies.entry(from).or_insert_with(|| {
            let reached = statics.reach(from, Direction::Dependencies);
            *spent += reached.len() + 1;
            reached
        });
        reached.contains(&to)
    }

    /// The stacks that each node of Terraform's graph destroys.
    fn stacks(&self, of: &FxHashMap<StackIx, Vec<u32>>) -> Stacks {
        let mut stacks = Stacks::default();
        for (stack, own) in of {
            for node in own.iter().filter_map(|d| self.destructor(*d)) {
                stacks.entry(node).or_default().push(*stack);
            }
        }
        stacks
    }

    /// Which stacks are deleted before which: those whose destructors are reached first from a destructor.
    fn before(&mut self, stacks: &Stacks) -> Vec<(StackIx, StackIx)> {
        let mut found = Vec::new();
        for (node, first) in stacks {
            let later = self.met_first(*node, Direction::Dependencies, stacks);
            let pairs = first.iter().flat_map(|a| later.iter().map(move |b| (*a, *b)));
            found.extend(pairs.filter(|(a, b)| a != b));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// What is deleted before and after the stacks of some destructors, if these destroy anything.
    fn open(&mut self, stacks: &Stacks, destructors: &[(u32, Option<StackIx>)]) -> Vec<Open> {
        let mut found = Vec::new();
        for (number, own) in destructors {
            let Some(node) = self.destructor(*number) else {
                continue;
            };
            let own = own.map(UnitIx);
            let first = self.met_first(node, Direction::Dependents, stacks);
            let later = self.met_first(node, Direction::Dependencies, stacks);
            found.extend(first.into_iter().map(|first| Open {
                from: own,
                to: Some(UnitIx(first)),
            }));
            found.extend(later.into_iter().map(|later| Open {
                from: Some(UnitIx(later)),
                to: own,
            }));
        }
        found.retain(|open: &Open| open.from != open.to);
        found
    }

    /// The stacks of the destructors that are reached first from a node.
    fn met_first(&mut self, start: NodeId, direction: Direction, stacks: &Stacks) -> Vec<StackIx> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![start];
        while let Some(at) = open.pop() {
            self.spent += 1;
            if self.spent > BUDGET {
                break;
            }
            for link in self.model.statics.graph.distinct(at, direction) {
                if !seen.insert(link.node) {
                    continue;
                }
                match stacks.get(&link.node) {
                    Some(met) if link.node != start => found.extend(met),
                    _ => open.push(link.node),
                }
            }
        }
        found
    }

    fn reference_first(&mut self, destructor: u32, reference: u32) -> bool {
        match (self.destructor(destructor), self.reference(reference)) {
            (Some(destructor), Some(reference)) => self.depends(destructor, reference),
            _ => true,
        }
    }

    /// What is wrong with the order of a dependency's stacks; `None` if it is safe.
    fn judge(
        &mut self,
        dependency: u32,
        downs: &[u32],
        upstream: u32,
        references: &[u32],
    ) -> Option<ProblemKind> {
        let up = self.destructor(upstream)?;
        let own = self.dependency(dependency)?;
        let downs: Vec<NodeId> = downs.iter().filter_map(|d| self.destructor(*d)).collect();
        if downs.iter().any(|down| self.depends(*down, up)) || self.depends(own, up) {
            return None;
        }
        if downs.iter().any(|down| self.depends(up, *down)) {
            return Some(ProblemKind::Inverted);
        }
        let mut parts = vec![own];
        parts.extend(references.iter().filter_map(|r| self.reference(*r)));
        if parts.iter().any(|part| self.depends(up, *part)) {
            return Some(ProblemKind::Raced);
        }
        Some(ProblemKind::Unordered)
    }
}
