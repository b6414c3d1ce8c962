//! `redundant-dependency` in lists of Terramate's stacks: entries without which every run of every selection has the same order.
//!
//! A selection brings in the stacks that its own entries name, and theirs in turn, with their entries, but not
//! the implicit edges of stacks that are not selected. So an entry is redundant if another entry of its list
//! covers it; if a chain of entries of the same list, each on the stack that the one before names, leads to
//! what it means; or if it repeats an edge of nesting between stacks that no other entry connects.

use std::sync::Arc;

use crate::model::Model;
use crate::model::refs::Meaning;
use crate::model::stacks::{Node, StackIx, Stacks};
use crate::read::Attribute;
use crate::relate::Related;
use crate::relate::entries::Entry;
use crate::scope::Scope;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Safety};
use applyorder_core::engine::{EngineIx, UnitIx};
use applyorder_core::graph::{EdgeId, GraphBuilder, NodeId, OrderGraph, Path};
use applyorder_core::layer::{Hint, HintSearch, Hints, Stop};
use applyorder_core::rules::redundant_dependency::{BUDGET, RULE};

/// Projects with more entries are not searched.
const MOST_ENTRIES: usize = 6_000;

/// The search for the hints of a project, which does not change any more.
pub(crate) fn search(engine: EngineIx, model: &Arc<Model>, related: &Arc<Related>) -> HintSearch {
    let (model, related) = (model.clone(), related.clone());
    Arc::new(move |stop| {
        let scope = Scope::new(engine, &model, &related);
        let stacks = 0..related.entries.stacks();
        let search = Search {
            scope,
            stacks: scope.stacks,
            entries: stacks.map(|stack| related.entries.of(stack).collect()).collect(),
        };
        search.hints(stop)
    })
}

struct Search<'a> {
    scope: Scope<'a>,
    stacks: &'a Stacks,
    /// The entries of each stack.
    entries: Vec<Vec<Entry<'a>>>,
}

