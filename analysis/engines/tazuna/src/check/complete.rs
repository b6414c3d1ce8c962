//! What single findings lack that only the project as a whole can tell: the other end of a reference, the
//! members of a group.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Expansion, Piece};
use crate::read::rebased;
use crate::rules::include_group_field_ignored;
use applyorder_core::diagnostic::{At, Diagnostic, Fix, FixStep, Place, Safety};
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::coerced_scalar;
use applyorder_syntax::yaml::edit::quoted_if_needed;

/// Completes the findings of a file.
pub(super) fn complete(expansion: &Expansion, ends: &Ends, found: &mut [Finding]) {
    for d in found.iter_mut().map(|f| &mut f.diagnostic) {
        if d.rule == &coerced_scalar::RULE {
            ends.complete(d);
        } else if d.rule == &include_group_field_ignored::RULE {
            onto_members(expansion, d);
        }
    }
}

/// Where some names stand: at their manifests, and in the entries that refer to them.
#[derive(Default)]
pub(super) struct Ends {
    name_at: FxHashMap<Place, Sym>,
    places: FxHashMap<Sym, Vec<Place>>,
}

/// The names in a file with their places: of its manifests, then of their entries.
fn names_in(piece: &Piece) -> impl Iterator<Item = (Place, Sym)> {
    let names = piece
        .units
        .iter()
        .filter_map(|u| Some((u.unit.name_place?, u.name)));
    names.chain(piece.needs.iter().map(|n| (n.place, n.name)))
}

impl Ends {
    /// Of the names in files whose findings want to know.
    pub(super) fn of(expansion: &Expansion) -> Self {
        let mut ends = Self::default();
        let wanting = || expansion.parts.iter().filter(|p| p.piece.is_entangled);
        ends.name_at.extend(wanting().flat_map(|p| names_in(&p.piece)));
        if ends.name_at.is_empty() {
            return ends;
        }
        let names: FxHashSet<Sym> = ends.name_at.values().copied().collect();
        let all = || (0..expansion.list.len()).filter_map(|position| expansion.at(position));
        let declared = all().filter_map(|(u, _)| Some((u.unit.name_place?, u.name)));
        let needs = all().flat_map(|(unit, part)| part.piece.needs_of(unit));
        let entries = needs.map(|n| (n.place, n.name));
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        for (place, name) in declared.chain(entries).filter(|(_, name)| names.contains(name)) {
            if seen.insert(place) {
                ends.places.entry(name).or_default().push(place);
            }
        }
        ends
    }

    /// What is told of the names in a file.
    pub(super) fn told<'a>(&'a self, piece: &'a Piece) -> impl Iterator<Item = &'a Vec<Place>> + 'a {
        names_in(piece).filter_map(|(_, name)| self.places.get(&name))
    }

    /// A name that is quoted as it stands is another name: what refers to it has to follow, and from a
    /// reference the name.
    fn complete(&self, d: &mut Diagnostic) {
        let places = self.name_at.get(&d.place).and_then(|name| self.places.get(name));
        let others = || places.into_iter().flatten().filter(|p| **p != d.place);
        if others().next().is_none() {
            return;
        }
        if others().nth(MOST_STEPS).is_some() {
            // What stands in so many places is not changed by half.
            d.fixes.retain(|fix| fix.safety == Safety::Safe);
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

/// The most steps of a fix that changes one value wherever it stands.
const MOST_STEPS: usize = 1_000;

/// The entries of a group's `dependsOn` can be given to its members.
fn onto_members(expansion: &Expansion, d: &mut Diagnostic) {
    let Some(root) = expansion.root() else {
        return;
    };
    let (view, groups) = (&root.piece.view, &root.piece.groups);
    let At::Anchor(anchor) = d.place.at else { return };
    // The places of a group count from its first one.
    let behind = groups.partition_point(|item| view.base(*item as usize) <= anchor.index);
    let group = behind.checked_sub(1).and_then(|at| {
        let item = *groups.get(at)?;
        let (group, base) = (view.item(item as usize)?, view.base(item as usize));
        let key = group.manifest.needs_key.map(|key| rebased(key, base))?;
        (key == d.place && !group.manifest.needs.is_empty()).then_some((item, &group.manifest))
    });
    let Some((item, group)) = group else { return };
    let entries: Vec<&str> = group.needs.iter().map(|n| &*n.text).collect();
    let mut steps = vec![FixStep::RemoveKey(d.place)];
    let members = expansion.parts_of_group(item).flat_map(|part| {
        let part = expansion.parts.get(part as usize);
        part.into_iter()
            .flat_map(|part| part.piece.units.iter().map(move |unit| (unit, part)))
    });
    for (unit, part) in members {
        let Some((item, base)) = part.piece.item(unit).filter(|_| !unit.broken) else {
            return;
        };
        let manifest = &item.manifest;
        match manifest.needs_list {
            Some(list) if !manifest.needs.is_empty() => {
                let known: FxHashSet<&str> = manifest.needs.iter().map(|n| &*n.text).collect();
                let missing = entries.iter().filter(|e| !known.contains(*e));
                steps.extend(missing.map(|e| FixStep::AppendEntry(rebased(list, base), (*e).to_owned())));
            }
            // `[]` and null look alike here.
            Some(_) => return,
            None => steps.push(FixStep::InsertKeyAfter(
                rebased(manifest.last_key, base),
                "dependsOn".to_owned(),
                listed(&entries),
            )),
        }
        if steps.len().saturating_mul(entries.len()) > MOST_STEPS {
            return;
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
