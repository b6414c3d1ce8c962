//! Results of Ankaios' own code (1.1.0-pre) for random manifests: `verdicts.jsonl`, one case per line. If it
//! gives one of several results at random, all observed ones are listed.
//!
//! `files` were passed to one `ank apply`, with `agent` as its `--agent`; `startup` has the server's result for
//! each of them; `lost` has what was written and is not in the state afterwards.

use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_analysis::workspace::{Analysis, Project, Workspace};
use applyorder_core::engine::{EngineIx, Offer, RunOptions, Verdict};
use applyorder_core::files::MemoryFiles;
use camino::Utf8PathBuf;
use serde_json::Value;

use crate::judge::{APPLY, STARTUP};

/// All files of a case, as if they were named together with `--engine ankaios`.
fn analysis(files: &[&str], agent: Option<&str>) -> (Arc<Analysis>, RunOptions) {
    let mut all = MemoryFiles::new();
    let mut paths = Vec::new();
    for (number, text) in files.iter().enumerate() {
        let path = Utf8PathBuf::from(format!("/m/{number}.yaml"));
        all.insert(path.clone(), *text);
        paths.push(path);
    }
    let options = RunOptions::default().with(&crate::config::AGENT, agent);
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(all), options.clone());
    workspace.only_engine(EngineIx(0));
    workspace.offer(&paths, Offer::Explicit);
    workspace.refresh();
    (workspace.analysis(), options)
}

fn verdict<'p>(project: &'p Project, command: &str) -> Option<&'p Verdict> {
    project.resolution.verdicts.iter().find(|v| v.command == command)
}

/// The result of one command: the observed texts, empty ones if it accepts.
fn compared(what: &str, seen: &[&str], ours: &Verdict) -> Option<String> {
    let said = ours.errors.first().map_or("", |e| &*e.message);
    let accepted = seen.iter().filter(|t| t.is_empty()).count();
    let expected = match accepted {
        0 => Some(false),
        n if n == seen.len() => Some(true),
        _ => None,
    };
    // A verdict that cannot be known is not wrong; the test counts them.
    let is_same = ours.ok == expected && (ours.ok != Some(false) || seen.iter().any(|t| same_text(t, said)));
    let is_open = ours.ok.is_none() && ours.because.is_some();
    (!is_same && !is_open).then(|| {
        format!(
            "{what}: ours {:?} {:?} {said}\n  theirs {seen:?}",
            ours.ok, ours.because
        )
    })
}

/// For the schema and for invalid YAML only the step is predicted.
fn same_text(theirs: &str, ours: &str) -> bool {
    let steps = [
        "Command failed: 'Manifest schema validation failed",
        "Command failed: 'Invalid manifest data provided: ",
        "Invalid tags format in startup manifest: 'Failed to parse YAML: ",
    ];
    theirs == ours
        || steps
            .iter()
            .any(|step| theirs.starts_with(step) && ours.starts_with(step))
}

