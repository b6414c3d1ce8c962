//! `tazuna/unknown-test-type`: unknown test type.

use crate::read::FaultKind;
use crate::schema::TEST_TYPES;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status, nearest};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/unknown-test-type",
    severity: Severity::Warning,
    summary: "Unknown test type",
    docs: include_str!("../../../../../docs/rules/tazuna/unknown-test-type.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the type's value, or at the test if it has none.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, fault| {
        let FaultKind::TestType { kind, is_written } = fault else {
            return None;
        };
        let text = if kind.is_empty() {
            "this test has no `type`".to_owned()
        } else {
            format!("unknown test type `{kind}`")
        };
        let mut d = Diagnostic::new(&RULE, place, text)
            .note("`check` does not verify this; `apply` fails after it applied the manifest");
        if *is_written {
            let best = nearest(kind, TEST_TYPES);
            let others = TEST_TYPES.into_iter().filter(|t| Some(*t) != best);
            for word in best.into_iter().chain(others) {
                d = d.replace_with(word, FixStep::SetValue(place, word.to_owned()));
            }
        }
        Some(Wording::silent(d))
    });
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_type_in_other_case() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tests:
        - type: waitUntil
        - type: ExistNonExist
",
            ),
            "warning tazuna.yaml:7 «waitUntil»: unknown test type `waitUntil`
  note: `check` does not verify this; `apply` fails after it applied the manifest
  unsafe fix: replace with `WaitUntil`
    tazuna.yaml:7 -        - type: waitUntil
    tazuna.yaml:7 +        - type: WaitUntil
  unsafe fix: replace with `ExistNonExist`
    tazuna.yaml:7 -        - type: waitUntil
    tazuna.yaml:7 +        - type: ExistNonExist
"
        );
    }
}
