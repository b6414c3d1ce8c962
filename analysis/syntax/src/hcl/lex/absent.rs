//! What is known not to occur in a text.

use rustc_hash::FxHashMap;

use super::is_ident_part;

/// What is known not to follow after some offset, so that broken text is not searched to its end once per line.
#[derive(Default)]
pub(in crate::hcl) struct Absent {
    /// The offset in the whole text of the texts given to the methods.
    base: usize,
    /// No `*/` occurs at or after this offset.
    comment_end: Option<usize>,
    /// For each word that is alone on a line, the offset of the last such line.
    lone_words: Option<FxHashMap<String, usize>>,
}

impl Absent {
    /// Sets the offset in the whole text of the texts passed next.
    pub(in crate::hcl) fn starting_at(&mut self, base: usize) -> &mut Self {
        self.base = base;
        self
    }

    /// Where the comment opened at `from` (after its `/*`) ends.
    pub(in crate::hcl) fn comment_end(&mut self, text: &str, from: usize) -> Option<usize> {
        if self.comment_end.is_some_and(|none| self.base + from >= none) {
            return None;
        }
        let found = text
            .as_bytes()
            .get(from..)
            .and_then(|t| memchr::memmem::find(t, b"*/"));
        if found.is_none() {
            self.comment_end = Some(self.base + from);
        }
        found.map(|at| from + at + 2)
    }

    /// Whether `*/` can occur at or after `from`.
    pub(in crate::hcl) fn comment_may_end(&self, from: usize) -> bool {
        self.comment_end.is_none_or(|none| self.base + from < none)
    }

    /// Whether a line that is only `marker` can occur at or after `from`. Answers yes until a heredoc was once
    /// found unclosed.
    pub(in crate::hcl) fn may_close(&self, marker: &str, from: usize) -> bool {
        self.lone_words
            .as_ref()
            .is_none_or(|words| words.get(marker).is_some_and(|last| *last >= self.base + from))
    }

    /// Records the lines of `text` from `from` on that could close a heredoc.
    pub(super) fn remember_unclosed(&mut self, text: &str, from: usize) {
        if self.lone_words.is_some() {
            return;
        }
        let mut words = FxHashMap::default();
        let mut at = self.base + from;
        for line in text.get(from..).unwrap_or("").split_inclusive('\n') {
            let word = line.trim();
            if !word.is_empty() && word.chars().all(is_ident_part) {
                words.insert(word.to_owned(), at);
            }
            at += line.len();
        }
        self.lone_words = Some(words);
    }
}
