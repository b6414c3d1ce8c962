//! What is wrong with single files.

use super::Scope;
use crate::found::{Found, push};
use crate::load::tree::Dir;
use crate::model::sources::Sources;
use crate::read::{Problem, RootAttribute};
use crate::{rules, words};
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety};
use applyorder_core::files::ReadError;
use applyorder_core::rules::{limit_reached, unreadable_file};
use applyorder_syntax::hcl::edit::quote;
use std::sync::Arc;

/// Pushes what is wrong with each of them.
pub(super) fn of_files(
    scope: &Scope<'_>,
    sources: &Sources,
    dir: &Dir,
    experiments: Option<&[Arc<str>]>,
    found: &mut Vec<Found>,
) {
    let is_off = |experiment: &str| experiments.is_some_and(|on| !on.iter().any(|o| **o == *experiment));
    for (loaded, read) in sources.all(dir) {
        let facts = match read {
            Ok(read) => &read.facts,
            Err(error) => {
                unreadable(loaded.file, error, found);
                continue;
            }
        };
        let looked_at = |p: &&Problem| !p.experiment.is_some_and(is_off);
        for problem in facts.shape.problems.iter().filter(looked_at) {
            let mut diagnostic = words::diagnostic(problem, |at| scope.at(loaded.file, at));
            let also = problem.also.map(|words| diagnostic.clone().engine_message(words));
            if let Some(literal) = problem.reference.as_deref().and_then(|r| metadata(dir, r)) {
                let step = FixStep::Replace(diagnostic.place, quote(&literal));
                diagnostic = diagnostic.fix(format!("replace with `{literal}`"), Safety::Unsafe, vec![step]);
            }
            let entry = push(found, diagnostic, problem.fatal);
            entry.unseen = facts.shape.unreadable && !problem.is_syntax();
            entry.early = problem.early;
            let details = [("attribute", &problem.attribute), ("value", &problem.value)];
            entry.details = details
                .into_iter()
                .filter_map(|(k, v)| Some((k, v.as_deref()?.to_owned())))
                .collect();
            if let Some(d) = also {
                let unseen = entry.unseen;
                let also = push(found, d, problem.fatal);
                (also.silent, also.unseen) = (true, unseen);
            }
        }
        if dir.parent.is_some() {
            for attribute in facts
                .shape
                .root
                .iter()
                .filter(|a| !a.path.starts_with("config.run.env."))
            {
                // `required_version = ""` is no demand.
                let empty = &*attribute.path == "required_version"
                    && attribute.text.as_ref().is_some_and(|t| t.value.is_empty());
                if empty {
                    continue;
                }
                push(found, nested_config(scope, loaded.file, attribute), false);
            }
        }
    }
}

/// What a reference to Terramate's metadata would give in a directory, as far as that is written nowhere
/// else.
fn metadata(dir: &Dir, reference: &str) -> Option<String> {
    let relative = dir.path.strip_prefix('/')?;
    Some(match reference {
        "terramate.stack.path.absolute" => dir.path.to_string(),
        "terramate.stack.path.relative" => relative.to_owned(),
        "terramate.stack.path.basename" => dir.path.rsplit('/').next()?.to_owned(),
        _ => return None,
    })
}

/// A setting of the project that is below its root.
fn nested_config(scope: &Scope<'_>, file: FileId, attribute: &RootAttribute) -> Diagnostic {
    let place = scope.at(file, attribute.at);
    let root = || scope.root_files();
    let same = root().find_map(|(loaded, facts)| {
        let set = facts.shape.root.iter().find(|a| a.path == attribute.path)?;
        Some(scope.at(loaded.file, set.at))
    });
    let mut d = rules::root_nested_config::found(place, &attribute.path, &scope.tree.root, same);
    if let (None, Some((loaded, facts)), Some(value)) = (same, root().next(), &attribute.text) {
        let [start, end] = [facts.shape.start, facts.shape.end].map(|at| scope.at(loaded.file, at));
        let text = setting(&attribute.path, &quote(&value.value));
        d = rules::root_nested_config::movable(d, start, end, text);
    }
    d.fix("remove", Safety::Unsafe, vec![FixStep::RemoveKey(place)])
}

/// A `terramate` block with one setting, to be put at the end of a file.
pub(super) fn setting(path: &str, value: &str) -> String {
    let mut names: Vec<&str> = std::iter::once("terramate").chain(path.split('.')).collect();
    let key = names.pop().unwrap_or_default();
    let mut text = String::from("\n");
    for (depth, name) in names.iter().enumerate() {
        text.push_str(&format!("{}{name} {{\n", "  ".repeat(depth)));
    }
    text.push_str(&format!("{}{key} = {value}\n", "  ".repeat(names.len())));
    for depth in (0..names.len()).rev() {
        text.push_str(&format!("{}}}\n", "  ".repeat(depth)));
    }
    text
}

fn unreadable(file: FileId, error: &ReadError, found: &mut Vec<Found>) {
    let (rule, fatal) = match error {
        error if error.is_limit() => (&limit_reached::RULE, false),
        _ => (&unreadable_file::RULE, true),
    };
    let message = match error {
        ReadError::IsDirectory => "expected a file, found a directory".to_owned(),
        error => format!("the file cannot be read: it {error}"),
    };
    let message = message
        .replace("it no such", "there is no such")
        .replace("it permission denied", "permission denied");
    let d = Diagnostic::new(rule, Place::file(file), message);
    push(found, d.engine_message("reading config file"), fatal).early = fatal;
}
