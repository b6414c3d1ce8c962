//! `terramate/stack-nested-block`: block in a `stack` block.

use crate::problems::{Fault, Problem};
use crate::scope::{Directory, InFile};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-nested-block",
    severity: Severity::Error,
    summary: "Block in a `stack` block",
    docs: include_str!("../../../../../docs/rules/terramate/stack-nested-block.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let Fault::StackBlock(kind) = &problem.fault else {
        return None;
    };
    let message = format!("unknown block `{kind}` in `stack`");
    let d = Diagnostic::new(&RULE, file.place(problem.at), message);
    Some(d.engine_message(format!("unrecognized block \"{kind}\"")))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn its_name_is_marked() {
        let checked = check(&RULE, "//- /w/a/s.tm\nstack {\n  config {\n    x = 1\n  }\n}\n");
        assert_eq!(
            checked.found(),
            ["/a/s.tm:2 config: unknown block `config` in `stack`"]
        );
        let free = "//- /w/a/s.tm\nstack {\n}\nglobals {\n}\n";
        assert_eq!(check(&RULE, free).found(), [""; 0]);
    }
}
