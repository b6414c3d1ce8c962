//! The functions that expressions of Terramate may call.
//!
//! Source: Terramate 0.17.2, "The `stack` block" (functions).

use applyorder_syntax::hcl::eval::{FunctionRef, functions};
use applyorder_syntax::hcl::{Call, Expr, ExprKind};

/// Functions that read files.
const ON_FILES: [&str; 4] = ["tm_file", "tm_fileexists", "tm_fileset", "tm_abspath"];

/// Functions that may fail in cases where they only return nothing here.
const PARTLY: [&str; 2] = ["tm_templatefile", "tm_yamldecode"];

/// The function with a name.
pub(crate) fn function(name: &str) -> FunctionRef {
    match name.strip_prefix("tm_") {
        // The first two are removed, and the last one is newer than the library that Terramate uses.
        None | Some("sensitive" | "nonsensitive" | "ephemeralasnull") => FunctionRef::Missing,
        Some(name) => match functions::lookup_extra(name) {
            FunctionRef::Missing => functions::lookup(name),
            found => found,
        },
    }
}

/// Whether Terramate may fail to evaluate an expression with all its parts, as far as that is not computed
/// here. `is_open`: a part that was evaluated is not computed, or the value is unknown. `sees_files`: files are
/// read.
pub(crate) fn may_fail(all: &[Expr<'_>], is_open: bool, sees_files: bool) -> bool {
    let calls = || {
        all.iter().filter_map(|e| match e.kind() {
            ExprKind::Call(call) => Some(call),
            _ => None,
        })
    };
    let is_uncertain = |call: &Call<'_>| {
        let asks = !sees_files && ON_FILES.contains(&call.name());
        asks || PARTLY.contains(&call.name()) || matches!(function(call.name()), FunctionRef::Opaque(_))
    };
    if !calls().any(|call| is_uncertain(&call)) {
        return false;
    }
    // These never fail, and functions that only return their strings do not fail either.
    let is_certain = |call: Call<'_>| {
        let always = ["tm_timestamp", "tm_plantimestamp", "tm_uuid"];
        always.contains(&call.name()) && call.args().is_empty()
    };
    let passes_on = |e: &Expr<'_>| {
        matches!(
            e.kind(),
            ExprKind::Call(_) | ExprKind::Template(_) | ExprKind::Tuple(_) | ExprKind::Paren(_)
        )
    };
    if calls().all(is_certain) && all.iter().all(passes_on) {
        return false;
    }
    // Some parts may not be evaluated.
    let is_lazy = |e: &Expr<'_>| match e.kind() {
        ExprKind::Conditional { .. } => true,
        ExprKind::Call(call) => ["tm_try", "tm_can", "tm_ternary"].contains(&call.name()),
        _ => false,
    };
    is_open || !all.iter().any(is_lazy)
}
