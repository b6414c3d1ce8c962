//! Outputs of other stacks that are used without an order.

use super::Scope;
use crate::diagnostic::{Diagnostic, FixStep, Safety};
use crate::engines::terramate::load::tree::files;
use crate::engines::terramate::model::stacks::StackIx;
use crate::engines::terramate::read::Value;
use crate::engines::terramate::rules;
use crate::graph::{NodeId, OrderGraph};
use crate::syntax::hcl::edit::quote;

impl Scope<'_> {
    pub(super) fn outputs(&self, found: &mut Vec<Diagnostic>) {
        let mut ids: Option<rustc_hash::FxHashMap<String, StackIx>> = None;
        for dir in &self.tree.dirs {
            for (loaded, facts) in files(dir) {
                for input in &facts.shape.inputs {
                    let ids = ids.get_or_insert_with(|| {
                        self.stacks
                            .iter()
                            .filter_map(|(i, s)| match &s.stack()?.id {
                                Value::Known(id) => Some((id.value.to_ascii_lowercase(), i)),
                                _ => None,
                            })
                            .collect()
                    });
                    let (Some(consumer), Some(producer)) = (
                        self.stacks.at(&dir.path),
                        ids.get(&input.from_stack_id.value.to_ascii_lowercase()).copied(),
                    ) else {
                        continue;
                    };
                    let graph = &self.related.graph;
                    if self.model.unknown.is_some() || runs_after(graph, consumer, producer) {
                        continue;
                    }
                    let place = self.at(loaded.file, input.from_stack_id.at);
                    let producer_path = self.stacks.path(producer);
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
