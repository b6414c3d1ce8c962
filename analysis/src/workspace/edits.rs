//! A fix as edits of the current texts.

use super::Analysis;
use crate::diagnostic::{At, FileId, Fix, FixStep};
use crate::engines;
use crate::syntax::Language;
use crate::syntax::text::{Span, TextEdit};

impl Analysis {
    /// The edits of a fix, by file in the order of its steps, without overlaps. Empty where the text has
    /// changed so that a step can't be done any more: a fix is done whole or not at all.
    #[must_use]
    pub fn edits(&self, fix: &Fix) -> Vec<(FileId, Vec<TextEdit>)> {
        let mut out: Vec<(FileId, Vec<TextEdit>)> = Vec::new();
        for step in &fix.steps {
            let file = step.place().file;
            let Some(edits) = self.step(step) else {
                return Vec::new();
            };
            let known = match out.iter().position(|(f, _)| *f == file) {
                Some(at) => at,
                None => {
                    out.push((file, Vec::new()));
                    out.len() - 1
                }
            };
            if let Some((_, known)) = out.get_mut(known) {
                for edit in edits {
                    if known.contains(&edit) {
                        continue;
                    }
                    if known.iter().any(|k| k.span.overlaps(edit.span)) {
                        return Vec::new();
                    }
                    known.push(edit);
                }
            }
        }
        for (_, edits) in &mut out {
            edits.sort_by_key(|e| (e.span.start, e.span.end));
        }
        out
    }

    fn step(&self, step: &FixStep) -> Option<Vec<TextEdit>> {
        let place = step.place();
        let text: &str = &self.source(place.file)?.text;
        let span = self.span(place);
        text.get(span.range())?;
        if let FixStep::Replace(_, new) = step {
            return Some(vec![TextEdit {
                span,
                text: new.clone(),
            }]);
        }
        match self.language(step)? {
            Language::Yaml => yaml(text, span, step),
            Language::Hcl => None,
        }
    }

    /// The language of a file by its name, else that of the engine whose facts the place is in.
    fn language(&self, step: &FixStep) -> Option<Language> {
        let place = step.place();
        Language::of(self.path(place.file)).or_else(|| match place.at {
            At::Anchor(anchor) => Some(engines::all().get(anchor.engine as usize)?.meta().language),
            At::File | At::Span(_) => None,
        })
    }
}

fn yaml(_text: &str, _span: Span, _step: &FixStep) -> Option<Vec<TextEdit>> {
    None
}
