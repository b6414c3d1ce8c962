//! The members of groups, and what that means for the rules that refer to them.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use super::variant::is_written;
use super::{Operation, bound};
use crate::grammar::Op;
use crate::model::Model;
use crate::model::uses::{ChangeUses, GroupUse, Source, Uses};
use applyorder_core::layer::Sym;

/// A group as seen by the rules that refer to it.
#[derive(Debug, Default)]
pub(crate) struct Group {
    /// Its members, by change.
    pub(crate) members: Vec<u32>,
    /// Whether one of its members is active in some run.
    has_active: bool,
    /// Whether some awaited member is not done immediately after it is applied.
    has_strong: bool,
    /// Whether one of its members has no namespace.
    has_cluster: bool,
    /// The namespaces of its members, ascending.
    namespaces: Vec<Arc<str>>,
    /// Whether it has members independent of any Config.
    is_known_to_delete: bool,
    /// Whether a rule refers to it.
    pub(crate) is_used: bool,
    /// Whether a written rule does.
    is_named: bool,
    /// Whether another app of the workspace declares it.
    is_of_another_app: bool,
}

impl Group {
    /// Whether it has no members, here or in another app that was searched.
    pub(crate) fn is_unknown(&self) -> bool {
        self.members.is_empty() && !self.is_of_another_app
    }

    /// Whether it has members, all of which kapp leaves unchanged.
    pub(crate) fn is_idle(&self) -> bool {
        !self.members.is_empty() && !self.has_active
    }

    /// Whether it has members, and each counts as done once it is applied.
    pub(crate) fn is_weak(&self) -> bool {
        !self.members.is_empty() && !self.has_strong
    }

    /// Whether it has members, all of them in other namespaces.
    pub(crate) fn is_elsewhere(&self, namespace: &str) -> bool {
        let same = |other: &Arc<str>| (**other).cmp(namespace);
        !self.members.is_empty() && !self.has_cluster && self.namespaces.binary_search_by(same).is_err()
    }

    /// Whether it has members only because of Configs, which `kapp delete` does not read.
    pub(crate) fn is_of_configs(&self) -> bool {
        !self.members.is_empty() && !self.is_known_to_delete
    }
}

/// The maximum number of pairs of groups that are compared by name.
const MAX_COMPARED: usize = 4_000_000;

/// The groups of a deploy.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: Vec<Group>,
    /// By group, those that its members name in rules for deletion, ascending.
    deletions: OnceLock<Vec<Vec<Sym>>>,
    /// Whether there are too many groups without members to search for similar names.
    pub(crate) has_many_unknown: bool,
    /// Groups with members whose names are similar to those of groups without.
    meant: OnceLock<FxHashSet<Sym>>,
}

impl Groups {
    pub(super) fn new(model: &Model, deploy: &Operation) -> Self {
        let uses = &deploy.uses;
        let mut groups: Vec<Group> = uses.names.iter().map(|_| Group::default()).collect();
        for rule in uses.fixed.iter().flat_map(|fixed| &fixed.rules) {
            if let Some(group) = uses.position(rule.group).and_then(|at| groups.get_mut(at)) {
                group.is_used = true;
            }
        }
        for ((unit, change), own) in (0u32..).zip(deploy.changes.iter()).zip(&uses.changes) {
            for rule in &own.own_rules {
                if let Some(group) = uses.position(rule.group).and_then(|at| groups.get_mut(at)) {
                    group.is_used = true;
                    group.is_named |= is_written(rule.source);
                }
            }
            if own.groups.is_empty() {
                continue;
            }
            let bound = bound(model, change);
            let is_active = bound.is_none_or(|bound| !bound.is_noop);
            let is_strong = bound.is_none_or(|bound| bound.weakness.is_none());
            for membership in &own.groups {
                let Some(group) = uses.position(membership.group).and_then(|at| groups.get_mut(at)) else {
                    continue;
                };
                group.is_known_to_delete |= !matches!(membership.source, Source::Config(..));
                if group.members.last() == Some(&unit) {
                    continue;
                }
                group.members.push(unit);
                group.has_active |= is_active;
                group.has_strong |= is_strong;
                if change.namespace.is_empty() {
                    group.has_cluster = true;
                } else if group.namespaces.last() != Some(&change.namespace) {
                    group.namespaces.push(change.namespace.clone());
                }
            }
        }
        for group in &mut groups {
            group.namespaces.sort_unstable();
            group.namespaces.dedup();
        }
        let unknown = groups.iter().filter(|g| g.is_named && g.members.is_empty());
        Self {
            has_many_unknown: unknown.count().saturating_mul(groups.len()) > MAX_COMPARED,
            groups,
            deletions: OnceLock::new(),
            meant: OnceLock::new(),
        }
    }

