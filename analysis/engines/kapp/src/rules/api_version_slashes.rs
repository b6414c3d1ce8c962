//! `kapp/api-version-slashes`: an apiVersion with more than one slash.

use super::scope::Source;
use crate::model::error::What;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/api-version-slashes",
    severity: Severity::Error,
    summary: "`apiVersion` with more than one slash",
    docs: include_str!("../../../../../docs/rules/kapp/api-version-slashes.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for (item, r) in source.notable() {
        let Some(place) = r.api_version.place.filter(|_| r.panics() && r.config.is_none()) else {
            continue;
        };
        let text = format!(
            "invalid `apiVersion` `{}`: more than one slash",
            r.api_version.value
        );
        let d = Diagnostic::new(&RULE, source.at(item, place), text);
        found.push(source.rejected(d, "crash", What::ApiVersion, Some(item)));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: a/b/c
kind: Foo
metadata:
  name: m
",
            &["a/b/c"],
            "\
apiVersion: a.com/b
kind: Foo
metadata:
  name: m
",
        );
    }
}
