//! `kapp/empty-input`: there are no resources.

use super::rejected;
use super::scope::Project;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/empty-input",
    severity: Severity::Error,
    summary: "There are no resources",
    docs: include_str!("../../../../../docs/rules/kapp/empty-input.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let file = project.model.app.inputs.inputs.first().map(|i| i.file);
    let failed = project.related.failed.as_ref();
    let failed = failed.filter(|f| std::ptr::eq(f.rule, &RULE));
    let (Some(file), Some(failed)) = (file, failed) else {
        return;
    };
    let mut d = Diagnostic::new(
        &RULE,
        Place::file(file),
        "there is no resource to apply: kapp refuses",
    );
    if project.seed.inferred {
        d = d
            .severity(Severity::Warning)
            .note("which files form an app was inferred; `[[kapp.app]]` in applyorder.toml declares one");
    }
    found.push(rejected(d, failed.stage, ""));
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Error,
            "# nothing\n",
            &["# nothing"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
",
        );
    }
}
