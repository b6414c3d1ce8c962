//! Who waits for whom, what can start, and what Ankaios' own check says of it.

mod cluster;
pub(crate) mod walk;

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Dependency, OrderOf, RunOptions, Unit, UnitIx, Variant};
use applyorder_core::graph::{
    Components, Direction, Edge, EdgeKind, GraphBuilder, Layers, NodeId, OrderGraph,
};
use applyorder_core::layer::Pass;

use crate::load::Role;
use crate::model::{Block, Model, Rendered, Source};
use crate::read::{Condition, Fault};
pub(crate) use cluster::InCluster;

/// See the module.
pub struct Related {
    /// How many manifests there are.
    pub(crate) sources: usize,
    /// By manifest and fault: where the workload it is in stands among all names.
    pub(crate) name_ranks: Vec<Vec<u32>>,
    /// By manifest and fault: where it is among the keys that `ank apply` refuses.
    pub(crate) key_ranks: Vec<Vec<u32>>,
    /// Whether they are taken one after the other.
    pub(crate) is_file_by_file: bool,
    /// Units and dependencies; its orders are made when somebody asks ([`with_orders`]).
    pub(crate) variant: Variant,
    /// What waits for what; unit `i` is node `i`.
    pub(crate) graph: Arc<OrderGraph>,
    pub(crate) components: Components,
    /// The first unit's first dependency, and so on; one entry more than units.
    pub(crate) starts: Vec<u32>,
    /// By dependency: its condition.
    pub(crate) conditions: Vec<Option<Condition>>,
    /// By unit: why it cannot start, whatever it waits for does.
    pub(crate) blocked: Vec<Option<Block>>,
    gates: Gates,
    /// The workload that the server names of a startup manifest.
    pub(crate) startup_cycle: Option<Arc<str>>,
    /// The workload that it names after `ank apply`, which may have lost dependencies.
    pub(crate) apply_cycle: Option<Arc<str>>,
    /// What an apply comes to in a cluster that has something already.
    pub(crate) cluster: Option<InCluster>,
}

impl Related {
    /// The dependencies of a unit, by number.
    pub(crate) fn dependencies(&self, unit: UnitIx) -> impl Iterator<Item = (u32, &Dependency)> {
        let at = unit.0 as usize;
        let from = self.starts.get(at).copied().unwrap_or(0);
        let to = self.starts.get(at + 1).copied().unwrap_or(from);
        let all = self
            .variant
            .dependencies
            .get(from as usize..to as usize)
            .unwrap_or_default();
        (from..).zip(all)
    }

    pub(crate) fn condition(&self, dependency: u32) -> Option<Condition> {
        self.conditions.get(dependency as usize).copied().flatten()
    }

    /// The workloads that wait for a unit to run, which hold back its update and removal, with the place that says so.
    pub(crate) fn gates(&self, unit: UnitIx) -> impl Iterator<Item = (UnitIx, Place)> {
        let numbers = self.gates.of(unit).iter();
        numbers.filter_map(|number| {
            let written = self.variant.dependencies.get(*number as usize)?;
            Some((written.unit, written.place))
        })
    }
}

/// By unit, the dependencies on it that wait for it to run, ascending.
#[derive(Default)]
struct Gates {
    starts: Vec<u32>,
    numbers: Vec<u32>,
}

impl Gates {
    /// Of several dependencies of one unit on another the first counts.
    fn new(units: usize, dependencies: &[Dependency], conditions: &[Option<Condition>]) -> Self {
        let mut last = vec![u32::MAX; units];
        let mut found: Vec<(u32, u32)> = Vec::with_capacity(dependencies.len());
        let mut starts = vec![0u32; units + 1];
        for ((number, written), condition) in (0u32..).zip(dependencies).zip(conditions) {
            let Some(target) = written.targets.first().map(|target| target.0) else {
                continue;
            };
            let Some(by) = last.get_mut(target as usize) else {
                continue;
            };
            if std::mem::replace(by, written.unit.0) != written.unit.0
                && *condition == Some(Condition::Running)
                && let Some(count) = starts.get_mut(target as usize + 1)
            {
                *count += 1;
                found.push((target, number));
            }
        }
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut next = starts.clone();
        let mut numbers = vec![0u32; found.len()];
        for (target, number) in found {
            if let Some(at) = next.get_mut(target as usize)
                && let Some(slot) = numbers.get_mut(*at as usize)
            {
                *slot = number;
                *at += 1;
            }
        }
        Self { starts, numbers }
    }

