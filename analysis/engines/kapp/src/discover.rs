//! Which files belong to kapp, and which of them form one app.
//!
//! A manifest does not say which app it belongs to. An app is declared in the configuration, or by the files
//! and directories of a command line that names kapp, in the order in which they are named; otherwise it is
//! inferred: the nearest directory upwards that contains a Config, else the top directory of manifests with
//! kapp annotations.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use memchr::memmem;
use rustc_hash::FxHashSet;

use super::config::KappConfig;
use super::load;
use super::read::{KappFacts, is_marked};
use applyorder_core::config::{Config, Configs};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Declaration, Offer, ProjectSeed, ProjectView, Recognition, Render, View};
use applyorder_core::files::{FileKind, clean};

pub(crate) fn recognise(path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
    let named = path
        .extension()
        .is_some_and(|e| matches!(e, "yaml" | "yml" | "json"));
    if !named && offer != Offer::Explicit {
        return Recognition::No;
    }
    match bytes {
        None => Recognition::NeedsBytes,
        Some(bytes) if is_marked(bytes) => Recognition::Yes,
        // Named together with kapp files it may be a part of their app.
        Some(bytes) if offer == Offer::Explicit && memmem::find(bytes, b"apiVersion").is_some() => {
            Recognition::Yes
        }
        Some(_) => Recognition::No,
    }
}

/// The commands that render apps.
pub(crate) fn renders(configs: &Configs) -> Vec<Render> {
    let mut found: Vec<Render> = Vec::new();
    for config in configs.all() {
        for app in config
            .section::<KappConfig>()
            .app
            .iter()
            .filter(|app| !app.render.is_empty())
        {
            let root = root_of(config);
            let render = Render {
                name: app.name.clone(),
                argv: app.render.clone(),
                sources: app
                    .files
                    .iter()
                    .map(|given| load::absolute(&root, Utf8Path::new(given)))
                    .collect(),
                into: load::rendered_path(&root, &app.name),
                cwd: root,
            };
            if !found.contains(&render) {
                found.push(render);
            }
        }
    }
    found
}

fn root_of(config: &Config) -> Utf8PathBuf {
    if config.dir.as_str().is_empty() {
        Utf8PathBuf::from("/")
    } else {
        config.dir.clone()
    }
}

struct Declared {
    seed: ProjectSeed,
    /// The files that it is read from, absolute.
    covers: Vec<Utf8PathBuf>,
}

fn declared(cx: &Cx<'_>) -> Vec<Declared> {
    let mut found: Vec<Declared> = Vec::new();
    let mut known: FxHashSet<ProjectSeed> = FxHashSet::default();
    for config in cx.configs() {
        for app in &config.section::<KappConfig>().app {
            let root = root_of(config);
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
                excluded: Vec::new(),
                is_part: false,
            };
            if !known.insert(seed.clone()) {
                continue;
            }
            let covers = seed
                .inputs
                .iter()
                .map(|given| load::absolute(&seed.root, given))
                .collect();
            found.push(Declared { seed, covers });
        }
    }
    found
}

