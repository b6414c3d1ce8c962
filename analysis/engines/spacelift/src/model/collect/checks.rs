//! The blocks `check`: a false assertion is only a warning, and what cannot be evaluated in them is an error.
//!
//! Source: Terraform 1.11.

use std::sync::Arc;

use applyorder_syntax::hcl::Block;
use applyorder_syntax::hcl::eval::{Place as Written, Type, Value, convert};

use super::super::module::written;
use super::super::validate::not_met;
use super::super::world::{Each, InstIx};
use super::super::{Argument, Wrong};
use super::conditions::Held;
use crate::schema::schema;

impl<'a> Held<'_, 'a> {
    /// Evaluates the assertions and the data source. If an assertion is false, Terraform only warns; if something cannot be
    /// evaluated, it stops.
    pub(super) fn checks(&mut self, inst: InstIx, file: usize) {
        let world = self.world;
        let Some(source) = world.sources.get(file) else {
            return;
        };
        let blocks = source.facts.tree.body().blocks();
        for check in blocks.filter(|block| block.kind() == "check") {
            let Some(name) = check.labels().next() else {
                continue;
            };
            let at: Arc<str> = format!("{}check.{}", world.inst(inst).path, name.text).into();
            let mut has_own = false;
            for own in check.body().blocks().filter(|block| block.kind() == "data") {
                has_own = true;
                self.looked_up(inst, &at, own, file);
            }
            if has_own {
                // The values of its own data source are not followed.
                continue;
            }
            for assert in check.body().blocks().filter(|block| block.kind() == "assert") {
                world.is_in_check.set(true);
                for attribute in assert.body().attributes() {
                    world.ask(at.clone(), at.clone());
                    let value = world.eval(inst, &Each::None, attribute.value(), file);
                    if attribute.name() == "condition" {
                        self.asserted(&at, &value, written(attribute.value().span(), file));
                    }
                }
                world.is_in_check.set(false);
            }
        }
    }

    /// Evaluates the arguments of the data source of a `check`.
    fn looked_up(&mut self, inst: InstIx, at: &Arc<str>, own: Block<'a>, file: usize) {
        let world = self.world;
        let ty = own.labels().next().map_or("", |label| label.text);
        let known = schema(true, ty).filter(|_| world.knows_provider());
        let is_meta = |name: &str| matches!(name, "depends_on" | "provider");
        for attribute in own.body().attributes().filter(|by| !is_meta(by.name())) {
            world.ask(at.clone(), at.clone());
            let value = world.eval(inst, &Each::None, attribute.value(), file);
            let known = known.and_then(|known| known.attributes.get(attribute.name()));
            let Some(why) = known.and_then(|known| convert(&value, &known.ty).err()) else {
                continue;
            };
            let place = super::place_of(world, world.spot(written(attribute.value().span(), file)));
            if self.told.insert(place) {
                let is_likely = value.has_heuristic() || world.inst(inst).heuristic;
                let wrong = Wrong::Type(why);
                self.found.push(Argument::of_values(
                    &**at,
                    attribute.name(),
                    place,
                    wrong,
                    is_likely,
                ));
            }
        }
    }

    /// Records that an assertion of a `check` is neither true nor false.
    fn asserted(&mut self, address: &str, value: &Value, at: Written) {
        let is_told = convert(value, &Type::Bool).is_ok_and(|value| value.as_bool().is_some());
        let Some(why) = not_met(value).filter(|_| !is_told) else {
            return;
        };
        let place = super::place_of(self.world, self.world.spot(at));
        if self.told.insert(place) {
            let wrong = Wrong::Condition(why);
            let argument = Argument::of_values(address, "assert", place, wrong, value.has_heuristic());
            self.found.push(argument);
        }
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, stacks, verdict};

    const REQUIRED: &str = "terraform {\n  required_providers {\n    spacelift = {\n      source = \"spacelift-io/spacelift\"\n    }\n  \
                            }\n}\n";

    #[test]
    fn the_arguments_of_a_data_source_in_a_check_are_evaluated() {
        let check = |id: &str| {
            format!(
                "{REQUIRED}check \"c\" {{\n  data \"spacelift_stack\" \"d\" {{\n    stack_id = {id}\n  }}\n  assert {{\n    condition     = \
                 data.spacelift_stack.d.name != \"\"\n    error_message = \"No.\"\n  }}\n}}\n{}",
                stacks(&["zz"])
            )
        };
        for (id, wanted) in [
            ("split(\",\", spacelift_stack.zz.name)[1]", false),
            ("spacelift_stack.zz[*].id[0]", false),
            ("spacelift_stack.zz[*].id", false),
            ("spacelift_stack.zz.id", true),
        ] {
            let fixture = module(&check(id), RunOptions::default());
            assert_eq!(verdict(&fixture, "validate"), Some(true), "{id}");
            assert_eq!(verdict(&fixture, "plan"), Some(wanted), "{id}");
        }
    }
}
