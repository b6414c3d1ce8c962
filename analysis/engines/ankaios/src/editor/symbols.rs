//! Configs as names that are declared and referred to.

use std::sync::Arc;

use applyorder_core::diagnostic::{EngineIx, Place};
use applyorder_core::engine::{Symbol, UnitIx};
use rustc_hash::FxHashMap;

use crate::model::Model;

/// One symbol for each config, in the order in which they first appear.
pub(crate) fn symbols(model: &Model, engine: EngineIx) -> Vec<Symbol> {
    let mut found: Vec<Symbol> = Vec::new();
    let mut numbers: FxHashMap<Arc<str>, usize> = FxHashMap::default();
    let mut number = |name: &str, found: &mut Vec<Symbol>| {
        *numbers.entry(name.into()).or_insert_with(|| {
            found.push(Symbol {
                kind: "config",
                name: name.into(),
                definitions: Vec::new(),
                references: Vec::new(),
                units: Vec::new(),
                dependencies: Vec::new(),
                renameable: true,
            });
            found.len() - 1
        })
    };
    for (at, source) in (0u32..).zip(&model.sources) {
        let place = |index| Place::anchor(source.file, engine, index);
        for config in &source.manifest().configs {
            let number = number(&config.name.value, &mut found);
            if let Some(symbol) = found.get_mut(number) {
                symbol.definitions.push(place(config.name.place));
            }
        }
        for (own, workload) in (0u32..).zip(&source.manifest().workloads) {
            let unit: Option<UnitIx> = model.unit_of(at, own);
            for used in &workload.configs {
                let number = number(&used.config.value, &mut found);
                if let Some(symbol) = found.get_mut(number) {
                    symbol.references.push(place(used.config.place));
                    symbol
                        .units
                        .extend(unit.filter(|u| symbol.units.last() != Some(u)));
                }
            }
        }
    }
    found
}
