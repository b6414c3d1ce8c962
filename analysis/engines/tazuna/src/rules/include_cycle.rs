//! `tazuna/include-cycle`: files that include each other.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/include-cycle",
    severity: Severity::Error,
    summary: "Files that include each other",
    docs: include_str!("../../../../../docs/rules/tazuna/include-cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["tazuna/nested-include"],
};

/// The finding at the include of the root; `hops` are the includes that lead back, in order.
pub(crate) fn diagnostic(place: Place, file: &str, hops: &[(Place, String)], removal: FixStep) -> Diagnostic {
    let mut d = Diagnostic::new(
        &RULE,
        place,
        format!("the include of `{file}` leads back to a file on its way"),
    );
    for (place, text) in hops {
        d = d.related(*place, text.clone());
    }
    d.fix("remove the include", Safety::Unsafe, vec![removal])
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_file_that_includes_itself() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: tazuna.yaml
",
            ),
            "error tazuna.yaml:4 «tazuna.yaml»: the include of `tazuna.yaml` leads back to a file on its way
  check includes first, apply includes first: nested includes are not allowed in include file: tazuna.yaml
  tazuna.yaml:4 «tazuna.yaml»: the file includes itself
  unsafe fix: remove the include
    tazuna.yaml:2 -  manifests:
    tazuna.yaml:3 -    - includes:
    tazuna.yaml:4 -        - path: tazuna.yaml
    tazuna.yaml:2 +  manifests: []
"
        );
    }

    #[test]
    fn two_files() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
//- /w/a.yaml
spec:
  manifests:
    - includes:
        - path: b.yaml
//- /w/b.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
",
            ),
            "error tazuna.yaml:4 «a.yaml»: the include of `a.yaml` leads back to a file on its way
  check includes first, apply includes first: nested includes are not allowed in include file: a.yaml
  tazuna.yaml:4 «a.yaml»: includes `a.yaml`
  a.yaml:4 «b.yaml»: includes `b.yaml`
  b.yaml:4 «a.yaml»: includes `a.yaml`
  unsafe fix: remove the include
    tazuna.yaml:2 -  manifests:
    tazuna.yaml:3 -    - includes:
    tazuna.yaml:4 -        - path: a.yaml
    tazuna.yaml:2 +  manifests: []
"
        );
    }
}
