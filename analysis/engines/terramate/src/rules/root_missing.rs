//! `terramate/root-missing`: missing project root.

use camino::Utf8Path;

use crate::META;
use crate::judge::{ROOT, foreseen, rejected};
use crate::scope::Scope;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/root-missing",
    severity: Severity::Error,
    summary: "Missing project root",
    docs: include_str!("../../../../../docs/rules/terramate/root-missing.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding for files without a root: it is the same for all of them, and says what is missing.
/// `is_stopped`: Terramate does not search to the end, and reports why instead.
pub(super) fn check(scope: &Scope<'_>, is_stopped: bool) -> Finding {
    let tree = scope.tree;
    let file = tree.files().map(|(_, f)| f.file).next();
    let place = Place::file(file.unwrap_or(scope.model.loaded.root_file));
    let first = scope.root_files().next();
    let start = first.map(|(loaded, facts)| scope.at(loaded.file, facts.shape.start));
    let d = missing(place, &tree.root, start);
    if is_stopped {
        foreseen(ROOT, d)
    } else {
        rejected(ROOT, d, &"/".into())
    }
}

/// Files at or below a directory that are part of no project; the start of one that could make it a root.
fn missing(place: Place, dir: &Utf8Path, start: Option<Place>) -> Diagnostic {
    let message = format!("missing project root at or above `{dir}`");
    let d = Diagnostic::new(&RULE, place, message)
        .engine_message("Terramate was unable to detect a project root.")
        .note(
            "without git, the root is the nearest directory whose `terramate` block has a `required_version`",
        );
    let Some(start) = start else { return d };
    let version = META.version;
    let block = format!("terramate {{\n  required_version = \">= {version}\"\n}}\n\n");
    d.fix(
        "make this directory the root",
        Safety::Unsafe,
        vec![FixStep::Replace(start, block)],
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::{check, check_bare};

    #[test]
    fn a_root_is_declared() {
        let checked = check_bare(&RULE, "//- /w/a/stack.tm\nstack {\n}\n");
        assert_eq!(checked.found().len(), 1);
        assert_eq!(
            checked.fixed(0),
            "//- /w/a/stack.tm\nterramate {\n  required_version = \">= 0.17.2\"\n}\n\nstack {\n}\n"
        );
        assert_eq!(check(&RULE, "//- /w/a/stack.tm\nstack {\n}\n").found(), [""; 0]);
    }
}
