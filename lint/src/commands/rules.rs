//! `rules`: lists every rule.

use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::{Rule, Status};

use crate::args::{AnswerFormat, RulesArgs};
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::output::Output;
use crate::session::engine_index;
use crate::table::{self, Align};

/// Runs the command.
///
/// # Errors
/// When the engine is unknown.
pub fn run(engines: Engines, args: &RulesArgs, out: &mut Output) -> Result<Exit, Failure> {
    if let Some(id) = &args.engine {
        engine_index(engines, id)?;
    }
    let rules: Vec<&'static Rule> = engines
        .rules()
        .into_iter()
        .filter(|r| {
            args.engine
                .as_deref()
                .is_none_or(|id| reported_by(engines, r).contains(&id))
        })
        .collect();
    for to in &args.format {
        out.answer(to, |w, color| match to.format {
            AnswerFormat::Human => {
                let rows: Vec<Vec<String>> = rules.iter().map(|r| row(r)).collect();
                let headings = ["rule", "severity", "status", "summary"].map(|h| (h, Align::Left));
                table::write(w, &headings, &rows, color)
            }
            AnswerFormat::Json => json::write_value(w, &answer(engines, &rules)),
        })?;
    }
    Ok(Exit::Yes)
}

/// The engines that report a rule.
#[must_use]
pub fn reported_by(engines: Engines, rule: &Rule) -> Vec<&'static str> {
    engines
        .iter()
        .map(|(_, engine)| engine.meta())
        .filter(|m| m.rules.iter().chain(m.shared_rules).any(|r| *r == rule))
        .map(|m| m.id)
        .collect()
}

/// A rule's status in a word.
#[must_use]
pub const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Preview => "preview",
        Status::Stable => "stable",
        Status::Deprecated => "deprecated",
    }
}

fn row(rule: &Rule) -> Vec<String> {
    [
        rule.id,
        rule.severity.as_str(),
        status_word(rule.status),
        rule.summary,
    ]
    .map(str::to_owned)
    .to_vec()
}

fn answer(engines: Engines, rules: &[&'static Rule]) -> model::Rules<'static> {
    model::Rules {
        version: model::VERSION,
        rules: rules.iter().map(|r| described(engines, r)).collect(),
    }
}

/// A rule in the form used by answers for programs.
#[must_use]
pub fn described(engines: Engines, rule: &'static Rule) -> model::Rule<'static> {
    model::Rule {
        id: rule.id,
        severity: rule.severity,
        summary: rule.summary,
        since: rule.since,
        status: rule.status,
        engines: reported_by(engines, rule),
        replaces: rule.replaces,
    }
}
