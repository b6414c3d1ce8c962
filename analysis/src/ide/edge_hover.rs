//! The hover of one written dependency: which units it makes wait, and the effect of removing it.

use super::layers::{LayerTable, in_words};
use super::page::Page;
use super::word;
use crate::workspace::{Analysis, Project, WhatIf};
use applyorder_core::diagnostic::{Diagnostic, Fix, Place, Safety, Severity};
use applyorder_core::engine::{DependencyIx, Operation, OrderOf, UnitIx, Variant};
use applyorder_core::graph::{Direction, Edge, EdgeKind, NodeId, OrderGraph};
use applyorder_core::markdown::{code, sentence};
use applyorder_core::rules::{cycle, self_dependency};
use rustc_hash::{FxHashMap, FxHashSet};

/// The edge of a dependency, and the project without it.
pub(super) fn edge_hover(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    ix: DependencyIx,
) -> Option<String> {
    let written = variant.dependencies.get(ix.0 as usize)?;
    if written.unknown || written.targets.is_empty() {
        return None;
    }
    let seen = Seen::of(variant, ix);
    let edges = edges_of(&seen.order.graph, ix);
    let mut parts = Vec::new();
    let ring = cycle_at(page.analysis, project, written.place);
    match (&ring, edges.as_slice()) {
        (Some(ring), _) => parts.push(format!("**In a cycle**: {}", sentence(&ring.message))),
        (None, [(from, to)]) if from == to => parts.push(format!(
            "**In a cycle**: **{}** waits for itself",
            page.unit(variant, *from)
        )),
        (None, [edge]) => parts.push(in_words_of_one(page, variant, seen, *edge)),
        (None, _) if is_own(project, written.place) => parts.push(format!(
            "**In a cycle**: **{}** waits for itself",
            page.unit(variant, written.unit)
        )),
        (None, _) => parts.extend(of_many(page, project, variant, seen, ix)),
    }
    if ring.is_none() && is_on_longest_chain(&seen.order.graph, ix) {
        parts.push("on a longest chain: a delay here delays the whole run".to_owned());
    }
    parts.extend(without(page, project, variant, ix, ring));
    // A cycle of one edge is already reported.
    if let Some(ring) = ring.filter(|ring| is_step(ring, written.place)) {
        let edges = ring.related.chunk_by(|a, b| a.message == b.message);
        let edges: Vec<String> = (1..)
            .zip(edges)
            .filter_map(|(number, edge)| {
                let edge = edge.first()?;
                let place = if edge.place == written.place {
                    "here".to_owned()
                } else {
                    page.place(project, edge.place)
                };
                Some(format!("{number}. {}: {place}", sentence(&edge.message)))
            })
            .take(MOST_EDGES)
            .collect();
        parts.push(edges.join("\n"));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Which units a dependency makes wait for which, and their layers, for a hover that names it.
pub(super) fn edge_in_words(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    ix: DependencyIx,
) -> Option<String> {
    let written = variant.dependencies.get(ix.0 as usize)?;
    if written.unknown || written.targets.is_empty() {
        return None;
    }
    let seen = Seen::of(variant, ix);
    match edges_of(&seen.order.graph, ix).as_slice() {
        [(from, to)] if from == to => Some(format!("**{}** waits for itself", page.unit(variant, *from))),
        [edge] => Some(in_words_of_one(page, variant, seen, *edge)),
        _ => of_many(page, project, variant, seen, ix),
    }
}

/// The order in which a dependency is considered.
#[derive(Clone, Copy)]
struct Seen<'a> {
    order: &'a OrderOf,
    operation: Operation,
}

impl<'a> Seen<'a> {
    /// A rule of kapp may order deletions alone; all others are considered in the apply order.
    fn of(variant: &'a Variant, ix: DependencyIx) -> Self {
        let orders = |order: &OrderOf| written_edges(&order.graph, ix).next().is_some();
        let operation = if !orders(&variant.apply) && orders(&variant.delete) {
            Operation::Delete
        } else {
            Operation::Apply
        };
        let order = variant.order_of(operation);
        Self { order, operation }
    }

    /// The text after "waits for".
    const fn when(self) -> &'static str {
        match self.operation {
            Operation::Apply => "",
            Operation::Delete => " on delete",
        }
    }
}