pub(crate) fn projects(cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
    let declared = declared(cx);
    let covers: FxHashSet<&str> = declared
        .iter()
        .flat_map(|d| &d.covers)
        .map(|c| c.as_str())
        .collect();
    // Clean paths: the parents of one are its prefixes before a slash.
    let is_below = |path: &Utf8Path| {
        let slashes = memchr::memchr_iter(b'/', path.as_str().as_bytes());
        let mut above = slashes.filter_map(|at| path.as_str().get(..at.max(1)));
        above.any(|above| covers.contains(above))
    };
    let covered = |path: &Utf8Path| {
        load::is_rendered(path) || covers.contains(path.as_str()) || load::is_read(path) && is_below(path)
    };
    let mut named: Vec<(Utf8PathBuf, bool)> = explicit
        .iter()
        .map(|f| cx.path(*f).to_path_buf())
        .map(|p| {
            let directory = cx.kind(&p, true) == Some(FileKind::Directory);
            (p, directory)
        })
        .filter(|(p, directory)| {
            let holds = |d: &Declared| d.covers.iter().any(|c| c.starts_with(p));
            !(covered(p) || *directory && declared.iter().any(holds))
        })
        .collect();
    // Without the engine's name, named paths select projects and create none.
    if !cx.is_chosen() {
        named.clear();
    }
    // A single directory says where to search, and not what is one app.
    if let [(_, true)] = named.as_slice() {
        named.clear();
    }
    let alone = named.len() == 1;
    let (dirs, files): (Vec<_>, Vec<_>) = named.iter().partition(|(_, directory)| *directory);
    let texts = |named: Vec<&'_ (Utf8PathBuf, bool)>| -> FxHashSet<String> {
        named.iter().map(|(path, _)| path.to_string()).collect()
    };
    let (dirs, files) = (texts(dirs), texts(files));
    let is_named = |path: &Utf8Path| {
        let in_dir = || path.ancestors().any(|above| dirs.contains(above.as_str()));
        files.contains(path.as_str()) || !dirs.is_empty() && in_dir()
    };
    let found: Vec<Utf8PathBuf> = candidates
        .iter()
        .map(|f| cx.path(*f).to_path_buf())
        .filter(|p| !covered(p) && load::is_read(p) && (alone || !is_named(p)))
        .collect();
    cx.prefetch(&found);
    let mut config_dirs: BTreeMap<Utf8PathBuf, String> = BTreeMap::new();
    let mut annotated: Vec<Utf8PathBuf> = Vec::new();
    for path in &found {
        let Ok((_, facts)) = cx.facts::<KappFacts>(path).map(|r| (r.file, r.facts)) else {
            continue;
        };
        let Some(dir) = path.parent() else { continue };
        // The output of a template is unknown, and need not belong to kapp.
        if facts.unrendered.is_some() || facts.is_foreign {
            continue;
        }
        if facts.has_config() {
            let name = path.file_name().unwrap_or("").to_owned();
            config_dirs.entry(dir.to_owned()).or_insert(name);
        } else if facts.has_annotations() && annotated.last().is_none_or(|last| last != dir) {
            annotated.push(dir.to_owned());
        }
    }
    let mut inferred: Vec<(Utf8PathBuf, String)> = Vec::new();
    for (dir, file) in &config_dirs {
        let why = format!("the nearest directory with a kapp Config ({file})");
        inferred.push((dir.clone(), why));
    }
    annotated.sort();
    annotated.dedup();
    let mut tops: Vec<Utf8PathBuf> = Vec::new();
    for dir in annotated {
        let claimed = dir.ancestors().any(|d| config_dirs.contains_key(d));
        // Sorted: a directory comes directly before everything below it.
        if !claimed && !tops.last().is_some_and(|top| dir.starts_with(top)) {
            tops.push(dir);
        }
    }
    for dir in tops {
        let why = "the topmost directory of manifests with kapp annotations".to_owned();
        inferred.push((dir, why));
    }
    // Several named files are one app; a single one belongs to the app that contains it.
    let holds = |root: &Utf8Path| {
        let mut files = named.iter().filter(|(_, directory)| !directory);
        files.any(|(path, _)| path.starts_with(root) && load::is_read(path))
    };
    let mut seeds: Vec<ProjectSeed> = declared.iter().map(|d| d.seed.clone()).collect();
    let lies_in_one = alone && inferred.iter().any(|(root, _)| holds(root));
    if !lies_in_one {
        seeds.extend(of_command_line(cx, &named));
    }
    let roots: Vec<Utf8PathBuf> = inferred.iter().map(|(root, _)| root.clone()).collect();
    let own_app = named.iter().filter(|_| !lies_in_one).map(|(path, _)| path);
    let covers = declared.iter().flat_map(|d| &d.covers);
    let mut taken: Vec<&Utf8PathBuf> = covers.chain(own_app).chain(&roots).collect();
    taken.sort();
    taken.dedup();
    let first = taken.first().map(|path| path.to_path_buf());
    for (root, why) in inferred {
        let behind = taken.partition_point(|path| **path <= root);
        let behind = taken.get(behind..).unwrap_or_default().iter();
        let below = behind.take_while(|path| path.starts_with(&root));
        let excluded: Vec<Utf8PathBuf> = below.map(|path| (*path).clone()).collect();
        seeds.push(ProjectSeed {
            engine: cx.engine_index(),
            inputs: vec![clean(root.as_str())],
            is_part: first.as_ref().is_some_and(|first| *first != root),
            root,
            name: None,
            why,
            inferred: true,
            excluded,
        });
    }
    seeds.sort_by(|a, b| (&a.root, &a.name).cmp(&(&b.root, &b.name)));
    seeds
}

/// An inferred app as its own files: its directory, if kapp reads the same from it, else one by one.
pub(crate) fn declare(analysis: &dyn View, project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
    let seed = project.seed;
    if !seed.inferred {
        return None;
    }
    let inside = |path: &Utf8Path| -> Option<String> {
        let path = path.strip_prefix(dir).ok()?.as_str().replace('\\', "/");
        Some(if path.is_empty() { ".".to_owned() } else { path })
    };
    let root = inside(&seed.root)?;
    let members = project.resolution.members.iter();
    let files: Vec<String> = members.filter_map(|m| inside(analysis.path(m.file))).collect();
    Some(Declaration::Entry {
        list: "app",
        name: seed.root.file_name().unwrap_or("app").to_owned(),
        key: "files",
        ways: vec![vec![root], files],
        see_to: "The files and directories of one `kapp deploy -a NAME -f ...`, in the order of its flags; \
                 also `namespace`, `into-ns`, `map-ns` and `render`, where that command has them",
    })
}

/// One app of everything that was named together.
fn of_command_line(cx: &Cx<'_>, named: &[(Utf8PathBuf, bool)]) -> Option<ProjectSeed> {
    // The directory that contains all of them: a named directory is not its own container.
    let mut parents = named.iter().filter_map(|(path, _)| path.parent());
    let first = parents.next()?.to_owned();
    let root = parents.fold(first, |root, parent| {
        let above = root.ancestors().find(|above| parent.starts_with(above));
        above.map_or(root.clone(), Utf8Path::to_path_buf)
    });
    let inputs = named
        .iter()
        .map(|(p, _)| {
            p.strip_prefix(&root)
                .map_or_else(|_| p.clone(), Utf8Path::to_path_buf)
        })
        .collect();
    Some(ProjectSeed {
        engine: cx.engine_index(),
        root,
        name: None,
        why: "files named on the command line".to_owned(),
        inferred: false,
        inputs,
        excluded: Vec::new(),
        is_part: false,
    })
}
