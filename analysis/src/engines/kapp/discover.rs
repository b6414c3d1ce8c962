//! Which files are kapp's, and which of them one app is made of.
//!
//! Nothing in a manifest says which app it belongs to. An app is declared in the configuration, or by the files
//! of a command line; else it is inferred: the nearest directory upwards that holds a Config, else the top
//! directory of manifests with annotations of kapp's.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;

use super::facts::KappFacts;
use super::resolve::load;
use crate::diagnostic::FileId;
use crate::engines::{Cx, Offer, ProjectSeed, Recognition};
use crate::files::clean;

/// What every file of kapp's holds somewhere.
const MARK: &[u8] = b"kapp.k14s.io";

pub(crate) fn recognise(path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
    let named = path
        .extension()
        .is_some_and(|e| matches!(e, "yaml" | "yml" | "json"));
    if !named && offer != Offer::Explicit {
        return Recognition::No;
    }
    match bytes {
        None => Recognition::NeedsBytes,
        Some(bytes) if memmem::find(bytes, MARK).is_some() => Recognition::Yes,
        Some(_) => Recognition::No,
    }
}

/// Whether a file is the rendered text of an app, which is no source of its own.
fn is_rendered(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|n| n.starts_with("rendered:"))
}

struct Declared {
    seed: ProjectSeed,
    /// What it is read from, absolute.
    covers: Vec<Utf8PathBuf>,
}

fn declared(cx: &Cx<'_>) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    for config in cx.configs.all() {
        for app in &config.kapp.app {
            let root = if config.dir.as_str().is_empty() {
                Utf8PathBuf::from("/")
            } else {
                config.dir.clone()
            };
            let inputs: Vec<Utf8PathBuf> = app.files.iter().map(Utf8PathBuf::from).collect();
            let file = config.file.as_deref().and_then(Utf8Path::file_name);
            let seed = ProjectSeed {
                engine: cx.engine_index(),
                root,
                name: Some(app.name.clone()),
                why: format!(
                    "declared as app `{}` in {}",
                    app.name,
                    file.unwrap_or("the configuration")
                ),
                inferred: false,
                inputs,
            };
            if found.iter().any(|d| d.seed == seed) {
                continue;
            }
            let covers = seed
                .inputs
                .iter()
                .map(|given| load::absolute(&seed, given))
                .collect();
            found.push(Declared { seed, covers });
        }
    }
    found
}

pub(crate) fn projects(cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
    let declared = declared(cx);
    let covered = |path: &Utf8Path| {
        is_rendered(path)
            || declared
                .iter()
                .any(|d| d.covers.iter().any(|c| path.starts_with(c)))
    };
    let mut seeds: Vec<ProjectSeed> = declared.iter().map(|d| d.seed.clone()).collect();
    let named: Vec<Utf8PathBuf> = explicit
        .iter()
        .map(|f| cx.path(*f).to_path_buf())
        .filter(|p| !covered(p))
        .collect();
    if let Some(seed) = of_command_line(cx, &named) {
        seeds.push(seed);
    }
    let found: Vec<Utf8PathBuf> = candidates
        .iter()
        .map(|f| cx.path(*f).to_path_buf())
        .filter(|p| !covered(p) && !named.contains(p))
        .collect();
    cx.prefetch(&found);
    let mut config_dirs: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
    let mut annotated: Vec<Utf8PathBuf> = Vec::new();
    for path in &found {
        let Ok((_, facts)) = cx.facts::<KappFacts>(path) else {
            continue;
        };
        let Some(dir) = path.parent() else { continue };
        if facts.has_config() {
            let name = path.file_name().unwrap_or("").to_owned();
            config_dirs.entry(dir.to_owned()).or_insert(name);
        } else if facts.has_annotations() {
            annotated.push(dir.to_owned());
        }
    }
    let inferred = |root: &Utf8Path, why: String| ProjectSeed {
        engine: cx.engine_index(),
        root: root.to_owned(),
        name: None,
        why,
        inferred: true,
        inputs: vec![clean(root.as_str())],
    };
    for (dir, file) in &config_dirs {
        let why = format!("the nearest directory that holds a Config of kapp ({file})");
        seeds.push(inferred(dir, why));
    }
    annotated.sort();
    annotated.dedup();
    let mut tops: Vec<Utf8PathBuf> = Vec::new();
    for dir in annotated {
        let claimed = dir.ancestors().any(|d| config_dirs.contains_key(d));
        // Sorted: a directory comes before those below it.
        if !claimed && !tops.iter().any(|top| dir.starts_with(top)) {
            tops.push(dir);
        }
    }
    for dir in tops {
        let why = "the top directory of manifests with annotations of kapp's".to_owned();
        seeds.push(inferred(&dir, why));
    }
    seeds.sort_by(|a, b| (&a.root, &a.name).cmp(&(&b.root, &b.name)));
    seeds
}

/// One app of all files that were named together.
fn of_command_line(cx: &Cx<'_>, named: &[Utf8PathBuf]) -> Option<ProjectSeed> {
    let first = named.first()?.parent()?.to_owned();
    let root = named.iter().fold(first, |root, path| {
        let mut root = root;
        while !path.starts_with(&root) {
            match root.parent() {
                Some(parent) => root = parent.to_owned(),
                None => break,
            }
        }
        root
    });
    let inputs = named
        .iter()
        .map(|p| {
            p.strip_prefix(&root)
                .map_or_else(|_| p.clone(), Utf8Path::to_path_buf)
        })
        .collect();
    Some(ProjectSeed {
        engine: cx.engine_index(),
        root,
        name: None,
        why: "the files named on the command line".to_owned(),
        inferred: false,
        inputs,
    })
}
