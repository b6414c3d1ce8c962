//! What is wrong with the files of one directory together.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::files::setting;
use super::{Scope, merge};
use crate::found::{Found, push};
use crate::load::tree::{Dir, project_file};
use crate::model::imports::{Imports, Merged, reject_insides};
use crate::model::sources::Sources;
use crate::read::{At, Experimental, FileFacts, Stack};
use crate::rules;
use applyorder_core::diagnostic;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety, Severity};
use applyorder_core::engine::Facts;
use applyorder_core::rules::{duplicate_key, duplicate_name, syntax_error};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::text::Span;

/// Pushes what is wrong with them; what they import is one with them.
pub(super) fn of_directory(
    scope: &Scope<'_>,
    sources: &Sources,
    dir: &Dir,
    imports: &Imports,
    experiments: Option<&[Arc<str>]>,
    found: &mut Vec<Found>,
) {
    let merged = imports.merged.as_slice();
    found.extend(imports.rejected.iter().cloned());
    second_stacks(scope, sources, dir, merged, found);
    set_twice(scope, sources, dir, found);
    let is_off = |experiment: &str| experiments.is_some_and(|on| !on.iter().any(|o| **o == *experiment));
    scripts_and_vendors(scope, sources, dir, merged, !is_off("scripts"), found);
    reject_insides(scope.engine, merged, |p| !p.experiment.is_some_and(is_off), found);
    let own = sources.files(dir).flat_map(|(loaded, facts)| {
        let used = facts.shape.experimental.iter();
        used.map(|e| (scope.at(loaded.file, e.at), e, facts.shape.unreadable))
    });
    let imported = merged
        .iter()
        .flat_map(|m| m.facts.shape.experimental.iter().map(|e| (m.place, e, false)));
    for (place, used, unseen) in own.chain(imported) {
        if is_off(used.experiment) {
            push(found, experiment_off(scope, place, used), true).unseen = unseen;
        }
    }
}

fn experiment_off(scope: &Scope<'_>, place: Place, used: &Experimental) -> Diagnostic {
    let d = rules::experiment_off::found(place, used.block, used.experiment);
    let switch_on = format!("enable `{}`", used.experiment);
    if let Some((root, at, list)) = experiments_place(scope) {
        let step = FixStep::AppendEntry(scope.at(root, list), used.experiment.to_owned());
        d.related(scope.at(root, at), "enabled experiments")
            .fix(switch_on, Safety::Unsafe, vec![step])
    } else if let Some((root, facts)) = scope.root_files().next() {
        let block = setting("config.experiments", &format!("[{}]", quote(used.experiment)));
        let step = FixStep::Replace(scope.at(root.file, facts.shape.end), block);
        d.fix(switch_on, Safety::Unsafe, vec![step])
    } else {
        d
    }
}

fn second_stacks(scope: &Scope<'_>, sources: &Sources, dir: &Dir, merged: &[Merged], found: &mut Vec<Found>) {
    let mut unseen = Unseen::default();
    let mut first: Option<(Place, bool, FileId, &Stack)> = None;
    // The import of a stack is rejected, and the stack is used all the same.
    let imported = merged
        .iter()
        .flat_map(|m| &m.facts.shape.stacks)
        .any(|s| !s.rejected);
    for (loaded, facts) in sources.files(dir) {
        for stack in &facts.shape.stacks {
            let place = scope.at(loaded.file, stack.header);
            if imported && first.is_none() && !facts.shape.unreadable {
                // One with the finding of the import.
                let d = Diagnostic::new(&rules::stack_in_import::RULE, place, "a stack is imported");
                push(found, d.engine_message(rules::stack_duplicate::WORDS), true).silent = true;
                unseen.add(scope, loaded.file, facts, stack);
            }
            let Some((earlier, sound, file, one)) = first else {
                let sound = !stack.rejected && !facts.shape.unreadable;
                first = Some((place, sound, loaded.file, stack));
                continue;
            };
            if sound && !facts.shape.unreadable {
                unseen.add(scope, loaded.file, facts, stack);
            }
            let block = scope.at(loaded.file, stack.block);
            let mut d = rules::stack_duplicate::found(place, block, earlier);
            d.fixes
                .extend(merge::fix(scope, (file, one), (loaded.file, stack)));
            let path = project_file(dir, &loaded.path);
            let entry = push(found, d, true);
            entry.details.push(("file", path));
            entry.unseen = facts.shape.unreadable || !sound;
        }
    }
    unseen.mark(found);
}

/// What is wrong in a second stack, Terramate does not see.
#[derive(Default)]
struct Unseen<'a> {
    /// By file: its facts, and the blocks of such stacks.
    files: FxHashMap<FileId, (Option<&'a FileFacts>, Vec<Span>)>,
}

impl<'a> Unseen<'a> {
    fn add(&mut self, scope: &Scope<'_>, file: FileId, facts: &'a FileFacts, stack: &Stack) {
        if let Some(block) = span(scope.at(file, stack.block), facts) {
            let (known, blocks) = self.files.entry(file).or_default();
            *known = Some(facts);
            blocks.push(block);
        }
    }

    fn mark(mut self, found: &mut [Found]) {
        for (_, blocks) in self.files.values_mut() {
            blocks.sort_unstable_by_key(|block| block.start);
        }
        let own = [
            &syntax_error::RULE,
            &rules::stack_duplicate::RULE,
            &rules::stack_in_import::RULE,
        ];
        for f in found.iter_mut().filter(|f| !own.contains(&f.diagnostic.rule)) {
            let place = f.diagnostic.place;
            let Some((Some(facts), blocks)) = self.files.get(&place.file) else {
                continue;
            };
            // Blocks beside each other: the last that starts before it is the one it may be in.
            let Some(at) = span(place, facts) else { continue };
            let before = blocks.partition_point(|block| block.start <= at.start);
            let block = before.checked_sub(1).and_then(|last| blocks.get(last));
            if block.is_some_and(|block| block.contains(at)) {
                f.unseen = true;
            }
        }
    }
}

