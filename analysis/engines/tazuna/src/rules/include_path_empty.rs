//! `tazuna/include-path-empty`: include without a path.

use crate::judge::{Stage, rejected};
use crate::scope::{Source, of_item};
use applyorder_core::diagnostic::{Diagnostic, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/include-path-empty",
    severity: Severity::Error,
    summary: "Include without a path",
    docs: include_str!("../../../../../docs/rules/tazuna/include-path-empty.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["missing-field"],
};

/// At the include.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let expansion = source.context.expansion;
    for (include, _) in super::includes_of(source).filter(|(include, _)| include.text.is_empty()) {
        let (item, index) = (include.item, include.index);
        let message = format!("validation failed for manifest[{item}]: include[{index}].path is required");
        let removal = expansion.removal(item, include.place);
        let d = Diagnostic::new(&RULE, include.place, "missing field `path` in an include")
            .fix("remove the entry", Safety::Unsafe, vec![removal])
            .engine_message(message);
        let told = rejected(Stage::Spec, d, &include.text).detail("field", "includes");
        found.push(told.at(of_item(item, index as usize)));
    }
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
            "error tazuna.yaml:4 «''»: missing field `path` in an include
  check spec first, apply spec first, destroy spec first: validation failed for manifest[0]: include[0].path is required
  unsafe fix: remove the entry
    tazuna.yaml:4 -        - path: ''
error tazuna.yaml:5 «»: missing field `path` in an include
  check spec, apply spec, destroy spec: validation failed for manifest[0]: include[1].path is required
  unsafe fix: remove the entry
    tazuna.yaml:5 -        - path:
error tazuna.yaml:6 «{}»: missing field `path` in an include
  check spec, apply spec, destroy spec: validation failed for manifest[0]: include[2].path is required
  unsafe fix: remove the entry
    tazuna.yaml:6 -        - {}
"
        );
    }
}
