//! `kapp/empty-input`: an app without resources.

use super::rejected;
use super::scope::Project;
use crate::judge;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/empty-input",
    severity: Severity::Error,
    summary: "No resources",
    docs: include_str!("../../../../../docs/rules/kapp/empty-input.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    // Files that are one app only by location need not be one.
    let file = project.model.app.inputs.inputs.first().map(|i| i.file);
    let Some(file) = file.filter(|_| !project.seed.inferred) else {
        return;
    };
    let place = Place::file(file);
    if let Some(about) = project.reported(What::Empty, None, place) {
        let d = Diagnostic::new(&RULE, place, "no resources to apply");
        found.push(rejected(d, vec![(judge::DEPLOY, "prepare", Some(about))]));
    }
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
