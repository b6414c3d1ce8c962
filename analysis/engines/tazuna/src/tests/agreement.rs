//! Verdicts, findings and orders agree: in random trees, in the recorded cases, in the examples, and in every
//! tree of the other tests.

#[path = "../../../../../tests/differential/tazuna/generate.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod generate;
#[path = "../../../../../tests/differential/tazuna/nodes.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod nodes;

use std::path::Path;
use std::sync::Arc;

use camino::Utf8PathBuf;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::{DiskFiles, Files, MemoryFiles};

use crate::random::Random;

/// The contradictions between verdicts, findings and orders of the projects of a workspace.
pub(super) fn contradictions(workspace: &mut Workspace) -> Vec<String> {
    let analysis = workspace.analysis();
    let mut out = Vec::new();
    for (_, project) in analysis.projects() {
        out.extend(applyorder_core::layer::contradictions(
            &crate::ENGINE,
            &RunOptions::default(),
            project.seed.inferred,
            &project.resolution,
        ));
    }
    out
}

fn of_root(files: Arc<dyn Files>, root: Utf8PathBuf, environments: &[&str]) -> Vec<String> {
    let options = RunOptions {
        environments: environments.iter().map(ToString::to_string).collect(),
        ..RunOptions::default()
    };
    let mut workspace = Workspace::new(crate::ALONE, files, options);
    workspace.offer(&[root], Offer::Explicit);
    workspace.refresh();
    assert!(workspace.analysis().projects().next().is_some());
    contradictions(&mut workspace)
}

#[test]
fn in_random_trees() {
    let mut wrong = Vec::new();
    for seed in 0..4_000 {
        let tree = generate::tree(&mut Random::new(seed));
        let asked: Vec<&str> = tree
            .environments
            .iter()
            .map(|e| e.as_deref().unwrap_or(""))
            .collect();
        for environments in [&[][..], asked.as_slice()] {
            let mut files = MemoryFiles::new();
            for (path, bytes) in &tree.files {
                files.insert(format!("/w/{path}"), bytes.clone());
            }
            let found = of_root(Arc::new(files), "/w/tazuna.yaml".into(), environments);
            wrong.extend(
                found
                    .into_iter()
                    .map(|c| format!("{seed} {environments:?} {c}\n{tree}")),
            );
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of them\n{}",
        wrong.len(),
        wrong[..wrong.len().min(8)].join("\n")
    );
}

/// Random trees that one root includes, with manifests of its own between them.
#[test]
fn in_trees_that_one_root_includes() {
    let mut wrong = Vec::new();
    for seed in 0..2_000 {
        let mut random = Random::new(seed);
        let mut files = MemoryFiles::new();
        let mut root = String::from(
            "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  environments: {prod: {}, dev: {}}\n  manifests:\n",
        );
        let mut trees = Vec::new();
        for number in 0..1 + random.below(3) {
            let tree = generate::tree(&mut Random::new(random.below(1 << 30) as u64));
            for (path, bytes) in &tree.files {
                files.insert(format!("/w/{number}/{path}"), bytes.clone());
            }
            let need = [
                "",
                ", dependsOn: [own0]",
                ", dependsOn: [app]",
                ", dependsOn: [own2]",
            ];
            let need = need[random.below(need.len())];
            root += &format!("  - {{includes: [{{path: {number}/tazuna.yaml}}]}}\n");
            root += &format!("  - {{name: own{number}, type: kustomize, path: x{need}}}\n");
            trees.push(tree.to_string());
        }
        files.insert("/w/tazuna.yaml", root.as_str());
        let files: Arc<dyn Files> = Arc::new(files);
        for environments in [&[][..], &["", "prod"]] {
            let found = of_root(files.clone(), "/w/tazuna.yaml".into(), environments);
            let shown = || trees.concat();
            wrong.extend(
                found
                    .into_iter()
                    .map(|c| format!("{seed} {environments:?} {c}\n{root}{}", shown())),
            );
        }
    }
    let shown = wrong[..wrong.len().min(8)].join("\n");
    assert!(wrong.is_empty(), "{} of them\n{shown}", wrong.len());
}

#[test]
fn in_cases_and_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut wrong = Vec::new();
    let mut roots = 0;
    for dir in ["tests/conformance/cases/tazuna", "examples/tazuna"] {
        for entry in root.join(dir).canonicalize().unwrap().read_dir().unwrap() {
            let path = entry.unwrap().path().join("tazuna.yaml");
            if !path.exists() {
                continue;
            }
            roots += 1;
            let path = Utf8PathBuf::from_path_buf(path).unwrap();
            for environments in [&[][..], &["prod"], &["", "nowhere", "prod"]] {
                let found = of_root(Arc::new(DiskFiles::default()), path.clone(), environments);
                wrong.extend(found.into_iter().map(|c| format!("{path} {environments:?} {c}")));
            }
        }
    }
    assert!(roots > 200, "{roots}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
