//! The kapp cases: `cases/kapp/README.md` documents the fields.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use applyorder_analysis::engine::{Resolution, Verdict};
use applyorder_analysis::files::{DiskFiles, Files, MemoryFiles};
use applyorder_kapp::{Op, Plan, PlannedOperation};
use serde_json::{Value, json};

use crate::kapp_support::{self as shared, RunKind};
use crate::runner::{Case, differs};
use crate::skipped::skip;

/// The outcome of one operation, in the form of the cases.
struct Outcome {
    ok: Value,
    error: Value,
    edges: Value,
    layers: Value,
}

/// What is resolved: files, the flags of `-f`, and what was deployed before.
struct Run<'a> {
    files: Arc<dyn Files>,
    root: &'a str,
    args: Vec<String>,
    state: Option<String>,
}

fn resolved(run: Run<'_>, then: impl FnOnce(&Resolution, &Plan)) {
    let analysis = shared::analysed(run.files, run.root, run.args, run.state.as_deref());
    shared::resolved(&analysis, then);
}

fn verdict<'a>(resolution: &'a Resolution, command: &str) -> Option<&'a Verdict> {
    resolution.verdicts.iter().find(|v| v.command == command)
}

fn outcome(resolution: &Resolution, command: &str, operation: &PlannedOperation, update: bool) -> Outcome {
    let null = Outcome {
        ok: Value::Null,
        error: Value::Null,
        edges: Value::Null,
        layers: Value::Null,
    };
    let Some(verdict) = verdict(resolution, command) else {
        return null;
    };
    let error = verdict.errors.first().map(|e| e.message.clone());
    let cyclic = operation.is_cyclic() && error.as_deref().is_some_and(|e| e.starts_with("Detected cycle"));
    let ok = json!(verdict.ok);
    if verdict.ok != Some(true) && !cyclic {
        return Outcome {
            ok,
            error: json!(error),
            ..null
        };
    }
    let run = match command {
        "deploy" if update => RunKind::Update,
        "deploy" => RunKind::Deploy,
        _ => RunKind::Delete,
    };
    let (edges, layers) = shared::edges_and_layers(resolution, operation, run, cyclic);
    Outcome {
        ok,
        error: json!(error),
        edges,
        layers,
    }
}

/// Compares one operation; `variants` are other correct texts.
fn compare_outcome(what: &str, expected: &Value, found: &Outcome, variants: &Value, out: &mut Vec<String>) {
    let want = |key: &str| expected.get(key).cloned().unwrap_or(Value::Null);
    out.extend(differs(&format!("{what} ok"), &want("ok"), &found.ok));
    let one_of = variants.as_array().is_some_and(|v| v.contains(&found.error));
    if !one_of {
        out.extend(differs(&format!("{what} error"), &want("error"), &found.error));
    }
    compare_list(&format!("{what} edges"), &want("edges"), &found.edges, out);
    compare_list(&format!("{what} layers"), &want("layers"), &found.layers, out);
}

fn compare_list(what: &str, expected: &Value, found: &Value, out: &mut Vec<String>) {
    match (expected.as_array(), found.as_array()) {
        (Some(want), Some(have)) if want != have => {
            let missing: Vec<_> = want.iter().filter(|e| !have.contains(e)).take(5).collect();
            let extra: Vec<_> = have.iter().filter(|e| !want.contains(e)).take(5).collect();
            out.push(format!("{what}: missing {missing:?}, extra {extra:?}"));
        }
        _ => out.extend(differs(what, expected, found)),
    }
}

/// The fields of one operation in an `expected.json`, without their prefix.
fn of_operation(expected: &Value, prefix: &str) -> Value {
    let get = |key: &str| {
        expected
            .get(format!("{prefix}{key}"))
            .cloned()
            .unwrap_or(Value::Null)
    };
    json!({ "ok": get("ok"), "error": get("error"), "edges": get("edges"), "layers": get("layers") })
}

fn variants(expected: &Value, prefix: &str) -> Value {
    expected
        .get(format!("{prefix}error_variants"))
        .cloned()
        .unwrap_or(Value::Null)
}

fn arguments(expected: &Value) -> (Vec<String>, Option<String>) {
    let args: Vec<&str> = expected["args"]
        .as_array()
        .expect("a case has arguments")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    let mut files = Vec::new();
    let mut existing = None;
    for pair in args.chunks(2) {
        match pair {
            ["-f", file] => files.extend(file.split(',').map(str::to_owned)),
            ["-existing", file] => existing = Some((*file).to_owned()),
            other => panic!("unknown arguments {other:?}"),
        }
    }
    (files, existing)
}

