//! `syntax-error` in Terramate's files: HCL, also that of imported files and of files that are generated from, and YAML.

use super::restated;
use crate::problems::{Fault, Problem};
use crate::read::instance::InstanceFaultKind;
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, InFile, Whole};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::syntax_error::RULE;
use applyorder_syntax::hcl::SyntaxErrorKind;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
    dir.tell(found, |problem| {
        let new = |message: &str| Diagnostic::new(&RULE, problem.place, message);
        match &problem.fault {
            LoadFault::InImport(file, inside) => {
                let inside = worded(inside, dir.in_file(*file))?;
                let d = new(&format!("syntax error in the imported file: {}", inside.message));
                Some(restated(d, inside))
            }
            LoadFault::Generated(error) if error.kind != SyntaxErrorKind::Limit => {
                let words = format!("failed to parse .tmgen file: {}", error.message);
                Some(new(&error.message).engine_message(words))
            }
            _ => None,
        }
    });
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let Fault::Syntax { message, first } = &problem.fault else {
        return None;
    };
    let at = file.place(problem.at);
    let d = Diagnostic::new(&RULE, at, message.clone());
    let d = match &problem.attribute {
        Some(name) => d.engine_message(format!("The argument \"{name}\" was already set")),
        None => d,
    };
    Some(match first {
        Some(first) => d.related(file.place(*first), "first defined here").fix(
            "remove",
            Safety::Unsafe,
            vec![FixStep::RemoveKey(at)],
        ),
        None => d,
    })
}

/// In instances of bundles.
pub(super) fn check_instances(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::Syntax(message) => Some(message.clone()),
        InstanceFaultKind::Empty => Some("expected an instance of a bundle, found nothing".to_owned()),
        _ => None,
    });
}

#[cfg(test)]
mod tests {
    use crate::rules::fixture::check;
    use applyorder_core::rules::syntax_error::RULE;

    #[test]
    fn their_syntax_is_read_where_the_experiment_is_on() {
        let files = "//- /w/s/s.tm\nstack {\n}\n//- /w/a/x.tmgen\n{\n//- /w/a/y.tmgen\na = 1\n";
        assert_eq!(check(&RULE, files).found(), [""; 0]);
        let on = "//- /w/e.tm\nterramate {\n  config {\n    experiments = [\"tmgen\"]\n  }\n}\n";
        let checked = check(&RULE, &format!("{on}{files}"));
        assert_eq!(checked.found().len(), 1);
        assert!(
            checked.found()[0].starts_with("/a/x.tmgen:1 {"),
            "{:?}",
            checked.found()
        );
        assert_eq!(checked.said().len(), 1);
    }

    #[test]
    fn those_of_a_root_with_a_tmskip_are_not_read() {
        let files = "//- /w/e.tm\nterramate {\n  config {\n    experiments = [\"tmgen\"]\n  }\n}\n//- /w/x.tmgen\n{\n";
        assert_eq!(check(&RULE, files).found().len(), 1);
        let skipped = format!("{files}//- /w/.tmskip\n");
        assert_eq!(check(&RULE, &skipped).found(), [""; 0]);
    }
}
