//! Which stacks a command works on.
//!
//! Source: Terramate 0.17.2, "Selection".

use std::collections::VecDeque;
use std::sync::Arc;

use camino::Utf8Path;

use super::order::{visits, walk};
use super::refs::{Attribute, Entry};
use super::stacks::{StackIx, Stacks};
use super::tags::{self, Filter};
use super::tree::Tree;
use crate::engines::RunOptions;

/// Why the flags of a run are refused, in Terramate's words, with the flag.
pub(crate) type Refused = (&'static str, String);

/// The stacks that the flags select, before `wants`. `None`: all.
///
/// # Errors
/// A flag that Terramate refuses.
pub(super) fn by_flags(
    tree: &Tree,
    stacks: &Stacks,
    options: &RunOptions,
) -> Result<Option<Vec<bool>>, Refused> {
    let filters = options
        .tags
        .iter()
        .map(|t| Filter::parse(t).map_err(|e| ("--tags", format!("unable to parse tag clauses: {e}"))))
        .collect::<Result<Vec<_>, _>>()?;
    let without: Vec<&str> = options.no_tags.iter().flat_map(|t| t.split(',')).collect();
    for tag in &without {
        tags::check(tag).map_err(|e| ("--no-tags", format!("unable validate tag: {e}")))?;
    }
    let below = options
        .cwd
        .as_deref()
        .map(|cwd| tree.project_path(cwd).unwrap_or_else(|| "/".to_owned()));
    if filters.is_empty()
        && without.is_empty()
        && options.changed.is_none()
        && below.as_deref().is_none_or(|b| b == "/")
    {
        return Ok(None);
    }
    let changed = options.changed.as_ref();
    Ok(Some(
        stacks
            .iter()
            .map(|(_, s)| {
                changed.is_none_or(|names| names.iter().any(|n| **n == *s.path))
                    && below
                        .as_deref()
                        .is_none_or(|b| Utf8Path::new(&*s.path).starts_with(b))
                    && (filters.is_empty() || filters.iter().any(|f| f.matches(&s.tags)))
                    && !without.iter().any(|t| s.tags.iter().any(|own| **own == **t))
            })
            .collect(),
    ))
}

/// Which stacks want which: by `wants` of the one and `wanted_by` of the other, ascending.
pub(super) struct Wants {
    of: Vec<Vec<StackIx>>,
}

impl Wants {
    pub(super) fn of(entries: &[Arc<Vec<Entry>>]) -> Self {
        let mut of: Vec<Vec<StackIx>> = vec![Vec::new(); entries.len()];
        for (stack, entries) in (0u32..).zip(entries) {
            for entry in entries.iter().filter(|e| !e.attribute.orders()) {
                for target in entry.targets.iter() {
                    let (from, to) = match entry.attribute {
                        Attribute::WantedBy => (target.0, stack),
                        _ => (stack, target.0),
                    };
                    if let Some(wanted) = of.get_mut(from as usize) {
                        wanted.push(to);
                    }
                }
            }
        }
        for wanted in &mut of {
            wanted.sort_unstable();
            wanted.dedup();
        }
        Self { of }
    }

    pub(super) fn wanted_by(&self, stack: StackIx) -> &[StackIx] {
        self.of.get(stack as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.of.iter().all(Vec::is_empty)
    }

    /// The stacks in the order in which Terramate comes to them: all, depth first, what a stack wants before
    /// what wants it.
    pub(super) fn visits(entries: &[Arc<Vec<Entry>>]) -> Vec<StackIx> {
        let targets = |stack: StackIx, attribute: Attribute| {
            let entries = entries.get(stack as usize).into_iter().flat_map(|e| e.iter());
            let mut found: Vec<StackIx> = entries
                .filter(|e| e.attribute == attribute)
                .flat_map(|e| e.targets.iter().map(|t| t.0))
                .collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
        visits(0..count, entries.len(), |stack| {
            let mut next = targets(stack, Attribute::Wants);
            next.extend(targets(stack, Attribute::WantedBy));
            next
        })
    }

    /// Adds everything that the selected ones want, and what that wants.
    pub(super) fn close(&self, selected: &mut [bool]) {
        let mut open: VecDeque<StackIx> = (0u32..)
            .zip(selected.iter())
            .filter(|(_, s)| **s)
            .map(|(i, _)| i)
            .collect();
        while let Some(stack) = open.pop_front() {
            for wanted in self.wanted_by(stack) {
                if let Some(slot) = selected.get_mut(*wanted as usize).filter(|s| !**s) {
                    *slot = true;
                    open.push_back(*wanted);
                }
            }
        }
    }

    /// The cycle that Terramate warns of.
    pub(super) fn cycle(&self) -> Option<Vec<StackIx>> {
        if self.is_empty() {
            return None;
        }
        // Terramate begins at the smallest stack that its sorting could not place.
        let count = self.of.len();
        let mut waits: Vec<u32> = self
            .of
            .iter()
            .map(|w| u32::try_from(w.len()).unwrap_or(u32::MAX))
            .collect();
        let mut wanting: Vec<Vec<StackIx>> = vec![Vec::new(); count];
        for (stack, wanted) in (0u32..).zip(&self.of) {
            for target in wanted {
                if let Some(list) = wanting.get_mut(*target as usize) {
                    list.push(stack);
                }
            }
        }
        let mut open: Vec<StackIx> = (0u32..)
            .zip(&waits)
            .filter(|(_, w)| **w == 0)
            .map(|(i, _)| i)
            .collect();
        while let Some(stack) = open.pop() {
            for above in wanting.get(stack as usize).into_iter().flatten() {
                if let Some(left) = waits.get_mut(*above as usize) {
                    *left = left.saturating_sub(1);
                    if *left == 0 {
                        open.push(*above);
                    }
                }
            }
        }
        let start = (0u32..).zip(&waits).find(|(_, w)| **w > 0).map(|(i, _)| i)?;
        walk(start, count, |stack| self.wanted_by(stack).to_vec())
    }
}
