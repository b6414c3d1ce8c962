//! The `stack` block: its attributes evaluated, each entry with its own place.
//!
//! Source: Terramate 0.17.2, "The `stack` block".

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::written::{Written, first_error};
use super::{List, Reader, Stack, TagAt, Text, Value, WrittenList};
use crate::problems::{Among, Fault, not_evaluated};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::hcl::eval::{self, Data, EvalErrorKind, Type, Unknown};
use applyorder_syntax::hcl::{Attribute, Block, Expr, ExprKind, Tree};
use applyorder_syntax::text::Span;

const SCALARS: [&str; 5] = [
    "id",
    "name",
    "description",
    "from_bundle_file",
    "from_bundle_label",
];
const LISTS: [&str; 6] = ["tags", "after", "before", "wants", "wanted_by", "watch"];

/// The prefix of an entry that is a tag filter.
const FILTER: &str = "tag:";

/// Reads a block; its problems go to the reader.
pub(super) fn read(reader: &mut Reader<'_>, tree: &Tree, block: Block<'_>) -> Stack {
    let (before, first) = (fatal_count(reader), reader.found.len());
    let header = reader.at(block.header_span());
    let whole = reader.at(block.span());
    for label in block.labels() {
        reader.non_fatal(label.span, Fault::StackLabel);
    }
    let body = block.body();
    for inner in body.blocks() {
        reader.fatal(inner.kind_span(), Fault::StackBlock(inner.kind().into()));
    }
    for attribute in body
        .attributes()
        .filter(|a| !SCALARS.contains(&a.name()) && !LISTS.contains(&a.name()))
    {
        unknown(reader, attribute);
    }
    let name = scalar(reader, body.attribute("name"), "stack.name");
    let id = scalar(reader, body.attribute("id"), "stack.id");
    let description = scalar(reader, body.attribute("description"), "stack.description");
    for other in ["from_bundle_file", "from_bundle_label"] {
        scalar(reader, body.attribute(other), &format!("stack.{other}"));
    }
    let mut list = |name: &'static str| list(reader, body.attribute(name), name, header);
    let (after, before_list) = (list("after"), list("before"));
    let (tags, wanted_by, wants, watch) = (list("tags"), list("wanted_by"), list("wants"), list("watch"));
    // Terramate checks the blocks, then the attributes by their names.
    let own = reader.found.get_mut(first..).unwrap_or_default();
    own.sort_by(|a, b| a.attribute.cmp(&b.attribute));
    for problem in own {
        problem.block = Some(whole);
    }
    Stack {
        header,
        block: whole,
        id,
        name,
        description,
        tags,
        after,
        before: before_list,
        wants,
        wanted_by,
        watch,
        has_more: body
            .attributes()
            .any(|a| !LISTS.contains(&a.name()) && !["id", "name"].contains(&a.name())),
        open: reader.open.take(),
        gap: !block.is_closed() || tree.has_gap(block.span()),
        rejected: fatal_count(reader) > before,
    }
}

fn fatal_count(reader: &Reader<'_>) -> usize {
    reader.found.iter().filter(|p| p.fatal).count()
}

fn unknown(reader: &mut Reader<'_>, attribute: Attribute<'_>) {
    let name = attribute.name();
    let fault = Fault::Unknown {
        what: "attribute",
        name: name.into(),
        among: Among::Block("stack".into()),
        known: SCALARS.into_iter().chain(LISTS).collect(),
        words: failed(attribute).unwrap_or_else(|| format!("unrecognized attribute stack.\"{name}\"")),
    };
    reader.fatal(attribute.name_span(), fault).attribute = Some(name.into());
}

/// Terramate's message for an attribute whose value it cannot find. It checks names only after that.
fn failed(attribute: Attribute<'_>) -> Option<String> {
    let written = Written::of(attribute.value());
    if written.is_broken() {
        return None;
    }
    let outcome = written.evaluate();
    Some(not_evaluated(attribute.name(), &first_error(&outcome)?.message))
}

