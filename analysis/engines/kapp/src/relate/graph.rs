//! The graph of one operation: required rules, cycles, optional rules (kapp, building the graph).

use std::sync::{Arc, LazyLock, OnceLock};

use super::cycle_search::CycleSearch;
use super::variant::Numbers;
use crate::compare::Change;
use crate::grammar::{Op, Order};
use crate::model::Model;
use crate::model::error::{KappError, What};
use crate::model::uses::{ChangeUses, RuleUse, Source, UseError, Uses};
use applyorder_core::graph::{
    Dropped, EdgeKind, GraphBuilder, Member, NodeId, NodeKind, OrderGraph, Relation, Relations, Side,
};
use applyorder_core::layer::{Fingerprint, Memo, Mix};
use applyorder_core::rules::cycle::Searched;

/// A rule of a change that applies in this run.
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
pub(crate) const fn key_of(group: usize, op: Op) -> usize {
    group * 2 + (matches!(op, Op::Delete)) as usize
}

/// An optional edge that was dropped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DroppedEdge {
    pub(crate) rule: Source,
    pub(crate) owner: u32,
    pub(crate) from: u32,
    pub(crate) to: u32,
}

/// The result of the graph stage.
pub(crate) struct Built {
    /// Node `i` is change `i`; with required edges only on a cycle. Computed on demand.
    graph: LazyLock<Arc<OrderGraph>, Box<dyn FnOnce() -> Arc<OrderGraph> + Send>>,
    /// The changes on the path to the first repetition, the repeated one last.
    pub(crate) cycle: Option<Vec<u32>>,
    /// Some of the optional edges that were dropped.
    pub(crate) dropped: Vec<DroppedEdge>,
    /// Whether the budget for optional edges was exhausted.
    pub(crate) unresolved: bool,
    /// The kind of rules that query members first; `None` if kapp queries no member of any group.
    pub(crate) pass: Option<&'static str>,
    displaced: OnceLock<Vec<Displaced>>,
    searched: OnceLock<Searched>,
}

/// A dropped edge of one of kapp's own rules, with the first written dependency on the path that it would have
/// closed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Displaced {
    pub(crate) left: DroppedEdge,
    pub(crate) written: u32,
}

impl Built {
    pub(crate) fn graph(&self) -> &Arc<OrderGraph> {
        &self.graph
    }

    /// The cycles of several changes.
    pub(crate) fn searched(&self, memo: &Memo) -> &Searched {
        self.searched.get_or_init(|| Searched::new(memo, &self.graph))
    }

    /// Some edges of kapp's own rules that were dropped because of written dependencies.
    pub(crate) fn displaced(&self) -> &[Displaced] {
        self.displaced.get_or_init(|| {
            let own = self.dropped.iter().take(DISPLACED);
            let own = own.filter(|left| matches!(left.rule, Source::Default(..)));
            own.filter_map(|left| self.displacing(*left)).collect()
        })
    }

    fn displacing(&self, left: DroppedEdge) -> Option<Displaced> {
        let way = self.graph.shortest_path(NodeId(left.to), NodeId(left.from))?;
        let mut edges = way.edges().iter().filter_map(|edge| self.graph.edge(*edge));
        let written = edges.find_map(|edge| edge.kind.dependency())?;
        Some(Displaced { left, written })
    }
}

/// The maximum number of dropped edges whose paths are searched for.
const DISPLACED: usize = 50;

/// The maximum number of dropped edges that are kept for reports.
const KEPT: usize = 200;

/// The graph of changes with these operations, groups and rules.
#[derive(PartialEq, Eq, Hash)]
struct GraphKey(Fingerprint);

/// By change the number of its first dependency, as in the deploy: Configs add some that `kapp delete` does not
/// have, after those of annotations.
pub(crate) fn first_dependencies(deploy: &Uses) -> Vec<u32> {
    let mut next = 0u32;
    let changes = deploy.changes.iter().map(|own| {
        let first = next;
        let written = own
            .own_rules
            .iter()
            .filter(|rule| super::variant::is_written(rule.source));
        next = next.saturating_add(u32::try_from(written.count()).unwrap_or(u32::MAX));
        first
    });
    changes.collect()
}

/// Builds the graph of some changes; `first`: see [`first_dependencies`].
pub(crate) fn build(
    model: &Model,
    changes: &[Change],
    uses: &Uses,
    first: &[u32],
    memo: &Memo,
) -> Arc<Built> {
    let mut mix = Mix::default();
    mix.add(&model.settings().version);
    mix.add(&model.settings().optional_steps);
    mix.add(uses.groups());
    mix.add(first);
    for (change, own) in changes.iter().zip(&uses.changes) {
        mix.add(&own.of_op(change.op));
    }
    let make = || {
        let numbers = Numbers::new(&model.bindings.defaults);
        let build = Build::new(&numbers, changes, uses, first);
        // Most graphs of a deletion have no rule with targets.
        let is_bare = build.required.is_empty() && build.optional.is_empty();
        let members = if is_bare {
            Vec::new()
        } else {
            memberships(changes, uses, &numbers)
        };
        build.finish(members, model.settings().optional_steps)
    };
    memo.get(GraphKey(mix.finish()), make)
}

