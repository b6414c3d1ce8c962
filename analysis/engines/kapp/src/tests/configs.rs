//! Configs: findings of the rules that all engines share.

use super::*;
use applyorder_core::diagnostic::Severity;

#[test]
fn rules_speak_where_they_should_and_only_there() {
    hold(&rows());
}

pub(super) fn rows() -> Vec<Row> {
    let some = map("m", "");
    let with = |body: &str| config(body) + &map("m", "");
    let rule = |matchers: &str| {
        format!("changeRuleBindings:\n- rules: [upsert after upserting g]\n  resourceMatchers: {matchers}\n")
    };
    let fine = with(&rule("[{allMatcher: {}}]"));
    vec![
        // AO402
        (
            "unsupported-version",
            Severity::Warning,
            "apiVersion: kapp.k14s.io/v1\nkind: Config\nmetadata: {name: c}\n---\n".to_owned() + &some,
            &["kapp.k14s.io/v1"],
            fine.clone(),
        ),
        // AO403
        (
            "unsupported-version",
            Severity::Error,
            with("minimumRequiredVersion: v0.50.0\n"),
            &["v0.50.0"],
            with("minimumRequiredVersion: 0.50.0\n"),
        ),
        (
            "unsupported-version",
            Severity::Error,
            // The prefix is an error in every version of kapp.
            with("minimumRequiredVersion: v9.0.0\n"),
            &["v9.0.0"],
            with("minimumRequiredVersion: 0.50.0\n"),
        ),
        (
            "unsupported-version",
            // No version of kapp is configured.
            Severity::Warning,
            with("minimumRequiredVersion: 9.0.0\n"),
            &["9.0.0"],
            with("minimumRequiredVersion: 0.50\n"),
        ),
        (
            "unsupported-version",
            Severity::Error,
            with("minimumRequiredVersion: abc\n"),
            &["abc"],
            fine.clone(),
        ),
        // AO404
        (
            "wrong-type",
            Severity::Error,
            with("changeRuleBindings: x\n"),
            &["x"],
            fine.clone(),
        ),
        // AO405, AO406
        (
            "unknown-field",
            Severity::Warning,
            with("changeRuleBinding: []\n"),
            &["changeRuleBinding"],
            fine.clone(),
        ),
        (
            "field-case",
            Severity::Hint,
            with("ChangeRuleBindings: []\n"),
            &["ChangeRuleBindings"],
            fine.clone(),
        ),
        // AO410
        (
            "invalid-value",
            Severity::Error,
            with(&format!(
                "changeRuleBindings:\n- rules: [upsert afters upserting g]\n  {EVERY}\n"
            )),
            &["afters"],
            fine.clone(),
        ),
        (
            "invalid-value",
            Severity::Warning,
            with(
                "changeRuleBindings:\n- rules: [upsert afters upserting g]\n  resourceMatchers: [{apiVersionKindMatcher: {kind: X}}]\n",
            ),
            &["afters"],
            fine.clone(),
        ),
    ]
}
