//! `lint`: what is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;

use applyorder_analysis::config::{Ci, Config, Configs, RuleLevel};
use applyorder_analysis::diagnostic::Severity;
use applyorder_analysis::engine::Engines;
use applyorder_analysis::rules::{Rule, Status};
use applyorder_analysis::workspace::{Analysis, Finding};

use super::since::{Before, Earlier};
use super::{fix, ignore};
use crate::args::{Global, LintArgs, LintFormat};
use crate::baseline::{Baseline, Baselines};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::fingerprint::{Fingerprints, Reported};
use crate::formats::{self, Report, github, json};
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
    formats::refuse_outputs(&args.format)?;
    if (args.fix || args.diff) && args.run.paths.iter().any(|path| is_stdin(path)) {
        return Err(Failure::new("--fix and --diff rewrite files, not standard input"));
    }
    let before = Before::of(args)?;
    let mut filter = FindingFilter {
        engines,
        select: Selectors::parse(engines, "--select", &args.select)?,
        ignore: Selectors::parse(engines, "--ignore", &args.ignore)?,
        min_severity: args.min_severity,
        fail_on: args.fail_on,
        // What is new in another file is so because of what changed in the files given.
        whole: args.whole || before.is_some(),
        baselines: match &args.baseline {
            Some(path) => Baselines::Given(Baseline::read(path)?),
            None => Baselines::None,
        },
        earlier: Earlier::default(),
    };
    // The process ends with the answer; to take all of it apart first would cost what reading a tenth of it did.
    let looks_at = |rule: &Rule, configs: &Configs| filter.looks_at(rule, configs);
    let tree = before.as_ref().and_then(|before| before.now.clone());
    let run = match &before {
        Some(before) => &before.run(&args.run)?,
        None => &args.run,
    };
    let mut session = ManuallyDrop::new(match tree {
        Some(tree) => Session::open_tree(engines, global, run, tree, &looks_at, out)?,
        None => Session::open_for(engines, global, run, &looks_at, out)?,
    });
    if args.baseline.is_none() && args.write_baseline.is_none() {
        filter.baselines = Baselines::of(&session.configs, &session.paths)?;
    }
    for rule in filter.select.named() {
        let mut configs = session.configs.all();
        let is_set = |c: &Config| {
            engines
                .ids()
                .any(|id| c.levels(rule, id).any(|level| level.is_some()))
        };
        let is_on = configs.any(|c| c.preview || is_set(c));
        if rule.status == Status::Preview && !is_on {
            out.warning(&format!(
                "`{}` is in preview: use --preview to report it",
                rule.id
            ));
        }
    }
    if args.show_files {
        show_files(&session, args, out)?;
        return Ok(if session.failed { Exit::Failed } else { Exit::Yes });
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
            return fix::show_diff(&session, &done, out);
        }
        fix::write(&Machine, &done, &|path| session.paths.show(path))?;
        fixed = Some(done);
    }
    if let Some(reason) = &args.add_ignores {
        let reason = match reason.split_whitespace().collect::<Vec<_>>().join(" ") {
            empty if empty.is_empty() => empty,
            reason => format!(" {}", escape::line(&reason)),
        };
        let done = ignore::add(&mut session, &reason, |session, analysis| {
            findings(session, analysis, &repository, &filter).0
        });
        fix::write(&Machine, &done, &|path| session.paths.show(path))?;
        out.summary(&format!(
            "added {} in {}",
            plural(done.applied, ["comment", "comments"]),
            plural(done.files.len(), ["file", "files"])
        ));
    }
    let analysis = session.analysis.clone();
    let (mut findings, mut hidden) = findings(&session, &analysis, &repository, &filter);
    if let Some(path) = &args.write_baseline {
        Baseline::write(path, &analysis, &repository, &findings)?;
        hidden.in_baseline += findings.len();
        findings.clear();
    }
    for to in &args.format {
        let shown = formats::most_shown(args.max_findings, to).min(findings.len());
        hidden.cut = hidden.cut.max(findings.len() - shown);
        let report = Report {
            session: &session,
            repository: &repository,
            findings: findings.get(..shown).unwrap_or(&findings),
        };
        out.answer(to, |w, color| formats::write(w, report, to.format, color))?;
    }
    if !args.is_format_given && is_github() && session.configs.of(&session.paths.cwd).ci == Ci::Auto {
        annotate(&session, &repository, &findings, out);
    }
    let least = args.min_severity.unwrap_or(Severity::Warning);
    out.summary(&summary(&session, &findings, &hidden, least));
    for line in fix::lines(fixed.as_ref(), &findings) {
        out.summary(&line);
    }
    let fails = findings.iter().any(|r| filter.fails(&session, &r.finding));
    Ok(match (session.failed, fails && !args.exit_zero) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::No,
        (false, false) => Exit::Yes,
    })
}

/// Whether this is a step of GitHub Actions.
fn is_github() -> bool {
    std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true")
}

