//! Units, dependencies and orders of an expanded list (Tazuna G5, dependsOn and execution order).

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{NO_UNIT, Related};
use crate::count;
use crate::model::Expansion;
use crate::tags;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Dependency, Open, OrderOf, Symbol, Unit, UnitIx, Variant};
use applyorder_core::graph::{GraphBuilder, Layers, NodeId, OrderGraph};

const ONE_BY_ONE: &str = "without any `dependsOn`, manifests run one by one in list order";
const DESTROY: &str = "`destroy` follows list order, one by one";

/// An empty order.
fn no_order() -> OrderOf {
    OrderOf {
        graph: Arc::default(),
        layers: Some(Arc::default()),
        sequence: None,
        guaranteed: true,
        because: None,
        open: Vec::new(),
    }
}

/// Each unit after the previous one, for the reason with that number.
fn chain(units: usize, reason: u32) -> OrderGraph {
    let mut builder = GraphBuilder::with_capacity(units, units);
    for unit in 0..count(units) {
        let node = builder.unit(unit);
        if let Some(before) = unit.checked_sub(1) {
            builder.implicit(node, NodeId(before), reason);
        }
    }
    builder.build()
}

impl Related {
    /// What waits for what. Edges carry the numbers of dependencies, counted along the list.
    pub(crate) fn graph(&self) -> OrderGraph {
        let total = self.expansion.list.len();
        let mut graph = GraphBuilder::with_capacity(total, self.targets.len());
        for unit in 0..count(total) {
            graph.unit(unit);
        }
        for (unit, range) in (0u32..).zip(self.expansion.firsts.windows(2)) {
            let [start, end] = *range else { continue };
            let targets = self.targets.get(start as usize..end as usize).unwrap_or_default();
            for (number, target) in (start..).zip(targets).filter(|(_, t)| **t != NO_UNIT) {
                graph.explicit(NodeId(unit), NodeId(*target), number);
            }
        }
        graph.build()
    }

    /// Units, dependencies and orders. `environments` are those that read the project like this.
    pub(crate) fn variant(&self, environments: &[Option<Arc<str>>]) -> Variant {
        let expansion = &*self.expansion;
        let total = expansion.list.len();
        // Each takes milliseconds if there are many manifests.
        let ((units, dependencies), (apply, delete)) = rayon::join(
            || self.listed(),
            || {
                let sequence: Arc<[Vec<UnitIx>]> = (0..count(total)).map(|u| vec![UnitIx(u)]).collect();
                let one_by_one = |reason| OrderOf {
                    graph: Arc::new(chain(total, reason)),
                    layers: Some(sequence.clone()),
                    sequence: Some((0..count(total)).map(UnitIx).collect()),
                    guaranteed: true,
                    because: None,
                    open: Vec::new(),
                };
                let mut apply = if self.dag {
                    concurrent(self.graph())
                } else {
                    one_by_one(0)
                };
                let open = (0..count(total)).filter(|at| {
                    let listed = expansion.at(*at as usize);
                    listed.is_some_and(|(unit, _)| unit.is_open)
                });
                apply.open = open.map(|at| Open::after(UnitIx(at))).collect();
                (apply, one_by_one(1))
            },
        );
        let mode = if self.dag { "dag" } else { "sequential" };
        let mut variant = Variant {
            environments: environments.to_vec(),
            units,
            dependencies,
            reasons: vec![ONE_BY_ONE.to_owned(), DESTROY.to_owned()],
            conditions: Vec::new(),
            apply,
            delete,
            selected: None,
            properties: vec![("mode", mode.to_owned())],
            actions: Vec::new(),
        };
        select(&expansion.setting.tags, &mut variant);
        variant
    }

    /// The units, and what they wait for as it is written.
    fn listed(&self) -> (Vec<Unit>, Vec<Dependency>) {
        let expansion = &*self.expansion;
        let total = expansion.list.len();
        let single: Vec<Arc<[UnitIx]>> = (0..count(total)).map(|u| Arc::from([UnitIx(u)])).collect();
        let mut units: Vec<Unit> = Vec::with_capacity(total);
        let mut dependencies: Vec<Dependency> = Vec::with_capacity(self.targets.len());
        for position in 0..count(total) {
            let Some((unit, part)) = expansion.at(position as usize) else {
                continue;
            };
            units.push(unit.unit.clone());
            dependencies.extend(self.needs(position, unit, part).map(|(need, target)| {
                let targets = target.and_then(|t| single.get(t as usize)).cloned();
                Dependency {
                    unit: UnitIx(position),
                    place: need.place,
                    attribute: "dependsOn",
                    text: need.text.clone(),
                    targets: targets.unwrap_or_default(),
                    unknown: unit.broken,
                }
            }));
        }
        (units, dependencies)
    }

    /// The tags, as names that can be renamed.
    pub(crate) fn symbols(&self) -> Vec<Symbol> {
        symbols(&self.expansion, self.names)
    }
}

fn concurrent(graph: OrderGraph) -> OrderOf {
    let layers = graph.layers();
    let because = layers
        .is_none()
        .then(|| "a dependency cycle: `apply` does not start".to_owned());
    OrderOf {
        layers: layers.as_ref().map(|l| units_of(l).into()),
        graph: Arc::new(graph),
        sequence: None,
        guaranteed: true,
        because,
        open: Vec::new(),
    }
}

/// A variant without units.
pub(crate) fn empty() -> Variant {
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

/// Limits the orders to what `--tags` selects: the layers stay, and excluded manifests are skipped in them.
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
    let mut of_name = vec![NO_UNIT; names];
    // Only a file that is included twice has its tags twice.
    let mut files = FxHashSet::default();
    let repeated = !expansion.parts.iter().all(|p| files.insert(p.brief.file));
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    for position in 0..expansion.list.len() {
        let Some((unit, part)) = expansion.at(position) else {
            continue;
        };
        let range = unit.tags.start as usize..unit.tags.end as usize;
        let own = part.piece.tags.get(range).unwrap_or_default();
        for ((name, place), text) in own.iter().zip(unit.unit.tags.iter()) {
            let Some(slot) = of_name.get_mut(name.index()) else {
                continue;
            };
            if *slot == NO_UNIT {
                *slot = count(tags.len());
                tags.push(Symbol {
                    kind: "tag",
                    name: text.clone(),
                    definitions: Vec::new(),
                    references: Vec::new(),
                    units: Vec::new(),
                    dependencies: Vec::new(),
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
