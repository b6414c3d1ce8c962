//! A toy engine that registers itself twelve times: each finds its own files, facts and findings, and no
//! others; and the layer keeps what an edit does not change.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

mod engine;

use std::sync::Arc;

use applyorder_analysis::diagnostic::EngineIx;
use applyorder_analysis::engine::{Engine, EngineMeta, Engines, Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::rules::{cycle, unknown_dependency};
use applyorder_analysis::syntax::Language;
use applyorder_analysis::workspace::{Analysis, Project, Workspace};
use camino::Utf8PathBuf;

use engine::{Toy, ToyFacts};

macro_rules! toys {
    ($($id:literal),*) => {
        [$(&Toy {
            meta: &EngineMeta {
                id: $id,
                title: $id,
                unit: "toy",
                units: "toys",
                looks_for: "toys",
                language: Language::Yaml,
                version: "1",
                options: &[],
                config: None,
                command_lines: &[],
                rules: &[],
                shared_rules: &[&cycle::RULE, &unknown_dependency::RULE],
            },
        }),*]
    };
}

static ALL: [&dyn Engine; 12] = toys![
    "toy1", "toy2", "toy3", "toy4", "toy5", "toy6", "toy7", "toy8", "toy9", "toy10", "toy11", "toy12"
];

fn path(name: &str, number: usize) -> Utf8PathBuf {
    format!("/w/{name}.toy{number}").into()
}

/// A workspace over some files, of all engines.
fn workspace(texts: &[(Utf8PathBuf, &str)]) -> Workspace {
    let mut files = MemoryFiles::new();
    for (path, text) in texts {
        files.insert(path.clone(), *text);
    }
    let mut workspace = Workspace::new(Engines::new(&ALL), Arc::new(files), RunOptions::default());
    let paths: Vec<Utf8PathBuf> = texts.iter().map(|(path, _)| path.clone()).collect();
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    workspace
}

fn messages(analysis: &Analysis, path: &Utf8PathBuf) -> Vec<String> {
    let file = analysis.file(path).unwrap();
    let found = analysis.findings_of(file);
    found.iter().map(|f| f.diagnostic.message.clone()).collect()
}

fn only_project(analysis: &Analysis) -> &Arc<Project> {
    analysis.projects().next().unwrap().1
}

#[test]
fn each_of_twelve_has_its_own_files_facts_and_findings() {
    let texts: Vec<(Utf8PathBuf, &str)> = (1..=12).map(|n| (path("a", n), "db:\napp: db cache\n")).collect();
    let mut workspace = workspace(&texts);
    let engines = Engines::new(&ALL);
    let analysis = workspace.analysis();
    assert_eq!(analysis.projects().count(), 12);
    for (number, (index, engine)) in (1..=12).zip(engines.iter()) {
        let id = format!("toy{number}");
        assert_eq!(engine.meta().id, id);
        assert_eq!(engines.index_of(&id), Some(index));
        let file = analysis.file(&path("a", number)).unwrap();
        let projects = analysis.projects_of(file);
        assert_eq!(projects.len(), 1, "{id}");
        assert_eq!(projects[0].1.engine().meta().id, id);
        assert_eq!(projects[0].1.seed.engine, index);
        for (other, _) in engines.iter() {
            let facts = analysis.facts_as::<ToyFacts>(file, other);
            assert_eq!(facts.is_some(), other == index, "{id}, {other:?}");
        }
        assert_eq!(messages(&analysis, &path("a", number)), ["unknown toy `cache`"]);
        let finding = &analysis.findings_of(file)[0];
        assert_eq!(analysis.span(finding.diagnostic.place).range(), 12..17);
    }
    assert_eq!(engines.index_of("toy13"), None);
    assert!(engines.get(EngineIx(12)).is_none());
}

#[test]
fn verdicts_come_from_findings_and_say_what_is_first() {
    let file = path("a", 1);
    let mut workspace = workspace(&[(file.clone(), "a: b x\nb: a y\n")]);
    let analysis = workspace.analysis();
    let verdict = &only_project(&analysis).resolution.verdicts[0];
    assert_eq!((verdict.ok, verdict.stage), (Some(false), Some("names")));
    assert_eq!(verdict.errors.len(), 1);
    assert_eq!(verdict.errors[0].message, "unknown toy `x`");
    let id = analysis.file(&file).unwrap();
    let first: Vec<(String, bool)> = analysis
        .findings_of(id)
        .iter()
        // The other edge of the cycle has a mark that is not a finding of its own.
        .filter(|f| f.diagnostic.part_of.is_none())
        .map(|f| (f.diagnostic.rule.id.to_owned(), f.diagnostic.enforced[0].first))
        .collect();
    let expected = [
        ("cycle", false),
        ("unknown-dependency", true),
        ("unknown-dependency", false),
    ];
    assert_eq!(first, expected.map(|(rule, first)| (rule.to_owned(), first)));
}

#[test]
fn an_edit_is_read_by_the_twelfth_alone() {
    let mut workspace = workspace(&[(path("a", 1), "a: x\n"), (path("a", 12), "a:\n")]);
    workspace.set_text(&path("a", 12), "a: x\n".into());
    let changes = workspace.refresh();
    let analysis = workspace.analysis();
    let twelfth = analysis.file(&path("a", 12)).unwrap();
    assert_eq!(changes.files.into_iter().collect::<Vec<_>>(), [twelfth]);
    assert_eq!(messages(&analysis, &path("a", 12)), ["unknown toy `x`"]);
}

#[test]
fn a_file_that_an_edit_does_not_concern_keeps_its_findings() {
    let (a, b, c) = (path("a", 5), path("b", 5), path("c", 5));
    let mut workspace = workspace(&[
        (a.clone(), "a: x\n"),
        (b.clone(), "b: c y\n"),
        (c.clone(), "c:\n"),
    ]);
    let before = only_project(&workspace.analysis()).clone();
    workspace.set_text(&c, "d:\n".into());
    let changes = workspace.refresh();
    let analysis = workspace.analysis();
    let (first, second) = (analysis.file(&a).unwrap(), analysis.file(&b).unwrap());
    assert!(!changes.files.contains(&first) && changes.files.contains(&second));
    assert_eq!(messages(&analysis, &b), ["unknown toy `c`", "unknown toy `y`"]);
    let now = only_project(&analysis);
    let told = |project: &Project| project.findings().of(first).next().map(std::ptr::from_ref);
    assert_eq!(told(&before), told(now), "the same findings, not equal ones");
}

#[test]
fn what_comes_and_goes_on_the_disk_is_seen() {
    let (a, b) = (path("a", 7), path("b", 7));
    let mut workspace = workspace(&[(a.clone(), "a: b\n"), (b.clone(), "b:\n")]);
    assert!(messages(&workspace.analysis(), &a).is_empty());
    workspace.set_text(&path("c", 7), "c: nothing\n".into());
    workspace.refresh();
    assert_eq!(
        messages(&workspace.analysis(), &path("c", 7)),
        ["unknown toy `nothing`"]
    );
    workspace.close(&path("c", 7));
    workspace.refresh();
    assert_eq!(only_project(&workspace.analysis()).resolution.members.len(), 2);
}

#[test]
fn one_of_many_can_be_asked_alone() {
    let mut files = MemoryFiles::new();
    files.insert("/w/x/a.toy3", "a: x\n");
    files.insert("/w/y/a.toy11", "a: x\n");
    let engines = Engines::new(&ALL);
    let mut workspace = Workspace::new(engines, Arc::new(files), RunOptions::default());
    workspace.only_engine(engines.index_of("toy11").unwrap());
    workspace.offer(&["/w/x/a.toy3".into(), "/w/y/a.toy11".into()], Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let own: Vec<&str> = analysis.projects().map(|(_, p)| p.engine().meta().id).collect();
    // A file named together with an engine belongs to that engine, whatever its name.
    assert_eq!(own, ["toy11", "toy11"]);
}