fn in_words_of_one(
    page: Page<'_>,
    variant: &Variant,
    seen: Seen<'_>,
    (from, to): (UnitIx, UnitIx),
) -> String {
    let layers = LayerTable::of_operation(variant, seen.operation);
    let later = layers.or_later([from]);
    let layers = layers.short(to).zip(layers.number(from));
    let layers = layers.map(|(to, from)| format!(" · {to}, then {from}{later}"));
    format!(
        "**{}** waits for **{}**{}{}",
        page.unit(variant, from),
        page.unit(variant, to),
        seen.when(),
        layers.unwrap_or_default()
    )
}

/// The edges of a dependency that means several units: which units wait for which, and their layers.
fn of_many(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    seen: Seen<'_>,
    ix: DependencyIx,
) -> Option<String> {
    let written = variant.dependencies.get(ix.0 as usize)?;
    let own = NodeId(written.unit.0);
    let mut edges = written_edges(&seen.order.graph, ix);
    let waits = edges.find_map(|edge| {
        let ends = [edge.from == own, edge.to == own];
        ends.contains(&true).then(|| ends[0])
    })?;
    let others = written
        .targets
        .iter()
        .copied()
        .filter(|unit| *unit != written.unit);
    let others: Vec<UnitIx> = others.collect();
    let named = match others.as_slice() {
        [] => return None,
        [one] => page.unit(variant, *one),
        many => format!("{} {}", many.len(), word(project, true)),
    };
    let layers = LayerTable::of_operation(variant, seen.operation);
    let own = page.unit(variant, written.unit);
    let (of_own, of_others) = (layers.range([written.unit]), layers.range(others.iter().copied()));
    let number = |(first, last): (u32, u32)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}–{last}")
        }
    };
    let between = of_own.zip(of_others).map(|(own, others)| {
        let (earlier, later) = if waits { (others, own) } else { (own, others) };
        format!(" · {}, then {}", in_words(earlier), number(later))
    });
    let between = format!("{}{}", seen.when(), between.unwrap_or_default());
    Some(if waits {
        format!("**{own}** waits for **{named}**{between}")
    } else if others.len() == 1 {
        format!("**{named}** waits for **{own}**{between}")
    } else {
        format!("**{named}** wait for **{own}**{between}")
    })
}

/// The maximum number of edges of a cycle that are listed.
const MOST_EDGES: usize = 16;

/// The finding of the cycle that an entry is part of.
fn cycle_at<'a>(analysis: &Analysis, project: &'a Project, place: Place) -> Option<&'a Diagnostic> {
    let all = project.findings().of_rule(&cycle::RULE);
    let mut all = all.filter(|d| d.place == place || is_step(d, place));
    // Several environments can have their own: the first in the order of the text.
    let first = all.next()?;
    let at = |d: &Diagnostic| (d.place.file, analysis.span(d.place));
    Some(all.fold(first, |a, b| if at(b) < at(a) { b } else { a }))
}

/// Whether a finding says that the text at a place makes its own unit wait for itself.
fn is_own(project: &Project, place: Place) -> bool {
    let mut found = project.findings().of_rule(&self_dependency::RULE);
    found.any(|d| d.place == place && d.severity == Severity::Error)
}

/// Whether a place is that of an edge of a cycle.
fn is_step(cycle: &Diagnostic, place: Place) -> bool {
    cycle.related.iter().any(|r| r.place == place)
}

/// The edges that a dependency gives a graph.
fn written_edges(graph: &OrderGraph, ix: DependencyIx) -> impl Iterator<Item = &Edge> {
    let kind = EdgeKind::Explicit { dependency: ix.0 };
    graph.edges().iter().filter(move |edge| edge.kind == kind)
}

/// The pairs of units that the edges of a dependency connect, joins passed through; empty if there are too
/// many.
fn edges_of(graph: &OrderGraph, ix: DependencyIx) -> Vec<(UnitIx, UnitIx)> {
    let unit = |node: NodeId| graph.kind(node).and_then(|kind| kind.unit()).map(UnitIx);
    let mut found: Vec<(UnitIx, UnitIx)> = Vec::new();
    for edge in written_edges(graph, ix) {
        let Some(pair) = unit(edge.from).zip(unit(edge.to)) else {
            return Vec::new();
        };
        if !found.contains(&pair) {
            found.push(pair);
        }
        if found.len() > 1 {
            break;
        }
    }
    found
}

