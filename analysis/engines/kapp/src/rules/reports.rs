//! kapp's own reports, command by command: the one error that it stops at.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::scope::Project;
use super::{
    api_version_slashes, empty_input, empty_matcher, labels_shape, rebase_rule, unmapped_namespace,
    versioned_reference,
};
use crate::judge;
use crate::model::error::{KappError, What};
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::layer::{Block, Finding};
use applyorder_core::rules::{self, Rule};

/// The reports, as findings for the verdict alone if another finding is shown to users, and as findings of
/// their own if none is.
pub(super) fn reports(project: &Project<'_>, told: &[Arc<Block>]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (command, operation) in judge::operations(project.related) {
        let error = judge::stops_at(project.related, command, operation);
        let is_doubted = judge::doubt(project.cx, project.model, project.related, error).is_some();
        let Some(error) = error.filter(|error| !error.is_ours() && !is_doubted) else {
            continue;
        };
        let about = judge::about(project.model, project.related, error);
        let telling = telling(told, command, error, &about);
        let d = match telling {
            Some(d) => Diagnostic::new(d.rule, d.place, ""),
            None => spoken(project, error),
        };
        // The same report of two commands is one finding.
        let same = found.iter().position(|before: &Finding| {
            let b = &before.diagnostic;
            let is_spoken = telling.is_none() && !before.silent;
            is_spoken && b.rule.id == d.rule.id && b.place == d.place && b.message == d.message
        });
        let mut finding = match same {
            Some(same) => found.remove(same),
            None if error.is_partial => {
                let d = d.engine_message(error.message.clone());
                Finding::new(d).detail("text", "beginning").about(about)
            }
            None => Finding::new(d).about(about),
        };
        finding.silent = telling.is_some();
        let finding = finding.rejected(command, error.stage);
        found.push(if error.is_partial {
            finding
        } else {
            finding.message_of(command, error.message.as_str())
        });
    }
    found
}

/// The finding that shows users what a command reports; the most specific if several are at one place.
fn telling<'a>(
    told: &'a [Arc<Block>],
    command: &str,
    error: &KappError,
    about: &Arc<str>,
) -> Option<&'a Diagnostic> {
    let tells = |finding: &&Finding| {
        let subject = |own: &Option<Arc<str>>| own.as_ref().unwrap_or(&finding.subject) == about;
        let mut rejections = finding.rejections.iter();
        rejections.any(|r| r.command == command && r.stage == error.stage && subject(&r.subject))
    };
    let findings = told.iter().filter(|block| block.has_rejections());
    let findings = findings.flat_map(|block| block.findings()).filter(tells);
    let all: Vec<&Diagnostic> = findings.map(|finding| &*finding.diagnostic).collect();
    let replaced: FxHashSet<(Place, &str)> = all
        .iter()
        .flat_map(|d| d.rule.replaces.iter().map(|id| (d.place, *id)))
        .collect();
    let mut all = all
        .into_iter()
        .filter(|d| !replaced.contains(&(d.place, d.rule.id)));
    let first = all.next()?;
    // Of a text about several resources, the one that it begins with.
    let rest = all.filter(|d| error.what.names_all() && d.place.file == first.place.file);
    Some(rest.fold(first, |first, d| if d.place < first.place { d } else { first }))
}

/// A report that no other finding shows.
fn spoken(project: &Project<'_>, error: &KappError) -> Diagnostic {
    let inputs = &project.model.app.inputs;
    let of_item = || {
        let item = error.item?;
        Some(project.at(item, inputs.resource(item)?.name_place()))
    };
    let of_change = || project.name_place(error.change?);
    let first = || Some(Place::file(inputs.inputs.first()?.file));
    let place = error.place.or_else(of_item).or_else(of_change).or_else(first);
    // An app without files exists only where it is declared.
    let place = place.unwrap_or_else(|| {
        let config = project.cx.config(&project.seed.root);
        Place::file(
            project
                .cx
                .file(config.file.as_deref().unwrap_or(&project.seed.root)),
        )
    });
    Diagnostic::new(rule(error.what), place, error.message.clone())
}

fn rule(what: What) -> &'static Rule {
    match what {
        What::MissingFile => &rules::missing_file::RULE,
        What::Unreadable => &rules::unreadable_file::RULE,
        What::Syntax => &rules::syntax_error::RULE,
        What::Limit => &rules::limit_reached::RULE,
        What::MissingFields => &rules::missing_field::RULE,
        What::ApiVersion => &api_version_slashes::RULE,
        What::Duplicates => &rules::duplicate_name::RULE,
        What::Definition => &rules::wrong_type::RULE,
        What::Namespaces => &unmapped_namespace::RULE,
        What::Empty => &empty_input::RULE,
        What::Labels => &labels_shape::RULE,
        What::Versions => &versioned_reference::RULE,
        What::Rebase => &rebase_rule::RULE,
        What::Matcher => &empty_matcher::RULE,
        What::Cycle => &rules::cycle::RULE,
        What::Path => &rules::invalid_name::RULE,
        What::Config | What::Nonce | What::Renewal | What::Use => &rules::invalid_value::RULE,
    }
}
