//! Edges one by one, or many-to-many relations as one entry each.

use std::borrow::Cow;

use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::Variant;
use applyorder_analysis::graph::{Direction, Edge, EdgeKind, Link, NodeId, OrderGraph};

use super::{model, place};
use crate::session::Session;

pub(super) fn is_direct(graph: &OrderGraph, edge: &Edge) -> bool {
    !graph.is_passed(edge.from) && !graph.is_passed(edge.to)
}

/// An edge with its cause and place.
#[must_use]
pub fn edge<'a>(session: &Session, variant: &'a Variant, graph: &OrderGraph, edge: &Edge) -> model::Edge<'a> {
    let (kind, reason, at) = origin(variant, edge.kind);
    model::Edge {
        from: variant.name_of(graph, edge.from),
        to: variant.name_of(graph, edge.to),
        kind,
        reason: reason.map(Cow::Borrowed),
        condition: edge
            .condition
            .and_then(|c| variant.conditions.get(c as usize))
            .map(|c| Cow::Borrowed(c.as_str())),
        required: edge.required,
        place: at.map(|p| place(session, p)),
    }
}

/// The origin of an edge: its kind, its cause or the attribute it is written in, its place.
#[must_use]
pub fn origin(variant: &Variant, kind: EdgeKind) -> (model::Kind, Option<&str>, Option<Place>) {
    match kind {
        EdgeKind::Explicit { dependency } => {
            let written = variant.dependencies.get(dependency as usize);
            (
                model::Kind::Explicit,
                written.map(|d| d.attribute),
                written.map(|d| d.place),
            )
        }
        EdgeKind::Implicit { reason } => (
            model::Kind::Implicit,
            variant.reasons.get(reason as usize).map(String::as_str),
            None,
        ),
    }
}

/// The relations of a join: one for each cause that some of its units have.
pub(super) fn groups<'a>(variant: &'a Variant, graph: &OrderGraph, node: NodeId) -> Vec<model::Group<'a>> {
    let links = |direction| -> Vec<Link> { graph.links(node, direction).collect() };
    let (from, to) = (links(Direction::Dependents), links(Direction::Dependencies));
    if from.is_empty() || to.is_empty() {
        return Vec::new();
    }
    let kind = |link: &Link| graph.edge(link.edge);
    // One side has the owners of rules, the other the members, which declare nothing.
    let says = |link: &Link| kind(link).is_some_and(|e| e.kind.is_explicit() || e.weight != 0);
    let owners_wait = from.iter().any(says) || !to.iter().any(says);
    let (owners, members) = if owners_wait { (from, to) } else { (to, from) };
    let names = |links: &[Link]| -> Vec<model::Text<'a>> {
        links.iter().map(|l| variant.name_of(graph, l.node)).collect()
    };
    let through = members
        .first()
        .and_then(kind)
        .and_then(|edge| origin(variant, edge.kind).1);
    let mut found: Vec<(model::Group<'a>, Vec<Link>)> = Vec::new();
    for link in owners {
        let Some(edge) = kind(&link) else { continue };
        let (kind, reason, _) = origin(variant, edge.kind);
        let same = found
            .iter_mut()
            .find(|(g, _)| g.kind == kind && g.reason.as_deref() == reason && g.required == edge.required);
        match same {
            Some((_, links)) => links.push(link),
            None => found.push((
                model::Group {
                    from: Vec::new(),
                    to: Vec::new(),
                    from_count: 0,
                    to_count: 0,
                    kind,
                    reason: reason.map(Cow::Borrowed),
                    through: through.map(Cow::Borrowed),
                    required: edge.required,
                },
                vec![link],
            )),
        }
    }
    found
        .into_iter()
        .map(|(group, owners)| {
            let (from, to) = if owners_wait {
                (names(&owners), names(&members))
            } else {
                (names(&members), names(&owners))
            };
            model::Group {
                from_count: from.len(),
                to_count: to.len(),
                from,
                to,
                ..group
            }
        })
        .collect()
}
