//! Which stack waits for which, in which layers, and in which order they go.
//!
//! Source: spec section 6.

mod destroy;
mod simulate;

use std::sync::Arc;

use applyorder_core::engine::{Dependency, Open, OrderOf, Unit, UnitIx, Variant};
use applyorder_core::graph::{GraphBuilder, NodeId, OrderGraph};
use applyorder_core::layer::Pass;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::UNCHANGED_OUTPUT;
use crate::model::{Model, NodeKind, Project, StackIx};
pub(crate) use destroy::{Destroy, Problem, ProblemKind};
use simulate::{Edges, Scenario};
pub use simulate::{Failures, Simulation, State};

/// See the module.
pub struct Related {
    pub(crate) variant: Arc<Variant>,
    /// The graph of all edges between two stacks, and of those that are certain. Edges count into
    /// [`Related::written`].
    pub(crate) likely: OrderGraph,
    pub(crate) certain: OrderGraph,
    /// The dependencies of the model that the written ones of the variant are.
    pub(crate) written: Vec<u32>,
    pub(crate) destroy: Destroy,
    /// What a run does under the documentation's words on failures, and under the support article's.
    pub(crate) simulated: Option<(Option<Simulation>, Option<Simulation>)>,
}

/// What happens to a stack in a simulated run.
const fn action(state: State) -> &'static str {
    match state {
        State::Untouched => "untouched",
        State::Runs => "runs",
        State::Fails => "fails",
        State::Skipped => "skipped",
        State::Held => "held back",
    }
}

/// The dependencies of which an end is not known.
fn open_ends(model: &Model) -> Vec<Open> {
    let ends = model.dependencies.iter().map(|d| Open {
        from: d.stack.stack().map(UnitIx),
        to: d.upstream.stack().map(UnitIx),
    });
    ends.filter(|open| open.from.is_none() || open.to.is_none())
        .collect()
}

pub(crate) fn relate(pass: &Pass<'_>, project: &Project) -> Related {
    let model: &Model = project;
    let units: Vec<Unit> = model
        .stacks
        .iter()
        .map(|stack| Unit {
            name: stack.address.clone(),
            header: stack.header,
            name_place: stack.name_place.filter(|_| stack.kind != NodeKind::External),
            tags: stack.settings.as_ref().map_or_else(Arc::default, |s| {
                s.labels.iter().map(|l| l.value.clone()).collect()
            }),
        })
        .collect();
    let mut written = Vec::new();
    let mut dependencies = Vec::new();
    let mut all = GraphBuilder::new();
    // A stack that waits for itself would hide the cycles that it is in.
    let (mut likely, mut certain) = (GraphBuilder::new(), GraphBuilder::new());
    for (number, _) in (0u32..).zip(&units) {
        all.unit(number);
        likely.unit(number);
        certain.unit(number);
    }
    for (number, dependency) in (0u32..).zip(&model.dependencies) {
        // What waits is not known where the first id is not.
        let Some(from) = dependency.stack.stack() else {
            continue;
        };
        let to = dependency.upstream.stack();
        let ix = u32::try_from(dependencies.len()).unwrap_or(u32::MAX);
        dependencies.push(Dependency {
            unit: UnitIx(from),
            place: dependency.upstream.place,
            attribute: dependency.attribute,
            text: dependency.upstream.text.clone(),
            targets: to.map(UnitIx).into_iter().collect(),
            unknown: to.is_none(),
        });
        written.push(number);
        if let Some(to) = to {
            all.explicit(NodeId(from), NodeId(to), ix);
            if from == to {
                continue;
            }
            likely.explicit(NodeId(from), NodeId(to), ix);
            if !dependency.is_heuristic() {
                certain.explicit(NodeId(from), NodeId(to), ix);
            }
        }
    }
    let graph = Arc::new(all.build());
    let destroy = destroy::destroy(model);
    let edges = Edges::new(model);
    let mut properties = Vec::new();
    if let Some(values) = model.rests_on() {
        properties.push(("resting on", values));
    }
    let mut variant = Variant {
        environments: vec![None],
        apply: OrderOf {
            layers: layers(&graph, &units),
            graph,
            sequence: None,
            guaranteed: true,
            because: None,
            open: open_ends(model),
        },
        delete: delete(model, &destroy, &units),
        units,
        dependencies,
        reasons: vec!["the destructor of the one depends on that of the other".to_owned()],
        conditions: Vec::new(),
        selected: None,
        properties,
        actions: Vec::new(),
    };
    if let Some(why) = open(model) {
        variant.apply.guaranteed = false;
        variant.apply.because = Some(why);
    }
    let simulated = scenario(pass, &variant, &edges).map(|scenario| {
        let chain = simulate::simulate(&edges, &scenario, Failures::Chain);
        let direct = simulate::simulate(&edges, &scenario, Failures::Direct);
        show(&mut variant, &scenario, chain.as_ref(), direct.as_ref());
        (chain, direct)
    });
    Related {
        variant: Arc::new(variant),
        likely: likely.build(),
        certain: certain.build(),
        written,
        destroy,
        simulated,
    }
}

