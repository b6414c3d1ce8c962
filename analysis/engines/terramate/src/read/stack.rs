//! The `stack` block: its attributes evaluated, each entry with its own place.
//!
//! Source: Terramate 0.17.2, "The `stack` block".

use rustc_hash::FxHashMap;

use super::functions::{function, may_fail};
use super::{List, Reader, Stack, TagAt, Text, Value};
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::rules::{duplicate_dependency, nearest, unknown_field, unresolved, wrong_type};
use applyorder_syntax::hcl::edit::quote;
use applyorder_syntax::hcl::eval::{
    self, Budget, Data, EvalErrorKind, FunctionRef, Lookup, Scope, Traversal, Type, Unknown, no_such_variable,
};
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

/// What an entry that is a tag filter begins with.
const FILTER: &str = "tag:";

/// What a stack's expressions may name: functions, and no variable.
struct Functions;

impl Scope for Functions {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        Lookup::Missing(no_such_variable(traversal.root))
    }

    fn function(&self, name: &str) -> FunctionRef {
        function(name)
    }
}

/// Reads a block; its problems go to the reader.
pub(super) fn read(reader: &mut Reader<'_>, tree: &Tree, block: Block<'_>) -> Stack {
    let before = fatal_count(reader);
    let header = reader.at(block.header_span());
    let whole = reader.at(block.span());
    for label in block.labels() {
        let place = reader.place(label.span);
        reader.non_fatal(rules::stack_label::found(place));
    }
    let body = block.body();
    for inner in body.blocks() {
        let place = reader.place(inner.kind_span());
        reader.fatal(rules::stack_nested_block::found(place, inner.kind()));
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
    let place = reader.place(attribute.name_span());
    let name = attribute.name();
    let mut d = Diagnostic::new(
        &unknown_field::RULE,
        place,
        format!("unknown attribute `{name}` in `stack`"),
    )
    .severity(applyorder_core::diagnostic::Severity::Error)
    .engine_message(format!("unrecognized attribute stack.\"{name}\""));
    let near = match name {
        "depends_on" | "dependsOn" => Some("after"),
        _ => nearest(name, SCALARS.into_iter().chain(LISTS)),
    };
    if let Some(near) = near {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("rename to `{near}`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, near.to_owned())],
        );
    }
    let problem = reader.fatal(d);
    problem.attribute = Some(name.into());
}

/// Evaluates an expression; what Terramate rejects in it becomes a problem. `None`: unknown or rejected.
fn evaluate(
    reader: &mut Reader<'_>,
    name: &str,
    expr: Expr<'_>,
    rejects: impl Fn(&Type) -> bool,
) -> Value<eval::Value> {
    let outcome = eval::evaluate(expr, 0, &Functions, &Budget::default());
    let mut rejected = false;
    for error in &outcome.errors {
        let place = reader.place(error.place.span);
        let rule = match error.kind {
            EvalErrorKind::Limit => {
                reader.non_fatal(Diagnostic::new(
                    &applyorder_core::rules::limit_reached::RULE,
                    place,
                    error.message.clone(),
                ));
                continue;
            }
            EvalErrorKind::Variable => &rules::stack_variable::RULE,
            EvalErrorKind::Function | EvalErrorKind::Call => &rules::stack_function::RULE,
            EvalErrorKind::Access | EvalErrorKind::Type => &wrong_type::RULE,
        };
        rejected = true;
        let text = format!(
            "failed to evaluate \"{name}\" attribute: eval expression: {}",
            error.message
        );
        let mut d = Diagnostic::new(rule, place, error.message.clone()).engine_message(text);
        if error.kind == EvalErrorKind::Function {
            let written = error.place.span.slice(reader.input.text);
            let prefixed = format!("tm_{written}");
            if !written.starts_with("tm_") && written.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                d = d.fix(
                    format!("replace with `{prefixed}`"),
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, prefixed)],
                );
            }
        }
        let reference =
            (error.kind == EvalErrorKind::Variable).then(|| error.place.span.slice(reader.input.text).into());
        let problem = reader.fatal(d);
        problem.attribute = Some(name.into());
        problem.reference = reference;
    }
    if rejected {
        return Value::Invalid;
    }
    let is_limited = !outcome.errors.is_empty();
    if reader.open.is_none() && !is_broken(expr) && (is_limited || may_fail(expr, &outcome.value, false)) {
        reader.open = Some(name.into());
    }
    if let Some(unknown) = outcome.value.as_unknown() {
        // Of what sort it is can be known all the same.
        if rejects(&unknown.ty) {
            return Value::Known(outcome.value);
        }
        if is_file_set(expr) {
            return Value::Known(eval::Value::set(Vec::new(), Type::String));
        }
        if !is_broken(expr) {
            incomplete(reader, expr);
        }
        return Value::Unknown;
    }
    Value::Known(outcome.value)
}

