//! `lint`: what is wrong.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::mem::ManuallyDrop;

use applyorder_analysis::config::{Configs, RuleLevel};
use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::Rule;
use applyorder_analysis::workspace::{Analysis, Finding};

use super::fix::{self, Fixed};
use crate::args::{Global, LintArgs, LintFormat, To};
use crate::diff::unified;
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::fingerprint::{Fingerprints, Reported};
use crate::formats::{
    Report, checkstyle, concise, github, gitlab, grouped, human, json, json_lines, junit, rdjson, sarif,
};
use crate::output::{Output, is_stdin};
use crate::repository::Repository;
use crate::selectors::Selectors;
use crate::session::Session;
use crate::write::Machine;

/// Runs the command.
///
/// # Errors
/// When it gives no answer at all.
pub fn run(engines: Engines, global: &Global, args: &LintArgs, out: &mut Output) -> Result<Exit, Failure> {
    refuse_outputs(&args.format)?;
    if (args.fix || args.diff) && args.run.paths.iter().any(|path| is_stdin(path)) {
        return Err(Failure::new("--fix and --diff rewrite files, not standard input"));
    }
    let wanted = Wanted {
        engines,
        select: Selectors::parse(engines, "--select", &args.select)?,
        ignore: Selectors::parse(engines, "--ignore", &args.ignore)?,
        min_severity: args.min_severity,
        fail_on: args.fail_on,
        whole: args.whole,
    };
    // The process ends with the answer; to take all of it apart first would cost what reading a tenth of it did.
    let mut session = ManuallyDrop::new(Session::open_for(
        engines,
        global,
        &args.run,
        &|r, c| wanted.looks_at(r, c),
        out,
    )?);
    if args.show_files {
        show_files(&session, args, out)?;
        return Ok(if session.failed { Exit::Failed } else { Exit::Yes });
    }
    let repository = Repository::new(&session.paths.cwd);
    let mut fixed = None;
    if args.fix || args.diff {
        let done = fix::apply(&mut session, args.unsafe_fixes, |session, analysis, look| {
            let (findings, _) = findings(session, analysis, &repository, &wanted);
            findings.iter().for_each(look);
        });
        if args.diff {
            return show_diff(&session, &done, out);
        }
        fix::write(&Machine, &done, &|path| session.paths.show(path))?;
        fixed = Some(done);
    }
    let analysis = session.analysis.clone();
    let (findings, mut hidden) = findings(&session, &analysis, &repository, &wanted);
    for to in &args.format {
        let shown = most_shown(args.max_findings, to).min(findings.len());
        hidden.cut = hidden.cut.max(findings.len() - shown);
        let report = Report {
            session: &session,
            repository: &repository,
            findings: findings.get(..shown).unwrap_or(&findings),
        };
        out.answer(to, |w, color| write(w, report, to.format, color))?;
    }
    out.summary(&summary(&session, &findings, &hidden));
    for line in fix_lines(fixed.as_ref(), &findings) {
        out.summary(&line);
    }
    let fails = findings.iter().any(|r| wanted.fails(&session, &r.finding));
    Ok(match (session.failed, fails && !args.exit_zero) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::No,
        (false, false) => Exit::Yes,
    })
}

/// The findings that are reported, and what is known of the others.
fn findings<'a>(
    session: &Session,
    analysis: &'a Analysis,
    repository: &Repository,
    wanted: &Wanted,
) -> (Vec<Reported<'a>>, Hidden) {
    let mut fingerprints = Fingerprints::new(session, repository);
    let mut hidden = Hidden::default();
    let findings = analysis
        .files_with_findings()
        .into_iter()
        .flat_map(|file| analysis.findings_of(file))
        .map(|finding| fingerprints.add(finding))
        .filter(|reported| wanted.shows(session, &reported.finding, &mut hidden))
        .collect();
    (findings, hidden)
}

