//! `kapp/placeholder-in-verb`: a placeholder in the first three words of a rule.

use super::own_texts;
use crate::facts::Key;
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/placeholder-in-verb",
    severity: Severity::Hint,
    summary: "A placeholder in the first three words of a rule",
    docs: include_str!("../../../../../docs/rules/kapp/placeholder-in-verb.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One hint per placeholder in a verb.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for (item, annotation, text) in own_texts(view) {
        if annotation.key != Key::Rule {
            continue;
        }
        for placeholder in text.placeholders.iter().filter(|p| p.in_verb) {
            found.push(Diagnostic::new(
                &RULE,
                view.at(item, placeholder.text.place),
                format!(
                    "the placeholder `{}` decides what the rule does",
                    placeholder.text.value
                ),
            ));
        }
    }
    found
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