/// The maximum number of unknown values that are named.
const MOST_OPEN: usize = 20;

/// What could not be resolved, and how many of the ids are known; nothing where everything is.
fn open(model: &Model) -> Option<String> {
    let (all, known) = model.ids;
    let mut names: Vec<String> = model.unresolved.iter().map(|o| format!("`{}`", o.at)).collect();
    names.dedup();
    if names.is_empty() && known == all {
        // Stacks that nothing names may be missing too.
        let open = model.open_instances.first()?;
        let more = match model.open_instances.len() {
            1 => String::new(),
            n => format!(" and {} more", n - 1),
        };
        return Some(format!("which instances there are is not known: `{open}`{more}"));
    }
    let more = names.len().saturating_sub(MOST_OPEN);
    names.truncate(MOST_OPEN);
    if more > 0 {
        names.push(format!("{more} more"));
    }
    let names = names.join(", ");
    if names.is_empty() {
        // What is wrong with the others a finding says.
        return Some(format!("{known} of {all} ids are known"));
    }
    Some(if known < all {
        format!("{known} of {all} ids are known; what is unknown orders nothing here: {names}")
    } else {
        format!("what is unknown orders nothing here: {names}")
    })
}

/// The layers by the longest way, names sorted inside of each.
fn layers(graph: &OrderGraph, units: &[Unit]) -> Option<Arc<[Vec<UnitIx>]>> {
    let layers = graph.layers()?;
    let name = |unit: &UnitIx| units.get(unit.0 as usize).map(|u| u.name.clone());
    let sorted = layers.iter().map(|layer| {
        let mut layer: Vec<UnitIx> = layer.iter().map(|n| UnitIx(n.0)).collect();
        layer.sort_by_key(name);
        layer
    });
    Some(sorted.collect::<Vec<_>>().into())
}

fn delete(model: &Model, destroy: &Destroy, units: &[Unit]) -> OrderOf {
    let mut graph = GraphBuilder::new();
    for (number, _) in (0u32..).zip(units) {
        graph.unit(number);
    }
    for (first, later) in &destroy.before {
        graph.implicit(NodeId(*later), NodeId(*first), 0);
    }
    let graph = graph.build();
    let is_safe = destroy.problems.is_empty() && !destroy.is_cut;
    let managed = || {
        let all = (0u32..).zip(&model.stacks);
        let own = all.filter(|(_, s)| s.kind == NodeKind::Managed);
        own.map(|(number, _)| UnitIx(number)).collect::<Vec<_>>()
    };
    let (layers, because) = if destroy.stacks.is_empty() {
        let because = "no stack has a destructor: stacks are deleted, and what they manage stays";
        let all = managed();
        let layers = if all.is_empty() { Vec::new() } else { vec![all] };
        (Some(layers.into()), Some(because.to_owned()))
    } else if is_safe {
        let has_destructor = |unit: &UnitIx| destroy.stacks.binary_search(&unit.0).is_ok();
        let kept = layers(&graph, units).map(|layers| {
            let kept = layers
                .iter()
                .map(|layer| layer.iter().copied().filter(&has_destructor).collect::<Vec<_>>());
            kept.filter(|layer| !layer.is_empty()).collect()
        });
        (kept, None)
    } else {
        let because =
            "nothing orders all destructors as the dependencies need it; `applyorder lint` says which";
        (None, Some(because.to_owned()))
    };
    OrderOf {
        graph: Arc::new(graph),
        layers,
        sequence: None,
        guaranteed: is_safe,
        because,
        open: destroy.open.clone(),
    }
}

