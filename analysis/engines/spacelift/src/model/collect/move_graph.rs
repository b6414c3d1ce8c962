//! Which moves wait for which: a graph whose number of edges is about the number of steps in the addresses of all
//! moves.
//!
//! The modules on the way to the file of a move match any key, so two ends are compared without the keys of the first
//! modules of both. Ends are looked up by their modules up to some step; these paths are numbered separately for each
//! number of modules without keys.
//!
//! Source: that of `move_cycles`.

use applyorder_core::graph::{GraphBuilder, NodeId, OrderGraph};
use applyorder_syntax::hcl::eval::Place as Written;
use rustc_hash::FxHashMap;

use super::super::key::Key;

/// A `moved` block in a module.
pub(super) struct Move<'t> {
    pub(super) from: End<'t>,
    pub(super) to: End<'t>,
    /// How many calls lead to the module. They match any key.
    pub(super) depth: usize,
    pub(super) at: Written,
    pub(super) names: (String, String),
}

/// One end of a move, as an address from the root.
pub(super) struct End<'t> {
    /// The calls that lead to it, and itself if it is a call; without a key if any key matches.
    pub(super) modules: Vec<(&'t str, Option<Key>)>,
    pub(super) what: What<'t>,
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum What<'t> {
    /// A call with all of its instances.
    Call,
    /// One instance of a call.
    Module,
    /// A resource with all of its instances, by type and name.
    Resource(&'t str, &'t str),
    /// One instance of a resource.
    Instance(&'t str, &'t str, Key),
}

/// Whether a move only changes the key of a module.
fn changes_key(one: &Move<'_>) -> bool {
    fn names<'e>(end: &'e End<'_>) -> impl Iterator<Item = &'e str> {
        end.modules.iter().map(|(name, _)| *name)
    }
    one.from.what == What::Module && one.to.what == What::Module && names(&one.from).eq(names(&one.to))
}

/// The graph in which each move waits for all moves that are made before it. Its units are the numbers of the moves.
pub(super) fn graph(moves: &[Move<'_>]) -> OrderGraph {
    let mut depths: Vec<usize> = moves.iter().map(|one| one.depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let mut waiting = Waiting {
        graph: GraphBuilder::new(),
        nodes: Vec::with_capacity(moves.len()),
        paths: Paths::new(depths.last().copied().unwrap_or(0)),
        found: FxHashMap::default(),
        depths,
    };
    for (number, one) in (0u32..).zip(moves) {
        let node = waiting.graph.unit(number);
        waiting.nodes.push(node);
        waiting.add(number, one);
    }
    for (number, one) in (0u32..).zip(moves) {
        waiting.ask(number, one);
    }
    waiting.graph.build()
}

/// The number of a path of modules from the root: the same if the names and the compared keys are the same.
type Path = u32;

/// Assigns numbers to paths.
struct Paths<'t> {
    known: FxHashMap<(Path, &'t str, Option<Key>), Path>,
    next: Path,
}

/// The paths of an end up to each of its modules, outermost first.
struct Steps {
    root: Path,
    all: Vec<Step>,
}

impl Steps {
    fn last(&self) -> Step {
        let root = Step {
            exact: self.root,
            open: self.root,
        };
        self.all.last().copied().unwrap_or(root)
    }

    /// Each step, and whether it is the last one.
    fn each(&self) -> impl Iterator<Item = (Step, bool)> {
        let count = self.all.len();
        let steps = self.all.iter().enumerate();
        steps.map(move |(number, step)| (*step, number + 1 == count))
    }
}

#[derive(Clone, Copy)]
struct Step {
    /// The path with the key of its last module.
    exact: Path,
    /// The path with any key of its last module.
    open: Path,
}

impl<'t> Paths<'t> {
    /// Number `n` up to `most` is the root of the paths whose first `n` modules are compared without keys.
    fn new(most: usize) -> Self {
        Self {
            known: FxHashMap::default(),
            next: u32::try_from(most + 1).unwrap_or(u32::MAX),
        }
    }

    fn step(&mut self, from: Path, name: &'t str, key: Option<&Key>) -> Path {
        *self.known.entry((from, name, key.cloned())).or_insert_with(|| {
            self.next += 1;
            self.next - 1
        })
    }

    fn steps(&mut self, end: &End<'t>, without_keys: usize) -> Steps {
        let root = u32::try_from(without_keys).unwrap_or(u32::MAX);
        let mut at = root;
        let steps = end.modules.iter().enumerate().map(|(number, (name, key))| {
            let open = self.step(at, name, None);
            at = match key.as_ref().filter(|_| number >= without_keys) {
                Some(key) => self.step(at, name, Some(key)),
                None => open,
            };
            Step { exact: at, open }
        });
        Steps {
            root,
            all: steps.collect(),
        }
    }
}

/// What moves of modules at some depth have at a path.
#[derive(PartialEq, Eq, Hash)]
struct Spot<'t> {
    path: Path,
    depth: usize,
    role: Role<'t>,
}

#[derive(PartialEq, Eq, Hash)]
enum Role<'t> {
    /// A move to this object.
    To(What<'t>),
    /// A move to an instance of this call.
    ToAny,
    /// A move from or to something inside this object.
    Within(Side, What<'t>),
}

/// Which end of a move.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    From,
    To,
}

/// The moves of a [`Spot`], in order, and what leads to several of them once that is needed.
#[derive(Default)]
struct Members {
    moves: Vec<u32>,
    /// By position in `moves`, what leads to it and to all before it.
    up_to: Vec<NodeId>,
    /// The same from the end.
    from: Vec<NodeId>,
}

struct Waiting<'t> {
    graph: GraphBuilder,
    nodes: Vec<NodeId>,
    paths: Paths<'t>,
    found: FxHashMap<Spot<'t>, Members>,
    /// The depths of the modules that have moves, ascending.
    depths: Vec<usize>,
}

