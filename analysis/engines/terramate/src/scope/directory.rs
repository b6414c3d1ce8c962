//! One directory: what Terramate loads of it, and the stack in it.

use std::cell::OnceCell;

use super::loading::{LoadFault, LoadProblem};
use super::{Missing, Scope};
use crate::judge::{LOAD, STACKS, foreseen, rejected};
use crate::load::tree::{Dir, project_file};
use crate::model::refs::Meaning;
use crate::model::stacks::{Node, StackIx};
use crate::problems::{Fault, redeclared};
use crate::read::{At, Problem};
use crate::relate::entries::Entry;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::engine::{EngineIx, UnitIx};
use applyorder_core::files::{FileKind, join_clean};
use applyorder_core::layer::Finding;

/// A directory and the stack in it, as the checks of rules see them.
pub struct Directory<'a> {
    pub(crate) scope: Scope<'a>,
    pub(crate) dir: &'a Dir,
    /// The stack in it, if its checks are requested.
    pub(crate) stack: Option<(StackIx, &'a Node)>,
    /// It is searched only for the root of the project.
    is_on_the_way: bool,
    /// In the order in which Terramate reaches them.
    problems: Vec<LoadProblem<'a>>,
    /// The entries at whose paths nothing exists.
    missing: OnceCell<Vec<MissingEntry<'a>>>,
}

/// An entry of a stack at whose path nothing exists, with what it was probably meant to be.
type MissingEntry<'a> = (&'a Node, Entry<'a>, Missing<'a>);

/// An entry of `watch`.
pub(crate) struct Watched<'a> {
    pub(crate) place: Place,
    pub(crate) written: &'a str,
    /// A comparison of strings, as Terramate makes it: `/root-other` counts as in `/root`.
    pub(crate) is_inside: bool,
    /// What exists there.
    pub(crate) kind: Option<FileKind>,
}

/// A file, for looking up places in it.
#[derive(Clone, Copy)]
pub(crate) struct InFile {
    engine: EngineIx,
    file: FileId,
}

impl InFile {
    pub(crate) const fn new(engine: EngineIx, file: FileId) -> Self {
        Self { engine, file }
    }

    /// A place in the table of places of the file's facts.
    pub(crate) const fn place(self, at: At) -> Place {
        Place::anchor(self.file, self.engine, at)
    }
}

/// Where Terramate reaches something when it checks a stack.
#[derive(Clone, Copy)]
pub(crate) enum StackTurn {
    /// An entry of `watch`.
    Watch(usize),
    Id,
    /// An entry of `tags`.
    Tag(usize),
}

impl StackTurn {
    /// As a number, by which findings of the stack are sorted.
    fn number(self) -> u32 {
        const ID: u32 = 1 << 30;
        let entry = |at: usize| u32::try_from(at).unwrap_or(u32::MAX).min(ID - 1);
        match self {
            Self::Watch(at) => entry(at),
            Self::Id => ID,
            Self::Tag(at) => ID + 1 + entry(at),
        }
    }
}

