//! `lint`: checks for problems.

mod annotate;
mod filter;
mod seen;
mod statistics;
mod summary;
mod verdicts;
mod watch;

use std::mem::ManuallyDrop;

use applyorder_analysis::config::{Ci, Config, Configs};
use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::{Rule, Status};
use applyorder_analysis::workspace::Analysis;

use self::annotate::{annotate, is_github};
use self::filter::{FindingFilter, Hidden};
use self::seen::Seen;
pub use self::summary::plural;
use self::summary::summary;
use self::verdicts::Summary;
use self::watch::{Look, Since};
use super::since::Before;
use super::{fix, ignore, nothing_found, step_summary};
use crate::args::{Global, LintArgs, LintFormat, To};
use crate::baseline::{Baseline, Baselines};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::fingerprint::{Fingerprints, Reported};
use crate::formats::{self, Report, human, json};
use crate::output::{Output, is_stdin};
use crate::redacted;
use crate::repository::Repository;
use crate::session::Session;
use crate::write::Machine;

/// Runs the command.
///
/// # Errors
/// When no answer can be given.
pub fn run(engines: Engines, global: &Global, args: &LintArgs, out: &mut Output) -> Result<Exit, Failure> {
    formats::refuse_outputs(&args.format)?;
    if (args.fix || args.diff) && args.run.paths.iter().any(|path| is_stdin(path)) {
        return Err(Failure::new("--fix and --diff rewrite files, not standard input"));
    }
    if args.statistics {
        statistics::refuse_formats(&args.format)?;
    }
    if args.watch {
        return watch::run(engines, global, args, out);
    }
    Ok(look(engines, global, args, None, out)?.exit)
}

/// One pass. `since`: an earlier pass; then only the difference to it is shown.
fn look(
    engines: Engines,
    global: &Global,
    args: &LintArgs,
    since: Option<&Since<'_>>,
    out: &mut Output,
) -> Result<Look, Failure> {
    let before = Before::of(args)?;
    let mut filter = FindingFilter::of(engines, args, before.is_some())?;
    let looks_at = |rule: &Rule, configs: &Configs| filter.looks_at(rule, configs);
    let tree = before.as_ref().and_then(|before| before.now.clone());
    let run = match &before {
        Some(before) => &before.run(&args.run)?,
        None => &args.run,
    };
    // The process exits after the answer; dropping everything first would cost a tenth of the time that reading took.
    let mut session = ManuallyDrop::new(match tree {
        Some(tree) => Session::open_tree(engines, global, run, tree, &looks_at, out)?,
        None => Session::open_for(engines, global, run, &looks_at, out)?,
    });
    if args.baseline.is_none() && args.write_baseline.is_none() {
        filter.baselines = Baselines::of(&session.configs, &session.paths)?;
    }
    warn_of_previews(&filter, &session, out);
    if args.show_files {
        show_files(&session, args, out)?;
        return Ok(Look::of(if session.failed() { Exit::Failed } else { Exit::Yes }));
    }
    let repository = Repository::new(&session.paths.cwd);
    if let Some(before) = &before {
        filter.earlier = before.look(engines, global, &args.run, &repository)?;
    }
    let mut fixed = None;
    if args.fix || args.diff {
        let done = fix::apply(&mut session, args.unsafe_fixes, |session, analysis, look| {
            let (findings, _) = findings(session, analysis, &repository, &filter);
            findings.iter().for_each(look);
        });
        if args.diff {
            return Ok(Look::of(fix::show_diff(&session, &done, out)?));
        }
        fix::write(&Machine, &done, &|path| session.paths.show(path))?;
        fixed = Some(done);
    }
    if let Some(reason) = &args.add_ignores {
        add_ignores(&mut session, reason, &repository, &filter, out)?;
    }
    let analysis = session.analysis.clone();
    let (mut findings, mut hidden) = findings(&session, &analysis, &repository, &filter);
    let instead = redacted::replacements(&session, &findings);
    for (reported, told) in findings.iter_mut().zip(&instead) {
        reported.finding.diagnostic = told.as_ref().unwrap_or(reported.finding.diagnostic);
    }
    if let Some(path) = &args.write_baseline {
        Baseline::write(path, &analysis, &repository, &findings)?;
        hidden.in_baseline += findings.len();
        findings.clear();
    }
    let mut seen = Seen::of(&findings, &analysis, &session.paths);
    if let Some(since) = since.filter(|_| session.failed()) {
        seen.keep(since.seen);
    }
    if let Some(line) = since.and_then(|since| since.line(&seen, &session.paths, out.look())) {
        out.print(&format!("{line}\n"))?;
    }
    let asked = Request {
        global,
        args,
        session: &session,
        repository: &repository,
    };
    hidden.cut = asked.report(&findings, since, out)?;
    out.flush()?;
    let fails = findings.iter().any(|r| filter.fails(&session, &r.finding));
    let exit = match (session.failed(), fails && !args.exit_zero) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::No,
        (false, false) => Exit::Yes,
    };
    if since.is_none() {
        asked.summarize(engines, &findings, &hidden, out);
        for line in fix::lines(fixed.as_ref(), &findings) {
            out.summary(&line);
        }
    }
    let mut look = Look::of(exit);
    if args.watch {
        look.seen = seen;
        let mut session = ManuallyDrop::into_inner(session);
        look.watched = session.watched();
    }
    Ok(look)
}

