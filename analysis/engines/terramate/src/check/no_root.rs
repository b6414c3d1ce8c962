//! Files of Terramate for which no root was found.

use super::Scope;
use crate::found::Found;
use crate::{META, rules};
use applyorder_core::diagnostic::Place;

/// The only finding of the project that they are all the same: it says what is missing.
pub(super) fn check(scope: &Scope<'_>) -> Found {
    let tree = scope.tree;
    let file = tree.files().map(|(_, f)| f.file).next();
    let place = Place::file(file.unwrap_or(scope.model.loaded.root_file));
    let first = scope.root_files().next();
    let start = first.map(|(loaded, facts)| scope.at(loaded.file, facts.shape.start));
    let diagnostic = rules::root_missing::found(place, &tree.root, start, META.version);
    Found {
        diagnostic,
        fatal: true,
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    }
}