/// Whether an expression is a set whatever files there are.
fn is_file_set(expr: Expr<'_>) -> bool {
    matches!(expr.kind(), ExprKind::Call(call) if call.name() == "tm_fileset")
}

fn is_no_string(ty: &Type) -> bool {
    !matches!(ty, Type::Dynamic | Type::String)
}

fn is_no_list(ty: &Type) -> bool {
    !matches!(ty, Type::Dynamic | Type::List(_) | Type::Tuple(_))
}

fn incomplete(reader: &mut Reader<'_>, expr: Expr<'_>) {
    let place = reader.place(expr.span());
    reader.non_fatal(Diagnostic::new(
        &unresolved::RULE,
        place,
        "unknown value: computed only when Terramate runs",
    ));
}

fn scalar(reader: &mut Reader<'_>, attribute: Option<Attribute<'_>>, path: &str) -> Value<Text> {
    let Some(attribute) = attribute else {
        return Value::Absent;
    };
    let expr = attribute.value();
    if is_broken(expr) {
        return Value::Unknown;
    }
    let value = match evaluate(reader, attribute.name(), expr, is_no_string) {
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
    let place = reader.place(expr.span());
    let found = value.type_name();
    let text = match path {
        "stack.name" => format!("field {path} must be a string but given \"{found}\""),
        "stack.description" => {
            format!("field stack.\"description\" must be a \"string\" but given \"{found}\"")
        }
        _ => format!("field {path} must be a string but is \"{found}\""),
    };
    let mut d = Diagnostic::new(
        &wrong_type::RULE,
        place,
        format!("expected a string as `{path}`, found {found}"),
    )
    .engine_message(text);
    if matches!(value.data, Data::Number(_) | Data::Bool(_)) {
        let quoted = format!("\"{}\"", expr.span().slice(reader.input.text));
        d = d.fix(
            "quote the value",
            Safety::Unsafe,
            vec![FixStep::Replace(place, quoted)],
        );
    }
    let problem = reader.fatal(d);
    problem.attribute = Some(attribute.name().into());
    Value::Invalid
}

fn list(reader: &mut Reader<'_>, attribute: Option<Attribute<'_>>, name: &'static str, header: u32) -> List {
    let Some(attribute) = attribute else {
        return List {
            name: None,
            at: header,
            entries: Vec::new(),
            is_plain: true,
            unknown: false,
            tags: Vec::new(),
        };
    };
    let expr = attribute.value();
    let key = Some(reader.at(attribute.name_span()));
    let at = reader.at(expr.span());
    let (entries, unknown) = entries(reader, name, expr);
    let tags = entries.iter().flat_map(|entry| tags_in(reader, entry)).collect();
    List {
        name: key,
        at,
        is_plain: entries.iter().all(|entry| is_plain(reader, entry)),
        entries,
        unknown,
        tags,
    }
}

fn is_plain(reader: &Reader<'_>, entry: &Text) -> bool {
    reader.span_of(entry.at).slice(reader.input.text) == quote(&entry.value)
}

/// The tags of a filter, each with its own place: where the text of the entry is the filter itself.
fn tags_in(reader: &mut Reader<'_>, entry: &Text) -> Vec<TagAt> {
    let span = reader.span_of(entry.at);
    let is_plain = is_plain(reader, entry);
    let Some(filter) = entry.value.strip_prefix(FILTER).filter(|_| is_plain) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut start = span.start as usize + 1 + FILTER.len();
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
    found
}

fn is_broken(expr: Expr<'_>) -> bool {
    expr.descendants()
        .iter()
        .any(|e| matches!(e.kind(), ExprKind::Broken))
}

/// The known entries of a list, and whether there may be others.
fn entries(reader: &mut Reader<'_>, name: &'static str, expr: Expr<'_>) -> (Vec<Text>, bool) {
    let broken = is_broken(expr);
    let value = match evaluate(reader, name, expr, is_no_list) {
        Value::Known(value) => value,
        Value::Unknown => return (Vec::new(), true),
        Value::Absent | Value::Invalid => return (Vec::new(), broken),
    };
    let items = match &value.data {
        Data::Null(_) => return (Vec::new(), broken),
        Data::Tuple(items) | Data::List(items, _) => items.clone(),
        _ => {
            let found = value.type_name();
            let place = reader.place(expr.span());
            let mut d = Diagnostic::new(
                &wrong_type::RULE,
                place,
                format!("expected a list of strings as `{name}`, found {found}"),
            )
            .engine_message(format!(
                "field \"{name}\" must be a set(string) but found a \"{found}\""
            ));
            let source = expr.span().slice(reader.input.text);
            match &value.data {
                Data::String(_) => {
                    d = d.fix(
                        "wrap it in a list",
                        Safety::Unsafe,
                        vec![FixStep::WrapInList(place)],
                    );
                }
                Data::Set(..) | Data::Unknown(_) if found.starts_with("set") => {
                    d = d.fix(
                        "convert to a list",
                        Safety::Unsafe,
                        vec![FixStep::Replace(place, format!("tm_tolist({source})"))],
                    );
                }
                _ => {}
            }
            let problem = reader.fatal(d);
            problem.attribute = Some(name.into());
            return (Vec::new(), broken);
        }
    };
    let mut texts: Vec<Text> = Vec::with_capacity(items.values().len());
    let mut seen: FxHashMap<std::sync::Arc<str>, u32> = FxHashMap::default();
    let mut unknown = broken;
    for (i, item) in items.values().iter().enumerate() {
        let span = item.place.map_or(expr.span(), |p| p.span);
        let Data::String(text) = &item.data else {
            let open = |unknown: &Unknown| matches!(unknown.ty, Type::Dynamic | Type::String);
            if item.as_unknown().is_some_and(open) {
                unknown = true;
                continue;
            }
            let found = item.type_name();
            let place = reader.place(span);
            let mut d = Diagnostic::new(
                &wrong_type::RULE,
                place,
                format!("expected a string in `{name}`, found {found}"),
            )
            .engine_message(format!(
                "field \"{name}\" must be a set(string) but element {i} has type \"{found}\""
            ));
            if matches!(item.data, Data::Number(_) | Data::Bool(_)) {
                let quoted = format!("\"{}\"", span.slice(reader.input.text));
                d = d.fix(
                    "quote the value",
                    Safety::Unsafe,
                    vec![FixStep::Replace(place, quoted)],
                );
            }
            let problem = reader.fatal(d);
            problem.attribute = Some(name.into());
            continue;
        };
        let at = reader.at(span);
        if let Some(first) = seen.get(text) {
            let (place, first) = (reader.place_of(at), reader.place_of(*first));
            let problem = reader.fatal(
                Diagnostic::new(
                    &duplicate_dependency::RULE,
                    place,
                    format!("duplicate entry `{text}` in `{name}`"),
                )
                .severity(applyorder_core::diagnostic::Severity::Error)
                .related(first, "first listed here")
                .engine_message(format!(
                    "duplicated entry \"{text}\" in the index {i} of field \"{name}\" of type set(string)"
                ))
                .fix(
                    "remove the entry",
                    Safety::Unsafe,
                    vec![FixStep::RemoveEntry(place)],
                ),
            );
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
        incomplete(reader, expr);
    }
    (texts, unknown)
}
