//! `workspace/didChangeWatchedFiles`: something was created, changed or deleted on the disk.

use crate::params::WatchedFiles;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: WatchedFiles) {
    state.note_disk_events(params.changes.into_iter().filter_map(|event| event.path));
}
