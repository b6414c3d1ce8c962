//! The units that the expectations of a configuration name.

use std::collections::BTreeMap;

use super::{ConfigFile, NodeIx, What, configs, is_config};
use crate::workspace::{Analysis, Project};
use applyorder_core::config::expect::matches_pattern;
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::Unit;
use applyorder_syntax::text::Span;

/// A unit that an expectation can name.
#[derive(Clone, Copy)]
pub struct Named<'a> {
    /// Its project.
    pub project: &'a Project,
    /// The unit, in the first environment that has it.
    pub unit: &'a Unit,
}

impl ConfigFile<'_> {
    /// Whether a project is in the same directory or below it.
    pub(super) fn is_above(&self, project: &Project) -> bool {
        self.path
            .parent()
            .is_some_and(|dir| project.seed.root.starts_with(dir))
    }

    /// Whether a value names units.
    #[must_use]
    pub fn names_units(&self, value: NodeIx) -> bool {
        self.schema.at(self.outline.path(value)).is_unit()
    }
}

/// The units of the projects in the directory of a configuration and below it, by name; of several with one
/// name the first one.
#[must_use]
pub fn units<'a>(analysis: &'a Analysis, config: &ConfigFile<'_>) -> BTreeMap<&'a str, Named<'a>> {
    let mut found: BTreeMap<&str, Named<'_>> = BTreeMap::new();
    for (_, project) in analysis
        .projects()
        .filter(|(_, project)| config.is_above(project))
    {
        for unit in project.resolution.variants.iter().flat_map(|v| &v.units) {
            found.entry(&unit.name).or_insert(Named { project, unit });
        }
    }
    found
}

/// The layers of [`units`] when applying, as text.
#[must_use]
pub fn layers<'a>(analysis: &'a Analysis, config: &ConfigFile<'_>) -> BTreeMap<&'a str, String> {
    let mut found: BTreeMap<&str, Option<String>> = BTreeMap::new();
    for (_, project) in analysis
        .projects()
        .filter(|(_, project)| config.is_above(project))
    {
        for variant in &project.resolution.variants {
            for (unit, layer) in variant.units_with_layers() {
                found.entry(&unit.name).or_insert(layer);
            }
        }
    }
    let known = found.into_iter();
    known.filter_map(|(name, layer)| Some((name, layer?))).collect()
}

/// Those of [`units`] that match a pattern, in which `*` stands for any characters.
#[must_use]
pub fn matching<'a>(analysis: &'a Analysis, config: &ConfigFile<'_>, pattern: &str) -> Vec<Named<'a>> {
    let units = units(analysis, config).into_iter();
    units
        .filter(|(name, _)| matches_pattern(pattern, name))
        .map(|(_, named)| named)
        .collect()
}

/// A text in a configuration that names units.
pub struct Mention<'a> {
    /// Its location, without its quotes.
    pub span: Span,
    /// The name, or a pattern.
    pub text: String,
    /// The units that it refers to.
    pub units: Vec<Named<'a>>,
}

impl Mention<'_> {
    /// Whether it matches all units with a name like it.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.text.contains('*')
    }
}

/// What a configuration names at an offset; `None` in any other file, and if it names no units.
#[must_use]
pub fn mention_at(analysis: &Analysis, file: FileId, offset: u32) -> Option<Mention<'_>> {
    if !is_config(analysis.path(file)) {
        return None;
    }
    let config = ConfigFile::of(analysis, file)?;
    let word = config.outline.word_at(offset)?;
    if word.what != What::Value || !config.names_units(word.node) {
        return None;
    }
    Some(Mention {
        span: word.inner(config.text),
        text: word.text.clone(),
        units: matching(analysis, &config, &word.text),
    })
}

/// Where configurations name units, each by its whole name and its project.
pub(crate) fn mentions<'a>(
    analysis: &'a Analysis,
    units: &'a [(&'a Project, &'a str)],
) -> impl Iterator<Item = (FileId, Span)> + 'a {
    configs(analysis).flat_map(move |config| {
        let words = config.values(|said| said.is_unit()).into_iter();
        let named = words.filter(|word| {
            let mut matching = units.iter().filter(|(_, name)| *name == word.text);
            matching.any(|(project, _)| config.is_above(project))
        });
        let spans: Vec<Span> = named.map(|word| word.inner(config.text)).collect();
        spans.into_iter().map(move |span| (config.file, span))
    })
}
