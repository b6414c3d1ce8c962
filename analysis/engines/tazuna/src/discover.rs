//! Which files are roots (Tazuna G5, finding the file).

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::{FxHashMap, FxHashSet};

use super::config::TazunaConfig;
use super::read::TazunaFacts;
use super::schema::{API_VERSION, KIND};
use applyorder_core::config::Config;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, Declaration, Offer, ProjectSeed, ProjectView, Recognition};
use applyorder_core::files::{join_clean, resolve};

const FILE_NAME: &str = "tazuna.yaml";

/// Whether a file can be a root: by its name, or by its header if it was opened or named by the user.
pub(super) fn recognise(path: &Utf8Path, offer: Offer, bytes: Option<&[u8]>) -> Recognition {
    if path.file_name() == Some(FILE_NAME) {
        return Recognition::Yes;
    }
    match (offer, bytes) {
        (Offer::Found, _) => Recognition::No,
        (_, None) => match path.extension() {
            Some("yaml" | "yml" | "json") => Recognition::NeedsBytes,
            _ if offer == Offer::Explicit => Recognition::NeedsBytes,
            _ => Recognition::No,
        },
        (Offer::Opened, Some(bytes)) if has_header(bytes) => Recognition::Yes,
        (Offer::Explicit, Some(bytes)) if has_header(bytes) || has_manifests(bytes) => Recognition::Yes,
        _ => Recognition::No,
    }
}

fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|b| matches!(b, b'\n' | b'\r'))
}

/// Whether a line without indentation says `kind: Tazuna` or names the API.
fn has_header(bytes: &[u8]) -> bool {
    if memchr::memmem::find(bytes, KIND.as_bytes()).is_none()
        && memchr::memmem::find(bytes, API_VERSION.as_bytes()).is_none()
    {
        return false;
    }
    lines(bytes).any(|line| {
        let Some(colon) = memchr::memchr(b':', line) else {
            return false;
        };
        let (key, value) = line.split_at_checked(colon).unwrap_or_default();
        let value = value.get(1..).unwrap_or_default().trim_ascii();
        let bare = value.trim_ascii_end();
        let word = bare
            .split(|b| matches!(b, b' ' | b'\t'))
            .next()
            .unwrap_or_default();
        let word = word
            .strip_prefix(b"\"")
            .or(word.strip_prefix(b"'"))
            .unwrap_or(word);
        let word = word
            .strip_suffix(b"\"")
            .or(word.strip_suffix(b"'"))
            .unwrap_or(word);
        (key == b"kind" && word == KIND.as_bytes())
            || (key == b"apiVersion" && word == API_VERSION.as_bytes())
    })
}

/// Whether a file without any header has `spec` with `manifests` below it.
fn has_manifests(bytes: &[u8]) -> bool {
    let starts = |line: &[u8], key: &[u8]| {
        line.strip_prefix(key)
            .is_some_and(|r| r.trim_ascii_start().starts_with(b":"))
    };
    let spec = lines(bytes).any(|l| starts(l, b"spec"));
    let foreign = lines(bytes).any(|l| starts(l, b"kind"));
    spec && !foreign && lines(bytes).any(|l| starts(l.trim_ascii_start(), b"manifests"))
}

/// Where the configuration lists a root.
pub(super) fn listed_at(cx: &Cx<'_>, root: &Utf8Path) -> Option<Place> {
    let lists = |config: &&Arc<Config>| !config.section::<TazunaConfig>().roots.is_empty();
    let mut configs = cx.configs().filter(lists);
    configs.find_map(|config| cx.place_in_config(config, ["tazuna", "roots"], None, root.as_str()))
}

/// The roots: what the configuration lists, and each candidate that no other root includes. A file that the
/// user named and that another root includes belongs to that root's project.
pub(super) fn projects(cx: &Cx<'_>, candidates: &[FileId], explicit: &[FileId]) -> Vec<ProjectSeed> {
    let mut why: FxHashMap<Utf8PathBuf, String> = FxHashMap::default();
    let named: FxHashSet<Utf8PathBuf> = explicit.iter().map(|f| cx.path(*f).to_path_buf()).collect();
    for config in cx.configs() {
        for root in &config.section::<TazunaConfig>().roots {
            why.entry(resolve(&config.dir, root))
                .or_insert_with(|| "listed under `roots` in the configuration".to_owned());
        }
    }
    let all: Vec<Utf8PathBuf> = candidates.iter().map(|f| cx.path(*f).to_path_buf()).collect();
    cx.prefetch(&all);
    // What is not a candidate is not a root, whatever includes it.
    let known = Candidates::new(&all);
    // Paths are clean, so comparing their texts is sufficient, and cheaper than comparing their components.
    let of: FxHashMap<&str, Vec<Utf8PathBuf>> = all
        .iter()
        .map(|path| (path.as_str(), included(cx, path, &known)))
        .collect();
    let mut taken: FxHashSet<String> = FxHashSet::default();
    let take = |root: &Utf8Path, taken: &mut FxHashSet<String>| {
        let includes = of.get(root.as_str()).into_iter().flatten();
        taken.extend(includes.filter(|p| **p != *root).map(Utf8PathBuf::to_string));
    };
    let given: Vec<Utf8PathBuf> = why.keys().cloned().collect();
    for root in &given {
        match of.get(root.as_str()) {
            Some(_) => take(root, &mut taken),
            None => taken.extend(
                included(cx, root, &known)
                    .into_iter()
                    .filter(|p| p != root)
                    .map(String::from),
            ),
        }
    }
    let mut by_others: FxHashSet<&str> = FxHashSet::default();
    for (path, includes) in &of {
        by_others.extend(includes.iter().map(|p| p.as_str()).filter(|p| p != path));
    }
    // First the files that no other includes; then, of those that include each other, the first by name.
    for pass in [true, false] {
        for path in &all {
            let others = pass && by_others.contains(path.as_str());
            if others || taken.contains(path.as_str()) || why.contains_key(path) {
                continue;
            }
            let reason = if named.contains(path) {
                "named by the user"
            } else {
                "no other root includes it"
            };
            why.insert(path.clone(), reason.to_owned());
            take(path, &mut taken);
        }
    }
    let mut roots: Vec<(Utf8PathBuf, String)> = why.into_iter().collect();
    roots.sort();
    roots
        .into_iter()
        .map(|(root, why)| ProjectSeed {
            engine: cx.engine_index(),
            inputs: vec![root.clone()],
            excluded: Vec::new(),
            is_part: false,
            root,
            name: None,
            why,
            inferred: false,
        })
        .collect()
}

