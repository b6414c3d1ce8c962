//! What waits for what, asked from the tables of a project as an edit left them, without a graph being built.

use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::Sym;
use super::index::{Index, NOBODY};
use super::parts::Expansion;

/// An entry of `dependsOn`: the position of its unit, and its number there.
pub(super) type Entry = (u32, u32);

/// An entry that others imply.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Implied {
    pub(super) entry: Entry,
    /// The entries on a shortest way to the same unit; of several the one whose first entry comes first, and so on.
    pub(super) way: Vec<Entry>,
}

/// Where there is no cycle: units and what they wait for.
#[derive(Clone, Copy)]
pub(super) struct Ties<'a> {
    pub(super) expansion: &'a Expansion,
    pub(super) index: &'a Index,
    /// Per unit a number that is greater than that of everything it waits for.
    pub(super) levels: &'a [u32],
    /// No entry leads further down in levels than this.
    pub(super) span: u32,
}

impl<'a> Ties<'a> {
    fn level(self, position: u32) -> u32 {
        self.levels.get(position as usize).copied().unwrap_or(0)
    }

    /// How far down in levels an entry leads at most.
    pub(super) fn widest(self) -> u32 {
        let down = |position| {
            let levels = self.targets(position).map(|(_, target)| self.level(target));
            self.level(position)
                .saturating_sub(levels.min().unwrap_or(u32::MAX))
        };
        (0..super::cache::count(self.levels.len()))
            .map(down)
            .max()
            .unwrap_or(0)
    }

    /// What a unit waits for, with the numbers of the entries.
    pub(super) fn targets(self, position: u32) -> impl Iterator<Item = (u32, u32)> + 'a {
        let at = self.expansion.at(position as usize);
        let needs = at.filter(|(unit, _)| !unit.broken);
        let needs = needs.map_or(&[][..], |(unit, part)| part.needs_of(unit));
        let owned = (0u32..).zip(needs);
        owned.filter_map(move |(number, need)| {
            let target = self.index.owner(need.name);
            (target != NOBODY).then_some((number, target))
        })
    }

    /// The units that refer to a name, ascending.
    pub(super) fn referring(self, name: Sym) -> Vec<u32> {
        let all = self.index.referring(name).iter();
        let mut units: Vec<u32> = all
            .filter_map(|(part, u)| self.expansion.position(*part, *u))
            .collect();
        units.sort_unstable();
        units.dedup();
        units
    }

    /// The units that wait for a unit.
    fn dependents(self, position: u32) -> Vec<u32> {
        let name = self.expansion.at(position as usize).map(|(unit, _)| unit.name);
        let Some(name) = name.filter(|name| self.index.owner(*name) == position) else {
            return Vec::new();
        };
        let mut units = self.referring(name);
        units.retain(|p| {
            self.expansion
                .at(*p as usize)
                .is_some_and(|(unit, _)| !unit.broken)
        });
        units
    }
}

/// A search with a limit on its steps.
pub(super) struct Search<'a> {
    ties: Ties<'a>,
    left: u64,
    direct: FxHashMap<u32, Direct>,
    seen: FxHashSet<u32>,
    open: Vec<Reached>,
}

/// Something that the unit in question waits for by an entry of its own.
struct Direct {
    need: u32,
    /// Whether it may be reached over another entry as well.
    is_open: bool,
}

/// A unit that was reached, by which entry, and from which of the units reached before.
struct Reached {
    position: u32,
    by: Entry,
    from: Option<usize>,
}

impl<'a> Search<'a> {
    pub(super) fn new(ties: Ties<'a>, steps: u64) -> Self {
        Self {
            ties,
            left: steps,
            direct: FxHashMap::default(),
            seen: FxHashSet::default(),
            open: Vec::new(),
        }
    }

