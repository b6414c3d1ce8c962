//! The hover of one unit: its layer, its neighbors, when it is deleted, how its file came into the project.

use rustc_hash::FxHashSet;

use super::layers::LayerTable;
use super::page::{MOST, Page};
use super::{neighbours, unit, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Dependency, Operation, RunOptions, UnitIx, Variant};
use applyorder_core::graph::{Direction, EdgeKind, NodeId};
use applyorder_core::markdown::{code, escape, sentence};

/// The hover of one unit: two lines that answer most questions, the rest below, beginning with the text of
/// [`refusal`].
pub(super) fn unit_hover(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    ix: UnitIx,
    refused: Option<String>,
) -> String {
    let Some(this) = unit(variant, ix) else {
        return String::new();
    };
    let layers = LayerTable::new(variant);
    let is_refused = refused.is_some() || refusal(project, variant).is_some();
    let place = match layers.of(ix) {
        Some(label) => label,
        None if variant.apply.layers.is_some() => "not in this run".to_owned(),
        None => {
            // That the engine rejects the project is reported once.
            let because = variant.apply.because.as_deref().filter(|_| !is_refused);
            let because = because.map(sentence);
            let because = because.map(|because| format!(" ({because})")).unwrap_or_default();
            format!("{}{because}", without_order(variant, ix))
        }
    };
    let mut out = format!("**{} {}** · {place}\n\n", word(project, false), code(&this.name));
    out.push_str(&around(page, variant, &layers, ix));
    let mut below: Vec<String> = refused.into_iter().collect();
    below.extend(project.engine().hover(&project.resolution, variant, ix));
    below.extend(reasons(page, variant, ix));
    let chain = chain(page, project, this.header);
    let deleted = if is_refused && has_no_order_either(variant) {
        "no order either".to_owned()
    } else {
        deletion(variant, ix)
    };
    if !deleted.is_empty() {
        below.push(format!("on delete: {deleted}"));
    }
    below.extend(Some(chain).filter(|chain| !chain.is_empty()));
    if !below.is_empty() {
        out.push_str("\n\n---\n\n");
        out.push_str(&below.join("\n\n"));
    }
    out
}

/// Several units that one text represents: their layers, and for each what runs around it; `whole`: also its
/// engine's explanation. Last the text of [`refusal`].
pub(super) fn units_hover(
    page: Page<'_>,
    project: &Project,
    variant: &Variant,
    which: &[UnitIx],
    whole: bool,
    refused: Option<String>,
) -> String {
    let layers = LayerTable::new(variant);
    let mut out = format!("**{} {}**", which.len(), word(project, which.len() != 1));
    if let Some(label) = layers.of_all(which.iter().copied()) {
        out.push_str(&format!(" · {label}"));
    }
    out.push('\n');
    for ix in which.iter().take(MOST) {
        let label = layers
            .of(*ix)
            .map(|label| format!(" · {label}"))
            .unwrap_or_default();
        let around = around(page, variant, &layers, *ix);
        out.push_str(&format!("\n- {}{label} · {around}", page.unit(variant, *ix)));
        if whole {
            let said = project.engine().hover(&project.resolution, variant, *ix);
            out.extend(
                said.iter()
                    .map(|said| format!(". {}", said.trim_end_matches('.'))),
            );
        }
    }
    let more = which.len().saturating_sub(MOST);
    if more > 0 {
        out.push_str(&format!("\n- {more} more"));
    }
    if let Some(refused) = refused {
        out.push_str("\n\n---\n\n");
        out.push_str(&refused);
    }
    out
}

/// The text about what runs around a unit, if none of it is known, and if some is.
const UNKNOWN: &str = "what can't be known";
/// See [`UNKNOWN`].
const OTHERS_UNKNOWN: &str = "others can't be known";