fn span(place: Place, facts: &FileFacts) -> Option<Span> {
    match place.at {
        diagnostic::At::Anchor(anchor) => facts.span(anchor.index),
        _ => None,
    }
}

fn set_twice(scope: &Scope<'_>, sources: &Sources, dir: &Dir, found: &mut Vec<Found>) {
    let mut first: FxHashMap<&str, (Place, FileId, At)> = FxHashMap::default();
    for (loaded, facts) in sources.files(dir) {
        for attribute in &facts.shape.root {
            let place = scope.at(loaded.file, attribute.at);
            let known = first.get(&*attribute.path).copied();
            let Some((earlier, ..)) = known else {
                first.insert(&attribute.path, (place, loaded.file, attribute.at));
                continue;
            };
            let message = format!("duplicate `terramate.{}` in this directory", attribute.path);
            let entry = push(
                found,
                Diagnostic::new(&duplicate_key::RULE, place, message)
                    .severity(Severity::Error)
                    .related(earlier, "first defined here")
                    .engine_message(format!("attribute \"{}\" redeclared", attribute.path)),
                true,
            );
            entry.unseen = facts.shape.unreadable;
            entry.early = true;
        }
    }
    globals_set_twice(scope, sources, dir, found);
}

fn globals_set_twice(scope: &Scope<'_>, sources: &Sources, dir: &Dir, found: &mut Vec<Found>) {
    let mut first: FxHashMap<(&[Arc<str>], &str), Place> = FxHashMap::default();
    for (loaded, facts) in sources.files(dir) {
        for (labels, name, at) in &facts.shape.globals {
            let place = scope.at(loaded.file, *at);
            let Some(earlier) = first.get(&(labels.as_slice(), &**name)) else {
                first.insert((labels, name), place);
                continue;
            };
            let d = Diagnostic::new(
                &duplicate_key::RULE,
                place,
                format!("duplicate global `{name}` in this directory"),
            )
            .severity(Severity::Error)
            .related(*earlier, "first defined here")
            .engine_message(format!("attribute \"{name}\" redeclared"));
            let entry = push(found, d, true);
            entry.unseen = facts.shape.unreadable;
            entry.early = true;
        }
    }
}

fn scripts_and_vendors(
    scope: &Scope<'_>,
    sources: &Sources,
    dir: &Dir,
    merged: &[Merged],
    has_scripts: bool,
    found: &mut Vec<Found>,
) {
    let mut scripts: FxHashMap<&[Arc<str>], Place> = FxHashMap::default();
    let mut vendor: Option<Place> = None;
    let imported = merged.iter().map(|m| (m.file, &m.facts));
    for (file, facts) in imported.chain(sources.files(dir).map(|(l, facts)| (l.file, facts))) {
        for (labels, at) in facts.shape.scripts.iter().filter(|_| has_scripts) {
            let place = scope.at(file, *at);
            match scripts.get(labels.as_slice()) {
                Some(earlier) => {
                    let message = format!("duplicate script `{}` in this directory", labels.join(" "));
                    push(
                        found,
                        Diagnostic::new(&duplicate_name::RULE, place, message)
                            .related(*earlier, "first defined here")
                            .engine_message(
                                "(script): multiple script blocks with same labels in the same directory",
                            ),
                        true,
                    );
                }
                None => {
                    scripts.insert(labels, place);
                }
            }
        }
    }
    for (loaded, facts) in sources.files(dir) {
        for at in &facts.shape.vendors {
            let place = scope.at(loaded.file, *at);
            match vendor {
                Some(earlier) => {
                    push(
                        found,
                        Diagnostic::new(
                            &duplicate_key::RULE,
                            place,
                            "duplicate `vendor` block in this directory",
                        )
                        .severity(Severity::Error)
                        .related(earlier, "first defined here")
                        .engine_message("block \"vendor\" can only appear once"),
                        true,
                    )
                    .early = true;
                }
                None => vendor = Some(place),
            }
        }
    }
}

/// The experiments of the root directory; `None` where they are unknown. What the directory says itself
/// comes before what it imports.
pub(super) fn experiments(scope: &Scope<'_>) -> Option<Vec<Arc<str>>> {
    let Some((root, imports)) = scope.model.root() else {
        return Some(Vec::new());
    };
    // Lines that could not be read may hold the setting.
    if scope.model.sources.files(root).any(|(_, facts)| facts.shape.gap) {
        return None;
    }
    let own = scope
        .model
        .sources
        .files(root)
        .find_map(|(_, facts)| facts.shape.experiments.clone());
    let imported = || imports.merged.iter().rev();
    own.or_else(|| imported().find_map(|m| m.facts.shape.experiments.clone()))
        .unwrap_or_else(|| Some(Vec::new()))
}

/// Where the experiments are switched on: the attribute and its value.
fn experiments_place(scope: &Scope<'_>) -> Option<(FileId, At, At)> {
    scope.root_files().find_map(|(loaded, facts)| {
        let attribute = facts
            .shape
            .root
            .iter()
            .find(|a| &*a.path == "config.experiments")?;
        Some((loaded.file, attribute.at, attribute.value))
    })
}