/// Warns about preview rules that are selected by name but not enabled by any configuration.
fn warn_of_previews(filter: &FindingFilter, session: &Session, out: &mut Output) {
    for rule in filter.select.named() {
        let mut configs = session.configs.all();
        let is_set = |c: &Config| {
            let mut ids = filter.engines.ids();
            ids.any(|id| c.levels(rule, id).any(|level| level.is_some()))
        };
        let is_on = configs.any(|c| c.preview || is_set(c));
        if rule.status == Status::Preview && !is_on {
            out.warning(&format!(
                "`{}` is in preview: use --preview to report it",
                rule.id
            ));
        }
    }
}

/// Writes an ignore comment for each reported finding, and prints how many were added and why others were not.
fn add_ignores(
    session: &mut Session,
    reason: &str,
    repository: &Repository,
    filter: &FindingFilter,
    out: &mut Output,
) -> Result<(), Failure> {
    let reason = match reason.split_whitespace().collect::<Vec<_>>().join(" ") {
        empty if empty.is_empty() => empty,
        reason => format!(" {}", escape::line(&reason)),
    };
    let added = ignore::add(session, &reason, |session, analysis| {
        findings(session, analysis, repository, filter).0
    });
    let done = added.fixed;
    fix::write(&Machine, &done, &|path| session.paths.show(path))?;
    out.summary(&format!(
        "added {} in {}",
        plural(done.applied, ["comment", "comments"]),
        plural(done.files.len(), ["file", "files"])
    ));
    for (why, count) in added.left {
        out.warning(&format!(
            "{} cannot be ignored by a comment: {}",
            plural(count, ["finding", "findings"]),
            why.because()
        ));
    }
    Ok(())
}

/// The request and its context.
struct Request<'a> {
    global: &'a Global,
    args: &'a LintArgs,
    session: &'a Session,
    repository: &'a Repository,
}

