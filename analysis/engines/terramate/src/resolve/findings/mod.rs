//! The findings about a project's order and selection.
//!
//! Source: Terramate 0.17.2, "Diagnostics a linter should give".

mod cycles;
mod entries;
mod instead;
mod outputs;
mod redundant;
mod stacks;
mod unreachable;
mod wishes;

pub(super) use self::redundant::Redundant;
pub(super) use self::stacks::most_paths;
use super::Resolved;
use super::order::Ordering;
use super::refs::Entry;
use super::stacks::{Node, StackIx};
use crate::verdict;
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::engine::{Cx, Variant, Verdict};
use applyorder_core::rules::keep_most_specific;

/// Everything there is to say of a project.
pub(super) fn all(
    cx: &Cx<'_>,
    resolved: &Resolved<'_>,
    ordering: &Ordering<'_>,
    variant: &Variant,
    redundant: &Redundant,
    verdicts: &[Verdict],
) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = Vec::new();
    found.extend(resolved.version.map(|f| f.diagnostic.clone()));
    found.extend(
        resolved
            .load
            .iter()
            .chain(resolved.checks)
            .filter(|f| !f.silent)
            .map(|f| f.diagnostic.clone()),
    );
    let context = Context {
        cx,
        resolved,
        ordering,
    };
    for (stack, node) in resolved.stacks.iter() {
        context.entries(stack, node, &mut found);
    }
    context.cycles(variant, &mut found);
    context.wants_cycle(&mut found);
    context.outputs(variant, &mut found);
    context.roots_and_ids(&mut found);
    context.path_counts(variant, &mut found);
    found.extend(redundant.iter().cloned());
    context.wishes(variant, &mut found);
    context.unreachable(&mut found);
    keep_most_specific(&mut found);
    mark_first(verdicts, &mut found);
    found
}

/// What there is to say of one directory and the stack in it, where nothing is to be said of several together.
pub(super) fn of_dir(
    cx: &Cx<'_>,
    resolved: &Resolved<'_>,
    ordering: &Ordering<'_>,
    dir: u32,
    redundant: &Redundant,
    verdicts: &[Verdict],
) -> Vec<Diagnostic> {
    let Some(own) = resolved.tree.dirs.get(dir as usize) else {
        return Vec::new();
    };
    let problems = resolved.load.iter().chain(resolved.checks);
    let mut found: Vec<Diagnostic> = problems
        .filter(|f| f.dir == own.path && !f.silent)
        .map(|f| f.diagnostic.clone())
        .collect();
    let context = Context {
        cx,
        resolved,
        ordering,
    };
    let stack = resolved.stacks.at(&own.path);
    if let Some((stack, node)) = stack.and_then(|s| Some((s, resolved.stacks.get(s)?))) {
        context.entries(stack, node, &mut found);
        context.root_and_id(stack, node, &mut found);
        found.extend(redundant.of(stack).cloned());
    }
    keep_most_specific(&mut found);
    mark_first(verdicts, &mut found);
    found
}

/// The entries that can go.
pub(super) fn redundant(cx: &Cx<'_>, resolved: &Resolved<'_>, ordering: &Ordering<'_>) -> Redundant {
    let context = Context {
        cx,
        resolved,
        ordering,
    };
    context.redundant()
}

struct Context<'a, 'b> {
    cx: &'a Cx<'b>,
    resolved: &'a Resolved<'a>,
    ordering: &'a Ordering<'a>,
}

impl Context<'_, '_> {
    fn entries(&self, stack: StackIx, node: &Node, found: &mut Vec<Diagnostic>) {
        let own = self.resolved.entries.get(stack as usize);
        for entry in own.into_iter().flat_map(|e| e.iter()) {
            self.entry(stack, node, entry, found);
        }
    }

    fn place(&self, node: &Node, entry: &Entry) -> Place {
        self.cx.place(node.file, entry.at)
    }

    fn header(&self, stack: StackIx) -> Option<Place> {
        let node = self.resolved.stacks.get(stack)?;
        Some(self.cx.place(node.file, node.stack()?.header))
    }

    /// Says that Terramate refuses because of a cycle through a stack, with its own words when it is this one.
    fn refused(&self, stack: StackIx, d: Diagnostic) -> Diagnostic {
        let d = d
            .enforced("run", "order", false)
            .enforced("list --run-order", "order", false);
        match self.resolved.cycle {
            Some(path) if path.contains(&stack) => {
                d.engine_message(verdict::cycle_text(self.resolved.stacks, path))
            }
            _ => d,
        }
    }
}

/// Marks what each command would report first.
fn mark_first(verdicts: &[Verdict], found: &mut [Diagnostic]) {
    for d in found {
        for enforced in &mut d.enforced {
            let Some(verdict) = verdicts.iter().find(|v| v.command == enforced.command) else {
                continue;
            };
            enforced.first = verdict.stage == Some(enforced.stage)
                && verdict.errors.iter().any(|e| {
                    e.rule == d.rule.id
                        && (d.units.iter().any(|u| **u == *e.subject)
                            || d.engine_message.as_deref() == Some(&*e.message))
                });
        }
    }
}
