//! Which files kapp reads, in which order: those of the app, the sources that it is rendered from, the snapshot
//! of what is applied.

mod settings;

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use crate::config::KappConfig;
use crate::read::{KappFacts, Noticed};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Cx;
use applyorder_core::files::{FileKind, ReadError, clean, join_clean};
use applyorder_core::layer::Pass;
use applyorder_syntax::yaml::dialect::goyaml::octets;

pub(crate) use settings::Settings;

/// A file that kapp reads.
pub(crate) struct Entry {
    pub(crate) file: FileId,
    /// As kapp names it: as it is given, or relative to the given directory.
    pub(crate) named: Utf8PathBuf,
    /// As its messages about the contents name it.
    pub(crate) origin: Arc<str>,
    /// Why kapp does not find it, if it is given.
    pub(crate) missing: Option<ReadError>,
    /// What kapp says about its text, if it is not UTF-8.
    pub(crate) garbled: Option<Garbled>,
    /// Where the configuration names it, if kapp does not find it.
    pub(crate) named_at: Option<Place>,
}

/// What kapp says about a text that is not UTF-8.
pub(crate) struct Garbled {
    pub(crate) text: String,
    /// Whether only the beginning of it is known.
    pub(crate) is_partial: bool,
}

impl Garbled {
    const fn whole(text: String) -> Self {
        Self {
            text,
            is_partial: false,
        }
    }
}

/// A set of files.
#[derive(Default)]
pub(crate) struct Listing {
    /// In the order in which kapp reads them.
    pub(crate) files: Vec<Entry>,
    /// Whether nothing was given.
    pub(crate) is_empty: bool,
    /// What is read from elsewhere: URLs, and standard input that was not provided.
    pub(crate) elsewhere: Vec<UnreadInput>,
    /// Files of a directory whose extension kapp does not accept.
    pub(crate) skipped: Vec<FileId>,
    /// Whether the set was only inferred: then files that are not manifests are ignored.
    pub(crate) inferred: bool,
    /// Why the files belong to it.
    pub(crate) why: String,
}

/// What an app is read from, and how.
pub struct Loaded {
    pub(crate) settings: Settings,
    pub(crate) app: Listing,
    /// What the app is rendered from, if it is rendered.
    pub(crate) sources: Option<Listing>,
    /// The snapshot of what is already applied.
    pub(crate) state: Option<Listing>,
}

/// The files of an app.
pub(crate) fn load(pass: &Pass<'_>) -> Loaded {
    let (cx, seed, options) = (pass.cx, pass.seed, pass.options);
    let config = cx.config(&seed.root).section::<KappConfig>();
    let app = seed
        .name
        .as_ref()
        .and_then(|name| config.app.iter().find(|a| a.name == *name));
    let inputs = settings::inputs(cx, seed, app);
    // A snapshot of what is applied may be next to the manifests; it was not named as one of them.
    let snapshot = options.state.iter().filter(|_| seed.inferred);
    let mut excluded: Vec<_> = seed.excluded.iter().chain(snapshot).cloned().collect();
    excluded.sort();
    let list = |given: &[Utf8PathBuf], inferred: bool, why: String, excluded: &[Utf8PathBuf]| {
        list(cx, &seed.root, given, inferred, why, excluded)
    };
    let mut listing = list(&inputs.given, seed.inferred, inputs.why, &excluded);
    listing
        .elsewhere
        .extend(inputs.not_rendered.map(UnreadInput::Rendered));
    for entry in &mut listing.files {
        if let (Some(_), Some(app)) = (&entry.missing, app) {
            let given = entry.named.as_str();
            entry.named_at =
                cx.place_in_config(&cx.config(&seed.root), ["kapp", "app"], Some(&app.name), given);
        }
    }
    Loaded {
        settings: settings::of(pass, &config, app),
        app: listing,
        // A file that is not a manifest does not belong to kapp: the renderer reads it.
        sources: inputs
            .rendered
            .map(|why| list(&seed.inputs, true, why, &excluded)),
        state: options.state.as_ref().map(|path| {
            let why = "the snapshot of what is applied".to_owned();
            list(std::slice::from_ref(path), false, why, &[])
        }),
    }
}

