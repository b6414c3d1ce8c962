//! A comment that ignores the findings of a rule at one place, if it can be inserted.

use std::sync::Arc;

use applyorder_core::diagnostic::Rule;
use applyorder_core::engine::FactsInput;
use applyorder_syntax::text::{Span, TextEdit, apply_edits, line_break};

use super::ignores::comments_in;
use super::{Analysis, Finding};

impl Analysis {
    /// The edit that inserts a comment next to a finding: at the end of its line, else on the line above, as
    /// `lint --add-ignores` does. `None` if neither hides it and leaves the rest unchanged.
    #[must_use]
    pub fn ignore_here(&self, finding: &Finding<'_>) -> Option<TextEdit> {
        let (rule, file) = (finding.diagnostic.rule, finding.diagnostic.place.file);
        if finding.projects.is_empty() || self.path(file).extension() == Some("json") {
            return None;
        }
        let source = self.source(file)?;
        let line = source.lines().line(self.span(finding.diagnostic.place).start);
        let start = source.lines().line_start(&source.text, line);
        let content = source.text.get(start as usize..)?.split(['\r', '\n']).next()?;
        let indent = content.len() - content.trim_start().len();
        let behind = Span::at(start + u32::try_from(content.len()).ok()?);
        let behind = TextEdit {
            span: behind,
            text: format!(" # applyorder: ignore[{}]", rule.id),
        };
        let above = TextEdit {
            span: Span::at(start),
            text: format!(
                "{}# applyorder: ignore[{}]{}",
                content.get(..indent)?,
                rule.id,
                line_break(&source.text, start as usize)
            ),
        };
        let edits = [(behind, line), (above, line.saturating_add(1))];
        edits
            .into_iter()
            .find_map(|(edit, line)| self.only_ignores(finding, rule, &edit, line).then_some(edit))
    }

    /// Whether an edit is a comment for the rule on a line, and nothing else.
    fn only_ignores(&self, finding: &Finding<'_>, rule: &Rule, edit: &TextEdit, line: u32) -> bool {
        let file = finding.diagnostic.place.file;
        let Some(source) = self.source(file) else {
            return false;
        };
        let text: Arc<str> = apply_edits(&source.text, std::slice::from_ref(edit)).into();
        let Some(language) = self.language_of(file) else {
            return false;
        };
        let comments = comments_in(&text, language);
        if !comments.iter().any(|comment| comment.hides(rule, line)) {
            return false;
        }
        self.engines().iter().all(|(index, engine)| {
            self.facts(file, index).is_none_or(|known| {
                let facts = engine.facts(&FactsInput {
                    file,
                    path: self.path(file),
                    text: &text,
                    // Facts that are only read on demand are compared as well.
                    previous: Some(&**known),
                    engine: index,
                });
                facts.same_shape(&**known)
            })
        })
    }
}
