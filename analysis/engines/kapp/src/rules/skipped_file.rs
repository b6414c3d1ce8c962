//! `kapp/skipped-file`: a file that looks like YAML and is not read.

use crate::resolve::View;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/skipped-file",
    severity: Severity::Hint,
    summary: "A file that looks like YAML and is not read",
    docs: include_str!("../../../../../docs/rules/kapp/skipped-file.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One hint per file whose extension kapp does not accept.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.loaded
        .skipped
        .iter()
        .map(|file| {
            let path = view.cx.path(*file);
            let extension = path.extension().unwrap_or("");
            let text = format!(
                "kapp does not read files that end in `.{extension}`, only `.yaml`, `.yml` and `.json`"
            );
            Diagnostic::new(&RULE, Place::file(*file), text)
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
            Severity::Hint,
            "\
//- d/a.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
---
//- d/b.YAML
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
",
            &[""],
            "\
//- d/a.yaml
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
---
//- d/b.txt
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
",
        );
    }
}
