//! From the expanded list to units, dependencies and orders (Tazuna G5, dependsOn and execution order).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::cache::{Cache, count};
use super::index::{Index, NOBODY};
use super::no_order;
use super::parts::Expansion;
use super::slot::dependency;
use crate::tags;
use applyorder_core::config::TazunaGeneration;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Dependency, OrderOf, Symbol, Unit, UnitIx, Variant};
use applyorder_core::graph::{GraphBuilder, Layers, NodeId, OrderGraph};

const ONE_BY_ONE: &str = "without any `dependsOn` manifests run one after the other, as they are listed";
const DESTROY: &str = "`destroy` goes by the list, one after the other";

/// What waits for what, and the layers unless there is a cycle.
#[derive(Clone)]
pub(super) struct Waiting {
    pub(super) graph: Arc<OrderGraph>,
    pub(super) layers: Option<Arc<Layers>>,
}

impl Waiting {
    /// Of an expanded list. Edges carry the numbers of dependencies, counted along the list.
    pub(super) fn of(expansion: &Expansion, index: &Index) -> Self {
        let total = expansion.list.len();
        let mut graph = GraphBuilder::with_capacity(total, index.entries);
        for unit in 0..count(total) {
            graph.unit(unit);
        }
        let mut number = 0;
        for position in 0..total {
            let Some((unit, part)) = expansion.at(position) else {
                continue;
            };
            for need in part.needs_of(unit) {
                let target = index.owner(need.name);
                if target != NOBODY && !unit.broken {
                    graph.explicit(NodeId(count(position)), NodeId(target), number);
                }
                number += 1;
            }
        }
        let graph = Arc::new(graph.build());
        Self {
            layers: graph.layers().map(Arc::new),
            graph,
        }
    }
}

/// What a variant and the symbols are made from, once somebody asks. Does not hold the cache, which holds it.
#[derive(Clone)]
pub(super) struct Plan {
    pub(super) expansion: Arc<Expansion>,
    pub(super) generation: TazunaGeneration,
    /// `--tags`.
    pub(super) tags: Vec<String>,
    /// How many numbers were given to names.
    pub(super) names: usize,
    pub(super) environments: Vec<Option<Arc<str>>>,
    /// Where it is known already.
    pub(super) waiting: Option<Waiting>,
}

impl Plan {
    /// Units, dependencies and orders.
    pub(super) fn variant(&self, cache: &Cache) -> Variant {
        let expansion = &*self.expansion;
        let total = expansion.list.len();
        let index = Index::new(expansion, self.names, self.generation);
        let single = cache.single(total);
        let mut units: Vec<Unit> = Vec::with_capacity(total);
        let mut dependencies: Vec<Dependency> = Vec::with_capacity(index.entries);
        for position in 0..total {
            let Some((unit, part)) = expansion.at(position) else {
                continue;
            };
            units.push(unit.unit.clone());
            let needs = part.needs_of(unit).iter();
            dependencies.extend(needs.map(|need| {
                let target = single.get(index.owner(need.name) as usize);
                let targets = target.filter(|_| !unit.broken).cloned();
                dependency(targets.unwrap_or_default(), count(position), unit, need)
            }));
        }
        let dag = index.entries > 0;
        let listed = |reason| {
            let (graph, layers) = cache.chain(total, reason);
            OrderOf {
                graph,
                layers: Some(layers),
                sequence: Some((0..count(total)).map(UnitIx).collect()),
                guaranteed: true,
                because: None,
            }
        };
        let apply = if dag {
            let waiting = self.waiting.clone();
            concurrent(waiting.unwrap_or_else(|| Waiting::of(expansion, &index)))
        } else {
            listed(0)
        };
        let mode = if dag { "dag" } else { "sequential" };
        let mut variant = Variant {
            environments: self.environments.clone(),
            units,
            dependencies,
            reasons: vec![ONE_BY_ONE.to_owned(), DESTROY.to_owned()],
            conditions: Vec::new(),
            apply,
            delete: listed(1),
            selected: None,
            properties: vec![("mode", mode.to_owned())],
            actions: Vec::new(),
        };
        select(&self.tags, &mut variant);
        variant
    }

