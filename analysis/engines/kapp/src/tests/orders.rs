//! The graph: findings of the rules that all engines share.

use super::*;
use applyorder_core::diagnostic::Severity;

#[test]
fn rules_speak_where_they_should_and_only_there() {
    hold(&rows());
}

pub(super) fn rows() -> Vec<Row> {
    let two = |a: &str, b: &str| {
        map(
            "a",
            &format!("kapp.k14s.io/change-group: ga, kapp.k14s.io/change-rule: {a}"),
        ) + &map(
            "b",
            &format!("kapp.k14s.io/change-group: gb, kapp.k14s.io/change-rule: {b}"),
        )
    };
    let chain = two("upsert after upserting gb", "delete after deleting ga");
    vec![
        // AO201, AO205
        (
            "cycle",
            Severity::Error,
            two("upsert after upserting gb", "upsert after upserting ga"),
            &["gb"],
            chain.clone(),
        ),
        (
            "cycle",
            Severity::Error,
            two("delete after deleting gb", "delete after deleting ga"),
            &["gb"],
            chain,
        ),
        // AO204
        (
            "cycle",
            Severity::Error,
            object(
                "v1",
                "Namespace",
                "one",
                "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n",
            ) + &object(
                "v1",
                "ConfigMap",
                "m",
                "  namespace: one\n  annotations: {kapp.k14s.io/change-group: g}\n",
            ),
            &["g"],
            object(
                "v1",
                "Namespace",
                "one",
                "  annotations: {kapp.k14s.io/change-rule: upsert before upserting g}\n",
            ) + &object(
                "v1",
                "ConfigMap",
                "m",
                "  namespace: one\n  annotations: {kapp.k14s.io/change-group: g}\n",
            ),
        ),
        // AO202, AO203
        (
            "self-dependency",
            Severity::Error,
            map(
                "a",
                "kapp.k14s.io/change-group: g, kapp.k14s.io/change-rule: upsert after upserting g",
            ),
            &["g"],
            map(
                "a",
                "kapp.k14s.io/change-group: g, kapp.k14s.io/change-rule: delete after upserting g",
            ),
        ),
        // AO206
        (
            "unknown-dependency",
            Severity::Warning,
            with_rule("upsert after upserting gg") + &member("g"),
            &["gg"],
            with_rule("upsert after upserting g") + &member("g"),
        ),
        // AO207
        (
            "inert-dependency",
            Severity::Info,
            with_rule("upsert after deleting g") + &member("g"),
            &["g"],
            with_rule("upsert after upserting g") + &member("g"),
        ),
        // AO208
        (
            "unknown-dependency",
            Severity::Warning,
            with_rule("upsert after upserting g")
                + &map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/noop: ''"),
            &["g"],
            with_rule("upsert after upserting g")
                + &map("m", "kapp.k14s.io/change-group: g, kapp.k14s.io/exists: ''"),
        ),
        // AO212
        (
            "redundant-dependency",
            Severity::Hint,
            map(
                "a",
                "kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: upsert after upserting g",
            ) + &member("g"),
            &["g"],
            map(
                "a",
                "kapp.k14s.io/change-rule: upsert after upserting g, kapp.k14s.io/change-rule.2: delete after deleting g",
            ) + &member("g"),
        ),
    ]
}
