//! Stacks that Terramate never loads.

use super::Scope;
use crate::load::skipped_stacks::SkippedStack;
use crate::read::FileFacts;
use crate::rules;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Cx;
use applyorder_core::layer::{Finding, Fingerprint};

impl Scope<'_> {
    /// One finding per file that declares a stack where Terramate does not look.
    pub(super) fn unreachable(&self, cx: &Cx<'_>, found: &mut Vec<Finding>) {
        for hidden in &self.tree.skipped_stacks {
            let place = if hidden.is_json {
                declares_stack(cx, hidden).then_some(Place::file(hidden.file))
            } else {
                let facts = cx.read::<FileFacts>(hidden.file).ok();
                let stack = facts.and_then(|read| Some(read.facts.shape.stacks.first()?.header));
                stack.map(|header| self.at(hidden.file, header))
            };
            let Some(place) = place else { continue };
            let d = rules::stack_unreachable::found(place, &hidden.why, hidden.skip.map(Place::file));
            found.push(Finding::new(d));
        }
    }
}

fn declares_stack(cx: &Cx<'_>, hidden: &SkippedStack) -> bool {
    let Ok((_, source)) = cx.source(&hidden.path) else {
        return false;
    };
    let key = JsonKey(hidden.file, Fingerprint::of(&*source.text));
    *cx.memo().get(key, || {
        let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(&source.text);
        value.is_ok_and(|top| top.contains_key("stack"))
    })
}

/// Whether a text in JSON declares a stack.
#[derive(PartialEq, Eq, Hash)]
struct JsonKey(FileId, Fingerprint);
