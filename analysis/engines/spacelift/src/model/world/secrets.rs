//! Values that are sensitive, ephemeral or else wrong where they cannot be, as they are met.

use std::sync::Arc;

use applyorder_syntax::hcl::eval::Value;

use super::super::Wrong;
use super::super::module::{Attr, Spot};
use super::super::validate::{of_repetition, repeats};
use super::{InstIx, World};

/// Why an argument that is kept cannot have an ephemeral value.
pub(crate) const STORED: &str = "an ephemeral value would be stored";

/// Why it is unknown whether a value is taken.
pub(crate) const PERHAPS_SENSITIVE: &str =
    "whether what an output of a module gives is sensitive depends on the version of Terraform";

/// A value that is not accepted where it is.
pub(crate) struct Refused<'a> {
    pub(crate) resource: Arc<str>,
    pub(crate) name: &'a str,
    pub(crate) spot: Spot,
    pub(crate) wrong: Wrong,
    pub(crate) is_likely: bool,
}

impl<'a> World<'a> {
    /// Notes why an argument of what has an address in a module instance cannot have a value that is secret.
    pub(crate) fn note_secret(
        &self,
        of: (InstIx, &str),
        at: (&'a str, Spot),
        value: &Value,
        why: &'static str,
    ) {
        self.note_refused(of, at, value, Wrong::Secret(why.to_owned()));
    }

    fn note_refused(
        &self,
        (inst, address): (InstIx, &str),
        (name, spot): (&'a str, Spot),
        value: &Value,
        wrong: Wrong,
    ) {
        self.refused.borrow_mut().push(Refused {
            resource: address.into(),
            name,
            spot,
            wrong,
            is_likely: value.has_heuristic() || self.inst(inst).heuristic,
        });
    }

    /// Notes why a value of `count` or `for_each` cannot be one, as it is secret or of another sort.
    ///
    /// # Errors
    /// If it is of another sort.
    pub(crate) fn note_repetition(
        &self,
        of: (InstIx, &str),
        attr: &Attr<'a>,
        value: &Value,
    ) -> Result<(), String> {
        let at = (attr.name, attr.value());
        if let Some(why) = of_repetition(attr.name, value) {
            self.note_secret(of, at, value, why);
        } else if attr.name == "for_each" && value.marks.is_perhaps_sensitive() {
            self.leave_values_open_at(attr.value(), PERHAPS_SENSITIVE);
        }
        let fits = repeats(attr.name, value, self.is_tofu());
        if let Err(why) = &fits {
            self.note_refused(of, at, value, Wrong::Type(why.clone()));
        }
        fits
    }
}
