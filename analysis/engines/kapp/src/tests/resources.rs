//! Resources and files: findings of the rules that all engines share.

use super::*;
use applyorder_core::diagnostic::Severity;

#[test]
fn rules_speak_where_they_should_and_only_there() {
    hold(&rows());
}

pub(super) fn rows() -> Vec<Row> {
    let plain = object("v1", "ConfigMap", "m", "");
    vec![
        // AO301
        (
            "missing-field",
            Severity::Error,
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: n}\n".to_owned(),
            &["n"],
            plain.clone(),
        ),
        (
            "missing-field",
            Severity::Error,
            "apiVersion: v1\nmetadata: {name: x}\n".to_owned(),
            &["apiVersion"],
            plain.clone(),
        ),
        // AO302 to AO304
        (
            "duplicate-name",
            Severity::Error,
            plain.clone() + &object("v1", "ConfigMap", "m", "data: {a: b}\n"),
            &["m"],
            plain.clone() + &object("v1", "ConfigMap", "n", "data: {a: b}\n"),
        ),
        (
            "duplicate-name",
            Severity::Hint,
            plain.clone() + &plain,
            &["m"],
            plain.clone(),
        ),
        (
            "duplicate-name",
            Severity::Warning,
            plain.clone() + &object("v1", "ConfigMap", "m", "  namespace: default\n"),
            &["m"],
            plain.clone() + &object("v1", "ConfigMap", "m", "  namespace: other\n"),
        ),
        // AO309 to AO311
        (
            "syntax-error",
            Severity::Error,
            format!("{plain}--- x\n{plain}"),
            &["--- x"],
            format!("{plain}--- # x\n{plain}"),
        ),
        (
            "syntax-error",
            Severity::Error,
            "a: [\n".to_owned(),
            &[""],
            plain.clone(),
        ),
        (
            "syntax-error",
            Severity::Error,
            "- a\n- b\n".to_owned(),
            &["- a"],
            plain.clone(),
        ),
        // AO312
        (
            "unresolved",
            Severity::Info,
            object("e.com/v1", "Foo", "m", ""),
            &["Foo"],
            object("e.com/v1", "Foo", "m", "") + &crd(FOO),
        ),
        // Sources, not resources
        (
            "unresolved",
            Severity::Info,
            "#@ x = 1\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ x\n".to_owned(),
            &["#@ x = 1"],
            plain.clone(),
        ),
        (
            "missing-file",
            Severity::Error,
            "//- gone/\n".to_owned(),
            &[""],
            plain,
        ),
    ]
}
