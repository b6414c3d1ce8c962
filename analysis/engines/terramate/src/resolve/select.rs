//! Which stacks a command works on.
//!
//! Source: Terramate 0.17.2, "Selection".

use std::collections::VecDeque;
use std::sync::Arc;

use camino::Utf8Path;

use super::changes::{self, Change};
use super::order::{visits, walk};
use super::refs::{Attribute, Entry};
use super::stacks::{Node, StackIx, Stacks};
use super::tags::{self, Filter};
use super::tree::Tree;
use super::way_up;
use applyorder_core::engine::{Cx, RunOptions};

/// Why the flags of a run are refused, in Terramate's words, with the flag.
pub(crate) type Refused = (&'static str, String);

/// The flags of a run, each of which limits the stacks.
#[derive(Default)]
pub(crate) struct Flags {
    /// `--tags`, as written and parsed.
    pub(crate) tags: Vec<(String, Filter)>,
    pub(crate) without: Vec<String>,
    /// The project path of `--cwd`, where it is not the root.
    pub(crate) below: Option<String>,
    /// Why each stack counts as changed. `None`: nobody asked.
    pub(crate) changed: Option<Vec<Option<Change>>>,
}

impl Flags {
    /// Reads the flags.
    ///
    /// # Errors
    /// A flag that Terramate refuses.
    pub(super) fn of(
        cx: &Cx<'_>,
        tree: &Tree,
        stacks: &Stacks,
        options: &RunOptions,
    ) -> Result<Self, Refused> {
        let parse = |text: &String| {
            let filter = Filter::parse(text);
            let filter = filter.map_err(|e| ("--tags", format!("unable to parse tag clauses: {e}")))?;
            Ok((text.clone(), filter))
        };
        // An empty one is none.
        let given = options.tags.iter().filter(|text| !text.is_empty());
        let tags = given.map(parse).collect::<Result<Vec<_>, _>>()?;
        let without: Vec<String> = options
            .no_tags
            .iter()
            .flat_map(|t| t.split(','))
            .map(str::to_owned)
            .collect();
        for tag in &without {
            tags::check(tag).map_err(|e| ("--no-tags", format!("unable validate tag: {e}")))?;
        }
        let named = options.changed.as_ref().map(|names| {
            let is_named = |path: &str| names.iter().any(|n| n == path);
            let stacks = stacks.iter();
            stacks
                .map(|(_, s)| is_named(&s.path).then_some(Change::Named))
                .collect()
        });
        let changed = match (&options.changed_files, named) {
            (Some(files), _) => Some(changes::of_files(cx, tree, stacks, files)?),
            (None, named) => named,
        };
        let below = options
            .cwd
            .as_deref()
            .and_then(|cwd| way_up::start(cx, tree, cwd));
        Ok(Self {
            tags,
            without,
            below: below.filter(|b| b != "/"),
            changed,
        })
    }

    /// Whether they leave every stack in.
    pub(crate) fn is_empty(&self) -> bool {
        self.tags.is_empty() && self.without.is_empty() && self.below.is_none() && self.changed.is_none()
    }

    /// Whether a stack lies in the directory of the run.
    pub(crate) fn is_below(&self, node: &Node) -> bool {
        let below = self.below.as_deref();
        below.is_none_or(|b| Utf8Path::new(&*node.path).starts_with(b))
    }

    /// Whether a stack counts as changed; `None`: nobody asked.
    pub(crate) fn change(&self, stack: StackIx) -> Option<Option<&Change>> {
        let changed = self.changed.as_ref()?;
        Some(changed.get(stack as usize).and_then(Option::as_ref))
    }

    /// The filter that a stack matches.
    pub(crate) fn tag_filter(&self, node: &Node) -> Option<&str> {
        let matching = self.tags.iter().find(|(_, f)| f.matches(&node.tags))?;
        Some(&matching.0)
    }

    /// The tag because of which a stack is left out.
    pub(crate) fn unwanted_tag(&self, node: &Node) -> Option<&str> {
        let unwanted = self.without.iter().map(String::as_str);
        unwanted
            .into_iter()
            .find(|t| node.tags.iter().any(|own| **own == **t))
    }

    /// Whether they leave a stack in.
    pub(crate) fn select(&self, stack: StackIx, node: &Node) -> bool {
        self.is_below(node)
            && self.change(stack).is_none_or(|c| c.is_some())
            && (self.tags.is_empty() || self.tag_filter(node).is_some())
            && self.unwanted_tag(node).is_none()
    }
}

/// What a run works on.
pub(crate) struct Selection {
    pub(crate) flags: Result<Flags, Refused>,
    pub(crate) wants: Wants,
    /// The command is `list`, which never looks at `wants`.
    pub(crate) is_list: bool,
}

impl Selection {
    /// The same selection, without flags, of entries that may want others.
    pub(super) fn wanting(&self, entries: &[Arc<Vec<Entry>>]) -> Self {
        Self {
            flags: Ok(Flags::default()),
            wants: Wants::of(entries),
            is_list: self.is_list,
        }
    }

    /// Whether no flag limits the run.
    pub(crate) fn is_whole(&self) -> bool {
        self.flags.as_ref().is_ok_and(Flags::is_empty)
    }

    /// Reads the options of a run.
    pub(super) fn of(
        cx: &Cx<'_>,
        tree: &Tree,
        stacks: &Stacks,
        entries: &[Arc<Vec<Entry>>],
        options: &RunOptions,
    ) -> Self {
        Self {
            flags: Flags::of(cx, tree, stacks, options),
            wants: Wants::of(entries),
            is_list: options.command.as_deref() == Some("list"),
        }
    }

    /// The stacks that the flags select, before `wants`: all where the flags are refused.
    pub(crate) fn by_flags(&self, stacks: &Stacks) -> Vec<bool> {
        match &self.flags {
            Ok(flags) if !flags.is_empty() => stacks.iter().map(|(i, s)| flags.select(i, s)).collect(),
            _ => vec![true; stacks.len()],
        }
    }
}

/// Which stacks want which: by `wants` of the one and `wanted_by` of the other, ascending.
pub(crate) struct Wants {
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

    pub(crate) fn wanted_by(&self, stack: StackIx) -> &[StackIx] {
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
    pub(crate) fn close(&self, selected: &mut [bool]) {
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
