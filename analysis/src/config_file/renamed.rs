//! The edits of a rename of units in the configurations that name them.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;
use rustc_hash::FxHashMap;

use super::{ConfigFile, Word, configs};
use crate::workspace::{Analysis, Project, ProjectIx, paired};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Move, Resolution};
use applyorder_syntax::text::TextEdit;

/// The edits of a rename in the configurations of a workspace: expectations that name a renamed unit. `after`:
/// the edited projects, as they are afterwards. Patterns are unchanged, and so is a name that another unit
/// still has.
pub(crate) fn renamed(
    analysis: &Analysis,
    after: &[(ProjectIx, Resolution)],
) -> Vec<(FileId, Vec<TextEdit>)> {
    rewritten(analysis, |ix, project| {
        let (_, after) = after.iter().find(|(edited, _)| *edited == ix)?;
        Some(names_after(&project.resolution, after))
    })
}

/// The same for a move, for units whose name is the path of their directory.
pub(super) fn moved_units(analysis: &Analysis, change: Move<'_>) -> Vec<(FileId, Vec<TextEdit>)> {
    rewritten(analysis, |_, project| {
        let root = &project.seed.root;
        let units = project.resolution.variants.iter().flat_map(|v| &v.units);
        let unwritten = units.filter(|unit| unit.name_place.is_none());
        let found = unwritten.filter_map(|unit| {
            let dir = analysis.path(unit.header.file).parent()?;
            let below = |dir: &Utf8Path| Some(format!("/{}", dir.strip_prefix(root).ok()?));
            let (old, new) = (below(dir)?, below(&change.of(dir))?);
            (old == *unit.name && old != new).then_some((old, Some(new)))
        });
        Some(found.collect())
    })
}

/// The new names of units, by their old ones; `None` if one name becomes several.
type Names = BTreeMap<String, Option<String>>;

fn names_after(before: &Resolution, after: &Resolution) -> Names {
    let mut names = Names::new();
    for (before, after) in before.variants.iter().zip(&after.variants) {
        for (unit, now) in before.units.iter().zip(paired(before, after)) {
            let new = now.and_then(|ix| after.units.get(ix.0 as usize));
            let new = new.map(|unit| (*unit.name).to_owned());
            let known = names
                .entry((*unit.name).to_owned())
                .or_insert_with(|| new.clone());
            if *known != new {
                *known = None;
            }
        }
    }
    names
}

/// The edits of all configurations that name renamed units. A project without an answer keeps its names.
fn rewritten(
    analysis: &Analysis,
    names: impl Fn(ProjectIx, &Project) -> Option<Names>,
) -> Vec<(FileId, Vec<TextEdit>)> {
    let mut found = Vec::new();
    let mut known: FxHashMap<ProjectIx, Option<Names>> = FxHashMap::default();
    for config in configs(analysis) {
        let words: Vec<&Word> = config.values(|said| said.is_unit());
        if words.is_empty() {
            continue;
        }
        let mut all: BTreeMap<&str, BTreeSet<Option<&str>>> = BTreeMap::new();
        let below: Vec<_> = analysis
            .projects()
            .filter(|(_, project)| config.is_above(project))
            .collect();
        for (ix, project) in &below {
            known.entry(*ix).or_insert_with(|| names(*ix, project));
        }
        for (ix, project) in &below {
            let names = known.get(ix).and_then(Option::as_ref);
            for unit in project.resolution.variants.iter().flat_map(|v| &v.units) {
                let new = match names.and_then(|names| names.get(&*unit.name)) {
                    Some(new) => new.as_deref(),
                    None => Some(&*unit.name),
                };
                all.entry(&unit.name).or_default().insert(new);
            }
        }
        let edits: Vec<TextEdit> = words
            .into_iter()
            .filter_map(|word| {
                let new: Vec<_> = all.get(&*word.text)?.iter().collect();
                match new.as_slice() {
                    [Some(new)] if *new != word.text => Some(config.edit(word, new)),
                    _ => None,
                }
            })
            .collect();
        if !edits.is_empty() {
            found.push((config.file, edits));
        }
    }
    found
}

impl ConfigFile<'_> {
    /// The edit that replaces the text of a value, in the same quotes if possible.
    fn edit(&self, word: &Word, text: &str) -> TextEdit {
        let plain = self.plain_edit(word.inner(self.text), &word.text, text);
        plain.unwrap_or_else(|| TextEdit {
            span: word.span,
            text: quoted(text),
        })
    }
}

/// A TOML string: verbatim if nothing in it is special.
#[must_use]
pub fn quoted(name: &str) -> String {
    if name.contains('"') && !name.contains(['\'', '\n']) {
        return format!("'{name}'");
    }
    // JSON escapes are also valid in TOML, with the same meaning.
    serde_json::Value::from(name).to_string()
}
