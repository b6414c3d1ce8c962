//! Findings that were there when a project began to be linted, by their fingerprints.

use std::collections::BTreeSet;

use applyorder_analysis::workspace::Analysis;
use camino::Utf8Path;
use serde::{Deserialize, Serialize};

use crate::escape;
use crate::exit::Failure;
use crate::fingerprint::Reported;
use crate::repository::Repository;
use crate::write;

/// The version of the shape of the file.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    findings: Vec<Entry>,
}

/// A finding. Only the fingerprint counts; the rest is for whoever reads the file.
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

    /// Whether a finding is in it, in one of the projects it is found in.
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
