//! The hover of names that are not units: groups and tags with their members, files with what they declare.

use camino::Utf8Path;
use rustc_hash::{FxHashMap, FxHashSet};

use super::edge_hover::edge_in_words;
use super::page::{MOST, Page};
use super::unit_hover::short_path;
use super::{FileSpan, declared_at, word};
use crate::workspace::{Analysis, Project};
use applyorder_core::engine::{DependencyIx, Symbol, UnitIx, Variant};
use applyorder_core::markdown::{code, escape};
use applyorder_syntax::text::Span;

/// The hover of a place that names a file.
pub(super) fn of_link(analysis: &Analysis, project: &Project, target: &Utf8Path) -> String {
    let Some(file) = analysis.file(target).filter(|f| analysis.source(*f).is_some()) else {
        let dir = project.seed.root.parent().unwrap_or(&project.seed.root);
        let path = target.strip_prefix(dir).unwrap_or(target);
        return format!("{}: cannot be read", code(path.as_str()));
    };
    // A unit that several environments read counts once; one with several instances counts as many.
    let mut most: FxHashMap<Span, usize> = FxHashMap::default();
    for variant in project.resolution.variants.iter() {
        let mut here: FxHashMap<Span, usize> = FxHashMap::default();
        for unit in variant.units.iter().filter(|u| u.header.file == file) {
            *here.entry(analysis.span(unit.header)).or_default() += 1;
        }
        for (span, count) in here {
            let known = most.entry(span).or_default();
            *known = count.max(*known);
        }
    }
    let units: usize = most.values().sum();
    let path = short_path(analysis, project, file);
    format!("{}: {units} {}", code(&path), word(project, units != 1))
}

/// A name that is not a unit: its members, and what refers to it. Empty if neither is known: the text itself
/// shows its kind and name.
pub(super) fn of_symbol(
    page: Page<'_>,
    project: &Project,
    variant: Option<&Variant>,
    symbol: &Symbol,
) -> String {
    let members = members(page, variant, symbol);
    let count = members.len();
    let mut text = format!("**{} {}**", escape(symbol.kind), code(&symbol.name));
    // A declared name without members is not a group: a value, or something that relates units.
    if count > 0 || symbol.definitions.is_empty() {
        text.push_str(&format!(" · {count} {}", word(project, count != 1)));
    }
    let Some(variant) = variant else { return text };
    let mut lines: Vec<String> = Vec::new();
    if count > 0 {
        lines.push(format!("**members** {}", page.units(variant, &members)));
    }
    let written = variant.dependencies.iter();
    let mut by: Vec<UnitIx> = written
        .filter(|d| symbol.references.contains(&d.place))
        .map(|d| d.unit)
        .collect();
    by.dedup();
    if !by.is_empty() {
        lines.push(format!("**named by** {}", page.units(variant, &by)));
    }
    let edges = edges(page, project, variant, &symbol.dependencies);
    let said = project.engine().explain_symbol(&project.resolution, symbol);
    if let (Some(_), Some(place)) = (&said, symbol.definitions.first()) {
        lines.push(format!("declared at {}", page.place(project, *place)));
    }
    if !lines.is_empty() || !edges.is_empty() {
        let paragraphs = (!lines.is_empty()).then(|| lines.join(" · "));
        for paragraph in paragraphs.into_iter().chain(said).chain(edges) {
            text.push_str("\n\n");
            text.push_str(&paragraph);
        }
    } else if !symbol.definitions.is_empty() {
        return String::new();
    }
    text
}

/// Which units the dependencies that a name declares make wait for which; for a single one also the engine's
/// explanation.
fn edges(page: Page<'_>, project: &Project, variant: &Variant, dependencies: &[DependencyIx]) -> Vec<String> {
    let said = |ix: &DependencyIx| edge_in_words(page, project, variant, *ix);
    let mut lines: Vec<String> = dependencies.iter().take(MOST).filter_map(said).collect();
    match dependencies {
        [only] if !lines.is_empty() => {
            lines.extend(project.engine().explain(&project.resolution, variant, *only));
        }
        [_] | [] => {}
        many => {
            let more = many.len().saturating_sub(MOST);
            let more = (more > 0).then(|| format!("{more} more"));
            let list: Vec<String> = lines.drain(..).chain(more).collect();
            lines.extend((!list.is_empty()).then(|| format!("- {}", list.join("\n- "))));
        }
    }
    lines
}

/// The units of a symbol; for one that names units itself, those that are declared there.
pub(super) fn members(page: Page<'_>, variant: Option<&Variant>, symbol: &Symbol) -> Vec<UnitIx> {
    let Some(variant) = variant.filter(|_| symbol.units.is_empty()) else {
        return symbol.units.clone();
    };
    let at = |place| FileSpan::of(page.analysis, place);
    let declared: FxHashSet<FileSpan> = symbol.definitions.iter().map(|place| at(*place)).collect();
    let units = (0..).map(UnitIx).zip(&variant.units);
    units
        .filter(|(_, unit)| declared.contains(&declared_at(page.analysis, unit)))
        .map(|(ix, _)| ix)
        .collect()
}
