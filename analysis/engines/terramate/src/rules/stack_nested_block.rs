//! `terramate/stack-nested-block`: block in a `stack` block.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "terramate/stack-nested-block",
    severity: Severity::Error,
    summary: "Block in a `stack` block",
    docs: include_str!("../../../../../docs/rules/terramate/stack-nested-block.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// A block of some kind in a `stack` block.
pub(crate) fn found(place: Place, kind: &str) -> Diagnostic {
    Diagnostic::new(&RULE, place, format!("unknown block `{kind}` in `stack`"))
        .engine_message(format!("unrecognized block \"{kind}\""))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::check;

    #[test]
    fn its_name_is_marked() {
        let checked = check(&RULE, "//- /w/a/s.tm\nstack {\n  config {\n    x = 1\n  }\n}\n");
        assert_eq!(
            checked.found(),
            ["/a/s.tm:2 config: unknown block `config` in `stack`"]
        );
        let free = "//- /w/a/s.tm\nstack {\n}\nglobals {\n}\n";
        assert_eq!(check(&RULE, free).found(), [""; 0]);
    }
}
