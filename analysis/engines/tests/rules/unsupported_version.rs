//! Tests of `unsupported-version`.

use applyorder_analysis::fixture::told_with;
use applyorder_core::engine::RunOptions;
use applyorder_core::rules::unsupported_version::RULE;

#[test]
fn newer_than_the_one_in_use() {
    assert_eq!(
            told_with(applyorder_engines::all(), &RULE, "//- /w/tazuna.yaml
spec:
  minimumSupportedTazunaVersion: v1.1.0
  manifests:
    - name: a
      type: kustomize
      path: .
", RunOptions {
                engine_version: Some("1.0.5".to_owned()),
                ..RunOptions::default()
            }),
            "error tazuna.yaml:2 «v1.1.0»: requires Tazuna v1.1.0, but 1.0.5 is in use
  check version first, apply version first, destroy version first: this tazuna.yaml requires tazuna >= v1.1.0, but the running tazuna is 1.0.5; please upgrade tazuna
"
        );
}

#[test]
fn older() {
    assert_eq!(
        told_with(
            applyorder_engines::all(),
            &RULE,
            "//- /w/tazuna.yaml
spec:
  minimumSupportedTazunaVersion: v1.1.0
  manifests:
    - name: a
      type: kustomize
      path: .
",
            RunOptions {
                engine_version: Some("1.2.0".to_owned()),
                ..RunOptions::default()
            }
        ),
        ""
    );
}
