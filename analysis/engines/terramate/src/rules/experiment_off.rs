//! `terramate/experiment-off`: block of an experiment that is not enabled.

use super::setting;
use crate::read::{At, Experimental};
use crate::scope::Directory;
use crate::scope::loading::LoadFault;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::hcl::edit::quote;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/experiment-off",
    severity: Severity::Error,
    summary: "Block of an experiment that is not enabled",
    docs: include_str!("../../../../../docs/rules/terramate/experiment-off.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["unknown-field"],
};

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell(found, |problem| match problem.fault {
        LoadFault::ExperimentOff(used) => Some(off(dir, problem.place, used)),
        _ => None,
    });
}

/// A block of an experiment.
fn off(dir: &Directory<'_>, place: Place, used: &Experimental) -> Diagnostic {
    let scope = &dir.scope;
    let (block, experiment) = (used.block, used.experiment);
    let message = format!("`{block}` requires experiment `{experiment}`");
    let feature = match block {
        "input" | "output" => "sharing-is-caring",
        "script" => block,
        _ => experiment,
    };
    let d = Diagnostic::new(&RULE, place, message).engine_message(format!(
        "unrecognized block \"{block}\" ({feature} is an experimental feature, it must be enabled before usage with \
         `terramate.config.experiments = [\"{experiment}\"]`)"
    ));
    let title = format!("enable `{experiment}`");
    if let Some((file, at, list)) = switched_on(dir) {
        let step = FixStep::AppendEntry(scope.at(file, list), experiment.to_owned());
        d.related(scope.at(file, at), "enabled experiments")
            .fix(title, Safety::Unsafe, vec![step])
    } else if let Some((root, facts)) = scope.root_files().next() {
        let block = setting("config.experiments", &format!("[{}]", quote(experiment)));
        let step = FixStep::Replace(scope.at(root.file, facts.shape.end), block);
        d.fix(title, Safety::Unsafe, vec![step])
    } else {
        d
    }
}

/// Where the experiments for a directory are enabled: the attribute and its value.
fn switched_on(dir: &Directory<'_>) -> Option<(FileId, At, At)> {
    let own = dir.scope.model.sources.files(dir.dir);
    own.chain(dir.scope.root_files()).find_map(|(loaded, facts)| {
        let mut all = facts.shape.root.iter();
        let attribute = all.find(|a| &*a.path == "config.experiments")?;
        Some((loaded.file, attribute.at, attribute.value))
    })
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check_bare;

    #[test]
    fn it_is_switched_on_in_the_root() {
        let with = |root: &str| {
            check_bare(
                &RULE,
                &format!(
                    "//- /w/terramate.tm\n{root}//- /w/a/x.tm\nscript \"a\" {{\n  job {{\n    command = [\"x\"]\n  }}\n}}\n"
                ),
            )
        };
        let none = with("terramate {\n  required_version = \">= 0.1\"\n}\n");
        assert_eq!(
            none.found(),
            ["/a/x.tm:1 script \"a\": `script` requires experiment `scripts`"]
        );
        let fixed = none.fixed(0);
        assert!(
            fixed.ends_with("\nterramate {\n  config {\n    experiments = [\"scripts\"]\n  }\n}\n"),
            "{fixed}"
        );
        assert_eq!(with(&fixed.replace("//- /w/terramate.tm\n", "")).found(), [""; 0]);
        let other = "terramate {\n  required_version = \">= 0.1\"\n  config {\n    experiments = [\"tmgen\"]\n  }\n}\n";
        let fixed = with(other).fixed(0);
        assert!(
            fixed.contains("experiments = [\"tmgen\", \"scripts\"]"),
            "{fixed}"
        );
    }

    #[test]
    fn a_directory_that_sets_experiments_has_no_others() {
        let with = |root: &str, own: &str| {
            check_bare(
                &RULE,
                &format!(
                    "//- /w/terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    experiments = [{root}]\n  }}\n}}\n\
                     //- /w/a/x.tm\nscript \"a\" {{\n  job {{\n    command = [\"x\"]\n  }}\n}}\n\
                     //- /w/a/y.tm\nterramate {{\n  config {{\n    experiments = [{own}]\n  }}\n}}\n"
                ),
            )
        };
        assert_eq!(with("", "\"scripts\"").found(), [""; 0]);
        let off = with("\"scripts\"", "\"tmgen\"");
        assert_eq!(
            off.found(),
            ["/a/x.tm:1 script \"a\": `script` requires experiment `scripts`"]
        );
        let fixed = off.fixed(0);
        assert!(
            fixed.contains("experiments = [\"tmgen\", \"scripts\"]"),
            "{fixed}"
        );
    }
}
