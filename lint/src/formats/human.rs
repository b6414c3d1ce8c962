//! Human-readable findings: the problem at one place, with the fix next to it; a cycle as a ring. The reaction of each
//! engine is shown once per project, below the report; with `--verbose`, at each finding.

use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::config::LinkTemplate;
use applyorder_analysis::diagnostic::{Certainty, Diagnostic, Enforced, Reaction, Related, Safety, Severity};
use applyorder_analysis::rules::{cycle, syntax_error};
use applyorder_analysis::workspace::{Finding, Project, by_stage};
use camino::Utf8Path;
use codespan_reporting::diagnostic::{self as codespan, Label, LabelStyle};
use codespan_reporting::term::termcolor::{Ansi, ColorSpec, NoColor};
use codespan_reporting::term::{self, Chars, Styles, StylesWriter};

use super::links::linked;
use super::ring;
use super::snippets::{self, Snippets, Views};
use crate::escape;
use crate::fingerprint::Reported;
use crate::look::{Look, Style};
use crate::repository::url_path;
use crate::session::Session;
use crate::units;

/// How many related places are shown; the rest is counted.
const MOST_RELATED: usize = 24;

/// How to display findings.
#[derive(Clone, Copy)]
pub struct HumanOptions<'a> {
    /// What the output can show.
    pub look: Look,
    /// Where places link to; if set, rules are links as well. Only if there is color.
    pub links: Option<&'a LinkTemplate>,
    /// Whether all known details are shown.
    pub verbose: bool,
}

