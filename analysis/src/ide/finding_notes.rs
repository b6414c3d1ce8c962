//! The notes of findings besides their message, for a hover.

use super::page::{MOST, Page};
use crate::workspace::by_stage;
use applyorder_core::diagnostic::FileId;
use applyorder_core::markdown::{code, escape, names, sentence};
use applyorder_syntax::text::Span;

/// The notes of findings at an offset besides their message, which editors show by themselves.
pub(super) fn notes(page: Page<'_>, file: FileId, offset: u32) -> Option<(Span, String)> {
    let analysis = page.analysis;
    // A note that several have in common is shown once, for all of them.
    let mut lines: Vec<(Vec<&str>, String)> = Vec::new();
    let mut at = None;
    for finding in analysis.findings_of(file) {
        let d = finding.diagnostic;
        let span = analysis.span(d.place);
        if !span.touches(offset) {
            continue;
        }
        let meta = finding
            .projects
            .first()
            .and_then(|p| analysis.project(*p))
            .map(|p| p.engine().meta());
        let rejected: Vec<String> = by_stage(&analysis.enforced(&finding))
            .into_iter()
            .filter_map(|(stage, commands)| {
                let lines = commands.iter().map(|c| Some(code(&meta?.command_line(c))));
                let commands: Vec<String> = lines.collect::<Option<_>>()?;
                Some(format!("{} (stage {})", commands.join(", "), code(stage)))
            })
            .collect();
        let mut said: Vec<String> = d.notes.iter().map(|note| sentence(note)).collect();
        if !rejected.is_empty() {
            let words = d.engine_message.as_deref().and_then(|m| m.lines().next());
            let words = words
                .filter(|w| !w.is_empty())
                .map(|w| format!(": {}", escape(w)));
            said.push(format!(
                "rejected by {}{}",
                rejected.join(", "),
                words.unwrap_or_default()
            ));
        }
        if finding.projects.len() > 1 {
            let roots = finding
                .projects
                .iter()
                .filter_map(|p| Some(analysis.project(*p)?.seed.root.as_str()));
            said.push(format!("in the projects of {}", names(roots, MOST)));
        }
        if !said.is_empty() {
            at = at.or(Some(span));
            for line in said {
                match lines.iter_mut().find(|(_, known)| *known == line) {
                    Some((rules, _)) if rules.contains(&d.rule.id) => {}
                    Some((rules, _)) => rules.push(d.rule.id),
                    None => lines.push((vec![d.rule.id], line)),
                }
            }
        }
    }
    let lines: Vec<String> = lines
        .into_iter()
        .map(|(rules, line)| {
            let rules: Vec<String> = rules.into_iter().map(code).collect();
            format!("- {}: {line}", rules.join(", "))
        })
        .collect();
    Some((at?, lines.join("\n")))
}
