//! Whether an engine may be started.
//!
//! What the engine itself rejects is decided by its verdict for the command, computed with nothing suppressed. What the
//! engine does not report blocks the start if its severity, as the user's configuration rates it, reaches `--fail-on`.
//! What only other commands of the engine reject is irrelevant here.

use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_analysis::diagnostic::{Diagnostic, Reaction, Severity};
use applyorder_analysis::engine::invocation::Depends;
use applyorder_analysis::engine::{Operation, Variant, Verdict};
use applyorder_analysis::rules::cycle;
use applyorder_analysis::workspace::{Finding, Project, ProjectIx};

use super::check::Checked;
use super::report::Report;
use super::{Reading, Stop};
use crate::args::CheckArgs;
use crate::commands::lint::plural;
use crate::escape;
use crate::fingerprint::Reported;
use crate::formats::human;
use crate::output::Output;
use crate::session::Session;

/// Reports what was found, and stops if something prevents the start.
pub(super) fn decide(
    checked: &Checked,
    reading: &Reading,
    args: &CheckArgs,
    report: &mut Report,
    out: &mut Output,
) -> Result<(), Stop> {
    let session = &checked.session;
    let Some((ix, project)) = session.projects().next() else {
        return Err(Stop::refused("no file that it reads was found"));
    };
    let found = Found::of(session, reading, ix, project, args.fail_on);
    let unknown = unknown(project, &found);
    report.unresolved.clone_from(&unknown);
    report.findings = found.stopping + found.others;
    let shown: Vec<Reported<'_>> = found
        .shown
        .iter()
        .map(|diagnostic| Reported {
            finding: Finding {
                diagnostic,
                projects: vec![ix],
            },
            fingerprints: Vec::new(),
        })
        .collect();
    let options = human::HumanOptions {
        look: out.note_look(),
        links: None,
        verbose: out.is_verbose(),
    };
    out.notes(|w, _| human::write(w, session, &shown, options))?;
    let what = extent(project, reading, session);
    let problems = match found.stopping + found.others {
        // Findings that a comment hides are not shown, but the verdict still applies.
        0 if found.rejecting.is_some() => "rejected".to_owned(),
        0 => "no problems".to_owned(),
        n => plural(n, ["problem", "problems"]),
    };
    let known = match unknown.len() {
        0 => "everything known".to_owned(),
        n => format!(
            "{} not checked{}",
            plural(n, ["reference", "references"]),
            if args.require_complete {
                ""
            } else {
                " (rejected by --require-complete)"
            }
        ),
    };
    out.summary(&format!(
        "applyorder: {} of {what}: {problems}, {known}",
        reading.invocation.action.as_str()
    ));
    let properties = project.resolution.variants.iter().flat_map(|v| &v.properties);
    for (_, values) in properties.filter(|(name, _)| *name == "resting on") {
        out.summary(&format!("  resting on {}", escape::line(values)));
    }
    for because in &unknown {
        out.summary(&format!("  not checked: {}", escape::line(because)));
    }
    if found.elsewhere > 0 {
        out.summary(&format!(
            "  {} of other commands or selections of {} (applyorder lint)",
            plural(found.elsewhere, ["problem", "problems"]),
            reading.engine.meta().title
        ));
    }
    let title = reading.engine.meta().title;
    if let Some(verdict) = &found.rejecting {
        report.rejected_by_engine = true;
        let because = match verdict.errors.first() {
            _ if found.stopping > 0 => plural(found.stopping, ["problem", "problems"]),
            Some(error) => format!("{} ({})", escape::line(&error.message), error.rule),
            None => "it rejects what it reads".to_owned(),
        };
        return Err(Stop::refused(format!(
            "{because}. {title} itself would {}",
            match found.reaction {
                Reaction::FailsLater => "fail when it gets there",
                Reaction::Silent | Reaction::Warns | Reaction::Open => "stop before its first change",
            }
        )));
    }
    if found.stopping > 0 {
        return Err(Stop::refused(format!(
            "{}. {title} itself would {}",
            plural(found.stopping, ["problem", "problems"]),
            match found.reaction {
                Reaction::Silent => "report nothing",
                Reaction::Warns => "warn and go on",
                Reaction::FailsLater => "fail when it gets there",
                Reaction::Open => "reject or accept it: this is unknown",
            }
        )));
    }
    if args.require_complete && !unknown.is_empty() {
        return Err(Stop::refused(format!(
            "{} not checked (--require-complete)",
            plural(unknown.len(), ["reference was", "references were"])
        )));
    }
    Ok(())
}

/// The findings, sorted by what they mean for the start.
struct Found {
    /// What is shown: findings that block the start, and all others from warning up.
    shown: Vec<Diagnostic>,
    /// How many findings block the start.
    stopping: usize,
    /// The engine's reaction to the first blocking finding.
    reaction: Reaction,
    /// How many other findings are shown.
    others: usize,
    /// How many errors concern only other commands or units.
    elsewhere: usize,
    /// The verdict that rejects.
    rejecting: Option<Verdict>,
    /// The verdicts that cannot be known, and why.
    open: Vec<String>,
}

