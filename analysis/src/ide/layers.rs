//! Which layer each unit of a variant is in.

use applyorder_core::engine::{OrderOf, UnitIx, Variant};

/// The layer of every unit of a variant.
pub(super) struct LayerTable<'a> {
    layers: &'a [Vec<UnitIx>],
    of: Vec<Option<u32>>,
}

impl<'a> LayerTable<'a> {
    /// The layers for applying.
    pub(super) fn new(variant: &'a Variant) -> Self {
        Self::of_order(variant, &variant.apply)
    }

    pub(super) fn of_order(variant: &Variant, order: &'a OrderOf) -> Self {
        let layers = order.layers.as_deref().unwrap_or_default();
        let mut of = vec![None; variant.units.len()];
        for (number, layer) in (0u32..).zip(layers) {
            for ix in layer {
                if let Some(slot) = of.get_mut(ix.0 as usize) {
                    *slot = Some(number);
                }
            }
        }
        Self { layers, of }
    }

    /// The number of a unit's layer, from 1.
    pub(super) fn number(&self, ix: UnitIx) -> Option<u32> {
        let number = (*self.of.get(ix.0 as usize)?)?;
        Some(number.saturating_add(1))
    }

    /// `layer 2 of 3`; `None` for a unit that has none.
    pub(super) fn of(&self, ix: UnitIx) -> Option<String> {
        let number = (*self.of.get(ix.0 as usize)?)?;
        Some(format!(
            "layer {} of {}",
            number.saturating_add(1),
            self.layers.len()
        ))
    }

    /// The first and the last of the layers that some units are in.
    pub(super) fn range(&self, units: impl IntoIterator<Item = UnitIx>) -> Option<(u32, u32)> {
        let numbers = units.into_iter().filter_map(|ix| self.number(ix));
        numbers.fold(None, |range, number| {
            let (first, last) = range.unwrap_or((number, number));
            Some((first.min(number), last.max(number)))
        })
    }

    /// `layers 2–3 of 6`; `None` where none of the units has a layer.
    pub(super) fn of_all(&self, units: impl IntoIterator<Item = UnitIx>) -> Option<String> {
        let range = self.range(units)?;
        Some(format!("{} of {}", in_words(range), self.layers.len()))
    }

    /// The other units of a unit's layer.
    pub(super) fn beside(&self, ix: UnitIx) -> impl Iterator<Item = UnitIx> + '_ {
        self.of
            .get(ix.0 as usize)
            .copied()
            .flatten()
            .and_then(|number| self.layers.get(number as usize))
            .into_iter()
            .flatten()
            .copied()
            .filter(move |other| *other != ix)
    }
}

/// `layer 2`, `layers 2–3`.
pub(super) fn in_words((first, last): (u32, u32)) -> String {
    if first == last {
        format!("layer {first}")
    } else {
        format!("layers {first}–{last}")
    }
}