pub(crate) fn compare(case: &Case) -> Vec<String> {
    let expected = &case.expected;
    if expected.get("generate").is_some() {
        return compare_generated(case);
    }
    let mut out = Vec::new();
    let (args, existing) = arguments(expected);
    let root = case.dir.to_str().expect("cases have UTF-8 paths");
    let run = |state| Run {
        files: Arc::new(DiskFiles::default()),
        root,
        args: args.clone(),
        state,
    };
    resolved(run(None), |resolution, plan| {
        let deploy = verdict(resolution, "deploy").expect("a verdict on deploy");
        out.extend(differs("stage", &expected["stage"], &json!(deploy.stage)));
        let mut want = of_operation(expected, "upsert_");
        want["ok"] = expected["ok"].clone();
        want["error"] = expected["error"].clone();
        let found = outcome(resolution, "deploy", &plan.deploy, false);
        compare_outcome("deploy", &want, &found, &variants(expected, ""), &mut out);
        let found = outcome(resolution, "delete", &plan.delete, false);
        let want = of_operation(expected, "delete_");
        compare_outcome("delete", &want, &found, &variants(expected, "delete_"), &mut out);
        if expected.get("config_delete_ok").is_some() {
            let removal = plan.removal.as_ref().expect("a removal with Config");
            let found = outcome(resolution, "deploy-removal", removal, false);
            let want = of_operation(expected, "config_delete_");
            let texts = variants(expected, "config_delete_");
            compare_outcome("deploy-removal", &want, &found, &texts, &mut out);
        }
        compare_resources(expected, resolution, plan, &mut out);
    });
    if existing.is_some() {
        resolved(run(existing), |resolution, plan| {
            let found = outcome(resolution, "deploy", &plan.deploy, true);
            let want = of_operation(expected, "update_");
            compare_outcome("update", &want, &found, &variants(expected, "update_"), &mut out);
        });
    }
    out
}

fn compare_resources(expected: &Value, resolution: &Resolution, plan: &Plan, out: &mut Vec<String>) {
    let Some(resources) = expected.get("resources").and_then(Value::as_array) else {
        return;
    };
    let uses = &plan.deploy.uses;
    let descriptions = plan.descriptions();
    let mut found = Vec::new();
    for (i, own) in uses.changes.iter().enumerate() {
        if plan.deploy.changes[i].op == Op::Noop {
            continue;
        }
        let mut groups: Vec<&str> = own.groups.iter().map(|g| uses.name(g.group)).collect();
        groups.sort_unstable();
        let mut rules: Vec<Value> = own
            .rules()
            .map(|r| {
                json!([
                    r.action.as_str(),
                    r.order.as_str(),
                    if r.target == Op::Upsert {
                        "upserting"
                    } else {
                        "deleting"
                    },
                    uses.name(r.group),
                    r.optional
                ])
            })
            .collect();
        rules.sort_by_key(Value::to_string);
        let mut row = json!({
            "id": &*resolution.variants[0].units[i].name,
            "description": descriptions[i],
            "groups": groups,
            "rules": rules,
        });
        if let Some(error) = &own.group_error {
            row["groups"] = Value::Null;
            row["groups_error"] = json!(error.message);
        }
        if let Some(error) = &own.rule_error {
            row["rules"] = Value::Null;
            row["rules_error"] = json!(error.message);
        }
        found.push(row);
    }
    for want in resources {
        let id = &want["id"];
        let Some(have) = found.iter().find(|f| f["id"] == *id) else {
            out.push(format!("resource {id} is missing"));
            continue;
        };
        let mut want = want.clone();
        if let Some(rules) = want["rules"].as_array_mut() {
            rules.sort_by_key(Value::to_string);
        }
        if let Some(groups) = want["groups"].as_array_mut() {
            groups.sort_by_key(Value::to_string);
        }
        for key in ["description", "groups", "rules", "groups_error", "rules_error"] {
            let null = Value::Null;
            let (want, have) = (want.get(key).unwrap_or(&null), have.get(key).unwrap_or(&null));
            out.extend(differs(&format!("resource {id} {key}"), want, have));
        }
    }
    out.extend(differs("number of resources", &resources.len(), &found.len()));
}

