//! The parts of a finding that stay the same when lines move: its rule, its project, the units it is about and the edge
//! or value at fault. Reports, baselines and comparisons of revisions identify a finding by them.

use std::collections::HashMap;
use std::hash::Hasher as _;

use applyorder_analysis::diagnostic::At;
use applyorder_analysis::workspace::{Finding, ProjectIx};
use siphasher::sip128::{Hasher128 as _, SipHasher13};

use crate::repository::Repository;
use crate::session::Session;

/// A finding with its fingerprints.
#[derive(Clone, Debug)]
pub struct Reported<'a> {
    /// The finding.
    pub finding: Finding<'a>,
    /// 32 hexadecimal digits for each project that contains it; at least one.
    pub fingerprints: Vec<String>,
}

impl Reported<'_> {
    /// The fingerprint for reports.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        self.fingerprints.first().map_or("", String::as_str)
    }
}

/// Computes fingerprints. All findings of a run must pass through one instance, in order: findings that are otherwise
/// identical are numbered.
pub struct Fingerprints<'a> {
    session: &'a Session,
    repository: &'a Repository,
    seen: HashMap<u128, u32>,
    /// The roots of projects, in the form that is hashed.
    roots: HashMap<ProjectIx, String>,
}

impl<'a> Fingerprints<'a> {
    /// For the findings of a run.
    #[must_use]
    pub fn new(session: &'a Session, repository: &'a Repository) -> Self {
        Self {
            session,
            repository,
            seen: HashMap::new(),
            roots: HashMap::new(),
        }
    }

    /// The finding with its fingerprints.
    pub fn add<'f>(&mut self, finding: Finding<'f>) -> Reported<'f> {
        let mut fingerprints: Vec<String> = Vec::with_capacity(finding.projects.len().max(1));
        if finding.projects.is_empty() {
            fingerprints.push(self.one(&finding, None));
        }
        for project in &finding.projects {
            fingerprints.push(self.one(&finding, Some(*project)));
        }
        Reported {
            finding,
            fingerprints,
        }
    }

    fn one(&mut self, finding: &Finding<'_>, project: Option<ProjectIx>) -> String {
        let first = self.hash(finding, project, 0);
        let number = self.seen.entry(first).or_insert(0);
        let nth = *number;
        *number += 1;
        let hash = match nth {
            0 => first,
            nth => self.hash(finding, project, nth),
        };
        format!("{hash:032x}")
    }

    fn hash(&mut self, finding: &Finding<'_>, project: Option<ProjectIx>, nth: u32) -> u128 {
        let d = finding.diagnostic;
        let mut sum = Sum::default();
        sum.add(d.rule.id);
        if let Some((ix, project)) = project.and_then(|ix| Some((ix, self.session.analysis.project(ix)?))) {
            sum.add(project.engine().meta().id);
            let root = self.roots.entry(ix);
            sum.add(root.or_insert_with(|| self.repository.shown(&project.seed.root)));
            sum.add(project.seed.name.as_deref().unwrap_or(""));
        }
        let mut units: Vec<&str> = d.units.iter().map(|u| &**u).collect();
        units.sort_unstable();
        sum.count(units.len());
        for unit in &units {
            sum.add(unit);
        }
        let source = self.session.analysis.source(d.place.file);
        if units.is_empty() {
            let path = self.session.analysis.path(d.place.file);
            sum.add(&match source {
                Some(_) => self.repository.shown_file(path),
                None => self.repository.shown(path),
            });
        }
        // Two units identify an edge; otherwise the text at fault identifies the edge or value.
        if units.len() < 2 && d.place.at != At::File {
            let text = source.map_or("", |s| &*s.text);
            let range = self.session.analysis.span(d.place).range();
            let first = text.get(range).and_then(|t| t.lines().next());
            sum.add(first.unwrap_or("").trim());
        }
        sum.count(nth as usize);
        sum.finish()
    }
}

/// A hash that is stable across machines and versions.
#[derive(Default)]
struct Sum(SipHasher13);

impl Sum {
    fn add(&mut self, text: &str) {
        self.count(text.len());
        self.0.write(text.as_bytes());
    }

    fn count(&mut self, n: usize) {
        self.0.write(&(n as u64).to_le_bytes());
    }

    fn finish(self) -> u128 {
        self.0.finish128().as_u128()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_the_same_for_ever() {
        let mut sum = Sum::default();
        sum.add("cycle");
        sum.add("a");
        assert_eq!(
            format!("{:032x}", sum.finish()),
            "d21f10b97535c00ae68364267e7ac40e"
        );
        let of = |texts: &[&str]| {
            let mut sum = Sum::default();
            texts.iter().for_each(|t| sum.add(t));
            sum.finish()
        };
        assert_ne!(of(&["ab", "c"]), of(&["a", "bc"]));
    }
}
