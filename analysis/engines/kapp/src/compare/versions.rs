//! Changes of versioned resources: new versions, the kept one, those that are removed (kapp, versioned
//! resources).

use rustc_hash::FxHashMap;

use super::deployment::{Deployment, outcome, see_as};
use super::labels::{matches, unknown_matcher};
use super::object;
use super::references::{Affected, References};
use super::snapshot::{Stored, compare};
use super::templates::{DiffError, Named};
use super::{Change, Entry, Identity, VERSION_MARK, base_and_version};
use crate::grammar::Op;
use crate::matcher::{self, KindOnly, Matcher};
use crate::model::inputs::Item;
use crate::read::{Key, Resource, TemplateRule};
use serde_json::Value as Json;

impl<'a> Deployment<'a> {
    /// The changes of all resources with versions.
    pub(super) fn versioned_changes(&mut self, existing: &[Stored<'_>]) {
        let (groups, order) = self.grouped(existing);
        self.assign_names(existing, &groups);
        if !self.versioned.is_empty() {
            let affected = self.affected();
            // Resources that change only because a reference in them changed are found in the second pass.
            let _ = self.versions(existing, &groups, &affected);
            self.changes = self.versions(existing, &groups, &affected);
        }
        self.old_versions(existing, &groups, &order);
    }

    /// The versions of each resource on the cluster, oldest first, and the resources in their order.
    fn grouped(&mut self, existing: &[Stored<'_>]) -> (FxHashMap<Identity, Vec<usize>>, Vec<Identity>) {
        let mut groups: FxHashMap<Identity, Vec<usize>> = FxHashMap::default();
        let mut order = Vec::new();
        for (at, stored) in existing.iter().enumerate().filter(|(_, s)| is_version(s)) {
            let key = stored.entry.base_identity();
            groups
                .entry(key.clone())
                .or_insert_with(|| {
                    order.push(key);
                    Vec::new()
                })
                .push(at);
        }
        for list in groups.values_mut().filter(|l| l.len() > 1) {
            for at in list.iter() {
                if let Some(Err(fault)) = existing.get(*at).map(|s| s.entry.version()) {
                    self.fail(fault, None);
                }
            }
            list.sort_by_key(|at| existing.get(*at).and_then(|s| s.entry.version().ok()));
        }
        (groups, order)
    }

    fn assign_names(&mut self, existing: &[Stored<'_>], groups: &FxHashMap<Identity, Vec<usize>>) {
        let mut faults = Vec::new();
        for entry in &mut self.versioned {
            let latest = groups.get(&entry.base_identity()).and_then(|l| l.last());
            let next = match latest.and_then(|at| existing.get(*at)).map(|s| s.entry.version()) {
                None => 1,
                Some(Ok(version)) => version.saturating_add(1),
                Some(Err(fault)) => {
                    faults.push(fault);
                    1
                }
            };
            let name = format!("{}{VERSION_MARK}{next}", entry.change.name);
            if let Some(Json::Object(map)) = entry.object.get_mut("metadata") {
                map.insert("name".to_owned(), Json::String(name.clone()));
            }
            entry.change.name = name.into();
        }
        for fault in faults {
            self.fail(fault, None);
        }
    }

    /// Where the references of every template rule are.
    fn affected(&mut self) -> Vec<Vec<Affected<'a>>> {
        self.templates
            .iter()
            .map(|rule| {
                let references = rule.references.iter().map(|reference| {
                    let of = |list: &[Entry<'_>]| standing(list, &reference.matchers);
                    (reference, [of(&self.versioned), of(&self.others)])
                });
                references.collect()
            })
            .collect()
    }

    /// The changes of versioned resources; writes their names where they are referred to.
    fn versions(
        &mut self,
        existing: &[Stored<'_>],
        groups: &FxHashMap<Identity, Vec<usize>>,
        affected: &[Vec<Affected<'a>>],
    ) -> Vec<Change> {
        let mut references = References::new(affected);
        let mut changes = Vec::new();
        for number in 0..self.versioned.len() {
            let Some(entry) = self.versioned.get(number) else {
                continue;
            };
            let list = groups.get(&entry.base_identity());
            let latest = list.and_then(|l| existing.get(*l.last()?));
            let (item, change, wanted) = (entry.change.item, entry.change.clone(), entry.object.clone());
            let Some(compared) = self.compared(latest, &wanted, item) else {
                changes.push(change);
                continue;
            };
            let Some(entry) = self.versioned.get(number) else {
                continue;
            };
            let outcome = outcome(entry, &compared, latest.is_some());
            let mut used = entry;
            match latest {
                None => changes.push(outcome),
                Some(_) if has_noop(compared.result.as_ref()) => {
                    changes.push(change);
                    self.fail(DiffError::panic("Unexpected change op noop"), Some(item));
                    continue;
                }
                Some(latest) if outcome.op == Op::Noop => {
                    changes.push(Change {
                        op: Op::Noop,
                        ..as_it_is(&latest.entry)
                    });
                    used = &latest.entry;
                }
                // A new version is applied without rebasing.
                Some(_) => changes.push(as_it_is(entry)),
            }
            let (named, rules) = (used.named(), matched(used, &self.templates));
            match rules {
                Ok(rules) => self.write(&named, &rules, &mut references),
                Err(fault) => self.fail(fault, Some(item)),
            }
        }
        changes
    }

    /// Writes the name of a versioned resource wherever the rules lead: into resources without versions first.
    fn write(&mut self, named: &Named, rules: &[usize], references: &mut References<'_, 'a>) {
        for at in [1, 0] {
            let list = if at == 0 {
                &mut self.versioned
            } else {
                &mut self.others
            };
            for (fault, item) in references.write(at, list, named, rules) {
                self.fail(fault, Some(item));
            }
        }
    }

    /// The versions that are kept and those that are removed.
    fn old_versions(
        &mut self,
        existing: &[Stored<'_>],
        groups: &FxHashMap<Identity, Vec<usize>>,
        order: &[Identity],
    ) {
        let mut wanted: FxHashMap<Identity, (usize, Item)> = FxHashMap::default();
        let mut faults = Vec::new();
        for entry in &self.versioned {
            let key = entry.base_identity();
            let keep = match versions_to_keep(entry.resource) {
                Ok(keep) => keep,
                Err(fault) => {
                    if groups.contains_key(&key) {
                        faults.push((fault, entry.change.item));
                    }
                    1
                }
            };
            wanted.insert(key, (keep, entry.change.item));
        }
        for (fault, item) in faults {
            self.fail(fault, Some(item));
        }
        for key in order {
            let Some(list) = groups.get(key) else { continue };
            let kept = wanted.get(key).map_or(0, |(keep, _)| *keep).min(list.len());
            for (i, old) in list.iter().filter_map(|at| existing.get(*at)).enumerate() {
                let goes = i + kept < list.len();
                let mut change = old.entry.change.clone();
                if goes {
                    match compare(&self.rules, Some(old), None) {
                        Ok(compared) => see_as(&mut change, &old.entry, compared.result.as_ref()),
                        Err(fault) => self.fail(fault, None),
                    }
                } else {
                    see_as(&mut change, &old.entry, Some(&old.entry.object));
                }
                // The newest is already among the changes if it is kept as it is.
                let same = |c: &Change| c.set == change.set && c.item == change.item;
                if self.changes.iter().any(same) {
                    continue;
                }
                change.op = if goes { Op::Delete } else { Op::Noop };
                self.changes.push(change);
            }
        }
    }
}

/// A resource as the graph sees it without a comparison.
fn as_it_is(entry: &Entry<'_>) -> Change {
    let mut change = entry.change.clone();
    see_as(&mut change, entry, Some(&entry.object));
    change
}

/// The annotation that makes a resource versioned.
const VERSIONED: &str = "kapp.k14s.io/versioned";

/// Whether an object on the cluster is a version of a versioned resource.
pub(super) fn is_version(stored: &Stored<'_>) -> bool {
    // Deployed under a rule that excludes annotations from the comparison, it has none on the cluster.
    stored.entry.resource.has(Key::Versioned)
        && object::annotation(&stored.entry.object, VERSIONED).is_some()
        && !base_and_version(&stored.entry.change.name).1.is_empty()
        && !stored.transient
}

fn has_noop(object: Option<&Json>) -> bool {
    object.is_some_and(|o| object::annotation(o, "kapp.k14s.io/noop").is_some())
}

/// The rules that apply to a versioned resource.
fn matched(entry: &Entry<'_>, rules: &[&TemplateRule]) -> Result<Vec<usize>, DiffError> {
    let mut out = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if rule.matchers.iter().any(Matcher::is_unknown) {
            return Err(unknown_matcher());
        }
        if matches(&rule.matchers, &entry.object)? {
            out.push(number);
        }
    }
    Ok(out)
}

/// The entries that some matchers match.
fn standing(list: &[Entry<'_>], matchers: &[Matcher]) -> Vec<usize> {
    let mut kinds: FxHashMap<(&str, &str), Option<bool>> = FxHashMap::default();
    let mut out = Vec::new();
    for (number, entry) in list.iter().enumerate() {
        let (api_version, kind) = (&*entry.resource.api_version.value, &*entry.resource.kind.value);
        let of_kind = *kinds
            .entry((api_version, kind))
            .or_insert_with(|| matcher::any(matchers, &KindOnly { api_version, kind }).unwrap_or_default());
        if of_kind.unwrap_or_else(|| matches(matchers, &entry.object).unwrap_or(false)) {
            out.push(number);
        }
    }
    out
}

/// How many versions of a resource are kept.
fn versions_to_keep(r: &Resource) -> Result<usize, DiffError> {
    let Some(written) = r.annotations().iter().find(|a| a.key == Key::NumVersions) else {
        return Ok(5);
    };
    let expected = |what: &str| {
        DiffError::error(format!(
            "Expected annotation 'kapp.k14s.io/num-versions' value to be {what}"
        ))
        .of_annotation("kapp.k14s.io/num-versions")
    };
    match written.value.value.parse::<i64>() {
        Err(_) => Err(expected("an integer")),
        Ok(n) if n < 1 => Err(expected("a >= 1")),
        Ok(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
    }
}
