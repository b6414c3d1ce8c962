//! The arguments of Spacelift's own provider.
//!
//! Source: `Provider` of terraform-provider-spacelift at 8565261.

use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::Block;
use applyorder_syntax::hcl::eval::{Type, convert};

use super::super::super::Wrong;
use super::super::walk::Walk;
use super::OWN;

const ARGUMENTS: &[&str] = &["api_key_endpoint", "api_key_id", "api_key_secret", "api_token"];

/// What Terraform has in the block of any provider, and reserved words, which are reported elsewhere.
const OF_ANY: &[&str] = &["alias", "version", "count", "depends_on", "for_each", "source"];

impl<'a> Walk<'_, '_, 'a> {
    /// Reports what a block of Spacelift's provider does not take.
    pub(in super::super) fn of_provider(&mut self, name: &str, block: Block<'a>, file: usize) {
        let world = self.validate.world;
        let declared = world.providers_of(self.validate.number);
        let is_own = declared.is_some_and(|own| !own.is_open && own.source(name) == OWN);
        // Terraform ignores unknown arguments where one file overrides another.
        let has_overrides = self.validate.own().is_none_or(|own| !own.overriding.is_empty());
        if !is_own || has_overrides || !world.knows_provider() || !self.is_used(name, block) {
            return;
        }
        for attribute in block.body().attributes() {
            let given = attribute.name();
            if !ARGUMENTS.contains(&given) && !OF_ANY.contains(&given) {
                let place = self.place_of(file, attribute.name_span());
                let near = nearest(given, ARGUMENTS.iter().copied());
                self.tell("provider", given, place, Wrong::Unknown, near);
                continue;
            }
            let value = self.constant(attribute.value());
            if let Some(why) = value.ok().and_then(|value| convert(&value, &Type::String).err())
                && ARGUMENTS.contains(&given)
            {
                let place = self.place_of(file, attribute.value().span());
                self.tell("provider", given, place, Wrong::Type(why), None);
            }
        }
        let is_known = |kind: &str| matches!(kind, "_" | "dynamic" | "lifecycle" | "locals");
        for inner in block.body().blocks().filter(|inner| !is_known(inner.kind())) {
            let place = self.place_of(file, inner.header_span());
            let wrong = match ARGUMENTS.contains(&inner.kind()) {
                true => Wrong::NoBlock,
                false => Wrong::UnknownBlock,
            };
            self.tell("provider", inner.kind(), place, wrong, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, stacks, verdict};

    #[test]
    fn arguments_are_those_of_the_provider() {
        let of = |inside: &str, source: &str| {
            let text = format!(
                "terraform {{\n  required_providers {{\n    spacelift = {{\n      source = \"{source}\"\n    }}\n  \
                 }}\n}}\nprovider \"spacelift\" {{\n  {inside}\n}}\n{}",
                stacks(&["a"])
            );
            let fixture = module(&text, RunOptions::default());
            verdict(&fixture, "validate")
        };
        let own = "spacelift-io/spacelift";
        assert_eq!(of("api_key_id = \"x\"", own), Some(true));
        assert_eq!(of("alias = \"x\"", own), Some(true));
        assert_eq!(of("api_key_id = null", own), Some(true));
        assert_eq!(of("api_key_id = [\"x\"]", own), Some(false));
        assert_eq!(of("api_key = \"x\"", own), Some(false));
        assert_eq!(of("api_key {\n  }", own), Some(false));
        assert_eq!(of("api_key_id {\n  }", own), Some(false));
        // What another provider takes is unknown.
        assert_eq!(of("api_key = \"x\"", "example.com/a/spacelift"), Some(true));
    }
}