/// What a unit runs after, in parallel with and before.
fn around(page: Page<'_>, variant: &Variant, layers: &LayerTable<'_>, ix: UnitIx) -> String {
    let side = |direction| neighbours(page, variant, ix, direction);
    let mut answer = vec![format!("**after** {}", side(Direction::Dependencies))];
    if layers.of(ix).is_some() {
        let beside: Vec<UnitIx> = layers.beside(ix).collect();
        let shown = match (beside.is_empty(), layers.is_beside_open(ix)) {
            (true, true) => UNKNOWN.to_owned(),
            (false, true) => format!("{}, {OTHERS_UNKNOWN}", page.units(variant, &beside)),
            (_, false) => page.units(variant, &beside),
        };
        answer.push(format!("**beside** {shown}"));
    }
    answer.push(format!("**before** {}", side(Direction::Dependents)));
    answer.join(" · ")
}

/// The text about a unit if the project has no order, as in its diagram. A unit that waits for no cycle has a
/// layer.
fn without_order(variant: &Variant, ix: UnitIx) -> String {
    let graph = &variant.apply.graph;
    let components = graph.components();
    if components.cyclic().is_empty() {
        return "no layer".to_owned();
    }
    let node = NodeId(ix.0);
    if components.on_cycle(graph, node) {
        return "in a cycle, no layer".to_owned();
    }
    // A unit that waits for something that does not exist has no layer in a table of the order either.
    let dangles = |d: &Dependency| d.unit == ix && d.targets.is_empty();
    match graph.partial_layers().of(node) {
        Some(_) if variant.dependencies.iter().any(dangles) => {
            "waits for what does not exist, no layer".to_owned()
        }
        Some(layer) => format!("layer {layer}, but no order"),
        None => "stuck behind a cycle, no layer".to_owned(),
    }
}

/// That the engine refuses to run the project at all, if it does.
pub(super) fn refusal(project: &Project, variant: &Variant) -> Option<String> {
    let engine = project.engine();
    let command = engine.command_of(Operation::Apply, &RunOptions::default())?;
    let mut verdicts = project.resolution.verdicts.iter();
    let verdict = verdicts.find(|v| {
        v.command == command && v.ok == Some(false) && variant.environments.contains(&v.environment)
    })?;
    let line = code(&engine.meta().command_line(command));
    let stage = verdict.stage.map(|stage| format!(" (stage {})", code(stage)));
    let said = verdict.errors.first().map(|e| first_line(&e.message));
    let said = said
        .filter(|said| !said.is_empty())
        .map(|said| format!(": {}", escape(&said)));
    Some(format!(
        "**{line} rejects this project**{}{}",
        stage.unwrap_or_default(),
        said.unwrap_or_default()
    ))
}

/// The first line of the engine's message, with those that it announces.
fn first_line(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines().map(str::trim) {
        if !out.is_empty() && !out.ends_with(':') {
            break;
        }
        if !out.is_empty() && !line.is_empty() {
            out.push(' ');
        }
        out.push_str(line);
    }
    out
}

/// The units at the other ends of a unit's edges, with the reason if the edge is implicit and the reason is a
/// word or two.
fn neighbours(page: Page<'_>, variant: &Variant, of: UnitIx, direction: Direction) -> String {
    let all = neighbours::of(&variant.apply, of, direction);
    let is_open = neighbours::are_open(&variant.apply, of, direction);
    match (all.is_empty(), is_open) {
        (true, true) => return UNKNOWN.to_owned(),
        (true, false) => return "nothing".to_owned(),
        (false, _) => {}
    }
    let shown = all.iter().take(MOST).map(|neighbour| {
        let condition = neighbour
            .condition
            .and_then(|c| variant.conditions.get(c as usize));
        let condition = condition.map(|c| format!(" {}", code(c))).unwrap_or_default();
        let why = reason(variant, neighbour.why).filter(|why| is_short(why));
        let why = why.map(|why| format!(" ({})", sentence(why))).unwrap_or_default();
        format!("{}{condition}{why}", page.unit(variant, neighbour.unit))
    });
    // Direct neighbors are named, the others counted.
    let more = neighbours::all(&variant.apply, of, direction).len();
    let more = more.saturating_sub(all.len().min(MOST));
    let more = (more > 0).then(|| format!("{more} more"));
    let open = is_open.then(|| OTHERS_UNKNOWN.to_owned());
    shown.chain(more).chain(open).collect::<Vec<_>>().join(", ")
}

