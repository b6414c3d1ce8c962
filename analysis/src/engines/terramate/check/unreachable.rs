//! Stacks that Terramate never loads.

use super::Scope;
use crate::diagnostic::{Diagnostic, Place};
use crate::engines::terramate::rules;

impl Scope<'_> {
    /// One finding per file that declares a stack where Terramate does not look.
    pub(super) fn unreachable(&self, found: &mut Vec<Diagnostic>) {
        for hidden in &self.tree.hidden {
            let place = match hidden.header {
                Some(at) => self.at(hidden.file, at),
                None => Place::file(hidden.file),
            };
            let mut d = Diagnostic::new(
                &rules::stack_unreachable::RULE,
                place,
                format!("Terramate never loads this stack: {}", hidden.why),
            )
            .note("Terramate says nothing");
            if let Some(skip) = hidden.skip {
                d = d.related(Place::file(skip), "it leaves this directory out");
            }
            found.push(d);
        }
    }
}
