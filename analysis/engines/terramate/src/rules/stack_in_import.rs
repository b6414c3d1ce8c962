//! `terramate/stack-in-import`: imported file with a `stack` block.

use super::stack_duplicate;
use crate::model::imports::ImportFault;
use crate::scope::Directory;
use crate::scope::loading::LoadFault;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-in-import",
    severity: Severity::Error,
    summary: "Imported file with a `stack` block",
    docs: include_str!("../../../../../docs/rules/terramate/stack-in-import.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["terramate/import-invalid"],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| match &problem.fault {
        LoadFault::Import(rejected) => match rejected.fault {
            ImportFault::Stack { import, stack } => Some(imported(problem.place, import, stack)),
            _ => None,
        },
        // The same as the finding of the import.
        LoadFault::BesideImported => {
            let d = Diagnostic::new(&RULE, problem.place, "a stack is imported");
            Some(d.engine_message(stack_duplicate::WORDS))
        }
        _ => None,
    });
}

/// An import of a file with a stack: its source, its block, and the stack.
fn imported(source: Place, import: Place, stack: Place) -> Diagnostic {
    Diagnostic::new(&RULE, source, "imported file contains a `stack` block")
        .related(stack, "the stack")
        .engine_message("import of stack block is not permitted")
        .fix(
            "remove the import",
            Safety::Unsafe,
            vec![FixStep::RemoveBlock(import)],
        )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn the_import_can_go() {
        let checked = check(
            &RULE,
            "//- /w/a/a.tm\nimport {\n  source = \"/b/s.tm\"\n}\nstack {\n}\n//- /w/b/s.tm\nstack {\n}\n",
        );
        assert_eq!(
            checked.found(),
            ["/a/a.tm:2 \"/b/s.tm\": imported file contains a `stack` block"]
        );
        assert_eq!(checked.related(), ["/b/s.tm:1 stack"]);
        assert_eq!(checked.fixed(0), "//- /w/a/a.tm\nstack {\n}\n");
    }
}
