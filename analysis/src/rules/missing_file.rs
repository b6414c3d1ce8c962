//! `missing-file`: a file that is named does not exist.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "missing-file",
    severity: Severity::Error,
    summary: "A file that is named does not exist",
    docs: "\
## What it does\n\
Reports a path that leads to nothing: an include, a unit's own directory.\n\
\n\
## Why is this bad?\n\
The engine stops there, some only when the unit's turn has come.\n\
\n\
## Example\n\
```yaml\n\
- includes:\n\
\x20   - path: infra.yml\n\
```\n\
beside a file `infra.yaml`.\n\
\n\
## Use instead\n\
```yaml\n\
- includes:\n\
\x20   - path: infra.yaml\n\
```\n\
\n\
## What the engines say\n\
A missing include is rejected before anything runs; a unit's missing directory is often noticed only\n\
while it is applied. The finding says which.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn one_of_two_includes() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
        - path: b.yaml
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            "error tazuna.yaml:5 «b.yaml»: the included file `b.yaml` does not exist
  check spec first, apply spec first: validation failed for manifest[0]: include file not found: b.yaml
  unsafe fix: remove the include
    tazuna.yaml:5 -        - path: b.yaml
"
        );
    }

    #[test]
    fn an_include() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: infra.yml
//- /w/infra.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            "error tazuna.yaml:4 «infra.yml»: the included file `infra.yml` does not exist
  label: did you mean `infra.yaml`?
  check spec first, apply spec first: validation failed for manifest[0]: include file not found: infra.yml
  unsafe fix: replace by `infra.yaml`
    tazuna.yaml:4 -        - path: infra.yml
    tazuna.yaml:4 +        - path: infra.yaml
  unsafe fix: remove the include
    tazuna.yaml:2 -  manifests:
    tazuna.yaml:3 -    - includes:
    tazuna.yaml:4 -        - path: infra.yml
    tazuna.yaml:2 +  manifests: []
"
        );
    }

    #[test]
    fn a_path() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: ./gone
",
            ),
            "warning tazuna.yaml:5 «./gone»: the path `./gone` does not exist
  note: `check` does not look; `apply` fails when the manifest's turn has come
"
        );
    }
}
