//! `terramate/experiment-off`: block of an experiment that is not enabled.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

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

/// A block of an experiment.
pub(crate) fn found(place: Place, block: &str, experiment: &str) -> Diagnostic {
    let message = format!("`{block}` requires experiment `{experiment}`");
    Diagnostic::new(&RULE, place, message).engine_message(format!(
        "unrecognized block \"{block}\" ({block} is an experimental feature, it must be enabled before usage with \
         `terramate.config.experiments = [\"{experiment}\"]`)"
    ))
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
}
