//! The engine's result for a project with other texts. The workspace does not change.

use std::sync::Arc;
use std::time::Duration;

use applyorder_core::config::Configs;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, Engines, Resolution, RunOptions};
use applyorder_core::files::Overlay;
use applyorder_core::store::{Store, Table};
use applyorder_syntax::text::{Span, TextEdit, apply_edits};

use super::analysis::span_in;
use super::names::SharedNames;
use super::{Analysis, Project, readers};

/// A project whose pass takes longer is not resolved again for one answer.
pub(super) const MOST: Duration = Duration::from_millis(250);

/// Nor is one with more units, however fast the machine: a user waits for the answer.
const MOST_UNITS: usize = 1_000;

/// The inputs of a pass, as they were when the snapshot was made.
pub(super) struct Ground {
    pub(super) engines: Engines,
    pub(super) store: Store,
    pub(super) files: Overlay,
    pub(super) configs: Arc<Configs>,
    pub(super) options: Arc<RunOptions>,
    pub(super) names: SharedNames,
}

/// The engine's result for a project.
pub struct WhatIf {
    /// The resolution.
    pub resolution: Resolution,
    table: Arc<Table>,
}

impl WhatIf {
    /// The byte range of a place in its file's edited text.
    pub(crate) fn span(&self, place: Place) -> Span {
        span_in(&self.table, place)
    }
}

impl Analysis {
    /// The engine's result for a project after some edits. `None` if that would take long.
    #[must_use]
    pub fn what_if(&self, project: &Project, edits: &[(FileId, Vec<TextEdit>)]) -> Option<WhatIf> {
        // Nothing of earlier passes is reused for it.
        let is_long = |took: Duration| took.max(project.took_whole) > MOST;
        let is_large = project
            .resolution
            .variants
            .iter()
            .any(|v| v.units.len() > MOST_UNITS);
        if is_large || project.took.is_none_or(is_long) {
            return None;
        }
        self.resolved_with(project, edits)
    }

    /// The same however long it takes. `None` if a text is not known.
    #[must_use]
    pub(crate) fn resolved_with(
        &self,
        project: &Project,
        edits: &[(FileId, Vec<TextEdit>)],
    ) -> Option<WhatIf> {
        let ground = self.ground();
        let store = ground.store.fork();
        let mut files = ground.files.clone();
        for (file, edits) in edits {
            let text: Arc<str> = apply_edits(&self.source(*file)?.text, edits).into();
            files.set(self.path(*file), text.clone());
            store.set_text(*file, Ok(text), readers(ground.engines), &files);
        }
        let (engine, seed) = (project.engine(), &project.seed);
        let cx = Cx::new(&store, &files, &ground.configs, engine, seed.engine)
            .knowing(ground.names.of(seed.engine));
        let options = ground.options.only(engine.meta().options);
        let resolution = engine.resolve(&cx, seed, &options);
        Some(WhatIf {
            resolution,
            table: store.snapshot(),
        })
    }
}