/// Which rules query the members of their groups, whether or not there are some.
#[derive(Clone, Copy, Default)]
struct Asks {
    /// Required ones.
    first: bool,
    /// Optional ones.
    then: bool,
}

/// The rules that apply in a run and have targets.
struct Build<'a> {
    changes: &'a [Change],
    uses: &'a Uses,
    /// See [`Built::pass`].
    pass: Option<&'static str>,
    required: Vec<(Pair, EdgeKind)>,
    optional: Vec<(Pair, EdgeKind)>,
}

impl<'a> Build<'a> {
    fn new(numbers: &Numbers, changes: &'a [Change], uses: &'a Uses, first: &[u32]) -> Self {
        let counts = counts(changes, uses);
        let live = |rule: &RuleUse, asks: &mut Asks| {
            let group = uses.position(rule.group)?;
            asks.first |= !rule.optional;
            asks.then |= rule.optional;
            let key = key_of(group, rule.target);
            counts.get(key).is_some_and(|count| *count > 0).then_some(key)
        };
        // What changes share leads to the same for all of them.
        let shared = uses.fixed.iter().map(|fixed| {
            Op::ALL.map(|op| {
                let mut asks = Asks::default();
                let acting = fixed.rules.iter().filter(|rule| rule.action == op);
                let acting = acting.filter_map(|rule| Some((live(rule, &mut asks)?, *rule)));
                let rules: Vec<(usize, RuleUse)> = acting.collect();
                (asks, rules)
            })
        });
        let shared: Vec<_> = shared.collect();
        let (mut required, mut optional) = (Vec::with_capacity(changes.len()), Vec::new());
        let mut asks = Asks::default();
        let by_change = uses.changes.iter().zip(&uses.fixed_of).zip(first);
        for ((owner, change), ((own, fixed), first)) in (0u32..).zip(changes).zip(by_change) {
            let mut next = *first;
            let mut add = |rule: &RuleUse, key: usize, kind: EdgeKind| {
                let pair = Pair {
                    owner,
                    order: rule.order,
                    key,
                    weight: rule.weight,
                    source: rule.source,
                };
                let list = if rule.optional {
                    &mut optional
                } else {
                    &mut required
                };
                list.push((pair, kind));
            };
            for rule in &own.own_rules {
                let is_written = super::variant::is_written(rule.source);
                let dependency = next;
                next += u32::from(is_written);
                if rule.action != change.op {
                    continue;
                }
                let Some(key) = live(rule, &mut asks) else {
                    continue;
                };
                let kind = match rule.source {
                    Source::Default(binding, number) => EdgeKind::Implicit {
                        reason: numbers.default_rule(binding, number),
                    },
                    _ if is_written => EdgeKind::Explicit { dependency },
                    _ => EdgeKind::Implicit { reason: numbers.kept },
                };
                add(rule, key, kind);
            }
            let fixed = shared.get(*fixed as usize);
            let Some((more, rules)) = fixed.and_then(|by_op| by_op.get(change.op as usize)) else {
                continue;
            };
            asks.first |= more.first;
            asks.then |= more.then;
            for (key, rule) in rules {
                if let Source::Default(binding, number) = rule.source {
                    let reason = numbers.default_rule(binding, number);
                    add(rule, *key, EdgeKind::Implicit { reason });
                }
            }
        }
        // Stable: ties keep the order of changes.
        required.sort_by_key(|(pair, _)| std::cmp::Reverse(pair.weight));
        optional.sort_by_key(|(pair, _)| std::cmp::Reverse(pair.weight));
        let pass = match (asks.first, asks.then) {
            (true, _) => Some("required"),
            (false, true) => Some("optional"),
            (false, false) => None,
        };
        Self {
            changes,
            uses,
            pass,
            required,
            optional,
        }
    }

