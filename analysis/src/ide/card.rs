//! All there is to say of one unit: its layer, its neighbours, when it is deleted, how its file came in.

use rustc_hash::FxHashSet;

use super::layers::LayerTable;
use super::{neighbours, unit, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{OrderOf, UnitIx, Variant};
use applyorder_core::graph::{Direction, EdgeKind};
use applyorder_core::markdown::{MOST_NAMES, code, escape, names};

/// All there is to say of one unit.
pub(super) fn card(analysis: &Analysis, project: &Project, variant: &Variant, ix: UnitIx) -> String {
    let Some(this) = unit(variant, ix) else {
        return String::new();
    };
    let layers = LayerTable::new(variant);
    let place = match layers.of(ix) {
        Some(label) => label,
        None => match (&variant.apply.layers, &variant.apply.because) {
            (None, Some(because)) => format!("no layer: {}", escape(because)),
            (None, None) => "no layer".to_owned(),
            (Some(_), _) => "not in this run".to_owned(),
        },
    };
    let mut out = format!("**{} {}**: {place}\n", word(project, false), code(&this.name));
    let mut line = |label: &str, text: String| {
        if !text.is_empty() {
            out.push_str(&format!("\n- {label}: {text}"));
        }
    };
    let beside = layers.beside(ix).filter_map(|u| Some(&*unit(variant, u)?.name));
    let none = |text: String| {
        if text.is_empty() {
            "nothing".to_owned()
        } else {
            text
        }
    };
    if layers.of(ix).is_some() {
        line("in parallel with", none(names(beside, MOST_NAMES)));
    }
    let neighbours = |direction| neighbours(variant, &variant.apply, ix, direction);
    line("waits for", none(neighbours(Direction::Dependencies)));
    line("dependents", none(neighbours(Direction::Dependents)));
    line("deleted", deletion(variant, ix));
    line("file", chain(analysis, project, this.header.file));
    for extra in project.engine().hover(&project.resolution, variant, ix) {
        out.push_str("\n\n");
        out.push_str(&extra);
    }
    out
}

/// The units at the other ends of a unit's edges, each with why.
fn neighbours(variant: &Variant, order: &OrderOf, of: UnitIx, direction: Direction) -> String {
    let all = neighbours::of(order, of, direction);
    let shown = all.iter().take(MOST_NAMES).filter_map(|neighbour| {
        let other = unit(variant, neighbour.unit)?;
        let condition = neighbour
            .condition
            .and_then(|c| variant.conditions.get(c as usize));
        let condition = condition.map(|c| format!(" {}", code(c))).unwrap_or_default();
        let why = reason(variant, neighbour.why);
        Some(format!("{}{condition} ({why})", code(&other.name)))
    });
    let mut out = shown.collect::<Vec<_>>().join(", ");
    let more = all.len().saturating_sub(MOST_NAMES);
    if more > 0 {
        out.push_str(&format!(" and {more} more"));
    }
    out
}

fn reason(variant: &Variant, kind: EdgeKind) -> String {
    match kind {
        EdgeKind::Explicit { dependency } => variant
            .dependencies
            .get(dependency as usize)
            .map(|d| code(d.attribute))
            .unwrap_or_default(),
        EdgeKind::Implicit { reason } => variant
            .reasons
            .get(reason as usize)
            .map(|r| escape(r))
            .unwrap_or_default(),
    }
}

fn deletion(variant: &Variant, ix: UnitIx) -> String {
    let order = &variant.delete;
    let mut out = match (&order.sequence, &order.layers) {
        (Some(sequence), _) => match sequence.iter().position(|u| *u == ix) {
            Some(at) => format!("{} of {}", at + 1, sequence.len()),
            None => return String::new(),
        },
        (None, Some(_)) => match LayerTable::of_order(variant, order).of(ix) {
            Some(label) => format!("in {label}"),
            None => return String::new(),
        },
        (None, None) => return order.because.as_deref().map(escape).unwrap_or_default(),
    };
    if !order.guaranteed {
        out.push_str(", which is not guaranteed");
        if let Some(because) = &order.because {
            out.push_str(": ");
            out.push_str(&escape(because));
        }
    }
    out
}

/// How a file came into the project: from it to the root; empty for the root itself.
fn chain(analysis: &Analysis, project: &Project, file: FileId) -> String {
    let members = &project.resolution.members;
    let mut steps = Vec::new();
    let mut seen: FxHashSet<FileId> = FxHashSet::default();
    let mut at = file;
    while seen.insert(at) {
        // A file can be brought in from several places; each is named, the first is followed.
        let vias: Vec<Place> = members
            .iter()
            .filter(|m| m.file == at)
            .filter_map(|m| m.via)
            .collect();
        let Some(first) = vias.first() else { break };
        let places: Vec<String> = vias.iter().map(|v| place_text(analysis, project, *v)).collect();
        steps.push(format!("included at {}", places.join(" and at ")));
        at = first.file;
    }
    if steps.is_empty() {
        return String::new();
    }
    format!(
        "{}, {}",
        code(&short_path(analysis, project, file)),
        steps.join(", ")
    )
}

fn place_text(analysis: &Analysis, project: &Project, place: Place) -> String {
    let path = short_path(analysis, project, place.file);
    match analysis.source(place.file) {
        Some(source) => {
            let line = source.lines().line(analysis.span(place).start);
            code(&format!("{path}:{}", line.saturating_add(1)))
        }
        None => code(&path),
    }
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
