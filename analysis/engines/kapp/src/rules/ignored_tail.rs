//! `kapp/ignored-tail`: text that kapp does not read.

use crate::facts::ProblemKind;
use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/ignored-tail",
    severity: Severity::Warning,
    summary: "Text that kapp does not read",
    docs: include_str!("../../../../../docs/rules/kapp/ignored-tail.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per text behind the end of a document.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.problems()
        .into_iter()
        .filter(|(_, problem)| problem.kind == ProblemKind::IgnoredTail)
        .map(|(place, _)| {
            Diagnostic::new(
                &RULE,
                place,
                "kapp does not read this: the document ends before it",
            )
            .note("`---` on a line of its own starts a new document")
        })
        .collect()
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
metadata: {name: m}
...
a: b
",
            &["a: b"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
",
        );
        speaks(
            &RULE,
            Severity::Warning,
            r#"  apiVersion: v1
  kind: ConfigMap
  metadata: {name: m}
data: {}
"#,
            &["d"],
            r#"  apiVersion: v1
  kind: ConfigMap
  metadata: {name: m}
  data: {}
"#,
        );
    }
}
