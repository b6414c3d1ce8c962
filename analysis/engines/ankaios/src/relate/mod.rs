//! Dependencies between workloads, what can start, and the result of Ankaios' own check.

mod blocked;
mod cluster;
mod search;
pub(crate) mod walk;

use std::sync::{Arc, OnceLock};

use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Dependency, Open, OrderOf, RunOptions, UnitIx, Variant};
use applyorder_core::graph::{Components, Edge, EdgeKind, GraphBuilder, NodeId, OrderGraph};
use applyorder_core::layer::Sym;

use crate::load::Role;
use crate::model::{Block, Model, Need, Source};
use crate::read::{Condition, Fault};
use blocked::{blocked, never_started, startable};
pub(crate) use cluster::InCluster;
use search::Search;

/// See the module.
pub struct Related {
    /// How many manifests there are.
    pub(crate) sources: usize,
    /// By manifest and fault: the position of its workload among all names.
    pub(crate) name_ranks: Vec<Vec<u32>>,
    /// By manifest and fault: its position among the keys that `ank apply` rejects.
    pub(crate) key_ranks: Vec<Vec<u32>>,
    /// Whether they are processed one after the other.
    pub(crate) is_file_by_file: bool,
    model: Arc<Model>,
    /// Units and dependencies as displayed, computed on demand.
    variant: OnceLock<Variant>,
    /// What waits for what; unit `i` is node `i`.
    pub(crate) graph: Arc<OrderGraph>,
    pub(crate) components: Components,
    /// The first dependency of each unit; one entry more than units.
    starts: Vec<u32>,
    /// All dependencies.
    pub(crate) waits: Vec<Wait>,
    /// By unit: why it cannot start, whatever its dependencies do.
    pub(crate) blocked: Vec<Option<Block>>,
    gates: Gates,
    /// The workload that the server names for a startup manifest.
    pub(crate) startup_cycle: Option<Arc<str>>,
    /// The workload that it names after `ank apply`, which may have lost dependencies.
    pub(crate) apply_cycle: Option<Arc<str>>,
    /// The result of an apply in a cluster that already contains something.
    pub(crate) cluster: Option<InCluster>,
}

/// A dependency as indices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wait {
    pub(crate) unit: UnitIx,
    pub(crate) target: Option<UnitIx>,
    pub(crate) place: Place,
    pub(crate) condition: Option<Condition>,
    /// Whether its target is unknown.
    pub(crate) unknown: bool,
}

impl Related {
    /// Units and dependencies as displayed, without orders ([`with_orders`]).
    pub(crate) fn variant(&self) -> &Variant {
        self.variant.get_or_init(|| variant(self))
    }

    /// A dependency as displayed.
    pub(crate) fn dependency(&self, number: u32) -> Option<Dependency> {
        let target = |target: UnitIx| Arc::from([target]);
        Some(self.seen(number, self.wait(number)?, target))
    }

    /// The same; `target` makes the list of one unit.
    fn seen(&self, number: u32, wait: &Wait, target: impl FnOnce(UnitIx) -> Arc<[UnitIx]>) -> Dependency {
        Dependency {
            unit: wait.unit,
            place: wait.place,
            attribute: "dependencies",
            text: self.text(number).clone(),
            targets: wait.target.map_or_else(Arc::default, target),
            unknown: wait.unknown,
        }
    }

    pub(crate) fn wait(&self, number: u32) -> Option<&Wait> {
        self.waits.get(number as usize)
    }

    /// The dependencies of a unit, by number.
    pub(crate) fn waits_of(&self, unit: UnitIx) -> impl Iterator<Item = (u32, &Wait)> {
        let at = unit.0 as usize;
        let from = self.starts.get(at).copied().unwrap_or(0);
        let to = self.starts.get(at + 1).copied().unwrap_or(from);
        (from..).zip(self.waits.get(from as usize..to as usize).unwrap_or_default())
    }

