//! `tazuna/apply-name-warning`: a name that `check` rejects and `apply` only warns about.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/apply-name-warning",
    severity: Severity::Info,
    summary: "A name that `check` rejects and `apply` only warns about",
    docs: include_str!("../../../../../docs/rules/tazuna/apply-name-warning.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the name. `dag`: some manifest has `dependsOn`, which in an older generation changes nothing.
pub(crate) fn diagnostic(place: Place, dag: bool) -> Diagnostic {
    let text = if dag {
        "`apply` only warns about this name"
    } else {
        "`apply` only warns about this name, as long as no manifest has `dependsOn` and `--sync` is not given"
    };
    Diagnostic::new(&RULE, place, text)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn without_any_dependency_apply_only_warns() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: Web
      type: kustomize
      path: .
",
            ),
            "info tazuna.yaml:3 «Web»: `apply` only warns about this name, as long as no manifest has `dependsOn` and `--sync` is not given
"
        );
    }

    #[test]
    fn with_one_it_rejects() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: Web
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [Web]
",
            ),
            ""
        );
    }
}
