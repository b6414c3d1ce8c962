//! Cycles of the order, and of `wants` and `wanted_by`.

use super::Context;
use crate::resolve::refs::{Attribute, Entry};
use crate::resolve::stacks::StackIx;
use crate::{META, rules, verdict};
use applyorder_core::diagnostic::{Diagnostic, Fix, FixStep, Place, Safety};
use applyorder_core::engine::{UnitIx, Variant};
use applyorder_core::graph::{OrderGraph, Step};
use applyorder_core::rules::cycle;
use applyorder_syntax::hcl::edit::quote;

impl Context<'_, '_> {
    pub(super) fn cycles(&self, variant: &Variant, found: &mut Vec<Diagnostic>) {
        // Entries that mean their own stack have been spoken of; what else they bring about is one cause
        // with that.
        let sound = |stack: StackIx, e: &Entry| !e.targets.contains(&UnitIx(stack));
        let whole = (0u32..)
            .zip(self.resolved.entries)
            .all(|(s, es)| es.iter().all(|e| !e.attribute.orders() || sound(s, e)));
        let built: OrderGraph;
        let graph = if whole && variant.selected.is_none() {
            &*variant.apply.graph
        } else {
            let owners: rustc_hash::FxHashSet<*const Entry> = (0u32..)
                .zip(self.resolved.entries)
                .flat_map(|(s, es)| es.iter().filter(move |e| sound(s, e)))
                .map(std::ptr::from_ref)
                .collect();
            built = self.ordering.graph(&self.ordering.closure(), false, |e| {
                owners.contains(&std::ptr::from_ref(e))
            });
            &built
        };
        for finding in cycle::check(&META, variant, graph, |d| Some(FixStep::RemoveEntry(d.place))) {
            let partial = self.partial(variant, graph, &finding);
            let mut d = finding.diagnostic.enforced("run", "order", false).enforced(
                "list --run-order",
                "order",
                false,
            );
            if let Some(path) = self.resolved.cycle
                && path.iter().any(|s| finding.members.contains(&UnitIx(*s)))
            {
                d = d.engine_message(verdict::cycle_text(self.resolved.stacks, path));
            }
            d.fixes.extend(self.swap(d.place));
            found.push(d);
            found.extend(partial);
        }
    }

    /// The entry at a place, moved from `after` to `before` or the other way round.
    fn swap(&self, place: Place) -> Option<Fix> {
        let mut all = self.resolved.stacks.iter().zip(self.resolved.entries);
        let (node, entry) = all.find_map(|((_, node), entries)| {
            let entry = entries.iter().find(|e| self.place(node, e) == place)?;
            Some((node, entry))
        })?;
        let block = node.stack()?;
        let (name, list) = match entry.attribute {
            Attribute::After => ("before", &block.before),
            Attribute::Before => ("after", &block.after),
            _ => return None,
        };
        let add = if list.name.is_some() {
            FixStep::AppendEntry(self.cx.place(node.file, list.at), entry.text.to_string())
        } else {
            let header = self.cx.place(node.file, block.header);
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
    fn partial(&self, variant: &Variant, graph: &OrderGraph, finding: &cycle::Finding) -> Option<Diagnostic> {
        let new = |message: String| {
            let d = Diagnostic::new(
                &rules::order_cycle_partial::RULE,
                finding.diagnostic.place,
                message,
            );
            finding.diagnostic.units.iter().cloned().fold(d, Diagnostic::unit)
        };
        if variant.selected.is_some() && self.resolved.cycle.is_none() {
            return Some(new(
                "the run that the flags select does not meet this cycle; a run of the whole project does"
                    .to_owned(),
            ));
        }
        let is_implicit = |step: &Step<'_>| {
            let mut edges = step.edges.iter().filter_map(|e| graph.edge(*e));
            !edges.any(|e| e.kind.is_explicit())
        };
        let step = finding.path.steps().find(is_implicit)?;
        let (child, parent) = (
            self.resolved.stacks.path(step.from.0),
            self.resolved.stacks.path(step.to.0),
        );
        let mut d = new(format!(
            "the cycle holds only where both `{child}` and `{parent}`, which it lies below, are selected: other runs succeed"
        ));
        for (stack, text) in [(step.to.0, "the stack above"), (step.from.0, "the stack below")] {
            if let Some(header) = self.header(stack) {
                d = d.related(header, text);
            }
        }
        Some(d)
    }

    pub(super) fn wants_cycle(&self, found: &mut Vec<Diagnostic>) {
        let Some(path) = self.resolved.wants_cycle else {
            return;
        };
        let names: Vec<String> = path
            .iter()
            .map(|s| format!("`{}`", self.resolved.stacks.path(*s)))
            .collect();
        let steps: Vec<(Place, String)> = path
            .windows(2)
            .filter_map(|pair| {
                let (from, to) = (*pair.first()?, *pair.last()?);
                let place = self.want(from, to)?;
                let text = format!(
                    "`{}` wants `{}`",
                    self.resolved.stacks.path(from),
                    self.resolved.stacks.path(to)
                );
                Some((place, text))
            })
            .collect();
        let Some((place, _)) = steps.first().cloned() else {
            return;
        };
        let mut d = Diagnostic::new(
            &rules::wants_cycle::RULE,
            place,
            format!("these stacks want each other: {}", names.join(" → ")),
        )
        .engine_message(verdict::cycle_text(self.resolved.stacks, path))
        .note("Terramate warns on every run; selecting one of them selects all")
        .fix(
            "remove the entry",
            Safety::Unsafe,
            vec![FixStep::RemoveEntry(place)],
        );
        for (place, text) in steps {
            d = d.related(place, text);
        }
        found.push(d);
    }

    /// The entry by which one stack wants another.
    fn want(&self, from: StackIx, to: StackIx) -> Option<Place> {
        let entry = |stack: StackIx, attribute: Attribute, target: StackIx| {
            let node = self.resolved.stacks.get(stack)?;
            let entries = self.resolved.entries.get(stack as usize)?;
            let entry = entries
                .iter()
                .find(|e| e.attribute == attribute && e.targets.contains(&UnitIx(target)))?;
            Some(self.place(node, entry))
        };
        entry(from, Attribute::Wants, to).or_else(|| entry(to, Attribute::WantedBy, from))
    }
}