/// Annotations beside the report for people.
fn annotate(session: &Session, repository: &Repository, findings: &[Reported<'_>], out: &mut Output) {
    let report = Report {
        session,
        repository,
        findings,
    };
    let (annotations, without) = github::of_a_step(report);
    annotations.iter().for_each(|line| out.annotate(line));
    if without > 0 {
        let what = plural(without, ["finding has", "findings have"]);
        let most = github::MOST_OF_A_STEP;
        out.annotate(&format!(
            "{what} no annotation: GitHub shows {most} of each severity in a step"
        ));
    }
}

/// The findings that are reported, and what is known of the others.
fn findings<'a>(
    session: &Session,
    analysis: &'a Analysis,
    repository: &Repository,
    filter: &FindingFilter,
) -> (Vec<Reported<'a>>, Hidden) {
    let mut fingerprints = Fingerprints::new(session, repository);
    let mut hidden = Hidden::default();
    let findings = analysis
        .files_with_findings()
        .into_iter()
        .flat_map(|file| analysis.findings_of(file))
        .map(|finding| fingerprints.add(finding))
        .filter(|reported| filter.shows(session, reported, &mut hidden))
        .collect();
    (findings, hidden)
}

/// Which findings are shown, and which make the run fail.
struct FindingFilter {
    engines: Engines,
    select: Selectors,
    ignore: Selectors,
    min_severity: Option<Severity>,
    fail_on: Option<Severity>,
    whole: bool,
    baselines: Baselines,
    /// What was found in an earlier revision.
    earlier: Earlier,
}

/// Findings that are not shown, for the closing line.
#[derive(Default)]
struct Hidden {
    below_severity: usize,
    elsewhere: usize,
    in_baseline: usize,
    before: usize,
    /// Over the limit of what is shown.
    cut: usize,
}

impl FindingFilter {
    fn shows(&self, session: &Session, reported: &Reported<'_>, hidden: &mut Hidden) -> bool {
        let finding = &reported.finding;
        let d = finding.diagnostic;
        let engine = finding
            .projects
            .first()
            .and_then(|p| Some(session.analysis.project(*p)?.engine().meta().id));
        let selected = self.select.matches(d.rule, d.severity, engine);
        if (!self.select.is_empty() && !selected) || self.ignore.matches(d.rule, d.severity, engine) {
            return false;
        }
        let meant =
            |keys: &BTreeSet<String>| finding.projects.iter().any(|p| keys.contains(&session.key(*p)));
        if !session.is_asked_about(finding, true) || !self.earlier.projects.as_ref().is_none_or(meant) {
            return false;
        }
        // What was selected by name is wanted whatever its severity, and so is what makes the run fail.
        let least = match self.min_severity {
            Some(least) => least,
            None if selected => Severity::Hint,
            None => Severity::Warning.min(self.fails_from(session, finding)),
        };
        if d.severity < least {
            hidden.below_severity += 1;
            return false;
        }
        if !session.is_asked_about(finding, self.whole) {
            hidden.elsewhere += 1;
            return false;
        }
        if reported
            .fingerprints
            .iter()
            .any(|print| self.earlier.fingerprints.contains(print))
        {
            hidden.before += 1;
            return false;
        }
        if self.baselines.have(session, reported) {
            hidden.in_baseline += 1;
            return false;
        }
        true
    }

    /// Whether findings of a rule are shown, be they anywhere.
    fn looks_at(&self, rule: &Rule, configs: &Configs) -> bool {
        let looks = |config: &Config, engine: &str, level: Option<RuleLevel>| {
            let Some(severity) = level.map_or(Some(rule.severity), RuleLevel::severity) else {
                return false;
            };
            let fails_from = self.fail_on.or(config.fail_on).unwrap_or(Severity::Error);
            let least = self.min_severity.unwrap_or(Severity::Warning.min(fails_from));
            let is_selected = self.select.matches(rule, severity, Some(engine));
            is_selected || (self.select.is_empty() && severity >= least)
        };
        configs.all().any(|config| {
            let mut ids = self.engines.ids();
            ids.any(|id| config.levels(rule, id).any(|level| looks(config, id, level)))
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

fn summary(session: &Session, findings: &[Reported<'_>], hidden: &Hidden, least: Severity) -> String {
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
        "no problems".to_owned()
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
        line.push_str(&format!("; {} not shown (use --max-findings 0)", hidden.cut));
    }
    if hidden.below_severity > 0 {
        line.push_str(&format!(
            "; {} below {} (use --min-severity hint)",
            hidden.below_severity,
            least.as_str()
        ));
    }
    if hidden.before > 0 {
        line.push_str(&format!("; {} not new", hidden.before));
    }
    if hidden.in_baseline > 0 {
        line.push_str(&format!("; {} in the baseline", hidden.in_baseline));
    }
    if hidden.elsewhere > 0 {
        line.push_str(&format!("; {} in other files (use --whole)", hidden.elsewhere));
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