/// What the options say of a run that is to be simulated.
fn scenario(pass: &Pass<'_>, variant: &Variant, edges: &Edges) -> Option<Scenario> {
    let options = pass.options;
    if options.changed.is_none() && options.failed.is_empty() {
        return None;
    }
    let by_name: FxHashMap<&str, StackIx> = (0u32..)
        .zip(&variant.units)
        .map(|(number, unit)| (&*unit.name, number))
        .collect();
    let named = |names: &[String]| -> Vec<StackIx> {
        names
            .iter()
            .filter_map(|n| by_name.get(n.as_str()).copied())
            .collect()
    };
    let mut unchanged = FxHashSet::default();
    let mut not_taken = Vec::new();
    for text in options.all(&UNCHANGED_OUTPUT) {
        let known = text
            .rsplit_once('.')
            .and_then(|(stack, output)| Some((*by_name.get(stack)?, output)))
            .filter(|(stack, output)| edges.is_taken(*stack, output));
        match known {
            Some((stack, output)) => {
                unchanged.insert((stack, output.into()));
            }
            None => not_taken.push(text.clone()),
        }
    }
    Some(Scenario {
        // Where only failures are named, all stacks run.
        changed: match &options.changed {
            Some(names) => named(names),
            None => by_name.values().copied().collect(),
        },
        failed: named(&options.failed).into_iter().collect(),
        unchanged,
        not_taken,
    })
}

/// Puts the outcome of a run into what users are shown.
fn show(variant: &mut Variant, scenario: &Scenario, chain: Option<&Simulation>, direct: Option<&Simulation>) {
    let Some(chain) = chain else {
        variant.apply.layers = None;
        variant.apply.because =
            Some("what would run waits for itself: Spacelift rejects such dependencies".to_owned());
        return;
    };
    let name = |stack: u32| variant.units.get(stack as usize).map_or("", |u| &*u.name);
    let names = |wanted: &dyn Fn(usize, State) -> bool| {
        let found = (0u32..).zip(chain.states.iter().enumerate());
        let found = found.filter(|(_, (at, state))| wanted(*at, **state));
        found
            .map(|(stack, _)| format!("`{}`", name(stack)))
            .collect::<Vec<_>>()
    };
    let mut because: Vec<String> = variant.apply.because.take().into_iter().collect();
    let not_taken = scenario.not_taken.iter();
    because.extend(
        not_taken
            .map(|output| format!("no reference takes `{output}`: `--unchanged-output` changes nothing")),
    );
    let skipped = names(&|_, state| state == State::Skipped);
    if !skipped.is_empty() {
        because.push(format!(
            "skipped, since nothing that they take changes: {}",
            skipped.join(", ")
        ));
    }
    let held = names(&|_, state| state == State::Held);
    if !held.is_empty() {
        because.push(format!("held back by a failure: {}", held.join(", ")));
    }
    if let Some(direct) = direct.filter(|direct| direct.states != chain.states) {
        let runs = names(&|at, state| {
            state == State::Held && matches!(direct.states.get(at), Some(State::Runs | State::Fails))
        });
        because.push(format!(
            "the support article holds back only what depends on a failed run directly; after it these run as well: {}",
            runs.join(", ")
        ));
    }
    let waves: Vec<Vec<UnitIx>> = chain
        .waves
        .iter()
        .map(|wave| {
            let mut wave: Vec<UnitIx> = wave.iter().map(|s| UnitIx(*s)).collect();
            wave.sort_by_key(|unit| name(unit.0).to_owned());
            wave
        })
        .collect();
    let mut selected: Vec<UnitIx> = waves.iter().flatten().copied().collect();
    selected.sort_unstable();
    variant.apply.layers = Some(waves.into());
    variant.apply.because = (!because.is_empty()).then(|| because.join("; "));
    variant.actions = chain.states.iter().map(|state| action(*state)).collect();
    variant.selected = Some(selected);
}
