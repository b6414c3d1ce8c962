//! The problems in single files.

use rustc_hash::FxHashMap;

use super::equal_blocks::EqualBlocks;
use super::experiments::Enabled;
use super::{LoadFault, LoadProblem, Loading};
use crate::load::tree::ConfigFile;
use crate::problems::Fault;
use crate::read::{FileFacts, Problem, RootAttribute};
use applyorder_core::diagnostic::Place;

impl<'a> Loading<'a> {
    /// The problems in each file of the directory.
    pub(super) fn files(self, equal: &EqualBlocks<'a>, found: &mut Vec<LoadProblem<'a>>) {
        let mut lacking = FxHashMap::default();
        let enabled = self.enabled();
        for (loaded, read) in self.sources.all(self.dir) {
            match read {
                Ok(read) => self.in_file(loaded, &read.facts, enabled, &mut lacking, equal, found),
                Err(error) => {
                    let fatal = !error.is_limit();
                    found.push(LoadProblem {
                        fatal,
                        early: fatal,
                        ..LoadProblem::new(Place::file(loaded.file), LoadFault::Unreadable(error))
                    });
                }
            }
        }
    }

    /// Whether it is a problem in addition to what the files of the directory set.
    pub(super) fn is_one(self, problem: &Problem) -> bool {
        problem.only_with.is_none_or(|path| self.disables(path))
    }

    /// Whether a setting disables safeguards: in the directory, or else in the last file that it imports and that sets it.
    fn disables(self, path: &str) -> bool {
        let set_in = |facts: &FileFacts| {
            let root = || facts.shape.root.iter().filter(|a| *a.path == *path);
            let is_set = !facts.shape.unreadable && root().next().is_some();
            is_set.then(|| root().any(|a| a.disables_safeguards))
        };
        let own = self
            .sources
            .files(self.dir)
            .filter_map(|(_, facts)| set_in(facts));
        let own = own.reduce(|some, other| some || other);
        let imported = || self.imports.merged.iter().rev().find_map(|m| set_in(&m.facts));
        own.or_else(imported).unwrap_or(false)
    }

    /// `lacking`: missing parts of equal blocks that are already reported.
    fn in_file(
        self,
        loaded: &ConfigFile,
        facts: &'a FileFacts,
        enabled: Enabled<'_>,
        lacking: &mut FxHashMap<&'a str, Vec<&'a str>>,
        equal: &EqualBlocks<'a>,
        found: &mut Vec<LoadProblem<'a>>,
    ) {
        let file = loaded.file;
        let is_off = |experiment| enabled.is_off(experiment);
        let problems = facts.shape.problems.iter();
        let problems = problems.filter(|p| !p.experiment.is_some_and(is_off) && self.is_one(p));
        for problem in problems.filter(|p| !equal.have(p) && !equal.may_have(p)) {
            let mut is_behind = problem
                .behind
                .as_deref()
                .is_some_and(|block| lacking.contains_key(block));
            // Another finding about the same block comes before one that is last.
            let merged = problem.merged.as_ref().filter(|_| !problem.is_last);
            if let (Some(block), Fault::Missing { name, .. }) = (merged, &problem.fault) {
                let told = lacking.entry(block).or_default();
                if told.contains(&&**name) {
                    continue;
                }
                // Terramate stops at the first missing part of a block.
                is_behind = !told.is_empty();
                told.push(name);
            }
            let place = self.place(file, problem.at);
            let unseen = facts.shape.unreadable && !problem.is_syntax() || problem.is_unmerged || is_behind;
            let unseen = unseen || problem.not_with.is_some_and(|path| self.disables(path));
            let (fatal, early) = (problem.fatal, problem.early);
            found.push(LoadProblem {
                fatal,
                unseen,
                early,
                ..LoadProblem::new(place, LoadFault::InFile(file, problem))
            });
            found.extend(problem.also.map(|words| LoadProblem {
                fatal,
                unseen,
                silent: true,
                ..LoadProblem::new(place, LoadFault::Besides(file, problem, words))
            }));
        }
        if self.dir.parent.is_none() {
            return;
        }
        let nested = facts.shape.root.iter().filter(|a| is_of_project(a));
        found.extend(nested.map(|attribute| LoadProblem {
            fatal: false,
            ..LoadProblem::new(self.place(file, attribute.at), LoadFault::Nested(attribute))
        }));
    }
}

/// Whether Terramate checks a setting only in the root.
fn is_of_project(attribute: &RootAttribute) -> bool {
    // `required_version = ""` is not a requirement.
    let is_empty =
        &*attribute.path == "required_version" && attribute.text.as_ref().is_some_and(|t| t.value.is_empty());
    !is_empty && !attribute.path.starts_with("config.run.env.")
}