/// Prints what fixes would change. The answer is no where they would change something.
fn show_diff(session: &Session, fixed: &Fixed, out: &mut Output) -> Result<Exit, Failure> {
    for (path, texts) in &fixed.files {
        let shown = session.paths.show(path);
        let shown = escape::line(&shown);
        out.print(&unified(&shown, &shown, &texts.before, &texts.after, out.color()))?;
    }
    if fixed.applied == 0 {
        out.summary("nothing to fix");
    } else {
        out.summary(&format!("would fix {}", in_files(fixed)));
    }
    Ok(match (session.failed, fixed.applied) {
        (true, _) => Exit::Failed,
        (false, 0) => Exit::Yes,
        (false, _) => Exit::No,
    })
}

fn in_files(fixed: &Fixed) -> String {
    format!(
        "{} in {}",
        plural(fixed.applied, ["finding", "findings"]),
        plural(fixed.files.len(), ["file", "files"])
    )
}

/// What was fixed, and what more could be.
fn fix_lines(fixed: Option<&Fixed>, findings: &[Reported<'_>]) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(fixed) = fixed.filter(|fixed| fixed.applied > 0) {
        lines.push(format!("fixed {}", in_files(fixed)));
    }
    if fixed.is_some_and(|fixed| fixed.gave_up) {
        lines.push("fixes that bring each other back were stopped; run it again to go on".to_owned());
    }
    let (safe, others) = fix::count(findings);
    if safe > 0 && fixed.is_none() {
        let fixes = plural(safe, ["safe fix", "safe fixes"]);
        lines.push(format!("{fixes}: preview with --diff, apply with --fix"));
    }
    if others > 0 {
        let fixes = plural(others, ["unsafe fix", "unsafe fixes"]);
        lines.push(format!("{fixes}: preview with --diff --unsafe-fixes"));
    }
    lines
}

/// So many findings people are shown.
const MOST_FOR_PEOPLE: usize = 1_000;

/// How many findings go to an output.
fn most_shown(wanted: Option<usize>, to: &To<LintFormat>) -> usize {
    match wanted {
        Some(0) => usize::MAX,
        Some(most) => most,
        None if to.format.is_for_people() && to.file.is_none() => MOST_FOR_PEOPLE,
        None => usize::MAX,
    }
}

fn write(w: &mut dyn Write, report: Report<'_>, format: LintFormat, color: bool) -> io::Result<()> {
    let Report {
        session, findings, ..
    } = report;
    match format {
        LintFormat::Human => human::write(w, session, findings, color),
        LintFormat::Concise => concise::write(w, session, findings),
        LintFormat::Grouped => grouped::write(w, report, color),
        LintFormat::Json => json::write(w, session, findings, json::USUAL),
        LintFormat::JsonLines => json_lines::write(w, report),
        LintFormat::Sarif => sarif::write(w, report),
        LintFormat::Github => github::write(w, report),
        LintFormat::Gitlab => gitlab::write(w, report),
        LintFormat::Junit => junit::write(w, report),
        LintFormat::Checkstyle => checkstyle::write(w, report),
        LintFormat::Rdjson => rdjson::write(w, report),
    }
}

/// Refuses outputs that cannot be: two in one place, or a report that only a file may hold.
fn refuse_outputs(formats: &[To<LintFormat>]) -> Result<(), Failure> {
    let gitlab = |to: &&To<LintFormat>| to.format == LintFormat::Gitlab && to.file.is_none();
    if formats.iter().any(|to| gitlab(&to)) {
        return Err(Failure::new(
            "--format gitlab: GitLab reads the report from a file; write --format gitlab=FILE",
        ));
    }
    for (n, to) in formats.iter().enumerate() {
        let same = |other: &To<LintFormat>| to.file.is_some() && other.file == to.file;
        if let Some(file) = to.file.as_ref().filter(|_| formats.iter().take(n).any(same)) {
            return Err(Failure::new(format!(
                "--format: two reports conflict in {}",
                escape::line(file.as_str())
            )));
        }
    }
    Ok(())
}

/// Which findings are shown, and which make the run fail.
struct Wanted {
    engines: Engines,
    select: Selectors,
    ignore: Selectors,
    min_severity: Option<Severity>,
    fail_on: Option<Severity>,
    whole: bool,
}

/// Findings that are not shown, for the closing line.
#[derive(Default)]
struct Hidden {
    milder: usize,
    elsewhere: usize,
    /// Over the limit of what is shown.
    cut: usize,
}

