//! Findings on files as such: what cannot be read, what is no YAML, what is a limit of ours.

use super::rejected;
use super::scope::{Project, Source};
use crate::judge;
use crate::model::error::What;
use crate::read::ProblemKind;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, missing_file, syntax_error, unreadable_file, unresolved};

/// Files that cannot be read.
pub(super) fn unreadable(project: &Project<'_>, found: &mut Vec<Finding>) {
    for (place, given, error) in &project.model.app.inputs.unreadable {
        let (rule, text) = match error {
            ReadError::NotFound => (&missing_file::RULE, format!("`{given}` does not exist")),
            other => (
                &unreadable_file::RULE,
                format!("`{given}` cannot be read: it {other}"),
            ),
        };
        let what = match error {
            ReadError::NotFound => What::MissingFile,
            _ => What::Unreadable,
        };
        let about = project.reported(what, None, *place);
        let d = Diagnostic::new(rule, *place, text);
        found.push(rejected(d, vec![(judge::DEPLOY, "load", about)]));
    }
}

/// What is wrong with the text of a file.
pub(super) fn texts(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (place, problem) in source.problems() {
        let (rule, text) = match problem.kind {
            ProblemKind::Syntax => (&syntax_error::RULE, problem.text.value.to_string()),
            ProblemKind::Limit => {
                let text = problem.text.value.to_string();
                found.push(Finding::new(Diagnostic::new(&limit_reached::RULE, place, text)));
                continue;
            }
            ProblemKind::NotAnObject => (
                &syntax_error::RULE,
                format!("expected an object, found a JSON {}", problem.text.value),
            ),
            _ => continue,
        };
        found.push(source.rejected(Diagnostic::new(rule, place, text), "load", What::Syntax, None));
    }
    for (place, rest) in source.bad_separators() {
        let text = format!("`{rest}` is not allowed after `---`");
        let d = Diagnostic::new(&syntax_error::RULE, place, text);
        found.push(source.rejected(d, "load", What::Syntax, None));
    }
}

/// Sources whose result is not there.
pub(super) fn unrendered(project: &Project<'_>, found: &mut Vec<Finding>) {
    for (file, kind) in &project.model.app.inputs.unrendered {
        let text = format!("resources unknown until rendered: this is {}", kind.title());
        let d = Diagnostic::new(&unresolved::RULE, Place::file(*file), text)
            .severity(Severity::Info)
            .note("set `render` of a `[[kapp.app]]` in applyorder.toml, or pass the rendered text on standard input");
        found.push(Finding::new(d));
    }
}