impl<'t> Waiting<'t> {
    /// Records a move at its spots.
    fn add(&mut self, number: u32, one: &Move<'t>) {
        let mut counts: Vec<usize> = self.depths.iter().map(|depth| one.depth.max(*depth)).collect();
        counts.dedup();
        for without_keys in counts {
            for (side, end) in [(Side::From, &one.from), (Side::To, &one.to)] {
                let steps = self.paths.steps(end, without_keys);
                let within = around(end, &steps).into_iter();
                let mut roles: Vec<_> = within
                    .map(|(path, what)| (path, Role::Within(side, what)))
                    .collect();
                if side == Side::To {
                    roles.extend(reached(end, &steps));
                }
                for (path, role) in roles {
                    let depth = one.depth;
                    let members = self.found.entry(Spot { path, depth, role }).or_default();
                    if members.moves.last() != Some(&number) {
                        members.moves.push(number);
                    }
                }
            }
        }
    }

    /// Adds edges from a move to all moves that are made before it.
    fn ask(&mut self, number: u32, one: &Move<'t>) {
        for depth in self.depths.clone() {
            let without_keys = one.depth.max(depth);
            let from = self.paths.steps(&one.from, without_keys);
            let to = self.paths.steps(&one.to, without_keys);
            let mut before = same(&one.from, &from);
            // A move inside a module waits for the move that only changes the key of that module, not the reverse.
            if one.depth >= depth || !changes_key(one) {
                let outer = around(&one.from, &from).into_iter().chain(around(&one.to, &to));
                before.extend(outer.map(|(path, what)| (path, Role::To(what))));
                before.extend(inside(&one.from, &from));
            }
            for (path, role) in before {
                self.wait(number, &Spot { path, depth, role });
            }
        }
    }

