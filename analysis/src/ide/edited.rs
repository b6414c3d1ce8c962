//! The effect on the layers of a proposal whose text is in several units: computed by resolving the edited
//! text.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::closing::{size, waiting};
use super::consequence::{Consequence, moves, on_operation};
use crate::workspace::{Analysis, Project, ProjectIx, WhatIf};
use applyorder_core::diagnostic::{EngineIx, FileId};
use applyorder_core::engine::{Completion, Dependency, Joins, Operation, Variant};
use applyorder_core::graph::OrderGraph;
use applyorder_core::memo::Budget;
use applyorder_syntax::text::{Span, TextEdit};

/// The maximum number of units and dependencies resolved for the proposals at one place: a user is waiting for
/// the list.
const STEPS: u64 = 1_000;

/// The project that contains a file, resolved with one proposal after the other.
pub(super) struct Edited<'a> {
    analysis: &'a Analysis,
    file: FileId,
    /// `None` if the file is part of several: they may answer differently.
    project: Option<(ProjectIx, &'a Arc<Project>)>,
    budget: Budget,
}

impl<'a> Edited<'a> {
    pub(super) fn new(analysis: &'a Analysis, engine: EngineIx, file: FileId) -> Self {
        let mut projects = analysis.projects_of(file);
        projects.retain(|(_, project)| project.seed.engine == engine);
        Self {
            analysis,
            file,
            project: match projects.as_slice() {
                [one] => Some(*one),
                _ => None,
            },
            budget: Budget::new(STEPS),
        }
    }

    /// The effect of a proposal, and its text; `None` if it is unknown, or would take long to compute.
    pub(super) fn with(&mut self, completion: &Completion, joins: &Joins) -> Option<(Consequence, String)> {
        let (ix, project) = self.project?;
        if !self.budget.spend(size(self.analysis, ix)) {
            return None;
        }
        let text = completion.insert.as_ref().unwrap_or(&completion.label);
        let edit = TextEdit {
            span: completion.span,
            text: text.clone(),
        };
        let entry = entry_after(joins, &edit);
        let after = self.analysis.what_if(project, &[(self.file, vec![edit])])?;
        let (consequence, said) = if self.closes_cycle(project, &after, entry) {
            (Consequence::Cycle, "would close a cycle".to_owned())
        } else {
            moved(project, &after, joins.operation)?
        };
        Some((consequence, on_operation(said, joins.operation)))
    }

    fn closes_cycle(&self, project: &Project, after: &WhatIf, entry: Span) -> bool {
        // The current entry may be part of a cycle itself: that more units wait for each other is not
        // sufficient.
        let is_entry = |d: &Dependency| d.place.file == self.file && after.span(d.place).overlaps(entry);
        let is_in_one = |variant: &Variant| {
            let mut orders = [&variant.apply, &variant.delete].into_iter();
            orders.any(|order| is_in_cycle(variant, &order.graph, &is_entry))
        };
        waiting(&after.resolution) > waiting(&project.resolution)
            || after.resolution.variants.iter().any(is_in_one)
    }
}

/// Which units are in other layers after an edit.
fn moved(project: &Project, after: &WhatIf, operation: Operation) -> Option<(Consequence, String)> {
    let before = project.resolution.variants.first()?;
    let environment = before.environments.first()?;
    let mut variants = after.resolution.variants.iter();
    let after = variants.find(|v| v.environments.contains(environment))?;
    let (before, after) = (layers(before, operation)?, layers(after, operation)?);
    // The set of units depends on other texts than IDs.
    if !before.keys().eq(after.keys()) {
        return None;
    }
    let moved = after
        .iter()
        .filter(|(name, layer)| before.get(*name) != Some(layer));
    let mut moved: Vec<(&str, u32)> = moved.map(|(name, layer)| (*name, *layer)).collect();
    moved.sort_by_key(|(name, layer)| (*layer, *name));
    Some(if moved.is_empty() {
        (Consequence::Stays, "nothing moves".to_owned())
    } else {
        (Consequence::Moves(Vec::new()), moves(moved.into_iter()))
    })
}

