//! Which unit has which name in an expanded list.

use crate::config::TazunaGeneration;
use crate::model::Expansion;
use applyorder_core::layer::Sym;

/// No unit has the name.
pub(crate) const NO_UNIT: u32 = u32::MAX;

/// The names of an expanded list.
#[derive(Default)]
pub(crate) struct Index {
    /// By the number of a name: the unit that a reference refers to.
    owner: Vec<u32>,
    /// By the number of a name: how many units have it that Tazuna compares.
    compared: Vec<u32>,
    /// The positions of units whose name Tazuna rejects, ascending.
    pub(crate) bad: Vec<u32>,
    /// Whether a name is taken more than once.
    pub(crate) has_repeated: bool,
}

impl Index {
    /// The names of a list; `names` is the current number of names.
    pub(super) fn new(expansion: &Expansion, names: usize, generation: TazunaGeneration) -> Self {
        let mut index = Self {
            owner: vec![NO_UNIT; names],
            compared: vec![0; names],
            ..Self::default()
        };
        let last_wins = generation < TazunaGeneration::G5;
        for (position, unit) in (0u32..).zip(&expansion.summaries) {
            let name = unit.name.index();
            if let Some(owner) = index.owner.get_mut(name)
                && (*owner == NO_UNIT || last_wins)
            {
                *owner = position;
            }
            if unit.broken {
                continue;
            }
            if unit.is_bad {
                index.bad.push(position);
            } else if let Some(times) = index.compared.get_mut(name) {
                *times += 1;
                index.has_repeated |= *times > 1;
            }
        }
        index
    }

    /// The position of the unit with a name, or [`NO_UNIT`].
    pub(crate) fn owner(&self, name: Sym) -> u32 {
        self.owner.get(name.index()).copied().unwrap_or(NO_UNIT)
    }

    /// How often a name is declared, broken units not counted, nor bad names.
    pub(crate) fn times(&self, name: Sym) -> u32 {
        self.compared.get(name.index()).copied().unwrap_or(0)
    }

    /// Whether some unit has the name.
    pub(crate) fn is_declared(&self, name: Sym) -> bool {
        self.owner(name) != NO_UNIT
    }
}
