//! `tazuna/include-path-empty`: an include without a path.

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/include-path-empty",
    severity: Severity::Error,
    summary: "An include without a path",
    docs: include_str!("../../../../../docs/rules/tazuna/include-path-empty.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["missing-field"],
};

/// The finding at the include.
pub(crate) fn diagnostic(place: Place, removal: FixStep) -> Diagnostic {
    Diagnostic::new(&RULE, place, "this include has no `path`").fix(
        "remove the entry",
        Safety::Unsafe,
        vec![removal],
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn empty_null_and_absent() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: ''
        - path:
        - {}
",
            ),
            "error tazuna.yaml:4 «''»: this include has no `path`
  check spec first, apply spec first: validation failed for manifest[0]: include[0].path is required
  unsafe fix: remove the entry
    tazuna.yaml:4 -        - path: ''
error tazuna.yaml:5 «»: this include has no `path`
  check spec, apply spec: validation failed for manifest[0]: include[1].path is required
  unsafe fix: remove the entry
    tazuna.yaml:5 -        - path:
error tazuna.yaml:6 «{}»: this include has no `path`
  check spec, apply spec: validation failed for manifest[0]: include[2].path is required
  unsafe fix: remove the entry
    tazuna.yaml:6 -        - {}
"
        );
    }
}
