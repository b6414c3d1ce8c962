//! The problems in what Terramate loads of a directory, in the order in which Terramate reaches them: what is not
//! HCL in its files, what they import, what they set together, what their blocks contain, and what is generated
//! from.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" and "The `stack` block".

mod equal_blocks;
mod experiments;
mod files;
pub(crate) mod generated;
mod stacks;
mod together;

use std::sync::Arc;

use crate::load::tree::Dir;
use crate::model::imports::{Imports, Rejected};
use crate::model::sources::Sources;
use crate::problems::Fault;
use crate::read::{Experimental, Problem, RootAttribute, Stack};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, EngineIx};
use applyorder_core::files::ReadError;
use applyorder_syntax::hcl::SyntaxError;
use equal_blocks::EqualBlocks;
pub(crate) use experiments::Experiments;

/// A problem in what Terramate loads of a directory.
pub(crate) struct LoadProblem<'a> {
    pub(crate) fault: LoadFault<'a>,
    pub(crate) place: Place,
    /// Terramate rejects the directory because of it.
    pub(crate) fatal: bool,
    /// Terramate itself does not report it: it does not reach it.
    pub(crate) unseen: bool,
    /// It is not reported to users: another finding reports the cause.
    pub(crate) silent: bool,
    /// Terramate already meets it while it searches for the root of the project.
    pub(crate) early: bool,
    /// The finding for the path upwards repeats it.
    pub(crate) repeats: bool,
}

