//! What a user sees of small projects. A finding is shown as `rule path «text under it» severity stage: words`,
//! where the stage is the one at which `terramate run` rejects (without one Terramate continues), and the words
//! are Terramate's own message.

mod agreement;
mod broken_states;
mod each_file_broken;
mod growth;
mod pages;
mod table;
mod verdicts;
mod wording;

use std::sync::Arc;

use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_core::config::Configs;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::{MemoryFiles, ReadError};

const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

/// A project under test, in `/w`.
struct Project {
    files: MemoryFiles,
    options: RunOptions,
}

/// Files as `//- path` and their texts after it. Without a root configuration one is added.
fn project(text: &str) -> Project {
    let mut files = MemoryFiles::new();
    if !text.contains("required_version") {
        files.insert("/w/terramate.tm", ROOT);
    }
    let text = if text.starts_with("//- ") {
        text.to_owned()
    } else {
        format!("//- s/stack.tm\n{text}")
    };
    for part in text.split("//- ").skip(1) {
        let (path, body) = part.split_once('\n').unwrap_or((part, ""));
        files.insert(format!("/w/{}", path.trim()), body);
    }
    Project {
        files,
        options: RunOptions::default(),
    }
}

impl Project {
    fn error(mut self, path: &str, error: ReadError) -> Self {
        self.files.insert_error(format!("/w/{path}"), error);
        self
    }

    fn with(mut self, change: impl FnOnce(&mut RunOptions)) -> Self {
        change(&mut self.options);
        self
    }

    fn analysis(self) -> Arc<Analysis> {
        let paths: Vec<_> = self.files.paths().map(camino::Utf8Path::to_owned).collect();
        let mut workspace = Workspace::new(crate::ALONE, Arc::new(self.files), self.options);
        workspace.set_configs(Configs::new());
        workspace.offer(&paths, Offer::Found);
        workspace.refresh();
        workspace.analysis()
    }

    /// The errors and warnings, in the order of files and places.
    fn findings(self) -> Vec<String> {
        shown(&self.analysis())
    }
}

fn shown(analysis: &Analysis) -> Vec<String> {
    let mut out = Vec::new();
    for file in analysis.files_with_findings() {
        for finding in analysis.findings_of(file) {
            if finding.diagnostic.severity >= Severity::Warning {
                out.push(one(analysis, finding.diagnostic));
            }
        }
    }
    out
}

fn one(analysis: &Analysis, d: &Diagnostic) -> String {
    let path = analysis.path(d.place.file);
    let path = path.strip_prefix("/w").unwrap_or(path);
    let text = analysis.source(d.place.file).map_or("", |s| &s.text);
    let under = analysis.span(d.place).slice(text);
    let under = under.lines().next().unwrap_or("");
    let mut out = format!("{} {path} «{under}» {}", d.rule.id, d.severity.as_str());
    if let Some(rejected) = d.enforced.first() {
        out.push_str(&format!(" {}", rejected.stage));
    }
    if let Some(words) = &d.engine_message {
        out.push_str(&format!(": {words}"));
    }
    out
}

/// The names of the stacks, in the byte order of their paths.
fn stacks(analysis: &Analysis) -> Vec<String> {
    let units = analysis
        .projects()
        .flat_map(|(_, p)| &p.resolution.variants[0].units);
    units.map(|u| u.name.to_string()).collect()
}
