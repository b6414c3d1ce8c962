//! `unknown-dependency`: a rule whose group has no members. One whose group has members that never match it is
//! `inert-dependency`.

use rustc_hash::FxHashMap;

use super::scope::{Leads, Project, Source, Written};
use crate::grammar::{Op, Order};
use crate::model::uses::{RuleUse, Source as Origin};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{inert_dependency, unknown_dependency};

/// Rules whose group has no members, only members that are `noop`, or only members whose operation never
/// matches theirs.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    for written in source.written_rules() {
        let Written { rule, .. } = written;
        let place = source.group_place(&written);
        let d = nowhere(
            &source.leads(&written),
            rule,
            source.group_name(rule.group),
            place,
        );
        found.extend(d.map(Finding::new));
    }
}

/// The same for the rules of Configs, which apply to many resources: they have a target if they do for one of
/// them.
pub(super) fn check_configs(project: &Project<'_>, found: &mut Vec<Finding>) {
    if project.model.bindings.configs.is_empty() {
        return;
    }
    let mut first: FxHashMap<Origin, usize> = FxHashMap::default();
    let mut told: Vec<Option<Diagnostic>> = Vec::new();
    for unit in project.units() {
        for rule in unit.own.config_rules() {
            let known = first.get(&rule.source).and_then(|at| told.get_mut(*at));
            if known.as_ref().is_some_and(|known| known.is_none()) {
                continue;
            }
            let leads = project.leads(unit.change, rule);
            match known {
                Some(known) if leads == Leads::Somewhere => *known = None,
                Some(_) => {}
                None => {
                    if let Some(place) = project.group_place(unit.change, rule.source) {
                        first.insert(rule.source, told.len());
                        told.push(nowhere(&leads, rule, project.group_name(rule.group), place));
                    }
                }
            }
        }
    }
    found.extend(told.into_iter().flatten().map(Finding::new));
}

fn nowhere(leads: &Leads, rule: &RuleUse, name: &str, place: Place) -> Option<Diagnostic> {
    let unknown = |text: String| {
        Diagnostic::new(&unknown_dependency::RULE, place, text)
            .severity(Severity::Warning)
            .unit(name.into())
            .note("kapp ignores the rule")
    };
    Some(match leads {
        Leads::Somewhere => return None,
        Leads::Nowhere(near) => {
            let d = unknown(format!("change group `{name}` has no members"));
            match near {
                Some(near) => d.did_you_mean(near, FixStep::Replace(place, near.to_string())),
                None => d,
            }
        }
        Leads::Idle => unknown(format!("all members of change group `{name}` are `noop`")),
        Leads::Inert => {
            let (own, other) = match rule.action {
                Op::Upsert => ("is applied", "are deleted"),
                _ => ("is deleted", "are applied"),
            };
            let when = match rule.order {
                Order::After => "after",
                Order::Before => "before",
            };
            Diagnostic::new(
                &inert_dependency::RULE,
                place,
                "rule has no effect on a first deploy or `kapp delete`",
            )
            .note(format!(
                "applies only when the resource {own} ({when}) and members of `{name}` {other} in the same deploy"
            ))
        }
    })
}