    fn wait(&mut self, number: u32, spot: &Spot<'t>) {
        let (Some(members), Some(node)) = (self.found.get_mut(spot), self.nodes.get(number as usize)) else {
            return;
        };
        if members.up_to.is_empty() {
            let all = members.moves.iter();
            let all = all.filter_map(|number| self.nodes.get(*number as usize).copied());
            members.up_to = chain(all.clone(), &mut self.graph);
            members.from = chain(all.rev(), &mut self.graph);
        }
        // A move does not wait for itself.
        let parts = match members.moves.binary_search(&number) {
            Ok(own) => {
                let behind = members.moves.len() - own - 1;
                [(&members.up_to, own), (&members.from, behind)]
            }
            Err(_) => [(&members.up_to, members.moves.len()), (&members.from, 0)],
        };
        for (chain, count) in parts {
            if let Some(before) = count.checked_sub(1).and_then(|last| chain.get(last)) {
                self.graph.explicit(*node, *before, 0);
            }
        }
    }
}

/// The spots at which a move to an end is recorded.
fn reached<'t>(end: &End<'t>, steps: &Steps) -> Vec<(Path, Role<'t>)> {
    let last = steps.last();
    match &end.what {
        What::Call => vec![(last.open, Role::To(What::Call))],
        What::Module => vec![(last.exact, Role::To(What::Module)), (last.open, Role::ToAny)],
        what => vec![(last.exact, Role::To(what.clone()))],
    }
}

/// The spots of moves to the same object as an end.
fn same<'t>(end: &End<'t>, steps: &Steps) -> Vec<(Path, Role<'t>)> {
    let last = steps.last();
    match &end.what {
        What::Call => vec![(last.open, Role::To(What::Call)), (last.open, Role::ToAny)],
        What::Module => vec![
            (last.exact, Role::To(What::Module)),
            (last.open, Role::To(What::Call)),
        ],
        what => vec![(last.exact, Role::To(what.clone()))],
    }
}

/// The objects that contain an end, each with its path.
fn around<'t>(end: &End<'t>, steps: &Steps) -> Vec<(Path, What<'t>)> {
    let mut found = Vec::new();
    for (step, is_last) in steps.each() {
        let is_module = matches!(end.what, What::Call | What::Module);
        if !is_last || end.what != What::Call {
            found.push((step.open, What::Call));
        }
        if !is_last || !is_module {
            found.push((step.exact, What::Module));
        }
    }
    if let What::Instance(ty, name, _) = end.what {
        found.push((steps.last().exact, What::Resource(ty, name)));
    }
    found
}

/// The spots of moves from or to something inside an end.
fn inside<'t>(end: &End<'t>, steps: &Steps) -> Vec<(Path, Role<'t>)> {
    let last = steps.last();
    let path = match end.what {
        What::Call => last.open,
        What::Module | What::Resource(..) => last.exact,
        What::Instance(..) => return Vec::new(),
    };
    let sides = [Side::From, Side::To];
    sides
        .map(|side| (path, Role::Within(side, end.what.clone())))
        .into()
}

/// Nodes of which each leads to one of some nodes and to the previous one of these.
fn chain(nodes: impl Iterator<Item = NodeId>, graph: &mut GraphBuilder) -> Vec<NodeId> {
    let mut joins: Vec<NodeId> = Vec::new();
    for node in nodes {
        let join = graph.join(0);
        graph.explicit(join, node, 0);
        if let Some(previous) = joins.last() {
            graph.explicit(join, *previous, 0);
        }
        joins.push(join);
    }
    joins
}

#[cfg(test)]
mod tests {
    use applyorder_core::graph::GraphBuilder;
    use applyorder_syntax::hcl::eval::Place as Written;
    use applyorder_syntax::text::Span;

    use super::{End, Key, Move, What, changes_key, graph};

    /// Whether Terraform makes one move after another.
    fn waits(one: &Move<'_>, other: &Move<'_>) -> bool {
        if may_be(&one.from, &other.to) {
            return true;
        }
        let is_nested = is_within(&one.from, &other.to)
            || is_within(&one.to, &other.to)
            || is_within(&other.from, &one.from)
            || is_within(&other.to, &one.from);
        is_nested && (one.depth >= other.depth || !changes_key(one))
    }