    fn of(&self, unit: UnitIx) -> &[u32] {
        let at = unit.0 as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(from), Some(to)) => self.numbers.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }
}

/// The units of each number as a list of one: shared by all that name it.
struct Singles(Vec<Arc<[UnitIx]>>);

/// How many [`Singles`] there are.
#[derive(PartialEq, Eq, Hash)]
struct SinglesKey(usize);

impl Singles {
    fn new(count: usize) -> Self {
        let units = (0u32..).map(UnitIx).take(count);
        Self(units.map(|unit| Arc::from([unit])).collect())
    }

    fn of(&self, unit: UnitIx) -> Arc<[UnitIx]> {
        self.0.get(unit.0 as usize).cloned().unwrap_or_default()
    }
}

pub(crate) fn relate(pass: &Pass<'_>, model: &Arc<Model>) -> Related {
    let count = model.units.len().next_power_of_two();
    let singles = pass.cx.memo().get(SinglesKey(count), || Singles::new(count));
    let none: Arc<[UnitIx]> = Arc::default();
    let mut units = Vec::with_capacity(model.units.len());
    let mut dependencies: Vec<Dependency> = Vec::new();
    let mut conditions = Vec::new();
    let mut starts = vec![0];
    for (number, unit) in (0u32..).zip(&model.units) {
        let Some(stated) = model.stated(unit) else {
            continue;
        };
        units.push(stated.unit.clone());
        for written in &stated.needs {
            let target = model.unit_of_sym(written.name);
            dependencies.push(Dependency {
                unit: UnitIx(number),
                place: written.place,
                attribute: "dependencies",
                text: written.text.clone(),
                targets: target.map_or_else(|| none.clone(), |target| singles.of(target)),
                unknown: target.is_none() && model.is_broken,
            });
            conditions.push(written.condition);
        }
        starts.push(u32::try_from(dependencies.len()).unwrap_or(u32::MAX));
    }
    let graph = Arc::new(build(model, &units, &dependencies, &conditions));
    let components = graph.components();
    let blocked = blocked(model, &graph, &dependencies);
    let gates = Gates::new(units.len(), &dependencies, &conditions);
    // The search finds only nodes on its own path, so it finds none where there is no cycle.
    let search = || Search::new(model, &dependencies, &starts);
    let search = (!components.cyclic().is_empty()).then(search);
    let startup = search.as_ref().and_then(|search| search.met(model, false));
    let cluster = cluster::in_cluster(model);
    let apply = match (&cluster, search) {
        (Some(cluster), _) => cluster.reported.clone().filter(|_| !cluster.is_unchanged),
        (None, Some(search)) if !search.loses.is_empty() => search.met(model, true),
        (None, _) => startup.clone(),
    };
    let unordered = |graph| OrderOf {
        graph,
        layers: None,
        sequence: None,
        guaranteed: true,
        because: None,
    };
    let variant = Variant {
        environments: vec![None],
        units,
        dependencies,
        reasons: vec!["waits until the workload that depends on it has stopped".to_owned()],
        conditions: Condition::ALL
            .iter()
            .map(|(_, _, word)| (*word).to_owned())
            .collect(),
        apply: unordered(graph.clone()),
        delete: unordered(Arc::default()),
        selected: None,
        properties: Vec::new(),
        actions: Vec::new(),
    };
    Related {
        sources: model.sources.len(),
        name_ranks: name_ranks(model),
        key_ranks: key_ranks(model),
        is_file_by_file: model.role() == Role::Apply,
        variant,
        graph,
        components,
        starts,
        conditions,
        blocked,
        gates,
        startup_cycle: startup,
        apply_cycle: apply,
        cluster,
    }
}

/// Units and dependencies with their orders, as a run with these options has them.
pub(crate) fn with_orders(options: &RunOptions, model: &Model, related: &Related) -> Variant {
    let mut variant = related.variant.clone();
    let layers = related.graph.layers();
    variant.apply.because = layers
        .is_none()
        .then(|| "workloads wait for each other".to_owned());
    variant.apply.layers = layers.as_ref().map(|l| startable(l, &related.blocked));
    variant.delete = delete_order(&variant.dependencies, &related.conditions, variant.units.len());
    crate::simulate::simulated(options, model, variant, &related.blocked, &related.conditions)
}

