//! The list of engines, as a value.

use super::{Engine, EngineIx, RunOption};
use crate::config::{Known, OWN_RULES};
use crate::diagnostic::Rule;

/// A list of engines, in the order of tables and of [`EngineIx`].
#[derive(Clone, Copy)]
pub struct Engines(&'static [&'static dyn Engine]);

impl Engines {
    /// A list of engines, each with an id of its own.
    ///
    /// # Panics
    /// When there are more engines than numbers for them.
    #[must_use]
    pub const fn new(engines: &'static [&'static dyn Engine]) -> Self {
        assert!(
            engines.len() <= u16::MAX as usize,
            "more engines than an index can name"
        );
        Self(engines)
    }

    /// Each engine with its index.
    pub fn iter(self) -> impl Iterator<Item = (EngineIx, &'static dyn Engine)> + Clone {
        (0..=u16::MAX).map(EngineIx).zip(self.0.iter().copied())
    }

    /// How many there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// The engine of an index.
    #[must_use]
    pub fn get(self, engine: EngineIx) -> Option<&'static dyn Engine> {
        self.0.get(engine.index()).copied()
    }

    /// The index of an engine, by its id.
    #[must_use]
    pub fn index_of(self, id: &str) -> Option<EngineIx> {
        let mut all = self.iter();
        all.find_map(|(index, engine)| (engine.meta().id == id).then_some(index))
    }

    /// The ids, in order.
    pub fn ids(self) -> impl Iterator<Item = &'static str> + Clone {
        self.0.iter().map(|engine| engine.meta().id)
    }

    /// The options of all engines, each once, in the order of the engines.
    #[must_use]
    pub fn options(self) -> Vec<&'static RunOption> {
        let mut options: Vec<&'static RunOption> = Vec::new();
        for option in self.0.iter().flat_map(|engine| engine.meta().options) {
            if !options.iter().any(|known| known.name == option.name) {
                options.push(option);
            }
        }
        options
    }

    /// Every rule: our own, the shared ones and every engine's own, sorted by id, each once.
    #[must_use]
    pub fn rules(self) -> Vec<&'static Rule> {
        let of = |engine: &&'static dyn Engine| {
            let meta = engine.meta();
            meta.rules.iter().chain(meta.shared_rules).copied()
        };
        let mut rules: Vec<&'static Rule> = self.0.iter().flat_map(of).collect();
        rules.extend(OWN_RULES);
        rules.sort_by_key(|rule| rule.id);
        rules.dedup_by_key(|rule| rule.id);
        rules
    }

    /// What a configuration can name.
    #[must_use]
    pub fn known(self) -> Known {
        Known {
            rules: self.rules().iter().map(|rule| rule.id).collect(),
            engines: self.ids().collect(),
            sections: self.0.iter().filter_map(|engine| engine.meta().config).collect(),
        }
    }
}

impl std::fmt::Debug for Engines {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}