impl Search<'_> {
    /// One hint per entry that can be removed. All of them can be removed at once.
    ///
    /// Unknown values do not remove what implies an entry, but an entry may include more.
    fn hints(&self, stop: &Stop) -> Hints {
        let unknowns = &self.scope.model.unknowns;
        if unknowns.may_hold_stacks {
            return Hints::default();
        }
        let limit = || {
            let words = "redundancy search stopped at its limit";
            Some(words.to_owned())
        };
        let count: usize = self.entries.iter().map(Vec::len).sum();
        if count > MOST_ENTRIES {
            return Hints {
                hints: Vec::new(),
                limit: limit(),
            };
        }
        let mut found: Vec<(StackIx, Diagnostic)> = Vec::new();
        let mut gone: Vec<Vec<bool>> = Vec::with_capacity(self.entries.len());
        for ((stack, node), entries) in self.stacks.iter().zip(&self.entries) {
            let mut of_stack = vec![false; entries.len()];
            for attribute in Attribute::ALL {
                self.covered(stack, node, entries, attribute, &mut of_stack, &mut found);
            }
            gone.push(of_stack);
        }
        let mut is_cut_short = false;
        for attribute in [Attribute::After, Attribute::Before] {
            if stop.is_requested() {
                return Hints::default();
            }
            is_cut_short |= !self.implied(attribute, &mut gone, &mut found);
        }
        if unknowns.why.is_none() {
            self.nested(&gone, &mut found);
        }
        found.sort_by_key(|(stack, _)| *stack);
        Hints {
            hints: found.into_iter().map(|(_, d)| on_its_way(d)).collect(),
            limit: is_cut_short.then(limit).flatten(),
        }
    }

    /// Whether it is known what an entry means.
    fn is_whole(&self, entry: &Entry<'_>) -> bool {
        !self.scope.model.unknowns.may_hold_more || matches!(entry.meaning, Meaning::Directory { .. })
    }

    /// Entries whose stacks the other entries of the list also name; of equal ones the first stays.
    fn covered(
        &self,
        stack: StackIx,
        node: &Node,
        entries: &[Entry<'_>],
        attribute: Attribute,
        gone: &mut [bool],
        found: &mut Vec<(StackIx, Diagnostic)>,
    ) {
        let of_list: Vec<usize> = (0..entries.len())
            .filter(|i| entries.get(*i).is_some_and(|e| e.attribute == attribute))
            .collect();
        if of_list.len() < 2 {
            return;
        }
        for i in of_list.iter().rev() {
            let is_judged = |e: &&Entry<'_>| is_sound(e, stack) && self.is_whole(e);
            let Some(entry) = entries.get(*i).filter(is_judged) else {
                continue;
            };
            let others = || {
                let others = of_list
                    .iter()
                    .filter(|o| *o != i && gone.get(**o) == Some(&false));
                others.filter_map(|o| entries.get(*o))
            };
            let by = |target: &UnitIx| others().find(|o| o.targets.binary_search(target).is_ok());
            let mut covering: Vec<&Entry<'_>> = Vec::new();
            for target in entry.targets.iter() {
                let Some(other) = by(target) else { break };
                if !covering.iter().any(|c| c.at == other.at) {
                    covering.push(other);
                }
            }
            if !entry.targets.iter().all(|t| by(t).is_some()) {
                continue;
            }
            if let Some(slot) = gone.get_mut(*i) {
                *slot = true;
            }
            let mut d = self.hint(node, entry, "already covered by the other entries");
            for other in covering {
                d = d.related(
                    self.scope.place(node, *other),
                    format!("`{}` includes it too", other.text),
                );
            }
            found.push((stack, d));
        }
    }

    /// Entries that a chain of others of the same list implies. False: not all were checked.
    fn implied(
        &self,
        attribute: Attribute,
        gone: &mut [Vec<bool>],
        found: &mut Vec<(StackIx, Diagnostic)>,
    ) -> bool {
        let (graph, owners) = self.chains(attribute, gone);
        if owners.is_empty() {
            return true;
        }
        let components = graph.components();
        let all = |_: EdgeId| true;
        let redundancy = graph.redundant(&components, BUDGET, all, all);
        let mut paths: Vec<Vec<&Path>> = vec![Vec::new(); owners.len()];
        for redundant in &redundancy.edges {
            let dependency = graph.edge(redundant.edge).and_then(|e| e.kind.dependency());
            if let Some(paths) = dependency.and_then(|d| paths.get_mut(d as usize)) {
                paths.push(&redundant.path);
            }
        }
        for (number, ((stack, slot), paths)) in (0u32..).zip(owners.iter().zip(paths)) {
            let node = self.stacks.get(*stack);
            let entry = self.entries.get(*stack as usize).and_then(|e| e.get(*slot));
            let (Some(node), Some(entry)) = (node, entry.filter(|e| self.is_whole(e))) else {
                continue;
            };
            // Of the stacks that it means, the last one to run is implied without the entry itself.
            let is_own = |edge: &EdgeId| graph.edge(*edge).and_then(|e| e.kind.dependency()) == Some(number);
            let mut others = paths.iter().filter(|path| !path.edges().iter().any(is_own));
            let Some(path) = others.next().filter(|_| paths.len() == entry.targets.len()) else {
                continue;
            };
            if let Some(slot) = gone.get_mut(*stack as usize).and_then(|g| g.get_mut(*slot)) {
                *slot = true;
            }
            let names: Vec<Arc<str>> = path.nodes().iter().map(|n| self.stacks.path(n.0)).collect();
            let word = attribute.name();
            let mut d = self.hint(node, entry, &implied(&names));
            for edge in path.edges().iter().filter_map(|e| graph.edge(*e)) {
                let via = edge.kind.dependency().and_then(|d| owners.get(d as usize));
                let via = via.and_then(|(s, slot)| {
                    let entry = self.entries.get(*s as usize)?.get(*slot)?;
                    Some(self.scope.place(self.stacks.get(*s)?, *entry))
                });
                if let Some(place) = via {
                    let (from, to) = (self.stacks.path(edge.from.0), self.stacks.path(edge.to.0));
                    d = d.related(place, format!("`{from}` runs {word} `{to}`"));
                }
            }
            found.push((*stack, d));
        }
        redundancy.searched
    }

    /// The graph of one list only, from the stack that contains an entry to those it means; and the entries by
    /// the numbers in it.
    fn chains(&self, attribute: Attribute, gone: &[Vec<bool>]) -> (OrderGraph, Vec<(StackIx, usize)>) {
        let mut builder = GraphBuilder::new();
        for (stack, _) in self.stacks.iter() {
            builder.unit(stack);
        }
        let mut owners: Vec<(StackIx, usize)> = Vec::new();
        for ((stack, _), (entries, gone)) in self.stacks.iter().zip(self.entries.iter().zip(gone)) {
            for (slot, (entry, gone)) in entries.iter().zip(gone).enumerate() {
                if *gone || entry.attribute != attribute || !is_sound(entry, stack) {
                    continue;
                }
                let number = u32::try_from(owners.len()).unwrap_or(u32::MAX);
                owners.push((stack, slot));
                for target in entry.targets.iter() {
                    builder.explicit(NodeId(stack), NodeId(target.0), number);
                }
            }
        }
        (builder.build(), owners)
    }

    /// Entries of `before` that repeat what nesting implies, between stacks that no other entry connects with
    /// anything: otherwise a run with only one of the two could need them.
    fn nested(&self, gone: &[Vec<bool>], found: &mut Vec<(StackIx, Diagnostic)>) {
        let mut named = vec![0usize; self.stacks.len()];
        for entry in self.entries.iter().flatten() {
            for target in entry.targets.iter().filter(|_| entry.attribute.orders()) {
                if let Some(count) = named.get_mut(target.0 as usize) {
                    *count += 1;
                }
            }
        }
        let is_named = |stack: StackIx, times: usize| named.get(stack as usize) == Some(&times);
        let has_no_order = |stack: StackIx| {
            let entries = self.entries.get(stack as usize);
            entries.is_none_or(|e| !e.iter().any(|e| e.attribute.orders()))
        };
        for ((stack, node), (entries, gone)) in self.stacks.iter().zip(self.entries.iter().zip(gone)) {
            for (entry, gone) in entries.iter().zip(gone) {
                let is_below = |target: &UnitIx| {
                    let path = self.stacks.path(target.0);
                    let rest = path.strip_prefix(&*node.path);
                    rest.is_some_and(|rest| rest.starts_with('/'))
                };
                let implied =
                    |target: &UnitIx| is_below(target) && is_named(target.0, 1) && has_no_order(target.0);
                if !gone
                    && entry.attribute == Attribute::Before
                    && &*node.path != "/"
                    && is_sound(entry, stack)
                    && is_named(stack, 0)
                    && entry.targets.iter().all(implied)
                {
                    let why = "a stack already runs before nested stacks";
                    found.push((stack, self.hint(node, entry, why)));
                }
            }
        }
    }

    fn hint(&self, node: &Node, entry: &Entry<'_>, why: &str) -> Diagnostic {
        let place = self.scope.place(node, *entry);
        let name = entry.attribute.name();
        Diagnostic::new(
            &RULE,
            place,
            format!("redundant entry `{}` in `{name}`: {why}", entry.text),
        )
        .unit(node.path.clone())
        .unit(entry.text.clone())
        .fix(
            "remove the entry",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(place)],
        )
    }
}

