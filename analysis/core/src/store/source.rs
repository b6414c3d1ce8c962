//! The text of a file.

use std::sync::{Arc, OnceLock};

use applyorder_syntax::text::LineIndex;

/// A text with its lines.
#[derive(Debug)]
pub struct Source {
    /// The text.
    pub text: Arc<str>,
    /// Boxed: for most texts they are never requested.
    lines: OnceLock<Box<Lines>>,
    has: OnceLock<bool>,
}

#[derive(Debug)]
struct Lines {
    own: LineIndex,
    /// Set if they differ from `own`.
    protocol: OnceLock<Option<LineIndex>>,
}

impl Source {
    /// A text; its lines are counted on first request.
    #[must_use]
    pub fn new(text: Arc<str>) -> Self {
        Self {
            text,
            lines: OnceLock::new(),
            has: OnceLock::new(),
        }
    }

    /// The starts of its lines.
    pub fn lines(&self) -> &LineIndex {
        &self.counted().own
    }

    fn counted(&self) -> &Lines {
        self.lines.get_or_init(|| {
            Box::new(Lines {
                own: LineIndex::new(&self.text),
                protocol: OnceLock::new(),
            })
        })
    }

    /// Whether it contains a word; searched only once, so always pass the same word.
    pub fn has(&self, word: &'static str) -> bool {
        let found = || memchr::memmem::find(self.text.as_bytes(), word.as_bytes()).is_some();
        *self.has.get_or_init(found)
    }

    /// The starts of its lines as the language server protocol counts them.
    pub fn protocol_lines(&self) -> &LineIndex {
        let Lines { own, protocol } = self.counted();
        let others = protocol.get_or_init(|| {
            let lines = LineIndex::of_protocol(&self.text);
            (lines != *own).then_some(lines)
        });
        others.as_ref().unwrap_or(own)
    }
}
