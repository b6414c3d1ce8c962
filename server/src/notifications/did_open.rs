//! `textDocument/didOpen`: from now on the client's text counts, not the disk's.

use std::sync::Arc;

use crate::convert::{is_untitled, path_of, untitled_path, uri_of};
use crate::documents::{Open, walked_path};
use crate::params::{DidOpen, Document, OfDocument};
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: DidOpen) {
    let document = params.text_document;
    let Some(named) = path_of(&document.uri) else {
        return;
    };
    let path = if is_untitled(&named) {
        untitled_path(&named, &document.language, &document.text)
    } else {
        walked_path(&named, &state.folders).unwrap_or_else(|| named.clone())
    };
    // One file has one text: of two names, the one that was opened last is followed.
    let other = state.open.get(&path).map(|open| open.uri.to_string());
    match other.filter(|uri| *uri != document.uri) {
        Some(uri) => close(state, uri),
        None => state.take_back(&path, &uri_of(&path), &document.uri),
    }
    let open = Open {
        uri: document.uri.into(),
        version: document.version,
        revision: Arc::default(),
    };
    let was_open = Arc::make_mut(&mut state.open).open(named, path.clone(), open);
    state.texts.insert(path.clone(), document.text);
    state.opened_or_closed(&path);
    if !was_open {
        state.look_around(&path);
        state.look_early(&path);
    }
    state.opened(&path);
}

fn close(state: &mut State, uri: String) {
    let text_document = Document { uri, version: None };
    super::did_close::handle(state, OfDocument { text_document });
}
