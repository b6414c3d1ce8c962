//! `unsupported-version`: the file wants another version of the engine.

use super::{Rule, Status};
use crate::diagnostic::Severity;

/// The rule.
pub static RULE: Rule = Rule {
    id: "unsupported-version",
    severity: Severity::Warning,
    summary: "The file wants another version of the engine",
    docs: "\
## What it does\n\
Compares what a file demands of the engine's version with the version that is configured, and checks the\n\
form of the demand.\n\
\n\
## Why is this bad?\n\
The engine refuses to run.\n\
\n\
## Example\n\
```yaml\n\
spec:\n\
\x20 minimumSupportedTazunaVersion: \"9.0.0\"\n\
```\n\
\n\
## Use instead\n\
A version that is in use, or a newer engine.\n\
\n\
## What the engines say\n\
They reject it before anything else.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::engines::RunOptions;
    use crate::rules::fixture::told_with;

    #[test]
    fn newer_than_the_one_in_use() {
        assert_eq!(
            told_with(&RULE, "//- /w/tazuna.yaml
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
            "warning tazuna.yaml:2 «v1.1.0»: this file wants Tazuna v1.1.0 or newer, and 1.0.5 is configured
  check version first, apply version first: this tazuna.yaml requires tazuna >= v1.1.0, but the running tazuna is 1.0.5; please upgrade tazuna
"
        );
    }

    #[test]
    fn older() {
        assert_eq!(
            told_with(
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
}
