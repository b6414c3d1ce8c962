//! `tazuna/no-manifests`: no manifests.

use crate::read::rebased;
use crate::scope::Whole;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/no-manifests",
    severity: Severity::Info,
    summary: "No manifests",
    docs: include_str!("../../../../../docs/rules/tazuna/no-manifests.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the key `manifests`, or at the file.
pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let context = whole.context;
    let is_empty = context.expansion.list.is_empty() && !context.related.incomplete;
    let Some(root) = context
        .expansion
        .root()
        .filter(|_| is_empty && !whole.stops_early())
    else {
        return;
    };
    let view = &root.piece.view;
    let key = view.head.manifests_key.map(|key| rebased(key, view.head_base()));
    let place = key.unwrap_or(Place::file(root.brief.file));
    let d = Diagnostic::new(&RULE, place, "no manifests: nothing is applied");
    found.push(Finding::new(d));
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
            "info tazuna.yaml:2 «manifests»: no manifests: nothing is applied
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
            "info tazuna.yaml:2 «manifests»: no manifests: nothing is applied
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
