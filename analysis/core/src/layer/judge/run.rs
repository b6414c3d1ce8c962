//! One run of a command over what was found: where it stops, and what it reports there.

use std::sync::Arc;

use super::super::finding::{Block, Finding, Rejection};
use super::super::most::MOST;
use super::{Command, Course, Marks, Reports, Unknown};
use crate::engine::{EngineError, Verdict};

/// A longer line of the engine, in bytes, is kept only at the first of the findings that repeat it: one that
/// names thousands of resources is not kept for each of them.
pub(super) const LONGEST_REPEATED: usize = 4096;

/// The round and the stage.
type Step = (u64, usize);

/// A rejection with everything that decides when it is reported.
struct Candidate<'a> {
    step: Step,
    subject: &'a Arc<str>,
    order: (u64, usize, u32, u32),
    block: &'a Block,
    number: u32,
    finding: &'a Finding,
    rejection: &'a Rejection,
}

fn error(finding: &Finding, rejection: &Rejection) -> EngineError {
    let own = finding.diagnostic.engine_message.as_deref();
    EngineError {
        rule: finding.diagnostic.rule.id,
        subject: rejection.subject.as_ref().unwrap_or(&finding.subject).to_string(),
        message: rejection
            .message
            .as_deref()
            .or(own)
            .unwrap_or_default()
            .to_owned(),
        details: finding.details.clone(),
    }
}

/// The verdict of one command; what it reports first is marked.
pub(super) fn verdict(
    command: &'static Command,
    blocks: &[&Arc<Block>],
    unknown: &[Unknown],
    environment: Option<&Arc<str>>,
    course: &Course<'_>,
    marks: &mut Marks,
) -> Verdict {
    let run = Run {
        command,
        course,
        unknown,
        candidates: candidates(command, blocks, course),
    };
    let first = run.first();
    let before = run.unknown_before(first);
    let open = before.iter().min_by_key(|(stage, _)| *stage).map(|(_, u)| *u);
    let is_rejected = before.iter().all(|(_, u)| u.leaves_later);
    let warnings = run.warnings(first);
    let (errors, doubt) = match (first, open) {
        (Some(first), None) => run.errors(first, marks),
        _ => (Vec::new(), None),
    };
    let [more_errors, more_warnings] = [&errors, &warnings].map(|all| all.len().saturating_sub(MOST));
    Verdict {
        command: command.name,
        environment: environment.cloned(),
        ok: match (open, first) {
            (Some(_), None) => None,
            (Some(_), Some(_)) => is_rejected.then_some(false),
            (None, first) => Some(first.is_none()),
        },
        stage: first
            .filter(|_| open.is_none() || is_rejected)
            .and_then(|(_, stage)| command.stages.get(stage))
            .map(|s| s.name),
        errors: run.told(&errors),
        warnings: run.told(&warnings),
        more_errors,
        more_warnings,
        because: open.or(doubt).map(|u| u.because.clone()),
    }
}

/// What a command might report of the findings, in no order.
fn candidates<'a>(command: &Command, blocks: &[&'a Arc<Block>], course: &Course<'_>) -> Vec<Candidate<'a>> {
    let mut candidates = Vec::new();
    for (position, block) in blocks.iter().enumerate().filter(|(_, b)| b.has_rejections()) {
        for (number, finding) in (0u32..).zip(block.findings()) {
            let own = finding.rejections.iter().filter(|r| r.command == command.name);
            candidates.extend(own.filter_map(|rejection| {
                let stage = command.stage(rejection.stage)?;
                let round = (course.round)(rejection.stage, position, finding.at);
                Some(Candidate {
                    step: (round, stage),
                    subject: rejection.subject.as_ref().unwrap_or(&finding.subject),
                    order: (
                        (course.rank)(rejection.stage, position, finding.at),
                        position,
                        finding.at,
                        number,
                    ),
                    block,
                    number,
                    finding,
                    rejection,
                })
            }));
        }
    }
    candidates
}

/// One run of a command over what was found.
struct Run<'a> {
    command: &'static Command,
    course: &'a Course<'a>,
    unknown: &'a [Unknown],
    candidates: Vec<Candidate<'a>>,
}

impl<'a> Run<'a> {
    /// The step at which the command stops.
    fn first(&self) -> Option<Step> {
        let errors = self.candidates.iter().filter(|c| !c.rejection.warns);
        errors.filter(|c| !c.finding.repeats).map(|c| c.step).min()
    }

