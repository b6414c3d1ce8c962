//! From the contents of stacks to the stacks that they mean, the resulting order, and what a run selects from
//! it.

pub(crate) mod cause;
pub(crate) mod entries;
pub(crate) mod order;
mod paths;
pub(crate) mod select;

use std::sync::{Arc, OnceLock};

use self::cause::Cause;
use self::entries::{Entries, Entry};
use self::order::Ordering;
use self::select::{Selection, Wants};
use super::judge::{ORDER, STACKS, WANTS};
use super::model::Model;
use super::model::stacks::{NodeMark, StackIx, Stacks};
use applyorder_core::engine::UnitIx;
use applyorder_core::graph::OrderGraph;
use applyorder_core::layer::Pass;

/// How the stacks of a project relate.
pub struct Related {
    /// What each stack's entries mean.
    pub(crate) entries: Entries,
    /// The stacks with an entry that Terramate warns about or rejects.
    pub(crate) faulty: Vec<StackIx>,
    pub(crate) selection: Selection,
    /// Which stacks are part of the run.
    pub(crate) selected: Vec<bool>,
    /// The graph of the run, with joins for lists that several entries share.
    pub(crate) graph: OrderGraph,
    /// Terramate's cycle of the ordering graph, and of `wants`.
    pub(crate) cycle: Option<Vec<StackIx>>,
    pub(crate) wants_cycle: Option<Vec<StackIx>>,
    /// The stacks of the whole project that wait for each other, apart from entries that mean their own stack:
    /// each set ascending.
    pub(crate) cyclic: Vec<Vec<StackIx>>,
    /// What causes Terramate's cycle.
    pub(crate) cause: Option<Cause>,
    /// The stack with the most paths to it, with their number, if there are too many.
    pub(crate) most_paths: Option<(u64, StackIx)>,
    model: Arc<Model>,
    /// The stacks with faulty entries in the order in which Terramate reaches them: for `wants`, and for order.
    visits: [OnceLock<Vec<StackIx>>; 2],
}

impl Related {
    /// Whether a run is limited to some stacks.
    pub(crate) fn is_limited(&self) -> bool {
        self.selected.iter().any(|s| !*s)
    }

    /// The stacks with faulty entries in the order in which Terramate reaches them, for order or for `wants`.
    pub(crate) fn visits(&self, is_order: bool) -> &[StackIx] {
        let [wants, order] = &self.visits;
        let visits = if is_order { order } else { wants };
        visits.get_or_init(|| {
            let mut all = match self.faulty.as_slice() {
                [] => return Vec::new(),
                // For a single stack the path to it does not matter.
                [one] if self.selection.is_whole() => return vec![*one],
                _ if is_order => Ordering {
                    stacks: &self.model.stacks,
                    entries: &self.entries,
                    selected: &self.selected,
                }
                .visits(&self.model.loaded.tree),
                _ => Wants::visits(&self.entries),
            };
            all.retain(|stack| self.faulty.binary_search(stack).is_ok());
            all
        })
    }

    /// When Terramate reaches a stack with faulty entries, if it does.
    pub(crate) fn turn(&self, stack: StackIx, is_order: bool) -> Option<usize> {
        self.visits(is_order).iter().position(|s| *s == stack)
    }

    /// Where Terramate reaches a finding in one stage. The blocks are the path upwards, one for each directory,
    /// and what is found across directories.
    pub(crate) fn rank(&self, stage: &'static str, block: usize, at: u32) -> u64 {
        let dirs = self.model.loaded.tree.dirs.len();
        let dir = block.checked_sub(1).filter(|dir| *dir < dirs);
        let stack = dir.and_then(|dir| self.model.stacks.in_dir(u32::try_from(dir).ok()?));
        match (stage, stack) {
            (STACKS, Some(stack)) => u64::from(stack),
            (WANTS | ORDER, Some(stack)) => {
                let turn = self.turn(stack, stage == ORDER);
                turn.map_or(u64::MAX, |turn| turn as u64)
            }
            // The last block has all warnings, in their order.
            (WANTS | ORDER, None) if at < u32::MAX => u64::from(at),
            (WANTS | ORDER, None) => u64::MAX,
            _ => 0,
        }
    }
}

