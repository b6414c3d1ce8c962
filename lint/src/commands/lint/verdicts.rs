//! What each command of the engines does, once per project.

use std::collections::{HashMap, HashSet};

use applyorder_analysis::diagnostic::{Reaction, Severity};
use applyorder_analysis::engine::Verdict;
use applyorder_analysis::workspace::{Project, ProjectIx};

use super::filter::Hidden;
use super::summary::{counted, hidden_parts, plural};
use crate::escape;
use crate::fingerprint::Reported;
use crate::look::{Look, Style};
use crate::session::Session;
use crate::table::width;
use crate::units;

/// How many projects get separate lines.
const MOST_PROJECTS: usize = 10;
/// Longer messages of an engine are cut.
const MOST_WORDS: usize = 160;

/// The summary of the findings, for humans.
pub(super) struct Summary<'a> {
    pub(super) session: &'a Session,
    pub(super) findings: &'a [Reported<'a>],
    pub(super) hidden: &'a Hidden,
    /// The lowest severity that is shown.
    pub(super) least: Severity,
    /// Whether every project gets separate lines.
    pub(super) verbose: bool,
    pub(super) look: Look,
}

impl Summary<'_> {
    /// The lines.
    pub(super) fn lines(&self) -> Vec<String> {
        let selected: Vec<(ProjectIx, &Project)> =
            self.session.projects().map(|(ix, p)| (ix, &**p)).collect();
        let mut of: HashMap<ProjectIx, Vec<&Reported<'_>>> = HashMap::new();
        for reported in self.findings {
            for ix in &reported.finding.projects {
                of.entry(*ix).or_default().push(reported);
            }
        }
        let mut lines = Vec::new();
        let mut told = 0usize;
        let mut omitted = 0usize;
        for (ix, project) in &selected {
            let findings = of.remove(ix).unwrap_or_default();
            if selected.len() > 1 && findings.is_empty() {
                continue;
            }
            if told >= MOST_PROJECTS && !self.verbose {
                omitted += 1;
                continue;
            }
            told += 1;
            lines.extend(self.project(project, &findings, selected.len() == 1));
        }
        if omitted > 0 {
            let more = plural(omitted, ["more project", "more projects"]);
            lines.push(format!("{} {more} (--verbose)", self.look.glyph("…")));
        }
        if selected.len() != 1 {
            lines.push(self.all(selected.len()));
        }
        lines
    }

    fn mark(&self, worst: Option<Severity>) -> String {
        let (glyph, style) = match worst {
            Some(Severity::Error) => ("✗", Style::Bad),
            Some(Severity::Warning) => ("!", Style::Doubtful),
            Some(_) => ("·", Style::Dim),
            None => ("✓", Style::Good),
        };
        self.look.paint(style, self.look.glyph(glyph))
    }

    /// `10 errors, 8 warnings in 3 of 6 projects (40 files)`
    fn all(&self, selected: usize) -> String {
        let worst = self.findings.iter().map(|r| r.finding.diagnostic.severity).max();
        let severities = self.findings.iter().map(|r| r.finding.diagnostic.severity);
        let mut with: Vec<ProjectIx> = self
            .findings
            .iter()
            .flat_map(|r| r.finding.projects.iter().copied())
            .collect();
        with.sort_unstable();
        with.dedup();
        let files = plural(self.session.files().len(), ["file", "files"]);
        let mut parts = vec![if selected == 0 {
            format!("{}; no project found", counted(severities))
        } else {
            let of = if with.is_empty() || with.len() == selected {
                String::new()
            } else {
                format!("{} of ", with.len())
            };
            let projects = plural(selected, ["project", "projects"]);
            format!("{} in {of}{projects} ({files})", counted(severities))
        }];
        parts.extend(hidden_parts(self.hidden, self.least));
        let dot = format!(" {} ", self.look.glyph("·"));
        format!("{} {}", self.mark(worst), parts.join(&dot))
    }

    fn project(&self, project: &Project, findings: &[&Reported<'_>], is_alone: bool) -> Vec<String> {
        let severities = || findings.iter().map(|r| r.finding.diagnostic.severity);
        let root = self.session.paths.show(&project.seed.root);
        let dot = format!(" {} ", self.look.glyph("·"));
        let found = if findings.is_empty() {
            format!("{}, no problems", extent(project))
        } else {
            counted(severities())
        };
        let mut parts = vec![found];
        if is_alone {
            parts.extend(hidden_parts(self.hidden, self.least));
        }
        let mut lines = vec![format!(
            "{} {}: {}",
            self.mark(severities().max()),
            self.look.paint(Style::Bold, &escape::line_start(&root)),
            parts.join(&dot)
        )];
        let is_well = findings.is_empty() && project.resolution.verdicts.iter().all(|v| v.ok == Some(true));
        if !is_well {
            lines.extend(self.commands(project, findings));
        }
        lines
    }

    /// A line for each command: what it does, and in which environments if they differ.
    fn commands(&self, project: &Project, findings: &[&Reported<'_>]) -> Vec<String> {
        let meta = project.engine().meta();
        // Whether something goes wrong that no command rejects.
        let is_silent = findings.iter().any(|r| {
            let d = r.finding.diagnostic;
            d.severity == Severity::Error && d.enforced.is_empty() && d.reaction == Reaction::Silent
        });
        let mut rows: Vec<(String, String, Vec<&str>)> = Vec::new();
        let redacted = self.session.redacted_rules(project);
        for verdict in &project.resolution.verdicts {
            let (line, voice) = (
                meta.command_line(verdict.command),
                self.voice(verdict, is_silent, &redacted),
            );
            let environment = verdict.environment.as_deref().unwrap_or("");
            match rows.iter_mut().find(|(l, v, _)| *l == line && *v == voice) {
                Some((_, _, environments)) => environments.push(environment),
                None => rows.push((line, voice, vec![environment])),
            }
        }
        let wide = rows.iter().map(|(line, ..)| width(line)).max().unwrap_or(0);
        let differs = |line: &str| rows.iter().filter(|(l, ..)| l == line).count() > 1;
        let row = |(line, voice, environments): &(String, String, Vec<&str>)| {
            let names: Vec<String> = environments.iter().map(|e| units::environment(e)).collect();
            let only = if differs(line) {
                format!(" (in {})", names.join(", "))
            } else {
                String::new()
            };
            format!("    {line:wide$}  {voice}{only}")
        };
        rows.iter().map(row).collect()
    }

    fn voice(&self, verdict: &Verdict, is_silent: bool, redacted: &HashSet<&str>) -> String {
        let words = |text: &str| {
            let lines: Vec<&str> = text
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty())
                .collect();
            let line = escape::line(&lines.join(" ")).into_owned();
            if line.chars().count() <= MOST_WORDS {
                return line;
            }
            let head: String = line.chars().take(MOST_WORDS - 1).collect();
            format!("{head}{}", self.look.glyph("…"))
        };
        match verdict.ok {
            Some(false) => {
                let told = verdict.errors.iter().find(|e| !e.message.is_empty());
                let told = told.filter(|e| !redacted.contains(e.rule));
                let why = match (told, verdict.stage) {
                    (Some(error), _) => format!(": {}", words(&error.message)),
                    (None, Some(stage)) => format!(" (stage {stage})"),
                    (None, None) => String::new(),
                };
                let more = (verdict.errors.len() + verdict.more_errors).saturating_sub(1);
                let more = if more > 0 && told.is_some() {
                    format!(", and {more} more")
                } else {
                    String::new()
                };
                format!("{}{why}{more}", self.look.paint(Style::Bad, "stops"))
            }
            Some(true) => match verdict.warnings.len() + verdict.more_warnings {
                0 if is_silent => "goes on silently".to_owned(),
                0 => "goes on".to_owned(),
                n => format!("goes on, with {}", plural(n, ["warning", "warnings"])),
            },
            None => {
                let because = verdict.because.as_deref().map(|b| format!(": {}", words(b)));
                let unknown = self.look.paint(Style::Doubtful, "can't be known");
                format!("{unknown}{}", because.unwrap_or_default())
            }
        }
    }
}

/// `10 manifests in 6 layers`
fn extent(project: &Project) -> String {
    let meta = project.engine().meta();
    let variants = project.resolution.variants.iter();
    let Some(variant) = variants.max_by_key(|v| v.units.len()) else {
        return plural(0, [meta.unit, meta.units]);
    };
    let units = plural(variant.units.len(), [meta.unit, meta.units]);
    match &variant.apply.layers {
        Some(layers) => format!("{units} in {}", plural(layers.len(), ["layer", "layers"])),
        None => units,
    }
}