#[test]
fn verdicts_are_those_of_ankaios() {
    let mut failures = Vec::new();
    let (mut open, mut all) = (0, 0);
    for line in include_str!("verdicts.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let files: Vec<&str> = case["files"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let (analysis, options) = analysis(&files, case["agent"].as_str());
        let mut wrong = Vec::new();
        let projects = || analysis.projects().map(|(_, p)| p);
        for (_, project) in analysis.projects() {
            wrong.extend(applyorder_core::layer::contradictions(
                &crate::ENGINE,
                &options,
                false,
                &project.resolution,
            ));
        }
        for verdict in projects().flat_map(|p| &p.resolution.verdicts) {
            all += 1;
            open += usize::from(verdict.ok.is_none());
        }
        for (number, seen) in case["startup"].as_array().unwrap().iter().enumerate() {
            let path = format!("/m/{number}.yaml");
            let Some(own) = projects().find(|p| p.seed.root == path) else {
                wrong.push(format!("no project {path}"));
                continue;
            };
            let seen: Vec<&str> = seen
                .as_array()
                .unwrap()
                .iter()
                .filter_map(Value::as_str)
                .collect();
            wrong.extend(compared(&path, &seen, verdict(own, STARTUP).unwrap()));
        }
        let whole = projects().find(|p| verdict(p, APPLY).is_some()).unwrap();
        let ours = verdict(whole, APPLY).unwrap();
        let seen: Vec<&Value> = case["apply"].as_array().unwrap().iter().collect();
        let texts: Vec<&str> = seen.iter().map(|a| a["error"].as_str().unwrap_or("")).collect();
        wrong.extend(compared("apply", &texts, ours));
        let plan = crate::plan(&whole.resolution).unwrap();
        if let [one] = *seen {
            let lost: Option<BTreeSet<&str>> = one["lost"]
                .as_array()
                .map(|l| l.iter().filter_map(Value::as_str).collect());
            let own: BTreeSet<&str> = plan.lost.iter().map(String::as_str).collect();
            if lost.is_some_and(|lost| lost != own) {
                wrong.push(format!("lost: ours {own:?}, theirs {}", one["lost"]));
            }
            let nothing = one["nothing"].as_bool();
            if nothing.is_some_and(|nothing| nothing != plan.updates_nothing) {
                wrong.push(format!("nothing to update: theirs {nothing:?}"));
            }
            let warns = ours.warnings.iter().any(|w| w.rule == "unsupported-version");
            if one["warned"].as_bool() != Some(warns) {
                wrong.push(format!("deprecation: ours {warns}"));
            }
        }
        if !wrong.is_empty() {
            failures.push(format!("{}\n{}\n", files.join("--- next\n"), wrong.join("\n")));
        }
    }
    assert!(open * 50 < all, "{open} of {all} verdicts are open");
    let shown = failures.len().min(40);
    assert!(
        failures.is_empty(),
        "{} differ\n{}",
        failures.len(),
        failures[..shown].join("\n=====\n")
    );
}

#[test]
fn a_finding_of_several_projects_names_the_commands_of_all_of_them() {
    let workload = "{runtime: podman, agent: a, runtimeConfig: x, dependencies: {w: ADD_COND_RUNNING}}";
    let cycle = format!("apiVersion: v1\nworkloads:\n  w: {workload}\n");
    let (analysis, _) = analysis(&[&cycle, "apiVersion: v1\nworkloads: {}\n"], None);
    let files = analysis.files_with_findings();
    let findings: Vec<_> = files.iter().flat_map(|f| analysis.findings_of(*f)).collect();
    let own = findings
        .iter()
        .find(|f| f.diagnostic.rule.id == "self-dependency")
        .unwrap();
    assert_eq!(own.projects.len(), 2);
    let enforced = analysis.enforced(own);
    let mut by: Vec<_> = enforced.iter().map(|e| (e.command, e.first)).collect();
    by.sort_unstable();
    assert_eq!(by, [(APPLY, true), (STARTUP, true)]);
}

/// `ank apply` of both files loses the dependencies, and the server rejects one of the files: what is reported
/// once is reported as the rejection.
#[test]
fn what_one_command_refuses_is_an_error_also_where_another_accepts_it() {
    let with = |name: &str, key: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  {name}: {{agent: a, runtime: podman, runtimeConfig: x, dependencies: {{{key}: ADD_COND_RUNNING}}}}\n"
        )
    };
    let (analysis, _) = analysis(&[&with("v", "w"), &with("w", "1")], None);
    assert_eq!(analysis.projects().count(), 3);
    let mut told = Vec::new();
    let files = analysis.files_with_findings().into_iter();
    for finding in files.flat_map(|file| analysis.findings_of(file)) {
        for by in analysis.enforced(&finding).iter() {
            let d = finding.diagnostic;
            told.push((
                d.rule.id,
                d.severity.as_str(),
                finding.projects.len(),
                by.command,
                by.first,
            ));
        }
    }
    assert_eq!(told, [("coerced-scalar", "error", 2, STARTUP, true)]);
}
