//! More engines than there are: each finds its own files, facts and findings, and nobody else's.

use std::any::Any;
use std::sync::Arc;

use applyorder_analysis::diagnostic::{Diagnostic, EngineIx, FileId, Rule, Severity, Status};
use applyorder_analysis::engine::{
    Cx, Engine, EngineMeta, Engines, Facts, FactsInput, Handoff, Member, Offer, Operation, ProjectSeed,
    Recognition, Resolution, RunOptions,
};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::syntax::Language;
use applyorder_analysis::syntax::text::Span;
use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};

/// An engine whose projects are single files `*.toyN`. The one thing that can be wrong in them is the word
/// `wrong`.
struct Toy {
    meta: &'static EngineMeta,
}

macro_rules! toys {
    ($($id:literal),*) => {
        [$(&Toy {
            meta: &EngineMeta {
                id: $id,
                title: $id,
                unit: "toy",
                units: "toys",
                language: Language::Yaml,
                version: "1",
                options: &[],
                rules: &[],
                shared_rules: &[&WRONG],
            },
        }),*]
    };
}

static ALL: [&dyn Engine; 12] = toys![
    "toy1", "toy2", "toy3", "toy4", "toy5", "toy6", "toy7", "toy8", "toy9", "toy10", "toy11", "toy12"
];

static WRONG: Rule = Rule {
    id: "wrong",
    severity: Severity::Warning,
    summary: "The word `wrong`",
    docs: "",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

#[derive(PartialEq)]
struct Words {
    wrong: Option<Span>,
}

impl Facts for Words {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        let other = other.as_any().downcast_ref::<Self>();
        other.is_some_and(|other| other.wrong.is_some() == self.wrong.is_some())
    }

    fn span(&self, _: u32) -> Option<Span> {
        self.wrong
    }

    fn discovery_key(&self) -> u64 {
        0
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl Engine for Toy {
    fn meta(&self) -> &'static EngineMeta {
        self.meta
    }

    fn recognise(&self, path: &Utf8Path, _: Offer, bytes: Option<&[u8]>) -> Recognition {
        match bytes {
            _ if path.extension() != Some(self.meta.id) => Recognition::No,
            Some(_) => Recognition::Yes,
            None => Recognition::NeedsBytes,
        }
    }

    fn facts(&self, input: &FactsInput<'_>) -> Arc<dyn Facts> {
        let at = input.text.find("wrong");
        Arc::new(Words {
            wrong: at.map(|at| Span::from_usize(at, at + 5)),
        })
    }

    fn projects(&self, cx: &Cx<'_>, candidates: &[FileId], _: &[FileId]) -> Vec<ProjectSeed> {
        let seed = |file: &FileId| ProjectSeed {
            engine: cx.engine_index(),
            root: cx.path(*file).to_path_buf(),
            name: None,
            why: "it is a toy".to_owned(),
            inferred: false,
            inputs: vec![cx.path(*file).to_path_buf()],
            excluded: Vec::new(),
        };
        candidates.iter().map(seed).collect()
    }

    fn resolve(&self, cx: &Cx<'_>, seed: &ProjectSeed, _: &RunOptions, _: Option<&Resolution>) -> Resolution {
        let (file, words) = cx.facts::<Words>(&seed.root).unwrap();
        let found = words
            .wrong
            .map(|_| Diagnostic::new(&WRONG, cx.place(file, 0), self.meta.id));
        let member = Member {
            file,
            why: String::new(),
            via: None,
        };
        Resolution {
            members: vec![member].into(),
            variants: Vec::new().into(),
            verdicts: Vec::new(),
            diagnostics: found.into_iter().collect::<Vec<_>>().into(),
            links: Vec::new().into(),
            symbols: Vec::new().into(),
            unresolved: Vec::new(),
            engine_version: String::new(),
            memo: None,
        }
    }

    fn command_of(&self, _: Operation, _: &RunOptions) -> Option<&'static str> {
        None
    }

    fn handoff(&self, _: &ProjectSeed, _: Operation, _: &RunOptions) -> Option<Handoff> {
        None
    }
}

fn path(number: usize) -> Utf8PathBuf {
    format!("/w/a.toy{number}").into()
}

#[test]
fn each_of_twelve_has_its_own_files_facts_and_findings() {
    let mut files = MemoryFiles::new();
    for number in 1..=12 {
        files.insert(path(number), "all is wrong here\n");
    }
    let engines = Engines::new(&ALL);
    let mut workspace = Workspace::new(engines, Arc::new(files), RunOptions::default());
    let paths: Vec<Utf8PathBuf> = (1..=12).map(path).collect();
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    assert_eq!(analysis.projects().count(), 12);
    for (number, (index, engine)) in (1..=12).zip(engines.iter()) {
        let id = format!("toy{number}");
        assert_eq!(engine.meta().id, id);
        assert_eq!(engines.index_of(&id), Some(index));
        let file = analysis.file(&path(number)).unwrap();
        let projects = analysis.projects_of(file);
        assert_eq!(projects.len(), 1, "{id}");
        assert_eq!(projects[0].1.engine().meta().id, id);
        assert_eq!(projects[0].1.seed.engine, index);
        for (other, _) in engines.iter() {
            let facts = analysis.facts_as::<Words>(file, other);
            assert_eq!(facts.is_some(), other == index, "{id}, {other:?}");
        }
        let findings = analysis.findings_of(file);
        assert_eq!(findings.len(), 1, "{id}");
        assert_eq!(findings[0].diagnostic.message, id);
        assert_eq!(
            analysis.span(findings[0].diagnostic.place),
            Span::from_usize(7, 12)
        );
    }
    assert_eq!(engines.index_of("toy13"), None);
    assert!(engines.get(EngineIx(12)).is_none());
}

#[test]
fn an_edit_is_read_by_the_twelfth_alone() {
    let mut files = MemoryFiles::new();
    files.insert(path(1), "wrong\n");
    files.insert(path(12), "right\n");
    let mut workspace = Workspace::new(Engines::new(&ALL), Arc::new(files), RunOptions::default());
    workspace.offer(&[path(1), path(12)], Offer::Found);
    workspace.refresh();
    workspace.set_text(&path(12), "now wrong\n".into());
    let changes = workspace.refresh();
    let analysis = workspace.analysis();
    let twelfth = analysis.file(&path(12)).unwrap();
    assert_eq!(changes.files.into_iter().collect::<Vec<_>>(), [twelfth]);
    assert_eq!(analysis.findings_of(twelfth).len(), 1);
}

#[test]
fn one_of_many_can_be_asked_alone() {
    let mut files = MemoryFiles::new();
    files.insert(path(3), "wrong\n");
    files.insert(path(11), "wrong\n");
    let engines = Engines::new(&ALL);
    let mut workspace = Workspace::new(engines, Arc::new(files), RunOptions::default());
    workspace.only_engine(engines.index_of("toy11").unwrap());
    workspace.offer(&[path(3), path(11)], Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    let own: Vec<&str> = analysis.projects().map(|(_, p)| p.engine().meta().id).collect();
    // What is named together with an engine is that engine's, whatever its name.
    assert_eq!(own, ["toy11", "toy11"]);
}