/// What is wrong.
pub(crate) enum LoadFault<'a> {
    /// A file that cannot be read.
    Unreadable(&'a ReadError),
    /// A problem in a file.
    InFile(FileId, &'a Problem),
    /// Another message of Terramate for the cause of a problem in a file.
    Besides(FileId, &'a Problem, &'static str),
    /// A setting of the project outside its root.
    Nested(&'a RootAttribute),
    /// An import.
    Import(&'a Rejected),
    /// A problem in a file that is imported.
    InImport(FileId, &'a Problem),
    /// A stack next to one that is imported.
    BesideImported,
    /// A second stack: the first, the second, and the project path of the file with the second.
    SecondStack {
        first: (FileId, &'a Stack),
        second: (FileId, &'a Stack),
        file: String,
    },
    /// A setting that is set twice: its path, and the first place.
    SetTwice(&'a str, Place),
    /// A global that is set twice.
    GlobalTwice(&'a str, Place),
    /// An attribute of equal blocks of bundles and components that is set twice.
    MergedTwice(&'a str, Place),
    /// An attribute of a block of `define` that is set in two forms of naming the block: the block, the
    /// attribute, and the first place.
    DefinedTwice(&'a str, &'a str, Place),
    /// Two scripts with the same labels.
    ScriptTwice(&'a [Arc<str>], Place),
    /// A second `vendor` block.
    VendorTwice(Place),
    /// A block of an experiment that is not enabled.
    ExperimentOff(&'a Experimental),
    /// Invalid HCL, in a file that is generated from.
    Generated(SyntaxError),
}

/// What Terramate does with the files of a directory, in this order. After the first step it imports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Parse,
    Merge,
    Check,
}

impl<'a> LoadProblem<'a> {
    const fn new(place: Place, fault: LoadFault<'a>) -> Self {
        Self {
            fault,
            place,
            fatal: true,
            unseen: false,
            silent: false,
            early: false,
            repeats: false,
        }
    }

    /// Whether Terramate reports it.
    pub(crate) const fn is_said(&self) -> bool {
        self.fatal && !self.unseen
    }

    /// Whether Terramate reports it while it searches for the root of the project.
    pub(crate) const fn ends_search(&self) -> bool {
        self.early && self.is_said()
    }

    /// Whether another version of Terramate may know what is unknown to this one.
    pub(crate) const fn is_of_schema(&self) -> bool {
        let (LoadFault::InFile(_, problem)
        | LoadFault::Besides(_, problem, _)
        | LoadFault::InImport(_, problem)) = &self.fault
        else {
            return false;
        };
        matches!(problem.fault, Fault::Unknown { .. })
    }

    /// Where it is met.
    const fn step(&self) -> Step {
        match self.fault {
            LoadFault::Unreadable(_) => Step::Parse,
            LoadFault::InFile(_, problem) if problem.is_syntax() => Step::Parse,
            _ if self.early => Step::Merge,
            _ => Step::Check,
        }
    }

    /// Further keys of the verdict's error.
    pub(crate) fn details(&self) -> Vec<(&'static str, String)> {
        match &self.fault {
            LoadFault::InFile(_, problem) => {
                let details = [("attribute", &problem.attribute), ("value", &problem.value)];
                let known = details.into_iter();
                known
                    .filter_map(|(k, v)| Some((k, v.as_deref()?.to_owned())))
                    .collect()
            }
            LoadFault::SecondStack { file, .. } => vec![("file", file.clone())],
            _ => Vec::new(),
        }
    }
}

/// A directory that Terramate loads.
#[derive(Clone, Copy)]
pub(crate) struct Loading<'a> {
    pub(crate) engine: EngineIx,
    pub(crate) dir: &'a Dir,
    pub(crate) sources: &'a Sources,
    pub(crate) imports: &'a Imports,
    pub(crate) experiments: &'a Experiments,
}

impl<'a> Loading<'a> {
    /// Its problems, apart from those in the files that are generated from.
    pub(crate) fn problems(self) -> Vec<LoadProblem<'a>> {
        let mut found = Vec::new();
        let equal = EqualBlocks::of(self);
        self.files(&equal, &mut found);
        let has_files = self.sources.files(self.dir).next().is_some();
        if has_files {
            self.stacks(&mut found);
            self.settings(&mut found);
            self.globals(&mut found);
            self.merged(&mut found);
            self.scripts(&mut found);
            self.vendors(&mut found);
            self.in_imports(&equal, &mut found);
            self.off(&mut found);
        }
        found.sort_by_key(LoadProblem::step);
        if has_files {
            let parsed = found.partition_point(|p| p.step() == Step::Parse);
            let imported = self.imports.rejected.iter().map(import);
            found.splice(parsed..parsed, imported);
        }
        let is_last = |p: &LoadProblem<'_>| matches!(p.fault, LoadFault::InFile(_, problem) | LoadFault::InImport(_, problem) if problem.is_last);
        if found.iter().any(|p| p.is_said() && !is_last(p)) {
            found
                .iter_mut()
                .filter(|p| is_last(p))
                .for_each(|p| p.unseen = true);
        }
        // Terramate reads the files one by one before it checks their contents.
        let read = found.iter().position(|p| {
            p.fatal && matches!(p.fault, LoadFault::Unreadable(e) if !matches!(e, ReadError::NotUtf8(_)))
        });
        if let Some(read) = read {
            let others = found.iter_mut().enumerate().filter(|(i, _)| *i != read);
            others.for_each(|(_, problem)| problem.unseen = true);
        }
        found
    }

    /// The same with the files that are generated from.
    pub(crate) fn all_problems(self, cx: &Cx<'_>) -> Vec<LoadProblem<'a>> {
        let mut found = self.problems();
        if self.experiments.is_on(generated::EXPERIMENT) {
            generated::problems(cx, self.dir, &mut found);
        }
        found
    }

    const fn place(self, file: FileId, at: u32) -> Place {
        Place::anchor(file, self.engine, at)
    }
}

fn import(rejected: &Rejected) -> LoadProblem<'_> {
    let fault = match rejected.fault.inside() {
        Some((file, problem)) => LoadFault::InImport(file, problem),
        None => LoadFault::Import(rejected),
    };
    LoadProblem {
        fatal: !rejected.is_limit(),
        unseen: rejected.unseen,
        silent: rejected.silent,
        ..LoadProblem::new(rejected.place, fault)
    }
}
