//! A session about the project that an engine's command line reads.

use std::cell::{OnceCell, RefCell};
use std::collections::HashSet;
use std::sync::Arc;

use applyorder_analysis::config::Configs;
use applyorder_analysis::engine::RunOptions;
use applyorder_analysis::files::Files;
use applyorder_analysis::workspace::Workspace;

use super::{Looked, Selected, Session, Targets};
use crate::edited::Edited;
use crate::place::Paths;

impl Session {
    /// About every project of a workspace as a whole.
    pub(crate) fn of_command(
        mut workspace: Workspace,
        files: Arc<dyn Files>,
        configs: Configs,
        paths: Paths,
        options: RunOptions,
    ) -> Self {
        let analysis = workspace.analysis();
        let selected = analysis
            .projects()
            .map(|(project, _)| Selected { project, whole: true });
        Self {
            selected: selected.collect(),
            analysis,
            configs,
            configured: None,
            paths,
            options,
            failed: false,
            found: Looked::default(),
            targets: Targets::default(),
            is_of_command: true,
            trees: OnceCell::new(),
            real_paths: RefCell::default(),
            ambiguous: OnceCell::from(HashSet::new()),
            workspace,
            files: Arc::new(Edited::over(files)),
        }
    }
}
