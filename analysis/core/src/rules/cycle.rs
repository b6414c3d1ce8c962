//! `cycle`: units that wait for each other in a circle.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use crate::engine::{Dependency, EngineMeta, UnitIx, Variant};
use crate::graph::{EdgeKind, NodeId, OrderGraph, Path, Step};

/// The rule.
pub static RULE: Rule = Rule {
    id: "cycle",
    severity: Severity::Error,
    summary: "Cycle of dependencies",
    docs: include_str!("../../../../docs/rules/cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["redundant-dependency"],
};

/// How many edges are looked at in the search for a shortest cycle and for the cheapest cut.
pub const BUDGET: u64 = 2_000_000;

/// A finding, and what it is about.
pub struct Finding {
    /// The finding, without what the engine says to it.
    pub diagnostic: Diagnostic,
    /// All units of the component, ascending.
    pub members: Vec<UnitIx>,
    /// The cycle shown.
    pub path: Path,
}

/// One finding per strongly connected component of more than one unit. A unit that waits for itself alone
/// is [`super::self_dependency`]'s.
///
/// `remove` makes the step that takes a written dependency away, where one exists.
#[must_use]
pub fn check(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    remove: impl Fn(&Dependency) -> Option<FixStep>,
) -> Vec<Finding> {
    let components = graph.components();
    if components.cyclic().is_empty() {
        return Vec::new();
    }
    graph
        .cycles(&components, BUDGET, |_| true)
        .into_iter()
        .filter_map(|cycle| {
            let members: Vec<UnitIx> = components
                .members(cycle.component)
                .iter()
                .filter_map(|n| unit_of(graph, *n))
                .collect();
            if members.len() < 2 {
                return None;
            }
            let diagnostic = describe(meta, variant, graph, &members, &cycle.path, cycle.shortest);
            let diagnostic = with_cut(
                meta,
                variant,
                graph,
                &cycle.path,
                cycle.cut.map(|c| (c.edge, c.left)),
                diagnostic,
                &remove,
            );
            let diagnostic = with_removals(variant, graph, &cycle.path, diagnostic, &remove);
            Some(Finding {
                diagnostic,
                members,
                path: cycle.path,
            })
        })
        .collect()
}

fn unit_of(graph: &OrderGraph, node: NodeId) -> Option<UnitIx> {
    graph.kind(node)?.unit().map(UnitIx)
}

fn name(variant: &Variant, graph: &OrderGraph, node: NodeId) -> std::sync::Arc<str> {
    unit_of(graph, node)
        .and_then(|u| variant.units.get(u.0 as usize))
        .map_or_else(|| "?".into(), |u| u.name.clone())
}

/// The written dependency that makes a step, else the reason of the implicit edge.
enum Origin<'a> {
    Written(&'a Dependency),
    Implied(&'a str),
}

fn origin<'a>(variant: &'a Variant, graph: &OrderGraph, step: &Step<'_>) -> Origin<'a> {
    match graph.telling(step.edges).map(|edge| edge.kind) {
        Some(EdgeKind::Explicit { dependency }) => match variant.dependencies.get(dependency as usize) {
            Some(written) => Origin::Written(written),
            None => Origin::Implied("implicit"),
        },
        Some(EdgeKind::Implicit { reason }) => Origin::Implied(
            variant
                .reasons
                .get(reason as usize)
                .map_or("implicit", String::as_str),
        ),
        None => Origin::Implied("implicit"),
    }
}

fn header(variant: &Variant, graph: &OrderGraph, node: NodeId) -> Option<Place> {
    let unit = variant.units.get(unit_of(graph, node)?.0 as usize)?;
    Some(unit.name_place.unwrap_or(unit.header))
}

fn describe(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    members: &[UnitIx],
    path: &Path,
    shortest: bool,
) -> Diagnostic {
    let names: Vec<_> = path.nodes().iter().map(|n| name(variant, graph, *n)).collect();
    let shown = if names.len() > 12 {
        let head: Vec<_> = names.iter().take(6).map(|n| format!("`{n}`")).collect();
        let tail: Vec<_> = names
            .iter()
            .rev()
            .take(3)
            .rev()
            .map(|n| format!("`{n}`"))
            .collect();
        format!(
            "{} → … ({} more) … → {}",
            head.join(" → "),
            names.len() - 9,
            tail.join(" → ")
        )
    } else {
        names
            .iter()
            .map(|n| format!("`{n}`"))
            .collect::<Vec<_>>()
            .join(" → ")
    };
    let message = format!("dependency cycle: {shown}");
    let primary = path
        .steps()
        .find_map(|s| match origin(variant, graph, &s) {
            Origin::Written(d) => Some(d.place),
            Origin::Implied(_) => None,
        })
        .or_else(|| path.nodes().first().and_then(|n| header(variant, graph, *n)));
    let fallback = members
        .first()
        .and_then(|u| variant.units.get(u.0 as usize))
        .map(|u| u.header);
    let place = primary
        .or(fallback)
        .unwrap_or(Place::file(crate::diagnostic::FileId(0)));
    let mut d = Diagnostic::new(&RULE, place, message);
    for step in path.steps() {
        let (from, to) = (name(variant, graph, step.from), name(variant, graph, step.to));
        match origin(variant, graph, &step) {
            Origin::Written(written) => {
                d = d.related(
                    written.place,
                    format!("`{from}` waits for `{to}` (`{}`)", written.attribute),
                );
            }
            Origin::Implied(reason) => {
                let text = format!("`{from}` waits for `{to}` (implicit: {reason})");
                for node in [step.from, step.to] {
                    if let Some(place) = header(variant, graph, node) {
                        d = d.related(place, text.clone());
                    }
                }
            }
        }
    }
    d.units = members
        .iter()
        .filter_map(|u| variant.units.get(u.0 as usize))
        .map(|u| u.name.clone())
        .collect();
    let outside = members.len().saturating_sub(path.len());
    if outside > 0 {
        d = d.note(format!(
            "{} {} form overlapping cycles; {} is shown",
            members.len(),
            meta.units,
            if shortest { "a shortest one" } else { "one" },
        ));
    }
    d
}

fn with_cut(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    path: &Path,
    cut: Option<(crate::graph::EdgeId, u32)>,
    d: Diagnostic,
    remove: &impl Fn(&Dependency) -> Option<FixStep>,
) -> Diagnostic {
    let Some((edge, left)) = cut else {
        return d;
    };
    // An end of the edge may be a join; the step is between units.
    let Some(step) = path.steps().find(|step| step.edges.contains(&edge)) else {
        return d;
    };
    let Some(written) = graph
        .edge(edge)
        .and_then(|e| e.kind.dependency())
        .and_then(|i| variant.dependencies.get(i as usize))
    else {
        return d;
    };
    let (from, to) = (name(variant, graph, step.from), name(variant, graph, step.to));
    let rest = if left == 0 {
        "breaks the cycle".to_owned()
    } else {
        format!("leaves {left} {} in cycles", meta.units)
    };
    match remove(written) {
        Some(step) => d.fix(
            format!("remove the dependency of `{from}` on `{to}` ({rest})"),
            Safety::Unsafe,
            vec![step],
        ),
        None => d,
    }
}

fn with_removals(
    variant: &Variant,
    graph: &OrderGraph,
    path: &Path,
    mut d: Diagnostic,
    remove: &impl Fn(&Dependency) -> Option<FixStep>,
) -> Diagnostic {
    for step in path.steps().take(16) {
        let Origin::Written(written) = origin(variant, graph, &step) else {
            continue;
        };
        let Some(fix) = remove(written) else { continue };
        if d.fixes.iter().any(|f| f.steps.first() == Some(&fix)) {
            continue;
        }
        let (from, to) = (name(variant, graph, step.from), name(variant, graph, step.to));
        d = d.fix(
            format!("remove the dependency of `{from}` on `{to}`"),
            Safety::Unsafe,
            vec![fix],
        );
    }
    d
}
