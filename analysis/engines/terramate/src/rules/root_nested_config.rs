//! `terramate/root-nested-config`: root configuration outside the project root.

use super::setting;
use crate::read::RootAttribute;
use crate::scope::loading::LoadFault;
use crate::scope::{Directory, Scope};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Reaction, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::edit::quote;

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

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| match problem.fault {
        LoadFault::Nested(attribute) => Some(nested(&dir.scope, problem.place, attribute)),
        _ => None,
    });
}

/// A setting of the project that is below its root.
fn nested(scope: &Scope<'_>, place: Place, attribute: &RootAttribute) -> Diagnostic {
    let root = || scope.root_files();
    let same = root().find_map(|(loaded, facts)| {
        let set = facts.shape.root.iter().find(|a| a.path == attribute.path)?;
        Some(scope.at(loaded.file, set.at))
    });
    let path = &attribute.path;
    let message = match &**path {
        // It is parsed before the blocks that need it.
        "config.experiments" => {
            format!("`terramate.{path}` outside the project root holds for this directory alone")
        }
        _ => format!("`terramate.{path}` is ignored outside the project root"),
    };
    let mut d = Diagnostic::new(&RULE, place, message)
        .note(format!("the project root is `{}`", scope.tree.root))
        .reaction(Reaction::Warns);
    if let Some(set) = same {
        d = d.related(set, "set in the root here");
    } else if let (Some((loaded, facts)), Some(value)) = (root().next(), &attribute.text) {
        let [start, end] = [facts.shape.start, facts.shape.end].map(|at| scope.at(loaded.file, at));
        let text = setting(&attribute.path, &quote(&value.value));
        let steps = vec![FixStep::RemoveKey(place), FixStep::Replace(end, text)];
        d = d
            .related(start, "the root")
            .fix("move to the root", Safety::Unsafe, steps);
    }
    d.fix("remove", Safety::Unsafe, vec![FixStep::RemoveKey(place)])
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
        // The nearest one makes a root; a second one above belongs to another project.
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

    #[test]
    fn experiments_hold_for_the_directory() {
        let own = "terramate {\n  config {\n    experiments = [\"scripts\"]\n  }\n}\n";
        assert_eq!(
            check_bare(&RULE, &format!("{ROOT}//- /w/a/x.tm\n{own}")).found(),
            [
                "/a/x.tm:3 experiments: `terramate.config.experiments` outside the project root holds for this directory alone"
            ]
        );
    }
}
