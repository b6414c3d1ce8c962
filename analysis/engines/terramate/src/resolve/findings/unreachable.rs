//! Stacks that Terramate never loads.

use super::Context;
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, Place};

impl Context<'_, '_> {
    /// One finding per file that declares a stack where Terramate does not look.
    pub(super) fn unreachable(&self, found: &mut Vec<Diagnostic>) {
        for hidden in &self.resolved.tree.hidden {
            let place = match hidden.header {
                Some(at) => self.cx.place(hidden.file, at),
                None => Place::file(hidden.file),
            };
            let mut d = Diagnostic::new(
                &rules::stack_unreachable::RULE,
                place,
                format!("Terramate never loads this stack: {}", hidden.why),
            )
            .note("Terramate says nothing");
            if let Some(skip) = &hidden.skip {
                d = d.related(Place::file(self.cx.file(skip)), "it leaves this directory out");
            }
            found.push(d);
        }
    }
}