/// The configuration can declare which files are roots.
pub(super) fn declare(project: ProjectView<'_>, dir: &Utf8Path) -> Option<Declaration> {
    let path = project.seed.root.strip_prefix(dir).ok()?;
    Some(Declaration::Item {
        list: "roots",
        value: path.as_str().replace('\\', "/"),
        see_to: "Files that Tazuna is started with. Add those with other names",
    })
}

/// The files that may be roots, by their paths.
struct Candidates<'a> {
    paths: FxHashSet<&'a str>,
    /// The last parts of the paths.
    names: FxHashSet<&'a str>,
}

impl<'a> Candidates<'a> {
    fn new(all: &'a [Utf8PathBuf]) -> Self {
        Self {
            paths: all.iter().map(|path| path.as_str()).collect(),
            names: all.iter().filter_map(|path| path.file_name()).collect(),
        }
    }

    /// The path of the candidate that an include of a file in a directory refers to. For most includes the last
    /// part of the path shows that it is not a candidate.
    fn meant(&self, dir: &Utf8Path, include: &str) -> Option<Utf8PathBuf> {
        let last = include.rsplit('/').next().unwrap_or(include);
        if !self.names.contains(last) && !matches!(last, "" | "." | "..") {
            return None;
        }
        Some(join_clean(dir, include)).filter(|path| self.paths.contains(path.as_str()))
    }
}

/// The candidates that a file includes, in any environment it declares.
fn included(cx: &Cx<'_>, path: &Utf8Path, candidates: &Candidates<'_>) -> Vec<Utf8PathBuf> {
    let Ok(facts) = cx.facts::<TazunaFacts>(path).map(|read| read.facts) else {
        return Vec::new();
    };
    let dir = path.parent().unwrap_or(Utf8Path::new("/"));
    let views = facts.declared_views();
    let mut paths: Vec<Utf8PathBuf> = views
        .iter()
        .flat_map(|v| v.items())
        .flat_map(|(_, item)| &item.manifest.includes)
        .filter(|t| !t.text.is_empty())
        .filter_map(|t| candidates.meant(dir, &t.text))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(path: &str, offer: Offer, text: &str) -> Recognition {
        recognise(Utf8Path::new(path), offer, Some(text.as_bytes()))
    }

    #[test]
    fn a_name_suffices_and_bytes_are_not_read() {
        let path = Utf8Path::new("/w/tazuna.yaml");
        assert_eq!(recognise(path, Offer::Found, None), Recognition::Yes);
        let other = Utf8Path::new("/w/deployment.yaml");
        assert_eq!(recognise(other, Offer::Found, None), Recognition::No);
    }

    #[test]
    fn an_include_means_a_candidate_however_it_is_written() {
        let all: Vec<Utf8PathBuf> = ["/w/a/tazuna.yaml", "/w/b.yaml", "/w/c"].map(Into::into).into();
        let known = Candidates::new(&all);
        let dir = Utf8Path::new("/w/a");
        for (include, meant) in [
            ("tazuna.yaml", Some("/w/a/tazuna.yaml")),
            ("./x/../tazuna.yaml", Some("/w/a/tazuna.yaml")),
            ("../b.yaml", Some("/w/b.yaml")),
            ("../c/d/..", Some("/w/c")),
            ("../c/", Some("/w/c")),
            ("../c/.", Some("/w/c")),
            ("b.yaml", None),
            ("x.yaml", None),
        ] {
            let found = known.meant(dir, include);
            assert_eq!(found.as_deref(), meant.map(Utf8Path::new), "{include}");
        }
    }

    #[test]
    fn another_name_requires_a_header_and_an_open_file() {
        let text = "# x\nkind: \"Tazuna\" # here\n";
        assert_eq!(asked("/w/a.yaml", Offer::Opened, text), Recognition::Yes);
        assert_eq!(asked("/w/a.yaml", Offer::Found, text), Recognition::No);
        assert_eq!(
            asked("/w/a.yaml", Offer::Opened, "kind: TazunaHint\n"),
            Recognition::No
        );
        let bare = "spec:\n  manifests:\n    - name: a\n";
        assert_eq!(asked("/w/a.yaml", Offer::Opened, bare), Recognition::No);
        assert_eq!(asked("/w/a.yaml", Offer::Explicit, bare), Recognition::Yes);
        let deployment = format!("kind: Deployment\n{bare}");
        assert_eq!(asked("/w/a.yaml", Offer::Explicit, &deployment), Recognition::No);
    }
}
