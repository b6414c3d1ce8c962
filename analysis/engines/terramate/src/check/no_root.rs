//! Files of Terramate for which no root was found.

use super::Scope;
use crate::found::Found;
use crate::{META, rules};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};

/// The only finding of the project that they are all the same: it says what is missing.
pub(super) fn check(scope: &Scope<'_>) -> Found {
    let tree = scope.tree;
    let file = tree.files().map(|(_, f)| f.file).next();
    let place = Place::file(file.unwrap_or(scope.model.loaded.root_file));
    let diagnostic = Diagnostic::new(
        &rules::root_missing::RULE,
        place,
        format!(
            "there is no root of a Terramate project at or above `{}`",
            tree.root
        ),
    )
    .engine_message("Terramate was unable to detect a project root.")
    .note("without git, the root is the nearest directory whose `terramate` block has a `required_version`");
    let first = scope.root_files().next();
    let diagnostic = match first {
        Some((loaded, facts)) => diagnostic.fix(
            "make this directory the root",
            Safety::Unsafe,
            vec![FixStep::Replace(
                scope.at(loaded.file, facts.shape.start),
                format!(
                    "terramate {{\n  required_version = \">= {}\"\n}}\n\n",
                    META.version
                ),
            )],
        ),
        None => diagnostic,
    };
    Found {
        diagnostic,
        fatal: true,
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    }
}
