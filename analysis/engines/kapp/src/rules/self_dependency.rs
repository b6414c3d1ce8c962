//! `self-dependency`: a rule whose own resource is in its group.

use std::cell::LazyCell;

use rustc_hash::FxHashMap;

use super::Told;
use super::operations::{by, is_own, operations, with_commands};
use super::opt_out::with_opt_outs;
use super::scope::Project;
use crate::compare::Change;
use crate::grammar::Op;
use crate::model::uses::{GroupUse, RuleUse, Source as Origin};
use crate::relate::Operation;
use applyorder_core::diagnostic::{Diagnostic, FileId, FixStep, Place, Safety};
use applyorder_core::engine::UnitIx;
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::self_dependency;

/// Rules whose own resource is in their group.
pub(super) fn check(project: &Project<'_>, found: &mut Vec<Finding>) {
    let mut told = Told::default();
    for rejecting in operations(project) {
        let operation = rejecting.1;
        let sizes = LazyCell::new(|| sizes(operation));
        for ((unit, change), own) in (0u32..)
            .zip(operation.changes.iter())
            .zip(&operation.uses.changes)
        {
            // The first source of membership in each group.
            let joined = LazyCell::new(|| -> FxHashMap<Sym, &GroupUse> {
                own.groups.iter().rev().map(|g| (g.group, g)).collect()
            });
            let awaiting = |r: &&RuleUse| r.action == change.op && r.target == change.op && !r.optional;
            for rule in own.rules().filter(awaiting) {
                let Some(member) = joined.get(&rule.group) else {
                    continue;
                };
                let own = Own {
                    unit,
                    change,
                    rule,
                    member: member.source,
                    has_others: sizes.get(&(rule.group, rule.target)).copied().unwrap_or(0) > 1,
                };
                let place = own.place(project);
                let is_reported = |cycle: &[u32]| is_own(cycle) && cycle.last() == Some(&unit);
                let by = by(project, rejecting, is_reported);
                told.add(place, vec![by], || own.finding(project, operation, place));
            }
        }
    }
    found.extend(told.found.into_iter().map(|(d, by)| with_commands(d, by)));
}

/// How many changes of each operation are in each group.
fn sizes(operation: &Operation) -> FxHashMap<(Sym, Op), u32> {
    let mut sizes: FxHashMap<(Sym, Op), u32> = FxHashMap::default();
    for (change, own) in operation.changes.iter().zip(&operation.uses.changes) {
        for group in &own.groups {
            *sizes.entry((group.group, change.op)).or_default() += 1;
        }
    }
    sizes
}

/// A change that waits for itself.
struct Own<'a> {
    unit: u32,
    change: &'a Change,
    rule: &'a RuleUse,
    /// What makes it a member of the rule's group.
    member: Origin,
    /// Whether the group has other members.
    has_others: bool,
}

impl Own<'_> {
    /// The reported place: the rule, or the membership if kapp creates the rule.
    fn place(&self, project: &Project<'_>) -> Place {
        let member = || project.member_place(self.change, self.member);
        let name = || project.name_place(self.unit);
        let place = project.group_place(self.change, self.rule.source);
        place
            .or_else(member)
            .or_else(name)
            .unwrap_or(Place::file(FileId(0)))
    }

    fn finding(&self, project: &Project<'_>, operation: &Operation, place: Place) -> Diagnostic {
        let name = project.name(self.unit);
        let group = project.group_name(self.rule.group);
        let text = format!("`{name}` depends on its own change group `{group}`");
        let mut d = Diagnostic::new(&self_dependency::RULE, place, text).unit(name.clone());
        if let Some(joins) = project
            .member_place(self.change, self.member)
            .filter(|joins| *joins != place)
        {
            d = d.related(joins, format!("`{name}` joins the group here"));
        }
        if self.has_others {
            d = d.note("the group has other members: those to wait for need a group of their own");
        }
        if let Origin::Default(binding, number) = self.rule.source {
            let rule = project.default_rule(binding, number);
            d = d.note(format!(
                "kapp's default rule `{rule}` makes the resource wait for the group"
            ));
            if let Some((annotation, _)) = project.own_text(self.change, self.member) {
                let key = project.of_change(self.change, annotation.name.place);
                let step = FixStep::RemoveKey(key);
                d = d.fix("remove the group", Safety::Unsafe, vec![step]);
            }
            return with_opt_outs(project, operation, &[UnitIx(self.unit)], d);
        }
        match project.own_text(self.change, self.rule.source) {
            Some((annotation, _)) => {
                let key = project.of_change(self.change, annotation.name.place);
                d.fix("remove the rule", Safety::Unsafe, vec![FixStep::RemoveKey(key)])
            }
            None => d,
        }
    }
}
