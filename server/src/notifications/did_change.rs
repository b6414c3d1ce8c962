//! `textDocument/didChange`: edits, in the order they were made, each in positions of the text before it.

use std::sync::Arc;

use applyorder_analysis::syntax::text::{Encoding, LineIndex};

use crate::convert::{offset, path_of};
use crate::params::{ContentChange, DidChange};
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: DidChange) {
    let Some(path) = path_of(&params.text_document.uri) else {
        return;
    };
    let path = state.open.named(path);
    let encoding = state.encoding();
    // A document that was never opened has no text that an edit could be made in.
    let Some(text) = state.texts.get_mut(&path) else {
        return;
    };
    for change in params.content_changes {
        apply(text, change, encoding);
    }
    if let Some(version) = params.text_document.version
        && let Some(open) = Arc::make_mut(&mut state.open).get_mut(&path)
    {
        open.version = Some(version);
    }
    state.edited(&path);
}

/// Makes one edit. Positions outside the text are clamped to it; a range that ends before it starts is
/// taken the other way round.
fn apply(text: &mut String, change: ContentChange, encoding: Encoding) {
    let Some(range) = change.range else {
        *text = change.text;
        return;
    };
    let lines = LineIndex::of_protocol(text);
    let a = offset(text, &lines, range.start, encoding) as usize;
    let b = offset(text, &lines, range.end, encoding) as usize;
    let (start, end) = (a.min(b), a.max(b));
    if text.is_char_boundary(start) && text.is_char_boundary(end) {
        text.replace_range(start..end, &change.text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tower_lsp_server::ls_types::{Position, Range};

    fn edited(text: &str, from: (u32, u32), to: (u32, u32), new: &str, encoding: Encoding) -> String {
        let mut text = text.to_owned();
        let range = Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1));
        let change = ContentChange {
            range: Some(range),
            text: new.to_owned(),
        };
        apply(&mut text, change, encoding);
        text
    }

    #[test]
    fn columns_are_counted_in_the_encoding() {
        for (encoding, col) in [(Encoding::Utf8, 5), (Encoding::Utf16, 3), (Encoding::Utf32, 2)] {
            assert_eq!(edited("a🙂b", (0, col), (0, 9), "c", encoding), "a🙂c");
        }
    }

    #[test]
    fn positions_outside_are_clamped() {
        let utf16 = Encoding::Utf16;
        assert_eq!(edited("a\r\nb", (0, 99), (0, 99), "x", utf16), "ax\r\nb");
        assert_eq!(edited("a\nb", (7, 0), (9, 9), "x", utf16), "a\nbx");
        assert_eq!(edited("abc", (0, 2), (0, 1), "x", utf16), "axc");
        assert_eq!(edited("", (0, 0), (u32::MAX, u32::MAX), "x", utf16), "x");
        assert_eq!(edited("a\rb", (0, 9), (1, 0), "", utf16), "ab");
    }
}
