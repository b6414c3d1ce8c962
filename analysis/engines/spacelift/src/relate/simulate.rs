//! Which stacks run when some of them change, in which waves, and which are skipped or held back.
//!
//! Source: spec section 7, rules R1 to R18 and the algorithm of 7.4. Two published statements differ in how far a
//! failure goes (7.3): both are computed.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Model, Of, StackIx};

/// How far a failure goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failures {
    /// All that depends on it is held back: the documentation.
    Chain,
    /// Only what depends on it directly is: the support article.
    Direct,
}

/// What becomes of a stack in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It has no part in the run.
    Untouched,
    /// It runs.
    Runs,
    /// It runs and fails.
    Fails,
    /// Nothing that it takes has changed.
    Skipped,
    /// Something that it waits for failed, or was held back itself.
    Held,
}

/// What is changed, and what that triggers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scenario {
    pub(crate) changed: Vec<StackIx>,
    pub(crate) failed: FxHashSet<StackIx>,
    /// Outputs that stay as they are: stack and name.
    pub(crate) unchanged: FxHashSet<(StackIx, Arc<str>)>,
    /// What is said to stay, and no reference takes.
    pub(crate) not_taken: Vec<String>,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Simulation {
    /// What becomes of each stack.
    pub states: Vec<State>,
    /// The stacks that run, wave by wave. Spacelift itself waits for no wave as a whole.
    pub waves: Vec<Vec<u32>>,
}

/// What one stack waits for another by.
#[derive(Clone, Debug, Default)]
struct Edge {
    /// Whether a dependency without references is among them.
    is_bare: bool,
    always: bool,
    /// The outputs that it carries; an output with an unknown name may not stay.
    outputs: Vec<Option<Arc<str>>>,
}

/// The edges of a project with what they carry: by the stack that waits.
pub(crate) struct Edges {
    of: Vec<Vec<(StackIx, Edge)>>,
    dependents: Vec<Vec<StackIx>>,
    /// Those that wait for themselves.
    to_itself: FxHashSet<StackIx>,
}

impl Edges {
    pub(crate) fn new(model: &Model) -> Self {
        let count = model.stacks.len();
        let mut carried: FxHashMap<u32, Edge> = FxHashMap::default();
        for reference in &model.references {
            let Of::Dependency(dependency) = reference.of else {
                continue;
            };
            let edge = carried.entry(dependency).or_default();
            edge.always |= reference.trigger_always == Some(true);
            edge.outputs
                .push(reference.output.as_ref().map(|o| o.value.clone()));
        }
        let mut edges: FxHashMap<(StackIx, StackIx), Edge> = FxHashMap::default();
        let mut to_itself = FxHashSet::default();
        for (number, dependency) in (0u32..).zip(&model.dependencies) {
            let Some((from, to)) = dependency.edge() else {
                continue;
            };
            if from == to {
                to_itself.insert(from);
                continue;
            }
            let edge = edges.entry((from, to)).or_default();
            match carried.get(&number) {
                Some(own) => {
                    edge.always |= own.always;
                    edge.outputs.extend(own.outputs.iter().cloned());
                }
                None => edge.is_bare = true,
            }
        }
        let mut of = vec![Vec::new(); count];
        let mut dependents = vec![Vec::new(); count];
        let mut pairs: Vec<_> = edges.into_iter().collect();
        pairs.sort_by_key(|(pair, _)| *pair);
        for ((from, to), edge) in pairs {
            if let Some(own) = of.get_mut(from as usize) {
                own.push((to, edge));
            }
            if let Some(own) = dependents.get_mut(to as usize) {
                own.push(from);
            }
        }
        Self {
            of,
            dependents,
            to_itself,
        }
    }

