//! Findings for people: source snippets with every related place, and what the engine itself says.

use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::diagnostic::{Certainty, Diagnostic, Reaction, Related, Safety, Severity};
use applyorder_analysis::workspace::{Finding, Project};
use camino::Utf8Path;
use codespan_reporting::diagnostic::{self as codespan, Label, LabelStyle};
use codespan_reporting::term::termcolor::{Ansi, NoColor};
use codespan_reporting::term::{self, Styles, StylesWriter};

use super::links::linked;
use super::snippets::{self, Snippets, Views};
use crate::escape;
use crate::fingerprint::Reported;
use crate::repository::uri;
use crate::session::Session;
use crate::units;

/// So many other places are shown; the rest is counted.
const MOST_RELATED: usize = 24;

/// Writes the findings.
///
/// # Errors
/// When the output cannot be written.
pub fn write(
    out: &mut dyn Write,
    session: &Session,
    findings: &[Reported<'_>],
    color: bool,
) -> io::Result<()> {
    write_with(out, session, findings, color, false)
}

/// Writes the findings in color, with places and rules as links.
///
/// # Errors
/// When the output cannot be written.
pub fn write_linked(out: &mut dyn Write, session: &Session, findings: &[Reported<'_>]) -> io::Result<()> {
    write_with(out, session, findings, true, true)
}

fn write_with(
    out: &mut dyn Write,
    session: &Session,
    findings: &[Reported<'_>],
    color: bool,
    links: bool,
) -> io::Result<()> {
    let styles = Styles::default();
    let config = term::Config::default();
    let mut snippets = Snippets::new(session);
    let mut buffer: Vec<u8> = Vec::new();
    for Reported { finding, .. } in findings {
        let mut views = Views::default();
        let shown = diagnostic(session, &mut snippets, &mut views, finding);
        buffer.clear();
        let result = if color {
            let mut writer = StylesWriter::new(Ansi::new(&mut buffer), &styles);
            term::emit_to_write_style(&mut writer, &config, &views, &shown)
        } else {
            let mut writer = StylesWriter::new(NoColor::new(&mut buffer), &styles);
            term::emit_to_write_style(&mut writer, &config, &views, &shown)
        };
        result.map_err(|e| io::Error::other(e.to_string()))?;
        let report = with_our_word(&buffer, finding.diagnostic.severity);
        if links {
            let urls = urls(session, finding.diagnostic);
            let report = String::from_utf8_lossy(&report);
            let linked = linked(&report, finding.diagnostic.rule.id, |name| {
                urls.get(name).cloned()
            });
            out.write_all(linked.as_bytes())?;
        } else {
            out.write_all(&report)?;
        }
    }
    Ok(())
}

/// Where the files that a finding speaks of are, by the names that snippets give them.
fn urls(session: &Session, d: &Diagnostic) -> BTreeMap<String, String> {
    let places = std::iter::once(d.place).chain(d.related.iter().map(|r| r.place));
    let paths = places.map(|place| session.analysis.path(place.file));
    let url = |path: &Utf8Path| (snippets::name(session, path), uri(path.as_str()));
    paths.map(url).collect()
}

/// The reporting library calls an info a note and a hint a help; its word is the first of the text.
fn with_our_word(report: &[u8], severity: Severity) -> Vec<u8> {
    let (theirs, ours) = match severity {
        Severity::Info => ("note[", "info["),
        Severity::Hint => ("help[", "hint["),
        Severity::Warning | Severity::Error => return report.to_vec(),
    };
    String::from_utf8_lossy(report)
        .replacen(theirs, ours, 1)
        .into_bytes()
}

fn diagnostic<'a>(
    session: &Session,
    snippets: &mut Snippets<'a>,
    views: &mut Views<'a>,
    finding: &Finding<'_>,
) -> codespan::Diagnostic<usize> {
    let d = finding.diagnostic;
    let severity = match d.severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
        Severity::Info => codespan::Severity::Note,
        Severity::Hint => codespan::Severity::Help,
    };
    // Where another place is the very same, its text serves for both.
    let at = |place| session.analysis.span(place);
    let is_own = |r: &&Related| r.place.file == d.place.file && at(r.place) == at(d.place);
    let same = d.related.first().filter(is_own).filter(|_| d.label.is_none());
    let text = d
        .label
        .as_deref()
        .or(same.map(|r| r.message.as_str()))
        .unwrap_or("");
    let own = (LabelStyle::Primary, d.place, text);
    let related = d
        .related
        .iter()
        .skip(usize::from(same.is_some()))
        .take(MOST_RELATED);
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
        .with_notes(notes(session, finding))
}

/// The lines below the snippet.
fn notes(session: &Session, finding: &Finding<'_>) -> Vec<String> {
    let d = finding.diagnostic;
    let mut notes: Vec<String> = Vec::new();
    if let Some(more) = d.related.len().checked_sub(MOST_RELATED).filter(|n| *n > 0) {
        notes.push(format!("note: {more} more places are not shown"));
    }
    notes.extend(d.notes.iter().map(|n| format!("note: {}", escape::line(n))));
    let project = finding
        .projects
        .first()
        .and_then(|p| session.analysis.project(*p));
    if let Some(project) = project {
        notes.extend(engine_says(project, d));
    }
    if d.certainty == Certainty::Heuristic {
        notes.push("note: this depends on a value that is likely, not certain".to_owned());
    }
    if !d.environments.is_empty() {
        let names: Vec<String> = d.environments.iter().map(|e| units::environment(e)).collect();
        notes.push(format!("note: in environments {}", names.join(", ")));
    }
    if finding.projects.len() > 1 {
        let names: Vec<String> = finding.projects.iter().map(|p| session.key(*p)).collect();
        notes.push(format!("note: in {} projects: {}", names.len(), names.join(", ")));
    }
    for fix in &d.fixes {
        let safe = match fix.safety {
            Safety::Safe => " (safe)",
            Safety::Unsafe => "",
        };
        notes.push(format!("help: {}{safe}", escape::line(&fix.title)));
    }
    notes
}

/// What the engine does about it: which of its commands reject it, in which words; that it warns, or is silent.
fn engine_says(project: &Project, d: &Diagnostic) -> Option<String> {
    let meta = project.engine().meta();
    if d.enforced.is_empty() {
        let mut verdicts = project.resolution.verdicts.iter();
        let warns = verdicts.any(|v| v.warnings.iter().any(|w| w.rule == d.rule.id));
        return match d.reaction {
            Reaction::FailsLater => None,
            Reaction::Silent if !warns && d.severity < Severity::Warning => None,
            Reaction::Silent if !warns => Some(format!("note: {} does not report this", meta.title)),
            Reaction::Silent | Reaction::Warns => Some(format!("note: {} only warns about this", meta.title)),
        };
    }
    let mut stages: Vec<(&str, Vec<String>)> = Vec::new();
    for e in &d.enforced {
        let command = format!("`{}`", meta.command_line(e.command));
        match stages.iter_mut().find(|(stage, _)| *stage == e.stage) {
            Some((_, commands)) => commands.push(command),
            None => stages.push((e.stage, vec![command])),
        }
    }
    let rejections: Vec<String> = stages
        .into_iter()
        .map(|(stage, commands)| {
            let verb = if commands.len() == 1 { "rejects" } else { "reject" };
            format!("{} {verb} this (stage `{stage}`)", listed(&commands))
        })
        .collect();
    let mut line = format!("note: {}", rejections.join("; "));
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
