//! What imports set, merged as Terramate does.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxHashMap;

use crate::load::tree::Tree;
use crate::problems::redeclared;
use crate::read::FileFacts;

/// What has been merged, by name, and the last file that set it.
#[derive(Default)]
pub(super) struct Settings {
    /// With the file, below the root.
    said: FxHashMap<(Vec<Arc<str>>, Arc<str>), Utf8PathBuf>,
    pub(super) has_vendor: bool,
}

impl Settings {
    /// Merges a file; returns Terramate's message if that is not possible.
    pub(super) fn merge(&mut self, tree: &Tree, path: &Utf8Path, facts: &FileFacts) -> Vec<String> {
        let mut rejected = Vec::new();
        let shape = &facts.shape;
        let root = shape
            .root
            .iter()
            .map(|a| (vec!["terramate".into()], a.path.clone()));
        let globals = shape.globals.iter().map(|(labels, name, _)| {
            let labels = std::iter::once("globals".into()).chain(labels.iter().cloned());
            (labels.collect(), name.clone())
        });
        let merged = shape.merged.iter();
        let merged = merged.map(|(block, name, _)| (vec![block.clone()], name.clone()));
        for key in root.chain(globals).chain(merged) {
            let name = key.1.clone();
            let before = self.said.insert(key, path.to_owned());
            if let Some(before) = before.filter(|before| before.parent() == path.parent()) {
                let shown = |path| tree.project_path(path).unwrap_or_default();
                rejected.push(redeclared(&name, &shown(path), &shown(&before)));
            }
        }
        for _ in &shape.vendors {
            if std::mem::replace(&mut self.has_vendor, true) {
                rejected.push("block \"vendor\" can only appear once".to_owned());
            }
        }
        rejected
    }
}
