//! `kapp/labels-shape`: a place where kapp cannot write its labels.

use super::rejected;
use super::scope::{Project, Source};
use crate::judge;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/labels-shape",
    severity: Severity::Error,
    summary: "Place where kapp cannot write its labels",
    docs: include_str!("../../../../../docs/rules/kapp/labels-shape.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable_ordered() {
        let Some(fault) = &r.label_fault else { continue };
        let path = fault.path.replace(',', ".");
        let text = format!("kapp cannot write labels at `{path}`: {}", fault.message);
        let d = Diagnostic::new(&RULE, source.at(item, fault.place), text);
        found.push(source.rejected(d, "label", What::Labels, Some(item)));
    }
}

/// Where a label rule of a Config leads to a value that cannot have labels.
pub(super) fn check_configs(project: &Project<'_>, found: &mut Vec<Finding>) {
    let failed = project.related.failed.as_ref();
    let failed = failed.filter(|failed| failed.what == What::Labels);
    let app = &project.model.app;
    let resource = failed.and_then(|failed| Some((failed, failed.item?, app.inputs.resource(failed.item?)?)));
    let Some((failed, item, r)) = resource.filter(|(.., r)| r.label_fault.is_none()) else {
        return;
    };
    let place = project.at(item, r.name_place());
    let about = project.reported(What::Labels, Some(item), place);
    let says = failed.message.strip_prefix("panic: ").unwrap_or(&failed.message);
    let text = format!("a label rule of a Config does not fit this resource: {says}");
    let d = Diagnostic::new(&RULE, place, text);
    found.push(rejected(d, vec![(judge::DEPLOY, failed.stage, about)]));
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn a_rule_of_a_config_can_lead_to_a_value_that_is_not_a_mapping() {
        let map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: b}\n";
        let rule = |path: &str| {
            format!(
                "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nownershipLabelRules: [{{path: {path}, resourceMatchers: [{{allMatcher: {{}}}}]}}]\n---\n{map}"
            )
        };
        let bad = rule("[data, a]");
        speaks(&RULE, Severity::Error, &bad, &["m"], &rule("[data]"));
    }

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  labels: [a]
",
            &["[a]"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  labels: {a: b}
",
        );
    }
}