    /// A dependency as it is written.
    pub(crate) fn need(&self, number: u32) -> Option<&Need> {
        need(&self.model, &self.starts, self.wait(number)?.unit, number)
    }

    /// The name in a dependency.
    pub(crate) fn text(&self, number: u32) -> &Arc<str> {
        static NONE: std::sync::LazyLock<Arc<str>> = std::sync::LazyLock::new(Arc::default);
        self.need(number).map_or(&NONE, |need| &need.text)
    }

    pub(crate) fn condition(&self, dependency: u32) -> Option<Condition> {
        self.wait(dependency)?.condition
    }

    /// The workloads that wait for a unit to run, which block its update and removal, with the place that says
    /// so.
    pub(crate) fn gates(&self, unit: UnitIx) -> impl Iterator<Item = (UnitIx, Place)> {
        let numbers = self.gates.of(unit).iter();
        numbers.filter_map(|number| {
            let written = self.wait(*number)?;
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
    /// Of several dependencies of one unit on another the first is used.
    fn new(units: usize, waits: &[Wait]) -> Self {
        let mut last = vec![u32::MAX; units];
        let mut found: Vec<(u32, u32)> = Vec::with_capacity(waits.len());
        let mut starts = vec![0u32; units + 1];
        for (number, written) in (0u32..).zip(waits) {
            let Some(target) = written.target.map(|target| target.0) else {
                continue;
            };
            let Some(by) = last.get_mut(target as usize) else {
                continue;
            };
            if std::mem::replace(by, written.unit.0) != written.unit.0
                && written.condition == Some(Condition::Running)
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

pub(crate) fn relate(model: &Arc<Model>) -> Related {
    let mut waits: Vec<Wait> = Vec::with_capacity(model.units.len());
    let mut starts = Vec::with_capacity(model.units.len() + 1);
    starts.push(0);
    for (unit, stated) in model.stated_units() {
        for written in &stated.needs {
            let target = model.unit_of_sym(written.name);
            waits.push(Wait {
                unit,
                target,
                place: written.place,
                condition: written.condition,
                unknown: target.is_none() && model.is_broken,
            });
        }
        starts.push(u32::try_from(waits.len()).unwrap_or(u32::MAX));
    }
    let graph = Arc::new(build(model, &waits, &starts));
    let components = graph.components();
    let blocked = blocked(model, &graph, &waits, &starts);
    let gates = Gates::new(model.units.len(), &waits);
    // The search finds only nodes on its own path: without a cycle, none.
    let search = || Search::new(model, &waits, &starts);
    let search = (!components.cyclic().is_empty()).then(search);
    let startup = search.as_ref().and_then(|search| search.met(model, false));
    let cluster = cluster::in_cluster(model);
    let apply = match (&cluster, search) {
        (Some(cluster), _) => cluster.reported.clone().filter(|_| !cluster.is_unchanged),
        (None, Some(search)) if !search.loses.is_empty() => search.met(model, true),
        (None, _) => startup.clone(),
    };
    Related {
        sources: model.sources.len(),
        name_ranks: name_ranks(model),
        key_ranks: key_ranks(model),
        is_file_by_file: model.role() == Role::Apply,
        model: Arc::clone(model),
        variant: OnceLock::new(),
        graph,
        components,
        starts,
        waits,
        blocked,
        gates,
        startup_cycle: startup,
        apply_cycle: apply,
        cluster,
    }
}

fn variant(related: &Related) -> Variant {
    let model = &related.model;
    // All dependencies on a unit share one list.
    let mut singles: Vec<Option<Arc<[UnitIx]>>> = vec![None; model.units.len()];
    let mut single = |target: UnitIx| match singles.get_mut(target.0 as usize) {
        Some(slot) => slot.get_or_insert_with(|| Arc::from([target])).clone(),
        None => Arc::from([target]),
    };
    let waits = (0u32..).zip(&related.waits);
    let dependencies = waits.map(|(number, wait)| related.seen(number, wait, &mut single));
    let unordered = |graph| OrderOf {
        graph,
        layers: None,
        sequence: None,
        guaranteed: true,
        because: None,
        open: Vec::new(),
    };
    Variant {
        environments: vec![None],
        units: model
            .stated_units()
            .map(|(_, stated)| stated.unit.clone())
            .collect(),
        dependencies: dependencies.collect(),
        reasons: vec!["waits until the workload that depends on it has stopped".to_owned()],
        conditions: Condition::ALL
            .iter()
            .map(|(_, _, word)| (*word).to_owned())
            .collect(),
        apply: unordered(related.graph.clone()),
        delete: unordered(Arc::default()),
        selected: None,
        properties: Vec::new(),
        actions: Vec::new(),
    }
}

/// The workloads whose dependencies are unknown.
fn open(model: &Model) -> impl Iterator<Item = Open> {
    let stated = model.stated_units().filter(|(_, stated)| stated.is_open);
    stated.map(|(unit, _)| Open::after(unit))
}

/// Units and dependencies with their orders, for a run with these options.
pub(crate) fn with_orders(options: &RunOptions, model: &Model, related: &Related) -> Variant {
    let mut variant = related.variant().clone();
    let conditions: Vec<Option<Condition>> = related.waits.iter().map(|wait| wait.condition).collect();
    let layers = related.graph.layers();
    variant.apply.because = layers.is_none().then(|| "a dependency cycle".to_owned());
    variant.apply.guaranteed = layers.is_some();
    variant.apply.layers = layers.as_ref().map(|l| startable(l, &related.blocked));
    variant.delete = delete_order(&related.waits, variant.units.len());
    variant.apply.open = open(model).collect();
    variant.delete.open = open(model).map(Open::reversed).collect();
    let is_simulated = options.changed.is_some() || !options.failed.is_empty() || model.snapshot.is_some();
    if layers.is_some() && !is_simulated {
        variant.apply.because = never_started(model, &variant, &related.blocked);
    }
    crate::simulate::simulated(options, model, variant, &related.blocked, &conditions)
}

fn build(model: &Model, waits: &[Wait], starts: &[u32]) -> OrderGraph {
    let mut builder = GraphBuilder::with_capacity(model.units.len(), waits.len());
    for number in (0u32..).zip(&model.units).map(|(n, _)| n) {
        builder.unit(number);
    }
    let mut outside: rustc_hash::FxHashMap<Sym, NodeId> = rustc_hash::FxHashMap::default();
    for (number, written) in (0u32..).zip(waits) {
        let to = match written.target {
            Some(target) => NodeId(target.0),
            None => {
                let known = u32::try_from(outside.len()).unwrap_or(u32::MAX);
                let Some(need) = need(model, starts, written.unit, number) else {
                    continue;
                };
                *outside.entry(need.name).or_insert_with(|| builder.outside(known))
            }
        };
        let kind = EdgeKind::Explicit { dependency: number };
        builder.edge(Edge {
            condition: written.condition.map(index_of),
            ..Edge::new(NodeId(written.unit.0), to, kind)
        });
    }
    builder.build()
}

/// A dependency of a unit as it is written.
fn need<'a>(model: &'a Model, starts: &[u32], unit: UnitIx, number: u32) -> Option<&'a Need> {
    let first = starts.get(unit.0 as usize)?;
    let stated = model.stated(unit)?;
    stated.needs.get(number.checked_sub(*first)? as usize)
}

/// The position of the workload of each fault among all names, which is the order in which the server reads the
/// state after an apply.
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
        // It reads the configs after the workloads.
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

/// The position of each fault among the rejected keys of its manifest.
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

/// What waits before it is removed: workloads that others need running, until those have begun to stop.
fn delete_order(waits: &[Wait], units: usize) -> OrderOf {
    let mut builder = GraphBuilder::with_capacity(units, waits.len());
    for number in (0u32..).take(units) {
        builder.unit(number);
    }
    for written in waits {
        if written.condition == Some(Condition::Running)
            && let Some(target) = written.target
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
        open: Vec::new(),
    }
}
