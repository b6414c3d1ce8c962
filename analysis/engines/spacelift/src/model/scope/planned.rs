//! The value of an attribute of a resource in a plan, from the value it is set to.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_syntax::hcl::Body;
use applyorder_syntax::hcl::eval::{Data, Type, Unknown, Value, convert};

use super::super::module::{Decl, Inner};
use super::super::validate::entries_of;
use super::super::world::{Each, InstIx, Res};
use super::super::written_address::first_name;
use super::Here;
use crate::schema::{Attribute, Block, Need};

impl<'a> Here<'_, 'a> {
    /// The value in a plan of an attribute that is set to a value. `None` if it is unknown.
    pub(super) fn planned(&self, decl: &Decl<'_>, name: &str, given: Value) -> Option<Value> {
        let planned = match self.known_attribute(decl, name) {
            Some(attribute) => planned(attribute, given),
            None => Some(given).filter(|given| !is_empty(given)),
        };
        planned.map(|planned| self.created(decl, name, planned))
    }

    /// The value in a plan of an attribute that has a value when its resource is created: if changes to it are ignored, a
    /// resource that exists may have another one.
    pub(super) fn created(&self, decl: &Decl<'_>, name: &str, value: Value) -> Value {
        if !ignores_changes(decl, name) {
            return value;
        }
        self.world.reads_likely();
        value.likely(true)
    }

    /// The value in a plan of an attribute that is not set: the provider's default, else null. A resource that exists may
    /// have an empty value instead, so null is only likely. `None` if it is unknown.
    pub(super) fn planned_unset(&self, decl: &Decl<'_>, name: &str) -> Option<Value> {
        if let Some(default) = self.planned_default(decl, name) {
            return Some(default);
        }
        let attribute = self.defaulted(decl, name)?;
        self.world.reads_likely();
        Some(Value::from(Data::Null(attribute.ty.clone())).likely(true))
    }

    /// The provider's default of an attribute that is not set.
    pub(super) fn planned_default(&self, decl: &Decl<'_>, name: &str) -> Option<Value> {
        let default = self.defaulted(decl, name)?.default.clone()?;
        Some(self.created(decl, name, default))
    }

    /// An attribute of which it is known what the provider plans if it is not set.
    fn defaulted(&self, decl: &Decl<'_>, name: &str) -> Option<&'static Attribute> {
        let attribute = self.schema_of_plan(decl)?.attributes.get(name)?;
        (attribute.need == Need::Optional && !attribute.is_kept).then_some(attribute)
    }

    /// The schema of a declaration if it is known what it does not set.
    fn schema_of_plan(&self, decl: &Decl<'_>) -> Option<&'static Block> {
        let is_whole = !decl.has_gap && !decl.is_overridden() && !decl.is_data();
        self.known_schema(decl).filter(|_| is_whole)
    }

    /// The value in a plan of the blocks of a name, if they are written. `None` if it is unknown.
    pub(super) fn planned_blocks(&self, res: &Res, name: &str) -> Option<Value> {
        let decl = self.world.decl(res)?;
        let nested = self.schema_of_plan(decl)?.blocks.get(name)?;
        let all: Vec<&Inner<'a>> = decl.blocks.iter().filter(|inner| inner.word == name).collect();
        let word = all.first()?.word;
        let each = self.world.each_of(res);
        let of = (res.inst, &each, &nested.block);
        let blocks = self.world.part(res, word, || {
            let mut blocks: Vec<Value> = Vec::new();
            for inner in all {
                if !inner.is_dynamic() {
                    blocks.push(self.planned_block(of, inner.block.body(), inner.header.file, &[]));
                } else if let Err(why) = self.dynamic_blocks(of, inner, &mut blocks) {
                    return Value::unknown(&why).read();
                }
            }
            let ty = blocks.first().map_or(Type::Dynamic, Value::ty);
            Value::list(blocks, ty)
        });
        Some(self.created(decl, name, blocks))
    }

    /// Adds the blocks that a dynamic one makes.
    ///
    /// # Errors
    /// Why they are unknown.
    fn dynamic_blocks(
        &self,
        of: (InstIx, &Each, &'static Block),
        inner: &Inner<'a>,
        blocks: &mut Vec<Value>,
    ) -> Result<(), String> {
        let open = || format!("what the blocks of `{}` are is unknown", inner.word);
        let (body, file) = (inner.block.body(), inner.header.file);
        let by = body.attribute("for_each").ok_or_else(open)?;
        let content = body.blocks().find(|block| block.kind() == "content");
        let content = content.ok_or_else(open)?.body();
        let names = body
            .attribute("iterator")
            .and_then(|named| named.value().as_names());
        let name = names.map_or(inner.word, |names| names.first().copied().unwrap_or_default());
        let value = self.world.eval(of.0, of.1, by.value(), file);
        for (key, entry) in entries_of(&value).ok_or_else(open)? {
            let entry = BTreeMap::from([("key".into(), key), ("value".into(), entry)]);
            let entry = [(name, Value::object(entry).likely(value.heuristic))];
            blocks.push(self.planned_block(of, content, file, &entry));
        }
        Ok(())
    }

    fn planned_block(
        &self,
        (inst, each, schema): (InstIx, &Each, &'static Block),
        body: Body<'a>,
        file: usize,
        names: &[(&str, Value)],
    ) -> Value {
        let open = |name: &str, ty: Type| {
            let unknown = Unknown::new(&format!("what the provider makes of `{name}` is unknown"), ty);
            Value::from(unknown).read()
        };
        let attributes = schema.attributes.iter().map(|(name, attribute)| {
            let given = body.attribute(name).map(|given| {
                let value = given.value();
                self.world.eval_with(inst, each, value, file, names)
            });
            let value = match given.filter(|given| !given.is_null()) {
                Some(given) => planned(attribute, given),
                None => attribute.default.clone(),
            };
            (
                Arc::from(*name),
                value.unwrap_or_else(|| open(name, attribute.ty.clone())),
            )
        });
        let blocks = schema
            .blocks
            .keys()
            .map(|name| (Arc::from(*name), open(name, Type::Dynamic)));
        Value::object(attributes.chain(blocks).collect())
    }
}

/// The value in a plan of an attribute that is set to a value: converted to the type of the schema. `None` if it is null or
/// empty, because the provider may replace it, or if a resource that exists may keep another one.
fn planned(attribute: &Attribute, given: Value) -> Option<Value> {
    if is_empty(&given) || attribute.is_kept {
        return None;
    }
    // A failed conversion is reported elsewhere.
    convert(&given, &attribute.ty).ok()
}

fn is_empty(given: &Value) -> bool {
    given.is_null()
        || given.as_str() == Some("")
        || given.elements().is_some_and(<[Value]>::is_empty)
        || given.members().is_some_and(BTreeMap::is_empty)
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