impl Wanted {
    fn shows(&self, session: &Session, finding: &Finding<'_>, hidden: &mut Hidden) -> bool {
        let d = finding.diagnostic;
        let engine = finding
            .projects
            .first()
            .and_then(|p| Some(session.analysis.project(*p)?.engine().meta().id));
        let selected = self.select.matches(d.rule, d.severity, engine);
        if (!self.select.is_empty() && !selected) || self.ignore.matches(d.rule, d.severity, engine) {
            return false;
        }
        if !session.is_asked_about(finding, true) {
            return false;
        }
        // What was selected by name is wanted whatever its severity, and so is what makes the run fail.
        let least = match self.min_severity {
            Some(least) => least,
            None if selected => Severity::Hint,
            None => Severity::Warning.min(self.fails_from(session, finding)),
        };
        if d.severity < least {
            hidden.milder += 1;
            return false;
        }
        if !session.is_asked_about(finding, self.whole) {
            hidden.elsewhere += 1;
            return false;
        }
        true
    }

    /// Whether findings of a rule are shown, be they anywhere.
    fn looks_at(&self, rule: &Rule, configs: &Configs) -> bool {
        let is_selected = |severity: Severity| {
            let mut ids = self.engines.ids();
            ids.any(|id| self.select.matches(rule, severity, Some(id)))
        };
        configs.all().any(|config| {
            let Some(severity) = config
                .level(rule)
                .map_or(Some(rule.severity), RuleLevel::severity)
            else {
                return false;
            };
            let fails_from = self.fail_on.or(config.fail_on).unwrap_or(Severity::Error);
            let least = self.min_severity.unwrap_or(Severity::Warning.min(fails_from));
            is_selected(severity) || (self.select.is_empty() && severity >= least)
        })
    }

    fn fails(&self, session: &Session, finding: &Finding<'_>) -> bool {
        finding.diagnostic.severity >= self.fails_from(session, finding)
    }

    /// The flag, else the configuration of the file, else `error`.
    fn fails_from(&self, session: &Session, finding: &Finding<'_>) -> Severity {
        let configured = || {
            let path = session.analysis.path(finding.diagnostic.place.file);
            session.configs.of(path).fail_on
        };
        self.fail_on.or_else(configured).unwrap_or(Severity::Error)
    }
}

fn summary(session: &Session, findings: &[Reported<'_>], hidden: &Hidden) -> String {
    let mut by_severity: BTreeMap<std::cmp::Reverse<Severity>, usize> = BTreeMap::new();
    for reported in findings {
        *by_severity
            .entry(std::cmp::Reverse(reported.finding.diagnostic.severity))
            .or_default() += 1;
    }
    let counted: Vec<String> = by_severity
        .iter()
        .map(|(severity, n)| {
            let word = match severity.0 {
                Severity::Error => ["error", "errors"],
                Severity::Warning => ["warning", "warnings"],
                Severity::Info => ["info", "infos"],
                Severity::Hint => ["hint", "hints"],
            };
            plural(*n, word)
        })
        .collect();
    let found = if counted.is_empty() {
        "nothing found".to_owned()
    } else {
        counted.join(", ")
    };
    let mut line = if session.selected.is_empty() {
        let what = if findings.is_empty() {
            String::new()
        } else {
            format!("{found}; ")
        };
        format!("{what}no project found")
    } else {
        format!(
            "{found} in {} ({})",
            plural(session.selected.len(), ["project", "projects"]),
            plural(session.files().len(), ["file", "files"])
        )
    };
    if hidden.cut > 0 {
        line.push_str(&format!(
            "; {} not shown (--max-findings 0 shows all)",
            hidden.cut
        ));
    }
    if hidden.milder > 0 {
        line.push_str(&format!(
            "; {} milder (--min-severity hint shows all)",
            hidden.milder
        ));
    }
    if hidden.elsewhere > 0 {
        line.push_str(&format!(
            "; {} elsewhere in the same projects (--whole shows all)",
            hidden.elsewhere
        ));
    }
    line
}

/// `1 error`, `2 errors`.
#[must_use]
pub fn plural(n: usize, [one, many]: [&str; 2]) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Every file with its project and why it belongs to it.
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
                    .map(|m| (session.paths.show(session.analysis.path(m.file)), m.why.as_str()))
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