/// Sorts findings in reading order: unreadable files, then cycles, then by place.
pub fn sort(findings: &mut [Reported<'_>]) {
    findings.sort_by_key(|reported| match reported.finding.diagnostic.rule {
        rule if rule == &syntax_error::RULE => 0,
        rule if rule == &cycle::RULE => 1,
        _ => 2,
    });
}

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    session: &Session,
    findings: &[Reported<'_>],
    options: HumanOptions<'_>,
) -> io::Result<()> {
    let styles = styles();
    let config = term::Config {
        chars: if options.look.ascii {
            Chars::ascii()
        } else {
            Chars::box_drawing()
        },
        ..term::Config::default()
    };
    let mut snippets = Snippets::new(session);
    let mut buffer: Vec<u8> = Vec::new();
    for Reported { finding, .. } in findings {
        let mut views = Views::default();
        let shown = diagnostic(session, &mut snippets, &mut views, finding, options);
        buffer.clear();
        let result = if options.look.color {
            let mut writer = StylesWriter::new(Ansi::new(&mut buffer), &styles);
            term::emit_to_write_style(&mut writer, &config, &views, &shown)
        } else {
            let mut writer = StylesWriter::new(NoColor::new(&mut buffer), &styles);
            term::emit_to_write_style(&mut writer, &config, &views, &shown)
        };
        result.map_err(|e| io::Error::other(e.to_string()))?;
        let mut report = with_our_word(&buffer, finding.diagnostic.severity);
        if let Some(links) = options.links.filter(|_| options.look.color) {
            let paths = paths(session, finding.diagnostic);
            report = linked(&report, finding.diagnostic.rule.id, |name, line, column| {
                Some(links.of(paths.get(name)?, line, column))
            });
        }
        out.write_all(report.trim_end_matches('\n').as_bytes())?;
        writeln!(out)?;
        below(out, session, finding, &report, options)?;
        writeln!(out)?;
    }
    Ok(())
}

/// The default styles, without the colors that are invisible in some themes.
fn styles() -> Styles {
    let mut dim = ColorSpec::new();
    dim.set_dimmed(true);
    Styles {
        secondary_label: dim.clone(),
        line_number: dim.clone(),
        source_border: dim.clone(),
        note_bullet: dim,
        ..Styles::default()
    }
}

/// Writes what follows the snippet: the ring of a cycle, and further details.
fn below(
    out: &mut dyn Write,
    session: &Session,
    finding: &Finding<'_>,
    report: &str,
    options: HumanOptions<'_>,
) -> io::Result<()> {
    let look = options.look;
    let rows = if ring::is_ring(finding.diagnostic) {
        ring::rows(session, finding.diagnostic, options)
    } else {
        Vec::new()
    };
    let notes = if options.verbose {
        notes(session, finding)
    } else {
        Vec::from_iter(in_one_line(session, finding))
    };
    if rows.is_empty() && notes.is_empty() {
        return Ok(());
    }
    let margin = " ".repeat(border(report));
    let side = look.paint(Style::Dim, look.glyph("│"));
    writeln!(out, "{margin}{side}")?;
    for row in &rows {
        writeln!(out, "{margin}{side}   {row}")?;
    }
    if !rows.is_empty() && !notes.is_empty() {
        writeln!(out, "{margin}{side}")?;
    }
    let bullet = look.paint(Style::Dim, "=");
    for note in notes {
        let mut lines = note.lines();
        writeln!(out, "{margin}{bullet} {}", lines.next().unwrap_or(""))?;
        for line in lines {
            writeln!(out, "{margin}    {line}")?;
        }
    }
    Ok(())
}

/// The column of the border of a snippet.
fn border(report: &str) -> usize {
    let second = report.lines().nth(1).unwrap_or("");
    let mut column = 0;
    let mut in_style = false;
    for c in second.chars() {
        match (c, in_style) {
            ('\x1b', _) => in_style = true,
            ('m', true) => in_style = false,
            (_, true) => {}
            (' ', false) => column += 1,
            // `-->` starts one column before the border.
            ('-', false) => return column + 1,
            _ => return column,
        }
    }
    column
}

/// The URL paths of the files of a finding, by the names that snippets use for them.
fn paths(session: &Session, d: &Diagnostic) -> BTreeMap<String, String> {
    let places = std::iter::once(d.place).chain(d.related.iter().map(|r| r.place));
    let paths = places.map(|place| session.analysis.path(place.file));
    let url = |path: &Utf8Path| (snippets::name(session, path), url_path(path));
    paths.map(url).collect()
}

/// The reporting library calls an info a note and a hint a help; this replaces its first word with ours.
fn with_our_word(report: &[u8], severity: Severity) -> String {
    let report = String::from_utf8_lossy(report);
    match severity {
        Severity::Info => report.replacen("note[", "info[", 1),
        Severity::Hint => report.replacen("help[", "hint[", 1),
        Severity::Warning | Severity::Error => report.into_owned(),
    }
}

fn diagnostic<'a>(
    session: &Session,
    snippets: &mut Snippets<'a>,
    views: &mut Views<'a>,
    finding: &Finding<'_>,
    options: HumanOptions<'_>,
) -> codespan::Diagnostic<usize> {
    let d = finding.diagnostic;
    let severity = match d.severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
        Severity::Info => codespan::Severity::Note,
        Severity::Hint => codespan::Severity::Help,
    };
    // If the first related place is identical, its text is used for both.
    let at = |place| session.analysis.span(place);
    let is_own = |r: &&Related| r.place.file == d.place.file && at(r.place) == at(d.place);
    let same = d.related.first().filter(is_own).filter(|_| d.label.is_none());
    let cut = ring::cut(d);
    let fix_title = d.fixes.first().map(|fix| fix.title.as_str());
    let text = cut
        .as_deref()
        .or(d.label.as_deref())
        .or(same.map(|r| r.message.as_str()))
        .or(fix_title)
        .unwrap_or("");
    let own = (LabelStyle::Primary, d.place, text);
    // The ring has a row for each related place.
    let most = if ring::is_ring(d) && !options.verbose {
        0
    } else {
        MOST_RELATED
    };
    let related = d.related.iter().skip(usize::from(same.is_some())).take(most);
    let labels = std::iter::once(own)
        .chain(related.map(|r| (LabelStyle::Secondary, r.place, r.message.as_str())))
        .map(|(style, place, message)| {
            let (view, range) = snippets.view(place, views);
            Label::new(style, view, range).with_message(escape::line(message))
        })
        .collect();
    codespan::Diagnostic::new(severity)
        .with_code(d.rule.id)
        .with_message(escape::line(&d.message))
        .with_labels(labels)
}