fn build(
    model: &Model,
    units: &[Unit],
    dependencies: &[Dependency],
    conditions: &[Option<Condition>],
) -> OrderGraph {
    let mut builder = GraphBuilder::with_capacity(units.len(), dependencies.len());
    for number in (0u32..).zip(units).map(|(n, _)| n) {
        builder.unit(number);
    }
    let mut outside: rustc_hash::FxHashMap<&str, NodeId> = rustc_hash::FxHashMap::default();
    for ((number, written), condition) in (0u32..).zip(dependencies).zip(conditions) {
        let to = match written.targets.first() {
            Some(target) => NodeId(target.0),
            None => {
                let known = u32::try_from(outside.len()).unwrap_or(u32::MAX);
                *outside
                    .entry(&written.text)
                    .or_insert_with(|| builder.outside(known))
            }
        };
        let kind = EdgeKind::Explicit { dependency: number };
        builder.edge(Edge {
            condition: condition.map(index_of),
            ..Edge::new(NodeId(written.unit.0), to, kind)
        });
    }
    debug_assert!(model.units.len() == units.len(), "each unit has its workload");
    builder.build()
}

/// Where the workload of each fault comes among all names, which is where the server comes to it when it reads the state
/// that an apply leaves.
fn name_ranks(model: &Model) -> Vec<Vec<u32>> {
    if model.sources.iter().all(|s| s.manifest().faults.is_empty()) {
        return Vec::new();
    }
    let all = model.sources.iter().flat_map(|s| &s.manifest().workloads);
    let mut names: Vec<&str> = all.map(|w| &*w.name.value).collect();
    names.sort_unstable();
    let ranks: rustc_hash::FxHashMap<&str, u32> = (1u32..).zip(names).map(|(n, name)| (name, n)).collect();
    let of = |source: &Source| {
        let manifest = source.manifest();
        let name = |fault: &Fault| Some(&*manifest.workloads.get(fault.workload? as usize)?.name.value);
        // It reads the configs behind the workloads.
        let rank = |fault| {
            name(fault)
                .and_then(|name| ranks.get(name))
                .copied()
                .unwrap_or(u32::MAX)
        };
        manifest.faults.iter().map(rank).collect()
    };
    model.sources.iter().map(of).collect()
}

/// Where each fault is among the refused keys of its manifest.
fn key_ranks(model: &Model) -> Vec<Vec<u32>> {
    let faults = |source: &Source| source.manifest().faults.iter().map(|f| f.key_rank).collect();
    let has_some = |source: &Source| source.manifest().faults.iter().any(|f| f.key_rank > 0);
    if model.sources.iter().any(has_some) {
        model.sources.iter().map(faults).collect()
    } else {
        Vec::new()
    }
}

fn index_of(condition: Condition) -> u32 {
    let at = Condition::ALL.iter().position(|(c, ..)| *c == condition);
    at.and_then(|n| u32::try_from(n).ok()).unwrap_or(0)
}

/// The layers of what can start at all.
fn startable(layers: &Layers, blocked: &[Option<Block>]) -> Arc<[Vec<UnitIx>]> {
    let is_free = |node: &NodeId| blocked.get(node.index()).is_some_and(Option::is_none);
    layers
        .iter()
        .map(|layer| {
            layer
                .iter()
                .filter(|n| is_free(n))
                .map(|n| UnitIx(n.0))
                .collect::<Vec<_>>()
        })
        .filter(|layer| !layer.is_empty())
        .collect()
}

/// What cannot start: what has no agent, what waits for a name that nobody has, and what waits for such.
fn blocked(model: &Model, graph: &OrderGraph, dependencies: &[Dependency]) -> Vec<Option<Block>> {
    let mut blocked: Vec<Option<Block>> = model
        .units
        .iter()
        .map(|unit| match &unit.agent {
            Rendered::Text(text) if text.is_empty() => Some(Block::Unscheduled),
            _ => None,
        })
        .collect();
    let in_cluster = |name: &str| model.snapshot.as_ref().is_some_and(|s| s.has_workload(name));
    for (number, written) in (0u32..).zip(dependencies) {
        if written.targets.is_empty()
            && !written.unknown
            && !in_cluster(&written.text)
            && let Some(slot @ None) = blocked.get_mut(written.unit.0 as usize)
        {
            *slot = Some(Block::Dangling(number));
        }
    }
    let mut open: Vec<u32> = (0u32..)
        .zip(&blocked)
        .filter(|(_, b)| b.is_some())
        .map(|(n, _)| n)
        .collect();
    while let Some(unit) = open.pop() {
        for link in graph.links(NodeId(unit), Direction::Dependents) {
            let Some(slot @ None) = blocked.get_mut(link.node.index()) else {
                continue;
            };
            let dependency = graph.edge(link.edge).and_then(|e| e.kind.dependency());
            *slot = Some(Block::Behind(dependency.unwrap_or(0)));
            open.push(link.node.0);
        }
    }
    blocked
}

