//! The fix for a cycle through one of kapp's own required rules: a resource opts out of the default rules.

use rustc_hash::FxHashSet;

use super::scope::Project;
use crate::compare::Change;
use crate::defaults::OPT_OUT;
use crate::grammar::Op;
use crate::model::uses::{RuleUse, Source};
use crate::read::Resource;
use crate::relate::Operation;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::Sym;

/// The maximum number of resources of a cycle that are offered to opt out of the default rules.
const OPT_OUTS: usize = 4;

/// A cycle through one of kapp's own required rules is cut if its owner opts out of the default rules.
pub(super) fn with_opt_outs(
    project: &Project<'_>,
    operation: &Operation,
    members: &[UnitIx],
    mut d: Diagnostic,
) -> Diagnostic {
    let at = |unit: &UnitIx| {
        let change = operation.changes.get(unit.0 as usize)?;
        Some((change, operation.uses.changes.get(unit.0 as usize)?))
    };
    let mut joined: FxHashSet<(Sym, Op)> = FxHashSet::default();
    for (change, own) in members.iter().filter_map(at) {
        joined.extend(own.groups.iter().map(|g| (g.group, change.op)));
    }
    let joins = |rule: &RuleUse| joined.contains(&(rule.group, rule.target));
    let owners = members.iter().filter(|unit| {
        at(unit).is_some_and(|(change, own)| {
            let mut required = own.rules().filter(|r| !r.optional && r.action == change.op);
            required.any(|r| matches!(r.source, Source::Default(..)) && joins(r))
        })
    });
    for unit in owners.take(OPT_OUTS) {
        let Some((change, _)) = at(unit) else { continue };
        let step = project
            .model
            .resource(change)
            .and_then(|r| opt_out(project, change, r));
        let name = project.name(unit.0);
        if let Some(step) = step {
            d = d.fix(
                format!("opt `{name}` out of kapp's default rules"),
                Safety::Unsafe,
                vec![step],
            );
        }
    }
    d
}

/// The annotation by which a resource opts out, if there is a key to write it next to.
fn opt_out(project: &Project<'_>, change: &Change, r: &Resource) -> Option<FixStep> {
    if let Some(last) = r.all_annotations().last() {
        let place = project.of_change(change, last.name.place);
        return Some(FixStep::InsertKeyAfter(
            place,
            OPT_OUT.to_owned(),
            "\"\"".to_owned(),
        ));
    }
    let place = project.of_change(change, r.namespace_key?);
    Some(FixStep::InsertKeyAfter(
        place,
        "annotations".to_owned(),
        format!("{{{OPT_OUT}: \"\"}}"),
    ))
}

#[cfg(test)]
mod tests {
    use crate::tests::{app, fixed, of_rule};
    use applyorder_core::engine::RunOptions;

    const NAMESPACE: &str = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: one\n  annotations:\n    kapp.k14s.io/change-rule: upsert after upserting g\n---\n";

    fn cycles(text: &str) -> usize {
        of_rule(&app(text, RunOptions::default()), "cycle").len()
    }

    #[test]
    fn a_resource_that_waits_by_default_can_opt_out() {
        let text = format!(
            "{NAMESPACE}apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: one\n  annotations:\n    kapp.k14s.io/change-group: g\n"
        );
        assert_eq!(cycles(&text), 1);
        let after = fixed(&text, "cycle", "opt `Service/a@one` out of kapp's default rules");
        assert_eq!(
            after,
            format!("{text}    kapp.k14s.io/disable-default-change-group-and-rules: \"\"\n")
        );
        assert_eq!(cycles(&after), 0);
    }

    #[test]
    fn a_member_by_a_binding_gets_annotations() {
        let text = format!(
            "{NAMESPACE}apiVersion: v1\nkind: Service\nmetadata:\n  name: a\n  namespace: one\n---\napiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings:\n- name: g\n  resourceMatchers: [{{apiVersionKindMatcher: {{apiVersion: v1, kind: Service}}}}]\n"
        );
        assert_eq!(cycles(&text), 1);
        let after = fixed(&text, "cycle", "opt `Service/a@one` out of kapp's default rules");
        assert_eq!(cycles(&after), 0, "{after}");
    }
}
