//! From the expanded list to units, dependencies and orders (Tazuna G5, dependsOn and execution order).

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use super::cache::{FileUnit, Need, Sym, count};
use super::expand::Expansion;
use super::{Run, no_order};
use crate::config::TazunaGeneration;
use crate::diagnostic::Place;
use crate::engines::{Dependency, OrderOf, Symbol, Unit, UnitIx, Variant};
use crate::graph::{GraphBuilder, Layers, NodeId, OrderGraph};

const ONE_BY_ONE: &str = "without any `dependsOn` manifests run one after the other, as they are listed";
const DESTROY: &str = "`destroy` goes by the list, one after the other";

/// What was built of an expanded list.
pub(super) struct Built {
    pub(super) variant: Variant,
    /// By the number of a name: the unit that has it.
    pub(super) owner: Vec<u32>,
    /// Per unit: the number of its name.
    pub(super) names: Vec<Sym>,
    /// Per unit: the number of its list of tags.
    pub(super) tag_lists: Vec<Sym>,
    /// Per dependency: the alias or merge that it came through.
    pub(super) vias: FxHashMap<u32, Place>,
    /// Whether some manifest waits for another.
    pub(super) dag: bool,
}

/// No unit has the name.
pub(super) const NOBODY: u32 = u32::MAX;

/// The unit at a position of the expanded list, as its file has it.
pub(super) fn unit_at(expansion: &Expansion, position: usize) -> Option<(&FileUnit, usize)> {
    let (part, unit) = expansion.list.get(position)?;
    let units = &expansion.parts.get(*part as usize)?.units.units;
    Some((units.get(*unit as usize)?, *part as usize))
}

fn needs_of<'a>(expansion: &'a Expansion, part: usize, unit: &FileUnit) -> &'a [Need] {
    expansion
        .parts
        .get(part)
        .and_then(|p| {
            p.units
                .needs
                .get(unit.needs.start as usize..unit.needs.end as usize)
        })
        .unwrap_or_default()
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
    }
}

/// Builds units, dependencies and orders.
pub(super) fn build(run: &Run<'_, '_>, expansion: &Expansion) -> Built {
    let total = expansion.list.len();
    let mut units: Vec<Unit> = Vec::with_capacity(total);
    let mut names: Vec<Sym> = Vec::with_capacity(total);
    let mut tag_lists: Vec<Sym> = Vec::with_capacity(total);
    let mut owner = vec![NOBODY; run.cache.name_count()];
    let last_wins = run.generation < TazunaGeneration::G5;
    let mut entries = 0;
    for position in 0..total {
        let Some((unit, _)) = unit_at(expansion, position) else {
            continue;
        };
        if let Some(slot) = owner.get_mut(unit.name as usize)
            && (*slot == NOBODY || last_wins)
        {
            *slot = count(units.len());
        }
        entries += unit.needs.len();
        names.push(unit.name);
        tag_lists.push(unit.tag_list);
        units.push(unit.unit.clone());
    }
    let mut built = Built {
        variant: Variant {
            units,
            reasons: vec![ONE_BY_ONE.to_owned(), DESTROY.to_owned()],
            ..empty()
        },
        owner,
        names,
        tag_lists,
        vias: FxHashMap::default(),
        dag: entries > 0,
    };
    relate(run, expansion, &mut built, entries);
    select(run, &mut built.variant);
    built
}

fn relate(run: &Run<'_, '_>, expansion: &Expansion, built: &mut Built, entries: usize) {
    let total = built.variant.units.len();
    let single = run.cache.single(total);
    let nothing: Arc<[UnitIx]> = Arc::from([]);
    let mut graph = GraphBuilder::with_capacity(total, entries);
    if built.dag {
        for unit in 0..count(total) {
            graph.unit(unit);
        }
    }
    let mut dependencies: Vec<Dependency> = Vec::with_capacity(entries);
    for position in 0..total {
        let Some((unit, part)) = unit_at(expansion, position) else {
            continue;
        };
        for need in needs_of(expansion, part, unit) {
            let target = built.owner.get(need.name as usize).copied().unwrap_or(NOBODY);
            let known = single.get(target as usize).filter(|_| !unit.broken);
            let number = count(dependencies.len());
            if let Some(via) = need.via {
                built.vias.insert(number, via);
            }
            if known.is_some() {
                graph.explicit(NodeId(count(position)), NodeId(target), number);
            }
            dependencies.push(Dependency {
                unit: UnitIx(count(position)),
                place: need.place,
                attribute: "dependsOn",
                text: need.text.clone(),
                targets: known.unwrap_or(&nothing).clone(),
                unknown: unit.broken,
            });
        }
    }
    built.variant.dependencies = dependencies;
    let listed = |reason| {
        let (graph, layers) = run.cache.chain(total, reason);
        OrderOf {
            graph,
            layers: Some(layers),
            sequence: Some((0..count(total)).map(UnitIx).collect()),
            guaranteed: true,
            because: None,
        }
    };
    built.variant.apply = if built.dag {
        concurrent(Arc::new(graph.build()))
    } else {
        listed(0)
    };
    built.variant.delete = listed(1);
    let mode = if built.dag { "dag" } else { "sequential" };
    built.variant.properties = vec![("mode", mode.to_owned())];
}

fn concurrent(graph: Arc<OrderGraph>) -> OrderOf {
    let layers = graph.layers();
    let because = layers
        .is_none()
        .then(|| "there is a cycle, so `apply` does not start".to_owned());
    OrderOf {
        layers: layers.as_ref().map(|l| units_of(l).into()),
        graph,
        sequence: None,
        guaranteed: true,
        because,
    }
}

fn units_of(layers: &Layers) -> Vec<Vec<UnitIx>> {
    layers
        .iter()
        .map(|layer| layer.iter().map(|node| UnitIx(node.0)).collect())
        .collect()
}

/// Limits the orders to what `--tags` selects: the layers stay, and what is left out is skipped in them.
fn select(run: &Run<'_, '_>, variant: &mut Variant) {
    if run.options.tags.is_empty() {
        return;
    }
    let wanted: Vec<&str> = run.options.tags.iter().flat_map(|t| t.split(',')).collect();
    let selected: Vec<UnitIx> = (0u32..)
        .zip(&variant.units)
        .filter(|(_, unit)| unit.tags.iter().any(|tag| wanted.contains(&&**tag)))
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
pub(super) fn symbols(run: &Run<'_, '_>, expansion: &Expansion) -> Vec<Symbol> {
    let mut tags: Vec<Symbol> = Vec::new();
    let mut of_name = vec![NOBODY; run.cache.name_count()];
    // Only a file that is included twice has its tags twice.
    let mut files = FxHashSet::default();
    let repeated = !expansion.parts.iter().all(|p| files.insert(p.file));
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    for position in 0..expansion.list.len() {
        let Some((unit, part)) = unit_at(expansion, position) else {
            continue;
        };
        let own = expansion
            .parts
            .get(part)
            .and_then(|p| p.units.tags.get(unit.tags.start as usize..unit.tags.end as usize))
            .unwrap_or_default();
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
