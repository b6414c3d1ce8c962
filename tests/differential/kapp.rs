//! kapp's own packages against our verdicts, orders and texts, on random inputs.
//!
//! kapp needs a cluster for everything it does. `kapp/oracle` is our own program that links kapp's published module and
//! fakes only the cluster's kinds and objects.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `APPLYORDER_KAPP` | the program, built | built by `go build` in `kapp/oracle` |
//! | `APPLYORDER_INPUTS` | how many inputs | 500 |
//! | `APPLYORDER_SEED` | the seed, printed by each run | the time |

mod errors;
mod generate;
mod inspect;

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;

use applyorder_analysis::engine::Resolution;
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::Analysis;
use applyorder_kapp::{Plan, PlannedOperation};
use generate::{Input, KINDS};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::kapp_support::{self as shared, RunKind};
use crate::skipped::skip;

/// How many differing inputs are printed.
const SHOWN: usize = 5;

/// How often kapp is run if it reports an error, because its text is not always the same; and how often before a text
/// counts as one that it never reports.
const RUNS: (u32, u32) = (12, 400);

#[test]
fn random_inputs_get_the_order_and_the_text_of_kapp() {
    let Some(oracle) = shared::oracle() else {
        return skip(
            "kapp's packages",
            "tests/differential/kapp/oracle cannot be built (is Go installed?)",
        );
    };
    let count: u64 = setting("APPLYORDER_INPUTS").unwrap_or(500);
    let seed: u64 = setting("APPLYORDER_SEED").unwrap_or_else(now);
    println!("seed {seed}, {count} inputs");
    let inputs: Vec<Input> = (0..count)
        .map(|n| generate::input(seed.wrapping_add(n)))
        .collect();
    let answers = ask(&oracle, inputs.iter(), RUNS.0);
    assert_eq!(answers.len(), inputs.len(), "kapp answers every input");
    let mut compared: Vec<(usize, Vec<String>)> = inputs
        .par_iter()
        .zip(&answers)
        .enumerate()
        .map(|(i, (input, answer))| (i, compare(input, answer)))
        .collect();
    compared.retain(|(_, differences)| !differences.is_empty());
    let again = ask(&oracle, compared.iter().map(|(i, _)| &inputs[*i]), RUNS.1);
    for ((i, differences), answer) in compared.iter_mut().zip(&again) {
        *differences = compare(&inputs[*i], answer);
    }
    let accepted = answers.iter().filter(|a| a["deploy"]["ok"] == true).count();
    let cyclic = answers
        .iter()
        .filter(|a| {
            a["deploy"]["errors"][0]
                .as_str()
                .is_some_and(|e| e.starts_with("Detected cycle"))
        })
        .count();
    println!(
        "{accepted} accepted, {cyclic} cyclic, {} refused otherwise",
        inputs.len() - accepted - cyclic
    );
    let differing: Vec<_> = compared.iter().filter(|(_, d)| !d.is_empty()).collect();
    for (i, differences) in differing.iter().take(SHOWN) {
        println!("--- input {} (seed {})", i, seed.wrapping_add(*i as u64));
        for (path, text) in &inputs[*i].files {
            println!("# {path}\n{text}");
        }
        if let Some(existing) = &inputs[*i].existing {
            println!("# existing\n{existing}");
        }
        for difference in differences {
            println!("  {difference}");
        }
    }
    assert!(
        differing.is_empty(),
        "{} of {count} inputs differ; APPLYORDER_SEED={seed} shows them again",
        differing.len()
    );
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |d| d.as_secs())
}

fn ask<'a>(oracle: &Path, inputs: impl Iterator<Item = &'a Input>, runs: u32) -> Vec<Value> {
    let kinds: serde_json::Map<String, Value> = KINDS
        .iter()
        .map(|(version, kind, namespaced)| (format!("{version} {kind}"), json!(namespaced)))
        .collect();
    let file = |(path, text): &(String, String)| json!({ "path": path, "text": text });
    let lines: Vec<String> = inputs
        .map(|input| {
            let files: Vec<Value> = input.files.iter().map(file).collect();
            let existing = input
                .existing
                .as_ref()
                .map(|text| vec![json!({ "path": "existing.yaml", "text": text })]);
            json!({ "files": files, "existing": existing, "kinds": kinds, "runs": runs }).to_string()
        })
        .collect();
    said(oracle, lines)
}

