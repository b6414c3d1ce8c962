//! Tests of `redundant-dependency`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::redundant_dependency::RULE;

#[test]
fn implied_by_another() {
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
      dependsOn: [a]
    - name: c
      type: kustomize
      path: .
      dependsOn: [b, a]
",
        ),
        "hint tazuna.yaml:13 «a»: `c` already waits for `a` through `b`
  tazuna.yaml:13 «b»: `c` waits for `b` (`dependsOn`)
  tazuna.yaml:9 «a»: `b` waits for `a` (`dependsOn`)
  unsafe fix: remove the dependency
    tazuna.yaml:13 -      dependsOn: [b, a]
    tazuna.yaml:13 +      dependsOn: [b]
"
    );
}

#[test]
fn a_tag_can_leave_out_what_implies_it() {
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
      tags: [t]
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
    - name: c
      type: kustomize
      path: .
      dependsOn: [b, a]
      tags: [t]
",
        ),
        "hint tazuna.yaml:14 «a»: `c` already waits for `a` through `b`
  tazuna.yaml:14 «b»: `c` waits for `b` (`dependsOn`)
  tazuna.yaml:10 «a»: `b` waits for `a` (`dependsOn`)
  unsafe fix: remove the dependency
    tazuna.yaml:14 -      dependsOn: [b, a]
    tazuna.yaml:14 +      dependsOn: [b]
"
    );
}
