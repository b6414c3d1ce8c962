//! The modules that `terraform init` has installed, by its own list.
//!
//! Source: `.terraform/modules/modules.json` as Terraform 1.11 and OpenTofu 1.10 write it.

use std::collections::BTreeMap;

use applyorder_core::files::join_clean;
use applyorder_core::layer::Pass;
use camino::Utf8PathBuf;
use serde::Deserialize;

use crate::read::{INSTALLED, TfFacts};

/// Where each call leads, by the names of the calls on the way.
#[derive(Default)]
pub(super) struct Installed(BTreeMap<String, Module>);

struct Module {
    source: String,
    version: Option<String>,
    dir: Utf8PathBuf,
}

#[derive(Deserialize)]
struct List {
    #[serde(rename = "Modules")]
    modules: Vec<Entry>,
}

#[derive(Deserialize)]
struct Entry {
    #[serde(rename = "Key")]
    key: String,
    #[serde(rename = "Source", default)]
    source: String,
    #[serde(rename = "Version", default)]
    version: Option<String>,
    #[serde(rename = "Dir")]
    dir: String,
}

impl Installed {
    /// What is installed for the root of a project; empty if the list is missing or unreadable.
    pub(super) fn read(pass: &Pass<'_>) -> Self {
        let path = crate::invocation::data_dir(pass).join("modules").join(INSTALLED);
        if pass.cx.kind(&path, true).is_none() {
            return Self::default();
        }
        let text = pass
            .cx
            .facts::<TfFacts>(&path)
            .ok()
            .and_then(|read| read.facts.text.clone());
        let list = text.and_then(|text| serde_json::from_str::<List>(&text).ok());
        let entries = list.into_iter().flat_map(|list| list.modules);
        let modules = entries.map(|entry| {
            let module = Module {
                dir: join_clean(&pass.seed.root, &entry.dir),
                source: entry.source,
                version: entry.version,
            };
            (entry.key, module)
        });
        Self(modules.collect())
    }

    /// The directory of a call's module, if it was installed from this source. Several calls of one source have
    /// a directory each, with the same contents if they have the same version: otherwise it is unknown which
    /// one is meant.
    pub(super) fn dir(&self, key: &str, source: &str) -> Option<Utf8PathBuf> {
        let own = self.0.get(key).filter(|module| module.is_from(source))?;
        let mut others = self.0.values().filter(|module| module.is_from(source));
        others
            .all(|other| other.version == own.version)
            .then(|| own.dir.clone())
    }
}

impl Module {
    /// Whether it was installed from a source; of a registry's the list has the host as well.
    fn is_from(&self, source: &str) -> bool {
        self.source == source
            || self.source.strip_suffix(source).is_some_and(|host| {
                host.ends_with('/') && host.contains('.') && host.matches('/').count() == 1
            })
    }
}
