//! Small projects as users see them. A finding is shown as `rule file «text under it» severity enforced`, where
//! `check:names!` means that `check` rejects it at its stage `names`, and `!` that it belongs to what `check`
//! reports.

mod agreement;
mod bad_input;
mod broken;
mod edited;
mod editing;
mod edits;
mod generations;
mod growth;
mod pages;
mod table;
mod templates;
mod verdicts;

use std::fmt::Write;
use std::sync::Arc;

use camino::Utf8Path;

use crate::config::{SECTION, TazunaConfig, TazunaGeneration};
use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_core::config::{Config, Configs};
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::engine::{Offer, Resolution, RunOptions, Verdict};
use applyorder_core::files::MemoryFiles;

/// A workspace under test.
pub(super) struct Tree {
    pub(super) files: MemoryFiles,
    pub(super) options: RunOptions,
    pub(super) config: TazunaConfig,
}

/// Files as `//- path` followed by their texts; paths are relative to `/w`.
pub(super) fn tree(text: &str) -> Tree {
    let mut files = MemoryFiles::new();
    if !text.starts_with("//- ") {
        files.insert("/w/tazuna.yaml", text);
    }
    for part in text.split("//- ").skip(1) {
        let (path, body) = part.split_once('\n').unwrap();
        files.insert(format!("/w/{}", path.trim()), body);
    }
    Tree {
        files,
        options: RunOptions::default(),
        config: TazunaConfig::default(),
    }
}

impl Tree {
    pub(super) fn environment(mut self, name: &str) -> Self {
        self.options.environments.push(name.to_owned());
        self
    }

    pub(super) fn tags(mut self, tags: &str) -> Self {
        self.options.tags.push(tags.to_owned());
        self
    }

    pub(super) fn generation(mut self, generation: TazunaGeneration) -> Self {
        self.config.generation = Some(generation);
        self
    }

    pub(super) fn workspace(self) -> Workspace {
        let roots: Vec<_> = self
            .files
            .paths()
            .filter(|p| p.file_name() == Some("tazuna.yaml"))
            .map(Utf8Path::to_owned)
            .collect();
        let mut workspace = Workspace::new(crate::ALONE, Arc::new(self.files), self.options);
        let config = Config::default().at("/w").with(&SECTION, self.config);
        workspace.set_configs(Configs::fixed(config));
        workspace.offer(&roots, Offer::Found);
        workspace.refresh();
        workspace.search_hints();
        let contradictions = agreement::contradictions(&mut workspace);
        assert!(contradictions.is_empty(), "{contradictions:#?}");
        workspace
    }

    pub(super) fn analysis(self) -> Arc<Analysis> {
        self.workspace().analysis()
    }

    /// Every finding, in the order of files and places.
    pub(super) fn findings(self) -> Vec<String> {
        shown(&self.analysis())
    }
}

pub(super) fn shown(analysis: &Analysis) -> Vec<String> {
    let mut out = Vec::new();
    for file in analysis.files_with_findings() {
        for finding in analysis.findings_of(file) {
            if finding.diagnostic.part_of.is_none() {
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
    for e in &d.enforced {
        let first = if e.first { "!" } else { "" };
        write!(out, " {}:{}{first}", e.command, e.stage).unwrap();
    }
    if !d.environments.is_empty() {
        write!(out, " in {:?}", d.environments).unwrap();
    }
    out
}

/// The findings of a rule.
pub(super) fn of_rule(analysis: &Analysis, rule: &str) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for file in analysis.files_with_findings() {
        for finding in analysis.findings_of(file) {
            if finding.diagnostic.rule.id == rule && finding.diagnostic.part_of.is_none() {
                out.push(finding.diagnostic.clone());
            }
        }
    }
    out
}

/// The text of a file after the fix with that number of the only finding of a rule.
pub(super) fn fixed(text: &str, rule: &str, number: usize) -> String {
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, rule);
    let [d] = found.as_slice() else {
        panic!("{rule}: {:?}", shown(&analysis));
    };
    let edits = analysis.edits(&d.fixes[number]);
    let (file, edits) = edits.into_iter().next().unwrap();
    applyorder_syntax::text::apply_edits(&analysis.source(file).unwrap().text, &edits)
}

/// The project of `/w/tazuna.yaml`.
pub(super) fn project(analysis: &Analysis) -> &Resolution {
    let mut projects = analysis.projects();
    let (_, project) = projects.find(|(_, p)| p.seed.root == "/w/tazuna.yaml").unwrap();
    &project.resolution
}

pub(super) fn verdict<'a>(resolution: &'a Resolution, command: &str) -> &'a Verdict {
    resolution.verdicts.iter().find(|v| v.command == command).unwrap()
}

/// The names in the layers of `apply`.
pub(super) fn layers(resolution: &Resolution, variant: usize) -> Vec<Vec<String>> {
    let variant = &resolution.variants[variant];
    let layers = variant.apply.layers.as_ref().unwrap();
    let name = |u: &applyorder_core::engine::UnitIx| variant.units[u.0 as usize].name.to_string();
    layers.iter().map(|l| l.iter().map(name).collect()).collect()
}
