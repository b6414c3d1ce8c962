//! `textDocument/didSave`: the disk now says what the document says. What is on the disk matters only for
//! files that are not open, and for commands that render them.

use crate::params::Ignored;
use crate::state::State;

pub(crate) fn handle(state: &mut State, _: Ignored) {
    state.renderer.note_change();
}
