//! `kapp/labels-shape`: kapp cannot write its labels.

use crate::diagnostic::{Diagnostic, Severity};
use crate::engines::kapp::resolve::View;
use crate::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/labels-shape",
    severity: Severity::Error,
    summary: "kapp cannot write its labels",
    docs: "\
## What it does\n\
Reports `metadata.labels`, and the labels and selectors of workloads, that are not mappings.\n\
\n\
## Why is this bad?\n\
kapp writes its own labels there.\n\
\n\
## Example\n\
```yaml\n\
metadata:\n\
\x20 labels: [app]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
metadata:\n\
\x20 labels:\n\
\x20   app: \"\"\n\
```\n\
\n\
## What kapp says\n\
`StringMapAppendMod for path ...: Unexpected non-map found`.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// One finding per resource whose labels kapp cannot write.
pub(crate) fn check(view: &View<'_>) -> Vec<Diagnostic> {
    view.preparation
        .notable
        .iter()
        .filter_map(|item| {
            let r = view.loaded.resource(*item)?;
            let fault = r.label_fault.as_ref()?;
            let path = fault.path.replace(',', ".");
            let text = format!("kapp writes labels at `{path}`, and cannot: {}", fault.message);
            let d = Diagnostic::new(&RULE, view.at(*item, fault.place), text);
            Some(view.enforced(d, "label", Some(*item), None))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::diagnostic::Severity;
    use crate::engines::kapp::tests::speaks;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  labels: [a]
",
            &["[a]"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: m
  labels: {a: b}
",
        );
    }
}
