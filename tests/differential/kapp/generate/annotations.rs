//! Annotations: groups, rules, what else kapp reads, and what hides all of them.

use std::fmt::Write as _;

use super::resources::NAMES;
use super::{Mood, More as _};
use crate::random::Random;

pub(super) fn annotations(r: &mut Random, mood: Mood, out: &mut String) {
    let mut lines: Vec<String> = Vec::new();
    let groups = [0, 0, 1, 1, 2][r.below(5)];
    for n in 0..groups {
        let key = if n == 0 { String::new() } else { format!(".{n}") };
        let text = group(r, mood);
        lines.push(format!("kapp.k14s.io/change-group{key}: {}", quoted(r, &text)));
    }
    let rules = [0, 0, 0, 1, 1, 2][r.below(6)];
    for n in 0..rules {
        let key = if n == 0 { String::new() } else { format!(".{n}") };
        let text = rule(r, mood);
        lines.push(format!("kapp.k14s.io/change-rule{key}: {}", quoted(r, &text)));
    }
    for (key, percent) in [
        ("disable-default-change-group-and-rules", 8),
        ("exists", 3),
        ("noop", 4),
        ("versioned", 12),
        ("versioned-keep-original", 4),
    ] {
        if r.chance(percent) {
            lines.push(format!("kapp.k14s.io/{key}: \"\""));
        }
    }
    if r.chance(10) {
        lines.push("big.co/mark: x".to_owned());
    }
    if r.chance(6) {
        let count = match mood {
            Mood::Valid => r.word(&["\"1\"", "\"2\"", "'7'"]),
            _ => r.word(&["\"0\"", "'x'", "\"-1\"", "\"\"", "\"+2\"", "\"1_0\""]),
        };
        lines.push(format!("kapp.k14s.io/num-versions: {count}"));
    }
    if r.chance(10) {
        let key = r.word(&["", ".1", ".a/b", "x"]);
        let text = explicit(r, mood);
        lines.push(format!("kapp.k14s.io/versioned-explicit-ref{key}: {text:?}"));
    }
    if mood == Mood::Wild && r.chance(6) {
        let value = r.word(&[
            "3",
            "n",
            "~",
            "1e3",
            "0x1f",
            "2024-01-01",
            "1_0",
            "yEs",
            "[]",
            "!!str 3",
            "1:30",
        ]);
        lines.push(format!("example.com/odd: {value}"));
    }
    if lines.is_empty() {
        return;
    }
    out.push_str("  annotations:\n");
    for line in lines {
        writeln!(out, "    {line}").unwrap();
    }
}

/// A reference to a versioned resource, as in an annotation.
pub(super) fn explicit(r: &mut Random, mood: Mood) -> String {
    if mood != Mood::Valid && r.chance(30) {
        return r
            .word(&[
                "",
                "alpha",
                "a rather long text",
                "[a]",
                "5",
                "kind: ConfigMap\nname: alpha\n",
                "{apiVersion: v1, kind: ConfigMap, name: 5}",
                "{apiVersion: v1, kind: ConfigMap, name: {a: b}}",
                "a: [",
                "\ta: b",
                "true",
                "1.5",
            ])
            .to_owned();
    }
    let kind = r.word(&["ConfigMap", "Secret", "Service"]);
    let name = r.word(&NAMES);
    let rest = r.word(&["", "", "namespace: one\n", "namespace: default\n", "Name: beta\n"]);
    match r.below(3) {
        0 => format!("name: {name}\nkind: {kind}\napiVersion: v1\n{rest}"),
        1 => format!("{{apiVersion: v1, kind: {kind}, name: {name}}}"),
        _ => format!("apiVersion: v1\nkind: {kind}\nname: {name}\n{rest}"),
    }
}

pub(super) fn quoted(r: &mut Random, text: &str) -> String {
    let plain = !text.is_empty()
        && text.trim() == text
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " ./-_".contains(c))
        && text.starts_with(|c: char| c.is_ascii_alphabetic());
    match r.below(4) {
        0 if plain => text.to_owned(),
        1 if !text.contains(['\n', '\t']) => format!("'{}'", text.replace('\'', "''")),
        2 if plain => format!("|-\n      {text}"),
        _ => format!("{text:?}"),
    }
}

pub(super) fn group(r: &mut Random, mood: Mood) -> String {
    if mood != Mood::Valid && r.chance(20) {
        return r
            .word(&[
                "",
                "-x",
                "x.",
                "a/b/c",
                "/x",
                "x/",
                "Big.co/x",
                "x y",
                "x{}",
                "g-{nope}",
                "{crd-kind}",
                "${name}",
                "{{name}}",
                "g\n",
                "é",
                "a\"b",
                "{api-group}",
                "{namespace}",
            ])
            .to_owned();
    }
    r.word(&[
        "ga",
        "gb",
        "gc",
        "big.co/gd",
        "big.co/g-{name}",
        "big.co/k-{kind}",
        "change-groups.kapp.k14s.io/pod-related",
        "change-groups.kapp.k14s.io/rbac",
        "change-groups.kapp.k14s.io/crds",
    ])
    .to_owned()
}

pub(super) fn rule(r: &mut Random, mood: Mood) -> String {
    if mood != Mood::Valid && r.chance(15) {
        return r
            .word(&[
                "",
                "upsert after upserting",
                "upsert  after upserting ga",
                "Upsert after upserting ga",
                "upsert then upserting ga",
                "upsert after upsert ga",
                "upsert after upserting -",
                "upsert after upserting g{nope}",
                "upsert after upserting ga ",
                "upsert after upserting ga\n",
                "{name} after upserting ga",
            ])
            .to_owned();
    }
    let action = r.word(&["upsert", "upsert", "upsert", "delete"]);
    let order = r.word(&["after", "after", "before"]);
    let same = if action == "upsert" {
        "upserting"
    } else {
        "deleting"
    };
    let target = if r.chance(80) {
        same
    } else {
        r.word(&["upserting", "deleting"])
    };
    format!("{action} {order} {target} {}", group(r, Mood::Valid))
}