    /// The tags, as names that can be renamed.
    pub(super) fn symbols(&self) -> Vec<Symbol> {
        symbols(&self.expansion, self.names)
    }
}

fn concurrent(waiting: Waiting) -> OrderOf {
    let layers = waiting.layers;
    let because = layers
        .is_none()
        .then(|| "there is a cycle, so `apply` does not start".to_owned());
    OrderOf {
        layers: layers.as_ref().map(|l| units_of(l).into()),
        graph: waiting.graph,
        sequence: None,
        guaranteed: true,
        because,
    }
}

/// A variant without units.
pub(super) fn empty() -> Variant {
    Variant {
        environments: vec![None],
        units: Vec::new(),
        dependencies: Vec::new(),
        reasons: Vec::new(),
        conditions: Vec::new(),
        apply: no_order(),
        delete: no_order(),
        selected: None,
        properties: Vec::new(),
        actions: Vec::new(),
    }
}

fn units_of(layers: &Layers) -> Vec<Vec<UnitIx>> {
    layers
        .iter()
        .map(|layer| layer.iter().map(|node| UnitIx(node.0)).collect())
        .collect()
}

/// Limits the orders to what `--tags` selects: the layers stay, and what is left out is skipped in them.
fn select(values: &[String], variant: &mut Variant) {
    let wanted = match tags::wanted(values) {
        Ok(wanted) if wanted.is_empty() => return,
        Ok(wanted) => wanted,
        Err(refused) => {
            for order in [&mut variant.apply, &mut variant.delete] {
                (order.layers, order.sequence) = (None, None);
                order.because = Some(refused.clone());
            }
            Vec::new()
        }
    };
    let selected: Vec<UnitIx> = (0u32..)
        .zip(&variant.units)
        .filter(|(_, unit)| unit.tags.iter().any(|tag| wanted.iter().any(|w| **w == **tag)))
        .map(|(unit, _)| UnitIx(unit))
        .collect();
    let has = |unit: &UnitIx| selected.binary_search(unit).is_ok();
    for order in [&mut variant.apply, &mut variant.delete] {
        if let Some(layers) = &order.layers {
            let kept = layers
                .iter()
                .map(|l| l.iter().copied().filter(&has).collect::<Vec<_>>());
            order.layers = Some(kept.filter(|l| !l.is_empty()).collect());
        }
        if let Some(sequence) = &mut order.sequence {
            sequence.retain(has);
        }
    }
    variant.selected = Some(selected);
}

/// The tags, as names that can be renamed.
fn symbols(expansion: &Expansion, names: usize) -> Vec<Symbol> {
    let mut tags: Vec<Symbol> = Vec::new();
    let mut of_name = vec![NOBODY; names];
    // Only a file that is included twice has its tags twice.
    let mut files = FxHashSet::default();
    let repeated = !expansion.parts.iter().all(|p| files.insert(p.file));
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    for position in 0..expansion.list.len() {
        let Some((unit, part)) = expansion.at(position) else {
            continue;
        };
        let range = unit.tags.start as usize..unit.tags.end as usize;
        let own = part.units.tags.get(range).unwrap_or_default();
        for ((name, place), text) in own.iter().zip(unit.unit.tags.iter()) {
            let Some(slot) = of_name.get_mut(*name as usize) else {
                continue;
            };
            if *slot == NOBODY {
                *slot = count(tags.len());
                tags.push(Symbol {
                    kind: "tag",
                    name: text.clone(),
                    definitions: Vec::new(),
                    references: Vec::new(),
                    units: Vec::new(),
                    renameable: true,
                });
            }
            let Some(symbol) = tags.get_mut(*slot as usize) else {
                continue;
            };
            if !repeated || seen.insert(*place) {
                symbol.definitions.push(*place);
            }
            let unit = UnitIx(count(position));
            if symbol.units.last() != Some(&unit) {
                symbol.units.push(unit);
            }
        }
    }
    tags
}
