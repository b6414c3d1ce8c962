//! What is wrong with single files.

use super::{LoadFault, LoadProblem, Loading};
use crate::load::tree::ConfigFile;
use crate::read::{FileFacts, RootAttribute};
use applyorder_core::diagnostic::Place;

impl<'a> Loading<'a> {
    /// What is wrong with each file of the directory.
    pub(super) fn files(self, found: &mut Vec<LoadProblem<'a>>) {
        for (loaded, read) in self.sources.all(self.dir) {
            match read {
                Ok(read) => self.in_file(loaded, &read.facts, found),
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

    fn in_file(self, loaded: &ConfigFile, facts: &'a FileFacts, found: &mut Vec<LoadProblem<'a>>) {
        let file = loaded.file;
        let is_off = |experiment| self.experiments.is_off(experiment);
        let problems = facts.shape.problems.iter();
        for problem in problems.filter(|p| !p.experiment.is_some_and(is_off)) {
            let place = self.place(file, problem.at);
            let unseen = facts.shape.unreadable && !problem.is_syntax();
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

/// Whether Terramate looks at a setting in the root alone.
fn is_of_project(attribute: &RootAttribute) -> bool {
    // `required_version = ""` is no demand.
    let is_empty =
        &*attribute.path == "required_version" && attribute.text.as_ref().is_some_and(|t| t.value.is_empty());
    !is_empty && !attribute.path.starts_with("config.run.env.")
}