impl Found {
    fn of(
        session: &Session,
        reading: &Reading,
        ix: ProjectIx,
        project: &Project,
        fail_on: Option<Severity>,
    ) -> Self {
        let depends = &reading.invocation.depends;
        let rejecting = depends.iter().find_map(|d| rejection(project, reading, d));
        let mut found = Self {
            shown: Vec::new(),
            stopping: 0,
            reaction: Reaction::Silent,
            others: 0,
            elsewhere: 0,
            open: depends.iter().filter_map(|d| open(project, reading, d)).collect(),
            rejecting: rejecting.cloned(),
        };
        let selected = selected(project, reading);
        // What an engine accepts but does wrong later happens in stages that such a command does not reach.
        let is_partial = !depends.is_empty() && depends.iter().all(|on| on.stages.is_some());
        let all = session.analysis.findings().into_iter();
        for finding in all.filter(|f| f.projects.contains(&ix)) {
            let d = finding.diagnostic;
            let is_rejected = d.enforced.iter().any(|e| {
                let concerns = |on: &Depends| {
                    e.command == on.command && on.stages.is_none_or(|stages| stages.contains(&e.stage))
                };
                depends.iter().any(concerns)
            });
            if is_rejected {
                // The finding behind the first rejection determines the reaction.
                let is_first = found.rejecting.as_ref().is_some_and(|v| {
                    let mut enforced = d.enforced.iter();
                    enforced.any(|e| e.command == v.command && Some(e.stage) == v.stage)
                });
                if is_first || found.stopping == 0 {
                    found.reaction = d.reaction;
                }
                found.stopping += 1;
                found.shown.push(d.clone());
                continue;
            }
            let is_outside = selected.as_ref().is_some_and(|names| {
                let mut units = d.units.iter().map(|unit| names.contains(&**unit));
                // A cycle is broken if any of its units is not selected.
                if d.rule.id == cycle::RULE.id {
                    units.any(|is_selected| !is_selected)
                } else {
                    !d.units.is_empty() && !units.any(|is_selected| is_selected)
                }
            });
            let is_of_others = !d.enforced.is_empty() || is_partial && d.reaction != Reaction::Open;
            if is_of_others || is_outside {
                found.elsewhere += usize::from(d.severity == Severity::Error);
                continue;
            }
            let config = session.configs.of(session.analysis.path(d.place.file));
            // Per-file settings are about reports only.
            let Some(adjusted) = config.adjusted(d.clone(), reading.engine.meta().id, None) else {
                continue;
            };
            let fails_from = fail_on.or(config.fail_on).unwrap_or(Severity::Error);
            if adjusted.severity >= fails_from {
                if found.stopping == 0 {
                    found.reaction = adjusted.reaction;
                }
                found.stopping += 1;
            } else if adjusted.severity >= Severity::Warning {
                found.others += 1;
            } else {
                continue;
            }
            found.shown.push(adjusted);
        }
        found
    }
}

/// The names of the units that the run is limited to; `None` if it is not limited.
fn selected<'a>(project: &'a Project, reading: &Reading) -> Option<BTreeSet<&'a str>> {
    let variant = variant(project, reading)?;
    let selected = variant.selected.as_ref()?;
    let units = selected.iter().filter_map(|ix| variant.units.get(ix.0 as usize));
    Some(units.map(|unit| &*unit.name).collect())
}

/// The verdicts on a command in the environment of the run.
fn verdicts<'a>(
    project: &'a Project,
    reading: &'a Reading,
    on: &'a Depends,
) -> impl Iterator<Item = &'a Verdict> + 'a {
    let asked = &reading.invocation.options.environments;
    project.resolution.verdicts.iter().filter(move |v| {
        let environment = v.environment.as_deref().unwrap_or("");
        v.command == on.command && (asked.is_empty() || asked.iter().any(|e| e == environment))
    })
}

fn rejection<'a>(project: &'a Project, reading: &'a Reading, on: &'a Depends) -> Option<&'a Verdict> {
    verdicts(project, reading, on).find(|v| {
        let is_passed = |stages: &[&str]| v.stage.is_some_and(|stage| !stages.contains(&stage));
        v.ok == Some(false) && !on.stages.is_some_and(is_passed)
    })
}

/// Why a verdict cannot be known.
fn open(project: &Project, reading: &Reading, on: &Depends) -> Option<String> {
    let mut all = verdicts(project, reading, on).peekable();
    if all.peek().is_none() {
        return Some(format!("`{}` has no verdict", escape::line(on.command)));
    }
    let verdict = all.find(|v| v.ok.is_none())?;
    let because = verdict.because.as_deref().unwrap_or("it cannot be known");
    Some(because.to_owned())
}

/// What could not be checked, as sentences without duplicates.
fn unknown(project: &Project, found: &Found) -> Vec<String> {
    let mut unknown: Vec<String> = project.unresolved().map(|(_, text)| text.to_owned()).collect();
    // Otherwise the unknown parts of the verdict are already among these.
    if unknown.is_empty() {
        unknown.extend(found.open.iter().cloned());
    }
    unknown
}

/// `8 resources in 5 layers, 6 files`
fn extent(project: &Project, reading: &Reading, session: &Session) -> String {
    let meta = reading.engine.meta();
    let files = plural(session.files().len(), ["file", "files"]);
    let Some(variant) = variant(project, reading) else {
        return files;
    };
    let order = variant.order_of(operation(reading));
    let count = match (&order.layers, &variant.selected) {
        (Some(layers), _) => layers.iter().map(Vec::len).sum(),
        (None, Some(selected)) => selected.len(),
        (None, None) => variant.units.len(),
    };
    let units = plural(count, [meta.unit, meta.units]);
    match &order.layers {
        Some(layers) => format!(
            "{units} in {}, {files}",
            plural(layers.len(), ["layer", "layers"])
        ),
        None => format!("{units}, {files}"),
    }
}

fn operation(reading: &Reading) -> Operation {
    reading.invocation.operation
}

fn variant<'a>(project: &'a Project, reading: &Reading) -> Option<&'a Variant> {
    let asked: Option<Arc<str>> = reading
        .invocation
        .options
        .environments
        .first()
        .filter(|e| !e.is_empty())
        .map(|e| Arc::from(e.as_str()));
    let mut all = project.resolution.variants.iter();
    all.find(|v| v.environments.contains(&asked))
}