    /// The groups without members that a written rule names, as positions in [`Uses::names`].
    pub(super) fn nowhere(&self) -> Vec<usize> {
        let groups = self.groups.iter().enumerate();
        let nowhere = groups.filter(|(_, group)| group.is_named && group.members.is_empty());
        nowhere.map(|(at, _)| at).collect()
    }

    /// Records a group that another app declares.
    pub(super) fn declare(&mut self, at: usize) {
        if let Some(group) = self.groups.get_mut(at) {
            group.is_of_another_app = true;
        }
    }

    /// The groups, in the order of [`Uses::names`].
    pub(crate) fn all(&self) -> &[Group] {
        &self.groups
    }

    /// Whether a rule names a group without members that was probably meant to be this one; `near` is the group
    /// whose name is similar to that of another.
    pub(crate) fn is_meant(&self, uses: &Uses, group: Sym, near: impl Fn(Sym) -> Option<Sym>) -> bool {
        let meant = self.meant.get_or_init(|| {
            let all = uses.groups().iter().zip(&self.groups);
            let nowhere = all.filter(|(_, group)| group.is_named && group.is_unknown());
            nowhere.filter_map(|(group, _)| near(*group)).collect()
        });
        meant.contains(&group)
    }

    pub(crate) fn get(&self, uses: &Uses, group: Sym) -> Option<&Group> {
        self.groups.get(uses.position(group)?)
    }

    /// Whether the deletion of a change is ordered against the members of a group, by its own rules or by one
    /// of theirs.
    pub(crate) fn orders_deletion(&self, uses: &Uses, own: &ChangeUses, group: Sym) -> bool {
        if deletions(own).any(|named| named == group) {
            return true;
        }
        let by_group = self.deletions.get_or_init(|| all_deletions(uses));
        let named = uses.position(group).and_then(|at| by_group.get(at));
        let is_named = |own: &GroupUse| named.is_some_and(|named| named.binary_search(&own.group).is_ok());
        own.groups.iter().any(is_named)
    }
}

/// The members of a group mostly name the same groups, one after the other.
const NAMED_BEFORE: usize = 8;

fn all_deletions(uses: &Uses) -> Vec<Vec<Sym>> {
    let mut all: Vec<Vec<Sym>> = vec![Vec::new(); uses.names.len()];
    for own in &uses.changes {
        for named in deletions(own) {
            for group in &own.groups {
                if let Some(list) = uses.position(group.group).and_then(|at| all.get_mut(at))
                    && !list.iter().rev().take(NAMED_BEFORE).any(|known| *known == named)
                {
                    list.push(named);
                }
            }
        }
    }
    for list in &mut all {
        list.sort_unstable();
        list.dedup();
    }
    all
}

fn deletions(own: &ChangeUses) -> impl Iterator<Item = Sym> + Clone + '_ {
    let rules = own.own_rules.iter().filter(|r| r.action == Op::Delete);
    rules.map(|r| r.group).chain(own.fixed.deletions.iter().copied())
}
