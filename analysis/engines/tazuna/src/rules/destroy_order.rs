//! `tazuna/destroy-order`: `destroy` removes dependencies first.

use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::engine::Unit;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/destroy-order",
    severity: Severity::Hint,
    summary: "`destroy` removes dependencies first",
    docs: "\
## What it does\n\
Says, once per project, that `destroy` removes a manifest before one that needs it.\n\
\n\
## Why is this bad?\n\
`tazuna destroy` goes through the list from top to bottom, one after the other. It does not turn the order round and does not look at `dependsOn`, so what others need goes first.\n\
\n\
## Example\n\
```yaml\n\
- name: db\n\
- name: app\n\
\x20 dependsOn: [db]   # destroyed after db\n\
```\n\
\n\
## Use instead\n\
Nothing to write; destroy by hand, or with `--tags`, where the order matters.\n\
\n\
## What Tazuna says\n\
Nothing. An unknown name or a cycle in `dependsOn` does not stop `destroy` either.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at the key `dependsOn` of `unit`, which is destroyed after the `target` that it needs.
pub(crate) fn diagnostic(place: Place, unit: &Unit, target: &Unit) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        place,
        format!(
            "`destroy` goes by the list and removes `{}` before `{}`, which needs it",
            target.name, unit.name
        ),
    )
    .related(target.name_place.unwrap_or(target.header), "destroyed first")
    .note("it does not look at `dependsOn`; Tazuna says nothing")
    .unit(unit.name.clone())
    .unit(target.name.clone())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn the_list_removes_what_is_needed_first() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
",
            ),
            "hint tazuna.yaml:9 «dependsOn»: `destroy` goes by the list and removes `a` before `b`, which needs it
  tazuna.yaml:3 «a»: destroyed first
  note: it does not look at `dependsOn`; Tazuna says nothing
"
        );
    }

    #[test]
    fn a_list_that_ends_with_what_is_needed() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
    - name: a
      type: kustomize
      path: .
",
            ),
            ""
        );
    }
}