/// What neither the headline nor the label says.
fn in_one_line(session: &Session, finding: &Finding<'_>) -> Option<String> {
    let d = finding.diagnostic;
    let mut parts: Vec<String> = Vec::new();
    match ring::stuck(session, finding) {
        Some(stuck) => parts.push(stuck),
        None => parts.extend(d.notes.first().map(|n| escape::line(n).into_owned())),
    }
    let project = finding.projects.first();
    if let Some(project) = project.and_then(|p| session.analysis.project(*p))
        && session.analysis.enforced(finding).is_empty()
        && let Some(silence) = engine_reaction(project, d, &[])
    {
        parts.push(silence);
    }
    parts.extend(holds(session, finding));
    let more = d.related.len().saturating_sub(MOST_RELATED);
    if more > 0 && !ring::is_ring(d) {
        parts.push(format!("{more} more places are not shown"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// How certain a finding is, and where it applies.
fn holds(session: &Session, finding: &Finding<'_>) -> Vec<String> {
    let d = finding.diagnostic;
    let mut parts = Vec::new();
    if d.certainty == Certainty::Heuristic {
        parts.push("this depends on a value that is likely, not certain".to_owned());
    }
    if !d.environments.is_empty() {
        let names: Vec<String> = d.environments.iter().map(|e| units::environment(e)).collect();
        parts.push(format!("in environments {}", names.join(", ")));
    }
    if finding.projects.len() > 1 {
        let names: Vec<String> = finding.projects.iter().map(|p| session.key(*p)).collect();
        parts.push(format!("in {} projects: {}", names.len(), names.join(", ")));
    }
    parts
}

/// All further details.
fn notes(session: &Session, finding: &Finding<'_>) -> Vec<String> {
    let d = finding.diagnostic;
    let mut notes: Vec<String> = Vec::new();
    notes.extend(ring::stuck(session, finding));
    if let Some(more) = d.related.len().checked_sub(MOST_RELATED).filter(|n| *n > 0) {
        notes.push(format!("note: {more} more places are not shown"));
    }
    notes.extend(d.notes.iter().map(|n| format!("note: {}", escape::line(n))));
    let project = finding
        .projects
        .first()
        .and_then(|p| session.analysis.project(*p));
    let enforced = session.analysis.enforced(finding);
    let says = project.and_then(|project| engine_reaction(project, d, &enforced));
    notes.extend(says.map(|says| format!("note: {says}")));
    notes.extend(holds(session, finding).into_iter().map(|n| format!("note: {n}")));
    for fix in &d.fixes {
        let safe = match fix.safety {
            Safety::Safe => " (safe)",
            Safety::Unsafe => "",
        };
        notes.push(format!("help: {}{safe}", escape::line(&fix.title)));
    }
    notes
}

/// The engine's reaction: which commands reject it and with which message; or that it warns, or does not report it.
fn engine_reaction(project: &Project, d: &Diagnostic, enforced: &[Enforced]) -> Option<String> {
    let meta = project.engine().meta();
    if enforced.is_empty() {
        let mut verdicts = project.resolution.verdicts.iter();
        let warns = verdicts.any(|v| v.warnings.iter().any(|w| w.rule == d.rule.id));
        return match d.reaction {
            Reaction::FailsLater | Reaction::Open => None,
            Reaction::Silent if !warns && d.severity < Severity::Warning => None,
            Reaction::Silent if !warns => Some(format!("{} does not report this", meta.title)),
            Reaction::Silent | Reaction::Warns => Some(format!("{} only warns about this", meta.title)),
        };
    }
    let rejections: Vec<String> = by_stage(enforced)
        .into_iter()
        .map(|(stage, commands)| {
            let lines = commands.iter().map(|c| format!("`{}`", meta.command_line(c)));
            let commands: Vec<String> = lines.collect();
            let verb = if commands.len() == 1 { "rejects" } else { "reject" };
            format!("{} {verb} this (stage `{stage}`)", listed(&commands))
        })
        .collect();
    let mut line = rejections.join("; ");
    if let Some(text) = &d.engine_message {
        match text.lines().collect::<Vec<_>>().as_slice() {
            [] => {}
            [one] => line.push_str(&format!(": {}", escape::line(one))),
            more => {
                line.push(':');
                for one in more {
                    line.push_str(&format!("\n| {}", escape::line(one)));
                }
            }
        }
    }
    Some(line)
}

/// `a`, `b` and `c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}
