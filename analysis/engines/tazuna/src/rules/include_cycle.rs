//! `tazuna/include-cycle`: include cycle.

use super::nested_include::rejected_nesting;
use crate::model::Nested;
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/include-cycle",
    severity: Severity::Error,
    summary: "Include cycle",
    docs: include_str!("../../../../../docs/rules/tazuna/include-cycle.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["tazuna/nested-include"],
};

/// At the include of the root.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let Some((include, Nested::Circle(hops))) = super::nested_of(source) else {
        return;
    };
    let text = format!("include cycle through `{}`", include.text);
    let mut d = Diagnostic::new(&RULE, include.place, text);
    for (place, text) in hops {
        d = d.related(*place, text.clone());
    }
    let removal = source.context.expansion.removal(include.item, include.place);
    let d = d.fix("remove the include", Safety::Unsafe, vec![removal]);
    found.push(rejected_nesting(include, d).detail("reason", "cycle"));
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_file_that_includes_itself() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: tazuna.yaml
",
            ),
            "error tazuna.yaml:4 «tazuna.yaml»: include cycle through `tazuna.yaml`
  check includes first, apply includes first, destroy includes first: nested includes are not allowed in include file: tazuna.yaml
  tazuna.yaml:4 «tazuna.yaml»: the file includes itself
  unsafe fix: remove the include
    tazuna.yaml:2 -  manifests:
    tazuna.yaml:3 -    - includes:
    tazuna.yaml:4 -        - path: tazuna.yaml
    tazuna.yaml:2 +  manifests: []
"
        );
    }

    #[test]
    fn two_files() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
//- /w/a.yaml
spec:
  manifests:
    - includes:
        - path: b.yaml
//- /w/b.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
",
            ),
            "error tazuna.yaml:4 «a.yaml»: include cycle through `a.yaml`
  check includes first, apply includes first, destroy includes first: nested includes are not allowed in include file: a.yaml
  tazuna.yaml:4 «a.yaml»: includes `a.yaml`
  a.yaml:4 «b.yaml»: includes `b.yaml`
  b.yaml:4 «a.yaml»: includes `a.yaml`
  unsafe fix: remove the include
    tazuna.yaml:2 -  manifests:
    tazuna.yaml:3 -    - includes:
    tazuna.yaml:4 -        - path: a.yaml
    tazuna.yaml:2 +  manifests: []
"
        );
    }
}