impl Request<'_> {
    /// Writes the findings in each format; standard output gets only those that are not in `since`. Returns the largest
    /// number of findings that `--max-findings` omits from a format.
    fn report(
        &self,
        findings: &[Reported<'_>],
        since: Option<&Since<'_>>,
        out: &mut Output,
    ) -> Result<usize, Failure> {
        let is_new = |reported: &&Reported<'_>| since.is_some_and(|since| !since.seen.has(reported));
        let news: Vec<Reported<'_>> = findings.iter().filter(is_new).cloned().collect();
        let session = self.session;
        let links = out.links(&session.configs.of(&session.paths.cwd).hyperlinks);
        let mut cut = 0;
        for to in &self.args.format {
            // Findings that were already printed are not shown again; a file contains all of them.
            let findings = if since.is_some() && to.file.is_none() {
                &news
            } else {
                findings
            };
            let mut sorted;
            let findings = if to.format == LintFormat::Human {
                sorted = findings.to_vec();
                human::sort(&mut sorted);
                &sorted
            } else {
                findings
            };
            let most = formats::most_shown(self.args.max_findings, to);
            let some;
            let shown = if most < findings.len() {
                some = some_of(findings, most);
                &some
            } else {
                findings
            };
            cut = cut.max(findings.len() - shown.len());
            let report = Report {
                session,
                repository: self.repository,
                findings: shown,
                links: links.as_ref(),
                verbose: self.global.verbose,
            };
            out.answer_looking(to, |w, look| match self.args.statistics {
                true => statistics::write(w, findings, to.format, look.color),
                false => formats::write(w, report, to.format, look),
            })?;
        }
        Ok(cut)
    }

    /// Writes the summary: annotations if GitHub runs this, and lines on standard error.
    fn summarize(&self, engines: Engines, findings: &[Reported<'_>], hidden: &Hidden, out: &mut Output) {
        let Self { args, session, .. } = *self;
        if !args.is_format_given && is_github() && session.configs.of(&session.paths.cwd).ci == Ci::Auto {
            annotate(session, self.repository, findings, out);
            step_summary::write(session, self.repository, findings, out);
        }
        let least = args.min_severity.unwrap_or(Severity::Warning);
        if session.selected.is_empty() && findings.is_empty() {
            nothing_found::say(engines, session, &args.run, out);
        } else if is_for_people(args) {
            let summary = Summary {
                session,
                findings,
                hidden,
                least,
                verbose: self.global.verbose,
                look: out.note_look(),
            };
            for line in summary.lines() {
                out.summary(&line);
            }
        } else {
            out.summary(&summary(session, findings, hidden, least));
        }
    }
}

/// Whether standard output has the detailed human-readable report, which also describes the engines' reactions.
fn is_for_people(args: &LintArgs) -> bool {
    let human = |to: &To<LintFormat>| to.file.is_none() && to.format == LintFormat::Human;
    args.format.iter().any(human) && !args.statistics && !args.watch
}

/// The findings that are reported, and the counts of the others.
fn findings<'a>(
    session: &Session,
    analysis: &'a Analysis,
    repository: &Repository,
    filter: &FindingFilter,
) -> (Vec<Reported<'a>>, Hidden) {
    let mut fingerprints = Fingerprints::new(session, repository);
    let mut hidden = Hidden::default();
    let findings = analysis
        .findings()
        .into_iter()
        .map(|finding| fingerprints.add(finding))
        .filter(|reported| filter.shows(session, reported, &mut hidden))
        .collect();
    (findings, hidden)
}

/// Some of the findings, if not all are shown.
fn some_of<'a>(findings: &[Reported<'a>], most: usize) -> Vec<Reported<'a>> {
    let files: Vec<_> = findings.iter().map(|r| r.finding.diagnostic.place.file).collect();
    let is_shown = formats::share::of_each(&files, most);
    let shown = findings.iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
    shown.map(|(reported, _)| reported.clone()).collect()
}

/// Lists every file with its project and why it belongs to it.
fn show_files(session: &Session, args: &LintArgs, out: &mut Output) -> Result<(), Failure> {
    for to in &args.format {
        if to.format == LintFormat::Json {
            out.answer(to, |w, _| json::write(w, session, &[], json::USUAL))?;
            continue;
        }
        out.answer(to, |w, _| {
            for (ix, project) in session.projects() {
                let key = session.key(ix);
                let mut rows: Vec<(String, &str)> = project
                    .resolution
                    .members
                    .iter()
                    .map(|m| (session.paths.show(session.analysis.path(m.file)), &*m.why))
                    .collect();
                rows.sort();
                writeln!(
                    w,
                    "{} ({})",
                    escape::line_start(&key),
                    escape::line(&project.seed.why)
                )?;
                for (path, why) in rows {
                    writeln!(w, "  {}: {}", escape::line_start(&path), escape::line(why))?;
                }
            }
            Ok(())
        })?;
    }
    if session.selected.is_empty() {
        out.summary("no project found");
    }
    Ok(())
}
