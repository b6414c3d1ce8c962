//! Fingerprints of the findings that existed when a project started to be linted.

use std::collections::{BTreeMap, BTreeSet};

use applyorder_analysis::config::Configs;
use applyorder_analysis::workspace::Analysis;
use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::escape;
use crate::exit::Failure;
use crate::fingerprint::Reported;
use crate::place::Paths;
use crate::repository::Repository;
use crate::session::Session;
use crate::write;

/// The version of the file's schema.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    findings: Vec<Entry>,
}

/// A finding. Only the fingerprint is used; the other fields are for human readers of the file.
#[derive(Serialize, Deserialize, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    #[serde(default)]
    path: String,
    #[serde(default)]
    rule: String,
    #[serde(default)]
    message: String,
    fingerprint: String,
}

/// The fingerprints of a baseline.
#[derive(Debug, Default)]
pub struct Baseline(BTreeSet<String>);

/// The baselines of a run.
#[derive(Debug, Default)]
pub enum Baselines {
    /// No baseline is used.
    #[default]
    None,
    /// The one given on the command line.
    Given(Baseline),
    /// Those of the configurations, by path.
    Configured(BTreeMap<Utf8PathBuf, Baseline>),
}

impl Baselines {
    /// Reads the baselines that configurations name.
    ///
    /// # Errors
    /// When one cannot be read, or is not a baseline.
    pub fn of(configs: &Configs, paths: &Paths) -> Result<Self, Failure> {
        let mut all = BTreeMap::new();
        for config in configs.all() {
            let Some(path) = config.baseline_path().filter(|path| !all.contains_key(path)) else {
                continue;
            };
            let named = || {
                config
                    .file
                    .as_ref()
                    .map_or_else(String::new, |file| paths.show(file))
            };
            let baseline = Baseline::read(&path).map_err(|failure| match failure {
                Failure::Message(why) => Failure::new(format!(
                    "{why} (`baseline` of {}; --write-baseline FILE writes one)",
                    escape::line(&named())
                )),
                other => other,
            })?;
            all.insert(path, baseline);
        }
        Ok(Self::Configured(all))
    }

    /// Whether a finding is in the baseline that applies to its file.
    #[must_use]
    pub fn have(&self, session: &Session, reported: &Reported<'_>) -> bool {
        match self {
            Self::None => false,
            Self::Given(baseline) => baseline.has(reported),
            Self::Configured(all) => {
                let path = session.analysis.path(reported.finding.diagnostic.place.file);
                let path = session.configs.of(path).baseline_path();
                path.and_then(|path| all.get(&path))
                    .is_some_and(|b| b.has(reported))
            }
        }
    }
}

impl Baseline {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or is not a baseline.
    pub fn read(path: &Utf8Path) -> Result<Self, Failure> {
        let failed =
            |why: &dyn std::fmt::Display| Failure::new(format!("{}: {why}", escape::line(path.as_str())));
        let (text, _) = write::read(path).map_err(|e| failed(&e))?;
        let file: File =
            serde_json::from_slice(&text).map_err(|e| failed(&format!("is not a baseline: {e}")))?;
        if file.version != VERSION {
            return Err(failed(&format!("unknown version {}", file.version)));
        }
        Ok(Self(file.findings.into_iter().map(|f| f.fingerprint).collect()))
    }

    /// Whether the baseline contains a finding, in any of the projects it is found in.
    #[must_use]
    pub fn has(&self, reported: &Reported<'_>) -> bool {
        reported.fingerprints.iter().any(|print| self.0.contains(print))
    }

    /// Writes the findings to a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(
        path: &Utf8Path,
        analysis: &Analysis,
        repository: &Repository,
        findings: &[Reported<'_>],
    ) -> Result<(), Failure> {
        let entry = |reported: &Reported<'_>| {
            let d = reported.finding.diagnostic;
            let path = repository.shown(analysis.path(d.place.file));
            let prints = reported.fingerprints.iter().cloned();
            let entries = prints.map(|fingerprint| Entry {
                path: path.clone(),
                rule: d.rule.id.to_owned(),
                message: d.message.clone(),
                fingerprint,
            });
            entries.collect::<Vec<_>>()
        };
        let mut entries: Vec<Entry> = findings.iter().flat_map(entry).collect();
        entries.sort();
        let file = File {
            version: VERSION,
            findings: entries,
        };
        let failed =
            |e: &dyn std::fmt::Display| Failure::new(format!("{}: {e}", escape::line(path.as_str())));
        let mut text = serde_json::to_vec_pretty(&file).map_err(|e| failed(&e))?;
        text.push(b'\n');
        write::put(&write::Machine, path, &text).map_err(|e| failed(&e))
    }
}
