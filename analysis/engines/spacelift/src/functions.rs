//! The functions of expressions, as Terraform names them.

use applyorder_syntax::hcl::eval::{FunctionRef, functions};

/// A function of Terraform's. Of provider functions nothing is known.
pub(crate) fn function(name: &str) -> FunctionRef {
    if name.starts_with("provider::") {
        return FunctionRef::Opaque(&functions::OTHER);
    }
    functions::lookup(name.strip_prefix("core::").unwrap_or(name))
}
