//! `kapp/trailing-newline`: a block scalar leaves a line break at the end of a group or rule.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/trailing-newline",
    severity: Severity::Error,
    summary: "Line break at the end of a group or rule",
    docs: include_str!("../../../../../docs/rules/kapp/trailing-newline.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["invalid-name", "invalid-value"],
};

/// The finding at the header of a block scalar.
pub(super) fn diagnostic(header: Place) -> Diagnostic {
    let text = "line break at the end of the change group name";
    Diagnostic::new(&RULE, header, text).fix(
        "remove the line break",
        Safety::Unsafe,
        vec![FixStep::Replace(header, "|-".to_owned())],
    )
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
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations:
    kapp.k14s.io/change-rule: |
      upsert after upserting g
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
            &["|"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations:
    kapp.k14s.io/change-rule: |-
      upsert after upserting g
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
