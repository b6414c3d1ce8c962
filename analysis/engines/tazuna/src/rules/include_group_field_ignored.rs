//! `tazuna/include-group-field-ignored`: a field of a group of includes has no effect.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/include-group-field-ignored",
    severity: Severity::Warning,
    summary: "A field of a group of includes has no effect",
    docs: include_str!("../../../../../docs/rules/tazuna/include-group-field-ignored.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the field's key.
pub(crate) fn diagnostic(place: Place, field: &str) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        place,
        format!("`{field}` has no effect on a group of includes"),
    )
    .note("the group is replaced by the manifests of its files; Tazuna says nothing")
    .fix(
        format!("remove `{field}`"),
        Safety::Safe,
        vec![FixStep::RemoveKey(place)],
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn tags_and_dependencies_of_a_group() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: z
      type: kustomize
      path: .
    - includes:
        - path: a.yaml
      tags: [t]
      dependsOn: [z]
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            "warning tazuna.yaml:8 «tags»: `tags` has no effect on a group of includes
  note: the group is replaced by the manifests of its files; Tazuna says nothing
  safe fix: remove `tags`
    tazuna.yaml:8 -      tags: [t]
warning tazuna.yaml:9 «dependsOn»: `dependsOn` has no effect on a group of includes
  note: the group is replaced by the manifests of its files; Tazuna says nothing
  safe fix: remove `dependsOn`
    tazuna.yaml:9 -      dependsOn: [z]
  unsafe fix: move it to the manifests of the group
    tazuna.yaml:9 -      dependsOn: [z]
    a.yaml:6 +      dependsOn: [z]
"
        );
    }

    #[test]
    fn a_name_says_what_the_group_is() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
      name: infra
      description: x
//- /w/a.yaml
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
