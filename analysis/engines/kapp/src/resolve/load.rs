//! Which files kapp reads, in which order, and the first thing it would refuse in them.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::Failure;
use crate::facts::{Fatal, KappFacts, Resource, Unrendered};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Member, ProjectSeed};
use applyorder_core::files::{FileKind, ReadError, clean, join_clean};
use applyorder_core::rules;

/// A file that kapp reads.
pub(crate) struct Input {
    pub(crate) file: FileId,
    pub(crate) facts: Arc<KappFacts>,
    /// As kapp's messages name it: `file 'a.yaml'`.
    pub(crate) origin: String,
}

/// A resource: input, piece, number in the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) input: u32,
    pub(crate) piece: u32,
    pub(crate) resource: u32,
}

/// Everything that was read.
#[derive(Default)]
pub(crate) struct Loaded {
    pub(crate) inputs: Vec<Input>,
    /// The resources in kapp's order, Configs included.
    pub(crate) items: Vec<Item>,
    /// Those of them that rules have to look at.
    pub(crate) notable: Vec<Item>,
    pub(crate) members: Vec<Member>,
    /// The first error of kapp's stage `load`.
    pub(crate) failure: Option<Failure>,
    /// Files that could not be read: the file, as it is given, and why.
    pub(crate) unreadable: Vec<(FileId, String, ReadError)>,
    /// Files that are sources of resources.
    pub(crate) unrendered: Vec<(FileId, Unrendered)>,
    /// What is read from elsewhere: URLs, and a standard input that nobody gave.
    pub(crate) elsewhere: Vec<Elsewhere>,
    /// Files of a directory whose extension kapp does not accept.
    pub(crate) skipped: Vec<FileId>,
    /// Whether something is missing that kapp would read: a broken document, an unrendered source.
    pub(crate) incomplete: bool,
}

/// Something that kapp reads and that is not here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Elsewhere {
    /// It is downloaded from here.
    Url(String),
    /// Its standard input.
    Stdin,
}

impl std::fmt::Display for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url(url) => write!(f, "`{url}` is not downloaded: what it brings is unknown"),
            Self::Stdin => f.write_str("what kapp reads from its standard input is unknown here"),
        }
    }
}

fn is_url(given: &Utf8Path) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| given.as_str().starts_with(scheme))
}

impl Loaded {
    pub(crate) fn input(&self, item: Item) -> Option<&Input> {
        self.inputs.get(item.input as usize)
    }

    pub(crate) fn resource(&self, item: Item) -> Option<&Resource> {
        self.input(item)?
            .facts
            .pieces
            .get(item.piece as usize)?
            .piece
            .resources
            .get(item.resource as usize)
    }

    /// A place of a resource in the table of its file.
    pub(crate) fn place(&self, item: Item, local: u32) -> Option<(FileId, u32)> {
        let input = self.input(item)?;
        Some((input.file, input.facts.place(item.piece as usize, local)))
    }
}

/// A path as it is given to kapp, made absolute.
pub(crate) fn absolute(root: &Utf8Path, given: &Utf8Path) -> Utf8PathBuf {
    if given.is_absolute() {
        clean(given.as_str())
    } else {
        clean(root.join(given).as_str())
    }
}

/// The extensions of files that kapp reads in a directory.
const EXTENSIONS: [&str; 3] = ["json", "yaml", "yml"];

/// Whether kapp reads a file that it finds in a directory.
pub(crate) fn is_read(path: &Utf8Path) -> bool {
    extension(path).is_some_and(|e| EXTENSIONS.contains(&e))
}

/// What stands behind the last dot of a name, which to Go may be its first character.
fn extension(path: &Utf8Path) -> Option<&str> {
    Some(path.file_name()?.rsplit_once('.')?.1)
}

/// The deepest directory that is looked into.
const MAX_DEPTH: usize = 200;

/// Whether a file of a directory looks like YAML to people and not to kapp.
fn looks_like_yaml(path: &Utf8Path) -> bool {
    extension(path).is_some_and(|e| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(e)))
}

/// The files of a directory that kapp reads, relative to it, in its order; and those it passes over.
fn walk(
    cx: &Cx<'_>,
    dir: &Utf8Path,
    inferred: bool,
    excluded: &[Utf8PathBuf],
) -> (Vec<Utf8PathBuf>, Vec<Utf8PathBuf>) {
    let mut read = Vec::new();
    let mut skipped = Vec::new();
    let mut stack = vec![(Utf8PathBuf::new(), 0)];
    while let Some((relative, depth)) = stack.pop() {
        let Ok(entries) = cx.list(&join_clean(dir, relative.as_str())) else {
            continue;
        };
        for entry in entries.iter().filter(|e| !is_rendered(Utf8Path::new(&e.name))) {
            let path = relative.join(&entry.name);
            if !excluded.is_empty() && excluded.binary_search(&dir.join(&path)).is_ok() {
                continue;
            }
            match entry.kind {
                // kapp looks there too; where it is not said that it is given all of this, nobody meant it.
                FileKind::Directory if inferred && entry.name == ".git" => {}
                FileKind::Directory if depth < MAX_DEPTH => stack.push((path, depth + 1)),
                FileKind::Directory => {}
                _ if is_read(&path) => read.push(path),
                _ if looks_like_yaml(&path) => skipped.push(path),
                _ => {}
            }
        }
    }
    read.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    skipped.sort();
    (read, skipped)
}

/// Where the rendered text of an app is found: beside its configuration.
pub(crate) fn rendered_path(root: &Utf8Path, app: &str) -> Utf8PathBuf {
    root.join(format!("rendered:{}", app.replace('/', "_")))
}

/// Whether a path is that of the rendered text of an app, which is no source of its own.
pub(crate) fn is_rendered(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|n| n.starts_with("rendered:"))
}

