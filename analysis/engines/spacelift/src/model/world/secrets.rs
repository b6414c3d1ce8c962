//! Values that are sensitive or ephemeral where they cannot be, as they are met.

use std::sync::Arc;

use applyorder_syntax::hcl::eval::Value;

use super::super::module::{Attr, Spot};
use super::super::validate::of_repetition;
use super::{InstIx, World};

/// Why an argument that is kept cannot have an ephemeral value.
pub(crate) const STORED: &str = "an ephemeral value would be stored";

/// A value that is secret where it cannot be.
pub(crate) struct Secret<'a> {
    pub(crate) resource: Arc<str>,
    pub(crate) name: &'a str,
    pub(crate) spot: Spot,
    pub(crate) why: &'static str,
    pub(crate) is_likely: bool,
}

impl<'a> World<'a> {
    /// Notes why an argument of what has an address in a module instance cannot have a value that is secret.
    pub(crate) fn note_secret(
        &self,
        (inst, address): (InstIx, &str),
        (name, spot): (&'a str, Spot),
        value: &Value,
        why: &'static str,
    ) {
        self.secrets.borrow_mut().push(Secret {
            resource: address.into(),
            name,
            spot,
            why,
            is_likely: value.has_heuristic() || self.inst(inst).heuristic,
        });
    }

    /// Notes why a value of `count` or `for_each` cannot be one as it is secret.
    pub(crate) fn note_repetition(&self, of: (InstIx, &str), attr: &Attr<'a>, value: &Value) {
        if let Some(why) = of_repetition(attr.name, value) {
            self.note_secret(of, (attr.name, attr.value()), value, why);
        }
    }
}