/// The server's search for cycles, over the files alone.
struct Search {
    /// The units in byte order of their names.
    by_name: Vec<u32>,
    /// By place in that order: what each waits for, ascending.
    needs: Vec<u32>,
    starts: Vec<u32>,
    /// The places of those whose dependencies `ank apply` loses, ascending.
    loses: Vec<u32>,
}

impl Search {
    fn new(model: &Model, dependencies: &[Dependency], starts: &[u32]) -> Self {
        let mut by_name: Vec<u32> = (0u32..).zip(&model.units).map(|(n, _)| n).collect();
        let name = |unit: u32| model.units.get(unit as usize).map(|u| &*u.name);
        by_name.sort_by(|a, b| name(*a).cmp(&name(*b)));
        let mut rank = vec![0u32; by_name.len()];
        let mut loses = Vec::new();
        for (at, unit) in (0u32..).zip(&by_name) {
            if let Some(slot) = rank.get_mut(*unit as usize) {
                *slot = at;
            }
            let workload = model.workload(UnitIx(*unit));
            loses.extend(workload.filter(|(_, w)| w.loses("dependencies")).map(|_| at));
        }
        let start = |at: usize| starts.get(at).copied().unwrap_or(0) as usize;
        let mut needs = Vec::with_capacity(dependencies.len());
        let mut own: Vec<u32> = Vec::new();
        let mut ends = vec![0];
        for unit in &by_name {
            let at = *unit as usize;
            let written = dependencies.get(start(at)..start(at + 1)).unwrap_or_default();
            let targets = written.iter().filter_map(|d| d.targets.first());
            own.extend(targets.filter_map(|t| rank.get(t.0 as usize).copied()));
            own.sort_unstable();
            own.dedup();
            needs.append(&mut own);
            ends.push(u32::try_from(needs.len()).unwrap_or(u32::MAX));
        }
        Self {
            by_name,
            needs,
            starts: ends,
            loses,
        }
    }

    /// The workload that the search names, if it names one. `applied`: over what `ank apply` leaves.
    fn met(&self, model: &Model, applied: bool) -> Option<Arc<str>> {
        let start = |at: usize| self.starts.get(at).copied().unwrap_or(0) as usize;
        let needs = |node: u32| {
            if applied && self.loses.binary_search(&node).is_ok() {
                return &[][..];
            }
            let at = node as usize;
            self.needs.get(start(at)..start(at + 1)).unwrap_or_default()
        };
        let nodes = (0u32..).take(self.by_name.len());
        let met = walk::reported(self.by_name.len(), needs, nodes.filter(|n| !needs(*n).is_empty()))?;
        let unit = self.by_name.get(met as usize)?;
        Some(model.units.get(*unit as usize)?.name.clone())
    }
}

/// What waits before it is removed: what others need running, until these have begun to stop.
fn delete_order(dependencies: &[Dependency], conditions: &[Option<Condition>], units: usize) -> OrderOf {
    let mut builder = GraphBuilder::with_capacity(units, dependencies.len());
    for number in (0u32..).take(units) {
        builder.unit(number);
    }
    for (written, condition) in dependencies.iter().zip(conditions) {
        if *condition == Some(Condition::Running)
            && let Some(target) = written.targets.first()
        {
            builder.implicit(NodeId(target.0), NodeId(written.unit.0), 0);
        }
    }
    let graph = Arc::new(builder.build());
    let layers = graph.layers();
    let because = if layers.is_some() {
        "a workload is held back only until those that need it running have begun to stop: deleted together they \
         stop at nearly the same moment"
    } else {
        "workloads that need each other running are held back forever when they are deleted one by one"
    };
    OrderOf {
        layers: layers.map(|l| {
            l.iter()
                .map(|layer| layer.iter().map(|n| UnitIx(n.0)).collect())
                .collect()
        }),
        graph,
        sequence: None,
        guaranteed: false,
        because: Some(because.to_owned()),
    }
}
