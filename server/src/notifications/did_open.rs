//! `textDocument/didOpen`: from now on the client's text counts, not the disk's.

use std::sync::Arc;

use crate::convert::path_of;
use crate::documents::Open;
use crate::params::DidOpen;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: DidOpen) {
    let document = params.text_document;
    let Some(path) = path_of(&document.uri) else {
        return;
    };
    let open = Open {
        uri: document.uri.into(),
        version: document.version,
        revision: Arc::default(),
    };
    let was_open = Arc::make_mut(&mut state.open)
        .insert(path.clone(), open)
        .is_some();
    state.texts.insert(path.clone(), document.text);
    state.opened_or_closed(&path);
    if !was_open {
        state.look_around(&path);
    }
    state.opened(&path);
}
