//! Tests of `duplicate-dependency`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::duplicate_dependency::RULE;

#[test]
fn an_entry_twice() {
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
    - name: b
      type: kustomize
      path: .
      dependsOn: [a, a]
",
        ),
        "warning tazuna.yaml:9 «a»: duplicate dependency `a`
  tazuna.yaml:9 «a»: first listed here
  safe fix: remove the duplicate `a`
    tazuna.yaml:9 -      dependsOn: [a, a]
    tazuna.yaml:9 +      dependsOn: [a]
"
    );
}
