//! Outputs of other stacks that are used without an order.

use super::Context;
use crate::facts::Value;
use crate::resolve::stacks::StackIx;
use crate::resolve::validate::files;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::engine::Variant;
use applyorder_core::graph::{NodeId, OrderGraph};
use applyorder_syntax::hcl::edit::quote;

impl Context<'_, '_> {
    pub(super) fn outputs(&self, variant: &Variant, found: &mut Vec<Diagnostic>) {
        let mut ids: Option<rustc_hash::FxHashMap<String, StackIx>> = None;
        for dir in &self.resolved.tree.dirs {
            for (loaded, facts) in files(dir) {
                for input in &facts.shape.inputs {
                    let ids = ids.get_or_insert_with(|| {
                        self.resolved
                            .stacks
                            .iter()
                            .filter_map(|(i, s)| match &s.stack()?.id {
                                Value::Known(id) => Some((id.value.to_ascii_lowercase(), i)),
                                _ => None,
                            })
                            .collect()
                    });
                    let (Some(consumer), Some(producer)) = (
                        self.resolved.stacks.at(&dir.path),
                        ids.get(&input.from_stack_id.value.to_ascii_lowercase()).copied(),
                    ) else {
                        continue;
                    };
                    let graph = &variant.apply.graph;
                    if self.resolved.unknown.is_some() || runs_after(graph, consumer, producer) {
                        continue;
                    }
                    let place = self.cx.place(loaded.file, input.from_stack_id.at);
                    let producer_path = self.resolved.stacks.path(producer);
                    let mut d = Diagnostic::new(
                        &rules::output_without_order::RULE,
                        place,
                        format!(
                            "stack `{}` uses an output of `{producer_path}`, and does not run after it",
                            dir.path
                        ),
                    )
                    .unit(dir.path.clone())
                    .unit(producer_path.clone())
                    .note("Terramate says nothing: sharing outputs adds no order");
                    if let Some(header) = self.header(producer) {
                        d = d.related(header, "the stack whose output is used");
                    }
                    if let Some(step) = self.add_after(consumer, &producer_path) {
                        d = d.fix(format!("run after `{producer_path}`"), Safety::Unsafe, vec![step]);
                    }
                    found.push(d);
                }
            }
        }
    }

    fn add_after(&self, stack: StackIx, path: &str) -> Option<FixStep> {
        let node = self.resolved.stacks.get(stack)?;
        let block = node.stack()?;
        if block.after.name.is_some() {
            return Some(FixStep::AppendEntry(
                self.cx.place(node.file, block.after.at),
                path.to_owned(),
            ));
        }
        Some(FixStep::InsertKeyBefore(
            self.cx.place(node.file, block.header),
            "after".to_owned(),
            format!("[{}]", quote(path)),
        ))
    }
}

fn runs_after(graph: &OrderGraph, later: StackIx, earlier: StackIx) -> bool {
    later != earlier && graph.shortest_path(NodeId(later), NodeId(earlier)).is_some()
}
