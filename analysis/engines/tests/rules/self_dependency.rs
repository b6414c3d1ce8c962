//! Tests of `self-dependency`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::self_dependency::RULE;

#[test]
fn itself() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      dependsOn: [a]
",
        ),
        r#"error tazuna.yaml:6 «a»: manifest `a` depends on itself
  check dependsOn first, apply dependsOn first: manifest "a" depends on itself
  tazuna.yaml:3 «a»: `a` is defined here
  unsafe fix: remove the dependency
    tazuna.yaml:6 -      dependsOn: [a]
    tazuna.yaml:6 +      dependsOn: []
"#
    );
}
