//! Verdicts, findings and orders agree in the recorded cases and in the examples; the random manifests are asked where they
//! are made.

use std::path::Path;
use std::sync::Arc;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{EngineIx, Offer, RunOptions};
use applyorder_core::files::DiskFiles;
use camino::Utf8PathBuf;

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
                for (_, project) in workspace.analysis().projects() {
                    all += 1;
                    let (seed, resolution) = (&project.seed, &project.resolution);
                    let found = applyorder_core::layer::contradictions(
                        &crate::ENGINE,
                        &options,
                        seed.inferred,
                        resolution,
                    );
                    wrong.extend(found.into_iter().map(|c| format!("{}: {c}", case.display())));
                }
            }
        }
    }
    assert!(all > 30, "{all}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
