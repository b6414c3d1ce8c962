//! `textDocument/didClose`: what is on the disk counts again.

use std::sync::Arc;

use crate::convert::{path_of, uri_of};
use crate::params::OfDocument;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: OfDocument) {
    let Some(path) = path_of(&params.text_document.uri) else {
        return;
    };
    let path = state.open.named(path);
    state.edited(&path);
    let Some(closed) = Arc::make_mut(&mut state.open).close(&path) else {
        return;
    };
    state.take_back(&path, &closed.uri, &uri_of(&path));
    state.texts.remove(&path);
    state.opened_or_closed(&path);
    state.look_away(&path);
    // It may have come while it was open.
    state.note_disk_events([path]);
}
