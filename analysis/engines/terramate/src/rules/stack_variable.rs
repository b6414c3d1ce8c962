//! `terramate/stack-variable`: variable in an attribute of a stack.

use super::evaluation;
use crate::problems::{Fault, Problem};
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::hcl::eval::EvalErrorKind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-variable",
    severity: Severity::Error,
    summary: "Variable in an attribute of a stack",
    docs: include_str!("../../../../../docs/rules/terramate/stack-variable.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, |problem, file| {
        let d = worded(problem, file)?;
        let reference = problem.reference.as_deref();
        Some(
            match reference.and_then(|reference| metadata(&dir.dir.path, reference)) {
                Some(literal) => {
                    let step = FixStep::Replace(d.place, quote(&literal));
                    d.replace_with(&literal, step)
                }
                None => d,
            },
        )
    });
}

/// The value of a reference to Terramate's metadata in a directory, if it is not written anywhere else.
fn metadata(dir: &str, reference: &str) -> Option<String> {
    let relative = dir.strip_prefix('/')?;
    Some(match reference {
        "terramate.stack.path.absolute" => dir.to_owned(),
        "terramate.stack.path.relative" => relative.to_owned(),
        "terramate.stack.path.basename" => dir.rsplit('/').next()?.to_owned(),
        _ => return None,
    })
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    match problem.fault {
        Fault::Evaluation {
            kind: EvalErrorKind::Variable,
            ..
        } => evaluation(&RULE, problem, file),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn metadata_of_the_stack_can_be_written_out() {
        let checked = check(
            &RULE,
            "//- /w/a/b/stack.tm\nstack {\n  name = terramate.stack.path.basename\n}\n",
        );
        assert_eq!(checked.found().len(), 1);
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/b/stack.tm\nstack {\n  name = \"b\"\n}\n"
        );
        let global = check(&RULE, "//- /w/a/stack.tm\nstack {\n  after = [global.first]\n}\n");
        assert_eq!(
            global.found(),
            ["/a/stack.tm:2 global.first: There is no variable named \"global\""]
        );
    }
}
