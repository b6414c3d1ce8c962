//! `tazuna/null-list-entry`: empty list entry.

use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/null-list-entry",
    severity: Severity::Warning,
    summary: "Empty list entry",
    docs: include_str!("../../../../../docs/rules/tazuna/null-list-entry.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the entry.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| {
        if *kind != FaultKind::EmptyTag {
            return None;
        }
        let d = Diagnostic::new(&RULE, place, "empty entry in `tags`")
            .note("Tazuna reads it as an empty string")
            .fix(
                "remove the entry",
                Safety::Unsafe,
                vec![FixStep::RemoveEntry(place)],
            );
        Some(Wording::silent(d))
    });
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn in_tags() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags:
        - x
        -
        - ''
",
            ),
            "warning tazuna.yaml:8 «»: empty entry in `tags`
  note: Tazuna reads it as an empty string
  unsafe fix: remove the entry
    tazuna.yaml:8 -        -
warning tazuna.yaml:9 «''»: empty entry in `tags`
  note: Tazuna reads it as an empty string
  unsafe fix: remove the entry
    tazuna.yaml:9 -        - ''
"
        );
    }
}
