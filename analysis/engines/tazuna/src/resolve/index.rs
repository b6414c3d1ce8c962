//! Which name is whose in an expanded list, and who refers to it: tables that an edit changes in place.

use super::cache::{FileUnit, Sym, count};
use super::parts::{Expansion, Part};
use applyorder_core::config::TazunaGeneration;
use applyorder_core::rules::Signature;

/// No unit has the name.
pub(super) const NOBODY: u32 = u32::MAX;

/// How a unit stood in the order of the list, before a `dependsOn` ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// It says what it waits for.
    Waits,
    /// It says that it waits for nothing, or nobody knows what it says.
    Free,
    /// It says nothing.
    Silent,
}

/// The names of an expanded list.
#[derive(Clone, Default)]
pub(super) struct Index {
    /// By the number of a name: the unit that a reference means.
    owner: Vec<u32>,
    /// By the number of a name: how many units have it.
    declared: Vec<u32>,
    /// By the number of a name: how many units have it that Tazuna compares.
    compared: Vec<u32>,
    /// By the number of a name: the units that refer to it, once per reference, by part and number there. Made
    /// when first wanted.
    referring: Option<Vec<Vec<(u32, u32)>>>,
    /// Per position the unit's name.
    names: Vec<Sym>,
    /// Per position what is quickly told of the name.
    signatures: Vec<Signature>,
    /// Per position.
    turns: Vec<Turn>,
    /// The positions of units whose name Tazuna does not take, ascending.
    bad: Vec<u32>,
    /// The names that are taken more than once.
    repeated: Vec<Sym>,
    /// How many entries all `dependsOn` have.
    pub(super) entries: usize,
    /// Whether the last unit of a name is meant, and not the first.
    last_wins: bool,
}

fn is_compared(unit: &FileUnit) -> bool {
    !unit.broken && unit.problem.is_none()
}

fn is_bad(unit: &FileUnit) -> bool {
    !unit.broken && unit.problem.is_some()
}

fn turn_of(unit: &FileUnit) -> Turn {
    match unit {
        u if !u.needs.is_empty() => Turn::Waits,
        u if u.says_needs || u.broken => Turn::Free,
        _ => Turn::Silent,
    }
}

impl Index {
    /// The names of a list; `names` is how many there are by now.
    pub(super) fn new(expansion: &Expansion, names: usize, generation: TazunaGeneration) -> Self {
        let total = expansion.list.len();
        let mut index = Self {
            owner: vec![NOBODY; names],
            declared: vec![0; names],
            compared: vec![0; names],
            names: Vec::with_capacity(total),
            signatures: Vec::with_capacity(total),
            turns: Vec::with_capacity(total),
            last_wins: generation < TazunaGeneration::G5,
            ..Self::default()
        };
        for position in 0..total {
            let Some((unit, _)) = expansion.at(position) else {
                continue;
            };
            index.names.push(unit.name);
            index.signatures.push(unit.signature);
            index.turns.push(turn_of(unit));
            index.entries += unit.needs.len();
            if is_bad(unit) {
                index.bad.push(count(position));
            }
            index.declare(count(position), unit);
        }
        index
    }

    fn declare(&mut self, position: u32, unit: &FileUnit) {
        let name = unit.name as usize;
        if let Some(owner) = self.owner.get_mut(name) {
            *owner = match *owner {
                NOBODY => position,
                known if self.last_wins => known.max(position),
                known => known.min(position),
            };
        }
        add(&mut self.declared, name, 1);
        if is_compared(unit) && add(&mut self.compared, name, 1) == 2 {
            self.repeated.push(unit.name);
        }
    }

    fn undeclare(&mut self, position: u32, unit: &FileUnit) {
        let name = unit.name as usize;
        let left = add(&mut self.declared, name, -1);
        let was_meant = self.owner.get(name) == Some(&position);
        if was_meant {
            let mut others = (0u32..)
                .zip(&self.names)
                .filter(|(p, n)| **n == unit.name && *p != position)
                .map(|(p, _)| p);
            let next = match (left, self.last_wins) {
                (0, _) => None,
                (_, false) => others.next(),
                (_, true) => others.last(),
            };
            if let Some(owner) = self.owner.get_mut(name) {
                *owner = next.unwrap_or(NOBODY);
            }
        }
        if is_compared(unit) && add(&mut self.compared, name, -1) == 1 {
            self.repeated.retain(|n| *n != unit.name);
        }
    }

    /// Puts another unit at a position, and gives room to so many names.
    pub(super) fn replace(&mut self, position: u32, old: &FileUnit, new: &FileUnit, names: usize) {
        self.make_room(names);
        self.entries = (self.entries + new.needs.len()).saturating_sub(old.needs.len());
        let at = position as usize;
        if let Some(turn) = self.turns.get_mut(at) {
            *turn = turn_of(new);
        }
        if is_bad(old) != is_bad(new) {
            match self.bad.binary_search(&position) {
                Ok(i) => drop(self.bad.remove(i)),
                Err(i) => self.bad.insert(i, position),
            }
        }
        if old.name == new.name && is_compared(old) == is_compared(new) {
            return;
        }
        self.undeclare(position, old);
        if let (Some(name), Some(signature)) = (self.names.get_mut(at), self.signatures.get_mut(at)) {
            *name = new.name;
            *signature = new.signature;
        }
        self.declare(position, new);
    }

