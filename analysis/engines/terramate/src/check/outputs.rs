//! Outputs of other stacks that are used without an order.

use super::Scope;
use crate::model::stacks::StackIx;
use crate::rules;
use applyorder_core::diagnostic::{FixStep, Safety};
use applyorder_core::graph::{NodeId, OrderGraph};
use applyorder_core::layer::{Finding, Names};
use applyorder_syntax::hcl::edit::quote;

impl Scope<'_> {
    pub(super) fn outputs(&self, names: &Names, found: &mut Vec<Finding>) {
        let with_inputs = self.model.with_inputs.iter();
        for dir in with_inputs.filter_map(|dir| self.tree.dirs.get(*dir as usize)) {
            for (loaded, facts) in self.model.sources.files(dir) {
                for input in &facts.shape.inputs {
                    let id = names.find(&input.from_stack_id.value.to_ascii_lowercase());
                    let with_id = id.and_then(|id| self.model.ids.units(id).last());
                    let (Some(consumer), Some(producer)) = (self.stacks.at(&dir.path), with_id.copied())
                    else {
                        continue;
                    };
                    let graph = &self.related.graph;
                    if self.model.unknowns.why.is_some() || runs_after(graph, consumer, producer) {
                        continue;
                    }
                    let place = self.at(loaded.file, input.from_stack_id.at);
                    let producer_path = self.stacks.path(producer);
                    let header = self.header(producer);
                    let mut d = rules::output_without_order::found(place, &dir.path, &producer_path, header);
                    if let Some(step) = self.add_after(consumer, &producer_path) {
                        d = d.fix(format!("run after `{producer_path}`"), Safety::Unsafe, vec![step]);
                    }
                    found.push(Finding::new(d));
                }
            }
        }
    }

    fn add_after(&self, stack: StackIx, path: &str) -> Option<FixStep> {
        let node = self.stacks.get(stack)?;
        let block = node.stack()?;
        if block.after.name.is_some() {
            return Some(FixStep::AppendEntry(
                self.at(node.file, block.after.at),
                path.to_owned(),
            ));
        }
        Some(FixStep::InsertKeyBefore(
            self.at(node.file, block.header),
            "after".to_owned(),
            format!("[{}]", quote(path)),
        ))
    }
}

fn runs_after(graph: &OrderGraph, later: StackIx, earlier: StackIx) -> bool {
    later != earlier && graph.shortest_path(NodeId(later), NodeId(earlier)).is_some()
}
