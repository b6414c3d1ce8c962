//! The Ankaios cases: `cases/ankaios/README.md` documents the fields.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_analysis::engine::{Resolution, RunOptions, UnitIx, Verdict};
use applyorder_analysis::files::{DiskFiles, MemoryFiles};
use applyorder_analysis::workspace::Project;
use applyorder_ankaios::{Plan, plan};
use camino::Utf8PathBuf;
use serde_json::{Value, json};

use crate::ankaios_support::{analysed, project};
use crate::runner::{Case, differs};

pub(crate) fn compare(case: &Case) -> Vec<String> {
    let expected = &case.expected;
    let root = Utf8PathBuf::from_path_buf(case.dir.clone()).expect("cases have UTF-8 paths");
    let files: Vec<&str> = strings(&expected["files"]);
    let given: Vec<Utf8PathBuf> = files.iter().map(|f| root.join(f)).collect();
    let analysis = analysed(Arc::new(DiskFiles::new(|_| None)), &given, RunOptions::default());
    let whole = if given.len() == 1 {
        project(&analysis, |p| p.seed.root == given[0])
    } else {
        project(&analysis, |p| p.seed.root == root)
    };
    let mut out = Vec::new();
    let applied = verdict(&whole.resolution, "apply");
    out.extend(one("apply", &expected["apply"], applied));
    let mut startups: Vec<Verdict> = Vec::new();
    if given.len() == 1 {
        let own = verdict(&whole.resolution, "startup");
        out.extend(one("startup", &expected["startup"], own));
        startups.push(own.clone());
    } else {
        for (file, path) in files.iter().zip(&given) {
            let own = project(&analysis, |p| p.seed.root == *path);
            let own = verdict(&own.resolution, "startup");
            out.extend(one(&format!("startup {file}"), &expected["startup"][file], own));
        }
    }
    let ok = startups.iter().chain([applied]).map(|v| v.ok);
    let ok = if ok.clone().any(|ok| ok == Some(false)) {
        Some(false)
    } else if ok.clone().any(|ok| ok.is_none()) {
        None
    } else {
        Some(true)
    };
    out.extend(differs("ok", &expected["ok"].as_bool(), &ok));
    let rejecting = startups.iter().chain([applied]).find(|v| v.ok == Some(false));
    if let (Some(text), Some(first)) = (expected["error"].as_str(), rejecting) {
        let found = first.errors.first().map_or("", |e| &e.message);
        let found = found
            .strip_prefix("server error: '")
            .and_then(|t| t.strip_suffix('\''))
            .unwrap_or(found);
        if !same_text(text, found) {
            out.extend(differs("error", &text, &found));
        }
    }
    let kind = rejecting.and_then(kind);
    out.extend(differs("kind", &expected["kind"].as_str(), &kind));
    let plan = plan(&whole.resolution).expect("a resolution has a plan");
    out.extend(order(expected, &whole.resolution, plan));
    let node = rejecting.filter(|v| v.stage == Some("cycle")).and_then(|v| {
        let met = if v.command == "apply" {
            &plan.apply_cycle
        } else {
            &plan.startup_cycle
        };
        met.as_deref().map(str::to_owned)
    });
    out.extend(differs(
        "reported_node",
        &expected["reported_node"].as_str().map(str::to_owned),
        &node,
    ));
    let warned = applied.warnings.iter().any(|w| w.rule == "unsupported-version");
    let warned = warned.then_some("deprecated-api-version");
    out.extend(differs(
        "apply.warning",
        &expected["apply"]["warning"].as_str(),
        &warned,
    ));
    out.extend(differs(
        "dropped_by_apply",
        &expected["dropped_by_apply"],
        &json!(plan.lost),
    ));
    out
}

fn verdict<'r>(resolution: &'r Resolution, command: &str) -> &'r Verdict {
    let found = resolution.verdicts.iter().find(|v| v.command == command);
    found.expect("there is a verdict on each command")
}

