//! `cycle`: units that wait for each other in a cycle.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, Fix, FixStep, Place, Related, Safety, Severity, Waits};
use crate::engine::{Dependency, EngineMeta, UnitIx, Variant};
use crate::graph::{Components, Cycle, CyclicPart, EdgeId, EdgeKind, NodeId, OrderGraph, Path, Step};
use crate::memo::{Fingerprint, Memo};

/// The rule.
pub static RULE: Rule = Rule {
    id: "cycle",
    severity: Severity::Error,
    summary: "Cycle of dependencies",
    docs: include_str!("../../../../docs/rules/cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    // Without an order there is nothing to contradict.
    replaces: &["redundant-dependency", "tazuna/order-contradicts-declaration"],
};

/// The budget, in edges looked at, of the search for a shortest cycle and for the best cut.
pub const BUDGET: u64 = 2_000_000;

/// The maximum number of edges of one cycle that have a fix that removes them.
const MOST_CUTS: usize = 16;

/// The maximum number of edges of one cycle that have a mark of their own.
const MOST_MARKS: usize = 256;

/// The maximum number of following edges that each of these links to, besides the one to cut.
const MOST_AROUND: usize = 4;

/// A finding, and what it is about.
pub struct Finding {
    /// The finding, without the engine's reaction.
    pub diagnostic: Diagnostic,
    /// All units of the component, ascending.
    pub members: Vec<UnitIx>,
    /// The cycle shown.
    pub path: Path,
}

/// One finding per strongly connected component of more than one unit. A unit that waits only for itself is
/// reported by [`super::self_dependency`].
///
/// `remove` makes the step that removes a written dependency, if one exists.
#[must_use]
pub fn check(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    remove: impl Fn(&Dependency) -> Option<FixStep>,
) -> Vec<Finding> {
    check_cutting(meta, variant, graph, |_| true, remove)
}

/// The cycles in a part of some graph.
#[derive(PartialEq, Eq, Hash)]
struct SearchKey(Fingerprint);

/// The cycles of a graph, to be kept with it.
#[derive(Debug)]
pub struct Searched {
    components: Components,
    cycles: Vec<Cycle>,
}

impl Searched {
    /// Searches a graph; if its cyclic part is the same as in another graph, that result is reused.
    #[must_use]
    pub fn new(memo: &Memo, graph: &OrderGraph) -> Self {
        let components = graph.components();
        if components.cyclic().is_empty() {
            return Self {
                components,
                cycles: Vec::new(),
            };
        }
        let part = CyclicPart::new(graph, &components);
        let kept = memo.get(SearchKey(part.fingerprint()), || {
            part.keep(&graph.cycles_of_several(&components, BUDGET, |_| true))
        });
        Self {
            cycles: part.cycles(&kept),
            components,
        }
    }
}

/// Like [`check`]; if the cyclic part is unchanged, it is not searched again.
#[must_use]
pub fn check_again(
    memo: &Memo,
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    remove: impl Fn(&Dependency) -> Option<FixStep>,
) -> Vec<Finding> {
    check_searched(meta, variant, graph, &Searched::new(memo, graph), remove)
}

/// Like [`check`], for a graph that was already searched.
#[must_use]
pub fn check_searched(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    searched: &Searched,
    remove: impl Fn(&Dependency) -> Option<FixStep>,
) -> Vec<Finding> {
    let cycles = searched.cycles.iter().cloned();
    cycles
        .filter_map(|cycle| of_cycle(meta, variant, graph, &searched.components, cycle, &remove))
        .collect()
}

/// Like [`check`]; the cycle is cut only at edges that `may_cut` allows.
#[must_use]
pub fn check_cutting(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    may_cut: impl Fn(EdgeId) -> bool,
    remove: impl Fn(&Dependency) -> Option<FixStep>,
) -> Vec<Finding> {
    let components = graph.components();
    if components.cyclic().is_empty() {
        return Vec::new();
    }
    graph
        .cycles_of_several(&components, BUDGET, may_cut)
        .into_iter()
        .filter_map(|cycle| of_cycle(meta, variant, graph, &components, cycle, &remove))
        .collect()
}

fn of_cycle(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    components: &Components,
    cycle: Cycle,
    remove: &impl Fn(&Dependency) -> Option<FixStep>,
) -> Option<Finding> {
    let members: Vec<UnitIx> = components
        .members(cycle.component)
        .iter()
        .filter_map(|n| unit_of(graph, *n))
        .collect();
    if members.len() < 2 {
        return None;
    }
    let cut = cycle.cut.map(|c| (c.edge, c.left));
    let steps = from_cut(&cycle.path, cut.map(|(edge, _)| edge));
    let diagnostic = describe(meta, variant, graph, &members, &steps, cycle.shortest);
    let diagnostic = with_cut(meta, variant, graph, &steps, cut, diagnostic, remove);
    let diagnostic = with_removals(variant, graph, &steps, diagnostic, remove);
    Some(Finding {
        diagnostic,
        members,
        path: cycle.path,
    })
}

fn unit_of(graph: &OrderGraph, node: NodeId) -> Option<UnitIx> {
    graph.kind(node)?.unit().map(UnitIx)
}

fn name(variant: &Variant, graph: &OrderGraph, node: NodeId) -> Arc<str> {
    unit_of(graph, node)
        .and_then(|u| variant.units.get(u.0 as usize))
        .map_or_else(|| "?".into(), |u| u.name.clone())
}

/// The written dependency that causes a step, else the reason of the implicit edge.
enum Origin<'a> {
    Written(&'a Dependency),
    Implied(&'a str),
}

fn origin<'a>(variant: &'a Variant, graph: &OrderGraph, step: &Step<'_>) -> Origin<'a> {
    match graph.main_edge(step.edges).map(|edge| edge.kind) {
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
    Some(unit.place())
}

/// The steps of the cycle, beginning with the best edge to cut.
fn from_cut(path: &Path, cut: Option<EdgeId>) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = path.steps().collect();
    let at = cut.and_then(|cut| steps.iter().position(|step| step.edges.contains(&cut)));
    steps.rotate_left(at.unwrap_or_default());
    steps
}

/// The maximum number of others of a cycle that are named.
const MOST_OTHERS: usize = 3;

/// The maximum number of columns: editors show it in one line, after the text.
const MOST_COLUMNS: usize = 80;

/// What the units of a cycle have in common, `what` being what the first does: in one line, however many they
/// are.
#[must_use]
pub fn title(names: &[impl AsRef<str>], what: &str) -> String {
    let Some((first, others)) = names.split_first() else {
        return "dependency cycle".to_owned();
    };
    let named = naming(first.as_ref(), others, what);
    let columns = named.chars().filter(|c| *c != '`').count();
    if columns > MOST_COLUMNS && others.len() > 1 {
        return format!("`{}` {what}, through {} others", first.as_ref(), others.len());
    }
    named
}

fn naming(first: &str, others: &[impl AsRef<str>], what: &str) -> String {
    let through = match others {
        [] => return format!("`{first}` {what}"),
        [one] => format!("`{}`", one.as_ref()),
        [before @ .., last] if others.len() <= MOST_OTHERS => {
            let before: Vec<String> = before.iter().map(|name| format!("`{}`", name.as_ref())).collect();
            format!("{} and `{}`", before.join(", "), last.as_ref())
        }
        [next, rest @ ..] => format!("`{}` and {} more", next.as_ref(), rest.len()),
    };
    format!("`{first}` {what}, through {through}")
}

fn describe(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    members: &[UnitIx],
    steps: &[Step<'_>],
    shortest: bool,
) -> Diagnostic {
    let names: Vec<Arc<str>> = steps.iter().map(|s| name(variant, graph, s.from)).collect();
    let message = title(&names, "waits for itself");
    let primary = steps
        .iter()
        .find_map(|s| match origin(variant, graph, s) {
            Origin::Written(d) => Some(d.place),
            Origin::Implied(_) => None,
        })
        .or_else(|| steps.first().and_then(|s| header(variant, graph, s.from)));
    let fallback = members
        .first()
        .and_then(|u| variant.units.get(u.0 as usize))
        .map(|u| u.header);
    let place = primary
        .or(fallback)
        .unwrap_or(Place::file(crate::diagnostic::FileId(0)));
    let mut d = Diagnostic::new(&RULE, place, message);
    for step in steps {
        let (from, to) = (name(variant, graph, step.from), name(variant, graph, step.to));
        match origin(variant, graph, step) {
            Origin::Written(written) => {
                let text = format!("`{from}` waits for `{to}` (`{}`)", written.attribute);
                d = d.edge(written.place, text, waits(&from, &to, None));
            }
            Origin::Implied(reason) => {
                let text = format!("`{from}` waits for `{to}` (implicit: {reason})");
                for node in [step.from, step.to] {
                    if let Some(place) = header(variant, graph, node) {
                        d = d.edge(place, text.clone(), waits(&from, &to, Some(reason.to_owned())));
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
    let outside = members.len().saturating_sub(steps.len());
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

fn waits(from: &Arc<str>, to: &Arc<str>, reason: Option<String>) -> Waits {
    Waits {
        from: from.clone(),
        to: to.clone(),
        reason,
        cut: None,
    }
}

fn with_cut(
    meta: &EngineMeta,
    variant: &Variant,
    graph: &OrderGraph,
    steps: &[Step<'_>],
    cut: Option<(EdgeId, u32)>,
    mut d: Diagnostic,
    remove: &impl Fn(&Dependency) -> Option<FixStep>,
) -> Diagnostic {
    let Some((edge, left)) = cut else {
        return d;
    };
    // An end of the edge may be a join; the step is between units.
    let Some(step) = steps.iter().find(|step| step.edges.contains(&edge)) else {
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
    let mut at = d.related.iter_mut().filter(|r| r.place == written.place);
    if let Some(waits) = at.find_map(|r| r.waits.as_deref_mut().filter(|w| w.from == from && w.to == to)) {
        waits.cut = Some(rest.clone());
    }
    match remove(written) {
        Some(step) => d.fix(
            format!("{} ({rest})", removal(&from, &to)),
            Safety::Unsafe,
            vec![step],
        ),
        None => d,
    }
}

fn with_removals(
    variant: &Variant,
    graph: &OrderGraph,
    steps: &[Step<'_>],
    mut d: Diagnostic,
    remove: &impl Fn(&Dependency) -> Option<FixStep>,
) -> Diagnostic {
    for step in steps.iter().take(MOST_CUTS) {
        let Origin::Written(written) = origin(variant, graph, step) else {
            continue;
        };
        let Some(fix) = remove(written) else { continue };
        if d.fixes.iter().any(|f| f.steps.first() == Some(&fix)) {
            continue;
        }
        let (from, to) = (name(variant, graph, step.from), name(variant, graph, step.to));
        d = d.fix(removal(&from, &to), Safety::Unsafe, vec![fix]);
    }
    d
}

/// The title of a fix that removes an edge.
fn removal(from: &str, to: &str) -> String {
    format!("remove the dependency of `{from}` on `{to}`")
}

/// The marks of the other edges of a cycle, so that it is visible in every file that it passes through: hints
/// that lead back to the finding, each with the fix that breaks the cycle at its place.
pub fn marks(finding: &Diagnostic) -> impl Iterator<Item = Diagnostic> + '_ {
    // An implicit edge is marked at both of its units with the same sentence.
    let edges: Vec<&Related> = finding
        .related
        .chunk_by(|a, b| a.message == b.message)
        .filter_map(<[Related]>::first)
        .filter(|edge| finding.rule == &RULE && finding.part_of.is_none() && edge.waits.is_some())
        .collect();
    let all = edges.len();
    let mut seen = FxHashSet::from_iter([finding.place]);
    let first = edges.first().and_then(|edge| edge.waits.as_deref());
    let first = first.map(|waits| waits.from.clone()).unwrap_or_default();
    let around = edges.clone();
    let marks = (1usize..).zip(edges).take(MOST_MARKS);
    marks.filter_map(move |(number, edge)| {
        if !seen.insert(edge.place) {
            return None;
        }
        let mut d = Diagnostic::new(
            &RULE,
            edge.place,
            format!("in the cycle of `{first}`, {number} of {all}"),
        )
        .severity(Severity::Hint)
        .label(edge.message.clone())
        .related(finding.place, finding.message.clone());
        let others = around.iter().cycle().skip(number).take(all - 1);
        for other in others
            .filter(|other| other.place != finding.place)
            .take(MOST_AROUND)
        {
            d = d.related(other.place, other.message.clone());
        }
        d.certainty = finding.certainty;
        d.part_of = Some(finding.place);
        d.environments.clone_from(&finding.environments);
        // What is removed may be more than the name that waits: an annotation, a block.
        let waits = edge.waits.as_deref();
        let title = waits.map(|waits| removal(&waits.from, &waits.to));
        let is_of_edge = |fix: &&Fix| title.as_ref().is_some_and(|title| fix.title.starts_with(title));
        let is_here = |fix: &&Fix| {
            let is_single = fix.steps.len() == 1;
            is_single && fix.steps.iter().any(|step| step.place() == edge.place)
        };
        let mut cuts = finding.fixes.iter();
        let cut = cuts.clone().find(is_of_edge).or_else(|| cuts.find(is_here));
        if let Some(cut) = cut {
            d = d.fix(
                format!("break the cycle here: {}", cut.title),
                cut.safety,
                cut.steps.clone(),
            );
        }
        Some(d)
    })
}