/// Whether kapp is given a text on its standard input.
fn is_stdin(given: &Utf8Path) -> bool {
    matches!(given.file_name(), Some("-" | "<stdin>")) || is_rendered(given)
}

/// How a set of files is to be read.
pub(crate) struct Reading<'a> {
    /// The files and directories, as they are given.
    pub(crate) given: &'a [Utf8PathBuf],
    /// Whether the set was only inferred: then what is no manifest is passed over.
    pub(crate) inferred: bool,
    /// Why the files belong.
    pub(crate) why: &'a str,
    /// What of it is not to be read, absolute, in byte order.
    pub(crate) excluded: &'a [Utf8PathBuf],
}

pub(crate) fn load(cx: &Cx<'_>, seed: &ProjectSeed, reading: &Reading<'_>) -> Loaded {
    let mut loaded = Loaded::default();
    let mut paths: Vec<(Utf8PathBuf, String)> = Vec::new();
    if reading.given.is_empty() {
        loaded.fail(Failure::new(
            "load",
            &rules::missing_file::RULE,
            "Expected at least one --file (-f) specified with a file or directory path",
        ));
    }
    for given in reading.given {
        if is_url(given) {
            loaded.incomplete = true;
            loaded.elsewhere.push(Elsewhere::Url(given.to_string()));
            continue;
        }
        let path = absolute(&seed.root, given);
        match cx.kind(&path, true) {
            Some(FileKind::Directory) => {
                let (read, skipped) = walk(cx, &path, reading.inferred, reading.excluded);
                for relative in read {
                    let origin = format!("file '{relative}'");
                    paths.push((path.join(relative), origin));
                }
                loaded
                    .skipped
                    .extend(skipped.iter().map(|relative| cx.file(&path.join(relative))));
            }
            Some(_) => paths.push((path, origin(given))),
            None if given.as_str() == "-" && cx.facts::<KappFacts>(&path).is_err() => {
                loaded.incomplete = true;
                loaded.elsewhere.push(Elsewhere::Stdin);
            }
            None if is_stdin(given) => paths.push((path, origin(given))),
            None => {
                loaded.fail(Failure::new(
                    "load",
                    &rules::missing_file::RULE,
                    format!("stat {given}: no such file or directory"),
                ));
                loaded.incomplete = true;
                loaded
                    .unreadable
                    .push((cx.file(&path), given.to_string(), ReadError::NotFound));
            }
        }
    }
    let files: Vec<Utf8PathBuf> = paths.iter().map(|(path, _)| path.clone()).collect();
    cx.prefetch(&files);
    for (path, origin) in paths {
        loaded.read(cx, &path, origin, reading);
    }
    loaded
}

/// A single file as kapp's messages name it.
fn origin(given: &Utf8Path) -> String {
    if is_stdin(given) {
        "stdin".to_owned()
    } else {
        format!("file '{given}'")
    }
}

impl Loaded {
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }

    fn read(&mut self, cx: &Cx<'_>, path: &Utf8Path, origin: String, reading: &Reading<'_>) {
        let (file, facts) = match cx.facts::<KappFacts>(path).map(|r| (r.file, r.facts)) {
            Ok(found) => found,
            Err(error) => {
                self.fail(Failure::new(
                    "load",
                    &rules::unreadable_file::RULE,
                    format!("open {path}: {error}"),
                ));
                self.incomplete = true;
                self.unreadable.push((cx.file(path), path.to_string(), error));
                return;
            }
        };
        if reading.inferred && !has_objects(&facts) {
            return;
        }
        self.members.push(Member {
            file,
            why: reading.why.to_owned(),
            via: None,
        });
        let skip = match facts.unrendered {
            Some(Unrendered::Kustomization) => reading.inferred,
            Some(_) => true,
            None => false,
        };
        if let Some(kind) = facts.unrendered.filter(|_| skip) {
            self.incomplete = true;
            self.unrendered.push((file, kind));
        }
        if let Some(bad) = facts.bad_separators.first() {
            self.incomplete = true;
            self.fail(Failure::new(
                "load",
                &rules::syntax_error::RULE,
                format!("invalid Yaml document separator: {}", bad.value),
            ));
        }
        let input = u32::try_from(self.inputs.len()).unwrap_or(u32::MAX);
        self.items.reserve(facts.pieces.len());
        for (piece, placed) in (0u32..).zip(&facts.pieces) {
            if let Some(fatal) = &placed.piece.fatal {
                self.incomplete = true;
                self.fail(fatal_failure(fatal));
            }
            if skip {
                continue;
            }
            for (resource, r) in (0u32..).zip(&placed.piece.resources) {
                let item = Item {
                    input,
                    piece,
                    resource,
                };
                self.items.push(item);
                if r.notable {
                    self.notable.push(item);
                }
            }
        }
        self.inputs.push(Input { file, facts, origin });
    }
}

/// Whether a file holds objects of Kubernetes, or might. Others have a kind and a version too (a `tazuna.yaml`,
/// say), but no `metadata`.
fn has_objects(facts: &KappFacts) -> bool {
    facts.resources().any(|(_, _, r)| {
        let described = r.metadata.is_some() || r.config.is_some();
        described && !r.kind.value.is_empty() && !r.api_version.value.is_empty()
    })
}

fn fatal_failure(fatal: &Fatal) -> Failure {
    match fatal {
        Fatal::Known(text) => Failure::new("load", &rules::syntax_error::RULE, text.to_string()),
        Fatal::Yaml => Failure::new(
            "load",
            &rules::syntax_error::RULE,
            "error converting YAML to JSON: yaml",
        )
        .unforeseen(),
        Fatal::Limit => Failure::new("load", &rules::limit_reached::RULE, "").of_ours(),
    }
}
