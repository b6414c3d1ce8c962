//! Findings on files as such: what cannot be read, what is no YAML, what is a limit of ours.

use crate::facts::ProblemKind;
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::files::ReadError;
use applyorder_core::rules::{limit_reached, missing_file, syntax_error, unreadable_file, unresolved};

pub(super) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (file, given, error) in &view.loaded.unreadable {
        let (rule, text) = match error {
            ReadError::NotFound => (&missing_file::RULE, format!("`{given}` does not exist")),
            other => (
                &unreadable_file::RULE,
                format!("`{given}` cannot be read: it {other}"),
            ),
        };
        found.push(view.enforced(
            Diagnostic::new(rule, Place::file(*file), text),
            "load",
            None,
            None,
        ));
    }
    for (place, problem) in view.problems() {
        let (rule, text) = match problem.kind {
            ProblemKind::Syntax => (&syntax_error::RULE, problem.text.value.to_string()),
            ProblemKind::Limit => (&limit_reached::RULE, problem.text.value.to_string()),
            ProblemKind::NotAnObject => (
                &syntax_error::RULE,
                format!(
                    "a document must be an object, this is a JSON {}",
                    problem.text.value
                ),
            ),
            ProblemKind::InWrapper => {
                found.push(
                    Diagnostic::new(
                        &super::misplaced::RULE,
                        place,
                        format!(
                            "`{}` has no effect on a list, which is taken apart",
                            problem.text.value
                        ),
                    )
                    .note("kapp reads only `metadata.annotations` of the resource itself, and says nothing"),
                );
                continue;
            }
            _ => continue,
        };
        let d = Diagnostic::new(rule, place, text);
        found.push(if problem.kind == ProblemKind::Limit {
            d
        } else {
            view.enforced(d, "load", None, None)
        });
    }
    for input in &view.loaded.inputs {
        for bad in &input.facts.bad_separators {
            let text = format!(
                "kapp ends a document at every line that starts with `---`, and `{}` must not follow",
                bad.value
            );
            let d = Diagnostic::new(&syntax_error::RULE, view.cx.place(input.file, bad.place), text);
            found.push(view.enforced(d, "load", None, None));
        }
    }
    for (file, kind) in &view.loaded.unrendered {
        let text = format!(
            "this is {}: which resources it yields is unknown until it is rendered",
            kind.title()
        );
        found.push(
            Diagnostic::new(&unresolved::RULE, Place::file(*file), text)
                .severity(Severity::Info)
                .note("`render` of a `[[kapp.app]]` in applyorder.toml, or standard input, gives the real input"),
        );
    }
    found
}
