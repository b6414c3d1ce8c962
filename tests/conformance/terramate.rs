//! The Terramate cases: `cases/terramate/README.md` documents the fields.

use applyorder_analysis::engine::{EngineError, Resolution, RunOptions, UnitIx, Verdict};
use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

use crate::runner::{Case, differs};
use crate::terramate_support::project_at;

pub(crate) fn compare(case: &Case) -> Vec<String> {
    let expected = &case.expected;
    let tree = case.dir.join("tree");
    let root = Utf8PathBuf::from_path_buf(tree).expect("cases have UTF-8 paths");
    let command = expected.get("command").and_then(Value::as_str).unwrap_or("run");
    let options = options(expected, command, &root);
    let project = project_at(&root, options).expect("the tree is a project");
    let resolution = &project.resolution;
    let name = command.strip_suffix(" --changed").unwrap_or(command);
    let Some(verdict) = resolution.verdicts.iter().find(|v| v.command == name) else {
        return vec![format!("no verdict for `{name}`")];
    };

    let mut out = Vec::new();
    let ok = expected.get("ok").and_then(Value::as_bool);
    out.extend(differs("ok", &ok, &verdict.ok));
    let code = expected.get("exit_code").and_then(Value::as_i64);
    out.extend(differs("exit_code", &code, &verdict.ok.map(|ok| i64::from(!ok))));
    if let Some(order) = expected.get("order") {
        out.extend(differs(
            "order",
            order,
            &json!(order_of(resolution, name, verdict)),
        ));
    }
    out.extend(differs(
        "errors",
        &listed(expected, "errors"),
        &found(&verdict.errors),
    ));
    out.extend(differs(
        "warnings",
        &listed(expected, "warnings"),
        &found(&verdict.warnings),
    ));
    if let Some(edges) = expected.get("edges").filter(|e| e.is_array()) {
        out.extend(differs("edges", &sorted(edges), &json!(edges_of(resolution))));
    }
    out
}

fn options(expected: &Value, command: &str, root: &Utf8Path) -> RunOptions {
    let texts = |key: &str| -> Vec<String> {
        let list = expected.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(|v| v.as_str().map(str::to_owned))
            .collect()
    };
    let cwd = expected.get("cwd").and_then(Value::as_str).filter(|c| *c != "/");
    RunOptions {
        tags: texts("tags"),
        no_tags: texts("no_tags"),
        changed: expected.get("changed").is_some().then(|| texts("changed")),
        cwd: cwd.map(|c| root.join(c.trim_start_matches('/'))),
        command: command.starts_with("list").then(|| "list".to_owned()),
        ..RunOptions::default()
    }
}

fn paths(resolution: &Resolution, units: &[UnitIx]) -> Vec<String> {
    let variant = &resolution.variants[0];
    units
        .iter()
        .map(|u| variant.units[u.0 as usize].name.to_string())
        .collect()
}

fn order_of(resolution: &Resolution, command: &str, verdict: &Verdict) -> Vec<String> {
    let variant = &resolution.variants[0];
    if verdict.ok != Some(true) {
        return Vec::new();
    }
    if command == "list" {
        let all: Vec<UnitIx> = (0..variant.units.len()).map(|i| UnitIx(i as u32)).collect();
        return paths(resolution, variant.selected.as_ref().unwrap_or(&all));
    }
    if command.starts_with("experimental") {
        return Vec::new();
    }
    paths(resolution, variant.apply.sequence.as_deref().unwrap_or_default())
}

/// `[first, then]`, explicit edges only.
fn edges_of(resolution: &Resolution) -> Vec<Value> {
    let variant = &resolution.variants[0];
    let name = |node: u32| variant.units[node as usize].name.to_string();
    let mut edges: Vec<(String, String)> = variant
        .apply
        .graph
        .edges()
        .iter()
        .filter(|e| e.kind.is_explicit())
        .map(|e| (name(e.to.0), name(e.from.0)))
        .collect();
    edges.sort();
    edges.dedup();
    edges.into_iter().map(|(a, b)| json!([a, b])).collect()
}

fn sorted(edges: &Value) -> Value {
    let mut edges: Vec<Value> = edges.as_array().cloned().unwrap_or_default();
    edges.sort_by_key(Value::to_string);
    Value::Array(edges)
}

/// Kind, subject and path, sorted.
type Problem = (String, String, Vec<String>);

fn listed(expected: &Value, key: &str) -> Vec<Problem> {
    let text = |v: &Value, key: &str| v.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let list = expected.get(key).and_then(Value::as_array);
    let mut all: Vec<Problem> = list
        .into_iter()
        .flatten()
        .map(|e| (text(e, "kind"), text(e, "subject"), names(e.get("path"))))
        .collect();
    all.sort();
    all
}

fn names(path: Option<&Value>) -> Vec<String> {
    let path = path.and_then(Value::as_array);
    path.into_iter()
        .flatten()
        .filter_map(|p| p.as_str().map(str::to_owned))
        .collect()
}

fn found(errors: &[EngineError]) -> Vec<Problem> {
    let mut all: Vec<Problem> = errors
        .iter()
        .map(|e| {
            (
                kind(e).to_owned(),
                e.subject.clone(),
                names(e.details.get("path")),
            )
        })
        .collect();
    all.sort();
    all
}

/// The word in the cases for what one of our rules reports.
fn kind(error: &EngineError) -> &str {
    let reason = error.details.get("reason").and_then(Value::as_str);
    match (error.rule, reason) {
        ("cycle" | "self-dependency", _) => "cycle",
        ("terramate/wants-cycle", _) => "wants-cycle",
        ("terramate/stack-duplicate", _) => "duplicate-stack-block",
        ("duplicate-name", _) => "duplicate-id",
        ("invalid-value", Some("invalid-tag-filter")) => "invalid-tag-filter",
        ("invalid-value", _) if error.subject.starts_with("--") => "invalid-tag-filter",
        ("unknown-dependency", Some("missing")) => "unknown-path",
        ("unknown-dependency", Some("not-a-directory")) => "not-a-directory",
        _ => "invalid-schema",
    }
}
