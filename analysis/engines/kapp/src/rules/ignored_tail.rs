//! `kapp/ignored-tail`: text that kapp does not read.

use super::scope::Source;
use crate::read::ProblemKind;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/ignored-tail",
    severity: Severity::Warning,
    summary: "Text that kapp ignores",
    docs: include_str!("../../../../../docs/rules/kapp/ignored-tail.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let problems = source.problems();
    for (place, _) in problems.filter(|(_, problem)| problem.kind == ProblemKind::IgnoredTail) {
        let d = Diagnostic::new(&RULE, place, "ignored text: the document ends before it")
            .note("a line with `---` starts a new document");
        found.push(Finding::new(d));
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
