//! `syntax-error`: texts that are not YAML, or not objects. If a text exceeds a limit of ours, `limit-reached`.

use super::scope::Source;
use crate::model::error::What;
use crate::read::ProblemKind;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, syntax_error};

/// The errors in the text of a file.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
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
