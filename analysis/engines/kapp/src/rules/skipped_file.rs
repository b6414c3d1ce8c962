//! `kapp/skipped-file`: a file that looks like YAML and is not read.

use super::scope::Project;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/skipped-file",
    severity: Severity::Hint,
    summary: "Skipped file that looks like YAML",
    docs: include_str!("../../../../../docs/rules/kapp/skipped-file.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    for file in &project.model.loaded.app.skipped {
        let path = project.cx.path(*file);
        let extension = path.extension().unwrap_or("");
        let text = format!("skipped file: `.{extension}` is not one of `.yaml`, `.yml` and `.json`");
        found.push(Finding::new(Diagnostic::new(&RULE, Place::file(*file), text)));
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
            Severity::Hint,
            "\
//- d/a.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
---
//- d/b.YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
",
            &[""],
            "\
//- d/a.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
---
//- d/b.txt
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
",
        );
    }
}
