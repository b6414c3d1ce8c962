//! Verdicts, findings and orders agree in the recorded cases, in the examples, and in random combinations of
//! recorded texts; the random manifests are checked where they are generated.

use std::path::Path;
use std::sync::Arc;

use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_core::diagnostic::Severity;
use applyorder_core::engine::{EngineIx, Offer, RunOptions};
use applyorder_core::files::{DiskFiles, MemoryFiles};
use camino::Utf8PathBuf;
use serde_json::Value;

use super::handlebars::Random;

/// The contradictions between verdicts and findings, whether of one project or of several that have the same
/// findings.
fn contradictions(analysis: &Analysis, options: &RunOptions) -> Vec<String> {
    let mut out = Vec::new();
    for (_, project) in analysis.projects() {
        let (seed, resolution) = (&project.seed, &project.resolution);
        let found =
            applyorder_core::layer::contradictions(&crate::ENGINE, options, seed.inferred, resolution);
        out.extend(found);
    }
    let files = analysis.files_with_findings().into_iter();
    for finding in files.flat_map(|file| analysis.findings_of(file)) {
        let d = finding.diagnostic;
        let inferred = finding
            .projects
            .iter()
            .all(|p| analysis.project(*p).is_some_and(|p| p.seed.inferred));
        let enforced = analysis.enforced(&finding);
        if !inferred && d.severity < Severity::Error && enforced.iter().any(|e| e.first) {
            out.push(format!("{}: {} is first, and no error", d.rule.id, d.message));
        }
    }
    out
}

/// Texts of the recorded verdicts, two or three at random passed to one command.
#[test]
fn in_manifests_put_together_at_random() {
    let mut texts: Vec<String> = Vec::new();
    for line in include_str!("verdicts.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let files = case["files"].as_array().unwrap().iter();
        texts.extend(files.map(|f| f.as_str().unwrap().to_owned()));
    }
    let mut random = Random(0x5eed_0a99);
    let mut wrong = Vec::new();
    let mut refused = 0;
    for round in 0..1_500 {
        let mut files = MemoryFiles::new();
        let mut paths = Vec::new();
        for number in 0..2 + random.below(2) {
            let path = Utf8PathBuf::from(format!("/m/{number}.yaml"));
            files.insert(path.clone(), &*texts[random.below(texts.len())]);
            paths.push(path);
        }
        let agent = (random.below(4) == 0).then_some("agent_X");
        let options = RunOptions::default().with(&crate::config::AGENT, agent);
        let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), options.clone());
        workspace.only_engine(EngineIx(0));
        workspace.offer(&paths, Offer::Explicit);
        workspace.refresh();
        let analysis = workspace.analysis();
        let verdicts = analysis.projects().flat_map(|(_, p)| &p.resolution.verdicts);
        refused += verdicts.filter(|v| v.ok == Some(false)).count();
        let found = contradictions(&analysis, &options);
        wrong.extend(found.into_iter().map(|c| format!("round {round}: {c}")));
    }
    assert!(refused > 1_000, "{refused}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Texts of the recorded verdicts with lines of others in them, over the state that another one would have
/// left.
#[test]
fn in_manifests_with_lines_of_others_over_a_state() {
    let cases = include_str!("verdicts.jsonl").lines();
    let cases = cases.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let texts: Vec<String> = cases
        .flat_map(|case| case["files"].as_array().unwrap().clone())
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    let mut random = Random(0x5eed_0a9a);
    let mut wrong = Vec::new();
    let mut counts = [0; 3];
    for round in 0..2_000 {
        let mut lines: Vec<&str> = texts[random.below(texts.len())].lines().collect();
        for _ in 0..random.below(4) {
            let others: Vec<&str> = texts[random.below(texts.len())].lines().collect();
            let other = others[random.below(others.len())];
            let at = random.below(lines.len() + 1);
            let indent = |line: &str| line.len() - line.trim_start().len();
            // Replaces one with the same indentation, if there is one.
            match lines
                .iter()
                .skip(at)
                .position(|line| indent(line) == indent(other))
            {
                Some(behind) if random.below(2) == 0 => lines[at + behind] = other,
                Some(behind) => lines.insert(at + behind, other),
                None if lines.len() > 1 => drop(lines.remove(at % lines.len())),
                None => {}
            }
        }
        let text = lines.join("\n") + "\n";
        let mut files = MemoryFiles::new();
        files.insert("/m/0.yaml", text.as_str());
        let mut options = RunOptions::default();
        if random.below(2) == 0 {
            let before = texts[random.below(texts.len())].lines();
            let before: String = before.map(|line| format!("  {line}\n")).collect();
            files.insert("/m/state.yaml", format!("desiredState:\n{before}").as_str());
            options.state = Some("/m/state.yaml".into());
        }
        let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), options.clone());
        workspace.only_engine(EngineIx(0));
        workspace.offer(&["/m/0.yaml".into()], Offer::Explicit);
        workspace.refresh();
        let analysis = workspace.analysis();
        let verdicts = analysis.projects().flat_map(|(_, p)| &p.resolution.verdicts);
        for verdict in verdicts {
            counts[verdict.ok.map_or(2, usize::from)] += 1;
        }
        let found = contradictions(&analysis, &options);
        wrong.extend(found.into_iter().map(|c| format!("round {round}: {c}\n{text}")));
    }
    // Rejected, accepted, and a few that cannot be known.
    assert!(counts[0] > 50 && counts[1] > 50 && counts[2] > 0, "{counts:?}");
    let shown = wrong[..wrong.len().min(8)].join("\n");
    assert!(wrong.is_empty(), "{} of them\n{shown}", wrong.len());
}

#[test]
fn in_cases_and_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut wrong = Vec::new();
    let mut all = 0;
    for dir in ["tests/conformance/cases/ankaios", "examples/ankaios"] {
        for entry in root.join(dir).canonicalize().unwrap().read_dir().unwrap() {
            let case = entry.unwrap().path();
            if !case.is_dir() {
                continue;
            }
            let files = case.read_dir().unwrap().map(|e| e.unwrap().path());
            let files = files.filter(|path| path.extension().is_some_and(|e| e != "json"));
            let mut files: Vec<Utf8PathBuf> = files.map(|p| Utf8PathBuf::from_path_buf(p).unwrap()).collect();
            files.sort();
            for agent in [None, Some("agent_X")] {
                let options = RunOptions::default().with(&crate::config::AGENT, agent);
                let disk = Arc::new(DiskFiles::default());
                let mut workspace = Workspace::new(crate::ALONE, disk, options.clone());
                workspace.only_engine(EngineIx(0));
                workspace.offer(&files, Offer::Explicit);
                workspace.refresh();
                let analysis = workspace.analysis();
                all += analysis.projects().count();
                let found = contradictions(&analysis, &options);
                wrong.extend(found.into_iter().map(|c| format!("{}: {c}", case.display())));
            }
        }
    }
    assert!(all > 30, "{all}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
