//! `tazuna/merge-overrides`: a merge replaces a key above it.

use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/merge-overrides",
    severity: Severity::Warning,
    summary: "A merge replaces a key above it",
    docs: include_str!("../../../../../docs/rules/tazuna/merge-overrides.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the key that loses.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |lost, kind| {
        let FaultKind::MergeOverrides { name, merge, source } = kind else {
            return None;
        };
        let text = format!("`{name}` is ignored: the `<<` below replaces it");
        let d = Diagnostic::new(&RULE, lost, text)
            .related(*merge, "merge here")
            .related(*source, "value used here")
            .note("Tazuna applies merges in file order")
            .fix(
                "move the merge to the top",
                Safety::Unsafe,
                vec![FixStep::MoveKeyFirst(*merge)],
            );
        Some(Wording::silent(d))
    });
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_merge_after_the_key_it_replaces() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
x-b: &b {name: b}
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      <<: *b
",
            ),
            "warning tazuna.yaml:4 «name»: `name` is ignored: the `<<` below replaces it
  tazuna.yaml:7 «<<»: merge here
  tazuna.yaml:1 «name»: value used here
  note: Tazuna applies merges in file order
  unsafe fix: move the merge to the top
    tazuna.yaml:4 -    - name: a
    tazuna.yaml:5 -      type: kustomize
    tazuna.yaml:6 -      path: .
    tazuna.yaml:7 -      <<: *b
    tazuna.yaml:4 +    - <<: *b
    tazuna.yaml:5 +      name: a
    tazuna.yaml:6 +      type: kustomize
    tazuna.yaml:7 +      path: .
"
        );
    }

    #[test]
    fn a_merge_before_it() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
x-b: &b {name: b}
spec:
  manifests:
    - <<: *b
      name: a
      type: kustomize
      path: .
",
            ),
            ""
        );
    }
}
