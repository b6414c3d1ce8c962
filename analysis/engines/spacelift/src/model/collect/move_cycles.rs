//! Moves that wait for each other, in all modules together.
//!
//! Source: Terraform 1.11, `refactoring.validateMoveStatementGraph`. A statement applies to every instance of its
//! module, whether it exists or not.

use applyorder_syntax::hcl::eval::Place as Written;
use rustc_hash::FxHashSet;

use super::super::Argument;
use super::super::key::Key;
use super::super::module::written;
use super::super::world::World;
use super::super::written_address::{self, Address, Keys};
use super::move_graph::{self, End, Move, What};
use super::moves::{self, MOVED};

/// The maximum number of modules whose moves are compared, each counted once for every chain of calls that leads to it.
const MAX_MODULES: usize = 10_000;

/// The maximum nesting of modules that is followed.
const MAX_DEPTH: usize = 32;

/// The maximum number of moves that are compared, each counted as often as its module.
const MAX_MOVES: usize = 50_000;

/// The moves that are part of a cycle. Terraform searches for cycles only if nothing else is wrong with the moves.
pub(super) fn check(world: &World<'_>, others: &[Argument]) -> Vec<Argument> {
    let is_other = |other: &Argument| &*other.resource == MOVED[0] && !other.is_likely;
    if others.iter().any(is_other) {
        return Vec::new();
    }
    let Some(moves) = all(world) else {
        return Vec::new();
    };
    let graph = move_graph::graph(&moves);
    let components = graph.components();
    let cyclic = components.cyclic().iter().flat_map(|c| components.members(*c));
    let mut members: Vec<u32> = cyclic.filter_map(|node| graph.kind(*node)?.unit()).collect();
    members.sort_unstable();
    // A block is one move for each call of its module, and is reported once.
    let mut told = FxHashSet::default();
    let members = members
        .into_iter()
        .filter_map(|number| moves.get(number as usize));
    members
        .filter(|one| told.insert(one.at))
        .map(|one| {
            let (from, to) = &one.names;
            let why = format!("the move from `{from}` to `{to}` is part of a cycle of moves");
            moves::wrong(world, MOVED, one.at, why, false)
        })
        .collect()
}

/// All moves; `None` if they are not compared.
fn all<'a>(world: &World<'a>) -> Option<Vec<Move<'a>>> {
    let is_move = |file: &usize| {
        let source = world.sources.get(*file);
        source.is_some_and(|source| source.facts.tree.body().blocks().any(|b| b.kind() == MOVED[0]))
    };
    let mut files = world.modules.iter().flat_map(|module| &module.files);
    if !files.any(is_move) {
        return None;
    }
    let mut moves = Vec::new();
    let mut count = 0;
    let mut open: Vec<(usize, Vec<&'a str>)> = vec![(0, Vec::new())];
    while let Some((number, path)) = open.pop() {
        let Some(module) = world.modules.get(number) else {
            continue;
        };
        count += 1;
        for file in module
            .files
            .iter()
            .filter(|file| !module.overriding.contains(file))
        {
            let Some(source) = world.sources.get(*file) else {
                continue;
            };
            for block in source.facts.tree.body().blocks().filter(|b| b.kind() == MOVED[0]) {
                let address = |name: &str| {
                    let expr = block.body().attribute(name)?.value();
                    Some((
                        expr.span(),
                        written_address::read(expr, Keys::Constant, world.is_tofu()).ok()?,
                    ))
                };
                if let Some(((span, from), (_, to))) = address("from").zip(address("to")) {
                    moves.extend(one(&path, (&from, &to), written(span, *file)));
                }
            }
        }
        for call in module.calls.iter().filter(|_| path.len() < MAX_DEPTH) {
            if let Some(called) = world.called_module(number, call) {
                let path = path.iter().copied().chain([call.name()]).collect();
                open.push((called, path));
            }
        }
        if count > MAX_MODULES || moves.len() > MAX_MOVES {
            if let Some(first) = moves.first() {
                world.leave_values_open(first.at, "there are too many moves to look for cycles of them");
            }
            return None;
        }
    }
    Some(moves)
}

