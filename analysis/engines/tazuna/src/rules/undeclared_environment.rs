//! `tazuna/undeclared-environment`: an environment that the file does not declare.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status, nearest};
use applyorder_syntax::template::quote;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/undeclared-environment",
    severity: Severity::Error,
    summary: "An environment that the file does not declare",
    docs: include_str!("../../../../../docs/rules/tazuna/undeclared-environment.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the key `environments`, or at the file.
pub(crate) fn diagnostic(place: Place, name: &str, declared: &[Arc<str>]) -> Diagnostic {
    let mut d = Diagnostic::new(
        &RULE,
        place,
        format!("environment `{name}` is not declared under `spec.environments`"),
    )
    .engine_message(format!(
        "environment {} is not declared under spec.environments",
        quote(name)
    ));
    if let Some(near) = nearest(name, declared.iter().map(|d| &**d)) {
        d = d.note(format!("did you mean `{near}`?"));
    }
    d
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told_with;
    use applyorder_core::engine::RunOptions;

    #[test]
    fn a_name_like_a_declared_one() {
        assert_eq!(
            told_with(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - name: a
      type: kustomize
      path: .
",
                RunOptions {
                    environments: vec!["prd".to_owned()],
                    ..RunOptions::default()
                }
            ),
            r#"error tazuna.yaml:2 «environments»: environment `prd` is not declared under `spec.environments`
  check environment first, apply environment first, destroy environment first: environment "prd" is not declared under spec.environments
  note: did you mean `prod`?
"#
        );
    }

    #[test]
    fn a_declared_one() {
        assert_eq!(
            told_with(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  environments: {prod: {}}
  manifests:
    - name: a
      type: kustomize
      path: .
",
                RunOptions {
                    environments: vec!["prod".to_owned()],
                    ..RunOptions::default()
                }
            ),
            ""
        );
    }

    #[test]
    fn none_is_declared() {
        assert_eq!(
            told_with(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
                RunOptions {
                    environments: vec!["prod".to_owned()],
                    ..RunOptions::default()
                }
            ),
            r#"error tazuna.yaml:1 «spec:»: environment `prod` is not declared under `spec.environments`
  check environment first, apply environment first, destroy environment first: environment "prod" is not declared under spec.environments
"#
        );
    }
}
