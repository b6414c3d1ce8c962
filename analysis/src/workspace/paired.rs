//! Which unit of a variant is which after edits of a rename: determined by where each is declared.

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Unit, UnitIx, Variant};
use rustc_hash::FxHashMap;

/// For each unit the same one afterwards; `None` if it was removed.
pub(crate) fn paired(before: &Variant, after: &Variant) -> Vec<Option<UnitIx>> {
    let mut places: FxHashMap<Place, Vec<UnitIx>> = FxHashMap::default();
    for (ix, unit) in (0u32..).map(UnitIx).zip(&after.units) {
        places.entry(unit.place()).or_default().push(ix);
    }
    // Several units at one place are in the same order before and after.
    let mut taken: FxHashMap<Place, usize> = FxHashMap::default();
    let find = |unit: &Unit| {
        let at = taken.entry(unit.place()).or_default();
        let found = places.get(&unit.place()).and_then(|all| all.get(*at).copied());
        *at += 1;
        found
    };
    before.units.iter().map(find).collect()
}