/// Evaluates an expression; what Terramate rejects in it becomes a problem. `None`: unknown or rejected.
fn evaluate(
    reader: &mut Reader<'_>,
    name: &str,
    written: &Written<'_>,
    rejects: impl Fn(&Type) -> bool,
) -> Value<eval::Value> {
    let expr = written.expr;
    let outcome = written.evaluate();
    let mut rejected = false;
    for error in &outcome.errors {
        let (span, message) = (error.place.span, error.message.clone());
        if error.kind == EvalErrorKind::Limit {
            reader.non_fatal(span, Fault::TooLong(message));
            continue;
        }
        rejected = true;
        let text: Arc<str> = span.slice(reader.input.text).into();
        let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let may_have_prefix = error.kind == EvalErrorKind::Function && is_name && !text.starts_with("tm_");
        let fault = Fault::Evaluation {
            kind: error.kind,
            attribute: name.into(),
            message,
            function: may_have_prefix.then(|| text.clone()),
        };
        let problem = reader.fatal(span, fault);
        problem.attribute = Some(name.into());
        problem.reference = (error.kind == EvalErrorKind::Variable).then_some(text);
    }
    if rejected {
        return Value::Invalid;
    }
    if reader.open.is_none() && !written.is_broken() && written.may_fail(&outcome) {
        reader.open = Some(name.into());
    }
    if let Some(unknown) = outcome.value.as_unknown() {
        // Its type can be known anyway.
        if rejects(&unknown.ty) {
            return Value::Known(outcome.value);
        }
        if is_file_set(expr) {
            return Value::Known(eval::Value::set(Vec::new(), Type::String));
        }
        if !written.is_broken() {
            reader.non_fatal(expr.span(), Fault::Unresolved);
        }
        return Value::Unknown;
    }
    Value::Known(outcome.value)
}

/// Whether an expression is a set regardless of the files.
fn is_file_set(expr: Expr<'_>) -> bool {
    matches!(expr.kind(), ExprKind::Call(call) if call.name() == "tm_fileset")
}

fn is_no_string(ty: &Type) -> bool {
    !matches!(ty, Type::Dynamic | Type::String)
}

fn is_no_list(ty: &Type) -> bool {
    !matches!(ty, Type::Dynamic | Type::List(_) | Type::Tuple(_))
}

fn scalar(reader: &mut Reader<'_>, attribute: Option<Attribute<'_>>, path: &str) -> Value<Text> {
    let Some(attribute) = attribute else {
        return Value::Absent;
    };
    let expr = attribute.value();
    let written = Written::of(expr);
    if written.is_broken() {
        return Value::Unknown;
    }
    let value = match evaluate(reader, attribute.name(), &written, is_no_string) {
        Value::Known(value) => value,
        Value::Unknown => return Value::Unknown,
        Value::Absent | Value::Invalid => return Value::Invalid,
    };
    if let Data::String(text) = &value.data {
        let at = reader.at(expr.span());
        return Value::Known(Text {
            value: text.clone(),
            at,
        });
    }
    let fault = Fault::NoText {
        path: path.to_owned(),
        found: value.type_name(),
        source: quotable(reader, &value.data, expr.span()),
    };
    reader.fatal(expr.span(), fault).attribute = Some(attribute.name().into());
    Value::Invalid
}

/// The source of a value that quoting makes a string.
fn quotable(reader: &Reader<'_>, data: &Data, span: Span) -> Option<Arc<str>> {
    matches!(data, Data::Number(_) | Data::Bool(_)).then(|| span.slice(reader.input.text).into())
}

