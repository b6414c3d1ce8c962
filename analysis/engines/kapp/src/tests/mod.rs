//! Small apps as users see them.

mod agreement;
mod configs;
mod editing;
mod files;
mod limits;
mod lists;
mod orders;
mod pages;
mod parsed;
mod projects;
mod resources;
mod runs;
mod texts;
mod verdicts;

use std::sync::Arc;

use crate::META;
use crate::config::{KappApp, KappConfig, SECTION};
use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_core::config::{Config, Configs};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::engine::RunOptions;
use applyorder_core::files::MemoryFiles;
use applyorder_core::rules::Rule;

/// Files as `//- path` followed by their texts, in the order in which kapp gets them; a single text is
/// `a.yaml`.
pub(super) fn files(text: &str) -> Vec<(String, String)> {
    if !text.starts_with("//- ") {
        return vec![("a.yaml".to_owned(), text.to_owned())];
    }
    text.split("//- ")
        .skip(1)
        .map(|part| {
            let (path, body) = part.split_once('\n').unwrap();
            (path.trim().to_owned(), body.to_owned())
        })
        .collect()
}

/// A declared app of all files of a text.
pub(super) fn app(text: &str, options: RunOptions) -> Arc<Analysis> {
    app_with(text, options, None)
}

/// The same with another limit for dropping optional edges.
pub(super) fn app_with(text: &str, options: RunOptions, optional_steps: Option<u64>) -> Arc<Analysis> {
    let mut given: Vec<String> = Vec::new();
    for (path, _) in files(text) {
        let first = path.split('/').next().unwrap().to_owned();
        // Files in a directory are passed with it, and a snapshot is not passed at all.
        if !given.contains(&first) && first != "state.yaml" {
            given.push(first);
        }
    }
    declared(text, given, options, optional_steps)
}

/// A declared app of the files of a text, passed to kapp like this.
pub(super) fn declared(
    text: &str,
    given: Vec<String>,
    options: RunOptions,
    optional_steps: Option<u64>,
) -> Arc<Analysis> {
    let analysis = declared_in(memory(text), given, options, optional_steps);
    let contradictions = agreement::contradictions(&analysis);
    assert!(contradictions.is_empty(), "{contradictions:#?}\n{text}");
    analysis
}

/// The files of a text.
pub(super) fn memory(text: &str) -> MemoryFiles {
    let mut memory = MemoryFiles::new();
    for (path, body) in files(text) {
        // A directory without files does not exist.
        if !path.ends_with('/') {
            memory.insert(format!("/w/{path}"), &body);
        }
    }
    memory
}

/// A declared app of some files.
pub(super) fn declared_in(
    memory: MemoryFiles,
    given: Vec<String>,
    options: RunOptions,
    optional_steps: Option<u64>,
) -> Arc<Analysis> {
    let section = KappConfig {
        optional_steps,
        app: vec![KappApp {
            name: "app".to_owned(),
            files: given,
            ..KappApp::default()
        }],
        ..KappConfig::default()
    };
    let mut config = Config::default().at("/w").with(&SECTION, section);
    config.preview = true;
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(memory), options);
    workspace.set_configs(Configs::fixed(config));
    workspace.refresh();
    workspace.analysis()
}

/// The findings of a rule.
pub(super) fn of_rule(analysis: &Analysis, rule: &str) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for finding in analysis.findings() {
        if finding.diagnostic.rule.id == rule && finding.diagnostic.part_of.is_none() {
            out.push(finding.diagnostic.clone());
        }
    }
    out
}

/// The first line of the text that a finding is at.
pub(super) fn under(analysis: &Analysis, d: &Diagnostic) -> String {
    let text = analysis.source(d.place.file).map_or("", |s| &s.text);
    let under = analysis.span(d.place).slice(text);
    under.lines().next().unwrap_or("").to_owned()
}

