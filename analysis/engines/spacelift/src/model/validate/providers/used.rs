//! Which configurations of providers are evaluated: Terraform leaves out those that nothing uses, whatever they say.
//!
//! Source: `PruneProviderTransformer` of Terraform 1.11 and OpenTofu 1.10.

use applyorder_syntax::hcl::{Block, Expr, ExprKind};
use rustc_hash::FxHashSet;

use super::super::super::module::{Decl, Module};
use super::super::Validate;
use super::super::walk::Walk;
use super::{Config, before_key};

/// The aliases that a module uses, whatever the provider: a module may have several names for one provider.
#[derive(Default)]
pub(in super::super) struct UsedAliases {
    named: FxHashSet<String>,
    /// Whether something may use any of them.
    may_be_any: bool,
}

impl UsedAliases {
    /// Those of the module that is validated; a module that cannot be read may use any.
    fn of(validate: &Validate<'_, '_>) -> Self {
        let mut used = Self::default();
        match validate.own().filter(|own| !own.has_gap) {
            Some(own) => {
                own.resources.iter().for_each(|decl| used.by_resource(decl));
                own.calls.iter().for_each(|decl| used.by_call(decl));
                used.may_be_any |= has_others(validate, own);
            }
            None => used.may_be_any = true,
        }
        used
    }

    fn by_resource(&mut self, decl: &Decl<'_>) {
        if let Some(attr) = decl.attr("provider") {
            self.add(attr.expr);
        }
    }

    fn by_call(&mut self, decl: &Decl<'_>) {
        match decl.attr("providers").map(|attr| attr.expr.kind()) {
            None => {}
            Some(ExprKind::Object(object)) => object.items().for_each(|item| self.add(item.value)),
            Some(_) => self.may_be_any = true,
        }
    }

    /// Adds what an expression names.
    fn add(&mut self, expr: Expr<'_>) {
        match Config::read(before_key(expr).unwrap_or(expr)) {
            Some(config) => self.named.extend(config.alias),
            None => self.may_be_any = true,
        }
    }
}

/// Whether blocks that are not resources of the module may use providers.
fn has_others(validate: &Validate<'_, '_>, own: &Module<'_>) -> bool {
    own.files.iter().any(|file| {
        let Some(source) = validate.world.sources.get(*file) else {
            return true;
        };
        let mut blocks = source.facts.tree.body().blocks();
        blocks.any(|block| matches!(block.kind(), "check" | "ephemeral" | "import"))
    })
}

impl Walk<'_, '_, '_> {
    /// Whether something may use the configuration of a provider in this block. Only of what has an alias it is known
    /// that nothing does.
    pub(in super::super) fn is_used(&self, name: &str, block: Block<'_>) -> bool {
        let Some(alias) = block.body().attribute("alias") else {
            return true;
        };
        let config = alias.value().as_text().map(|alias| format!("{name}.{alias}"));
        let Some(alias) = config.and_then(|config| Config::of(&config)?.alias) else {
            return true;
        };
        let validate = self.validate;
        let used = validate.used_aliases.get_or_init(|| UsedAliases::of(validate));
        used.may_be_any || used.named.contains(&alias)
    }
}

#[cfg(test)]
mod tests {
    use applyorder_core::engine::RunOptions;

    use crate::tests::{module, stacks, verdict};

    #[test]
    fn what_nothing_uses_is_not_evaluated() {
        let required = "terraform {\n  required_providers {\n    spacelift = {\n      source = \"spacelift-io/spacelift\"\n    \
                        }\n  }\n}\n";
        let of = |inside: &str, rest: &str| {
            let provider = format!("provider \"spacelift\" {{\n  alias = \"by\"\n  {inside}\n}}\n");
            let text = format!("{required}{provider}{}{rest}", stacks(&["a"]));
            verdict(&module(&text, RunOptions::default()), "validate")
        };
        let used = "data \"spacelift_stack\" \"d\" {\n  stack_id = \"d\"\n  provider = spacelift.by\n}\n";
        let passed = "module \"m\" {\n  source = \"./m\"\n  providers = {\n    spacelift = spacelift.by\n  }\n}\n//- \
                      /w/m/main.tf\n";
        let passed = format!("{passed}{required}{}", stacks(&["b"]));
        for inside in [
            "nope = 1",
            "api_key_id = []",
            "api_key_id = local.nope",
            "api_key_id = upper()",
            "nope {}",
        ] {
            assert_eq!(of(inside, ""), Some(true), "{inside}");
            assert_eq!(of(inside, used), Some(false), "{inside}");
            assert_eq!(of(inside, &passed), Some(false), "{inside}");
        }
        // What is read before it is known what is used.
        assert_eq!(of("version = \"x\"", ""), Some(false));
        assert_eq!(of("version = \"~> 1.0\"", ""), Some(true));
        assert_eq!(of("count = 1", ""), Some(false));
    }
}
