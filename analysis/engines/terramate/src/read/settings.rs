//! `terramate` blocks, with the settings of the project.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks".

use std::sync::Arc;

use super::globals::evaluated;
use super::{Reader, RootAttribute, SettingBlock, Sort, Text, Value};
use crate::schema;
use applyorder_syntax::hcl::eval::{self, Data};
use applyorder_syntax::hcl::{Block, Expr};

/// Reads a block and those inside it.
pub(super) fn read(reader: &mut Reader<'_>, block: Block<'_>) {
    let mut open: Vec<(String, Option<u32>, Block<'_>)> = vec![(String::new(), None, block)];
    while let Some((prefix, around, block)) = open.pop() {
        let body = block.body();
        let number = u32::try_from(reader.shape.settings.len()).unwrap_or(u32::MAX);
        reader.shape.settings.push(SettingBlock {
            around,
            kind: block.kind().into(),
            is_labelled: block.labels().next().is_some(),
        });
        for attribute in body.attributes() {
            let path = format!("{prefix}{}", attribute.name());
            let at = reader.at(attribute.name_span());
            let value = reader.at(attribute.value().span());
            if prefix == "config.run.env." {
                let spans = (attribute.span(), attribute.value().span());
                evaluated(reader, Sort::Env, &[], attribute.name(), spans);
            }
            let constant = constant(attribute.value());
            let text = match &constant {
                Value::Known(Data::String(text)) => Some(text.clone()),
                _ => None,
            };
            let text = text.map(|text| Text {
                value: text,
                at: value,
            });
            let is_on = match &constant {
                Value::Known(Data::Bool(is_on)) => Some(*is_on),
                _ => None,
            };
            if path == "config.experiments" {
                reader.shape.experiments = Some(experiments(attribute.name(), &constant));
            }
            let disables = |data: &Data| path == schema::DISABLED && schema::disables(data);
            reader.shape.root.push(RootAttribute {
                disables_safeguards: matches!(&constant, Value::Known(data) if disables(data)),
                path: path.into(),
                at,
                value,
                text,
                is_on,
                block: number,
            });
        }
        let behind = open.len();
        let inner = body.blocks();
        open.extend(inner.map(|inner| (format!("{prefix}{}.", inner.kind()), Some(number), inner)));
        // In the order of the text: if something is set twice, the first comes first.
        open.get_mut(behind..).unwrap_or_default().reverse();
    }
}

/// The experiments that a value enables: empty if it is not a list of different strings. `None`: unknown.
fn experiments(name: &str, value: &Value<Data>) -> Option<Vec<Arc<str>>> {
    let Value::Known(data) = value else { return None };
    let value = eval::Value::from(data.clone());
    let texts = schema::set_of(name, &value).unwrap_or_default();
    Some(texts.into_iter().map(Arc::from).collect())
}

/// The value of an expression without variables and functions. `Unknown`: it has some.
pub(super) fn constant(expr: Expr<'_>) -> Value<Data> {
    let outcome = schema::without_names(expr);
    match outcome.value.data {
        _ if !outcome.errors.is_empty() => Value::Unknown,
        Data::Unknown(_) => Value::Unknown,
        data => Value::Known(data),
    }
}
