//! Which files the client is to watch: what the projects asked about, and where new projects may appear.

use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashSet;
use serde_json::{Value, json};

use crate::client::Client;
use crate::convert;
use crate::watch::{Added, ENDINGS};

/// More places than this are watched by their directories' nearest common ones.
const MAX_PLACES: usize = 256;

/// What the client was asked to watch.
#[derive(Default)]
pub(crate) struct Watcher {
    /// The version of the workspace's questions that was looked at, and the number of folders.
    looked_at: Option<(u64, usize)>,
    /// The number of the registration that holds.
    registered: u64,
    patterns: Vec<Value>,
    folders: Vec<Utf8PathBuf>,
    /// The directories of the places that were asked about.
    dirs: FxHashSet<Utf8PathBuf>,
    /// The request for the last registration, and what is watched by it that was not watched before.
    awaited: Option<(i64, Added)>,
}

/// What the client is to watch.
pub(crate) struct Wanted {
    version: u64,
    folders: Vec<Utf8PathBuf>,
    patterns: Vec<Value>,
    dirs: FxHashSet<Utf8PathBuf>,
}

impl Wanted {
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

impl Watcher {
    /// Whether what is watched is what has to be.
    pub(crate) fn is_current(&self, workspace: &Workspace, folders: &[Utf8PathBuf]) -> bool {
        self.looked_at == Some((workspace.questions_version(), folders.len()))
    }

    /// Asks the client to watch other places, if there are others.
    pub(crate) fn update(&mut self, client: &Client, wanted: Wanted) {
        let Wanted {
            version,
            folders,
            patterns,
            dirs,
        } = wanted;
        self.looked_at = Some((version, folders.len()));
        if patterns == self.patterns && self.registered > 0 {
            return;
        }
        let id = |n: u64| format!("watched-files-{n}");
        let method = "workspace/didChangeWatchedFiles";
        let old = self.registered;
        self.registered += 1;
        let request = client.ask(
            "client/registerCapability",
            &json!({ "registrations": [{
                "id": id(self.registered),
                "method": method,
                "registerOptions": { "watchers": patterns },
            }]}),
        );
        let same_folders = self.folders == folders;
        self.folders = folders;
        let mut added = match self.awaited.take() {
            Some((_, Added::All)) => Added::All,
            _ if !same_folders => Added::All,
            Some((_, Added::Some(before))) => Added::Some(before),
            None => Added::Some(FxHashSet::default()),
        };
        if let Added::Some(added) = &mut added {
            added.extend(dirs.difference(&self.dirs).cloned());
        }
        self.awaited = Some((request, added));
        self.dirs = dirs;
        if old > 0 {
            client.ask(
                "client/unregisterCapability",
                // The protocol's own spelling.
                &json!({ "unregisterations": [{ "id": id(old), "method": method }] }),
            );
        }
        self.patterns = patterns;
    }

    /// What is watched from now on, when a reply of the client says so.
    pub(crate) fn replied(&mut self, id: i64) -> Option<Added> {
        let (_, added) = self.awaited.take_if(|(awaited, _)| *awaited == id)?;
        Some(added)
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

/// A path as a glob that means only it.
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
