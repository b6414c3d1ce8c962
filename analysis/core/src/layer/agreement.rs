//! Whether verdicts, findings and orders of a project agree: engine tests check this after each resolution.

use std::fmt::Display;
use std::sync::Arc;

use super::judge::{Command, Reports};
use super::stages::Stages;
use crate::diagnostic::{Certainty, Diagnostic, Enforced, Severity};
use crate::engine::{Engine, Operation, Resolution, RunOptions, Verdict};

/// The contradictions between the verdicts of a project, its findings and its orders, in sentences; empty if
/// they agree. The severities of findings must be those of the rules, not configured ones.
///
/// - A verdict is not ok exactly when a finding at `error` says so for its command (in an inferred project, and of a
///   heuristic finding, a warning suffices), and no finding is rejected by a command that is ok.
/// - `first` marks exactly the findings that the command reports.
/// - The order of an operation whose command is rejected is not guaranteed, and says why.
pub fn contradictions<E: Engine + Stages>(
    engine: &E,
    options: &RunOptions,
    inferred: bool,
    resolution: &Resolution,
) -> Vec<String> {
    let commands = Stages::commands(engine);
    let mut out = Vec::new();
    for verdict in &resolution.verdicts {
        if let Some(command) = commands.iter().find(|c| c.name == verdict.command) {
            of_verdict(command, verdict, inferred, resolution, &mut out);
        }
    }
    for d in resolution.diagnostics.iter() {
        for enforced in d.enforced.iter().filter(|e| e.first) {
            let reports = |v: &&Verdict| reports(v, d, enforced);
            if !resolution.verdicts.iter().any(|v| reports(&v)) {
                let (command, stage) = (enforced.command, enforced.stage);
                out.push(format!(
                    "no verdict of `{command}` reports at `{stage}`: {}",
                    shown(d)
                ));
            }
        }
    }
    of_orders(engine, options, resolution, &mut out);
    out
}

fn shown(d: &Diagnostic) -> String {
    format!("{} {}: {}", d.severity.as_str(), d.rule.id, d.message)
}

fn holds_in(d: &Diagnostic, environment: Option<&Arc<str>>) -> bool {
    let name = environment.map_or("", |e| e);
    d.environments.is_empty() || d.environments.iter().any(|e| **e == *name)
}

fn reports(verdict: &Verdict, d: &Diagnostic, enforced: &Enforced) -> bool {
    // One text of the engine may be about findings of several rules; the verdict has it once, with the first's.
    let repeats = |text: &str| d.engine_message.as_deref() == Some(text);
    verdict.command == enforced.command
        && verdict.stage == Some(enforced.stage)
        && holds_in(d, verdict.environment.as_ref())
        && verdict
            .errors
            .iter()
            .any(|e| e.rule == d.rule.id || repeats(&e.message))
}

fn of_verdict(
    command: &Command,
    verdict: &Verdict,
    inferred: bool,
    resolution: &Resolution,
    out: &mut Vec<String>,
) {
    let name = match &verdict.environment {
        Some(environment) => format!("`{}` in `{environment}`", verdict.command),
        None => format!("`{}`", verdict.command),
    };
    let mut say = |what: &dyn Display| out.push(format!("{name}: {what}"));
    let here = |d: &&Diagnostic| holds_in(d, verdict.environment.as_ref());
    let all: Vec<&Diagnostic> = resolution.diagnostics.iter().filter(here).collect();
    let own = |d: &'_ Diagnostic| {
        let own = d.enforced.iter().filter(|e| e.command == command.name);
        own.cloned().collect::<Vec<Enforced>>()
    };
    let rejected: Vec<(&Diagnostic, Enforced)> = all
        .iter()
        .flat_map(|d| own(d).into_iter().map(move |e| (*d, e)))
        .collect();
    let is_enough = |d: &Diagnostic| {
        let suffices = inferred || d.certainty == Certainty::Heuristic;
        d.severity
            >= if suffices {
                Severity::Warning
            } else {
                Severity::Error
            }
    };
    match verdict.ok {
        None => {
            if verdict.because.is_none() {
                say(&"it is unknown and does not say why");
            }
        }
        Some(true) => {
            if verdict.stage.is_some() || !verdict.errors.is_empty() {
                say(&"it is ok and has errors");
            }
            for (d, enforced) in &rejected {
                let stage = enforced.stage;
                say(&format_args!(
                    "it is ok, but at `{stage}` it rejects {}",
                    shown(d)
                ));
            }
        }
        Some(false) => {
            // The reported error may be unknown, though the command certainly rejects.
            let says = !verdict.errors.is_empty() || verdict.because.is_some();
            let (Some(stage), true) = (verdict.stage, says) else {
                say(&"it is rejected, but has no stage or no error");
                return;
            };
            for error in &verdict.errors {
                let mut told = rejected.iter().filter(|(d, e)| e.first && reports(verdict, d, e));
                let is_told = told.any(|(d, _)| is_enough(d) && d.rule.id == error.rule);
                if !is_told {
                    let (rule, text) = (error.rule, &error.message);
                    say(&format_args!(
                        "no finding says what it reports at `{stage}`: {rule}: {text}"
                    ));
                }
            }
            let reports = command.stages.iter().find(|s| s.name == stage).map(|s| s.reports);
            let marked: Vec<_> = rejected
                .iter()
                .filter(|(_, e)| e.first)
                .map(|(d, _)| d.place.file)
                .collect();
            // Whether it reaches this stage may be unknown too.
            let comes_here = verdict.because.is_none();
            let is_reported = |d: &Diagnostic| match reports {
                _ if !comes_here => false,
                Some(Reports::All | Reports::Lines(_)) => true,
                Some(Reports::Round) => marked.contains(&d.place.file),
                _ => false,
            };
            let unmarked = rejected.iter().filter(|(_, e)| e.stage == stage && !e.first);
            for (d, _) in unmarked.filter(|(d, _)| is_reported(d)) {
                say(&format_args!("at `{stage}` it reports, unmarked, {}", shown(d)));
            }
            // In another environment, another finding may come first.
            let others = resolution.verdicts.iter().filter(|v| v.command == command.name);
            let rules = rejected.iter().filter(|(_, e)| e.first).map(|(d, _)| d.rule.id);
            let mut rules: Vec<&str> = rules.collect();
            rules.dedup();
            if reports == Some(Reports::First) && others.count() == 1 && rules.len() > 1 {
                say(&format_args!(
                    "it reports one error, and findings of {rules:?} are marked"
                ));
            }
        }
    }
}

fn of_orders<E: Engine>(engine: &E, options: &RunOptions, resolution: &Resolution, out: &mut Vec<String>) {
    for variant in &resolution.variants {
        for (operation, order) in [
            (Operation::Apply, &variant.apply),
            (Operation::Delete, &variant.delete),
        ] {
            let Some(command) = engine.command_of(operation, options) else {
                continue;
            };
            let own = resolution.verdicts.iter().filter(|v| v.command == command);
            let mut own = own.filter(|v| variant.environments.contains(&v.environment));
            if own.any(|v| v.ok == Some(false)) && (order.guaranteed || order.because.is_none()) {
                out.push(format!(
                    "`{command}` is rejected, but its order is guaranteed or does not say why it is not"
                ));
            }
        }
    }
}
