//! What an attribute of a resource is in a plan, by what it is given.

use std::collections::BTreeMap;

use applyorder_syntax::hcl::eval::{Value, convert};
use applyorder_syntax::hcl::{Expr, ExprKind};

use super::super::module::Decl;
use super::Here;
use crate::schema::schema;

impl Here<'_, '_> {
    /// What an attribute is in a plan that is given a value: it has the type of the schema. In place of what is null or
    /// empty the provider may have something else; nothing then.
    pub(super) fn planned(&self, decl: &Decl<'_>, name: &str, given: Value) -> Option<Value> {
        if ignores_changes(decl, name) {
            return None;
        }
        let is_empty = given.is_null()
            || given.as_str() == Some("")
            || given.elements().is_some_and(<[Value]>::is_empty)
            || given.members().is_some_and(BTreeMap::is_empty);
        if is_empty {
            return None;
        }
        let schema = schema(false, decl.ty()).filter(|_| self.world.knows_provider());
        let Some(attribute) = schema.and_then(|schema| schema.attributes.get(name)) else {
            return Some(given);
        };
        // What does not become one is said elsewhere.
        convert(&given, &attribute.ty).ok()
    }
}

/// Whether a resource that is there keeps what it has for an attribute, whatever is written.
pub(super) fn ignores_changes(decl: &Decl<'_>, name: &str) -> bool {
    let lifecycle = decl.blocks.iter().filter(|inner| inner.word == "lifecycle");
    let mut ignored = lifecycle.filter_map(|inner| inner.block.body().attribute("ignore_changes"));
    ignored.any(|ignored| match ignored.value().entries() {
        Some(entries) => entries.iter().any(|entry| {
            // JSON has texts.
            let text = entry.as_text().and_then(|text| text.split(['.', '[']).next());
            text == Some(name) || first_name(entry) == Some(name)
        }),
        None => true,
    })
}

/// The name that a path of names and keys begins with.
fn first_name<'t>(expr: Expr<'t>) -> Option<&'t str> {
    let mut at = expr;
    loop {
        at = match at.kind() {
            ExprKind::Variable(name) => return Some(name),
            ExprKind::GetAttr { source, .. }
            | ExprKind::LegacyIndex { source, .. }
            | ExprKind::Index { source, .. } => source,
            _ => return None,
        };
    }
}
