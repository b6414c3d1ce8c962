//! `terramate/root-nested-config`: root configuration outside the project root.

use camino::Utf8Path;

use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/root-nested-config",
    severity: Severity::Warning,
    summary: "Root configuration outside the project root",
    docs: include_str!("../../../../../docs/rules/terramate/root-nested-config.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// An attribute of `terramate` by its path, the project's root, and where that is the same set in the root.
pub(crate) fn found(place: Place, path: &str, root: &Utf8Path, same: Option<Place>) -> Diagnostic {
    let message = format!("`terramate.{path}` is ignored outside the project root");
    let d = Diagnostic::new(&RULE, place, message)
        .note(format!("the project root is `{root}`"))
        .reaction(Reaction::Warns);
    match same {
        Some(set) => d.related(set, "set in the root here"),
        None => d,
    }
}

/// The same, with the place in the root to which it can be moved: its start, its end, and what is put there.
pub(crate) fn movable(d: Diagnostic, start: Place, end: Place, text: String) -> Diagnostic {
    let steps = vec![FixStep::RemoveKey(d.place), FixStep::Replace(end, text)];
    d.related(start, "the root")
        .fix("move to the root", Safety::Unsafe, steps)
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check_bare;

    const ROOT: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n";

    #[test]
    fn it_moves_to_the_root() {
        let checked = check_bare(
            &RULE,
            &format!(
                "{ROOT}//- /w/a/x.tm\nterramate {{\n  config {{\n    git {{\n      default_branch = \"trunk\"\n    }}\n  }}\n}}\n"
            ),
        );
        assert_eq!(
            checked.found(),
            [
                "/a/x.tm:4 default_branch: `terramate.config.git.default_branch` is ignored outside the project root"
            ]
        );
        let fixed = checked.fixed(0);
        assert!(
            fixed.contains(
                "\nterramate {\n  config {\n    git {\n      default_branch = \"trunk\"\n    }\n  }\n}\n"
            ),
            "{fixed}"
        );
        assert!(
            fixed.contains("//- /w/a/x.tm\nterramate {\n  config {\n    git {\n    }\n  }\n}\n"),
            "{fixed}"
        );
    }

    #[test]
    fn what_the_root_sets_is_shown_and_the_other_can_go() {
        // The nearest one makes a root; a second one above is another project's.
        let checked = check_bare(
            &RULE,
            &format!(
                "{ROOT}//- /w/git.tm\nterramate {{\n  config {{\n    git {{\n      default_branch = \"main\"\n    }}\n  }}\n}}\n\
                 //- /w/a/x.tm\nterramate {{\n  config {{\n    git {{\n      default_branch = \"trunk\"\n    }}\n  }}\n}}\n"
            ),
        );
        assert_eq!(checked.related(), ["/git.tm:4 default_branch"]);
        let fixed = checked.fixed(0);
        assert!(!fixed.contains("trunk") && !fixed.contains("git.tm"), "{fixed}");
    }
}
