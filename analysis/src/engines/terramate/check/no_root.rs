//! Files of Terramate for which no root was found.

use super::Scope;
use crate::diagnostic::{Diagnostic, FixStep, Place, Safety};
use crate::engines::terramate::found::Found;
use crate::engines::terramate::load::tree::files;
use crate::engines::terramate::{META, rules};

/// The only finding of the project that they are all the same: it says what is missing.
pub(super) fn check(scope: Scope<'_>) -> Found {
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
    .enforced("run", "root", true)
    .enforced("list", "root", true)
    .note("without git, the root is the nearest directory whose `terramate` block has a `required_version`");
    let first = tree.dirs.first().and_then(|d| files(d).next());
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
        dir: "/".into(),
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    }
}
