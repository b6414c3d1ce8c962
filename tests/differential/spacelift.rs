//! Verdicts of Terraform and OpenTofu against ours on random modules, with a provider that has the schemas of Spacelift's.
//!
//! The provider is `spacelift/provider`: its schemas come from our own table, which equals the real provider's; its API
//! rejects cycles as Spacelift's does. `validate` and `plan` are compared, and `apply` for modules that both accept.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `APPLYORDER_MODULES` | how many modules | 60 |
//! | `APPLYORDER_SHOWN` | how many differences are printed | 8 |
//! | `APPLYORDER_SEED` | the seed, printed by each run | the time |

mod exec;
mod generate;
pub(crate) mod oracle;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use rayon::prelude::*;
use serde_json::Value;

use generate::Module;
use oracle::Oracle;

/// The result of a command on either side: whether it succeeds, and the blocks with an error, as their headers.
#[derive(Debug, Default)]
struct Said {
    ok: Option<bool>,
    blocks: BTreeSet<String>,
}

#[test]
fn random_modules_get_the_verdict_of_terraform() {
    random_modules_get_the_verdict_of("terraform");
}

#[test]
fn random_modules_get_the_verdict_of_opentofu() {
    random_modules_get_the_verdict_of("tofu");
}

fn random_modules_get_the_verdict_of(program: &'static str) {
    let Some(oracle) = oracle::find(program) else {
        return;
    };
    let setting = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let modules = setting("APPLYORDER_MODULES").unwrap_or(60);
    let seed = setting("APPLYORDER_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |d| d.as_secs())
    });
    println!("{program}: seed {seed}, {modules} modules");
    let results: Vec<(&'static str, Option<String>)> = (0..modules)
        .into_par_iter()
        .map(|i| compare(&oracle, &generate::module(seed.wrapping_add(i))))
        .collect();
    let count = |sort: &str| results.iter().filter(|(s, _)| *s == sort).count();
    let sorts = ["validate", "plan", "apply", "applied"].map(|sort| (sort, count(sort)));
    println!("{program}: {sorts:?} (rejected by, or gone through)");
    let differences: Vec<&String> = results.iter().filter_map(|(_, d)| d.as_ref()).collect();
    let shown = setting("APPLYORDER_SHOWN").unwrap_or(8);
    for difference in differences.iter().take(usize::try_from(shown).unwrap()) {
        println!("\n=== {difference}");
    }
    assert!(
        differences.is_empty(),
        "{} of {modules} differ; APPLYORDER_SEED={seed} shows them again",
        differences.len()
    );
    if modules >= 60 {
        assert!(
            sorts.iter().all(|(_, count)| *count > 0),
            "modules of every sort: {sorts:?}"
        );
    }
}

/// How far the engine gets with a module, and where we differ.
fn compare(oracle: &Oracle, module: &Module) -> (&'static str, Option<String>) {
    let temp = crate::temp::temporary();
    let dir = temp.path().canonicalize().unwrap();
    module.write(&dir);
    let differs = |command: &str, theirs: &Said, ours: &Said, why: &str| {
        let text = module
            .files
            .iter()
            .map(|(name, text)| format!("--- {name}\n{text}"));
        let text = text.collect::<String>();
        Some(format!(
            "{command}: {why}\ntheirs {theirs:?}\nours {ours:?}\n{text}"
        ))
    };
    for command in ["validate", "plan"] {
        let theirs = said(oracle, &dir, command);
        let ours = ours(oracle, &dir, command);
        let same = match ours.ok {
            Some(ok) => Some(ok) == theirs.ok,
            None => true,
        };
        if !same {
            return (command, differs(command, &theirs, &ours, "the verdict"));
        }
        // Terraform does not check what depends on something rejected: then we may find more.
        if !theirs.blocks.is_subset(&ours.blocks) {
            return (command, differs(command, &theirs, &ours, "the blocks"));
        }
        if theirs.ok == Some(false) {
            return (command, None);
        }
    }
    let applied = oracle.run(&dir, &["apply", "-auto-approve", "-input=false", "-no-color"]);
    let theirs = Said {
        ok: Some(applied.status.success()),
        blocks: BTreeSet::new(),
    };
    let ours = ours(oracle, &dir, "apply");
    if ours.ok.is_some_and(|ok| Some(ok) != theirs.ok) {
        return ("apply", differs("apply", &theirs, &ours, "the verdict"));
    }
    (
        if applied.status.success() {
            "applied"
        } else {
            "apply"
        },
        None,
    )
}

/// The engine's result.
fn said(oracle: &Oracle, dir: &Path, command: &str) -> Said {
    let args: &[&str] = match command {
        "validate" => &["validate", "-json"],
        _ => &["plan", "-json", "-input=false", "-lock=false", "-refresh=false"],
    };
    let output = oracle.run(dir, args);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let diagnostics: Vec<Value> = if command == "validate" {
        let whole: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {output:?}"));
        whole["diagnostics"].as_array().cloned().unwrap_or_default()
    } else {
        let lines = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
        lines
            .map(|l| l["diagnostic"].clone())
            .filter(|d| !d.is_null())
            .collect()
    };
    let errors = diagnostics.iter().filter(|d| d["severity"] == "error");
    let blocks = errors.filter_map(|d| {
        let range = &d["range"];
        header(dir, range["filename"].as_str()?, range["start"]["line"].as_u64()?)
    });
    Said {
        ok: Some(output.status.success()),
        blocks: blocks.collect(),
    }
}

/// Our result.
fn ours(oracle: &Oracle, dir: &Path, command: &str) -> Said {
    let flavor = format!("spacelift.flavor={}", oracle.flavor());
    let output = Command::new(env!("CARGO_BIN_EXE_applyorder"))
        .args([
            "lint",
            "--isolated",
            "--whole",
            "--exit-zero",
            "--engine",
            "spacelift",
            "--config",
            &flavor,
        ])
        .args(["--var-file", "given.tfvars", "--format", "json", "."])
        .current_dir(dir)
        .output()
        .unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {output:?}"));
    let mut said = Said::default();
    for project in answer["projects"].as_array().into_iter().flatten() {
        let all = |key: &str| project[key].as_array().cloned().unwrap_or_default();
        let verdict = all("verdicts").into_iter().find(|v| v["command"] == command);
        said.ok = verdict.and_then(|v| v["ok"].as_bool());
        for found in all("diagnostics") {
            let mut enforced = found["enforced"].as_array().into_iter().flatten();
            if enforced.any(|e| e["command"] == command) {
                let place = &found["place"];
                let line = place["start"]["line"].as_u64().unwrap();
                said.blocks
                    .extend(header(dir, place["path"].as_str().unwrap(), line));
            }
        }
    }
    said
}

/// The top-level block that contains a line of a file, as its first line.
fn header(dir: &Path, file: &str, line: u64) -> Option<String> {
    let text = std::fs::read_to_string(dir.join(file)).ok()?;
    let before: Vec<&str> = text.lines().take(usize::try_from(line).ok()?).collect();
    let own = before.iter().rev().find(|l| !l.starts_with([' ', '}']));
    own.map(|header| format!("{file}: {header}"))
}