    /// `budget`: the steps that dropping optional edges may take.
    fn finish(mut self, members: Vec<Vec<Member>>, mut budget: u64) -> Built {
        let pass = self.pass;
        let mut builder = GraphBuilder::with_capacity(self.changes.len(), 4 * self.changes.len());
        for (unit, change) in (0u32..).zip(self.changes) {
            match change.op {
                Op::Noop => builder.node(NodeKind::Removed(unit)),
                Op::Upsert | Op::Delete => builder.unit(unit),
            };
        }
        let pairs: Vec<Pair> = self.required.iter().map(|(pair, _)| *pair).collect();
        let cycle = CycleSearch {
            pairs: &pairs,
            members: &members,
            uses: self.uses,
            changes: self.changes,
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
        for pair in &self.required {
            relations.require(&relation(pair));
        }
        let (mut dropped, mut unresolved) = (Vec::new(), false);
        if cycle.is_some() {
            self.optional.clear();
        }
        for batch in self.optional.chunk_by(|a, b| a.0.weight == b.0.weight) {
            let rows: Vec<Relation> = batch.iter().map(relation).collect();
            let done = relations.add_optional(&rows, &mut budget, |edge: Dropped| {
                if dropped.len() < KEPT
                    && let Some((pair, _)) = batch.get(edge.relation as usize)
                {
                    dropped.push(DroppedEdge {
                        rule: pair.source,
                        owner: pair.owner,
                        from: edge.from.0,
                        to: edge.to.0,
                    });
                }
            });
            if done.is_err() {
                unresolved = true;
                break;
            }
        }
        let builder = relations.into_builder();
        Built {
            graph: LazyLock::new(Box::new(|| Arc::new(builder.build()))),
            cycle,
            dropped,
            unresolved,
            pass,
            displaced: OnceLock::new(),
            searched: OnceLock::new(),
        }
    }
}

/// How many members groups have by operation; a member by two paths counts twice.
fn counts(changes: &[Change], uses: &Uses) -> Vec<u32> {
    let mut counts = vec![0u32; uses.names.len() * 2];
    for (change, own) in changes.iter().zip(&uses.changes) {
        if change.op == Op::Noop {
            continue;
        }
        for group in &own.groups {
            let position = uses.position(group.group);
            if let Some(count) = position.and_then(|at| counts.get_mut(key_of(at, change.op))) {
                *count += 1;
            }
        }
    }
    counts
}

/// Members by group and operation, in the order of changes.
fn memberships(changes: &[Change], uses: &Uses, numbers: &Numbers) -> Vec<Vec<Member>> {
    let mut members: Vec<Vec<Member>> = vec![Vec::new(); uses.names.len() * 2];
    for ((number, change), own) in (0u32..).zip(changes).zip(&uses.changes) {
        if change.op == Op::Noop {
            continue;
        }
        for group in &own.groups {
            let Some(group) = uses.position(group.group) else {
                continue;
            };
            let key = key_of(group, change.op);
            let Some(members) = members.get_mut(key) else {
                continue;
            };
            // A change can be in a group by two paths.
            if members.last().is_some_and(|last| last.node == NodeId(number)) {
                continue;
            }
            members.push(Member {
                node: NodeId(number),
                kind: EdgeKind::Implicit {
                    reason: numbers.member(group),
                },
            });
        }
    }
    members
}

/// kapp's error in its stage `graph`. `all_there`: whether unchanged resources are among kapp's changes; their
/// annotations are read then.
pub(crate) fn error(
    model: &Model,
    changes: &[Change],
    uses: &Uses,
    all_there: bool,
    built: &Built,
) -> Option<KappError> {
    let there = |change: usize| all_there || changes.get(change).is_some_and(|c| c.op != Op::Noop);
    let first = |of: fn(&ChangeUses) -> Option<&UseError>, pass: &str| {
        let mut there = uses.faulty().filter(|(at, _)| there(*at));
        there.find_map(|(at, own)| Some(use_error(of(own)?, pass, at)))
    };
    first(|own| own.rule_error.as_deref(), "required")
        .or_else(|| first(|own| own.group_error.as_deref(), built.pass?))
        .or_else(|| Some(cycle_error(model, changes, built.cycle.as_ref()?)))
}

fn use_error(error: &UseError, pass: &str, change: usize) -> KappError {
    let change = u32::try_from(change).unwrap_or(u32::MAX);
    let found = if error.panics {
        KappError::new("crash", What::Matcher, error.message.clone())
    } else {
        let text = format!("Change graph: Calculating {pass} deps: {}", error.message);
        KappError::new("graph", What::Use, text)
    };
    found.of_use(change, error)
}

fn cycle_error(model: &Model, changes: &[Change], cycle: &[u32]) -> KappError {
    let describe = |node: &u32| {
        changes
            .get(*node as usize)
            .and_then(|c| Some(c.describe(model.resource(c)?)))
            .unwrap_or_default()
    };
    let steps: Vec<String> = cycle.iter().map(|n| format!("[{}]", describe(n))).collect();
    let repeated = cycle.last().map(describe).unwrap_or_default();
    let error = KappError::new(
        "graph",
        What::Cycle,
        format!(
            "Detected cycle while ordering changes: {} (found repeated: {repeated})",
            steps.join(" -> ")
        ),
    );
    match cycle.first() {
        Some(first) => error.of_change(*first),
        None => error,
    }
}