fn is_on_longest_chain(graph: &OrderGraph, ix: DependencyIx) -> bool {
    let Some(chain) = graph.critical_path() else {
        return false;
    };
    let kind = EdgeKind::Explicit { dependency: ix.0 };
    let mut edges = chain.edges().iter().filter_map(|edge| graph.edge(*edge));
    edges.any(|edge| edge.kind == kind)
}

/// The effect on the project of removing an entry; `None` if computing it would take long.
pub(super) fn without_entry(
    analysis: &Analysis,
    project: &Project,
    variant: &Variant,
    ix: DependencyIx,
) -> Option<WhatIf> {
    let step = project.engine().removal(analysis, project.view(), variant, ix)?;
    let fix = Fix {
        title: String::new(),
        safety: Safety::Unsafe,
        steps: vec![step],
    };
    let edits = analysis.edits(&fix);
    if edits.is_empty() {
        return None;
    }
    analysis.what_if(project, &edits)
}

/// The text about the effect of removing an entry.
fn without(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    ix: DependencyIx,
    ring: Option<&Diagnostic>,
) -> Option<String> {
    let after = without_entry(page.analysis, project, variant, ix)?.resolution;
    let environment = variant.environments.first()?;
    let then = after
        .variants
        .iter()
        .find(|v| v.environments.contains(environment))?;
    let said = match ring {
        Some(ring) => of_ring(project, variant, then, ring),
        None => of_edge(page, variant, then, ix),
    }?;
    Some(format!("**Without this entry** {said}"))
}

fn of_ring(project: &Project, variant: &Variant, then: &Variant, ring: &Diagnostic) -> Option<String> {
    match still_in_cycles(variant, then, ring) {
        0 => {}
        1 => return Some(format!("1 {} is still in a cycle", word(project, false))),
        still => return Some(format!("{still} {} are still in cycles", word(project, true))),
    }
    let layers = LayerTable::new(then);
    let mut placed: Vec<(u32, &str)> = (0..)
        .map(UnitIx)
        .zip(&then.units)
        .filter(|(_, unit)| ring.units.contains(&unit.name))
        .filter_map(|(ix, unit)| Some((layers.number(ix)?, &*unit.name)))
        .collect();
    placed.sort_unstable();
    let shown = placed.iter().take(super::page::MOST);
    let shown: Vec<String> = shown
        .map(|(layer, name)| format!("{} {layer}", code(name)))
        .collect();
    Some(if shown.is_empty() {
        "this cycle is broken".to_owned()
    } else {
        format!("this cycle is broken: {}", shown.join(", "))
    })
}

/// How many of the units that are in cycles together with those of a cycle still are in one.
fn still_in_cycles(variant: &Variant, then: &Variant, ring: &Diagnostic) -> usize {
    let both = [(&variant.apply, &then.apply), (&variant.delete, &then.delete)];
    let counts = both.map(|(before, after)| {
        let components = before.graph.components();
        let nodes = |of: &Variant, is_wanted: &dyn Fn(&std::sync::Arc<str>) -> bool| -> Vec<NodeId> {
            let units = (0..).map(NodeId).zip(&of.units);
            let wanted = units.filter(|(_, unit)| is_wanted(&unit.name));
            wanted.map(|(node, _)| node).collect()
        };
        let of_ring = nodes(variant, &|name| ring.units.contains(name));
        let of_ring = of_ring
            .iter()
            .filter(|node| components.on_cycle(&before.graph, **node));
        let around: FxHashSet<u32> = of_ring.filter_map(|node| components.of(*node)).collect();
        let members = around.iter().flat_map(|component| components.members(*component));
        let members = members.filter_map(|node| variant.units.get(node.0 as usize));
        let members: FxHashSet<&str> = members.map(|unit| &*unit.name).collect();
        let components = after.graph.components();
        let mut left = nodes(then, &|name| members.contains(&**name));
        left.retain(|node| components.on_cycle(&after.graph, *node));
        left.len()
    });
    counts.into_iter().max().unwrap_or_default()
}

