//! Renaming a unit, or a symbol that can be renamed, with all references in all projects that know it.

use rustc_hash::FxHashSet;

use super::references::projects_declaring;
use super::{FileSpan, place_of, subject, word};
use crate::diagnostic::{FileId, Fix, FixStep, Place, Safety};
use crate::syntax::text::{Span, TextEdit};
use crate::workspace::Analysis;

/// What can be renamed at an offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renaming {
    /// The name as it stands here.
    pub span: Span,
    /// The name.
    pub name: String,
}

/// What a rename changes.
struct Target {
    /// The text that is renamed.
    name: String,
    /// Where the cursor is.
    here: FileSpan,
    /// Every place that holds the name.
    places: Vec<Place>,
}

/// Whether what stands at an offset can be renamed.
///
/// # Errors
/// A sentence that says why it can't.
pub fn prepare(analysis: &Analysis, file: FileId, offset: u32) -> Result<Renaming, String> {
    let target = target(analysis, file, offset)?;
    let here = name_in(analysis, target.here, &target.name)
        .ok_or_else(|| not_literal(analysis, target.here, &target.name))?;
    Ok(Renaming {
        span: here,
        name: target.name,
    })
}

/// The edits of a rename, by file.
///
/// # Errors
/// A sentence that says why it is refused: the name is taken, the engine would not accept it, or a place
/// does not hold the name as text.
pub fn rename(
    analysis: &Analysis,
    file: FileId,
    offset: u32,
    new_name: &str,
) -> Result<Vec<(FileId, Vec<TextEdit>)>, String> {
    let target = target(analysis, file, offset)?;
    if target.name == new_name {
        return Ok(Vec::new());
    }
    check_new_name(analysis, file, offset, &target, new_name)?;
    let mut steps = Vec::new();
    let mut seen: FxHashSet<FileSpan> = FxHashSet::default();
    for place in target.places {
        let at = FileSpan::of(analysis, place);
        if !seen.insert(at) {
            continue;
        }
        let inner =
            name_in(analysis, at, &target.name).ok_or_else(|| not_literal(analysis, at, &target.name))?;
        steps.push(if inner == at.span || is_quoted(analysis, at, inner) {
            FixStep::SetValue(place, new_name.to_owned())
        } else {
            FixStep::Replace(Place::span(at.file, inner), new_name.to_owned())
        });
    }
    let fix = Fix {
        title: String::new(),
        safety: Safety::Safe,
        steps,
    };
    Ok(analysis.edits(&fix))
}