/// The verdict for one entry point, and its text.
fn one(what: &str, expected: &Value, found: &Verdict) -> Vec<String> {
    let mut out: Vec<String> = differs(&format!("{what}.ok"), &expected["ok"].as_bool(), &found.ok)
        .into_iter()
        .collect();
    if let Some(text) = expected["error"].as_str() {
        let ours = found.errors.first().map_or("", |e| &e.message);
        if !same_text(text, ours) {
            out.extend(differs(&format!("{what}.error"), &text, &ours));
        }
    }
    out
}

/// Texts are compared exactly, except for those of the schema and of the YAML library: for them, only the step is
/// compared.
fn same_text(expected: &str, found: &str) -> bool {
    let steps = [
        "Command failed: 'Manifest schema validation failed",
        "Command failed: 'Invalid manifest data provided",
        "Invalid tags format in startup manifest: 'Failed to parse YAML",
    ];
    match steps.iter().find(|step| expected.starts_with(**step)) {
        Some(step) => found.starts_with(step),
        None => expected == found,
    }
}

/// The kind of a rejection, in the vocabulary of the cases.
fn kind(verdict: &Verdict) -> Option<&'static str> {
    let error = verdict.errors.first()?;
    Some(match (verdict.stage?, error.rule) {
        ("cycle", _) => "cycle",
        ("yaml", _) => "yaml-error",
        (_, "invalid-value") if error.message.contains("ADD_COND_") => "unknown-condition",
        (_, "invalid-name") => "invalid-name",
        ("merge", "coerced-scalar") => "invalid-name",
        _ => "schema",
    })
}

