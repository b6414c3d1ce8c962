//! The findings, and the reasons why verdicts cannot be known.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::layer::{Block, Finding, Pass, Unknown};

use super::{Told, files, told};
use crate::judge;
use crate::model::{Model, Project};
use crate::relate::Related;

/// The findings in a blueprint inside a configuration, and what about it cannot be known.
pub(crate) fn check_inside(pass: &Pass<'_>, model: &Model, related: &Related) -> (Arc<Block>, Vec<Unknown>) {
    let told = told(pass, model, related);
    let mut unknown = Vec::new();
    left_open(model, &told, &mut unknown);
    let rejects = |finding: &Finding| finding.rejections.iter().any(|r| r.command == judge::PUBLISH);
    if told.block.findings().iter().any(rejects) {
        // It is created as a published one.
        unknown.push(Unknown {
            command: Some(judge::APPLY),
            stage: judge::stage::API,
            at: None,
            leaves_later: true,
            because: "what `apply` does with a blueprint that cannot be published is not documented"
                .to_owned(),
        });
    }
    (told.block.clone(), unknown)
}

/// Adds what leaves the verdicts open because of likely values and unknown IDs.
fn left_open(model: &Model, told: &Told, unknown: &mut Vec<Unknown>) {
    for (stage, because) in &told.open {
        let commands = match model.is_blueprint {
            true => &[judge::PUBLISH][..],
            false => judge::commands_at(stage),
        };
        unknown.extend(commands.iter().map(|command| Unknown {
            command: Some(*command),
            stage,
            at: None,
            leaves_later: true,
            because: because.clone(),
        }));
    }
    let (all, known) = model.ids;
    if known < all || !model.unresolved.is_empty() {
        unknown.push(Unknown {
            command: Some(if model.is_blueprint {
                judge::PUBLISH
            } else {
                judge::APPLY
            }),
            stage: judge::stage::API,
            at: None,
            leaves_later: true,
            because: match (all - known, model.unresolved.first()) {
                (0, Some(open)) => format!("`{}` is unknown", open.at),
                (unknown, _) => format!("{unknown} of {all} ids are not known"),
            },
        });
    }
}

/// The findings of a project, and what cannot be known about it.
pub(crate) fn check(
    pass: &Pass<'_>,
    project: &Project,
    related: &Related,
) -> (Vec<Arc<Block>>, Vec<Unknown>) {
    let model: &Model = project;
    let mut blocks = files::check(pass, project);
    let told = told(pass, model, related);
    blocks.push(told.block.clone());
    let mut unknown = Vec::new();
    let mut unread = project.loaded.modules.iter().flat_map(|module| &module.unread);
    if let Some((file, limit)) = unread.find(|(_, error)| error.is_limit()) {
        unknown.push(Unknown {
            command: None,
            stage: judge::stage::LOAD,
            at: None,
            leaves_later: false,
            because: format!("`{}` {limit}", pass.cx.path(*file)),
        });
    }
    if let Some((file, _)) = project.files.iter().find(|(_, facts)| facts.is_cut()) {
        unknown.push(Unknown {
            command: None,
            stage: judge::stage::LOAD,
            at: None,
            leaves_later: false,
            because: format!("`{}` is not read to its end", pass.cx.path(*file)),
        });
    }
    let said = |(place, why): &(Place, String)| {
        let path = pass.cx.path(place.file);
        format!("in `{}`: {why}", path.file_name().unwrap_or(""))
    };
    if let Some(open) = &model.open {
        unknown.push(Unknown {
            command: None,
            stage: judge::stage::CONFIG,
            at: None,
            leaves_later: true,
            because: said(open),
        });
    }
    if let Some(failed) = &model.failed {
        let commands = judge::commands_at(judge::stage::VALUES).iter();
        unknown.extend(commands.map(|command| Unknown {
            command: Some(command),
            stage: judge::stage::VALUES,
            at: None,
            leaves_later: true,
            because: said(failed),
        }));
    }
    if let Some(failed) = &model.failed_apply {
        unknown.push(Unknown {
            command: Some(judge::APPLY),
            stage: judge::stage::API,
            at: None,
            leaves_later: true,
            because: said(failed),
        });
    }
    if let Some(limit) = model.limits.first() {
        unknown.push(Unknown {
            command: None,
            stage: judge::stage::LOAD,
            at: None,
            leaves_later: false,
            because: limit.clone(),
        });
    }
    // Terraform rejects instances that depend on an ID that is known only after apply.
    if let Some(open) = model.open_instances.first() {
        for command in judge::commands_at(judge::stage::VALUES) {
            unknown.push(Unknown {
                command: Some(command),
                stage: judge::stage::VALUES,
                at: None,
                leaves_later: true,
                because: format!("`{open}` is unknown"),
            });
        }
    }
    left_open(model, &told, &mut unknown);
    (blocks, unknown)
}
