//! `redundant-dependency`: a rule with the same meaning as another one of the same resource.

use rustc_hash::FxHashSet;

use super::scope::Source;
use crate::grammar::{Op, Order};
use crate::model::uses::{RuleUse, Source as Origin};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::redundant_dependency;

/// Rules with the same meaning as another of the same resource.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for unit in source.units() {
        let key = |rule: &RuleUse| (rule.action, rule.order, rule.target, rule.group);
        // Required rules come first: an optional rule implies nothing.
        let required = unit.own.rules().filter(|r| !r.optional);
        let default = required.filter(|r| matches!(r.source, Origin::Default(..)));
        let mut seen: FxHashSet<(Op, Order, Op, Sym)> = default.map(key).collect();
        for rule in &unit.own.own_rules {
            let Some((annotation, text)) = source.own_text(&unit, rule.source) else {
                continue;
            };
            if seen.insert(key(rule)) {
                continue;
            }
            let place = source.of_change(&unit, text.words.map_or(text.place, |w| w[3]));
            let d = Diagnostic::new(
                &redundant_dependency::RULE,
                place,
                format!(
                    "another rule of this resource already orders it against `{}`",
                    source.group_name(rule.group)
                ),
            )
            .fix(
                "remove the rule",
                Safety::Unsafe,
                vec![FixStep::RemoveKey(source.of_change(&unit, annotation.name.place))],
            );
            found.push(Finding::new(d));
        }
    }
}
