//! `workspace/didChangeWorkspaceFolders`: folders were added to the workspace or taken out of it.

use camino::Utf8PathBuf;

use crate::convert::path_of;
use crate::params::WorkspaceFolders;
use crate::state::State;

pub(crate) fn handle(state: &mut State, params: WorkspaceFolders) {
    let paths = |folders: Vec<crate::params::Folder>| -> Vec<Utf8PathBuf> {
        folders.iter().filter_map(|f| path_of(&f.uri)).collect()
    };
    let (added, removed) = (paths(params.event.added), paths(params.event.removed));
    state.folders.retain(|f| !removed.contains(f));
    for folder in &added {
        if !state.folders.contains(folder) {
            state.folders.push(folder.clone());
        }
    }
    state.withdraw_outside(removed);
    state.walk_through(added);
}
