//! Stands in for the memo, the names and the shapes of the shared layer.

use std::any::{Any, TypeId};
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use super::super::read::TazunaFacts;
use crate::diagnostic::FileId;
use crate::engines::{Cx, Facts};
use crate::files::ReadError;

/// A name as a number; equal names have equal numbers.
pub(in crate::engines::tazuna) type Sym = u32;

/// A number that changes exactly when the shape of a file's facts does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::engines::tazuna) struct Shape(u64);

/// The facts of a file.
pub(in crate::engines::tazuna) struct Read {
    pub(in crate::engines::tazuna) file: FileId,
    pub(in crate::engines::tazuna) shape: Shape,
    pub(in crate::engines::tazuna) facts: Arc<TazunaFacts>,
}

trait Table: Any + Send {
    fn sweep(&mut self, pass: u64);
    fn as_any(&mut self) -> &mut dyn Any;
}

struct Of<K, V>(FxHashMap<K, (Arc<V>, u64)>);

impl<K: Eq + Hash + Send + 'static, V: Send + Sync + 'static> Table for Of<K, V> {
    fn sweep(&mut self, pass: u64) {
        self.0.retain(|_, (_, used)| *used == pass);
    }

    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

#[derive(Default)]
struct State {
    tables: FxHashMap<(TypeId, TypeId), Box<dyn Table>>,
    names: FxHashMap<Arc<str>, Sym>,
    shapes: FxHashMap<FileId, (Shape, Arc<TazunaFacts>)>,
    next_shape: u64,
    pass: u64,
    disk: u64,
}

/// What is kept from one pass to the next.
#[derive(Default)]
pub(in crate::engines::tazuna) struct Memo(Mutex<State>);

impl Memo {
    fn with<T>(&self, f: impl FnOnce(&mut State) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn table<K: Eq + Hash + Send + 'static, V: Send + Sync + 'static, T>(
        &self,
        f: impl FnOnce(&mut FxHashMap<K, (Arc<V>, u64)>, u64) -> T,
        none: T,
    ) -> T {
        self.with(|state| {
            let pass = state.pass;
            let table = state
                .tables
                .entry((TypeId::of::<K>(), TypeId::of::<V>()))
                .or_insert_with(|| Box::new(Of::<K, V>(FxHashMap::default())));
            match table.as_any().downcast_mut::<Of<K, V>>() {
                Some(table) => f(&mut table.0, pass),
                None => none,
            }
        })
    }

    pub(in crate::engines::tazuna) fn get<K, V>(&self, key: K, make: impl FnOnce() -> V) -> Arc<V>
    where
        K: Eq + Hash + Send + Sync + 'static,
        V: Send + Sync + 'static,
    {
        let known = self.table(
            |table: &mut FxHashMap<K, (Arc<V>, u64)>, pass| {
                let (value, used) = table.get_mut(&key)?;
                *used = pass;
                Some(value.clone())
            },
            None,
        );
        known.unwrap_or_else(|| {
            let value = Arc::new(make());
            let kept = value.clone();
            self.table(|table, pass| drop(table.insert(key, (kept, pass))), ());
            value
        })
    }

    pub(in crate::engines::tazuna) fn name(&self, name: &Arc<str>) -> Sym {
        self.with(|state| {
            if let Some(known) = state.names.get(name) {
                return *known;
            }
            let next = super::super::count(state.names.len());
            state.names.insert(name.clone(), next);
            next
        })
    }

    pub(in crate::engines::tazuna) fn known_name(&self, name: &str) -> Option<Sym> {
        self.with(|state| state.names.get(name).copied())
    }

    pub(in crate::engines::tazuna) fn names(&self) -> usize {
        self.with(|state| state.names.len())
    }

    pub(in crate::engines::tazuna) fn begin(&self, disk_changed: bool) {
        self.with(|state| {
            state.pass += 1;
            state.disk += u64::from(disk_changed);
        });
    }

    pub(in crate::engines::tazuna) fn end(&self) {
        self.with(|state| {
            let pass = state.pass;
            state.tables.values_mut().for_each(|table| table.sweep(pass));
        });
    }
}

/// What a pass may ask.
pub(in crate::engines::tazuna) struct Pass<'a, 'c> {
    pub(in crate::engines::tazuna) cx: &'a Cx<'c>,
    pub(in crate::engines::tazuna) memo: &'a Memo,
}

impl Pass<'_, '_> {
    pub(in crate::engines::tazuna) fn memo(&self) -> &Memo {
        self.memo
    }

    /// A number that changes when something came or went on the disk.
    pub(in crate::engines::tazuna) fn disk(&self) -> u64 {
        self.memo.with(|state| state.disk)
    }

    pub(in crate::engines::tazuna) fn read(&self, file: FileId) -> Result<Read, ReadError> {
        let facts = self.cx.facts_again::<TazunaFacts>(file)?;
        let shape = self.memo.with(|state| {
            let next = Shape(state.next_shape);
            let known = state.shapes.entry(file).or_insert_with(|| (next, facts.clone()));
            if known.0 == next {
                state.next_shape += 1;
            } else if !Arc::ptr_eq(&known.1, &facts) {
                let same = facts.same_shape(&*known.1);
                *known = (if same { known.0 } else { next }, facts.clone());
                state.next_shape += u64::from(!same);
            }
            known.0
        });
        Ok(Read { file, shape, facts })
    }
}
