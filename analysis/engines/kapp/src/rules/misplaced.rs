//! `kapp/misplaced`: a group or rule where kapp does not look for it.

use crate::facts::Text;
use crate::resolve::View;
use crate::resolve::load::Item;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/misplaced",
    severity: Severity::Warning,
    summary: "A group or rule where kapp does not look for it",
    docs: include_str!("../../../../../docs/rules/kapp/misplaced.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per key of kapp's where nobody reads it.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    for item in view.notable() {
        let Some(r) = view.loaded.resource(item) else {
            continue;
        };
        for (key, where_) in &r.misplaced {
            found.push(diagnostic(view, item, key, where_));
        }
        if r.config.is_some() {
            for annotation in r.all_annotations().iter().filter(|a| a.key.orders()) {
                found.push(diagnostic(
                    view,
                    item,
                    &annotation.name,
                    "a Config, which is not ordered",
                ));
            }
        }
    }
    found
}

fn diagnostic(view: &View<'_>, item: Item, key: &Text, where_: &str) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        view.at(item, key.place),
        format!("`{}` has no effect in {where_}", key.value),
    )
    .note("kapp reads only `metadata.annotations` of the resource itself, and says nothing")
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
            Severity::Warning,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  labels: {kapp.k14s.io/change-group: g}
",
            &["kapp.k14s.io/change-group"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
