//! `missing-field`: a field that the engine demands is absent.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "missing-field",
    severity: Severity::Error,
    summary: "A field that the engine demands is absent",
    docs: "\
## What it does\n\
Reports a unit without a field that the engine demands: a name, a path, a type, a kind.\n\
\n\
## Why is this bad?\n\
The engine rejects the project.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
\x20 path: ./app\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
\x20 path: ./app\n\
\x20 type: kustomize\n\
```\n\
\n\
## What the engines say\n\
They reject it; where only some of the engine's commands do, the finding says which.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn a_name() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - type: kustomize
      path: ./apps/My_App
",
            ),
            "error tazuna.yaml:3 «type»: this manifest has no `name`
  check names first: manifest[0]: name is required
  note: `apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given
  unsafe fix: name it `kustomize-my-app`, as `tazuna check --fix` does
    tazuna.yaml:3 -    - type: kustomize
    tazuna.yaml:3 +    - name: kustomize-my-app
    tazuna.yaml:4 +      type: kustomize
"
        );
    }

    #[test]
    fn path_and_type() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
",
            ),
            "error tazuna.yaml:3 «name»: manifest `a` has no `path`
  check spec first, apply spec first: validation failed for manifest[0]: manifest path is required
error tazuna.yaml:3 «name»: manifest `a` has no `type`
  check spec, apply spec: validation failed for manifest[0]: manifest type is required
"
        );
    }
}