    /// Whether two ends may be the same object.
    fn may_be(one: &End<'_>, other: &End<'_>) -> bool {
        let is_call = |what: &What<'_>| matches!(what, What::Call | What::Module);
        one.modules.len() == other.modules.len()
            && starts(one, other)
            && (one.what == other.what || is_call(&one.what) && is_call(&other.what))
    }

    /// Whether an end may be inside another.
    fn is_within(one: &End<'_>, other: &End<'_>) -> bool {
        if !starts(one, other) {
            return false;
        }
        let is_deeper = one.modules.len() > other.modules.len();
        match (&other.what, &one.what) {
            (What::Call, What::Call) | (What::Module, What::Call | What::Module) => is_deeper,
            (What::Call | What::Module, _) => true,
            (What::Resource(ty, name), What::Instance(own, own_name, _)) => {
                !is_deeper && (ty, name) == (own, own_name)
            }
            _ => false,
        }
    }

    /// Whether the modules of an end may start with those of another.
    fn starts(one: &End<'_>, other: &End<'_>) -> bool {
        one.modules.len() >= other.modules.len()
            && one.modules.iter().zip(&other.modules).all(|(a, b)| {
                let is_any = a.1.is_none() || b.1.is_none();
                a.0 == b.0 && (is_any || a.1 == b.1)
            })
    }

    /// Pseudorandom numbers that are the same in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            usize::try_from(self.0 >> 33).unwrap() % limit
        }

        fn key(&mut self) -> Key {
            [Key::None, Key::Int(0), Key::Str("k".into())][self.below(3)].clone()
        }

        fn end(&mut self, depth: usize, sort: usize, is_instance: bool) -> End<'static> {
            let mut modules: Vec<_> = (0..depth).map(|_| (["a", "b"][self.below(2)], None)).collect();
            let own = self.below(3) + usize::from(sort == 0);
            modules.extend((0..own).map(|_| (["a", "b"][self.below(2)], Some(self.key()))));
            let name = ["x", "y"][self.below(2)];
            let what = match (sort, is_instance) {
                (0, true) => What::Module,
                (0, false) => {
                    modules.last_mut().unwrap().1 = None;
                    What::Call
                }
                (_, true) => What::Instance("t", name, self.key()),
                (_, false) => What::Resource("t", name),
            };
            End { modules, what }
        }

        fn one(&mut self) -> Move<'static> {
            let (depth, sort, is_instance) = (self.below(3), self.below(2), self.below(2) == 0);
            Move {
                from: self.end(depth, sort, is_instance),
                to: self.end(depth, sort, is_instance),
                depth,
                at: Written {
                    file: 0,
                    span: Span::at(0),
                },
                names: Default::default(),
            }
        }
    }

    fn in_cycles(graph: &applyorder_core::graph::OrderGraph) -> Vec<u32> {
        let components = graph.components();
        let members = components.cyclic().iter().flat_map(|c| components.members(*c));
        let mut units: Vec<u32> = members.filter_map(|node| graph.kind(*node)?.unit()).collect();
        units.sort_unstable();
        units
    }

    #[test]
    fn the_cycles_are_those_of_a_pairwise_comparison() {
        let mut random = Random(1);
        let mut cyclic = 0;
        for _ in 0..3_000 {
            let count = 2 + random.below(6);
            let moves: Vec<Move<'_>> = (0..count).map(|_| random.one()).collect();
            let mut all = GraphBuilder::new();
            let nodes: Vec<_> = (0u32..).zip(&moves).map(|(number, _)| all.unit(number)).collect();
            for (one, node) in moves.iter().zip(&nodes) {
                for (other, before) in moves.iter().zip(&nodes) {
                    if node != before && waits(one, other) {
                        all.explicit(*node, *before, 0);
                    }
                }
            }
            let expected = in_cycles(&all.build());
            cyclic += usize::from(!expected.is_empty());
            assert_eq!(in_cycles(&graph(&moves)), expected);
        }
        assert!((500..2_500).contains(&cyclic), "{cyclic}");
    }
}