    fn step(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// The entries of a unit that others imply, in their order. `None`: it takes too many steps.
    pub(super) fn implied(&mut self, position: u32) -> Option<Vec<Implied>> {
        let mut found = Vec::new();
        self.direct.clear();
        self.seen.clear();
        self.open.clear();
        let mut highest = 0;
        for (need, target) in self.ties.targets(position) {
            self.step()?;
            if let Some(known) = self.direct.get(&target) {
                found.push(Implied {
                    entry: (position, need),
                    way: vec![(position, known.need)],
                });
                continue;
            }
            highest = highest.max(self.ties.level(target));
            let direct = Direct { need, is_open: false };
            self.direct.insert(target, direct);
            self.open.push(Reached {
                position: target,
                by: (position, need),
                from: None,
            });
        }
        // What leads to a unit has a higher level.
        let (mut count, mut floor) = (0, u32::MAX);
        for (target, direct) in &mut self.direct {
            let level = self.ties.level(*target);
            direct.is_open = level < highest;
            if direct.is_open {
                count += 1;
                floor = floor.min(level);
            }
        }
        let ties = self.ties;
        self.open.retain(|r| ties.level(r.position) > floor);
        let mut at = 0;
        while count > 0
            && let Some(reached) = self.open.get(at)
        {
            for (need, target) in ties.targets(reached.position) {
                self.step()?;
                let entry = (self.open.get(at)?.position, need);
                if let Some(direct) = self.direct.get_mut(&target) {
                    if std::mem::take(&mut direct.is_open) {
                        count -= 1;
                        found.push(Implied {
                            entry: (position, direct.need),
                            way: self.way(at, entry),
                        });
                    }
                } else if ties.level(target) > floor && self.seen.insert(target) {
                    self.open.push(Reached {
                        position: target,
                        by: entry,
                        from: Some(at),
                    });
                }
            }
            at += 1;
        }
        found.sort_unstable_by_key(|implied| implied.entry);
        Some(found)
    }

    /// The entries that lead to what was reached, and a last one.
    fn way(&self, reached: usize, last: Entry) -> Vec<Entry> {
        let mut way = vec![last];
        let mut next = Some(reached);
        while let Some(reached) = next.and_then(|at| self.open.get(at)) {
            way.push(reached.by);
            next = reached.from;
        }
        way.reverse();
        way
    }

    /// The units of which an entry may be implied, or implied otherwise, because of new ties, each from a unit to
    /// one that it waits for: those that lead to the one end by an entry on what the other end leads to. `None`: it
    /// takes too many steps.
    pub(super) fn concerned(&mut self, ties: &[(u32, u32)]) -> Option<Vec<u32>> {
        let all = self.ties;
        let mut up = Front::new(ties.iter().map(|(from, _)| *from));
        let mut down = Front::new(ties.iter().map(|(_, to)| *to));
        let lowest = ties.iter().map(|(from, _)| all.level(*from)).min().unwrap_or(0);
        let highest = ties.iter().map(|(_, to)| all.level(*to)).max().unwrap_or(0);
        // Such an entry starts at or above the one end and ends at or below the other.
        let (top, bottom) = (highest.saturating_add(all.span), lowest.saturating_sub(all.span));
        // Whichever side comes to its end first.
        while let Some(position) = up.take() {
            for dependent in all.dependents(position) {
                self.step()?;
                if all.level(dependent) <= top {
                    up.add(dependent);
                }
            }
            let Some(position) = down.take() else {
                let mut units = Vec::new();
                for position in down.all {
                    for dependent in all.dependents(position) {
                        self.step()?;
                        if all.level(dependent) >= lowest {
                            units.push(dependent);
                        }
                    }
                }
                return Some(units);
            };
            for (_, target) in all.targets(position) {
                self.step()?;
                if all.level(target) >= bottom {
                    down.add(target);
                }
            }
        }
        let reaches = |position: &u32| {
            all.targets(*position)
                .any(|(_, target)| all.level(target) <= highest)
        };
        up.all.retain(reaches);
        Some(up.all)
    }
}

/// What was reached in one direction, and up to where it was gone on from.
struct Front {
    all: Vec<u32>,
    seen: FxHashSet<u32>,
    next: usize,
}

impl Front {
    fn new(starts: impl Iterator<Item = u32>) -> Self {
        let mut front = Self {
            all: Vec::new(),
            seen: FxHashSet::default(),
            next: 0,
        };
        starts.for_each(|start| front.add(start));
        front
    }

    fn add(&mut self, position: u32) {
        if self.seen.insert(position) {
            self.all.push(position);
        }
    }

    fn take(&mut self) -> Option<u32> {
        let position = *self.all.get(self.next)?;
        self.next += 1;
        Some(position)
    }
}
