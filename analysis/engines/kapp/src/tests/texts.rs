//! Texts of groups and rules, and annotations: findings of the rules that all engines share.

use super::*;
use applyorder_core::diagnostic::Severity;

#[test]
fn rules_speak_where_they_should_and_only_there() {
    hold(&rows());
}

pub(super) fn rows() -> Vec<Row> {
    let plain = "upsert after upserting g";
    let good = with_rule(plain) + &member("g");
    let bad = |rule: &str| with_rule(rule) + &member("g");
    vec![
        // AO101 to AO104
        (
            "invalid-value",
            Severity::Error,
            bad("upsert  after upserting g"),
            &[" "],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("'upsert after upserting g '"),
            &[" "],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("upsert after g"),
            &["upsert after g"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("Upsert after upserting g"),
            &["Upsert"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("upsert behind upserting g"),
            &["behind"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("upsert after upsert g"),
            &["upsert"],
            good.clone(),
        ),
        // AO105
        (
            "invalid-name",
            Severity::Error,
            bad("upsert after upserting a/b/c"),
            &["a/b/c"],
            good.clone(),
        ),
        (
            "invalid-name",
            Severity::Error,
            member("-x") + &with_rule(plain),
            &["-x"],
            good.clone(),
        ),
        (
            "invalid-name",
            Severity::Error,
            member("Big.co/x") + &with_rule(plain),
            &["Big.co"],
            good.clone(),
        ),
        // AO106, AO107
        (
            "invalid-value",
            Severity::Error,
            bad("'upsert after upserting g-{nam}'"),
            &["{nam}"],
            good.clone(),
        ),
        (
            "invalid-value",
            Severity::Error,
            bad("'upsert after upserting {api-group}'"),
            &["{api-group}"],
            map(
                "owner",
                "kapp.k14s.io/change-rule: 'upsert after upserting g-{namespace}'",
            ) + &member("g-default"),
        ),
        // AO111
        (
            "unknown-field",
            Severity::Warning,
            map("m", "kapp.k14s.io/change-groups: g"),
            &["kapp.k14s.io/change-groups"],
            map("m", "kapp.k14s.io/change-group: g"),
        ),
        // AO112
        (
            "wrong-type",
            Severity::Error,
            map("m", "kapp.k14s.io/change-group: g, e.com/replicas: 3"),
            &["3"],
            map("m", "kapp.k14s.io/change-group: g, e.com/replicas: '3'"),
        ),
        (
            "wrong-type",
            Severity::Error,
            map("m", "kapp.k14s.io/change-group: n"),
            &["n"],
            map("m", "kapp.k14s.io/change-group: 'n'"),
        ),
        // AO113
        (
            "duplicate-key",
            Severity::Warning,
            map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/change-group: h"),
            &["kapp.k14s.io/change-group"],
            map(
                "m",
                "kapp.k14s.io/change-group: g, kapp.k14s.io/change-group.2: h",
            ),
        ),
        // AO115
        (
            "coerced-scalar",
            Severity::Warning,
            object("v1", "ConfigMap", "m", "  namespace: on\n"),
            &["on"],
            object("v1", "ConfigMap", "m", "  namespace: 'on'\n"),
        ),
    ]
}
