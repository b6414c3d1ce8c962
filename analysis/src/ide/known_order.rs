//! The effect of proposals for one unit, computed from the edges of the order.

use rustc_hash::FxHashMap;

use super::consequence::{Consequence, Consequences, moves, on_operation};
use super::unit as unit_of;
use applyorder_core::engine::{DependencyIx, Joins, UnitIx, Variant};

/// A variant that contains the unit of the proposals.
pub(super) struct Known<'a> {
    /// What all proposals that it answers for have in common.
    like: Joins,
    variant: &'a Variant,
    numbers: FxHashMap<&'a str, UnitIx>,
    consequences: Consequences<'a>,
    own: UnitIx,
}

impl<'a> Known<'a> {
    pub(super) fn new(variant: &'a Variant, joins: &Joins, replaced: &[DependencyIx]) -> Option<Self> {
        let unit = joins.unit.as_ref()?;
        let units = (0..).map(UnitIx).zip(&variant.units);
        let numbers: FxHashMap<&str, UnitIx> = units.map(|(ix, unit)| (&*unit.name, ix)).collect();
        let own = *numbers.get(&**unit)?;
        Some(Self {
            like: joins.clone(),
            variant,
            numbers,
            consequences: Consequences::new(variant, joins.operation, own, replaced),
            own,
        })
    }

    pub(super) fn is_for(&self, joins: &Joins) -> bool {
        self.like.unit == joins.unit && self.like.operation == joins.operation
    }

    /// The effect of a proposal, and its text.
    pub(super) fn of(&mut self, joins: &Joins) -> Option<(Consequence, String)> {
        let others = joins.others.iter().map(|name| self.numbers.get(&**name).copied());
        let others: Vec<UnitIx> = others.collect::<Option<_>>()?;
        let consequence = self.consequences.of(&others, joins.reversed);
        let said = self.in_words(&consequence, joins);
        Some((consequence, said))
    }

    fn in_words(&self, consequence: &Consequence, joins: &Joins) -> String {
        let name = |unit: UnitIx| unit_of(self.variant, unit).map_or("", |u| &*u.name);
        let said = match consequence {
            Consequence::Cycle => "would close a cycle".to_owned(),
            Consequence::Already if joins.reversed => "already after it".to_owned(),
            Consequence::Already => "already before it".to_owned(),
            Consequence::Stays => match self.consequences.own_layer() {
                Some(layer) => format!("{} stays in {layer}", name(self.own)),
                None => String::new(),
            },
            Consequence::Moves(moved) => moves(moved.iter().map(|(unit, layer)| (name(*unit), *layer))),
            Consequence::Unknown => String::new(),
        };
        on_operation(said, joins.operation)
    }
}
