//! `tazuna/apply-name-warning`: a name that `check` rejects and `apply` only warns about.

use crate::scope::{Whole, is_strict};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
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

/// At the name. An older generation only warns with `dependsOn` as well.
pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    if is_strict(whole.context) {
        return;
    }
    let text = if whole.context.related.dag {
        "`apply` only warns about this name"
    } else {
        "`apply` only warns about this name unless `dependsOn` or `--sync` is used"
    };
    let bad = whole.bad_names.iter().filter_map(|bad| bad.place(whole.context));
    let repeated = super::duplicate_name::places(whole.context);
    let places = bad.chain(repeated);
    found.extend(places.map(|place| Finding::new(Diagnostic::new(&RULE, place, text))));
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
            "info tazuna.yaml:3 «Web»: `apply` only warns about this name unless `dependsOn` or `--sync` is used
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