fn list(
    cx: &Cx<'_>,
    root: &Utf8Path,
    given: &[Utf8PathBuf],
    inferred: bool,
    why: String,
    excluded: &[Utf8PathBuf],
) -> Listing {
    let mut out = Listing {
        is_empty: given.is_empty(),
        inferred,
        why,
        ..Listing::default()
    };
    // Each path with its name, and why kapp does not find it.
    let mut paths: Vec<(Utf8PathBuf, Utf8PathBuf, Option<ReadError>)> = Vec::new();
    for given in given {
        if is_url(given) {
            out.elsewhere.push(UnreadInput::Url(given.to_string()));
            continue;
        }
        let path = absolute(root, given);
        match stat(cx, root, given) {
            Ok(FileKind::Directory) => {
                let (read, skipped) = walk(cx, &path, inferred, excluded);
                paths.extend(read.into_iter().map(|named| (path.join(&named), named, None)));
                let skipped = skipped.iter().map(|relative| cx.file(&path.join(relative)));
                out.skipped.extend(skipped);
            }
            Ok(_) => paths.push((path, given.clone(), None)),
            Err(_) if given.as_str() == "-" && cx.facts::<KappFacts>(&path).is_err() => {
                out.elsewhere.push(UnreadInput::Stdin);
            }
            Err(_) if is_stdin(given) => paths.push((path, given.clone(), None)),
            Err(error) => paths.push((path, given.clone(), Some(error))),
        }
    }
    let there = paths.iter().filter(|(_, _, missing)| missing.is_none());
    let files: Vec<Utf8PathBuf> = there.map(|(path, ..)| path.clone()).collect();
    cx.prefetch(&files);
    for (path, named, missing) in paths {
        let mut garbled = None;
        // Queried by path, so that the file is watched; the next stage uses the facts.
        if missing.is_none()
            && let Err(ReadError::NotUtf8(at)) = cx.facts::<KappFacts>(&path)
            && let Ok(bytes) = cx.bytes(&path)
        {
            garbled = garbled_text(cx, &path, &bytes, at);
            if garbled.is_none() {
                out.elsewhere.push(UnreadInput::Garbled(named.to_string()));
                continue;
            }
        }
        out.files.push(Entry {
            file: cx.file(&path),
            origin: origin(&named),
            named,
            missing,
            garbled,
            named_at: None,
        });
    }
    out
}

/// Something that kapp reads and that is not available.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UnreadInput {
    /// It is downloaded from here.
    Url(String),
    /// Its standard input.
    Stdin,
    /// A file that kapp reads although it is not UTF-8.
    Garbled(String),
    /// The output of this command, which was not run, or failed.
    Rendered(String),
}

impl std::fmt::Display for UnreadInput {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url(url) => write!(f, "`{url}` is not downloaded: its resources are unknown"),
            Self::Stdin => f.write_str("resources from standard input are unknown"),
            Self::Garbled(file) => write!(f, "`{file}` is not UTF-8: its resources are unknown"),
            Self::Rendered(command) => write!(f, "the resources that `{command}` renders are unknown"),
        }
    }
}

fn is_url(given: &Utf8Path) -> bool {
    ["http://", "https://"]
        .iter()
        .any(|scheme| given.as_str().starts_with(scheme))
}

/// What kapp says about a text with a bad byte: the separators of documents come first, and what it notices before it
/// decodes that byte. `None` if it accepts the text.
fn garbled_text(cx: &Cx<'_>, path: &Utf8Path, bytes: &[u8], at: usize) -> Option<Garbled> {
    let facts_of = |text: String| {
        let facts = cx.facts_of_text(cx.file(path), path, &text.into()).into_any();
        facts.downcast::<KappFacts>().ok()
    };
    let failed = |words: &str| format!("error converting YAML to JSON: yaml: {words}");
    if let Some(text) = wide_text(bytes) {
        // go-yaml decodes it; the separators that kapp looks for are not in it, so that only the first document counts.
        if text
            .lines()
            .skip(1)
            .any(|line| line.starts_with("---") || line.starts_with("..."))
        {
            return None;
        }
        // kapp ends the last line with a line break of one byte.
        let is_whole = (bytes.len() + usize::from(!bytes.ends_with(b"\n"))).is_multiple_of(2);
        return match facts_of(text).and_then(|facts| facts.first_error()) {
            Some(error) if is_whole => Some(Garbled::whole(error)),
            None if is_whole => None,
            None => Some(Garbled::whole(failed("incomplete UTF-16 character"))),
            // Either comes first.
            Some(_) => Some(Garbled {
                text: failed(""),
                is_partial: true,
            }),
        };
    }
    let (valid, rest) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
    // A character that is allowed nowhere is noticed exactly when the byte in its place would be.
    let text = [
        &String::from_utf8_lossy(valid),
        "\u{1}",
        &String::from_utf8_lossy(rest.get(1..).unwrap_or_default()),
    ];
    match facts_of(text.concat()).map(|facts| facts.noticed(at)) {
        Some(Noticed::Nothing) => None,
        Some(Noticed::Other(error)) => Some(Garbled::whole(error)),
        Some(Noticed::Character) | None => {
            let words = bad_sequence(bytes.get(at..).unwrap_or_default());
            Some(Garbled::whole(failed(words)))
        }
    }
}