    /// Puts more or fewer units in the place of some that stand together; all behind them move.
    pub(super) fn splice(&mut self, first: u32, old: &[&FileUnit], new: &[&FileUnit], names: usize) {
        self.make_room(names);
        let waiting = |units: &[&FileUnit]| units.iter().map(|u| u.needs.len()).sum::<usize>();
        self.entries = (self.entries + waiting(new)).saturating_sub(waiting(old));
        for (position, unit) in (first..).zip(old) {
            self.undeclare(position, unit);
            if let Some(name) = self.names.get_mut(position as usize) {
                // Nobody's, so that it is not found as another unit of that name.
                *name = Sym::MAX;
            }
        }
        let (behind, delta) = (
            first + count(old.len()),
            count(new.len()).wrapping_sub(count(old.len())),
        );
        let shift = |position: &mut u32| {
            if *position != NOBODY && *position >= behind {
                *position = position.wrapping_add(delta);
            }
        };
        self.bad.retain(|p| !(first..behind).contains(p));
        self.owner.iter_mut().chain(&mut self.bad).for_each(shift);
        let range = first as usize..(behind as usize).min(self.names.len());
        self.names.splice(range.clone(), new.iter().map(|u| u.name));
        self.signatures
            .splice(range.clone(), new.iter().map(|u| u.signature));
        self.turns.splice(range, new.iter().map(|u| turn_of(u)));
        for (position, unit) in (first..).zip(new) {
            self.declare(position, unit);
            if is_bad(unit)
                && let Err(i) = self.bad.binary_search(&position)
            {
                self.bad.insert(i, position);
            }
        }
    }

    fn make_room(&mut self, names: usize) {
        if self.owner.len() < names {
            self.owner.resize(names, NOBODY);
            self.declared.resize(names, 0);
            self.compared.resize(names, 0);
        }
    }

    /// The position of the unit that a name means, or [`NOBODY`].
    pub(super) fn owner(&self, name: Sym) -> u32 {
        self.owner.get(name as usize).copied().unwrap_or(NOBODY)
    }

    /// How often a name is declared, broken units not counted, nor bad names.
    pub(super) fn times(&self, name: Sym) -> u32 {
        self.compared.get(name as usize).copied().unwrap_or(0)
    }

    /// Whether some unit has the name.
    pub(super) fn is_declared(&self, name: Sym) -> bool {
        self.declared.get(name as usize).is_some_and(|n| *n > 0)
    }

    /// The names of all units, in order.
    pub(super) fn names(&self) -> &[Sym] {
        &self.names
    }

    /// What is quickly told of the name of the unit at a position.
    pub(super) fn signature(&self, position: usize) -> Signature {
        self.signatures.get(position).copied().unwrap_or_default()
    }

    /// The positions of units with a bad name, ascending.
    pub(super) fn bad(&self) -> &[u32] {
        &self.bad
    }

    /// Whether a name is taken more than once.
    pub(super) fn has_repeated(&self) -> bool {
        !self.repeated.is_empty()
    }

    /// The last unit before a position whose turn came after the one before it.
    pub(super) fn before(&self, position: u32) -> Option<usize> {
        let all = self.turns.get(..position as usize)?;
        all.iter().rposition(|t| *t != Turn::Waits)
    }

    /// The first unit from a position on whose turn came after the one before it.
    pub(super) fn after(&self, position: u32) -> Option<usize> {
        let rest = self.turns.get(position as usize..)?;
        Some(position as usize + rest.iter().position(|t| *t != Turn::Waits)?)
    }

    /// How the unit at a position stood in the order of the list.
    pub(super) fn turn(&self, position: usize) -> Option<Turn> {
        self.turns.get(position).copied()
    }

    /// The first unit that waits for another.
    pub(super) fn first_waiting(&self) -> Option<u32> {
        self.turns.iter().position(|t| *t == Turn::Waits).map(count)
    }

    /// Notes who refers to what, if it is not noted yet.
    pub(super) fn note_references(&mut self, expansion: &Expansion) {
        if self.referring.is_some() {
            return;
        }
        self.referring = Some(vec![Vec::new(); self.owner.len()]);
        for (number, part) in (0u32..).zip(expansion.parts.iter()) {
            self.add_references(number, part);
        }
    }

    fn add_references(&mut self, number: u32, part: &Part) {
        let names = self.owner.len();
        let Some(referring) = &mut self.referring else {
            return;
        };
        referring.resize(names.max(referring.len()), Vec::new());
        for (index, unit) in (0u32..).zip(&part.units.units) {
            for need in part.needs_of(unit) {
                if let Some(units) = referring.get_mut(need.name as usize) {
                    units.push((number, index));
                }
            }
        }
    }

    /// Notes that a part refers to other names now.
    pub(super) fn refer(&mut self, number: u32, old: &Part, new: &Part) {
        if let Some(referring) = &mut self.referring {
            for need in &old.units.needs {
                if let Some(units) = referring.get_mut(need.name as usize) {
                    units.retain(|(part, _)| *part != number);
                }
            }
        }
        self.add_references(number, new);
    }

    /// Notes that parts have other numbers now: `number` says which, `None` of those that are no longer there.
    /// `new` are those that are there for the first time.
    pub(super) fn renumber<'a>(
        &mut self,
        number: impl Fn(u32) -> Option<u32>,
        new: impl Iterator<Item = (u32, &'a Part)>,
    ) {
        for units in self.referring.iter_mut().flatten() {
            units.retain_mut(|(part, _)| {
                let now = number(*part);
                *part = now.unwrap_or(*part);
                now.is_some()
            });
        }
        for (number, part) in new {
            self.add_references(number, part);
        }
    }

    /// The units that refer to a name, by part and number there; some more than once.
    pub(super) fn referring(&self, name: Sym) -> &[(u32, u32)] {
        let all = self.referring.as_ref();
        all.and_then(|r| r.get(name as usize)).map_or(&[], Vec::as_slice)
    }
}

fn add(counts: &mut [u32], at: usize, by: i32) -> u32 {
    let Some(count) = counts.get_mut(at) else { return 0 };
    *count = count.saturating_add_signed(by);
    *count
}
