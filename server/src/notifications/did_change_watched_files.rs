//! `workspace/didChangeWatchedFiles`: something was created, changed or deleted on the disk.

use camino::Utf8PathBuf;

use crate::convert::path_of;
use crate::params::WatchedFiles;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: WatchedFiles) {
    let paths: Vec<Utf8PathBuf> = params.changes.iter().filter_map(|e| path_of(&e.uri)).collect();
    for path in &paths {
        state.changed_on_disk(path);
    }
    state.look_for_new(&paths);
}
