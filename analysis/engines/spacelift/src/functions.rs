//! The functions of expressions, as Terraform names them.

use applyorder_syntax::hcl::eval::{FunctionRef, Templates, functions};

/// A function of Terraform's or OpenTofu's. Of provider functions nothing is known.
pub(crate) fn function(name: &str, is_tofu: bool) -> FunctionRef {
    if name.starts_with("provider::") {
        return FunctionRef::Opaque(&functions::OTHER);
    }
    match name.strip_prefix("core::").unwrap_or(name) {
        name @ ("format" | "formatlist" | "templatestring") if is_tofu => functions::lookup_extra(name),
        name => functions::lookup(name),
    }
}

/// What each does with templates that functions render.
pub(crate) fn templates(is_tofu: bool) -> Templates {
    match is_tofu {
        true => Templates::Nested,
        false => Templates::Flat,
    }
}
