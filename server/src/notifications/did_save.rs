//! `textDocument/didSave`: the disk now says what the document says. What is on the disk matters only for
//! files that are not open; of those, the saving of a document tells nothing.

use crate::params::Ignored;
use crate::state::State;

pub(crate) fn handle(_: &mut State, _: Ignored) {}
