//! `wrong-type`: a value of another type than the field has.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "wrong-type",
    severity: Severity::Error,
    summary: "A value of another type than the field has",
    docs: "\
## What it does\n\
Reports a value that cannot be read as the field's type: a word where a list is wanted, a list where a\n\
word is, `\"true\"` where a boolean is.\n\
\n\
## Why is this bad?\n\
The engine cannot read the file.\n\
\n\
## Example\n\
```yaml\n\
dependsOn: cni\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
dependsOn: [cni]\n\
```\n\
\n\
## What the engines say\n\
They reject the file while decoding it, and most report only one such error at a time. kapp is silent\n\
about an annotation that is no string, and then sees none of the resource's annotations.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn an_entry() {
        assert_eq!(
            told(
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
            "error tazuna.yaml:6 «[b]»: an entry of `dependsOn` must be text, not a list
  check decode first, apply decode first: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal array into Go struct field Manifest.spec.manifests.dependsOn of type string
error tazuna.yaml:7 «x»: an entry of `manifests` must be a mapping, not text
  check decode, apply decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field TazunaSpec.spec.manifests of type v1.Manifest
"
        );
    }

    #[test]
    fn texts_where_lists_are_wanted() {
        assert_eq!(
            told(
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
            "error tazuna.yaml:3 «a.yaml»: an entry of `includes` must be a mapping, not text
  check decode first, apply decode first: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field Manifest.spec.manifests.includes of type v1.IncludeFile
  unsafe fix: write it as `path: a.yaml`
    tazuna.yaml:3 -    - includes: [a.yaml]
    tazuna.yaml:3 +    - includes: [{path: a.yaml}]
error tazuna.yaml:7 «b»: `dependsOn` must be a list of texts, not text
  check decode, apply decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field Manifest.spec.manifests.dependsOn of type []string
  unsafe fix: write it as a list
    tazuna.yaml:7 -      dependsOn: b
    tazuna.yaml:7 +      dependsOn: [b]
error tazuna.yaml:8 «{x: y}»: `tags` must be a list of texts, not a mapping
  check decode, apply decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal object into Go struct field Manifest.spec.manifests.tags of type []string
"
        );
    }

    #[test]
    fn quoted_booleans_and_numbers() {
        assert_eq!(
            told(
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
            "error tazuna.yaml:6 «'true'»: `wait` must be `true` or `false`, not text
  check decode, apply decode: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field ManifestHelmfile.spec.manifests.helmfile.wait of type bool
  unsafe fix: write `true` without quotes
    tazuna.yaml:6 -      helmfile: {wait: 'true', timeoutSeconds: '30'}
    tazuna.yaml:6 +      helmfile: {wait: true, timeoutSeconds: '30'}
error tazuna.yaml:6 «'30'»: `timeoutSeconds` must be a whole number, not text
  check decode first, apply decode first: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal string into Go struct field ManifestHelmfile.spec.manifests.helmfile.timeoutSeconds of type int
  unsafe fix: write `30` without quotes
    tazuna.yaml:6 -      helmfile: {wait: 'true', timeoutSeconds: '30'}
    tazuna.yaml:6 +      helmfile: {wait: 'true', timeoutSeconds: 30}
"
        );
    }
}