fn target(analysis: &Analysis, file: FileId, offset: u32) -> Result<Target, String> {
    let nothing = || "here is nothing that can be renamed".to_owned();
    let subjects = subject::at(analysis, file, offset);
    let nearest = subjects.first().ok_or_else(nothing)?;
    let here = FileSpan {
        file,
        span: nearest.span,
    };
    if let Some(symbol) = nearest.symbols().next() {
        if !symbol.renameable {
            return Err(format!("a {} can't be renamed", symbol.kind));
        }
        let same = subjects
            .iter()
            .flat_map(|s| &s.of.resolution.symbols)
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
    let declared = nearest.unit_places();
    let declared = match declared.as_slice() {
        [one] => *one,
        [] => return Err(nothing()),
        _ => {
            return Err(format!(
                "this means several {}; rename one of them at its own name",
                word(nearest.of, true)
            ));
        }
    };
    let mut places = vec![declared];
    let mut name: Option<String> = None;
    for project in projects_declaring(analysis, declared) {
        for variant in &project.resolution.variants {
            let is_it = |u: &crate::engines::Unit| place_of(u) == declared;
            let Some(unit) = variant.units.iter().find(|u| is_it(u)) else {
                continue;
            };
            if unit.name_place.is_none() {
                return Err(format!(
                    "the name of this {} is not written here; it comes from where its file lies",
                    word(project, false)
                ));
            }
            // An engine's name may be longer than what is written at the name's place.
            let written = written_name(analysis, declared, &unit.name)
                .ok_or_else(|| not_literal(analysis, FileSpan::of(analysis, declared), &unit.name))?;
            if name.as_ref().is_some_and(|n| *n != written) {
                return Err("projects read this name differently".to_owned());
            }
            let twins = variant
                .units
                .iter()
                .filter(|u| u.name == unit.name && place_of(u) != declared)
                .count();
            if twins > 0 {
                return Err(format!(
                    "{} is the name of {} {}; which one a reference means can't be told",
                    unit.name,
                    twins + 1,
                    word(project, true)
                ));
            }
            for dependency in &variant.dependencies {
                let means_it = dependency
                    .targets
                    .iter()
                    .any(|t| variant.units.get(t.0 as usize).is_some_and(is_it));
                // A reference by another word (a tag, a directory) goes on meaning the unit.
                if means_it && holds_name(&dependency.text, &written) {
                    places.push(dependency.place);
                }
            }
            name = Some(written);
        }
    }
    Ok(Target {
        name: name.ok_or_else(nothing)?,
        here,
        places,
    })
}

fn check_new_name(
    analysis: &Analysis,
    file: FileId,
    offset: u32,
    target: &Target,
    new_name: &str,
) -> Result<(), String> {
    let subjects = subject::at(analysis, file, offset);
    for subject in &subjects {
        if let Some(symbol) = subject.symbols().next() {
            let taken = subject
                .of
                .resolution
                .symbols
                .iter()
                .any(|s| s.kind == symbol.kind && *s.name == *new_name);
            if taken {
                return Err(format!("there is already a {} {new_name}", symbol.kind));
            }
            return Ok(());
        }
        for place in subject.unit_places() {
            for project in projects_declaring(analysis, place) {
                if let Some(engine) = project.engine() {
                    engine.check_name(new_name)?;
                }
                for variant in &project.resolution.variants {
                    let Some(unit) = variant.units.iter().find(|u| place_of(u) == place) else {
                        continue;
                    };
                    let renamed = unit.name.replacen(target.name.as_str(), new_name, 1);
                    if variant.units.iter().any(|u| *u.name == *renamed) {
                        return Err(format!(
                            "{renamed} is already a {} of {}",
                            word(project, false),
                            project.seed.root
                        ));
                    }
                }
            }
        }
    }
    Ok(())
}

/// The part of a unit's name that is written at its place: all of it, or what the text there is.
fn written_name(analysis: &Analysis, place: Place, unit_name: &str) -> Option<String> {
    let at = FileSpan::of(analysis, place);
    if name_in(analysis, at, unit_name).is_some() {
        return Some(unit_name.to_owned());
    }
    let source = analysis.source(at.file)?;
    let written = at.span.slice(&source.text).trim_matches(['"', '\'']);
    (!written.is_empty() && holds_name(unit_name, written)).then(|| written.to_owned())
}

/// Whether a text is a name, or holds it as a whole word.
fn holds_name(text: &str, name: &str) -> bool {
    text == name || word_in(text, name).is_some()
}

fn word_in(text: &str, name: &str) -> Option<usize> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    text.match_indices(name)
        .find(|(at, _)| {
            let before = text.get(..*at).and_then(|t| t.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|t| t.chars().next());
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
        .map(|(at, _)| at)
}

/// The span of a name inside a place's text; `None` where the text does not hold it, because the value
/// comes from an alias, a template or an escape.
fn name_in(analysis: &Analysis, at: FileSpan, name: &str) -> Option<Span> {
    let source = analysis.source(at.file)?;
    let text = at.span.slice(&source.text);
    if text.starts_with('*') || text.contains("{{") || name.is_empty() {
        return None;
    }
    let start = word_in(text, name)?;
    let inner = Span::from_usize(start, start + name.len());
    Some(inner.shifted(at.span.start))
}

/// Whether a place's text is nothing but a name in quotes.
fn is_quoted(analysis: &Analysis, at: FileSpan, inner: Span) -> bool {
    let Some(source) = analysis.source(at.file) else {
        return false;
    };
    let before = Span::new(at.span.start, inner.start).slice(&source.text);
    let after = Span::new(inner.end, at.span.end).slice(&source.text);
    matches!((before, after), ("\"", "\"") | ("'", "'"))
}

fn not_literal(analysis: &Analysis, at: FileSpan, name: &str) -> String {
    let line = analysis
        .source(at.file)
        .map_or(0, |s| s.lines().line(at.span.start))
        .saturating_add(1);
    format!(
        "{name} does not stand at {}:{line} as text: it comes from an alias or a template, and has to be \
         changed at its source",
        analysis.path(at.file)
    )
}
