//! What single findings lack that only the project as a whole can tell: the other end of a reference, the
//! members of a group.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::Sym;
use super::parts::Expansion;
use crate::facts::rebased;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FileId, Fix, FixStep, Place, Safety};
use applyorder_core::rules::coerced_scalar;
use applyorder_syntax::yaml::edit::quoted_if_needed;

/// Whether a finding lacks something.
pub(super) fn is_needed(d: &Diagnostic) -> bool {
    d.rule == &coerced_scalar::RULE || d.rule == &rules::include_group_field_ignored::RULE
}

/// Completes findings.
pub(super) fn refine<'a>(expansion: &Expansion, found: impl Iterator<Item = &'a mut Diagnostic>) {
    let mut found: Vec<&mut Diagnostic> = found.filter(|d| is_needed(d)).collect();
    let is_coerced = |d: &Diagnostic| d.rule == &coerced_scalar::RULE;
    let places = found.iter().filter(|d| is_coerced(d)).map(|d| d.place);
    let ends = Ends::of(expansion, places.collect());
    for d in &mut found {
        if is_coerced(d) {
            ends.complete(d);
        } else {
            onto_members(expansion, d);
        }
    }
}

/// Where some names stand: at their manifests, and in the entries that refer to them.
#[derive(Default)]
struct Ends {
    name_at: FxHashMap<Place, Sym>,
    places: FxHashMap<Sym, Vec<Place>>,
}

impl Ends {
    /// Of the names at some places.
    fn of(expansion: &Expansion, wanted: FxHashSet<Place>) -> Self {
        let mut ends = Self::default();
        if wanted.is_empty() {
            return ends;
        }
        let files: FxHashSet<FileId> = wanted.iter().map(|p| p.file).collect();
        for part in expansion.parts.iter().filter(|p| files.contains(&p.file)) {
            let names = part.units.units.iter();
            let names = names.filter_map(|u| Some((u.unit.name_place?, u.name)));
            let entries = part.units.needs.iter().map(|n| (n.place, n.name));
            ends.name_at
                .extend(names.chain(entries).filter(|(place, _)| wanted.contains(place)));
        }
        let names: FxHashSet<Sym> = ends.name_at.values().copied().collect();
        let all = || (0..expansion.list.len()).filter_map(|position| expansion.at(position));
        let declared = all().filter_map(|(u, _)| Some((u.unit.name_place?, u.name)));
        let needs = all().flat_map(|(unit, part)| part.needs_of(unit));
        let entries = needs.map(|n| (n.place, n.name));
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        for (place, name) in declared.chain(entries).filter(|(_, name)| names.contains(name)) {
            if seen.insert(place) {
                ends.places.entry(name).or_default().push(place);
            }
        }
        ends
    }

    /// A name that is quoted as it stands is another name: what refers to it has to follow, and from a
    /// reference the name.
    fn complete(&self, d: &mut Diagnostic) {
        let places = self.name_at.get(&d.place).and_then(|name| self.places.get(name));
        let others = || places.into_iter().flatten().filter(|p| **p != d.place);
        if others().next().is_none() {
            return;
        }
        for fix in d.fixes.iter_mut().filter(|fix| fix.safety == Safety::Unsafe) {
            let Some(FixStep::Replace(_, text)) = fix.steps.first().cloned() else {
                continue;
            };
            fix.title.push_str(", and wherever it is referred to");
            fix.steps
                .extend(others().map(|p| FixStep::Replace(*p, text.clone())));
        }
    }
}

/// The entries of a group's `dependsOn` can be given to its members.
fn onto_members(expansion: &Expansion, d: &mut Diagnostic) {
    let Some(root) = expansion.parts.root() else {
        return;
    };
    let group = root.units.groups.iter().find_map(|index| {
        let (item, base) = (root.view.item(*index as usize)?, root.view.base(*index as usize));
        let key = item.manifest.needs_key.map(|key| rebased(key, base))?;
        (key == d.place && !item.manifest.needs.is_empty()).then_some((&item.manifest, base))
    });
    let Some((group, base)) = group else { return };
    let entries: Vec<&str> = group.needs.iter().map(|n| &*n.text).collect();
    let includes: Vec<Place> = group.includes.iter().map(|i| rebased(i.place, base)).collect();
    let mut steps = vec![FixStep::RemoveKey(d.place)];
    for position in 0..expansion.list.len() {
        let Some((unit, part)) = expansion.at(position) else {
            continue;
        };
        if part.via.is_none_or(|via| !includes.contains(&via)) {
            continue;
        }
        let Some(item) = part.view.item(unit.item as usize).filter(|_| !unit.broken) else {
            return;
        };
        let base = part.view.base(unit.item as usize);
        let manifest = &item.manifest;
        let missing = || {
            entries
                .iter()
                .filter(|e| !manifest.needs.iter().any(|n| *n.text == ***e))
        };
        match manifest.needs_list {
            Some(list) if !manifest.needs.is_empty() => {
                steps.extend(missing().map(|e| FixStep::AppendEntry(rebased(list, base), (*e).to_owned())));
            }
            // `[]` and null look alike here.
            Some(_) => return,
            None => steps.push(FixStep::InsertKeyAfter(
                rebased(manifest.last_key, base),
                "dependsOn".to_owned(),
                listed(&entries),
            )),
        }
    }
    if steps.len() > 1 {
        d.fixes.push(Fix {
            title: "move it to the manifests of the group".to_owned(),
            safety: Safety::Unsafe,
            steps,
        });
    }
}

fn listed(entries: &[&str]) -> String {
    let entries: Vec<String> = entries.iter().map(|e| quoted_if_needed(e)).collect();
    format!("[{}]", entries.join(", "))
}
