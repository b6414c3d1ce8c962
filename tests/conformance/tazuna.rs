//! The Tazuna cases: `cases/tazuna/README.md` documents the fields.

use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_analysis::engine::{EngineError, Offer, Resolution, RunOptions, Verdict};
use applyorder_analysis::files::{DiskFiles, clean};
use applyorder_analysis::workspace::Workspace;
use serde_json::Value;

use crate::runner::{Case, differs};

/// An error in the vocabulary of the cases: kind, subject, further keys. What the cases do not compare is empty.
type Error = (String, String, String);

pub(crate) fn compare(case: &Case) -> Vec<String> {
    let expected = &case.expected;
    let mut out = Vec::new();
    resolved(case, RunOptions::default(), |resolution| {
        let check = verdict(resolution, "check", "");
        compare_verdict("check", expected, check, resolution, &mut out);
        let apply = verdict(resolution, "apply", "");
        match expected.get("apply") {
            Some(differing) => compare_verdict("apply", differing, apply, resolution, &mut out),
            None => {
                out.extend(differs("apply: ok", &check.ok, &apply.ok));
            }
        }
    });
    for (name, of_environment) in entries(expected, "with_env") {
        let options = RunOptions {
            environments: vec![name.clone()],
            ..RunOptions::default()
        };
        resolved(case, options, |resolution| {
            let check = verdict(resolution, "check", name);
            compare_verdict(&format!("-e {name}"), of_environment, check, resolution, &mut out);
        });
    }
    for (tags, layers) in entries(expected, "with_tags") {
        let options = RunOptions {
            tags: vec![tags.clone()],
            ..RunOptions::default()
        };
        resolved(case, options, |resolution| {
            let found = layers_of(resolution);
            out.extend(differs(&format!("layers with --tags {tags}"), layers, &found));
        });
    }
    out
}

fn entries<'a>(expected: &'a Value, key: &str) -> Vec<(&'a String, &'a Value)> {
    expected
        .get(key)
        .and_then(Value::as_object)
        .map(|o| o.iter().collect())
        .unwrap_or_default()
}

fn resolved(case: &Case, options: RunOptions, then: impl FnOnce(&Resolution)) {
    let dir = case.dir.to_str().expect("cases have UTF-8 paths");
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(DiskFiles::default()), options);
    workspace.offer(&[format!("{dir}/tazuna.yaml").into()], Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let mut projects = analysis.projects();
    let (_, project) = projects.next().expect("the root is a project");
    assert!(projects.next().is_none(), "one root gives one project");
    then(&project.resolution);
}

fn verdict<'a>(resolution: &'a Resolution, command: &str, environment: &str) -> &'a Verdict {
    resolution
        .verdicts
        .iter()
        .find(|v| v.command == command && v.environment.as_deref().unwrap_or("") == environment)
        .expect("every command has a verdict")
}

fn compare_verdict(
    what: &str,
    expected: &Value,
    found: &Verdict,
    resolution: &Resolution,
    out: &mut Vec<String>,
) {
    if let Some(ok) = expected.get("ok") {
        out.extend(differs(&format!("{what}: ok"), &ok.as_bool(), &found.ok));
    }
    if let Some(errors) = expected.get("errors").and_then(Value::as_array) {
        let expected: Vec<(Error, Vec<&str>)> = errors.iter().map(|e| (wanted(e), keys(e))).collect();
        compare_errors(what, expected, found, out);
    }
    let variant = resolution
        .variants
        .iter()
        .find(|v| v.environments.contains(&found.environment))
        .expect("every environment has a variant");
    if let Some(mode) = expected.get("mode").filter(|m| !m.is_null()) {
        let own = variant.properties.iter().find(|(k, _)| *k == "mode");
        let own = Value::from(own.map(|(_, mode)| mode.clone()));
        out.extend(differs(&format!("{what}: mode"), mode, &own));
    }
    if let Some(layers) = expected.get("layers").filter(|l| !l.is_null()) {
        let own = layers_in(variant);
        out.extend(differs(&format!("{what}: layers"), layers, &own));
    }
}

fn layers_of(resolution: &Resolution) -> Value {
    layers_in(resolution.variants.first().expect("there is a variant"))
}