/// What implies an entry: the stacks on a path that leads to the same stack; each step also has its place.
fn implied(path: &[Arc<str>]) -> String {
    match path {
        [_, between, _] => format!("implied through `{between}`"),
        [_, between, rest @ .., _] => format!("implied through `{between}` and {} more", rest.len()),
        _ => "implied by another entry".to_owned(),
    }
}

/// A hint, with the files that it mentions.
fn on_its_way(diagnostic: Diagnostic) -> Hint {
    let related = diagnostic.related.iter().map(|r| r.place.file);
    let mut files: Vec<FileId> = related.chain([diagnostic.place.file]).collect();
    files.sort_unstable();
    files.dedup();
    Hint {
        diagnostic,
        files: files.into(),
    }
}

/// Whether an entry means stacks other than its own.
fn is_sound(entry: &Entry<'_>, stack: StackIx) -> bool {
    !entry.targets.is_empty() && !entry.targets.contains(&UnitIx(stack))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    fn found(files: &str) -> Vec<String> {
        check(&RULE, files).found()
    }

    const TWO: &str = "//- /w/a/stack.tm\nstack {\n}\n//- /w/b/stack.tm\nstack {\n  tags = [\"x\"]\n}\n";

    #[test]
    fn one_stack_by_two_entries() {
        let files = format!("{TWO}//- /w/c/stack.tm\nstack {{\n  after = [\"/b\", \"/a\", \"../b\"]\n}}\n");
        let checked = check(&RULE, &files);
        assert_eq!(
            checked.found(),
            [
                "/c/stack.tm:2 \"../b\": redundant entry `../b` in `after`: already covered by the other entries"
            ]
        );
        assert_eq!(checked.related(), ["/c/stack.tm:2 \"/b\""]);
        assert_eq!(
            checked.fixed(0),
            "//- /w/c/stack.tm\nstack {\n  after = [\"/b\", \"/a\"]\n}\n"
        );
        let files = format!("{TWO}//- /w/c/stack.tm\nstack {{\n  wants = [\"/b\", \"tag:x\"]\n}}\n");
        assert_eq!(found(&files).len(), 1);
        let files = format!("{TWO}//- /w/c/stack.tm\nstack {{\n  after = [\"/b\"]\n  wants = [\"/b\"]\n}}\n");
        assert_eq!(found(&files), [""; 0], "two lists say two things");
    }

    #[test]
    fn a_chain_of_the_same_list() {
        let chain = |c: &str| {
            format!(
                "//- /w/a/stack.tm\nstack {{\n}}\n//- /w/b/stack.tm\nstack {{\n  after = [\"/a\"]\n}}\n\
                 //- /w/c/stack.tm\nstack {{\n{c}}}\n"
            )
        };
        let checked = check(&RULE, &chain("  after = [\"/a\", \"/b\"]\n"));
        assert_eq!(
            checked.found(),
            ["/c/stack.tm:2 \"/a\": redundant entry `/a` in `after`: implied through `/b`"]
        );
        assert_eq!(
            checked.related(),
            ["/c/stack.tm:2 \"/b\"", "/b/stack.tm:2 \"/a\""]
        );
        assert_eq!(found(&chain("  after = [\"/b\"]\n")), [""; 0]);
    }

    #[test]
    fn an_entry_does_not_imply_itself() {
        let stack = |path: &str, body: &str| format!("//- /w/{path}/stack.tm\nstack {{\n{body}}}\n");
        let files = [
            stack("a", "  tags = [\"x\"]\n"),
            stack("b", "  tags = [\"x\"]\n  after = [\"/a\"]\n"),
            stack("c", "  after = [\"tag:x\"]\n"),
            stack("d", "  after = [\"tag:x\", \"/c\"]\n"),
        ];
        let checked = check(&RULE, &files.concat());
        assert_eq!(
            checked.found(),
            ["/d/stack.tm:2 \"tag:x\": redundant entry `tag:x` in `after`: implied through `/c`"]
        );
        assert_eq!(
            checked.related(),
            ["/d/stack.tm:2 \"/c\"", "/c/stack.tm:2 \"tag:x\""]
        );
    }

    #[test]
    fn a_chain_that_a_selection_may_not_contain_is_not_a_reason() {
        // With `/c` and `/a` alone, the entry of `/b` for `/c` is not read.
        let files = "//- /w/a/stack.tm\nstack {\n}\n//- /w/b/stack.tm\nstack {\n  after = [\"/a\"]\n  before = [\"/c\"]\n}\n\
             //- /w/c/stack.tm\nstack {\n  after = [\"/a\"]\n}\n";
        assert_eq!(found(files), [""; 0]);
        // Nesting applies only if both are selected.
        let files = "//- /w/a/stack.tm\nstack {\n}\n//- /w/b/stack.tm\nstack {\n  after = [\"/a\"]\n}\n\
             //- /w/b/c/stack.tm\nstack {\n  after = [\"/a\"]\n}\n";
        assert_eq!(found(files), [""; 0]);
    }

    #[test]
    fn nesting_restated() {
        let nested = |more: &str| {
            format!(
                "//- /w/p/stack.tm\nstack {{\n  before = [\"./c\"]\n}}\n//- /w/p/c/stack.tm\nstack {{\n}}\n\
                 //- /w/z/stack.tm\nstack {{\n{more}}}\n"
            )
        };
        assert_eq!(
            found(&nested("")),
            [
                "/p/stack.tm:2 \"./c\": redundant entry `./c` in `before`: a stack already runs before nested stacks"
            ]
        );
        assert_eq!(
            found(&nested("  after = [\"/p/c\"]\n")),
            [""; 0],
            "a run without `/p/c` needs it"
        );
        assert_eq!(found(&nested("  before = [\"/p\"]\n")), [""; 0]);
    }

    #[test]
    fn what_is_not_known_can_be_more_that_an_entry_means() {
        let files = |tags: &str| {
            format!(
                "//- /w/b/stack.tm\nstack {{\n  tags = [\"b\"]\n}}\n//- /w/c/stack.tm\nstack {{\n  after = [\"/b\", \"tag:b\"]\n}}\n\
                 //- /w/d/stack.tm\nstack {{\n  tags = {tags}\n}}\n"
            )
        };
        let known = "/c/stack.tm:2 \"tag:b\": redundant entry `tag:b` in `after`: already covered by the other entries";
        assert_eq!(found(&files("[]")), [known]);
        let other = known.replace("\"tag:b\"", "\"/b\"").replace("`tag:b`", "`/b`");
        assert_eq!(found(&files("[tm_uuid()]")), [other], "`/d` may carry the tag");
        let gap = format!("{}//- /w/e/x.tm\n%%%\n", files("[]"));
        assert_eq!(found(&gap), [""; 0], "there may be a stack in `/e`");
    }

    #[test]
    fn nothing_at_a_cycle() {
        let files = "//- /w/a/stack.tm\nstack {\n  after = [\"/b\"]\n}\n//- /w/b/stack.tm\nstack {\n  after = [\"/a\"]\n}\n\
             //- /w/c/stack.tm\nstack {\n  after = [\"/a\", \"/b\"]\n}\n";
        assert_eq!(found(files), [""; 0]);
    }

    #[test]
    fn large_projects_are_searched_too() {
        let mut files = String::from(
            "//- /w/s0000/s.tm\nstack {\n}\n//- /w/s0001/s.tm\nstack {\n  after = [\"/s0000\"]\n}\n",
        );
        for n in 2..1500 {
            let (one, two) = (n - 1, n - 2);
            files.push_str(&format!(
                "//- /w/s{n:04}/s.tm\nstack {{\n  after = [\"/s{one:04}\", \"/s{two:04}\"]\n}}\n"
            ));
        }
        assert_eq!(found(&files).len(), 1498, "the further one of each");
    }
}
