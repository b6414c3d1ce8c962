//! Places of names that are read as another string.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::{Expansion, Piece};
use applyorder_core::diagnostic::Place;
use applyorder_core::layer::Sym;

/// Places of some names: in their manifests, and in the entries that refer to them.
#[derive(Default)]
pub(crate) struct Occurrences {
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

impl Occurrences {
    /// For the names in files whose findings need it.
    pub(super) fn of(expansion: &Expansion) -> Self {
        let mut occurrences = Self::default();
        let wanting = || expansion.parts.iter().filter(|p| p.brief.is_entangled);
        occurrences
            .name_at
            .extend(wanting().flat_map(|p| names_in(&p.piece)));
        if occurrences.name_at.is_empty() {
            return occurrences;
        }
        let names: FxHashSet<Sym> = occurrences.name_at.values().copied().collect();
        let all = || (0..expansion.list.len()).filter_map(|position| expansion.at(position));
        let declared = all().filter_map(|(u, _)| Some((u.unit.name_place?, u.name)));
        let needs = all().flat_map(|(unit, part)| part.piece.needs_of(unit));
        let entries = needs.map(|n| (n.place, n.name));
        let mut seen: FxHashSet<Place> = FxHashSet::default();
        for (place, name) in declared.chain(entries).filter(|(_, name)| names.contains(name)) {
            if seen.insert(place) {
                occurrences.places.entry(name).or_default().push(place);
            }
        }
        occurrences
    }

    /// The places of the names in a file.
    pub(super) fn told<'a>(&'a self, piece: &'a Piece) -> impl Iterator<Item = &'a Vec<Place>> + 'a {
        names_in(piece).filter_map(|(_, name)| self.places.get(&name))
    }

    /// The other places of the name at a place, if that is a name.
    pub(crate) fn others(&self, place: Place) -> impl Iterator<Item = Place> {
        let places = self.name_at.get(&place).and_then(|name| self.places.get(name));
        places
            .into_iter()
            .flatten()
            .copied()
            .filter(move |other| *other != place)
    }
}