/// A text in UTF-16 that says so in its first two bytes.
fn wide_text(bytes: &[u8]) -> Option<String> {
    let unit: fn([u8; 2]) -> u16 = match bytes {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return None,
    };
    let (pairs, _) = bytes.get(2..)?.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    Some(String::from_utf16_lossy(&units))
}

/// What go-yaml says about the first bytes of a text that are not UTF-8. kapp reads one document, and ends it with a
/// line break.
fn bad_sequence(bytes: &[u8]) -> &'static str {
    let end = memchr::memmem::find(bytes, b"\n---").map_or(bytes.len(), |end| end + 1);
    let document = bytes.get(..end).unwrap_or(bytes);
    if document.ends_with(b"\n") {
        return octets(document).0;
    }
    let longest = document.iter().take(4).copied();
    octets(&longest.chain([b'\n']).collect::<Vec<u8>>()).0
}

/// What is at a path as it is given to kapp. Whatever a part of it is looked up in has to be a directory, also if `..`
/// leaves it again or nothing follows the last slash.
fn stat(cx: &Cx<'_>, root: &Utf8Path, given: &Utf8Path) -> Result<FileKind, ReadError> {
    let found = cx.kind(&absolute(root, given), true);
    let is_odd = |part| matches!(part, "" | "." | "..");
    match found {
        Some(kind) if !given.as_str().trim_start_matches('/').split('/').any(is_odd) => return Ok(kind),
        Some(FileKind::Directory) if !given.as_str().contains("..") => return Ok(FileKind::Directory),
        _ => {}
    }
    let base = if given.is_absolute() { "/".into() } else { root };
    let mut at = base.to_owned();
    for part in given.as_str().split('/') {
        match cx.kind(&at, true) {
            Some(FileKind::Directory) => {}
            Some(_) => return Err(ReadError::NotDirectory),
            // Directories far above may be hidden from us.
            None if found.is_some() && given.is_absolute() => {}
            None => return Err(ReadError::NotFound),
        }
        at = join_clean(&at, part);
    }
    found.ok_or(ReadError::NotFound)
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

/// What follows the last dot of a name, which in Go may be its first character.
fn extension(path: &Utf8Path) -> Option<&str> {
    Some(path.file_name()?.rsplit_once('.')?.1)
}

/// The maximum depth of directories that are searched.
const MAX_DEPTH: usize = 200;

/// Whether a file of a directory looks like YAML to users and not to kapp.
fn looks_like_yaml(path: &Utf8Path) -> bool {
    extension(path).is_some_and(|e| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(e)))
}

/// The files of a directory that kapp reads, relative to it, in its order; and those it skips.
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
                // kapp reads it too; if the directory was not declared as input, it was not intended.
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

/// The path of the rendered text of an app: next to its configuration.
pub(crate) fn rendered_path(root: &Utf8Path, app: &str) -> Utf8PathBuf {
    root.join(format!("rendered:{}", app.replace('/', "_")))
}

/// Whether a path is that of the rendered text of an app, which is not a source itself.
pub(crate) fn is_rendered(path: &Utf8Path) -> bool {
    path.file_name().is_some_and(|n| n.starts_with("rendered:"))
}

/// Whether kapp reads a text from its standard input.
fn is_stdin(given: &Utf8Path) -> bool {
    matches!(given.file_name(), Some("-" | "<stdin>")) || is_rendered(given)
}

/// A file as kapp's messages about its contents name it.
fn origin(named: &Utf8Path) -> Arc<str> {
    if is_stdin(named) {
        "stdin".into()
    } else {
        format!("file '{named}'").into()
    }
}
