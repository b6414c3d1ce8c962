//! The graph of one operation: required rules, cycles, optional rules, layers (kapp, building the graph).

use std::sync::Arc;

use super::Failure;
use super::bindings::Sets;
use super::changes::Change;
use super::uses::{ChangeUses, RuleUse, Source, Uses};
use super::walk::Walk;
use crate::grammar::{Op, Order};
use applyorder_core::graph::{
    Dropped, EdgeKind, GraphBuilder, Member, NodeId, NodeKind, OrderGraph, Relation, Relations, Side,
};
use applyorder_core::rules;

/// A rule of a change that acts in this run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) owner: u32,
    pub(crate) order: Order,
    /// The group with the operation of its members.
    pub(crate) key: usize,
    pub(crate) weight: i32,
    pub(crate) source: Source,
}

/// The number of a group's members with one operation.
pub(crate) const fn key_of(group: u32, op: Op) -> usize {
    (group as usize) * 2 + (matches!(op, Op::Delete)) as usize
}

/// An optional edge that was left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftOut {
    pub(crate) rule: Source,
    pub(crate) owner: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// The outcome of the graph stage.
#[derive(Clone, Debug)]
pub(crate) struct Built {
    /// Node `i` is change `i`; with required edges only on a cycle.
    pub(crate) graph: Arc<OrderGraph>,
    /// The changes on the way to the first repetition, the repeated one last.
    pub(crate) cycle: Option<Vec<u32>>,
    /// kapp's error.
    pub(crate) failure: Option<Failure>,
    /// Some of the optional edges that were left out.
    pub(crate) left_out: Vec<LeftOut>,
    /// Whether the budget for optional edges ended.
    pub(crate) unresolved: bool,
}

/// How many edges that were left out are kept for reports.
const KEPT: usize = 200;

/// The kinds of edges, by where rules and memberships come from.
pub(crate) trait Kinds {
    /// Of a rule of a change.
    fn rule(&self, change: u32, rule: &RuleUse) -> EdgeKind;
    /// Of a membership.
    fn member(&self, change: u32, group: u32, source: Source) -> EdgeKind;
}

/// Builds the graph of some changes. `all_there`: whether what is left alone is among kapp's changes; its
/// annotations are read then. `budget`: the steps that dropping optional edges may take.
pub(crate) fn build(
    sets: Sets<'_>,
    changes: &[Change],
    uses: &Uses,
    kinds: &dyn Kinds,
    all_there: bool,
    mut budget: u64,
) -> Built {
    let there = |(change, _): &(usize, &ChangeUses)| {
        all_there || changes.get(*change).is_some_and(|c| c.op != Op::Noop)
    };
    let mut failure = first_rule_error(uses, there);
    let kept = changes
        .iter()
        .zip(&uses.changes)
        .flat_map(|(c, own)| own.rules.iter().filter(|r| r.action == c.op));
    let (all, dropped) = kept.fold((0, 0), |(all, some), r| (all + 1, some + usize::from(r.optional)));
    let mut required: Vec<(Pair, EdgeKind)> = Vec::with_capacity(all - dropped);
    let mut optional: Vec<(Pair, EdgeKind)> = Vec::with_capacity(dropped);
    for ((owner, change), own) in (0u32..).zip(changes).zip(&uses.changes) {
        for rule in own.rules.iter().filter(|r| r.action == change.op) {
            let pair = Pair {
                owner,
                order: rule.order,
                key: key_of(rule.group, rule.target),
                weight: rule.weight,
                source: rule.source,
            };
            let list = if rule.optional {
                &mut optional
            } else {
                &mut required
            };
            list.push((pair, kinds.rule(owner, rule)));
        }
    }
    if failure.is_none() {
        let pass = if !required.is_empty() {
            Some("required")
        } else if !optional.is_empty() {
            Some("optional")
        } else {
            None
        };
        failure = pass.and_then(|pass| first_group_error(uses, pass, there));
    }
    // Stable: ties keep the order of changes.
    required.sort_by_key(|(pair, _)| std::cmp::Reverse(pair.weight));
    optional.sort_by_key(|(pair, _)| std::cmp::Reverse(pair.weight));

    let (members, lists) = memberships(changes, uses, kinds);
    let mut builder = GraphBuilder::with_capacity(changes.len(), 4 * changes.len());
    for (unit, change) in (0u32..).zip(changes) {
        match change.op {
            Op::Noop => builder.node(NodeKind::Removed(unit)),
            Op::Upsert | Op::Delete => builder.unit(unit),
        };
    }
    let pairs: Vec<Pair> = required.iter().map(|(pair, _)| *pair).collect();
    let groups = |node: u32| {
        let own = uses.changes.get(node as usize).map_or(&[][..], |c| &c.groups);
        (own, changes.get(node as usize).map_or(Op::Noop, |c| c.op))
    };
    let cycle = Walk {
        pairs: &pairs,
        members: &lists,
        groups: &groups,
        changes: changes.len(),
    }
    .first_cycle();

    let mut relations = Relations::new(builder, members);
    let relation = |(pair, kind): &(Pair, EdgeKind)| Relation {
        owner: NodeId(pair.owner),
        group: u32::try_from(pair.key).unwrap_or(u32::MAX),
        side: match pair.order {
            Order::After => Side::OwnerWaits,
            Order::Before => Side::GroupWaits,
        },
        kind: *kind,
        weight: pair.weight,
    };
    let populated = |pair: &Pair| lists.get(pair.key).is_some_and(|l| !l.is_empty());
    for pair in required.iter().filter(|(pair, _)| populated(pair)) {
        relations.require(&relation(pair));
    }
    if let Some(cycle) = cycle {
        failure.get_or_insert_with(|| cycle_failure(sets, changes, &cycle));
        return Built {
            graph: Arc::new(relations.finish()),
            cycle: Some(cycle),
            failure,
            left_out: Vec::new(),
            unresolved: false,
        };
    }
    let (mut left_out, mut unresolved) = (Vec::new(), false);
    optional.retain(|(pair, _)| populated(pair));
    for batch in optional.chunk_by(|a, b| a.0.weight == b.0.weight) {
        let rows: Vec<Relation> = batch.iter().map(relation).collect();
        let done = relations.add_optional(&rows, &mut budget, |dropped: Dropped| {
            if left_out.len() < KEPT
                && let Some((pair, _)) = batch.get(dropped.relation as usize)
            {
                left_out.push(LeftOut {
                    rule: pair.source,
                    owner: pair.owner,
                    from: dropped.from.0,
                    to: dropped.to.0,
                });
            }
        });
        if done.is_err() {
            unresolved = true;
            break;
        }
    }
    Built {
        graph: Arc::new(relations.finish()),
        cycle: None,
        failure,
        left_out,
        unresolved,
    }
}

