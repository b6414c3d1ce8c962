//! `workspace/didChangeWatchedFiles`: something was created, changed or deleted on the disk.

use crate::convert::path_of;
use crate::params::WatchedFiles;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: WatchedFiles) {
    for event in params.changes {
        if let Some(path) = path_of(&event.uri) {
            state.changed_on_disk(&path);
        }
    }
}
