//! Which files the client is to watch: what the projects asked about, and where new projects may appear.

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::convert;

/// In the workspace's folders, files with these endings are watched wherever they are.
pub(crate) const ENDINGS: [&str; 8] = ["yaml", "yml", "json", "tm", "hcl", "tf", "tofu", "toml"];

/// More places than this are watched by their directories' nearest common ones.
const MAX_PLACES: usize = 256;

/// What the client is to watch.
pub(crate) struct WatchList {
    pub(crate) version: u64,
    pub(crate) folders: Vec<Utf8PathBuf>,
    pub(crate) patterns: Vec<Value>,
    /// The directories of the places that were asked about.
    pub(crate) dirs: FxHashSet<Utf8PathBuf>,
}

impl WatchList {
    /// For some places in a version of the workspace's questions.
    pub(crate) fn new(
        version: u64,
        places: &[Utf8PathBuf],
        folders: Vec<Utf8PathBuf>,
        relative: bool,
    ) -> Self {
        let parents = places.iter().filter_map(|place| place.parent());
        let mut dirs: Vec<&Utf8Path> = parents.collect();
        // Neighbors come one after the other.
        dirs.dedup();
        Self {
            version,
            patterns: patterns(&folders, places, relative),
            dirs: dirs.into_iter().map(Utf8Path::to_owned).collect(),
            folders,
        }
    }
}

fn patterns(folders: &[Utf8PathBuf], asked: &[Utf8PathBuf], relative: bool) -> Vec<Value> {
    let glob = |base: &Utf8Path, pattern: &str| {
        if relative {
            json!({ "globPattern": { "baseUri": convert::uri_of(base), "pattern": pattern } })
        } else {
            json!({ "globPattern": format!("{}/{pattern}", escaped(base.as_str())) })
        }
    };
    let mut out: Vec<Value> = folders
        .iter()
        .map(|folder| glob(folder, &format!("**/*.{{{}}}", ENDINGS.join(","))))
        .collect();
    let is_covered = |path: &Utf8Path| {
        path.extension().is_some_and(|e| ENDINGS.contains(&e)) && folders.iter().any(|f| path.starts_with(f))
    };
    let mut places: Vec<&Utf8Path> = asked
        .iter()
        .map(Utf8PathBuf::as_path)
        .filter(|path| !is_covered(path) && !convert::is_untitled(path))
        .collect();
    while places.len() > MAX_PLACES {
        let before = places.len();
        let deepest = places.iter().map(|p| p.components().count()).max().unwrap_or(0);
        for place in &mut places {
            if place.components().count() == deepest
                && let Some(parent) = place.parent()
            {
                *place = parent;
            }
        }
        places.sort_unstable();
        places.dedup();
        if places.len() == before && deepest <= 1 {
            break;
        }
    }
    out.extend(places.iter().filter_map(|place| {
        let (dir, name) = (place.parent()?, place.file_name()?);
        Some(glob(dir, &escaped(name)))
    }));
    out
}

/// A path as a glob that matches only it.
fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for c in path.chars() {
        if matches!(c, '*' | '?' | '{' | '}' | '[' | ']' | '!') {
            out.push('?');
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_folders_cover_is_not_named_again() {
        let folders = [Utf8PathBuf::from("/w")];
        let asked = ["/w/a.yaml", "/w/dir", "/other/b.yaml"].map(Utf8PathBuf::from);
        let globs: Vec<String> = patterns(&folders, &asked, false)
            .iter()
            .map(|p| p["globPattern"].as_str().unwrap().to_owned())
            .collect();
        assert_eq!(
            globs,
            [
                "/w/**/*.{yaml,yml,json,tm,hcl,tf,tofu,toml}",
                "/w/dir",
                "/other/b.yaml"
            ]
        );
    }

    #[test]
    fn many_places_become_few() {
        let asked: Vec<Utf8PathBuf> = (0..2000).map(|i| format!("/o/{}/d{i}", i % 10).into()).collect();
        assert!(patterns(&[], &asked, true).len() <= MAX_PLACES);
    }
}
