//! Names as numbers, and which units each name refers to.

use std::hash::BuildHasher;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

/// A name as a number: in one project equal texts have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sym(u32);

impl Sym {
    /// The number as an index into tables with one entry per name.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// The number of tables that the names are in: concurrent threads rarely need the same one.
const TABLES: u32 = 16;

/// The names of a project, of every kind: units, ids, tags, groups, directories.
#[derive(Debug, Default)]
pub struct Names {
    /// By a part of the text's hash.
    tables: [Mutex<Table>; TABLES as usize],
}

#[derive(Debug, Default)]
struct Table {
    syms: FxHashMap<Arc<str>, Sym>,
    /// The text at `n` in the table `t` has the number `n * TABLES + t`.
    texts: Vec<Arc<str>>,
}

impl Names {
    /// The table that a text is in, with the table's number.
    fn table(&self, text: &str) -> (MutexGuard<'_, Table>, u32) {
        // The map in the table takes the hash's highest and lowest bits.
        let number = (FxBuildHasher.hash_one(text) >> 32) as u32 % TABLES;
        (self.lock(number), number)
    }

    fn lock(&self, number: u32) -> MutexGuard<'_, Table> {
        let [first, ..] = &self.tables;
        let table = self.tables.get((number % TABLES) as usize).unwrap_or(first);
        table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a text.
    pub fn intern(&self, text: &Arc<str>) -> Sym {
        let (mut table, number) = self.table(text);
        if let Some(sym) = table.syms.get(text) {
            return *sym;
        }
        let count = u32::try_from(table.texts.len()).unwrap_or(u32::MAX);
        let sym = Sym(count.saturating_mul(TABLES).saturating_add(number));
        table.syms.insert(text.clone(), sym);
        table.texts.push(text.clone());
        sym
    }

    /// The numbers of many texts, in order.
    pub fn intern_all<'a>(&self, texts: impl IntoIterator<Item = &'a Arc<str>>) -> Box<[Sym]> {
        texts.into_iter().map(|text| self.intern(text)).collect()
    }

    /// The number of a text that was already interned.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Sym> {
        self.table(text).0.syms.get(text).copied()
    }

    /// The text of a number.
    #[must_use]
    pub fn text(&self, sym: Sym) -> Arc<str> {
        let table = self.lock(sym.0 % TABLES);
        let text = table.texts.get((sym.0 / TABLES) as usize);
        text.cloned().unwrap_or_default()
    }

    /// The number of entries of a table that is indexed by [`Sym`]: a few more than there are names.
    #[must_use]
    pub fn len(&self) -> usize {
        let counts = (0..TABLES).map(|number| self.lock(number).texts.len());
        counts.max().unwrap_or(0) * TABLES as usize
    }

    /// Whether there is no name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Which units each name refers to: two flat arrays, built in each pass.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    /// By name, where its units start in `units`; one entry more than names.
    starts: Box<[u32]>,
    units: Box<[u32]>,
}

impl NameIndex {
    /// Builds the index of some declarations. Units of one name keep their order.
    ///
    /// `names` is [`Names::len`]; declarations of numbers beyond it are ignored.
    #[must_use]
    pub fn new(names: usize, declarations: impl Iterator<Item = (Sym, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; names + 1];
        for (name, _) in declarations.clone() {
            if let Some(count) = starts.get_mut(name.index() + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut units = vec![0u32; sum as usize];
        for (name, unit) in declarations {
            if name.index() < names
                && let Some(at) = next.get_mut(name.index())
                && let Some(slot) = units.get_mut(*at as usize)
            {
                *slot = unit;
                *at += 1;
            }
        }
        Self {
            starts: starts.into(),
            units: units.into(),
        }
    }

    /// The units that have a name, in the order of their declarations.
    #[must_use]
    pub fn units(&self, name: Sym) -> &[u32] {
        let start = self.starts.get(name.index()).copied().unwrap_or(0) as usize;
        let end = self.starts.get(name.index() + 1).copied().unwrap_or(0) as usize;
        self.units.get(start..end).unwrap_or_default()
    }

    /// The names that more than one unit has, by number.
    pub fn repeated(&self) -> impl Iterator<Item = Sym> + '_ {
        let counts = (0u32..).zip(self.starts.windows(2));
        counts.filter_map(|(sym, ends)| matches!(ends, [a, b] if b - a > 1).then_some(Sym(sym)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_equal_numbers_and_units_keep_their_order() {
        let names = Names::default();
        let texts: Vec<Arc<str>> = ["b", "a", "b", "c"].map(Arc::from).to_vec();
        let syms = names.intern_all(&texts);
        assert_eq!(syms[0], syms[2]);
        assert_eq!(&*names.text(syms[1]), "a");
        assert_eq!(names.find("c"), Some(syms[3]));
        assert_eq!(names.find("d"), None);
        let index = NameIndex::new(names.len(), syms.iter().copied().zip(0u32..));
        assert_eq!(index.units(syms[0]), [0, 2]);
        assert_eq!(index.units(syms[1]), [1]);
        assert_eq!(index.repeated().collect::<Vec<_>>(), [syms[0]]);
        assert!(index.units(names.intern(&"later".into())).is_empty());
    }
}
