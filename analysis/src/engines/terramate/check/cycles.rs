//! Cycles of the order, and of `wants` and `wanted_by`.

use std::sync::Arc;

use super::Scope;
use crate::diagnostic::{Diagnostic, Fix, FixStep, Place, Safety};
use crate::engines::terramate::model::refs::Attribute;
use crate::engines::terramate::model::stacks::StackIx;
use crate::engines::terramate::relate::is_sound;
use crate::engines::terramate::relate::order::{Ordering, REASONS};
use crate::engines::terramate::{META, judge, rules};
use crate::engines::{Dependency, OrderOf, Unit, UnitIx, Variant};
use crate::graph::{GraphBuilder, NodeId, OrderGraph, Step};
use crate::rules::cycle;
use crate::syntax::hcl::edit::quote;

impl Scope<'_> {
    /// One finding for each set of stacks that wait for each other. Entries that mean their own stack have been
    /// spoken of; what else they bring about is one cause with that.
    pub(super) fn cycles(&self, found: &mut Vec<Diagnostic>) {
        for members in &self.related.cyclic {
            self.cycle(members, found);
        }
    }

    fn cycle(&self, members: &[StackIx], found: &mut Vec<Diagnostic>) {
        let (variant, graph) = self.alone(members);
        for finding in cycle::check(&META, &variant, &graph, |d| Some(FixStep::RemoveEntry(d.place))) {
            let partial = self.partial(members, &graph, &finding);
            let mut d = finding.diagnostic.enforced("run", "order", false).enforced(
                "list --run-order",
                "order",
                false,
            );
            if let Some(path) = &self.related.cycle
                && path.iter().any(|s| members.binary_search(s).is_ok())
            {
                d = d.engine_message(judge::cycle_text(self.stacks, path));
            }
            d.fixes.extend(self.swap(members, d.place));
            found.push(d);
            found.extend(partial);
        }
    }

    /// Some stacks with what they say of each other, as if there were no others. They are numbered in their order.
    fn alone(&self, members: &[StackIx]) -> (Variant, OrderGraph) {
        let number = |stack: StackIx| u32::try_from(members.binary_search(&stack).ok()?).ok();
        let whole = vec![true; self.stacks.len()];
        let ordering = Ordering {
            stacks: self.stacks,
            entries: self.entries,
            first: &[],
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
            let entries = self
                .entries
                .get(*stack as usize)
                .into_iter()
                .flat_map(|e| e.iter());
            for entry in entries.filter(|e| e.attribute.orders() && is_sound(*stack, e)) {
                let targets: Vec<u32> = common(members, &entry.targets).collect();
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
            let entries = self.entries.get(stack as usize)?;
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
        let new = |message: String| {
            let d = Diagnostic::new(
                &rules::order_cycle_partial::RULE,
                finding.diagnostic.place,
                message,
            );
            finding.diagnostic.units.iter().cloned().fold(d, Diagnostic::unit)
        };
        if self.related.is_limited() && self.related.cycle.is_none() {
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
        let stack = |node: NodeId| members.get(node.index()).copied();
        let (below, above) = (stack(step.from)?, stack(step.to)?);
        let (child, parent) = (self.stacks.path(below), self.stacks.path(above));
        let mut d = new(format!(
            "the cycle holds only where both `{child}` and `{parent}`, which it lies below, are selected: other runs succeed"
        ));
        for (stack, text) in [(above, "the stack above"), (below, "the stack below")] {
            if let Some(header) = self.header(stack) {
                d = d.related(header, text);
            }
        }
        Some(d)
    }

    pub(super) fn wants_cycle(&self, found: &mut Vec<Diagnostic>) {
        let Some(path) = &self.related.wants_cycle else {
            return;
        };
        let names: Vec<String> = path
            .iter()
            .map(|s| format!("`{}`", self.stacks.path(*s)))
            .collect();
        let steps: Vec<(Place, String)> = path
            .windows(2)
            .filter_map(|pair| {
                let (from, to) = (*pair.first()?, *pair.last()?);
                let place = self.want(from, to)?;
                let text = format!("`{}` wants `{}`", self.stacks.path(from), self.stacks.path(to));
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
        .engine_message(judge::cycle_text(self.stacks, path))
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
            let node = self.stacks.get(stack)?;
            let entries = self.entries.get(stack as usize)?;
            let entry = entries
                .iter()
                .find(|e| e.attribute == attribute && e.targets.contains(&UnitIx(target)))?;
            Some(self.place(node, entry))
        };
        entry(from, Attribute::Wants, to).or_else(|| entry(to, Attribute::WantedBy, from))
    }
}

/// The places in one list of the stacks that stand in both; both ascend.
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