fn of_edge(page: Page<'_>, variant: &Variant, then: &Variant, ix: DependencyIx) -> Option<String> {
    let written = variant.dependencies.get(ix.0 as usize)?;
    let owner = written.unit;
    let seen = Seen::of(variant, ix);
    let (order, order_then) = (seen.order, then.order_of(seen.operation));
    let on = match seen.operation {
        Operation::Apply => "",
        Operation::Delete => "on delete ",
    };
    let name = |ix: UnitIx| variant.units.get(ix.0 as usize).map(|unit| &unit.name);
    let find = |ix: UnitIx| {
        let name = name(ix)?;
        let at = then.units.iter().position(|unit| unit.name == *name)?;
        u32::try_from(at).ok().map(UnitIx)
    };
    // Which of the two waits is decided by the edges: an entry may order others after its own unit.
    let (own, others) = (
        find(owner)?,
        written
            .targets
            .iter()
            .filter_map(|t| find(*t))
            .collect::<Vec<_>>(),
    );
    // Links lead to the current texts.
    let known: FxHashMap<&str, UnitIx> = (0..)
        .map(UnitIx)
        .zip(&variant.units)
        .map(|(ix, unit)| (&*unit.name, ix))
        .collect();
    let now_of = |ix: UnitIx| known.get(&*then.units.get(ix.0 as usize)?.name).copied();
    let before = LayerTable::of_operation(variant, seen.operation);
    let layers = LayerTable::of_operation(then, seen.operation);
    let was = before.number(owner);
    let graph = &order_then.graph;
    let related = |direction| graph.reach(&[NodeId(own.0)], direction);
    let (runs_after, runs_before) = (related(Direction::Dependencies), related(Direction::Dependents));
    let is_ordered = |other: &UnitIx| {
        let has = |set: &[bool]| set.get(other.0 as usize) == Some(&true);
        has(&runs_after) || has(&runs_before)
    };
    let Some(now) = layers.number(own) else {
        let because = order_then.because.as_deref();
        let because = because.filter(|_| order_then.layers.is_none())?;
        // The reason why it has none now is reported at its unit.
        return Some(if order.layers.is_some() {
            format!("{on}there is no order ({})", sentence(because))
        } else if order.because.as_deref() == Some(because) {
            format!("{on}there is still no order")
        } else {
            format!("{on}there is still no order ({})", sentence(because))
        });
    };
    if !others.is_empty()
        && others.iter().all(is_ordered)
        && was == Some(now)
        && same_layers((variant, order), (then, order_then))
    {
        return Some(match others.as_slice() {
            [one] => {
                let path = graph.shortest_path(NodeId(own.0), NodeId(one.0));
                let through = path
                    .and_then(|path| path.nodes().get(1).copied())
                    .filter(|n| n.0 != one.0);
                let through = through.and_then(|node| graph.kind(node)?.unit());
                let through = through.and_then(|u| now_of(UnitIx(u)));
                let through = through.map(|unit| format!(", through {}", page.unit(variant, unit)));
                format!("{on}nothing moves: it is implied{}", through.unwrap_or_default())
            }
            _ => format!("{on}nothing moves: it is implied"),
        });
    }
    let beside: Vec<UnitIx> = layers.beside(own).filter_map(now_of).collect();
    // If the layer may have unknown units, whether it is alone is not reported.
    let beside = if !beside.is_empty() {
        format!(", beside {}", page.units(variant, &beside))
    } else if layers.is_beside_open(own) {
        layers.or_later([own]).to_owned()
    } else {
        ", alone".to_owned()
    };
    let name = page.unit(variant, owner);
    Some(if was == Some(now) {
        format!("{on}{name} stays in layer {now}{beside}")
    } else {
        format!("{on}{name} is in layer {now}{beside}")
    })
}

/// Whether all units are in the same layers as before.
fn same_layers(a: (&Variant, &OrderOf), b: (&Variant, &OrderOf)) -> bool {
    let names = |(variant, order): (&Variant, &OrderOf)| -> Option<Vec<Vec<std::sync::Arc<str>>>> {
        let layers = order.layers.as_ref()?;
        let layer = |layer: &Vec<UnitIx>| {
            let names = layer.iter().filter_map(|ix| variant.units.get(ix.0 as usize));
            let mut names: Vec<_> = names.map(|unit| unit.name.clone()).collect();
            names.sort();
            names
        };
        Some(layers.iter().map(layer).collect())
    };
    names(a) == names(b)
}
