//! `kapp/labels-shape`: kapp cannot write its labels.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
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

/// One finding per resource whose labels kapp cannot write.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found: Vec<Diagnostic> = view
        .preparation
        .notable
        .iter()
        .filter_map(|item| {
            let r = view.loaded.resource(*item)?;
            let fault = r.label_fault.as_ref()?;
            let path = fault.path.replace(',', ".");
            let text = format!("kapp writes labels at `{path}`, and cannot: {}", fault.message);
            let d = Diagnostic::new(&RULE, view.at(*item, fault.place), text);
            Some(view.enforced(d, "label", Some(*item), None))
        })
        .collect();
    found.extend(of_config(view).filter(|_| found.is_empty()));
    found
}

/// Where a rule of a Config leads to what is no mapping.
fn of_config(view: &View<'_>) -> Option<Diagnostic> {
    let failure = view.failed.filter(|f| std::ptr::eq(f.rule, &RULE))?;
    let item = failure.item?;
    let r = view.loaded.resource(item).filter(|r| r.label_fault.is_none())?;
    let says = failure
        .message
        .strip_prefix("panic: ")
        .unwrap_or(&failure.message);
    let text = format!("a label rule of a Config leads to what is no place for labels: {says}");
    let d = Diagnostic::new(&RULE, view.at(item, r.name_place()), text);
    Some(view.enforced(d, failure.stage, Some(item), None))
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
