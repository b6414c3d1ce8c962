//! Tests of `wrong-type`.

use applyorder_analysis::fixture::told;
use applyorder_core::rules::wrong_type::RULE;

#[test]
fn an_entry() {
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
      dependsOn: [[b]]
    - x
",
            ),
            "error tazuna.yaml:6 «[b]»: an entry of `dependsOn`: expected a string, found a list
  check decode first, apply decode first, destroy decode first: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field Manifest.spec.manifests.dependsOn of type string
error tazuna.yaml:7 «x»: an entry of `manifests`: expected a mapping, found a string
  check decode, apply decode, destroy decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field TazunaSpec.spec.manifests of type v1.Manifest
"
        );
}

#[test]
fn strings_where_lists_are_required() {
    assert_eq!(
            told(
                applyorder_engines::all(),
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes: [a.yaml]
    - name: a
      type: kustomize
      path: .
      dependsOn: b
      tags: {x: y}
",
            ),
            "error tazuna.yaml:3 «a.yaml»: an entry of `includes`: expected a mapping, found a string
  check decode first, apply decode first, destroy decode first: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field Manifest.spec.manifests.includes of type v1.IncludeFile
  unsafe fix: replace with `path: a.yaml`
    tazuna.yaml:3 -    - includes: [a.yaml]
    tazuna.yaml:3 +    - includes: [{path: a.yaml}]
error tazuna.yaml:7 «b»: `dependsOn`: expected a list of strings, found a string
  check decode, apply decode, destroy decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field Manifest.spec.manifests.dependsOn of type []string
  unsafe fix: wrap it in a list
    tazuna.yaml:7 -      dependsOn: b
    tazuna.yaml:7 +      dependsOn: [b]
error tazuna.yaml:8 «{x: y}»: `tags`: expected a list of strings, found a mapping
  check decode, apply decode, destroy decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go struct field Manifest.spec.manifests.tags of type []string
"
        );
}

#[test]
fn quoted_booleans_and_numbers() {
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
      helmfile: {wait: 'true', timeoutSeconds: '30'}
",
            ),
            "error tazuna.yaml:6 «'true'»: `wait`: expected `true` or `false`, found a string
  check decode, apply decode, destroy decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field ManifestHelmfile.spec.manifests.helmfile.wait of type bool
  unsafe fix: unquote `true`
    tazuna.yaml:6 -      helmfile: {wait: 'true', timeoutSeconds: '30'}
    tazuna.yaml:6 +      helmfile: {wait: true, timeoutSeconds: '30'}
error tazuna.yaml:6 «'30'»: `timeoutSeconds`: expected an integer, found a string
  check decode first, apply decode first, destroy decode first: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field ManifestHelmfile.spec.manifests.helmfile.timeoutSeconds of type int
  unsafe fix: unquote `30`
    tazuna.yaml:6 -      helmfile: {wait: 'true', timeoutSeconds: '30'}
    tazuna.yaml:6 +      helmfile: {wait: 'true', timeoutSeconds: 30}
"
        );
}
