//! Our verdict on a tree, in the vocabulary of the comparison.

use super::oracle::{self, Complaint};
use applyorder_analysis::engine::RunOptions;
use applyorder_analysis::files::DiskFiles;
use applyorder_analysis::workspace::Workspace;
use camino::Utf8PathBuf;
use std::path::Path;
use std::sync::Arc;

pub(crate) struct Verdict {
    /// `None`: it can't be known.
    pub(crate) ok: Option<bool>,
    pub(crate) complaints: Vec<Complaint>,
    pub(crate) text: String,
}

/// Our prediction for `tazuna COMMAND -f tazuna.yaml [-e ENVIRONMENT]` in a directory.
pub(crate) fn verdict(command: &str, dir: &Path, environment: Option<&str>) -> Verdict {
    let root = Utf8PathBuf::from_path_buf(dir.join("tazuna.yaml")).unwrap();
    let options = RunOptions {
        environments: environment.iter().map(ToString::to_string).collect(),
        ..RunOptions::default()
    };
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(DiskFiles::default()), options);
    workspace.offer(
        std::slice::from_ref(&root),
        applyorder_analysis::engine::Offer::Explicit,
    );
    workspace.refresh();
    let analysis = workspace.analysis();
    let project = analysis.projects().find(|(_, p)| p.seed.root == root);
    let verdicts = project.map_or(&[][..], |(_, p)| &p.resolution.verdicts);
    let verdict = verdicts
        .iter()
        .find(|v| v.command == command && v.environment.as_deref() == environment);
    let Some(verdict) = verdict else {
        let text = format!(
            "no verdict; there are {} of {} projects",
            verdicts.len(),
            analysis.projects().count()
        );
        return Verdict {
            ok: Some(true),
            complaints: vec![Complaint {
                kind: "no verdict",
                subject: String::new(),
            }],
            text,
        };
    };
    let mut complaints: Vec<Complaint> = verdict
        .errors
        .iter()
        .map(|e| oracle::complaint(&e.message, dir))
        .collect();
    complaints.sort();
    let mut text = format!("{:?}", verdict.stage);
    for error in &verdict.errors {
        text.push_str(&format!(
            "\n  {} [{}] {:?}",
            error.message, error.rule, error.details
        ));
    }
    if let Some(because) = &verdict.because {
        text.push_str(because);
    }
    Verdict {
        ok: verdict.ok,
        complaints,
        text,
    }
}