/// The answers of the program to some lines.
fn said(oracle: &Path, lines: Vec<String>) -> Vec<Value> {
    let mut child = Command::new(oracle)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("its input");
    let writer = std::thread::spawn(move || {
        for line in lines {
            writeln!(stdin, "{line}").expect("the program reads");
        }
    });
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the input was written");
    String::from_utf8(output.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn compare(input: &Input, answer: &Value) -> Vec<String> {
    let mut out = Vec::new();
    ours(input, false, |resolution, plan, verdicts| {
        let deploy = outcome(resolution, &plan.deploy, verdicts("deploy"), RunKind::Deploy);
        compare_one("deploy", &answer["deploy"], &deploy, &mut out);
        for (what, command, operation) in [
            ("delete", "delete", Some(&plan.delete)),
            ("removal", "deploy-removal", plan.removal.as_ref()),
        ] {
            let want = &answer[what];
            let (operation, command) = match operation {
                Some(operation) => (operation, command),
                None => (&plan.delete, "delete"),
            };
            if !want.is_null() {
                let found = outcome(resolution, operation, verdicts(command), RunKind::Delete);
                compare_one(what, want, &found, &mut out);
            }
        }
    });
    if input.existing.is_some() && !answer["update"].is_null() {
        ours(input, true, |resolution, plan, verdicts| {
            let found = outcome(resolution, &plan.deploy, verdicts("deploy"), RunKind::Update);
            compare_one("update", &answer["update"], &found, &mut out);
        });
    }
    out
}

type Said = (Option<bool>, Option<&'static str>, Option<String>);

fn ours(input: &Input, update: bool, then: impl FnOnce(&Resolution, &Plan, &dyn Fn(&str) -> Said)) {
    let analysis = analysed(input, update);
    shared::resolved(&analysis, |resolution, plan| {
        let said = |command: &str| {
            let verdict = resolution.verdicts.iter().find(|v| v.command == command);
            let verdict = verdict.expect("a verdict");
            (
                verdict.ok,
                verdict.stage,
                verdict.errors.first().map(|e| e.message.clone()),
            )
        };
        then(resolution, plan, &said);
    });
}

fn analysed(input: &Input, update: bool) -> Arc<Analysis> {
    let mut files = MemoryFiles::new();
    for (path, text) in &input.files {
        files.insert(format!("/app/{path}"), text);
    }
    if let Some(existing) = &input.existing {
        files.insert("/app/existing.yaml", existing);
    }
    let given = input.files.iter().map(|(path, _)| path.clone()).collect();
    let state = update.then_some("existing.yaml");
    shared::analysed(Arc::new(files), "/app", given, state)
}

struct Found {
    said: Said,
    edges: Value,
    layers: Value,
}

fn outcome(resolution: &Resolution, operation: &PlannedOperation, said: Said, run: RunKind) -> Found {
    let cyclic = said.2.as_deref().is_some_and(|e| e.starts_with("Detected cycle"));
    let (edges, layers) = if said.0 == Some(true) || cyclic {
        shared::edges_and_layers(resolution, operation, run, cyclic)
    } else {
        (Value::Null, Value::Null)
    };
    Found { said, edges, layers }
}

/// Whether kapp misses a kind with a damaged API version: without a cluster, an unknown kind is accepted as it is
/// written.
fn is_no_version(want: &Value) -> bool {
    let text = want["errors"][0].as_str().unwrap_or("");
    let kind = text
        .strip_prefix("Expected to find kind '")
        .and_then(|rest| rest.split('\'').next());
    kind.is_some_and(|kind| kind.contains([' ', '[', '"', '{']))
}

fn compare_one(what: &str, want: &Value, found: &Found, out: &mut Vec<String>) {
    let (ok, stage, text) = &found.said;
    if is_no_version(want) {
        return;
    }
    if json!(ok) != want["ok"] {
        out.push(format!(
            "{what}: ok is {} with kapp ({}), {ok:?} with us ({text:?})",
            want["ok"], want["errors"]
        ));
        return;
    }
    if want["ok"] != true {
        let texts: Vec<&str> = want["errors"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let ours = text.as_deref().unwrap_or("");
        if !texts.contains(&ours) {
            out.push(format!("{what}: kapp says {texts:?}, we say {ours:?}"));
        }
        if json!(stage) != want["stage"] {
            out.push(format!(
                "{what}: stage is {} with kapp, {stage:?} with us",
                want["stage"]
            ));
        }
    }
    for (key, ours) in [("edges", &found.edges), ("layers", &found.layers)] {
        let theirs = &want[key];
        if theirs != ours {
            out.push(format!("{what} {key}:\n    kapp {theirs}\n    us   {ours}"));
        }
    }
}