    fn of(&self, stack: StackIx) -> &[(StackIx, Edge)] {
        self.of.get(stack as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether a reference takes an output.
    pub(crate) fn is_taken(&self, stack: StackIx, output: &str) -> bool {
        let dependents = self.dependents(stack).iter();
        let mut edges = dependents
            .flat_map(|from| self.of(*from))
            .filter(|(to, _)| *to == stack);
        edges.any(|(_, edge)| edge.outputs.iter().flatten().any(|taken| &**taken == output))
    }

    fn dependents(&self, stack: StackIx) -> &[StackIx] {
        self.dependents.get(stack as usize).map_or(&[], Vec::as_slice)
    }

    /// The stacks that change and all that depend on them.
    fn chain(&self, changed: &[StackIx]) -> FxHashSet<StackIx> {
        let mut chain: FxHashSet<StackIx> = changed.iter().copied().collect();
        let mut open = changed.to_vec();
        while let Some(stack) = open.pop() {
            for dependent in self.dependents(stack) {
                if chain.insert(*dependent) {
                    open.push(*dependent);
                }
            }
        }
        chain
    }

    /// The chain in an order in which every stack comes after what it waits for; `None` if it has a cycle.
    fn sorted(&self, chain: &FxHashSet<StackIx>) -> Option<Vec<StackIx>> {
        let inside = |stack: &StackIx| {
            self.of(*stack)
                .iter()
                .filter(|(to, _)| chain.contains(to))
                .count()
        };
        let mut waits: FxHashMap<StackIx, usize> = chain.iter().map(|s| (*s, inside(s))).collect();
        let mut ready: Vec<StackIx> = waits.iter().filter(|(_, n)| **n == 0).map(|(s, _)| *s).collect();
        ready.sort_unstable();
        let mut next = 0;
        while let Some(stack) = ready.get(next).copied() {
            next += 1;
            for dependent in self.dependents(stack) {
                if let Some(left) = waits.get_mut(dependent) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        ready.push(*dependent);
                    }
                }
            }
        }
        let has_own = chain.iter().any(|stack| self.to_itself.contains(stack));
        (ready.len() == chain.len() && !has_own).then_some(ready)
    }
}

/// What a run does; nothing where what would run depends on itself.
pub(crate) fn simulate(edges: &Edges, scenario: &Scenario, failures: Failures) -> Option<Simulation> {
    let chain = edges.chain(&scenario.changed);
    let order = edges.sorted(&chain)?;
    let changed: FxHashSet<StackIx> = scenario.changed.iter().copied().collect();
    let mut states = vec![State::Untouched; edges.of.len()];
    let mut wave: FxHashMap<StackIx, usize> = FxHashMap::default();
    let mut waves: Vec<Vec<StackIx>> = Vec::new();
    for stack in order {
        let inside = || edges.of(stack).iter().filter(|(to, _)| chain.contains(to));
        let state_of = |to: &StackIx| states.get(*to as usize).copied().unwrap_or(State::Untouched);
        let is_held = inside().any(|(to, _)| match state_of(to) {
            State::Fails => true,
            State::Held => failures == Failures::Chain,
            _ => false,
        });
        let triggers = |(to, edge): &(StackIx, Edge)| {
            let is_new = |output: &Option<Arc<str>>| {
                output
                    .as_ref()
                    .is_none_or(|output| !scenario.unchanged.contains(&(*to, output.clone())))
            };
            edge.is_bare || edge.always || (state_of(to) == State::Runs && edge.outputs.iter().any(is_new))
        };
        let state = if is_held {
            State::Held
        } else if !changed.contains(&stack) && !inside().any(triggers) {
            State::Skipped
        } else if scenario.failed.contains(&stack) {
            State::Fails
        } else {
            State::Runs
        };
        // Those that are skipped count as steps.
        let number = inside()
            .filter_map(|(to, _)| wave.get(to))
            .max()
            .map_or(0, |n| n + 1);
        wave.insert(stack, number);
        if let Some(slot) = states.get_mut(stack as usize) {
            *slot = state;
        }
        if matches!(state, State::Runs | State::Fails) {
            if waves.len() <= number {
                waves.resize(number + 1, Vec::new());
            }
            if let Some(wave) = waves.get_mut(number) {
                wave.push(stack);
            }
        }
    }
    waves.retain(|wave| !wave.is_empty());
    Some(Simulation { states, waves })
}
