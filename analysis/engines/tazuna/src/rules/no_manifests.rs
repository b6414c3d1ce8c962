//! `tazuna/no-manifests`: nothing is applied.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/no-manifests",
    severity: Severity::Info,
    summary: "Nothing is applied",
    docs: include_str!("../../../../../docs/rules/tazuna/no-manifests.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the key `manifests`, or at the file.
pub(crate) fn diagnostic(place: Place) -> Diagnostic {
    Diagnostic::new(&RULE, place, "there is no manifest to apply")
        .note("Tazuna accepts that and says nothing")
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn an_empty_list() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests: []
",
            ),
            "info tazuna.yaml:2 «manifests»: there is no manifest to apply
  note: Tazuna accepts that and says nothing
"
        );
    }

    #[test]
    fn includes_that_hold_nothing() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
//- /w/a.yaml
",
            ),
            "info tazuna.yaml:2 «manifests»: there is no manifest to apply
  note: Tazuna accepts that and says nothing
"
        );
    }

    #[test]
    fn one() {
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
",
            ),
            ""
        );
    }
}