/// A move in the module that calls lead to; `None` if it is invalid itself.
fn one<'t>(path: &[&'t str], (from, to): (&Address<'t>, &Address<'t>), at: Written) -> Option<Move<'t>> {
    // Where one end has a key, both mean an instance.
    let is_instance = moves::own_key(from) != Key::None || moves::own_key(to) != Key::None;
    if from.resource.is_some() != to.resource.is_some() {
        return None;
    }
    Some(Move {
        from: end(path, from, is_instance)?,
        to: end(path, to, is_instance)?,
        depth: path.len(),
        at,
        names: (moves::name(from), moves::name(to)),
    })
}

fn end<'t>(path: &[&'t str], address: &Address<'t>, is_instance: bool) -> Option<End<'t>> {
    let around = path.iter().map(|name| (*name, None));
    let own = address.calls.iter().map(|(name, key)| (*name, Some(key.clone())));
    let mut modules: Vec<_> = around.chain(own).collect();
    let what = match (&address.resource, is_instance) {
        (None, true) => What::Module,
        (None, false) => {
            modules.last_mut()?.1 = None;
            What::Call
        }
        (Some(own), _) if own.sort.is_some() => return None,
        (Some(own), true) => What::Instance(own.ty, own.name, own.key.clone()?),
        (Some(own), false) => What::Resource(own.ty, own.name),
    };
    Some(End { modules, what })
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, stacks};

    /// From where, and to where.
    type Moves<'m> = &'m [[&'m str; 2]];

    fn moved(moves: Moves<'_>) -> String {
        let one = |[from, to]: &[&str; 2]| format!("moved {{\n  from = {from}\n  to   = {to}\n}}\n");
        moves.iter().map(one).collect()
    }

    /// The verdict on `plan`, and the findings about moves.
    fn plan(calls: &str, root: Moves<'_>, child: Moves<'_>) -> (Option<bool>, Vec<String>) {
        let text = format!(
            "{}{calls}{}//- /w/m/main.tf\n{}",
            stacks(&["a"]),
            moved(root),
            moved(child)
        );
        let fixture = module(&text, RunOptions::default());
        let (_, project) = fixture.analysis.projects().next().unwrap();
        let verdict = project.resolution.verdicts.iter().find(|v| v.command == "plan");
        let found = project.resolution.diagnostics.iter();
        let said = found
            .filter(|d| d.rule.id == "invalid-value")
            .map(|d| d.message.clone());
        (verdict.unwrap().ok, said.collect())
    }

    const M: &str = "module \"m\" {\n  source = \"./m\"\n}\n";
    const EACH: &str = "module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"x\", \"y\"])\n}\n";
    const TWO: &str = "module \"m\" {\n  source = \"./m\"\n}\nmodule \"n\" {\n  source = \"./m\"\n}\n";

    /// What Terraform 1.11.4 says: how many moves it names in a cycle.
    #[test]
    fn moves_of_all_modules_are_looked_at_together() {
        let none = M.replace("\n}", "\n  count = 0\n}");
        let own = &[["t.a", "t.b"]][..];
        let k = &[["module.l", "module.k"]][..];
        let cases: &[(&str, Moves<'_>, Moves<'_>, usize)] = &[
            (M, &[["module.m.t.b", "module.m.t.a"]], own, 2),
            (M, &[["module.m.t.b", "t.c"], ["t.c", "module.m.t.a"]], own, 3),
            (M, &[["module.m.t.b", "t.c"]], own, 0),
            (EACH, &[["module.m[\"x\"].t.b", "module.m[\"x\"].t.a"]], own, 2),
            // A move of a module counts for all its instances.
            (EACH, &[["module.m[\"x\"].t.b", "module.m[\"y\"].t.a"]], own, 2),
            (&none, &[["module.m[0].t.b", "module.m[0].t.a"]], own, 2),
            (M, &[["module.m.module.k", "module.m.module.l"]], k, 2),
            (
                TWO,
                &[["module.m.t.b", "module.n.t.a"], ["module.n.t.b", "module.m.t.a"]],
                own,
                3,
            ),
            (TWO, &[["module.m.t.b", "module.n.t.a"]], own, 0),
            // Of a module only the key changes, or it has another name.
            (M, &[["module.m[0]", "module.m"]], own, 0),
            (M, &[["module.n", "module.m"]], own, 0),
        ];
        for (calls, root, child, count) in cases {
            let (ok, found) = plan(calls, root, child);
            assert_eq!(
                (ok, found.len()),
                (Some(*count == 0), *count),
                "{root:?} {found:?}"
            );
            assert!(
                found
                    .iter()
                    .all(|said| said.contains("is part of a cycle of moves")),
                "{found:?}"
            );
        }
    }

    #[test]
    fn what_is_in_a_module_moves_after_it() {
        let cases: &[(Moves<'_>, usize)] = &[
            (&[["module.n", "module.o"], ["module.o.t.x", "module.n.t.x"]], 2),
            (&[["module.a.module.b", "module.c"], ["module.c", "module.a"]], 2),
            (
                &[
                    ["module.a", "module.b"],
                    ["module.b.module.x", "module.a.module.y"],
                ],
                2,
            ),
            (&[["module.a", "module.b[0]"], ["module.b", "module.a"]], 2),
            (
                &[["module.a[0]", "module.b[0]"], ["module.b[1]", "module.a[1]"]],
                0,
            ),
            (&[["t.a", "module.a.t.a"], ["module.a", "module.b"]], 0),
            (&[["module.m.t.c", "module.n.t.c"], ["module.n", "module.m"]], 2),
            (&[["t.x", "t.y"], ["t.y", "t.z[0]"], ["t.z[0]", "t.x"]], 3),
            (&[["t.x[0]", "t.y[0]"], ["t.y", "t.x"]], 2),
            (&[["t.a", "t.a[0]"], ["t.a[0]", "t.a"]], 2),
        ];
        for (root, count) in cases {
            let (ok, found) = plan("", root, &[]);
            assert_eq!(
                (ok, found.len()),
                (Some(*count == 0), *count),
                "{root:?} {found:?}"
            );
        }
    }

    /// A pairwise comparison would take minutes.
    #[test]
    fn many_moves_are_all_compared() {
        const COUNT: usize = 5_000;
        let text = |last: &str| {
            let link =
                |number: usize| format!("moved {{\n  from = t.x{number}\n  to = t.x{}\n}}\n", number + 1);
            let chain: String = (0..COUNT).map(link).collect();
            let last = format!("moved {{\n  from = t.x{COUNT}\n  to = {last}\n}}\n");
            format!("{}{chain}{last}", stacks(&["a"]))
        };
        let plan = |last: &str| {
            let fixture = module(&text(last), RunOptions::default());
            let (_, project) = fixture.analysis.projects().next().unwrap();
            let mut verdicts = project.resolution.verdicts.iter();
            let found = project.resolution.diagnostics.iter();
            (
                verdicts.find(|v| v.command == "plan").unwrap().ok,
                found.filter(|d| d.rule.id == "invalid-value").count(),
            )
        };
        assert_eq!(plan("t.end"), (Some(true), 0));
        assert_eq!(plan("t.x0"), (Some(false), COUNT + 1));
    }

    #[test]
    fn what_a_module_moves_its_caller_must_not_move_elsewhere() {
        for caller in [["module.m.t.a", "module.m.t.c"], ["module.m.t.c", "module.m.t.b"]] {
            let (ok, found) = plan(M, &[caller], &[["t.a", "t.b"]]);
            assert_eq!(found, ["`from` of `moved`: another `moved` says otherwise"]);
            assert_eq!(ok, Some(false));
        }
        let same = plan(M, &[["module.m.t.a", "module.m.t.b"]], &[["t.a", "t.b"]]);
        assert_eq!(same, (Some(true), vec![]));
    }
}