fn list(reader: &mut Reader<'_>, attribute: Option<Attribute<'_>>, name: &'static str, header: u32) -> List {
    let Some(attribute) = attribute else {
        return List::absent(header);
    };
    let expr = attribute.value();
    let key = Some(reader.at(attribute.name_span()));
    let at = reader.at(expr.span());
    let (entries, unknown) = entries(reader, name, expr);
    let plain: Vec<bool> = entries.iter().map(|entry| is_plain(reader, entry)).collect();
    let mut tags = Vec::new();
    for (entry, _) in entries.iter().zip(&plain).filter(|(_, plain)| **plain) {
        tags_in(reader, entry, &mut tags);
    }
    let written = WrittenList {
        name: key,
        is_plain: plain.iter().all(|plain| *plain),
        entries: entries.into(),
        unknown,
        tags: tags.into(),
    };
    List::written(at, written)
}

fn is_plain(reader: &Reader<'_>, entry: &Text) -> bool {
    reader.span_of(entry.at).slice(reader.input.text) == quote(&entry.value)
}

/// The tags of a filter, each with its own place; the text of the entry is the filter itself.
fn tags_in(reader: &mut Reader<'_>, entry: &Text, found: &mut Vec<TagAt>) {
    let Some(filter) = entry.value.strip_prefix(FILTER) else {
        return;
    };
    let mut start = reader.span_of(entry.at).start as usize + 1 + FILTER.len();
    for tag in filter.split([':', ',']) {
        if !tag.is_empty() {
            let at = reader.at(Span::from_usize(start, start + tag.len()));
            found.push(TagAt {
                entry: entry.at,
                tag: tag.into(),
                at,
            });
        }
        start += tag.len() + 1;
    }
}

/// The known entries of a list, and whether there may be others.
fn entries(reader: &mut Reader<'_>, name: &'static str, expr: Expr<'_>) -> (Vec<Text>, bool) {
    let written = Written::of(expr);
    let broken = written.is_broken();
    let value = match evaluate(reader, name, &written, is_no_list) {
        Value::Known(value) => value,
        Value::Unknown => return (Vec::new(), true),
        Value::Absent | Value::Invalid => return (Vec::new(), broken),
    };
    let items = match &value.data {
        Data::Null(_) => return (Vec::new(), broken),
        Data::Tuple(items) | Data::List(items, _) => items.clone(),
        _ => {
            let found = value.type_name();
            let fault = Fault::NoList {
                name,
                source: expr.span().slice(reader.input.text).into(),
                is_text: matches!(value.data, Data::String(_)),
                is_set: matches!(value.data, Data::Set(..) | Data::Unknown(_)) && found.starts_with("set"),
                found,
            };
            reader.fatal(expr.span(), fault).attribute = Some(name.into());
            return (Vec::new(), broken);
        }
    };
    let mut texts: Vec<Text> = Vec::with_capacity(items.values().len());
    let mut seen: FxHashMap<Arc<str>, u32> = FxHashMap::default();
    let mut unknown = broken;
    for (index, item) in items.values().iter().enumerate() {
        let span = item.place.map_or(expr.span(), |p| p.span);
        let Data::String(text) = &item.data else {
            let open = |unknown: &Unknown| matches!(unknown.ty, Type::Dynamic | Type::String);
            if item.as_unknown().is_some_and(open) {
                unknown = true;
                continue;
            }
            let fault = Fault::NoTextInList {
                name,
                index,
                found: item.type_name(),
                source: quotable(reader, &item.data, span),
            };
            reader.fatal(span, fault).attribute = Some(name.into());
            continue;
        };
        let at = reader.at(span);
        if let Some(first) = seen.get(text) {
            let fault = Fault::DuplicateEntry {
                name,
                index,
                text: text.clone(),
                first: *first,
            };
            let problem = reader.fatal_at(at, fault);
            problem.attribute = Some(name.into());
            problem.value = Some(text.clone());
            continue;
        }
        seen.insert(text.clone(), at);
        texts.push(Text {
            value: text.clone(),
            at,
        });
    }
    if unknown && !broken {
        reader.non_fatal(expr.span(), Fault::Unresolved);
    }
    (texts, unknown)
}