impl<'a> Directory<'a> {
    /// A directory with the problems in what Terramate loads of it. If it is on the path on which the search
    /// for the root ends, Terramate reaches nothing else of it.
    pub(crate) fn new(
        scope: Scope<'a>,
        (index, dir): (u32, &'a Dir),
        mut problems: Vec<LoadProblem<'a>>,
        ends_search: bool,
    ) -> Self {
        if ends_search {
            // What ends the search is reported for the path upwards; the rest is not reached.
            for problem in &mut problems {
                problem.repeats = problem.ends_search();
                problem.unseen |= !problem.repeats;
            }
        }
        Self {
            scope,
            dir,
            stack: scope.stack_in(index),
            is_on_the_way: false,
            problems,
            missing: OnceCell::new(),
        }
    }

    /// A directory on the path upwards to the root, with the problems because of which the search ends.
    /// `is_loaded`: it is part of the project, where other findings report them.
    pub(crate) fn on_the_way(
        scope: Scope<'a>,
        dir: &'a Dir,
        mut problems: Vec<LoadProblem<'a>>,
        is_loaded: bool,
    ) -> Option<Self> {
        problems.retain(LoadProblem::ends_search);
        for problem in &mut problems {
            problem.silent |= is_loaded;
        }
        (!problems.is_empty()).then_some(Self {
            scope,
            dir,
            stack: None,
            is_on_the_way: true,
            problems,
            missing: OnceCell::new(),
        })
    }

    /// A file, for looking up places in it.
    pub(crate) const fn in_file(&self, file: FileId) -> InFile {
        InFile::new(self.scope.engine, file)
    }

    /// Reports what a rule finds wrong in what Terramate loads.
    pub(crate) fn tell(
        &self,
        found: &mut Vec<Finding>,
        worded: impl Fn(&LoadProblem<'a>) -> Option<Diagnostic>,
    ) {
        for (at, problem) in (0u32..).zip(&self.problems) {
            let Some(mut d) = worded(problem) else { continue };
            if self.scope.model.is_of_another_schema && problem.is_of_schema() {
                d = d.heuristic();
            }
            if !problem.is_said() {
                if !problem.silent {
                    let finding = if problem.fatal {
                        foreseen(LOAD, d)
                    } else {
                        Finding::new(d)
                    };
                    found.push(finding.at(at));
                }
                continue;
            }
            let mut finding = rejected(LOAD, d, &self.dir.path).at(at);
            for (key, value) in problem.details() {
                finding = finding.detail(key, value);
            }
            finding.repeats = problem.repeats;
            finding.silent = problem.silent;
            found.push(finding);
        }
    }

    /// Terramate's message for an attribute in a block that is merged with one that already sets it.
    pub(crate) fn redeclared(&self, name: &str, file: FileId, first: FileId) -> String {
        let path = |file: FileId| {
            let at = self.scope.tree.of_file.get(&file).map(|(_, at)| *at as usize);
            let loaded = at
                .and_then(|at| self.dir.files.get(at))
                .filter(|f| f.file == file);
            let loaded = loaded.or_else(|| self.dir.files.iter().find(|f| f.file == file));
            loaded.map_or_else(String::new, |f| match f.path.file_name() {
                // There it is taken for the root.
                Some(name) if self.is_on_the_way => format!("/{name}"),
                _ => project_file(self.dir, &f.path),
            })
        };
        redeclared(name, &path(file), &path(first))
    }

    /// Reports what a rule finds wrong in single files.
    pub(crate) fn tell_of_files(
        &self,
        found: &mut Vec<Finding>,
        worded: impl Fn(&Problem, InFile) -> Option<Diagnostic>,
    ) {
        self.tell(found, |problem| match problem.fault {
            LoadFault::InFile(file, problem) => {
                let d = worded(problem, self.in_file(file))?;
                Some(match &problem.fault {
                    Fault::Redeclared { name } => d.engine_message(self.redeclared(name, file, file)),
                    _ => d,
                })
            }
            LoadFault::Besides(file, problem, words) => {
                worded(problem, self.in_file(file)).map(|d| d.engine_message(words))
            }
            _ => None,
        });
    }

    /// A finding of the stack because of which Terramate rejects it after it has loaded everything.
    pub(crate) fn rejected(&self, turn: StackTurn, d: Diagnostic) -> Finding {
        let d = d.unit(self.dir.path.clone());
        rejected(STACKS, d, &self.dir.path).at(turn.number())
    }

    /// The header of the stack's block.
    pub(crate) fn header(&self) -> Option<Place> {
        self.scope.header(self.stack?.0)
    }

    /// The tags of the stack, with their numbers.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (usize, Place, &'a str)> {
        let (scope, stack) = (self.scope, self.stack.into_iter());
        let tags = stack.filter_map(|(_, node)| Some((node, &node.stack()?.tags.entries)));
        tags.flat_map(move |(node, tags)| {
            let all = tags.iter().enumerate();
            all.map(move |(at, tag)| (at, scope.at(node.file, tag.at), &*tag.value))
        })
    }

    /// The entries of `watch`, with their numbers.
    pub(crate) fn watched(&self) -> impl Iterator<Item = (usize, Watched<'a>)> {
        let (scope, dir, stack) = (self.scope, self.dir, self.stack.into_iter());
        let lists = stack.filter_map(|(_, node)| Some((node, &node.stack()?.watch.entries)));
        lists.flat_map(move |(node, entries)| {
            let all = entries.iter().zip(&node.watched).enumerate();
            all.map(move |(at, (entry, kind))| {
                let written = &*entry.value;
                let root = &scope.tree.root;
                let base = if written.starts_with('/') { root } else { &dir.host };
                let host = join_clean(base, written);
                let watched = Watched {
                    place: scope.at(node.file, entry.at),
                    written,
                    is_inside: host.as_str().starts_with(root.as_str()),
                    kind: *kind,
                };
                (at, watched)
            })
        })
    }

    /// The entries of the stack's lists.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (StackIx, &'a Node, Entry<'a>)> {
        let (scope, stack) = (self.scope, self.stack.into_iter());
        stack.flat_map(move |(stack, node)| scope.entries.of(stack).map(move |entry| (stack, node, entry)))
    }

    /// Those that order the stack after or before itself.
    pub(crate) fn own_entries(&self) -> impl Iterator<Item = (StackIx, &'a Node, Entry<'a>)> {
        self.entries().filter(|(stack, _, entry)| {
            entry.attribute.orders() && entry.targets.binary_search(&UnitIx(*stack)).is_ok()
        })
    }

    /// Those at whose paths nothing exists, with what they were probably meant to be.
    pub(crate) fn missing(&self) -> impl Iterator<Item = MissingEntry<'a>> {
        let missing = self.missing.get_or_init(|| {
            let all = self.entries();
            let missing = all.filter(|(.., entry)| entry.meaning == Meaning::Missing);
            let of_entry = |(_, node, entry): (_, _, Entry<'a>)| {
                (node, entry, self.scope.missing(&entry.written().text))
            };
            missing.map(of_entry).collect()
        });
        missing.iter().copied()
    }
}
