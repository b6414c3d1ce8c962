//! `kapp/placeholder-in-verb`: a placeholder in the first three words of a rule.

use super::scope::Source;
use crate::read::Key;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/placeholder-in-verb",
    severity: Severity::Hint,
    summary: "Placeholder in the first three words of a rule",
    docs: include_str!("../../../../../docs/rules/kapp/placeholder-in-verb.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, _, text) in source
        .texts()
        .filter(|(_, annotation, _)| annotation.key == Key::Rule)
    {
        for placeholder in text.placeholders.iter().filter(|p| p.in_verb) {
            found.push(Finding::new(Diagnostic::new(
                &RULE,
                source.at(item, placeholder.text.place),
                format!(
                    "placeholder `{}` decides what the rule does",
                    placeholder.text.value
                ),
            )));
        }
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
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: '{name} after upserting g'}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
            &["{name}"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
