//! A session about the one project that a command line of an engine reads.

use std::collections::HashSet;
use std::sync::Arc;

use applyorder_analysis::config::Configs;
use applyorder_analysis::engine::RunOptions;
use applyorder_analysis::workspace::Analysis;

use super::{Selected, Session, Targets};
use crate::place::Paths;

impl Session {
    /// About every project of an analysis, each as a whole.
    pub(crate) fn of_command(
        analysis: Arc<Analysis>,
        configs: Configs,
        paths: Paths,
        options: RunOptions,
    ) -> Self {
        let selected = analysis
            .projects()
            .map(|(project, _)| Selected { project, whole: true });
        Self {
            selected: selected.collect(),
            analysis,
            configs,
            paths,
            options,
            failed: false,
            targets: Targets::default(),
            ambiguous: HashSet::new(),
        }
    }
}
