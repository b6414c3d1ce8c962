//! What is known of a rule, and which of several rules speaks.

use rustc_hash::FxHashMap;

use super::{Diagnostic, Place, Severity};

/// What is known of a rule, whatever it finds.
#[derive(Debug)]
pub struct Rule {
    /// The id, for ever: `cycle`, or `tazuna/nested-include` where only one engine knows it.
    pub id: &'static str,
    /// Usual severity; an engine may have another.
    pub severity: Severity,
    /// One line for tables.
    pub summary: &'static str,
    /// The page `docs/rules/ID.md`, which `explain`, the docs and the editor show: the id as its title, the summary, what it does, why it is bad,
    /// an example, what to use instead, and what each engine itself says of it.
    pub docs: &'static str,
    /// Version of applyorder that has it first.
    pub since: &'static str,
    /// Whether it can be relied on.
    pub status: Status,
    /// The general rules that keep silent where this one speaks of the same place.
    pub replaces: &'static [&'static str],
}

impl Rule {
    /// The page's title and summary, and what follows.
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

    /// The engine that alone knows the rule.
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

/// Whether a rule can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// New; only with `--preview`.
    Preview,
    /// Its findings change only for the better.
    Stable,
    /// Kept for its id; finds nothing.
    Deprecated,
}

/// Keeps, where several findings touch one place, the most specific: a finding goes when another at the
/// same place is of a rule that replaces its rule.
pub fn keep_most_specific(diagnostics: &mut Vec<Diagnostic>) {
    let mut replaced: FxHashMap<Place, Vec<&'static str>> = FxHashMap::default();
    for d in diagnostics.iter().filter(|d| !d.rule.replaces.is_empty()) {
        replaced.entry(d.place).or_default().extend(d.rule.replaces);
    }
    if !replaced.is_empty() {
        diagnostics.retain(|d| replaced.get(&d.place).is_none_or(|ids| !ids.contains(&d.rule.id)));
    }
}
