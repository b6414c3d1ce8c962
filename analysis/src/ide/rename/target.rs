//! What is renamed at an offset, with every place that contains its name.

use rustc_hash::FxHashMap;

use super::super::references::projects_declaring;
use super::super::written_name::{
    aliases_of, declared_text, holds_name, not_literal, place_text, written_name,
};
use super::super::{FileSpan, declared_at, subject, word};
use crate::workspace::Analysis;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Unit;

/// What a rename changes.
pub(super) struct Target {
    /// The text that is renamed.
    pub(super) name: String,
    /// Where the cursor is.
    pub(super) here: FileSpan,
    /// Every place that contains the name.
    pub(super) places: Vec<Place>,
}

pub(super) fn nothing() -> String {
    "nothing to rename here".to_owned()
}

pub(super) fn target(analysis: &Analysis, file: FileId, offset: u32) -> Result<Target, String> {
    let subjects = subject::at(analysis, file, offset);
    let nearest = subjects.first().ok_or_else(nothing)?;
    let here = FileSpan {
        file,
        span: nearest.span,
    };
    if let Some(symbol) = nearest.symbols().next() {
        if !symbol.renameable {
            return Err(format!(
                "cannot rename {} `{}`: some references to it are computed",
                symbol.kind, symbol.name
            ));
        }
        // Two things in one project may have the same name: the one at this place is meant.
        let same = subjects
            .iter()
            .flat_map(subject::Subject::symbols)
            .filter(|s| s.kind == symbol.kind && s.name == symbol.name);
        return Ok(Target {
            name: symbol.name.to_string(),
            here,
            places: same
                .flat_map(|s| s.definitions.iter().chain(&s.references))
                .copied()
                .collect(),
        });
    }
    // A name that is unknown in one project may be known in another one that has this file.
    let mut known = subjects.iter().map(|s| s.unit_places(analysis));
    let declared = known.find(|places| !places.is_empty()).unwrap_or_default();
    let declared = match declared.as_slice() {
        [one] => *one,
        [] => return Err(nothing()),
        _ => {
            return Err(format!(
                "this matches several {}; rename one of them at its own name",
                word(nearest.of, true)
            ));
        }
    };
    // A unit's header is more than its name.
    let on_name = |unit: &Unit| {
        unit.name_place.is_none_or(|name| {
            let name = FileSpan::of(analysis, name);
            name.file == file && name.span.touches(offset)
        })
    };
    let mut found = nearest.units().peekable();
    if found.peek().is_some() && found.all(|(_, _, _, unit)| !on_name(unit)) {
        return Err(nothing());
    }
    if let Some(target) = written_as_symbol(analysis, declared, here) {
        return target;
    }
    let mut places = Vec::new();
    let mut uses: FxHashMap<FileSpan, usize> = FxHashMap::default();
    let mut name: Option<String> = None;
    for project in projects_declaring(analysis, declared) {
        for variant in &project.resolution.variants {
            let is_it = |u: &Unit| declared_at(analysis, u) == declared;
            // In another environment the name continues after what is written here.
            if variant
                .units
                .iter()
                .any(|u| overlaps(declared_at(analysis, u), declared))
            {
                return Err(not_literal(analysis, declared, declared_text(analysis, declared)));
            }
            let Some(unit) = variant.units.iter().find(|u| is_it(u)) else {
                continue;
            };
            if unit.name_place.is_none() {
                return Err(format!(
                    "the name of this {} is not written here; it comes from the path of its file",
                    word(project, false)
                ));
            }
            // An engine's name may be longer than the text at the name's place.
            let written = written_name(analysis, declared, &unit.name)
                .ok_or_else(|| not_literal(analysis, declared, &unit.name))?;
            if name.as_ref().is_some_and(|n| *n != written) {
                return Err("projects read this name differently".to_owned());
            }
            let twins = variant
                .units
                .iter()
                .filter(|u| u.name == unit.name && !is_it(u))
                .count();
            if twins > 0 {
                return Err(format!(
                    "{} is the name of {} {}, so a reference to it is ambiguous",
                    unit.name,
                    twins + 1,
                    word(project, true)
                ));
            }
            let mut used: FxHashMap<FileSpan, usize> = FxHashMap::default();
            // A name before its unit comes from an alias.
            if declared.span.start < analysis.span(unit.header).start {
                *used.entry(declared).or_default() += 1;
            }
            for dependency in &variant.dependencies {
                let means_it = dependency
                    .targets
                    .iter()
                    .any(|t| variant.units.get(t.0 as usize).is_some_and(is_it));
                // A reference by another name (a tag, a directory) still means the unit.
                if means_it && holds_name(&dependency.text, &written) {
                    places.push(dependency.place);
                    *used.entry(FileSpan::of(analysis, dependency.place)).or_default() += 1;
                }
            }
            for (at, count) in used {
                let most = uses.entry(at).or_default();
                *most = count.max(*most);
            }
            places.push(unit.place());
            name = Some(written);
        }
    }
    let name = name.ok_or_else(nothing)?;
    if !places.iter().any(|place| FileSpan::of(analysis, *place) == here) {
        return Err(by_another_word(analysis, here, &name, declared));
    }
    for place in &places {
        let at = FileSpan::of(analysis, *place);
        if aliases_of(analysis, at) > uses.get(&at).copied().unwrap_or_default() {
            return Err(format!(
                "aliases also use the text at {} for something else",
                place_text(analysis, at)
            ));
        }
    }
    Ok(Target { name, here, places })
}

/// The edits of a rename if the name of a unit is a symbol, which may be referred to outside of dependencies.
/// `None` if it is not.
fn written_as_symbol(
    analysis: &Analysis,
    declared: FileSpan,
    here: FileSpan,
) -> Option<Result<Target, String>> {
    let mut name = None;
    let mut places: Vec<Place> = Vec::new();
    for project in projects_declaring(analysis, declared) {
        for symbol in project.resolution.symbols.iter().filter(|s| s.renameable) {
            if symbol
                .definitions
                .iter()
                .any(|d| FileSpan::of(analysis, *d) == declared)
            {
                places.extend(symbol.definitions.iter().chain(&symbol.references));
                name = Some(symbol.name.to_string());
            }
        }
    }
    let name = name?;
    let mut spans = places.iter().map(|place| FileSpan::of(analysis, *place));
    Some(
        match spans.find(|at| at.file == here.file && here.span.contains(at.span)) {
            Some(at) => Ok(Target {
                name,
                here: at,
                places,
            }),
            None => Err(by_another_word(analysis, here, &name, declared)),
        },
    )
}

/// The message that a reference refers to something by a name other than its own.
fn by_another_word(analysis: &Analysis, here: FileSpan, name: &str, declared: FileSpan) -> String {
    format!(
        "`{}` refers to {name} by another name: rename it at {}",
        declared_text(analysis, here),
        place_text(analysis, declared)
    )
}

/// Whether two texts overlap, and are not the same.
fn overlaps(a: FileSpan, b: FileSpan) -> bool {
    a.file == b.file && a.span != b.span && a.span.start < b.span.end && b.span.start < a.span.end
}
