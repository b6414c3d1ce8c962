//! Tests of `cycle`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::cycle::RULE;

#[test]
fn over_two_files() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
    - name: c
      type: kustomize
      path: .
      dependsOn: [a]
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      dependsOn: [b]
    - name: b
      type: kustomize
      path: .
      dependsOn: [c, d]
    - name: d
      type: kustomize
      path: .
",
        ),
        "error a.yaml:6 «b»: dependency cycle: `a` → `b` → `c` → `a`
  check cycle first, apply cycle first: circular dependency detected in manifest dependsOn graph
  a.yaml:6 «b»: `a` waits for `b` (`dependsOn`)
  a.yaml:10 «c»: `b` waits for `c` (`dependsOn`)
  tazuna.yaml:8 «a»: `c` waits for `a` (`dependsOn`)
  unsafe fix: remove the dependency of `a` on `b` (breaks the cycle)
    a.yaml:6 -      dependsOn: [b]
    a.yaml:6 +      dependsOn: []
  unsafe fix: remove the dependency of `b` on `c`
    a.yaml:10 -      dependsOn: [c, d]
    a.yaml:10 +      dependsOn: [d]
  unsafe fix: remove the dependency of `c` on `a`
    tazuna.yaml:8 -      dependsOn: [a]
    tazuna.yaml:8 +      dependsOn: []
"
    );
}

#[test]
fn a_chain_has_none() {
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
",
        ),
        ""
    );
}