fn layers_in(variant: &applyorder_analysis::engine::Variant) -> Value {
    let name = |unit: &applyorder_analysis::engine::UnitIx| {
        let unit = variant.units.get(unit.0 as usize).expect("layers hold units");
        unit.name.to_string()
    };
    match &variant.apply.layers {
        None => Value::Null,
        Some(layers) => layers
            .iter()
            .map(|l| l.iter().map(name).collect::<Vec<_>>())
            .collect::<Vec<_>>()
            .into(),
    }
}

/// The optional keys of a case: only these are compared.
fn keys(error: &Value) -> Vec<&str> {
    ["dependency", "count"]
        .into_iter()
        .filter(|k| error.get(k).is_some())
        .collect()
}

fn compare_errors(what: &str, expected: Vec<(Error, Vec<&str>)>, found: &Verdict, out: &mut Vec<String>) {
    let all_keys: BTreeSet<&str> = expected
        .iter()
        .flat_map(|(_, keys)| keys.iter().copied())
        .collect();
    let mut wanted: Vec<Error> = expected.into_iter().map(|(error, _)| error).collect();
    let mut own: Vec<Error> = found.errors.iter().map(|e| had(e, &all_keys)).collect();
    // The engine does not name the members of a cycle, so the number of entries is not compared.
    if wanted.iter().all(|e| e.0 == "cycle")
        && own.iter().all(|e| e.0 == "cycle")
        && wanted.len() != own.len()
    {
        let join = |errors: &[Error]| {
            let members: BTreeSet<&str> = errors.iter().flat_map(|e| e.2.split(',')).collect();
            vec![(
                "cycle".to_owned(),
                String::new(),
                members.into_iter().collect::<Vec<_>>().join(","),
            )]
        };
        if !wanted.is_empty() && !own.is_empty() {
            (wanted, own) = (join(&wanted), join(&own));
        }
    }
    wanted.sort();
    own.sort();
    out.extend(differs(&format!("{what}: errors"), &wanted, &own));
}

/// Only the kind is compared: the subjects of these kinds vary.
fn is_free(kind: &str) -> bool {
    matches!(kind, "schema" | "yaml-error" | "cycle")
}

fn subject(kind: &str, text: &str) -> String {
    match kind {
        _ if is_free(kind) => String::new(),
        "missing-include" | "include-cycle" => clean(text.trim_start_matches('/')).into_string(),
        _ => text.to_owned(),
    }
}

fn extras(get: impl Fn(&str) -> Option<Value>, kind: &str, keys: &BTreeSet<&str>) -> String {
    if kind == "cycle" {
        let mut members: Vec<String> = get("members")
            .and_then(|m| serde_json::from_value(m).ok())
            .unwrap_or_default();
        members.sort();
        return members.join(",");
    }
    let one = |key: &&str| get(key).map(|value| format!("{key}={value}"));
    keys.iter().filter_map(one).collect::<Vec<_>>().join(" ")
}

fn wanted(error: &Value) -> Error {
    let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or("");
    let kind = text("kind");
    let keys = keys(error).into_iter().collect();
    (
        kind.to_owned(),
        subject(kind, text("subject")),
        extras(|k| error.get(k).cloned(), kind, &keys),
    )
}

fn had(error: &EngineError, keys: &BTreeSet<&str>) -> Error {
    let kind = kind_of(error);
    (
        kind.to_owned(),
        subject(kind, &error.subject),
        extras(|k| error.details.get(k).cloned(), kind, keys),
    )
}

/// The kind in the cases' vocabulary.
fn kind_of(error: &EngineError) -> &'static str {
    let detail = |key: &str| error.details.get(key).and_then(Value::as_str).unwrap_or("");
    match error.rule {
        "syntax-error" => "yaml-error",
        "unreadable-file" if detail("reason") == "not-utf8" => "yaml-error",
        "cycle" => "cycle",
        "self-dependency" => "self-dependency",
        "unknown-dependency" => "unknown-dependency",
        "duplicate-name" => "duplicate-name",
        "missing-file" => "missing-include",
        "tazuna/include-cycle" => "include-cycle",
        "tazuna/removed-parallel" => "invalid-type",
        "invalid-name" if detail("reason") == "reserved" => "reserved-name",
        "invalid-name" => "invalid-name",
        "missing-field" if detail("field") == "name" => "missing-name",
        "missing-field" | "invalid-value" if detail("field") == "type" => "invalid-type",
        _ => "schema",
    }
}