/// The text of one file after a fix of its only finding of a rule.
pub(super) fn fixed(text: &str, rule: &str, title: &str) -> String {
    let analysis = app(text, RunOptions::default());
    let found = of_rule(&analysis, rule);
    let [d] = found.as_slice() else {
        panic!("{} findings of {rule}", found.len());
    };
    let titles: Vec<&str> = d.fixes.iter().map(|f| f.title.as_str()).collect();
    let fix = d.fixes.iter().find(|f| f.title == title);
    let fix = fix.unwrap_or_else(|| panic!("no such fix, only {titles:?}"));
    let mut out = text.to_owned();
    for (_, mut edits) in analysis.edits(fix) {
        edits.sort_by_key(|e| std::cmp::Reverse(e.span.start));
        for edit in edits {
            out.replace_range(edit.span.range(), &edit.text);
        }
    }
    out
}

/// A rule, its severity, an app with the texts of its findings, and an app without findings.
pub(super) type Row = (&'static str, Severity, String, &'static [&'static str], String);

/// A ConfigMap with annotations.
pub(super) fn map(name: &str, annotations: &str) -> String {
    format!(
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  annotations: {{{annotations}}}\n---\n"
    )
}

pub(super) fn with_rule(rule: &str) -> String {
    map("owner", &format!("kapp.k14s.io/change-rule: {rule}"))
}

pub(super) fn member(group: &str) -> String {
    map("member", &format!("kapp.k14s.io/change-group: {group}"))
}

pub(super) fn config(body: &str) -> String {
    format!("apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n{body}---\n")
}

pub(super) fn object(api: &str, kind: &str, name: &str, rest: &str) -> String {
    format!("apiVersion: {api}\nkind: {kind}\nmetadata:\n  name: {name}\n{rest}---\n")
}

pub(super) fn crd(spec: &str) -> String {
    object(
        "apiextensions.k8s.io/v1",
        "CustomResourceDefinition",
        "foos.e.com",
        &format!("spec: {{{spec}}}\n"),
    )
}

pub(super) const FOO: &str = "group: e.com, scope: Namespaced, names: {kind: Foo}, versions: [{name: v1}]";
pub(super) const EVERY: &str = "resourceMatchers: [{allMatcher: {}}]";

/// The deviations from a row; empty if there are none.
fn otherwise(rule: &str, severity: Severity, bad: &str, expected: &[&str], good: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    let analysis = app(bad, RunOptions::default());
    let found = of_rule(&analysis, rule);
    let texts: Vec<String> = found.iter().map(|d| under(&analysis, d)).collect();
    if texts != *expected || found.iter().any(|d| d.severity != severity) {
        let severities: Vec<&str> = found.iter().map(|d| d.severity.as_str()).collect();
        wrong.push(format!(
            "{rule}: at {texts:?} {severities:?}, not {expected:?} in\n{bad}"
        ));
    }
    let analysis = app(good, RunOptions::default());
    let found = of_rule(&analysis, rule);
    if !found.is_empty() {
        let texts: Vec<String> = found.iter().map(|d| under(&analysis, d)).collect();
        wrong.push(format!("{rule} speaks at {texts:?} in\n{good}"));
    }
    wrong
}

/// Checks that a rule has findings in one app, at these texts, and not in another.
pub(super) fn speaks(rule: &Rule, severity: Severity, bad: &str, expected: &[&str], good: &str) {
    let wrong = otherwise(rule.id, severity, bad, expected, good);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn hold(rows: &[Row]) {
    let wrong: Vec<String> = rows
        .iter()
        .flat_map(|(rule, severity, bad, expected, good)| otherwise(rule, *severity, bad, expected, good))
        .collect();
    assert!(wrong.is_empty(), "{} rows\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn each_shared_rule_has_a_row() {
    let rows = [texts::rows(), orders::rows(), resources::rows(), configs::rows()].concat();
    // These limits and read errors do not occur with files in memory.
    let elsewhere = ["limit-reached", "unreadable-file"];
    for rule in META.shared_rules {
        let tested = rows.iter().any(|(id, ..)| *id == rule.id);
        assert!(tested || elsewhere.contains(&rule.id), "{} has no row", rule.id);
    }
}
