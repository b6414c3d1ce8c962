//! Which configurations of providers are evaluated: Terraform leaves out those that nothing uses, whatever they say.
//!
//! Source: `PruneProviderTransformer` of Terraform 1.11 and OpenTofu 1.10.

use applyorder_syntax::hcl::{Block, Expr, ExprKind};

use super::super::super::module::{Decl, Module};
use super::super::walk::Walk;
use super::{Config, before_key};

impl<'a> Walk<'_, '_, 'a> {
    /// Whether something may use the configuration of a provider in this block. Only of what has an alias it is known
    /// that nothing does.
    pub(in super::super) fn is_used(&self, name: &str, block: Block<'a>) -> bool {
        let Some(alias) = block.body().attribute("alias") else {
            return true;
        };
        let Some(own) = self.validate.own().filter(|own| !own.has_gap) else {
            return true;
        };
        let config = alias.value().as_text().map(|alias| format!("{name}.{alias}"));
        let Some(config) = config.and_then(|config| Config::of(&config)) else {
            return true;
        };
        let is_it = |expr: Expr<'_>| names(expr, &config);
        let by_resource = |decl: &Decl<'_>| decl.attr("provider").is_some_and(|attr| is_it(attr.expr));
        let by_call = |decl: &Decl<'_>| {
            decl.attr("providers").is_some_and(|attr| match attr.expr.kind() {
                ExprKind::Object(object) => object.items().any(|item| is_it(item.value)),
                _ => true,
            })
        };
        own.resources.iter().any(by_resource) || own.calls.iter().any(by_call) || self.has_others(own)
    }

    /// Whether blocks that are not resources of the module may use providers.
    fn has_others(&self, own: &Module<'_>) -> bool {
        let sources = own
            .files
            .iter()
            .map(|file| self.validate.world.sources.get(*file));
        sources.into_iter().any(|source| {
            let Some(source) = source else { return true };
            let mut blocks = source.facts.tree.body().blocks();
            blocks.any(|block| matches!(block.kind(), "check" | "ephemeral" | "import"))
        })
    }
}

/// Whether an expression may name a configuration. A module may have several names for one provider.
fn names(expr: Expr<'_>, config: &Config) -> bool {
    Config::read(before_key(expr).unwrap_or(expr)).is_none_or(|named| named.alias == config.alias)
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
