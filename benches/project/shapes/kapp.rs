//! kapp: resources with groups and rules, a document each.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::{
    Aim, Effect, Kind, Project, Shape, Start, at_end, behind, kind, one_file, shape, spread, waits_for, write,
};

pub(super) fn shapes() -> Vec<Shape> {
    vec![
        shape("kapp/plain", |folder, units| project(folder, units, groups)),
        shape("kapp/placeholders", |folder, units| {
            project(folder, units, placeholders)
        }),
        shape("kapp/optional", |folder, units| Project {
            start: Start::Either,
            ..project(folder, units, optional)
        }),
        shape("kapp/small apps", small_apps),
        shape("kapp/cycle", |folder, units| Project {
            start: Start::Findings,
            ..project(folder, units, cycle)
        }),
        one_file("kapp/one file", in_one_file),
    ]
}

/// How many resources share a group.
const GROUP: usize = 5;
const APP: usize = 20;

/// Config maps are in a group, for which jobs wait.
const CONFIG: &str = "apiVersion: kapp.k14s.io/v1alpha1
kind: Config
minimumRequiredVersion: 0.60.0
changeGroupBindings:
  - name: shop/settings
    resourceMatchers:
      - apiVersionKindMatcher: {apiVersion: v1, kind: ConfigMap}
changeRuleBindings:
  - rules:
      - upsert after upserting shop/settings
    resourceMatchers:
      - apiVersionKindMatcher: {apiVersion: batch/v1, kind: Job}
";

fn resource(api: &str, kind: &str, name: &str, namespace: &str, annotations: &[(String, String)]) -> String {
    let mut out = format!("apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n");
    if !namespace.is_empty() {
        writeln!(out, "  namespace: {namespace}").expect("a string");
    }
    if !annotations.is_empty() {
        out.push_str("  annotations:\n");
    }
    for (key, value) in annotations {
        writeln!(out, "    kapp.k14s.io/{key}: \"{value}\"").expect("a string");
    }
    out
}

/// Kinds that no built-in rule of kapp orders among themselves.
const WORKLOADS: [(&str, &str); 4] = [
    ("apps/v1", "Deployment"),
    ("batch/v1", "Job"),
    ("v1", "Service"),
    ("apps/v1", "StatefulSet"),
];

/// Resources of a group wait for three groups of the previous tenth.
fn groups(unit: usize, units: usize) -> String {
    let (group, all) = (unit / GROUP, units / GROUP);
    let rules = waits_for(group, all)
        .into_iter()
        .flatten()
        .map(|to| format!("shop/g{to:05}"));
    with_rules(unit, group, rules)
}

fn with_rules(unit: usize, group: usize, to: impl Iterator<Item = String>) -> String {
    let mut annotations = vec![("change-group".to_owned(), format!("shop/g{group:05}"))];
    annotations.extend(
        to.enumerate()
            .map(|(i, to)| (format!("change-rule.{i}"), format!("upsert after upserting {to}"))),
    );
    let (api, kind) = if annotations.len() == 1 {
        ("v1", "ConfigMap")
    } else {
        WORKLOADS[unit % WORKLOADS.len()]
    };
    resource(api, kind, &format!("r{unit:05}"), "shop", &annotations)
}

/// A cycle through all layers, and one of three groups.
fn cycle(unit: usize, units: usize) -> String {
    let (group, all) = (unit / GROUP, units / GROUP);
    let to = match group {
        0 => all - 1,
        1..=3 => group % 3 + 1,
        _ => return groups(unit, units),
    };
    with_rules(unit, group, std::iter::once(format!("shop/g{to:05}")))
}

/// Ten resources per namespace, whose groups and rules use a placeholder for it.
fn placeholders(unit: usize, _: usize) -> String {
    let namespace = format!("ns-{:04}", unit / 10);
    let group = |what: &str| ("change-group".to_owned(), format!("shop/{what}-{{namespace}}"));
    let after = |what: &str| {
        (
            "change-rule".to_owned(),
            format!("upsert after upserting shop/{what}-{{namespace}}"),
        )
    };
    let of = |api, kind, name, annotations: &[_]| resource(api, kind, name, &namespace, annotations);
    match unit % 10 {
        0 => resource("v1", "Namespace", &namespace, "", &[]),
        1 => of("v1", "ConfigMap", "web", &[]),
        2 => of("apps/v1", "StatefulSet", "store", &[group("store")]),
        3 => of("batch/v1", "Job", "migrate", &[group("migrate"), after("store")]),
        4 => of("apps/v1", "Deployment", "web", &[group("app"), after("migrate")]),
        5 => of(
            "apps/v1",
            "Deployment",
            "worker",
            &[group("app"), after("migrate")],
        ),
        6 => of("v1", "Service", "web", &[group("app")]),
        7 => of("batch/v1", "Job", "health", &[after("app")]),
        8 => of("v1", "Secret", "store", &[]),
        _ => of("v1", "ServiceAccount", "app", &[]),
    }
}