/// Why a unit implicitly runs after and before others, one line for each reason that is a sentence.
fn reasons(page: Page<'_>, variant: &Variant, of: UnitIx) -> Vec<String> {
    let sides = [
        ("after", Direction::Dependencies),
        ("before", Direction::Dependents),
    ];
    let mut lines = Vec::new();
    for (word, direction) in sides {
        let mut by_reason: Vec<(&str, Vec<UnitIx>)> = Vec::new();
        for neighbour in neighbours::of(&variant.apply, of, direction)
            .into_iter()
            .take(MOST)
        {
            let Some(why) = reason(variant, neighbour.why).filter(|why| !is_short(why)) else {
                continue;
            };
            match by_reason.iter_mut().find(|(known, _)| *known == why) {
                Some((_, units)) => units.push(neighbour.unit),
                None => by_reason.push((why, vec![neighbour.unit])),
            }
        }
        let said = by_reason.into_iter();
        lines.extend(
            said.map(|(why, units)| format!("{word} {}: {}", page.units(variant, &units), sentence(why))),
        );
    }
    lines
}

/// The reason of an implicit edge.
fn reason(variant: &Variant, kind: EdgeKind) -> Option<&str> {
    match kind {
        EdgeKind::Explicit { .. } => None,
        EdgeKind::Implicit { reason } => variant.reasons.get(reason as usize).map(String::as_str),
    }
}

/// Whether a reason is short enough for one line.
fn is_short(reason: &str) -> bool {
    reason.len() <= LONGEST_ASIDE
}

/// Longer reasons have a line of their own.
const LONGEST_ASIDE: usize = 24;

/// Whether there is no delete order for the same reason as there is no apply order.
fn has_no_order_either(variant: &Variant) -> bool {
    let (apply, delete) = (&variant.apply, &variant.delete);
    delete.sequence.is_none()
        && delete.layers.is_none()
        && delete.because.is_some()
        && delete.because == apply.because
}

fn deletion(variant: &Variant, ix: UnitIx) -> String {
    let order = &variant.delete;
    let mut out = match (&order.sequence, &order.layers) {
        (Some(sequence), _) => match sequence.iter().position(|u| *u == ix) {
            Some(at) => format!("{} of {}", at + 1, sequence.len()),
            None => return String::new(),
        },
        (None, Some(_)) => match LayerTable::of_operation(variant, Operation::Delete).of(ix) {
            Some(label) => format!("in {label}"),
            None => return String::new(),
        },
        (None, None) => return order.because.as_deref().map(sentence).unwrap_or_default(),
    };
    if !order.guaranteed {
        out.push_str(", which is not guaranteed");
        if let Some(because) = &order.because {
            out.push_str(": ");
            out.push_str(&sentence(because));
        }
    }
    out
}

/// Where something is, and how its file came into the project: from it to the root.
fn chain(page: Page<'_>, project: &Project, place: Place) -> String {
    let members = &project.resolution.members;
    let mut steps = vec![page.place(project, place)];
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    let mut at = place.file;
    while seen.insert(at) {
        // A file can be included from several places; each is named, the first is followed.
        let vias: Vec<Place> = members
            .iter()
            .filter(|m| m.file == at)
            .filter_map(|m| m.via)
            .collect();
        let Some(first) = vias.first() else { break };
        let places: Vec<String> = vias.iter().map(|v| page.place(project, *v)).collect();
        steps.push(format!("included at {}", places.join(" and at ")));
        at = first.file;
    }
    steps.join(", ")
}

/// A path below the directory of the project's root, else the whole path.
pub(super) fn short_path(analysis: &Analysis, project: &Project, file: FileId) -> String {
    let path = analysis.path(file);
    let root = &project.seed.root;
    let dir = if path.starts_with(root) && path != root {
        root.as_path()
    } else {
        root.parent().unwrap_or(root)
    };
    path.strip_prefix(dir).unwrap_or(path).to_string()
}

#[cfg(test)]
mod tests {
    use super::first_line;

    #[test]
    fn what_a_line_announces_belongs_to_it() {
        assert_eq!(first_line("failed\nbecause of this"), "failed");
        assert_eq!(
            first_line("failed:\n\n  - no agent\n  - no name"),
            "failed: - no agent"
        );
        assert_eq!(first_line(""), "");
    }
}
