//! `tazuna/destroy-order`: `destroy` removes dependencies first.

use crate::scope::Whole;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::engine::Unit;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/destroy-order",
    severity: Severity::Hint,
    summary: "`destroy` removes dependencies first",
    docs: include_str!("../../../../../docs/rules/tazuna/destroy-order.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the first dependency that `destroy` removes before what needs it.
pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let related = whole.context.related;
    if related.root_is_certain && related.dag {
        found.extend(related.backward.and_then(|position| first(whole, position)));
    }
}

fn first(whole: &Whole<'_>, position: u32) -> Option<Finding> {
    let related = whole.context.related;
    let (unit, part) = whole.context.expansion.at(position as usize)?;
    let mut needs = related.needs(position, unit, part);
    let (need, target) = needs.find_map(|(need, target)| Some((need, target.filter(|t| *t < position)?)))?;
    let place = related.needs_key(position).unwrap_or(need.place);
    Some(Finding::new(diagnostic(place, &unit.unit, related.unit(target)?)))
}

/// The finding at the key `dependsOn` of `unit`, which is destroyed after the `target` that it needs.
fn diagnostic(place: Place, unit: &Unit, target: &Unit) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        place,
        format!(
            "`destroy` removes `{}` before its dependent `{}`",
            target.name, unit.name
        ),
    )
    .related(target.place(), "destroyed first")
    .note("`destroy` follows list order and ignores `dependsOn`")
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
            "hint tazuna.yaml:9 «dependsOn»: `destroy` removes `a` before its dependent `b`
  tazuna.yaml:3 «a»: destroyed first
  note: `destroy` follows list order and ignores `dependsOn`
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