/// Relates the stacks of a project.
pub(crate) fn relate(pass: &Pass<'_>, model: &Arc<Model>) -> Related {
    let entries = Entries::of_project(model, pass.cx.memo());
    let stacks = &*model.stacks;
    let selection = Selection::of(model, &entries);
    let mut selected = selection.by_flags(stacks);
    if !selection.is_list {
        selection.wants.close(&mut selected);
    }
    let ordering = Ordering {
        stacks,
        entries: &entries,
        selected: &selected,
    };
    let graph = ordering.joined(&ordering.closure(), |_, _| true);
    let order = graph.fifo_order(|node| node);
    let cycle = order
        .stuck
        .first()
        .and_then(|start| ordering.cycle(start.0, &graph));
    let is_limited = selected.iter().any(|s| !*s);
    let has_cycle = !order.stuck.is_empty();
    let most_paths = if has_cycle {
        None
    } else {
        paths::most(&graph, &order.sequence)
    };
    let cyclic = if has_cycle || is_limited {
        cyclic(stacks, &entries)
    } else {
        Vec::new()
    };
    let cause = cycle.as_ref().and_then(|path| Cause::of(path, &cyclic, &entries));
    Related {
        cause,
        wants_cycle: selection.wants.cycle(),
        faulty: stacks.marked(NodeMark::Faulty).map(|(stack, _)| stack).collect(),
        selection,
        selected,
        graph,
        cycle,
        cyclic,
        most_paths,
        model: model.clone(),
        visits: Default::default(),
        entries,
    }
}

/// Whether an entry does not mean its own stack.
pub(crate) fn is_sound(stack: StackIx, entry: &Entry<'_>) -> bool {
    entry.targets.binary_search(&UnitIx(stack)).is_err()
}

fn cyclic(stacks: &Stacks, entries: &Entries) -> Vec<Vec<StackIx>> {
    let whole = vec![true; stacks.len()];
    let ordering = Ordering {
        stacks,
        entries,
        selected: &whole,
    };
    let graph = ordering.joined(&whole, |stack, list| !entries.contains(list, stack));
    let components = graph.components();
    let units = |component: &u32| -> Vec<StackIx> {
        let members = components.members(*component).iter();
        members.filter_map(|node| graph.kind(*node)?.unit()).collect()
    };
    let sets = components.cyclic().iter().map(units);
    sets.filter(|members| members.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::State;
    use applyorder_analysis::fixture::Fixture;
    use applyorder_core::graph::{Direction, Expand, NodeId};

    /// Stacks that many others wait for, by a tag, by a directory, and with stacks below them.
    fn shared() -> Fixture {
        let mut files =
            String::from("//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n");
        for i in 0..20 {
            write!(
                files,
                "//- /w/net/n{i:02}/s.tm\nstack {{\n  tags = [\"net\"]\n}}\n"
            )
            .unwrap();
            write!(files, "//- /w/net/n{i:02}/below/s.tm\nstack {{\n}}\n").unwrap();
            write!(
                files,
                "//- /w/app/a{i:02}/s.tm\nstack {{\n  after = [\"tag:net\"]\n}}\n"
            )
            .unwrap();
            write!(
                files,
                "//- /w/dir/d{i:02}/s.tm\nstack {{\n  after = [\"/net\", \"/app/a03\"]\n}}\n"
            )
            .unwrap();
            write!(
                files,
                "//- /w/first/f{i:02}/s.tm\nstack {{\n  before = [\"tag:net\"]\n}}\n"
            )
            .unwrap();
        }
        Fixture::new(crate::ALONE, &files)
    }

    #[test]
    fn entries_that_mean_the_same_share_a_join() {
        let fixture = shared();
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let state = project.resolution.state.clone().unwrap();
        let state = state.downcast::<State>().unwrap();
        let joined = &state.related.graph;
        let pairs = &project.resolution.variants[0].apply.graph;
        let waits = |graph: &OrderGraph| -> Vec<Vec<u32>> {
            let mut expand = Expand::new(graph, Direction::Dependencies);
            let units: Vec<NodeId> = graph.units().map(|(node, _)| node).collect();
            let of = |node: NodeId| {
                let mut found: Vec<u32> = expand.of(node).iter().map(|p| p.node.0).collect();
                found.sort_unstable();
                found
            };
            units.into_iter().map(of).collect()
        };
        assert_eq!(waits(joined), waits(pairs));
        // Three lists of 40 stacks, 60 entries that mean them, 20 that mean one stack, 20 stacks below others.
        assert_eq!(joined.edges().len(), 3 * 40 + 60 + 20 + 20);
        assert_eq!(pairs.edges().len(), 60 * 40 + 20 + 20);
        // The displayed order, if there are many pairs.
        let ordering = Ordering {
            stacks: &state.model.stacks,
            entries: &state.related.entries,
            selected: &state.related.selected,
        };
        let closure = ordering.closure();
        let shared = ordering.shared(&closure, 2_000);
        let named = ["meant by `tag:net`", "meant by `/net`"];
        assert_eq!(shared.reasons, named);
        for reversed in [false, true] {
            let [many, few] = [&shared, &Default::default()].map(|s| ordering.graph(&closure, reversed, s));
            assert_eq!(many.edges().len(), joined.edges().len());
            assert_eq!(waits(&many), waits(&few));
            assert_eq!(many.fifo_order(|n| n), few.fifo_order(|n| n));
        }
        let entries: Vec<u32> = state.related.entries.all().map(|(_, e)| e.number).collect();
        assert_eq!(entries, (0..80).collect::<Vec<u32>>());
    }
}