/// Members by group and operation: for the graph, and as numbers of changes.
fn memberships(changes: &[Change], uses: &Uses, kinds: &dyn Kinds) -> (Vec<Vec<Member>>, Vec<Vec<u32>>) {
    let count = uses.names.len() * 2;
    let mut members: Vec<Vec<Member>> = vec![Vec::new(); count];
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
    for ((number, change), own) in (0u32..).zip(changes).zip(&uses.changes) {
        if change.op == Op::Noop {
            continue;
        }
        for group in &own.groups {
            let key = key_of(group.group, change.op);
            let (Some(list), Some(members)) = (lists.get_mut(key), members.get_mut(key)) else {
                continue;
            };
            // A change can be in a group by two ways.
            if list.last() == Some(&number) {
                continue;
            }
            list.push(number);
            members.push(Member {
                node: NodeId(number),
                kind: kinds.member(number, group.group, group.source),
            });
        }
    }
    (members, lists)
}

fn use_failure(error: &super::uses::UseError, pass: &str, change: usize) -> Failure {
    let change = u32::try_from(change).unwrap_or(u32::MAX);
    if error.panics {
        return Failure::new(
            "crash",
            &super::super::rules::empty_matcher::RULE,
            error.message.clone(),
        )
        .of_change(change);
    }
    let rule = match error.what {
        super::uses::Wrong::Group | super::uses::Wrong::Rule(crate::grammar::Fault::Group(_)) => {
            &rules::invalid_name::RULE
        }
        _ => &rules::invalid_value::RULE,
    };
    Failure::new(
        "graph",
        rule,
        format!("Change graph: Calculating {pass} deps: {}", error.message),
    )
    .of_change(change)
}

fn first_rule_error(uses: &Uses, there: impl Fn(&(usize, &ChangeUses)) -> bool) -> Option<Failure> {
    uses.changes
        .iter()
        .enumerate()
        .filter(there)
        .find_map(|(i, own)| Some(use_failure(own.rule_error.as_ref()?, "required", i)))
}

fn first_group_error(
    uses: &Uses,
    pass: &str,
    there: impl Fn(&(usize, &ChangeUses)) -> bool,
) -> Option<Failure> {
    uses.changes
        .iter()
        .enumerate()
        .filter(there)
        .find_map(|(i, own)| Some(use_failure(own.group_error.as_ref()?, pass, i)))
}

fn cycle_failure(sets: Sets<'_>, changes: &[Change], cycle: &[u32]) -> Failure {
    let describe = |node: &u32| {
        changes
            .get(*node as usize)
            .and_then(|c| Some(c.describe(sets.resource(c)?)))
            .unwrap_or_default()
    };
    let steps: Vec<String> = cycle.iter().map(|n| format!("[{}]", describe(n))).collect();
    let repeated = cycle.last().map(describe).unwrap_or_default();
    let failure = Failure::new(
        "graph",
        &rules::cycle::RULE,
        format!(
            "Detected cycle while ordering changes: {} (found repeated: {repeated})",
            steps.join(" -> ")
        ),
    );
    match cycle.first() {
        Some(first) => failure.of_change(*first),
        None => failure,
    }
}