fn sha256(text: &str) -> Option<String> {
    let mut child = Command::new("python3")
        .args([
            "-c",
            "import hashlib,sys;print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest())",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    let out = child.wait_with_output().ok()?;
    Some(String::from_utf8(out.stdout).ok()?.trim().to_owned())
}

/// Runs the generator that a case names in a separate directory.
fn generate(case: &Case, into: &Path) -> Option<PathBuf> {
    let command = case.expected["generate"].as_str()?;
    let words: Vec<&str> = command.split_whitespace().collect();
    let [program, script, count, name] = words.as_slice() else {
        panic!("{}: unknown command {command}", case.name);
    };
    let out = into.join(name);
    let status = Command::new(program)
        .arg(case.dir.join(script))
        .arg(count)
        .arg(&out)
        .status()
        .ok()?;
    assert!(status.success(), "{command} failed");
    Some(out)
}

fn compare_generated(case: &Case) -> Vec<String> {
    let expected = &case.expected;
    let dir = crate::temp::temporary();
    let Some(file) = generate(case, dir.path()) else {
        skip("generated cases of kapp", "python3 cannot be run");
        return Vec::new();
    };
    let text = std::fs::read_to_string(&file).expect("the generated file");
    let mut out = Vec::new();
    out.extend(differs("input", &expected["input_sha256"], &json!(sha256(&text))));
    let (args, _) = arguments(expected);
    let run = Run {
        files: Arc::new(DiskFiles::default()),
        root: dir.path().to_str().expect("a UTF-8 path"),
        args,
        state: None,
    };
    resolved(run, |resolution, plan| {
        for (prefix, command, operation) in [
            ("upsert_", "deploy", &plan.deploy),
            ("delete_", "delete", &plan.delete),
        ] {
            let found = outcome(resolution, command, operation, false);
            out.extend(differs(&format!("{prefix}ok"), &json!(true), &found.ok));
            let text = |v: &Value| v.as_str().unwrap_or("").to_owned();
            let empty = Vec::new();
            let edges = found.edges.as_array().unwrap_or(&empty);
            let lines: String = edges
                .iter()
                .map(|e| format!("{}\t{}\n", text(&e[0]), text(&e[1])))
                .collect();
            let layers = found.layers.as_array().unwrap_or(&empty);
            let sizes: Vec<usize> = layers.iter().map(|l| l.as_array().map_or(0, Vec::len)).collect();
            let mut layer_lines = String::new();
            for (i, layer) in layers.iter().enumerate() {
                for id in layer.as_array().unwrap_or(&empty) {
                    layer_lines.push_str(&format!("{i}\t{}\n", text(id)));
                }
            }
            for (key, value) in [
                ("num_edges", json!(edges.len())),
                ("layer_sizes", json!(sizes)),
                ("edges_sha256", json!(sha256(&lines))),
                ("layers_sha256", json!(sha256(&layer_lines))),
            ] {
                let key = format!("{prefix}{key}");
                out.extend(differs(&key, &expected[&key], &value));
            }
        }
    });
    out
}

pub(crate) fn compare_line(case: &Value) -> Vec<String> {
    let mut out = Vec::new();
    let files = || {
        let mut files = MemoryFiles::new();
        files.insert("/case/a.yaml", case["input"].as_str().expect("an input"));
        if let Some(existing) = case.get("existing").and_then(Value::as_str) {
            files.insert("/case/existing.yaml", existing);
        }
        Arc::new(files)
    };
    let run = |state: Option<String>| Run {
        files: files(),
        root: "/case",
        args: vec!["a.yaml".to_owned()],
        state,
    };
    resolved(run(None), |resolution, plan| {
        let deploy = verdict(resolution, "deploy").expect("a verdict on deploy");
        out.extend(differs("stage", &case["stage"], &json!(deploy.stage)));
        let found = outcome(resolution, "deploy", &plan.deploy, false);
        let texts = case
            .get("error_variants")
            .cloned()
            .unwrap_or_else(|| case["upsert"]["error_variants"].clone());
        compare_outcome("deploy", &case["upsert"], &found, &texts, &mut out);
        let deletes = [
            ("delete", &plan.delete, &case["delete"]),
            (
                "deploy-removal",
                plan.removal.as_ref().unwrap_or(&plan.delete),
                &case["config_delete"],
            ),
        ];
        for (command, operation, want) in deletes {
            let want = if want == "same" { &case["delete"] } else { want };
            if want.is_null() {
                continue;
            }
            let spoken = if verdict(resolution, command).is_some() {
                command
            } else {
                "delete"
            };
            let found = outcome(resolution, spoken, operation, false);
            compare_outcome(command, want, &found, &want["error_variants"], &mut out);
        }
    });
    if case.get("existing").is_some() {
        resolved(run(Some("existing.yaml".to_owned())), |resolution, plan| {
            let found = outcome(resolution, "deploy", &plan.deploy, true);
            let want = &case["update"];
            compare_outcome("update", want, &found, &want["error_variants"], &mut out);
        });
    }
    out
}
