//! `tazuna/order-contradicts-declaration`: a dependency is listed later.

use super::Limited;
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::engine::Unit;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/order-contradicts-declaration",
    severity: Severity::Info,
    summary: "A dependency is listed later",
    docs: include_str!("../../../../../docs/rules/tazuna/order-contradicts-declaration.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the entry.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let mut told = Limited::new(found);
    for entry in super::entries(source).filter(|e| e.target > e.position) {
        told.tell(entry.need.place, || {
            diagnostic(entry.need.place, &entry.unit.unit, &entry.to.unit)
        });
    }
    told.finish();
}

fn diagnostic(place: Place, unit: &Unit, target: &Unit) -> Diagnostic {
    let d = Diagnostic::new(
        &RULE,
        place,
        format!("dependency `{}` is listed later", target.name),
    )
    .related(target.place(), "here")
    .note("`destroy`, `build` and `plan` follow list order")
    .unit(unit.name.clone())
    .unit(target.name.clone());
    // Manifests of two files are ordered by the order of their includes.
    if unit.header.file != target.header.file {
        return d;
    }
    d.fix(
        format!("move `{}` after `{}`", unit.name, target.name),
        Safety::Unsafe,
        vec![FixStep::MoveEntryAfter(unit.header, target.header)],
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_dependency_is_listed_later() {
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
      dependsOn: [b]
    - name: b
      type: kustomize
      path: .
",
            ),
            "info tazuna.yaml:6 «b»: dependency `b` is listed later
  tazuna.yaml:7 «b»: here
  note: `destroy`, `build` and `plan` follow list order
  unsafe fix: move `a` after `b`
    tazuna.yaml:3 -    - name: a
    tazuna.yaml:4 -      type: kustomize
    tazuna.yaml:5 -      path: .
    tazuna.yaml:6 -      dependsOn: [b]
    tazuna.yaml:7 -    - name: b
    tazuna.yaml:8 -      type: kustomize
    tazuna.yaml:9 -      path: .
    tazuna.yaml:3 +    - name: b
    tazuna.yaml:4 +      type: kustomize
    tazuna.yaml:5 +      path: .
    tazuna.yaml:6 +    - name: a
    tazuna.yaml:7 +      type: kustomize
    tazuna.yaml:8 +      path: .
    tazuna.yaml:9 +      dependsOn: [b]
"
        );
    }

    #[test]
    fn above() {
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
    - name: a
      type: kustomize
      path: .
      dependsOn: [b]
",
            ),
            ""
        );
    }
}
