//! Where values that are sensitive or ephemeral cannot be.
//!
//! Source: Terraform 1.11. What the outputs of a called module say of themselves `terraform validate` does not look at.

use applyorder_syntax::hcl::eval::{self, Marks, Type, Value};

use super::super::Wrong;
use super::super::module::{Attr, Decl};
use super::super::world::World;
use super::Validate;
use super::walk::Walk;

/// Arguments that say what a value is, and what is noted about it then.
const WORDS: &[(&str, Marks)] = &[("sensitive", Marks::SENSITIVE), ("ephemeral", Marks::EPHEMERAL)];

/// What a declaration says of its value.
pub(in super::super) fn marks_of(world: &World<'_>, decl: &Decl<'_>) -> Marks {
    let scope = eval::NoVariables { prefix: "\u{0}" };
    let is_set = |word: &str| {
        let attr = decl.attr(word)?;
        let value = eval::evaluate(attr.expr, 0, &scope, &world.budget).value;
        eval::convert(&value, &Type::Bool).ok()?.as_bool()
    };
    let set = WORDS.iter().filter(|(word, _)| is_set(word) == Some(true));
    set.map(|(_, mark)| *mark).collect()
}

/// Why an output that says this of itself cannot have a value.
pub(in super::super) fn of_output(is_root: bool, said: Marks, value: &Value) -> Vec<&'static str> {
    let held = value.all_marks();
    let mut found = Vec::new();
    if is_root && !said.has(Marks::SENSITIVE) && held.has(Marks::SENSITIVE) {
        found.push("it holds a sensitive value, and the output of a root module is not `sensitive`");
    }
    if said.has(Marks::EPHEMERAL) && !is_root && !value.marks.has(Marks::EPHEMERAL) {
        found.push("an ephemeral value is required");
    } else if !said.has(Marks::EPHEMERAL) && held.has(Marks::EPHEMERAL) {
        found.push("it holds an ephemeral value, and the output is not `ephemeral`");
    }
    found
}

/// Why `count` or `for_each` cannot have a value.
pub(in super::super) fn of_repetition(name: &str, value: &Value) -> Option<&'static str> {
    if value.marks.has(Marks::EPHEMERAL) {
        return Some("which instances there are cannot depend on an ephemeral value");
    }
    (name == "for_each" && value.marks.has(Marks::SENSITIVE))
        .then_some("which instances there are cannot depend on a sensitive value")
}

impl<'a> Validate<'_, 'a> {
    /// What a declaration says of its value.
    pub(super) fn marks_of(&self, decl: &Decl<'_>) -> Marks {
        marks_of(self.world, decl)
    }
}

impl<'a> Walk<'_, '_, 'a> {
    /// Says that a value cannot be where it is, as it is kept secret.
    pub(super) fn secret(&mut self, address: &str, attr: &Attr<'a>, why: &str) {
        let place = (self.place)(attr.value());
        self.tell(address, attr.name, place, Wrong::Secret(why.to_owned()), None);
    }

    /// What an output gives.
    pub(super) fn given_out(&mut self, address: &str, decl: &Decl<'a>, attr: &Attr<'a>, value: &Value) {
        let is_root = self.validate.number == 0;
        for why in of_output(is_root, self.validate.marks_of(decl), value) {
            self.secret(address, attr, why);
        }
    }

    /// What `count` or `for_each` gives.
    pub(super) fn repeats(&mut self, address: &str, attr: &Attr<'a>, value: &Value) {
        if let Some(why) = of_repetition(attr.name, value) {
            self.secret(address, attr, why);
        }
    }
}
