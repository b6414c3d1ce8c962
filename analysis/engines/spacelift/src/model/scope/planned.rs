//! The value of an attribute of a resource in a plan, from the value it is set to.

use std::collections::BTreeMap;

use applyorder_syntax::hcl::eval::{Data, Value, convert};

use super::super::module::Decl;
use super::super::written_address::first_name;
use super::Here;
use crate::schema::{Need, schema};

impl Here<'_, '_> {
    /// The value in a plan of an attribute that is set to a value: converted to the type of the schema. `None` if
    /// changes are ignored, or if it is null or empty, because the provider may replace it.
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
        if attribute.is_kept {
            return None;
        }
        // A failed conversion is reported elsewhere.
        convert(&given, &attribute.ty).ok()
    }
}

impl Here<'_, '_> {
    /// The value in a plan of an attribute that is not set: the provider's default, else null. A resource that exists may
    /// have an empty value instead, so null is only likely. `None` if it is unknown.
    pub(super) fn planned_unset(&self, decl: &Decl<'_>, name: &str) -> Option<Value> {
        if decl.has_gap || decl.is_overridden() || ignores_changes(decl, name) || !self.world.knows_provider() {
            return None;
        }
        let attribute = schema(false, decl.ty())?.attributes.get(name)?;
        if attribute.need != Need::Optional || attribute.is_kept {
            return None;
        }
        if let Some(default) = &attribute.default {
            return Some(default.clone());
        }
        self.world.reads_likely();
        Some(Value::from(Data::Null(attribute.ty.clone())).likely(true))
    }
}

/// Whether an existing resource keeps its value of an attribute, whatever is written.
pub(super) fn ignores_changes(decl: &Decl<'_>, name: &str) -> bool {
    let lifecycle = decl.blocks.iter().filter(|inner| inner.word == "lifecycle");
    let mut ignored = lifecycle.filter_map(|inner| inner.block.body().attribute("ignore_changes"));
    ignored.any(|ignored| match ignored.value().entries() {
        Some(entries) => entries.iter().any(|entry| {
            // In JSON the entries are strings.
            let text = entry.as_text().and_then(|text| text.split(['.', '[']).next());
            text == Some(name) || first_name(entry, |_| true) == Some(name)
        }),
        None => true,
    })
}
