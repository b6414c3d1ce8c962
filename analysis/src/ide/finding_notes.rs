//! What findings say besides their message, for a hover.

use super::page::Page;
use applyorder_core::diagnostic::FileId;
use applyorder_core::markdown::{MOST_NAMES, code, escape, names, sentence};
use applyorder_syntax::text::Span;

/// What findings at an offset say besides their message, which editors show by themselves.
pub(super) fn notes(page: Page<'_>, file: FileId, offset: u32) -> Option<(Span, String)> {
    let analysis = page.analysis;
    let mut lines: Vec<String> = Vec::new();
    let mut at = None;
    for finding in analysis.findings_of(file) {
        let d = finding.diagnostic;
        let span = analysis.span(d.place);
        if !span.touches(offset) {
            continue;
        }
        let rejected = d.enforced.iter().map(|e| (e.command, e.stage));
        let meta = finding
            .projects
            .first()
            .and_then(|p| analysis.project(*p))
            .map(|p| p.engine().meta());
        let rejected: Vec<String> = rejected
            .filter_map(|(command, stage)| {
                Some(format!(
                    "{} (stage {})",
                    code(&meta?.command_line(command)),
                    code(stage)
                ))
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
            said.push(format!("in the projects of {}", names(roots, MOST_NAMES)));
        }
        if !said.is_empty() {
            at = at.or(Some(span));
            lines.extend(
                said.into_iter()
                    .map(|line| format!("- {}: {line}", code(d.rule.id))),
            );
        }
    }
    Some((at?, lines.join("\n")))
}
