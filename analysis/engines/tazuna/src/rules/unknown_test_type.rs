//! `tazuna/unknown-test-type`: there is no test of this type.

use crate::read::Draft;
use crate::schema::TEST_TYPES;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::rules::{Rule, Status, nearest};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/unknown-test-type",
    severity: Severity::Warning,
    summary: "There is no test of this type",
    docs: include_str!("../../../../../docs/rules/tazuna/unknown-test-type.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the type's value, or at the test where it has none.
pub(crate) fn draft(place: Place, kind: &str, written: bool) -> Draft {
    let text = if kind.is_empty() {
        "this test has no `type`".to_owned()
    } else {
        format!("there is no test of type `{kind}`")
    };
    let mut d = Diagnostic::new(&RULE, place, text)
        .note("`check` does not look; `apply` fails after the manifest was applied");
    if written {
        let best = nearest(kind, TEST_TYPES);
        for word in best
            .into_iter()
            .chain(TEST_TYPES.into_iter().filter(|t| Some(*t) != best))
        {
            d = d.fix(
                format!("replace by `{word}`"),
                Safety::Unsafe,
                vec![FixStep::SetValue(place, word.to_owned())],
            );
        }
    }
    Draft::lint(d)
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
            "warning tazuna.yaml:7 «waitUntil»: there is no test of type `waitUntil`
  note: `check` does not look; `apply` fails after the manifest was applied
  unsafe fix: replace by `WaitUntil`
    tazuna.yaml:7 -        - type: waitUntil
    tazuna.yaml:7 +        - type: WaitUntil
  unsafe fix: replace by `ExistNonExist`
    tazuna.yaml:7 -        - type: waitUntil
    tazuna.yaml:7 +        - type: ExistNonExist
"
        );
    }
}
