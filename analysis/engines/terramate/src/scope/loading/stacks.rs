//! More than one stack in a directory.

use rustc_hash::FxHashMap;

use super::{LoadFault, LoadProblem, Loading};
use crate::load::tree::project_file;
use crate::read::{FileFacts, Stack};
use applyorder_core::diagnostic::{At, FileId, Place};
use applyorder_core::engine::Facts;
use applyorder_syntax::text::Span;

impl<'a> Loading<'a> {
    /// Stacks next to another one of the directory, or next to one that is imported.
    pub(super) fn stacks(self, found: &mut Vec<LoadProblem<'a>>) {
        let mut unseen = Unseen::default();
        let mut first: Option<(bool, FileId, &Stack)> = None;
        // The import of a stack is rejected, but the stack is used anyway.
        let mut imported = self.imports.merged.iter().flat_map(|m| &m.facts.shape.stacks);
        let has_imported = imported.any(|s| !s.rejected);
        for (loaded, facts) in self.sources.files(self.dir) {
            let file = loaded.file;
            let is_readable = !facts.shape.unreadable;
            for stack in &facts.shape.stacks {
                let place = self.place(file, stack.header);
                let mut is_unseen = || unseen.add(file, facts, stack);
                if has_imported && first.is_none() && is_readable {
                    // The same as the finding of the import.
                    found.push(LoadProblem {
                        silent: true,
                        ..LoadProblem::new(place, LoadFault::BesideImported)
                    });
                    is_unseen();
                }
                let Some((is_sound, first_file, one)) = first else {
                    first = Some((!stack.rejected && is_readable, file, stack));
                    continue;
                };
                if is_sound && is_readable {
                    is_unseen();
                }
                let fault = LoadFault::SecondStack {
                    first: (first_file, one),
                    second: (file, stack),
                    file: project_file(self.dir, &loaded.path),
                };
                found.push(LoadProblem {
                    unseen: !is_readable || !is_sound,
                    ..LoadProblem::new(place, fault)
                });
            }
        }
        unseen.mark(found);
    }
}

/// Terramate does not see the problems in a second stack.
#[derive(Default)]
struct Unseen<'a> {
    /// By file: its facts, and the blocks of such stacks.
    files: FxHashMap<FileId, (Option<&'a FileFacts>, Vec<Span>)>,
}

impl<'a> Unseen<'a> {
    fn add(&mut self, file: FileId, facts: &'a FileFacts, stack: &Stack) {
        if let Some(block) = facts.span(stack.block) {
            let (known, blocks) = self.files.entry(file).or_default();
            *known = Some(facts);
            blocks.push(block);
        }
    }

    fn mark(mut self, found: &mut [LoadProblem<'_>]) {
        for (_, blocks) in self.files.values_mut() {
            blocks.sort_unstable_by_key(|block| block.start);
        }
        for problem in found.iter_mut().filter(|p| is_in_block(&p.fault)) {
            let Some((Some(facts), blocks)) = self.files.get(&problem.place.file) else {
                continue;
            };
            // Blocks in sequence: it may be in the last one that starts before it.
            let Some(at) = span(problem.place, facts) else {
                continue;
            };
            let before = blocks.partition_point(|block| block.start <= at.start);
            let block = before.checked_sub(1).and_then(|last| blocks.get(last));
            if block.is_some_and(|block| block.contains(at)) {
                problem.unseen = true;
            }
        }
    }
}

/// Whether Terramate meets it when it checks a block, not before.
const fn is_in_block(fault: &LoadFault<'_>) -> bool {
    match fault {
        LoadFault::InFile(_, problem) | LoadFault::Besides(_, problem, _) => !problem.is_syntax(),
        _ => false,
    }
}

fn span(place: Place, facts: &FileFacts) -> Option<Span> {
    match place.at {
        At::Anchor(anchor) => facts.span(anchor.index),
        _ => None,
    }
}
