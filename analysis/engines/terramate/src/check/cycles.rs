//! Cycles of the order, and of `wants` and `wanted_by`.

use std::sync::Arc;

use serde_json::Value as Json;

use super::Scope;
use crate::judge::{LIST_ORDER, ORDER, RUN, WANTS};
use crate::model::refs::Attribute;
use crate::model::stacks::{StackIx, Stacks};
use crate::relate::cause::Cause;
use crate::relate::order::{Ordering, REASONS};
use crate::{META, rules};
use applyorder_core::diagnostic::{Diagnostic, Fix, FixStep, Place, Safety};
use applyorder_core::engine::{Dependency, OrderOf, Unit, UnitIx, Variant};
use applyorder_core::graph::{GraphBuilder, NodeId, OrderGraph, Step};
use applyorder_core::layer::Finding;
use applyorder_core::rules::cycle;
use applyorder_syntax::hcl::edit::quote;

impl Scope<'_> {
    /// One finding for each set of stacks that wait for each other. Entries that mean their own stack are
    /// spoken of elsewhere; what else they bring about is one cause with that.
    pub(super) fn cycle(&self, set: usize, members: &[StackIx]) -> Vec<Finding> {
        let mut found = Vec::new();
        let (variant, graph) = self.alone(members);
        let is_reported = self.related.cause == Some(Cause::Set(set));
        for finding in cycle::check(&META, &variant, &graph, |d| Some(FixStep::RemoveEntry(d.place))) {
            let partial = self.partial(members, &graph, &finding);
            let mut d = finding.diagnostic;
            d.fixes.extend(self.swap(members, d.place));
            found.push(self.of_cycle(is_reported, d));
            found.extend(partial.map(Finding::new));
        }
        found
    }

    /// A finding of a cycle, which commands reject that read the order, where the run meets one; with the mark of what
    /// they report where it is Terramate's cycle.
    pub(super) fn of_cycle(&self, is_reported: bool, d: Diagnostic) -> Finding {
        let commands = [RUN, LIST_ORDER];
        let Some(path) = &self.related.cycle else {
            return Finding::new(d);
        };
        if !is_reported {
            return Finding::new(commands.iter().fold(d, |d, c| d.enforced(c, ORDER, false)));
        }
        let d = d.engine_message(cycle_text(self.stacks, path));
        if self.rejects_entries(true) {
            return Finding::new(commands.iter().fold(d, |d, c| d.enforced(c, ORDER, false)));
        }
        let finding = self.cycle_error(path, d);
        commands
            .iter()
            .fold(finding, |f, c| f.rejected(c, ORDER))
            .repeats()
    }

    /// What Terramate itself says of its cycle.
    pub(super) fn terramates_cycle(&self) -> Option<Finding> {
        let path = self.related.cycle.as_ref()?;
        let file = self.stacks.get(*path.first()?)?.file;
        let rule = self.related.cause.map(|c| c.rule(self.stacks, self.entries));
        let d = Diagnostic::new(rule.unwrap_or(&cycle::RULE), Place::file(file), "");
        let finding = self.cycle_error(path, d);
        Some(finding.rejected(RUN, ORDER).rejected(LIST_ORDER, ORDER).silent())
    }

    fn cycle_error(&self, path: &[StackIx], d: Diagnostic) -> Finding {
        let names: Vec<Json> = path.iter().map(|s| Json::from(&*self.stacks.path(*s))).collect();
        let text = cycle_text(self.stacks, path);
        let start = path.first().map(|s| self.stacks.path(*s)).unwrap_or_default();
        // After all entries.
        let finding = Finding::new(d.engine_message(text)).at(u32::MAX);
        finding.about(start).detail("path", names)
    }

    /// Some stacks with what they say of each other, as if there were no others. They are numbered in their order.
    fn alone(&self, members: &[StackIx]) -> (Variant, OrderGraph) {
        let number = |stack: StackIx| u32::try_from(members.binary_search(&stack).ok()?).ok();
        let whole = vec![true; self.stacks.len()];
        let ordering = Ordering {
            stacks: self.stacks,
            entries: self.entries,
            selected: &whole,
        };
        let mut builder = GraphBuilder::with_capacity(members.len(), members.len() * 2);
        let mut units = Vec::with_capacity(members.len());
        let mut dependencies: Vec<Dependency> = Vec::new();
        for (own, stack) in (0u32..).zip(members) {
            builder.unit(own);
            let Some(node) = self.stacks.get(*stack) else {
                continue;
            };
            units.push(Unit {
                name: node.path.clone(),
                header: self.header(*stack).unwrap_or(Place::file(node.file)),
                name_place: None,
                tags: node.tags.clone(),
            });
        }
        for (own, stack) in (0u32..).zip(members) {
            let Some(node) = self.stacks.get(*stack) else {
                continue;
            };
            for entry in self.entries.of(*stack).filter(|e| e.attribute.orders()) {
                // Of an entry that means its own stack too, what else it means.
                let targets = common(members, entry.targets).filter(|target| *target != own);
                let targets: Vec<u32> = targets.collect();
                if targets.is_empty() {
                    continue;
                }
                let dependency = u32::try_from(dependencies.len()).unwrap_or(u32::MAX);
                for target in &targets {
                    match entry.attribute {
                        Attribute::Before => builder.explicit(NodeId(*target), NodeId(own), dependency),
                        _ => builder.explicit(NodeId(own), NodeId(*target), dependency),
                    };
                }
                dependencies.push(Dependency {
                    unit: UnitIx(own),
                    place: self.place(node, entry),
                    attribute: entry.attribute.name(),
                    text: entry.text.clone(),
                    targets: targets.into_iter().map(UnitIx).collect(),
                    unknown: false,
                });
            }
            if let Some(above) = ordering.implied(*stack).and_then(number) {
                builder.implicit(NodeId(own), NodeId(above), 0);
            }
        }
        let graph = builder.build();
        let order = || OrderOf {
            graph: Arc::default(),
            layers: None,
            sequence: None,
            guaranteed: false,
            because: None,
        };
        let variant = Variant {
            environments: vec![None],
            units,
            dependencies,
            reasons: REASONS.map(str::to_owned).to_vec(),
            conditions: Vec::new(),
            apply: order(),
            delete: order(),
            selected: None,
            properties: Vec::new(),
            actions: Vec::new(),
        };
        (variant, graph)
    }

    /// The entry at a place, moved from `after` to `before` or the other way round.
    fn swap(&self, members: &[StackIx], place: Place) -> Option<Fix> {
        let mut nodes = members.iter().filter_map(|s| Some((*s, self.stacks.get(*s)?)));
        let (node, entry) = nodes.find_map(|(stack, node)| {
            let entry = self.entries.of(stack).find(|e| self.place(node, *e) == place)?;
            Some((node, entry))
        })?;
        let block = node.stack()?;
        let (name, list) = match entry.attribute {
            Attribute::After => ("before", &block.before),
            Attribute::Before => ("after", &block.after),
            _ => return None,
        };
        let add = if list.name.is_some() {
            FixStep::AppendEntry(self.at(node.file, list.at), entry.text.to_string())
        } else {
            let header = self.at(node.file, block.header);
            FixStep::InsertKeyBefore(header, name.to_owned(), format!("[{}]", quote(&entry.text)))
        };
        Some(Fix {
            title: format!("move `{}` to `{name}`", entry.text),
            safety: Safety::Unsafe,
            steps: vec![FixStep::RemoveEntry(place), add],
        })
    }

    /// What selections do not meet a cycle: those without an end of one of its implicit edges, and the one that
    /// the flags make, where it holds no cycle.
    fn partial(
        &self,
        members: &[StackIx],
        graph: &OrderGraph,
        finding: &cycle::Finding,
    ) -> Option<Diagnostic> {
        let of_cycle = |d: Diagnostic| finding.diagnostic.units.iter().cloned().fold(d, Diagnostic::unit);
        let place = finding.diagnostic.place;
        if self.related.is_limited() && self.related.cycle.is_none() {
            return Some(of_cycle(rules::order_cycle_partial::not_selected(place)));
        }
        let is_implicit = |step: &Step<'_>| {
            let mut edges = step.edges.iter().filter_map(|e| graph.edge(*e));
            !edges.any(|e| e.kind.is_explicit())
        };
        let step = finding.path.steps().find(is_implicit)?;
        let stack = |node: NodeId| members.get(node.index()).copied();
        let (below, above) = (stack(step.from)?, stack(step.to)?);
        let (child, parent) = (self.stacks.path(below), self.stacks.path(above));
        let (child, parent) = ((&*child, self.header(below)), (&*parent, self.header(above)));
        Some(of_cycle(rules::order_cycle_partial::of_nesting(
            place, child, parent,
        )))
    }

    pub(super) fn wants_cycle(&self, is_reached: bool, found: &mut Vec<Finding>) {
        let Some(path) = &self.related.wants_cycle else {
            return;
        };
        let steps: Vec<(Place, String)> = path
            .windows(2)
            .filter_map(|pair| {
                let (from, to) = (*pair.first()?, *pair.last()?);
                let place = self.want(from, to)?;
                let text = format!("`{}` wants `{}`", self.stacks.path(from), self.stacks.path(to));
                Some((place, text))
            })
            .collect();
        let paths: Vec<Arc<str>> = path.iter().map(|s| self.stacks.path(*s)).collect();
        let Some(d) = rules::wants_cycle::found(&paths, &steps) else {
            return;
        };
        let finding = self.cycle_error(path, d);
        let words = format!(
            "Stack selection clauses (wants/wanted_by) have cycles: {}",
            cycle_text(self.stacks, path)
        );
        found.push(if is_reached {
            finding.warned(RUN, WANTS).message_of(RUN, words)
        } else {
            finding
        });
    }

    /// The entry by which one stack wants another.
    fn want(&self, from: StackIx, to: StackIx) -> Option<Place> {
        let entry = |stack: StackIx, attribute: Attribute, target: StackIx| {
            let node = self.stacks.get(stack)?;
            let entry = self
                .entries
                .of(stack)
                .find(|e| e.attribute == attribute && e.targets.contains(&UnitIx(target)))?;
            Some(self.place(node, entry))
        };
        entry(from, Attribute::Wants, to).or_else(|| entry(to, Attribute::WantedBy, from))
    }
}

/// The places in one list of the stacks that are in both; both ascend.
fn common(members: &[StackIx], targets: &[UnitIx]) -> impl Iterator<Item = u32> {
    let (mut at, mut of) = (0usize, 0usize);
    std::iter::from_fn(move || {
        loop {
            let (member, target) = (members.get(at)?, targets.get(of)?.0);
            match member.cmp(&target) {
                std::cmp::Ordering::Less => at += 1,
                std::cmp::Ordering::Greater => of += 1,
                std::cmp::Ordering::Equal => {
                    at += 1;
                    of += 1;
                    return u32::try_from(at - 1).ok();
                }
            }
        }
    })
}

/// The text that Terramate prints of a cycle.
pub(super) fn cycle_text(stacks: &Stacks, path: &[StackIx]) -> String {
    let names: Vec<Arc<str>> = path.iter().map(|s| stacks.path(*s)).collect();
    let start = names.first().cloned().unwrap_or_default();
    format!(
        "cycle detected: {}: checking node id \"{start}\"",
        names.join(" -> ")
    )
}
