//! What is found in each file by itself: what cannot be read, and what is too much. And what is too much of a project.

use std::sync::Arc;

use applyorder_core::diagnostic::{Diagnostic, Place, Reaction, Severity};
use applyorder_core::layer::{Block, Finding, Pass};
use applyorder_core::rules::{limit_reached, missing_file, unreadable_file};

use super::syntax_error;
use crate::judge::{PUBLISH, commands_at, stage};
use crate::model::{Model, Project};
use crate::read::TfFacts;

pub(super) fn check(pass: &Pass<'_>, project: &Project) -> Vec<Arc<Block>> {
    let mut blocks = Vec::new();
    for (file, facts) in project.files.iter().filter(|(_, f)| !f.problems.is_empty()) {
        let found = syntax_error::check(project, facts, |at| pass.cx.place(*file, at));
        blocks.push(Arc::new(Block::new(found)));
    }
    let mut found = Vec::new();
    for module in &project.loaded.modules {
        for (file, error) in &module.unread {
            let is_dir = *pass.cx.path(*file) == *module.dir;
            let message = error.unread(if is_dir {
                "this directory of a module"
            } else {
                "this file of a module"
            });
            if error.is_limit() {
                let d = Diagnostic::new(&limit_reached::RULE, Place::file(*file), message);
                found.push(Finding::new(d));
                continue;
            }
            let d = Diagnostic::new(&unreadable_file::RULE, Place::file(*file), message);
            found.push(rejected(project, Finding::new(d)));
        }
    }
    for (written, path) in crate::invocation::configured_var_files(pass) {
        let Err(error) = pass.cx.facts::<TfFacts>(&path) else {
            continue;
        };
        let config = pass.cx.config(&pass.seed.root.join("main.tf"));
        let place = pass
            .cx
            .place_in_config(&config, ["spacelift", "var-files"], None, &written);
        let place = place.unwrap_or_else(|| Place::file(pass.cx.file(&path)));
        let d = Diagnostic::new(&missing_file::RULE, place, error.unread(&format!("`{written}`")))
            .severity(Severity::Warning)
            .note("the variables that it would set are taken as if the file was empty");
        found.push(Finding::new(d));
    }
    if let Some((file, _)) = project.files.first() {
        for limit in &project.limits {
            let d = Diagnostic::new(&limit_reached::RULE, Place::file(*file), limit.clone());
            found.push(Finding::new(d));
        }
    }
    if !found.is_empty() {
        blocks.push(Arc::new(Block::new(found)));
    }
    blocks
}

pub(super) fn rejected(model: &Model, mut finding: Finding) -> Finding {
    if model.is_blueprint {
        return finding.rejected(PUBLISH, stage::LOAD);
    }
    for command in commands_at(stage::LOAD) {
        finding = finding.rejected(command, stage::LOAD);
    }
    doubt(model, &mut finding);
    finding
}

/// Makes a finding likely if it is in a module that is only likely to be read. The call leaves the verdicts open.
pub(super) fn doubt(model: &Model, finding: &mut Finding) {
    if finding.rejections.is_empty() || !model.likely_files.contains(&finding.diagnostic.place.file) {
        return;
    }
    finding.rejections.clear();
    let d = finding.diagnostic_mut();
    *d = d.clone().heuristic();
    d.engine_message = None;
    d.reaction = Reaction::Open;
}
