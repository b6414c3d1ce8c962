//! Units with the same declaration under another name.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use applyorder_analysis::diagnostic::FileId;

use super::sides::Side;

/// Pairs removed units with new ones whose declarations have the same text except for the name, if no other unit has
/// that text; if several have it, the last part of the name must also be the same.
pub(super) fn find(
    before: &Side<'_>,
    gone: &[usize],
    after: &Side<'_>,
    new: &[usize],
) -> Vec<(usize, usize)> {
    if gone.is_empty() || new.is_empty() {
        return Vec::new();
    }
    let (old, new) = (declarations(before, gone), declarations(after, new));
    let mut pairs = Vec::new();
    let by_text = |(_, text): &(usize, String)| (text.clone(), String::new());
    paired(&old, &new, by_text, by_text, &mut pairs);
    let with_name = |side: &Side<'_>, (unit, text): &(usize, String)| {
        let name = side.name(*unit).rsplit('/').next().unwrap_or_default();
        (text.clone(), name.to_owned())
    };
    let taken: HashSet<usize> = pairs.iter().map(|(one, _)| *one).collect();
    let old: Vec<_> = old
        .into_iter()
        .filter(|(unit, _)| !taken.contains(unit))
        .collect();
    let taken: HashSet<usize> = pairs.iter().map(|(_, other)| *other).collect();
    let new: Vec<_> = new
        .into_iter()
        .filter(|(unit, _)| !taken.contains(unit))
        .collect();
    paired(
        &old,
        &new,
        |d| with_name(before, d),
        |d| with_name(after, d),
        &mut pairs,
    );
    pairs.sort_unstable();
    pairs
}

type Declaration = (usize, String);

fn paired(
    old: &[Declaration],
    new: &[Declaration],
    old_key: impl Fn(&Declaration) -> (String, String),
    new_key: impl Fn(&Declaration) -> (String, String),
    pairs: &mut Vec<(usize, usize)>,
) {
    let mut by_key: HashMap<(String, String), (Vec<usize>, Vec<usize>)> = HashMap::new();
    for declaration in old {
        by_key
            .entry(old_key(declaration))
            .or_default()
            .0
            .push(declaration.0);
    }
    for declaration in new {
        by_key
            .entry(new_key(declaration))
            .or_default()
            .1
            .push(declaration.0);
    }
    for (one, other) in by_key.into_values() {
        if let ([one], [other]) = (&*one, &*other) {
            pairs.push((*one, *other));
        }
    }
}

/// The text from the start of each declaration to the start of the next in its file, without the name.
fn declarations(side: &Side<'_>, units: &[usize]) -> Vec<Declaration> {
    let Some((session, _, variant)) = side.of else {
        return Vec::new();
    };
    let analysis = &session.analysis;
    let mut starts: HashMap<FileId, Vec<usize>> = HashMap::new();
    for unit in &variant.units {
        let start = analysis.span(unit.header).start as usize;
        starts.entry(unit.header.file).or_default().push(start);
    }
    starts.values_mut().for_each(|starts| starts.sort_unstable());
    let text = |unit: usize| {
        let declared = variant.units.get(unit)?;
        let source = analysis.source(declared.header.file)?;
        let start = analysis.span(declared.header).start as usize;
        let starts = starts.get(&declared.header.file)?;
        let next = starts.get(starts.partition_point(|s| *s <= start));
        let range = start..next.copied().unwrap_or(source.text.len());
        let name = declared.name_place.filter(|p| p.file == declared.header.file);
        let name = name
            .map(|p| analysis.span(p))
            .map(|s| s.start as usize..s.end as usize);
        Some((unit, without(&source.text, range, name)?))
    };
    units.iter().filter_map(|unit| text(*unit)).collect()
}

fn without(text: &str, range: Range<usize>, name: Option<Range<usize>>) -> Option<String> {
    let whole = text.get(range.clone())?;
    let inside = name.filter(|n| range.start <= n.start && n.end <= range.end);
    let shown = match inside {
        Some(name) => format!(
            "{}\0{}",
            text.get(range.start..name.start)?,
            text.get(name.end..range.end)?
        ),
        None => whole.to_owned(),
    };
    // Drop the start of the next declaration: the marker of its entry or document.
    let shown = shown.trim_end_matches(|c: char| c.is_whitespace() || c == '-');
    (!shown.is_empty()).then(|| shown.to_owned())
}
