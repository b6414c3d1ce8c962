//! Which files are manifests of Ankaios, and which of them are passed to one `ank apply`.
//!
//! A manifest is always a startup manifest of its own, and an `ank apply` of its own unless it is declared to
//! be part of one (`[[ankaios.apply]]`) or is named together with others and with this engine.

use std::sync::LazyLock;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Declaration, Offer, ProjectSeed, ProjectView, Recognition};
use applyorder_core::files::clean;
use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use rustc_hash::FxHashSet;

use crate::config::AnkaiosConfig;
use crate::read::{AnkaiosFacts, DocumentKind, Manifest};

/// Whether a project is one manifest that `ank apply` takes together with others, so that by itself it is only
/// a startup manifest. Like every single manifest it is named by its path.
pub(crate) fn only_starts_up(seed: &ProjectSeed) -> bool {
    seed.is_part
}

/// Whether a file has a name that is typical of manifests.
pub(crate) fn is_named_so(path: &Utf8Path) -> bool {
    path.extension()
        .is_some_and(|e| matches!(e, "yaml" | "yml" | "json"))
}

pub(crate) fn recognise(path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
    if !is_named_so(path) && offer != Offer::Explicit {
        return Recognition::No;
    }
    let Some(bytes) = bytes else {
        return Recognition::NeedsBytes;
    };
    static WORDS: LazyLock<[memmem::Finder<'static>; 3]> =
        LazyLock::new(|| ["workloads", "configs", "apiVersion"].map(memmem::Finder::new));
    let has = |word: &memmem::Finder<'_>| word.find(bytes).is_some();
    let [workloads, configs, version] = &*WORDS;
    if has(workloads) || has(configs) && has(version) || is_reserved(path) {
        Recognition::Yes
    } else {
        Recognition::No
    }
}

/// `*.ank.yaml` and `*.ank.yml`.
fn is_reserved(path: &Utf8Path) -> bool {
    let name = path.file_name().unwrap_or("");
    name.ends_with(".ank.yaml") || name.ends_with(".ank.yml")
}

/// Whether a document is a manifest, and not a fragment or another tool's.
pub(crate) fn is_manifest(path: &Utf8Path, manifest: &Manifest) -> bool {
    match manifest.kind {
        DocumentKind::Manifest => manifest.has_what_manifests_have() || is_reserved(path),
        DocumentKind::State | DocumentKind::Foreign => false,
    }
}

/// The applies of the configuration, each with its files, absolute.
fn declared(cx: &Cx<'_>) -> Vec<(ProjectSeed, Vec<Utf8PathBuf>)> {
    let mut found: Vec<(ProjectSeed, Vec<Utf8PathBuf>)> = Vec::new();
    let mut known: FxHashSet<ProjectSeed> = FxHashSet::default();
    for config in cx.configs() {
        let root = if config.dir.as_str().is_empty() {
            Utf8PathBuf::from("/")
        } else {
            config.dir.clone()
        };
        let file = config
            .file
            .as_deref()
            .and_then(Utf8Path::file_name)
            .unwrap_or("the configuration");
        for apply in &config.section::<AnkaiosConfig>().apply {
            let seed = ProjectSeed {
                engine: cx.engine_index(),
                root: root.clone(),
                name: Some(apply.name.clone()),
                why: format!("declared as apply `{}` in {file}", apply.name),
                inferred: false,
                inputs: apply.files.iter().map(Utf8PathBuf::from).collect(),
                excluded: Vec::new(),
                is_part: false,
            };
            let covers = seed
                .inputs
                .iter()
                .map(|given| absolute(&seed.root, given))
                .collect();
            if known.insert(seed.clone()) {
                found.push((seed, covers));
            }
        }
    }
    found
}

/// An input of a project, absolute and clean.
pub(crate) fn absolute(root: &Utf8Path, given: &Utf8Path) -> Utf8PathBuf {
    clean(root.join(given).as_str())
}

/// The apply of the configuration that a project represents.
pub(crate) fn agent_of(cx: &Cx<'_>, seed: &ProjectSeed) -> Option<String> {
    let name = seed.name.as_ref()?;
    let config = cx
        .config(&seed.root.join("applyorder.toml"))
        .section::<AnkaiosConfig>();
    let apply = config.apply.iter().find(|a| a.name == *name)?;
    apply.agent.clone()
}

pub(crate) fn projects(cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
    let declared = declared(cx);
    let paths: Vec<Utf8PathBuf> = candidates.iter().map(|f| cx.path(*f).to_path_buf()).collect();
    cx.prefetch(&paths);
    let named: Vec<Utf8PathBuf> = if cx.is_chosen() {
        explicit.iter().map(|f| cx.path(*f).to_path_buf()).collect()
    } else {
        Vec::new()
    };
    let together: Vec<Utf8PathBuf> = if named.len() > 1 {
        named.clone()
    } else {
        Vec::new()
    };
    let is_named: FxHashSet<&Utf8PathBuf> = named.iter().collect();
    let covers = declared.iter().map(|(_, covers)| covers).chain([&together]);
    let covered: FxHashSet<&Utf8PathBuf> = covers.flatten().collect();
    let mut seeds: Vec<ProjectSeed> = declared.iter().map(|(seed, _)| seed.clone()).collect();
    for path in &paths {
        let facts = cx.facts::<AnkaiosFacts>(path);
        if !is_named.contains(path) && !facts.is_ok_and(|r| is_manifest(path, &r.facts.manifest)) {
            continue;
        }
        let is_part = covered.contains(path);
        let file = path.file_name().unwrap_or(path.as_str());
        seeds.push(ProjectSeed {
            engine: cx.engine_index(),
            root: path.clone(),
            name: None,
            // There may be as many as files, so no excess capacity.
            why: if is_part {
                [file, " as a startup manifest of its own"].concat()
            } else {
                [file, " is a manifest of Ankaios"].concat()
            },
            inferred: false,
            inputs: vec![path.clone()],
            excluded: Vec::new(),
            is_part,
        });
    }
    seeds.extend(of_command_line(cx, &together));
    seeds.sort_by(|a, b| (&a.root, &a.name).cmp(&(&b.root, &b.name)));
    seeds
}

/// A single manifest does not say that several are passed to one `ank apply`.
pub(crate) fn declare(project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
    if project.seed.name.is_some() || only_starts_up(project.seed) {
        return None;
    }
    let path = project.seed.root.strip_prefix(dir).ok()?;
    Some(Declaration::Perhaps {
        when: "Each manifest is a startup manifest of its own. Those that one `ank apply` is given are declared so",
        lines: "[[ankaios.apply]]\nname = \"NAME\"\nfiles = [{}]\n".to_owned(),
        item: Some(path.as_str().replace('\\', "/")),
    })
}

/// One apply of all manifests that were named together.
fn of_command_line(cx: &Cx<'_>, named: &[Utf8PathBuf]) -> Option<ProjectSeed> {
    let mut root = named.first()?.parent()?.to_owned();
    while !named.iter().all(|path| path.starts_with(&root)) {
        root = root.parent()?.to_owned();
    }
    let relative = |p: &Utf8PathBuf| {
        p.strip_prefix(&root)
            .map_or_else(|_| p.clone(), Utf8Path::to_path_buf)
    };
    Some(ProjectSeed {
        engine: cx.engine_index(),
        inputs: named.iter().map(relative).collect(),
        root,
        name: None,
        why: "what is named on the command line".to_owned(),
        inferred: false,
        excluded: Vec::new(),
        is_part: false,
    })
}