    /// What cannot be known of the stages before the one at which the command stops, with the position of its stage.
    fn unknown_before(&self, first: Option<Step>) -> Vec<(usize, &'a Unknown)> {
        let own = self.unknown.iter().filter(|u| self.is_own(u));
        own.filter_map(|u| Some((self.command.stage(u.stage)?, u)))
            .filter(|(stage, _)| first.is_none_or(|(_, first)| *stage < first))
            .collect()
    }

    fn is_own(&self, unknown: &Unknown) -> bool {
        unknown.command.is_none_or(|c| c == self.command.name)
    }

    /// The warnings that the command prints.
    fn warnings(&self, first: Option<Step>) -> Vec<&Candidate<'a>> {
        let mut warnings: Vec<&Candidate<'_>> = self
            .candidates
            .iter()
            .filter(|c| c.rejection.warns && !c.finding.repeats)
            .filter(|c| match first {
                None => true,
                Some(first) => self.command.warns_when_rejecting && c.step <= first,
            })
            .collect();
        warnings.sort_by_key(|c| (c.step, c.order));
        warnings
    }

    /// The errors that the command reports where it stops, which are marked; and what may be reported instead.
    fn errors(&self, first: Step, marks: &mut Marks) -> (Vec<&Candidate<'a>>, Option<&'a Unknown>) {
        let here = |c: &&Candidate<'_>| c.step == first && !c.rejection.warns;
        let mut errors: Vec<&Candidate<'_>> = self.candidates.iter().filter(here).collect();
        errors.sort_by_key(|c| c.order);
        let line = errors.iter().find(|c| !c.finding.repeats).copied();
        let reports = self.reports(first).unwrap_or(Reports::First);
        let doubt = line
            .filter(|_| matches!(reports, Reports::First | Reports::SameSubject))
            .and_then(|line| self.unknown.iter().find(|u| self.may_precede(u, line)));
        if doubt.is_some() {
            errors.clear();
        }
        let mut lines = 0;
        errors.retain(|c| {
            let is_reported = match reports {
                Reports::First => lines == 0,
                Reports::All | Reports::Lines(_) | Reports::Round => true,
                Reports::SameSubject => line.is_some_and(|line| line.subject == c.subject),
            };
            lines += usize::from(is_reported && !c.finding.repeats);
            is_reported
        });
        let text = line.and_then(|line| line.rejection.message.clone());
        marks.0.extend(errors.iter().enumerate().map(|(i, c)| {
            let is_short = |text: &Arc<str>| i == 0 || text.len() <= LONGEST_REPEATED;
            let repeated = text.clone().filter(|_| c.finding.repeats).filter(is_short);
            ((c.block.id(), c.number, self.command.name), repeated)
        }));
        errors.retain(|c| !c.finding.repeats);
        (errors, doubt)
    }

    /// Whether the command reaches an unknown in the same stage as an error, and before it: if it reports one error
    /// only, the unknown may be that one.
    fn may_precede(&self, unknown: &Unknown, line: &Candidate<'_>) -> bool {
        let Some((position, at)) = unknown.at else {
            return false;
        };
        let (round, stage) = line.step;
        let is_here = self.command.stage(unknown.stage) == Some(stage) && self.is_own(unknown);
        let own_round = (self.course.round)(unknown.stage, position, at);
        let own_rank = (self.course.rank)(unknown.stage, position, at);
        let (line_rank, line_position, line_at, _) = line.order;
        is_here && (own_round, own_rank, position, at) < (round, line_rank, line_position, line_at)
    }

    fn reports(&self, (_, stage): Step) -> Option<Reports> {
        self.command.stages.get(stage).map(|s| s.reports)
    }

    /// What is reported as a verdict has it, up to [`MOST`].
    fn told(&self, candidates: &[&Candidate<'_>]) -> Vec<EngineError> {
        let mut begun = None;
        let told = candidates.iter().take(MOST).map(|c| {
            let mut error = error(c.finding, c.rejection);
            if let Some(Reports::Lines(beginning)) = self.reports(c.step)
                && begun.replace(c.step) != Some(c.step)
            {
                error.message = format!("{beginning}: {}", error.message);
            }
            error
        });
        told.collect()
    }
}