/// Config maps everywhere; kapp's built-in rules make workloads wait for them unless that closes a cycle.
fn optional(unit: usize, units: usize) -> String {
    let text = groups(unit, units);
    if unit % 7 != 6 {
        return text;
    }
    let (_, rest) = text.split_once("metadata:").unwrap_or_default();
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:{rest}")
}

fn project(folder: &Path, units: usize, resource: fn(usize, usize) -> String) -> Project {
    write(
        &folder.join("applyorder.toml"),
        "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\n",
    );
    let config = folder.join("config/kapp.yaml");
    write(&config, CONFIG);
    write(
        &folder.join("config/ns.yaml"),
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n",
    );
    let texts: Vec<String> = (0..units).map(|unit| resource(unit, units)).collect();
    let name = |unit: usize| folder.join(format!("config/r{unit:05}.yaml"));
    let files: Vec<PathBuf> = (0..units).map(name).collect();
    for (file, text) in files.iter().zip(&texts) {
        write(file, text);
    }
    let with_rules = |text: &String| text.contains("change-rule") && text.contains("change-group");
    let waiting: Vec<PathBuf> = files
        .iter()
        .zip(&texts)
        .filter(|(_, text)| with_rules(text))
        .map(|(f, _)| f.clone())
        .collect();
    let mut kinds = kinds(&spread(&waiting), Aim::Edit);
    let config = [config];
    kinds.push(kind("Config: comment", &config, Effect::None, at_end("# a\n")));
    for (name, word) in [
        ("Config: group", "- name: shop/settings"),
        ("Config: rule", "upsert after upserting shop/settings"),
        ("Config: matcher", "kind: Job"),
    ] {
        let mut edit = kind(name, &config, Effect::Elsewhere, behind(word, &["x"]));
        edit.aim = Aim::Switch;
        kinds.push(edit);
    }
    Project {
        language: "yaml",
        files,
        kinds,
        start: Start::Clean,
    }
}

/// Twenty resources per app.
fn small_apps(folder: &Path, units: usize) -> Project {
    let (mut apps, mut files) = (String::new(), Vec::new());
    for unit in 0..units {
        let (app, at) = (unit / APP, unit % APP);
        let dir = format!("app-{app:04}");
        if at == 0 {
            writeln!(apps, "[[kapp.app]]\nname = \"{dir}\"\nfiles = [\"{dir}\"]\n").expect("a string");
        }
        let group = at / GROUP;
        let rules = group.checked_sub(1).map(|to| format!("shop/g{to:05}"));
        let file = folder.join(format!("{dir}/r{at:02}.yaml"));
        write(&file, &with_rules(at, group, rules.into_iter()));
        files.push(file);
    }
    write(&folder.join("applyorder.toml"), &apps);
    let waiting: Vec<PathBuf> = files
        .iter()
        .enumerate()
        .filter(|(unit, _)| unit % APP >= GROUP)
        .map(|(_, f)| f.clone())
        .collect();
    Project {
        language: "yaml",
        kinds: kinds(&spread(&waiting), Aim::Edit),
        files,
        start: Start::Clean,
    }
}

fn in_one_file(folder: &Path, units: usize) -> Project {
    write(
        &folder.join("applyorder.toml"),
        "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\n",
    );
    let mut text = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n".to_owned();
    for unit in 0..units {
        write!(text, "---\n{}", groups(unit, units)).expect("a string");
    }
    let file = folder.join("config/all.yaml");
    write(&file, &text);
    Project {
        language: "yaml",
        kinds: kinds(std::slice::from_ref(&file), Aim::OneFile),
        files: vec![file],
        start: Start::Clean,
    }
}

fn kinds(edited: &[PathBuf], aim: Aim) -> Vec<Kind> {
    let mut kinds = vec![
        kind(
            "name",
            edited,
            Effect::Elsewhere,
            behind("metadata:\n  name: ", &["x"]),
        ),
        kind(
            "dependency",
            edited,
            Effect::Other,
            behind("after upserting shop/", &["x"]),
        ),
        kind(
            "group",
            edited,
            Effect::Elsewhere,
            behind("change-group: \"shop/", &["x"]),
        ),
        kind("comment", edited, Effect::None, at_end("# a\n")),
        kind(
            "broken text",
            edited,
            Effect::Other,
            behind("\nkind: ", &["[", "\"", "{a: ", "- x: ]\n"]),
        ),
    ];
    for kind in &mut kinds {
        kind.aim = aim;
    }
    kinds
}
