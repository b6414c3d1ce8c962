//! Properties of a rule, and which of several rules takes precedence.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::{Diagnostic, Place, Severity};

/// Properties of a rule, independent of its findings.
#[derive(Debug)]
pub struct Rule {
    /// The id, which never changes: `cycle`, or `tazuna/nested-include` if only one engine has the rule.
    pub id: &'static str,
    /// Usual severity; an engine may have another.
    pub severity: Severity,
    /// One line for tables.
    pub summary: &'static str,
    /// The page `docs/rules/ID.md`, which `explain`, the docs and the editor show: the ID as its title, the summary,
    /// what it does, why it is bad, an example, what to use instead, and what each engine itself reports.
    pub docs: &'static str,
    /// The first version of applyorder that has it.
    pub since: &'static str,
    /// Its status.
    pub status: Status,
    /// The general rules that are suppressed where this one has a finding at the same place.
    pub replaces: &'static [&'static str],
}

impl Rule {
    /// The page's title and summary, and the rest.
    #[must_use]
    pub fn page_parts(&self) -> (&'static str, &'static str) {
        let mut breaks = self.docs.match_indices("\n\n").map(|(at, _)| at);
        match (breaks.next(), breaks.next()) {
            (Some(_), Some(end)) => {
                let (head, body) = self.docs.split_at(end);
                (head, body.trim_start_matches('\n'))
            }
            _ => (self.docs, ""),
        }
    }

    /// The only engine that has the rule.
    #[must_use]
    pub fn engine(&self) -> Option<&'static str> {
        self.id.split_once('/').map(|(engine, _)| engine)
    }
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Rule {}

/// The status of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// New; only with `--preview`.
    Preview,
    /// Stable: changes only make its findings more accurate.
    Stable,
    /// Deprecated: kept for its ID, reports nothing.
    Deprecated,
}

/// Where several findings are at one place, keeps the most specific: a finding is dropped if another at the
/// same place is of a rule that replaces its rule.
pub fn keep_most_specific(diagnostics: &mut Vec<Arc<Diagnostic>>) {
    let mut replaced: FxHashMap<Place, Vec<&'static str>> = FxHashMap::default();
    for d in diagnostics.iter().filter(|d| !d.rule.replaces.is_empty()) {
        replaced.entry(d.place).or_default().extend(d.rule.replaces);
    }
    if !replaced.is_empty() {
        diagnostics.retain(|d| replaced.get(&d.place).is_none_or(|ids| !ids.contains(&d.rule.id)));
    }
}
