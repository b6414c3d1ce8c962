//! Tests of `unknown-dependency`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::unknown_dependency::RULE;

#[test]
fn the_nearest_name_is_its_own() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: web
      type: kustomize
      path: .
      dependsOn: [wep]
",
        ),
        r#"error tazuna.yaml:6 «wep»: manifest `web` depends on unknown manifest `wep`
  check dependsOn first, apply dependsOn first: manifest "web" dependsOn references unknown manifest "wep"
  unsafe fix: remove the dependency
    tazuna.yaml:6 -      dependsOn: [wep]
    tazuna.yaml:6 +      dependsOn: []
"#
    );
}

#[test]
fn a_name_like_another() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - name: gateway
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [Gateway, gatewey, ~]
",
        ),
        r#"error tazuna.yaml:9 «Gateway»: manifest `b` depends on unknown manifest `Gateway`
  label: did you mean `gateway`?
  check dependsOn first, apply dependsOn first: manifest "b" dependsOn references unknown manifest "Gateway"
  unsafe fix: replace with `gateway`
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [gateway, gatewey, ~]
  unsafe fix: remove the dependency
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [gatewey, ~]
error tazuna.yaml:9 «gatewey»: manifest `b` depends on unknown manifest `gatewey`
  label: did you mean `gateway`?
  check dependsOn first, apply dependsOn: manifest "b" dependsOn references unknown manifest "gatewey"
  unsafe fix: replace with `gateway`
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [Gateway, gateway, ~]
  unsafe fix: remove the dependency
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [Gateway, ~]
error tazuna.yaml:9 «~»: manifest `b` has an empty dependency
  check dependsOn first, apply dependsOn: manifest "b" dependsOn references unknown manifest ""
  unsafe fix: remove the dependency
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [Gateway, gatewey]
"#
    );
}

#[test]
fn a_group_of_includes() {
    assert_eq!(
        told(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
      name: infra
    - name: b
      type: kustomize
      path: .
      dependsOn: [infra]
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: c
      type: kustomize
      path: .
",
        ),
        "error tazuna.yaml:9 «infra»: manifest `b` depends on `infra`, an include group, not a manifest
  check dependsOn first, apply dependsOn first: manifest \"b\" dependsOn references unknown manifest \"infra\"
  tazuna.yaml:5 «infra»: include group here; its files' manifests replace it
  a.yaml:3 «a»: contains `a`
  a.yaml:6 «c»: contains `c`
  unsafe fix: replace with the manifests of the group
    tazuna.yaml:9 -      dependsOn: [infra]
    tazuna.yaml:9 +      dependsOn: [a, c]
  unsafe fix: remove the entry
    tazuna.yaml:9 -      dependsOn: [infra]
    tazuna.yaml:9 +      dependsOn: []
"
    );
}
