//! `kapp/labels-shape`: kapp cannot write its labels.

use super::rejected;
use super::scope::{Project, Source};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/labels-shape",
    severity: Severity::Error,
    summary: "kapp cannot write its labels",
    docs: include_str!("../../../../../docs/rules/kapp/labels-shape.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable_ordered() {
        let Some(fault) = &r.label_fault else { continue };
        let path = fault.path.replace(',', ".");
        let text = format!("kapp writes labels at `{path}`, and cannot: {}", fault.message);
        let d = Diagnostic::new(&RULE, source.at(item, fault.place), text);
        found.push(rejected(d, "label", super::subject(r)));
    }
}

/// Where a label rule of a Config leads to what is no place for labels.
pub(super) fn check_configs(project: &Project<'_>, found: &mut Vec<Finding>) {
    let failed = project.related.failed.as_ref();
    let Some(failed) = failed.filter(|f| std::ptr::eq(f.rule, &RULE)) else {
        return;
    };
    let app = &project.model.app;
    let mut ordered = app.resources().filter(|(_, bound, _)| bound.notable);
    if ordered.any(|(_, _, r)| r.label_fault.is_some()) {
        return;
    }
    let resource = failed
        .item
        .and_then(|item| Some((item, app.inputs.resource(item)?)));
    let Some((item, r)) = resource else { return };
    let says = failed.message.strip_prefix("panic: ").unwrap_or(&failed.message);
    let text = format!("a label rule of a Config leads to what is no place for labels: {says}");
    let d = Diagnostic::new(&RULE, project.at(item, r.name_place()), text);
    found.push(rejected(d, failed.stage, super::subject(r)));
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn a_rule_of_a_config_can_lead_to_what_is_no_mapping() {
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
