//! `tazuna/removed-parallel`: the removed type `parallel`.

use super::traced;
use crate::judge::Stage;
use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/removed-parallel",
    severity: Severity::Error,
    summary: "The removed type `parallel`",
    docs: include_str!("../../../../../docs/rules/tazuna/removed-parallel.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["invalid-value"],
};

/// At the type's value.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| {
        let FaultKind::Parallel { written, block } = kind else {
            return None;
        };
        let text = "unknown manifest type `parallel`: `dependsOn` replaced it";
        let mut d = Diagnostic::new(&RULE, place, text)
            .note("once any manifest has `dependsOn`, those without it start together");
        if let Some(block) = block {
            d = d.related(block.key, "children here; Tazuna ignores them");
            if let Some(text) = &block.text {
                d = d.fix(
                    "replace it with its children",
                    Safety::Unsafe,
                    vec![FixStep::Replace(block.whole, text.clone())],
                );
            }
        }
        let d = traced(written, d);
        let told = Wording::rejected(Stage::Spec, d, "unsupported manifest type: parallel");
        Some(told.detail("field", "type").detail("value", "parallel"))
    });
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_box_becomes_its_children() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - type: parallel
      path: .
      parallel:
        children:
          - name: a
            type: kustomize
            path: .
",
            ),
            "error tazuna.yaml:3 «parallel»: unknown manifest type `parallel`: `dependsOn` replaced it
  check spec first, apply spec first, destroy spec first: validation failed for manifest[0]: unsupported manifest type: parallel
  tazuna.yaml:5 «parallel»: children here; Tazuna ignores them
  note: once any manifest has `dependsOn`, those without it start together
  unsafe fix: replace it with its children
    tazuna.yaml:3 -    - type: parallel
    tazuna.yaml:4 -      path: .
    tazuna.yaml:5 -      parallel:
    tazuna.yaml:6 -        children:
    tazuna.yaml:7 -          - name: a
    tazuna.yaml:8 -            type: kustomize
    tazuna.yaml:9 -            path: .
    tazuna.yaml:3 +    - name: a
    tazuna.yaml:4 +      type: kustomize
    tazuna.yaml:5 +      path: .
"
        );
    }

    #[test]
    fn in_an_included_file_apply_alone_looks() {
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
spec:
  manifests:
    - name: box
      type: parallel
      path: .
",
            ),
            "error a.yaml:4 «parallel»: unknown manifest type `parallel`: `dependsOn` replaced it
  apply expanded spec first, destroy expanded spec first: validation failed after include expansion: validation failed for manifest[0]: unsupported manifest type: parallel
  tazuna.yaml:4 «a.yaml»: included here
  note: once any manifest has `dependsOn`, those without it start together
  note: `check` does not verify the values of included manifests
"
        );
    }
}