fn strings(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

fn name(resolution: &Resolution, unit: UnitIx) -> String {
    resolution.variants[0].units[unit.0 as usize].name.to_string()
}

fn sorted(mut all: Vec<Value>) -> Value {
    all.sort_by_key(Value::to_string);
    all.dedup();
    Value::Array(all)
}

fn cycles(resolution: &Resolution, plan: &Plan) -> Value {
    let groups = plan.cycles.iter().map(|group| {
        let mut names: Vec<String> = group.iter().map(|u| name(resolution, *u)).collect();
        names.sort();
        json!(names)
    });
    sorted(groups.collect())
}

fn order(expected: &Value, resolution: &Resolution, plan: &Plan) -> Vec<String> {
    let mut out = Vec::new();
    let readable = |value: Value| if plan.is_unreadable { Value::Null } else { value };
    let acyclic = |value: Value| {
        if plan.cycles.is_empty() {
            readable(value)
        } else {
            Value::Null
        }
    };
    let of = |unit: &UnitIx| name(resolution, *unit);
    let dangling = plan
        .dangling
        .iter()
        .map(|(unit, missing)| json!([of(unit), &**missing]));
    let variant = &resolution.variants[0];
    let layers = variant.apply.layers.iter().flat_map(|l| l.iter()).map(|layer| {
        let mut names: Vec<String> = layer.iter().map(of).collect();
        names.sort();
        json!(names)
    });
    let mut blocked: Vec<String> = plan.blocked.iter().map(of).collect();
    blocked.sort();
    let gates = plan.gates.iter().map(|(one, by)| json!([of(one), of(by)]));
    let found = [
        ("cycles", readable(cycles(resolution, plan))),
        ("dangling", readable(sorted(dangling.collect()))),
        ("start_layers", acyclic(Value::Array(layers.collect()))),
        ("blocked", acyclic(json!(blocked))),
        ("delete_gates", acyclic(sorted(gates.collect()))),
    ];
    for (key, found) in found {
        let mut wanted = expected[key].clone();
        if matches!(key, "cycles" | "dangling" | "delete_gates")
            && let Value::Array(all) = &wanted
        {
            wanted = sorted(all.clone());
        }
        out.extend(differs(key, &wanted, &found));
    }
    let misses = !plan.cycles.is_empty() && !plan.is_unreadable && plan.startup_cycle.is_none();
    let is_accepted = resolution.verdicts.iter().all(|v| v.ok == Some(true));
    let misses = misses && is_accepted;
    out.extend(differs(
        "ankaios_misses_cycle",
        &expected["ankaios_misses_cycle"].as_bool(),
        &Some(misses),
    ));
    out
}

/// A probe: a manifest and the answers of both entry points.
pub(crate) fn compare_probe(case: &Value) -> Vec<String> {
    let text = case["manifest"].as_str().expect("a probe has a manifest");
    let resolved = &of_text(text).resolution;
    let mut out = Vec::new();
    for command in ["startup", "apply"] {
        let found = verdict(resolved, command);
        let expected = &case[command];
        out.extend(differs(
            &format!("{command}.ok"),
            &expected["ok"].as_bool(),
            &found.ok,
        ));
        if let Some(error) = expected["error"].as_str() {
            let ours = found.errors.first().map_or("", |e| &e.message);
            // Messages about a text that is not a template come from handlebars.
            let is_parse = error.contains("Failed to parse template");
            let first_words = |t: &str| t.split_whitespace().collect::<Vec<_>>().join(" ");
            if !is_parse && !same_text(error, ours) && first_words(error) != first_words(ours) {
                out.extend(differs(&format!("{command}.error"), &error, &ours));
            }
        }
    }
    let plan = plan(resolved).expect("a resolution has a plan");
    let apply = &case["apply"];
    out.extend(differs("lost", &apply["lost"], &json!(plan.lost)));
    let nothing = apply["nothing_to_update"].as_bool();
    out.extend(differs(
        "nothing_to_update",
        &nothing,
        &Some(plan.updates_nothing),
    ));
    let warned = verdict(resolved, "apply")
        .warnings
        .iter()
        .any(|w| w.rule == "unsupported-version");
    out.extend(differs(
        "deprecation_warning",
        &apply["deprecation_warning"].as_bool(),
        &Some(warned),
    ));
    if !out.is_empty() {
        out.insert(0, format!("{text:?}"));
    }
    out
}

fn of_text(text: &str) -> Arc<Project> {
    let mut files = MemoryFiles::new();
    let path = Utf8PathBuf::from("/m/manifest.yaml");
    files.insert(path.clone(), text);
    let analysis = analysed(
        Arc::new(files),
        std::slice::from_ref(&path),
        RunOptions::default(),
    );
    project(&analysis, |p| p.seed.root == path)
}

/// A graph: what the server's check names, and all cycles.
pub(crate) fn compare_vector(case: &Value) -> Vec<String> {
    let deps: BTreeMap<String, Vec<String>> =
        serde_json::from_value(case["deps"].clone()).expect("names by name");
    let mut text = String::from("apiVersion: v1\nworkloads:\n");
    for (name, own) in &deps {
        text.push_str(&format!(
            "  {name:?}:\n    runtime: podman\n    agent: a\n    runtimeConfig: 'image: x'\n    dependencies:"
        ));
        if own.is_empty() {
            text.push_str(" {}");
        }
        text.push('\n');
        for dep in own {
            text.push_str(&format!("      {dep:?}: ADD_COND_RUNNING\n"));
        }
    }
    let resolved = &of_text(&text).resolution;
    let plan = plan(resolved).expect("a resolution has a plan");
    let mut out = Vec::new();
    out.extend(differs(
        "reported",
        &case["reported"].as_str(),
        &plan.startup_cycle.as_deref(),
    ));
    let mut groups: Vec<Value> = case["cycles"].as_array().cloned().unwrap_or_default();
    for group in &mut groups {
        if let Value::Array(names) = group {
            names.sort_by_key(Value::to_string);
        }
    }
    out.extend(differs("cycles", &sorted(groups), &cycles(resolved, plan)));
    out
}
