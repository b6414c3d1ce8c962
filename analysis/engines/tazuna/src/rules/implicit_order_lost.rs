//! `tazuna/implicit-order-lost`: a `dependsOn` elsewhere disables list order.

use super::Limited;
use crate::read::rebased;
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::engine::Unit;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/implicit-order-lost",
    severity: Severity::Warning,
    summary: "A `dependsOn` elsewhere disables list order",
    docs: include_str!("../../../../../docs/rules/tazuna/implicit-order-lost.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// A manifest that would run after the one above it if no other manifest had `dependsOn`.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let Some((number, part)) = super::ordered_part(source) else {
        return;
    };
    let context = source.context;
    let mut told = Limited::new(found);
    for (position, file_unit) in context.expansion.placed(number) {
        let above = context.related.lost(position);
        let above = above.and_then(|p| context.expansion.at(p as usize));
        let (Some((above, in_part)), Some(switch)) = (above, context.related.switch) else {
            continue;
        };
        let (unit, above) = (&file_unit.unit, &above.unit);
        if unit.name.is_empty() || above.name.is_empty() || !in_part.brief.is_whole() {
            continue;
        }
        let key = part.piece.item(file_unit);
        let key = key.map_or(unit.header, |(item, base)| rebased(item.manifest.last_key, base));
        told.tell(unit.header, || diagnostic(unit, above, switch, key));
    }
    told.finish();
}

/// The finding at the manifest's name.
fn diagnostic(unit: &Unit, before: &Unit, switch: Place, key: Place) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        unit.place(),
        format!(
            "manifest `{}` does not wait for `{}` above it",
            unit.name, before.name
        ),
    )
    .related(switch, "this `dependsOn` disables list order")
    .note("once any manifest has `dependsOn`, those without it start immediately")
    .unit(unit.name.clone())
    .fix(
        format!("add `dependsOn: [{}]`", before.name),
        Safety::Unsafe,
        vec![FixStep::InsertKeyAfter(
            key,
            "dependsOn".to_owned(),
            format!("[{}]", before.name),
        )],
    )
    .fix(
        "add `dependsOn: []`",
        Safety::Safe,
        vec![FixStep::InsertKeyAfter(
            key,
            "dependsOn".to_owned(),
            "[]".to_owned(),
        )],
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn one_dependency_lets_the_others_start_together() {
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
    - name: c
      type: kustomize
      path: .
      dependsOn: [a]
",
            ),
            "warning tazuna.yaml:6 «b»: manifest `b` does not wait for `a` above it
  tazuna.yaml:12 «dependsOn»: this `dependsOn` disables list order
  note: once any manifest has `dependsOn`, those without it start immediately
  unsafe fix: add `dependsOn: [a]`
    tazuna.yaml:9 +      dependsOn: [a]
  safe fix: add `dependsOn: []`
    tazuna.yaml:9 +      dependsOn: []
"
        );
    }

    #[test]
    fn a_list_without_any() {
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
",
            ),
            ""
        );
    }

    #[test]
    fn an_empty_list_says_that_it_is_meant() {
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
      dependsOn: []
    - name: c
      type: kustomize
      path: .
      dependsOn: [a]
",
            ),
            ""
        );
    }
}