/// The location, after the insertion, of the entry that contains a proposal.
fn entry_after(joins: &Joins, edit: &TextEdit) -> Span {
    let put_in = Span::from_usize(
        edit.span.start as usize,
        edit.span.start as usize + edit.text.len(),
    );
    match joins.place {
        None => put_in,
        Some(place) if place.end <= edit.span.start => place,
        Some(place) => {
            let moved = |at: u32| at.saturating_sub(edit.span.end).saturating_add(put_in.end);
            Span::new(moved(place.start), moved(place.end))
        }
    }
}

/// Whether an edge of some dependencies is part of a cycle.
fn is_in_cycle(variant: &Variant, graph: &OrderGraph, is_meant: &impl Fn(&Dependency) -> bool) -> bool {
    let components = graph.components();
    if components.cyclic().is_empty() {
        return false;
    }
    let written = |number: u32| variant.dependencies.get(number as usize);
    graph.edges().iter().any(|edge| {
        let dependency = edge.kind.dependency().and_then(written);
        components.of(edge.from) == components.of(edge.to) && dependency.is_some_and(is_meant)
    })
}

/// The layers of all units by name, if each has one.
fn layers(variant: &Variant, operation: Operation) -> Option<BTreeMap<&str, u32>> {
    let layers = variant.order_of(operation).layers.as_ref()?;
    let mut out = BTreeMap::new();
    for (number, layer) in (1..).zip(layers.iter()) {
        for unit in layer {
            out.insert(&*variant.units.get(unit.0 as usize)?.name, number);
        }
    }
    (out.len() == variant.units.len()).then_some(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods, reason = "the examples are read from the disk")]

    use std::path::Path;

    use super::*;
    use crate::fixture::Fixture;
    use crate::ide::completion::completions;
    use applyorder_syntax::text::apply_edits;
    use camino::Utf8Path;

    type Tree = BTreeMap<String, String>;

    fn read(dir: &Path, under: &str, out: &mut Tree) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{under}/{}", entry.file_name().to_str().unwrap());
            if entry.file_type().unwrap().is_dir() {
                read(&entry.path(), &path, out);
            } else if let Ok(text) = std::fs::read_to_string(entry.path()) {
                out.insert(path, text);
            }
        }
    }

    fn fixture(tree: &Tree) -> Fixture {
        let files = tree.iter().map(|(path, text)| format!("//- {path}\n{text}"));
        Fixture::new(applyorder_engines::all(), &files.collect::<String>())
    }

    /// The layers of the first variant of a file's project by unit; `None` if it has none.
    fn layers_of(fixture: &Fixture, path: &str, operation: Operation) -> Option<BTreeMap<String, u32>> {
        let analysis = &fixture.analysis;
        let (_, project) = analysis
            .projects_of(analysis.file(Utf8Path::new(path))?)
            .remove(0);
        let found = layers(project.resolution.variants.first()?, operation)?;
        Some(
            found
                .into_iter()
                .map(|(name, layer)| (name.to_owned(), layer))
                .collect(),
        )
    }

    /// Applies each proposal of each written dependency, and compares the order with the predicted effect.
    /// Returns the number of proposals, and for how many of them an effect was predicted.
    fn compare(tree: &Tree) -> (usize, usize) {
        let before = fixture(tree);
        let analysis = &before.analysis;
        let mut places = Vec::new();
        for (_, project) in analysis.projects() {
            let dependencies = project.resolution.variants.iter().flat_map(|v| &*v.dependencies);
            let at = |d: &applyorder_core::engine::Dependency| {
                let span = analysis.span(d.place);
                // Within quotes.
                let is_quoted = span.slice(before.text(d.place.file)).ends_with('"');
                (d.place.file, span.end - u32::from(is_quoted))
            };
            places.extend(dependencies.map(at));
        }
        places.sort_unstable();
        places.dedup();
        let (mut all, mut told) = (0, 0);
        for (file, offset) in places {
            for proposal in completions(analysis, file, offset).list {
                let completion = proposal.completion;
                let Some(joins) = completion.joins else {
                    continue;
                };
                all += 1;
                let detail = completion.detail.unwrap_or_default();
                let said = detail.rsplit(" · ").next().unwrap();
                let on_delete = said.strip_suffix(" on delete");
                let said = on_delete.unwrap_or(said);
                let path = analysis.path(file).as_str().to_owned();
                let edit = TextEdit {
                    span: completion.span,
                    text: completion.insert.unwrap_or(completion.label),
                };
                let what = format!("{path}:{offset} {}: {said}", edit.text);
                let mut tree = tree.clone();
                tree.insert(path.clone(), apply_edits(before.text(file), &[edit]));
                let after = layers_of(&fixture(&tree), &path, joins.operation);
                if said == "would close a cycle" {
                    assert_eq!(after, None, "{what}");
                    told += 1;
                    continue;
                }
                let is_said = ["moves to", "stays in", "already", "nothing moves"];
                if !is_said.iter().any(|word| said.contains(word)) {
                    continue;
                }
                told += 1;
                let known = layers_of(&before, &path, joins.operation);
                if said.starts_with("already") && known.is_none() {
                    continue;
                }
                let after = after.unwrap_or_else(|| panic!("{what}: no layers"));
                if said.starts_with("already") {
                    let own = after[&**joins.unit.as_ref().unwrap()];
                    let is_held = |other: &Arc<str>| (after[&**other] > own) == joins.reversed;
                    assert!(joins.others.iter().all(is_held), "{what}");
                    continue;
                }
                // If there is no order with the entry, moves are relative to the order without it.
                let Some(known) = known else {
                    for part in said.split(", ").filter(|part| !part.ends_with(" more")) {
                        let words = [" moves to ", " to ", " stays in "];
                        let (name, layer) = words.iter().find_map(|words| part.split_once(words)).unwrap();
                        assert_eq!(after[name].to_string(), layer, "{what}");
                    }
                    continue;
                };
                let mut moved = after.clone();
                moved.retain(|name, layer| known.get(name) != Some(layer));
                if let Some((name, layer)) = said.split_once(" stays in ") {
                    assert_eq!(
                        (after[name].to_string(), moved.len()),
                        (layer.to_owned(), 0),
                        "{what}"
                    );
                } else if said != "nothing moves" {
                    for part in said.split(", ") {
                        match part.split_once(" moves to ").or_else(|| part.split_once(" to ")) {
                            Some((name, layer)) => {
                                let real = moved.remove(name).map(|layer| layer.to_string());
                                assert_eq!(real.as_deref(), Some(layer), "{what}");
                            }
                            None => {
                                assert_eq!(part, format!("{} more", moved.len()), "{what}");
                                moved.clear();
                            }
                        }
                    }
                }
                assert!(moved.is_empty(), "{what}: {moved:?}");
            }
        }
        (all, told)
    }

    #[test]
    fn the_consequence_of_a_proposal_is_the_actual_one() {
        let examples = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../examples"));
        for engine in ["tazuna", "terramate", "kapp", "ankaios", "spacelift"] {
            let mut told = 0;
            for entry in std::fs::read_dir(examples.join(engine)).unwrap() {
                let mut tree = Tree::new();
                read(&entry.unwrap().path(), "/w", &mut tree);
                told += compare(&tree).1;
            }
            assert!(told > 0, "{engine}");
        }
    }

    /// The proposals that are reported to close a cycle at the mark in a text.
    fn closing(text: &str) -> Vec<String> {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        let found = completions(&fixture.analysis, fixture.file, fixture.offset).list;
        let found = found.into_iter().filter(|proposal| proposal.closes_cycle);
        let mut labels: Vec<String> = found.map(|proposal| proposal.completion.label).collect();
        labels.sort();
        labels
    }

    #[test]
    fn what_replaces_an_entry_of_a_cycle_may_close_another() {
        let stack = |name: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  for_each = toset([\"x\", \"y\"])\n  name = \
                 \"{name}-${{each.key}}\"\n  repository = \"r\"\n  branch = \"m\"\n}}\n"
            )
        };
        let depends = |name: &str, [own, on]: [&str; 2]| {
            format!(
                "resource \"spacelift_stack_dependency\" \"{name}\" {{\n  for_each = toset([\"x\", \"y\"])\n  \
                 stack_id = spacelift_stack.{own}.id\n  depends_on_stack_id = spacelift_stack.{on}.id\n}}\n"
            )
        };
        let key = "[each.key]";
        let of = |name: &str| format!("{name}{key}");
        let stacks: String = ["a", "b", "c", "d"].map(stack).concat();
        // `a` waits for `b` and `b` for `a`; `c` waits for `a`.
        let rest = format!(
            "{}{}",
            depends("ba", [&of("b"), &of("a")]),
            depends("ca", [&of("c"), &of("a")])
        );
        let label = |name: &str| format!("spacelift_stack.{name}{key}.id");
        let closing_among = |own: &str, on: &str| {
            let found = closing(&format!(
                "//- /w/main.tf\n{stacks}{rest}{}",
                depends("ab", [own, on])
            ));
            // Those of one key follow from those of all.
            found
                .into_iter()
                .filter(|label| label.contains(key))
                .collect::<Vec<_>>()
        };
        let all = [label("a"), label("b"), label("c")];
        assert_eq!(closing_among(&of("a"), "b[each.key]$0"), all);
        assert_eq!(closing_among(&of("a"), "d[each.key]$0"), all);
        // A dependent is written after what it waits for, or before.
        assert_eq!(closing_among("a[each.key]$0", &of("b")), [label("a"), label("b")]);
        assert_eq!(closing_among("d[each.key]$0", &of("b")), [label("a"), label("b")]);
    }

    #[test]
    fn text_in_several_units_shows_its_result_in_all() {
        let stack = |name: &str, more: &str| {
            format!(
                "resource \"spacelift_stack\" \"{name}\" {{\n  {more}name = \"{name}\"\n  repository = \"r\"\n  branch = \
                 \"m\"\n}}\n"
            )
        };
        let depends = |name: &str, more: &str, [own, on]: [&str; 2]| {
            format!(
                "resource \"spacelift_stack_dependency\" \"{name}\" {{\n  {more}stack_id = {own}.id\n  depends_on_stack_id \
                 = {on}.id\n}}\n"
            )
        };
        let each = "for_each = toset([\"x\", \"y\"])\n  ";
        let looped = [
            stack("a", each),
            stack("b", ""),
            stack("c", ""),
            depends("cb", "", ["spacelift_stack.c", "spacelift_stack.b"]),
            depends("ab", each, ["spacelift_stack.a[each.key]", "spacelift_stack.b"]),
        ];
        // A module that is called by two names, and a root that has a stack with the same name.
        let module = [
            stack("a", ""),
            stack("b", ""),
            stack("c", ""),
            depends("cb", "", ["spacelift_stack.c", "spacelift_stack.b"]),
            depends("ab", "", ["spacelift_stack.a", "spacelift_stack.b"]),
        ];
        let calls = "module \"m\" {\n  source = \"./m\"\n}\nmodule \"n\" {\n  source = \"./m\"\n}\n";
        let trees = [
            Tree::from([("/w/main.tf".to_owned(), looped.concat())]),
            Tree::from([
                ("/w/main.tf".to_owned(), format!("{calls}{}", stack("a", ""))),
                ("/w/m/main.tf".to_owned(), module.concat()),
            ]),
        ];
        for tree in trees {
            let (all, told) = compare(&tree);
            assert_eq!(all, told);
            assert!(told > 4, "{told}");
        }
    }
}
