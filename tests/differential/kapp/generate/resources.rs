//! Manifests of many kinds, with fields in which kapp follows references.

use std::fmt::Write as _;

use super::annotations::annotations;
use super::{KINDS, Mood, More as _};
use crate::random::Random;

/// Kinds that are known only from the input.
pub(super) const CUSTOM: [(&str, &str); 8] = [
    ("example.com/v1", "Foo"),
    ("example.com/v1", "Bar"),
    ("example.com/v2", "Foo"),
    ("kappctrl.k14s.io/v1alpha1", "App"),
    ("packaging.carvel.dev/v1alpha1", "PackageInstall"),
    ("storage/v1", "StorageClass"),
    ("other.example.com/v1", "Foo"),
    ("other.example.com/v1", "Service"),
];

pub(super) const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "one"];

pub(super) const SPACES: [&str; 3] = ["one", "two", "default"];

pub(super) fn name(r: &mut Random) -> String {
    let name = r.word(&NAMES);
    match r.below(3) {
        0 => name.to_owned(),
        _ => format!("{name}-{}", r.below(40)),
    }
}

pub(super) fn kind(r: &mut Random) -> (&'static str, &'static str) {
    if r.chance(25) {
        return CUSTOM[r.below(CUSTOM.len())];
    }
    loop {
        let (version, kind, _) = KINDS[r.below(KINDS.len())];
        if kind != "CustomResourceDefinition" {
            return (version, kind);
        }
    }
}

pub(super) fn resource(r: &mut Random, mood: Mood) -> String {
    let (version, kind) = kind(r);
    let mut out = String::new();
    let wild = mood == Mood::Wild;
    if !(wild && r.chance(2)) {
        let version = if wild && r.chance(1) { "a/b/c" } else { version };
        writeln!(out, "apiVersion: {version}").unwrap();
    }
    if !(wild && r.chance(2)) {
        writeln!(out, "kind: {kind}").unwrap();
    }
    out.push_str("metadata:\n");
    match r.below(40) {
        0 if wild => out.push_str("  name: y\n"),
        1 if wild => out.push_str("  name: 12\n"),
        2 => writeln!(out, "  generateName: {}-", r.word(&NAMES)).unwrap(),
        _ => writeln!(out, "  name: {}", name(r)).unwrap(),
    }
    if r.chance(55) {
        writeln!(out, "  namespace: {}", r.word(&SPACES)).unwrap();
    }
    if wild && r.chance(3) {
        out.push_str(r.word(&[
            "  labels: [x]\n",
            "  labels: x\n",
            "  labels: {a: 1}\n",
            "  labels:\n",
        ]));
    }
    annotations(r, mood, &mut out);
    match r.below(12) {
        0 => out.push_str("spec: {list: []}\n"),
        1 => out.push_str("spec: {list: [{v: 1}, {}]}\n"),
        2 => out.push_str("spec: {list: [{v: []}, {v: {}}]}\n"),
        3 if wild => out.push_str("spec: {template: {metadata: {labels: [a]}}}\n"),
        9 => out.push_str("status: {list: [1]}\nspec: {list: [{v: 2}, {v: 3}]}\n"),
        4 if wild => out.push_str("spec: {template: x, selector: y}\n"),
        5..=8 => out.push_str(&body(r, mood, kind)),
        _ => {}
    }
    out
}

/// Fields in which kapp follows references, and others.
pub(super) fn body(r: &mut Random, mood: Mood, kind: &str) -> String {
    let name = r.word(&NAMES);
    let odd = mood != Mood::Valid && r.chance(15);
    let volumes = if odd {
        r.word(&[
            "{a: b}",
            "x",
            "[x]",
            "[{configMap: x}]",
            "[{configMap: {name: 5}}]",
            "[{configMap: [a]}]",
            "~",
            "[~]",
            "[{secret: {secretName: 5}}]",
        ])
        .to_owned()
    } else {
        match r.below(5) {
            0 => format!("[{{name: v, configMap: {{name: {name}}}}}]"),
            1 => format!("[{{name: v, secret: {{secretName: {name}}}}}]"),
            2 => format!("[{{name: v, projected: {{sources: [{{secret: {{name: {name}}}}}, {{}}]}}}}]"),
            3 => format!("[{{name: v}}, {{configMap: {{name: {name}, kind: Secret}}}}]"),
            _ => format!("[{{configMap: {{Name: {name}}}}}]"),
        }
    };
    match kind {
        "CronJob" => {
            format!("spec: {{jobTemplate: {{spec: {{template: {{spec: {{volumes: {volumes}}}}}}}}}}}\n")
        }
        "Pod" => format!("spec: {{volumes: {volumes}, imagePullSecrets: [{{name: {name}}}]}}\n"),
        "ServiceAccount" => format!(
            "secrets: [{{name: {name}}}, {{name: {name}-token-{}}}]\n",
            r.below(3)
        ),
        "App" => format!(
            "spec: {{fetch: [{{git: {{secretRef: {{name: {name}}}}}}}], template: [{{ytt: {{}}}}]}}\n"
        ),
        "PackageInstall" => format!("spec: {{values: [{{secretRef: {{name: {name}}}}}]}}\n"),
        _ => format!(
            "spec:\n  template:\n    spec:\n      containers: [{{envFrom: [{{configMapRef: {{name: {name}}}}}]}}]\n      volumes: {volumes}\n"
        ),
    }
}

pub(super) fn crd(r: &mut Random, mood: Mood, kind: &str, namespaced: bool) -> String {
    let plural = format!("{}s", kind.to_lowercase());
    let mut out = format!(
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: {plural}.example.com\n"
    );
    annotations(r, mood, &mut out);
    let scope = if namespaced { "Namespaced" } else { "Cluster" };
    if mood == Mood::Wild && r.chance(15) {
        out.push_str(r.word(&[
            "spec: {group: example.com}\n",
            "spec: {group: [a], names: {kind: Foo}}\n",
            "spec: {group: example.com, names: x}\n",
            "spec: {group: 5, names: {kind: true}, scope: Namespaced, version: v1}\n",
            "spec: []\n",
            "spec: {group: example.com, versions: [a], names: {kind: Foo}}\n",
            "spec: {Group: example.com, names: {kind: Foo}, versions: {a: b}}\n",
        ]));
        return out;
    }
    writeln!(
        out,
        "spec:\n  group: example.com\n  scope: {scope}\n  names: {{kind: {kind}, plural: {plural}}}\n  versions: [{{name: v1, served: true, storage: true}}]"
    )
    .unwrap();
    out
}
