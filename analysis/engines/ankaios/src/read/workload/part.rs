//! What dependencies, tags, configs and files have in common: the server reads them from a copy, and `ank
//! apply` drops what does not fit.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{self, Value, value};

use super::Body;
use crate::judge::stage;
use crate::read::keys::refused;
use crate::read::manifest::{FaultKind, Workload};
use crate::read::reader::{Draft, Reader, found, json, unexpected};

/// The message of both about a local tag.
pub(crate) const TAGGED: &str = "untagged and internally tagged enums do not support enum input";

/// The first local tag in a value, and the path to it in the server's notation, which begins with the result of
/// `path`.
pub(in crate::read) fn tag_inside<'t>(
    root: Node<'t>,
    path: impl FnOnce() -> String,
) -> Option<(Node<'t>, String, String)> {
    // Hardly any value has one: the paths are only computed if there is one.
    first_tag(root, (), |(), _| ())?;
    let (node, tag, path) = first_tag(root, path(), |path, step| match step {
        Step::Key => path.clone(),
        Step::Value(key) => format!("{path}.{}", key.value()),
        Step::Item(number) => format!("{path}[{number}]"),
    })?;
    Some((node, tag.to_owned(), path))
}

/// A step of the path to an inner value.
enum Step<'t> {
    Key,
    Value(Node<'t>),
    Item(usize),
}

/// The first local tag in a value, with the path to it.
fn first_tag<'t, W>(
    root: Node<'t>,
    way: W,
    step: impl Fn(&W, Step<'t>) -> W,
) -> Option<(Node<'t>, &'t str, W)> {
    let mut stack = vec![(root, way)];
    let mut looked_at = 0;
    while let Some((node, way)) = stack.pop() {
        looked_at += 1;
        let node = node.resolve()?;
        if let Some(tag) = serdeyaml::local_tag(node) {
            return Some((node, tag, way));
        }
        // Aliases can make a small text large.
        if looked_at > 100_000 {
            return None;
        }
        let first = stack.len();
        for entry in node.entries() {
            stack.push((entry.key, step(&way, Step::Key)));
            stack.push((entry.value, step(&way, Step::Value(entry.key))));
        }
        let items = node.items().enumerate();
        stack.extend(items.map(|(number, item)| (item, step(&way, Step::Item(number)))));
        stack.get_mut(first..).unwrap_or_default().reverse();
    }
    None
}

/// A local tag: the message of both.
pub(in crate::read) fn local_tag(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    tag: &str,
    path: &str,
    is_typed: bool,
) -> Draft {
    let place = reader.place(node.tag_span().unwrap_or_else(|| node.span()));
    let at = reader.at(node);
    let draft = Draft::new(FaultKind::LocalTag(tag.into()), place)
        .startup(stage::PARSE, format!("{path}: {TAGGED}{at}"));
    let pointer = path.replace(['.', '['], "/").replace(']', "");
    if is_typed && reader.has_schema() {
        draft.apply(
            stage::SCHEMA,
            format!("'/{pointer}': {} is not of type \"string\"", json(node)),
        )
    } else {
        draft.apply(stage::CONVERT, TAGGED)
    }
}

/// The unit variant that serde accepts a value as, read from a copy, as its index among the known ones, which a
/// key may be as well; else serde's message.
pub(in crate::read) fn variant(value: &Value<'_>, known: &[&str], variants: &str) -> Result<usize, String> {
    let named = |text: &str| {
        let number = known.iter().position(|name| *name == text);
        number.ok_or_else(|| format!("unknown variant `{text}`, {variants}"))
    };
    match value {
        Value::Str(text) => named(text),
        Value::Tagged(..) => Err(TAGGED.to_owned()),
        Value::Map(map) => {
            let mut entries = map.entries();
            let (Some(entry), None) = (entries.next(), entries.next()) else {
                return Err("invalid value: map, expected map with a single key".to_owned());
            };
            let number = match self::value(entry.key) {
                Value::Str(text) => named(&text)?,
                Value::Int(number) if number >= 0 => {
                    let among = usize::try_from(number).ok().filter(|n| *n < known.len());
                    among.ok_or_else(|| {
                        let count = known.len();
                        format!("invalid value: integer `{number}`, expected variant index 0 <= i < {count}")
                    })?
                }
                other => {
                    let found = unexpected(&other);
                    return Err(format!("invalid type: {found}, expected variant identifier"));
                }
            };
            match self::value(entry.value) {
                Value::Null => Ok(number),
                other => Err(format!("invalid type: {}, expected unit", unexpected(&other))),
            }
        }
        other => Err(format!(
            "invalid type: {}, expected string or map",
            unexpected(other)
        )),
    }
}

/// A part that `ank apply` drops if it does not fit, and no schema checks first.
pub(super) fn part(
    reader: &Reader<'_>,
    kind: FaultKind,
    place: u32,
    field: &'static str,
    schema: String,
    is_something: bool,
    workload: &mut Workload,
) -> Draft {
    let draft = Draft::new(kind, place);
    if reader.has_schema() {
        draft.apply(stage::SCHEMA, schema)
    } else if is_something {
        lose(workload, field);
        draft.loses(field)
    } else {
        draft
    }
}

pub(super) fn lose(workload: &mut Workload, field: &'static str) {
    if !workload.lost.contains(&field) {
        workload.lost.push(field);
    }
}

/// Whether a value that does not fit would have had content.
pub(super) fn is_something(value: &Value<'_>) -> bool {
    match value {
        Value::Null => false,
        Value::Seq(node) => node.items().next().is_some(),
        Value::Map(node) => node.entries().next().is_some(),
        Value::Str(text) => !text.is_empty(),
        _ => true,
    }
}

/// A whole part of the wrong type. The server reports `expected`.
#[expect(clippy::too_many_arguments, reason = "one fault, all of its sides")]
pub(super) fn wrong_part(
    reader: &mut Reader<'_>,
    key: Node<'_>,
    node: Node<'_>,
    field: &'static str,
    expected: (&'static str, &'static str, &'static str),
    state: &Body<'_>,
    decoded: &Value<'_>,
    workload: &mut Workload,
) -> Draft {
    let (ours, serdes, schemas) = expected;
    let place = reader.value_place(key, node);
    let kind = FaultKind::WrongType {
        field: field.into(),
        expected: ours,
        found: found(decoded),
    };
    let schema = format!(
        "'/workloads/{}/{field}': {} is not of type \"{schemas}\"",
        state.name,
        json(node)
    );
    let words = format!("invalid type: {}, expected {serdes}", unexpected(decoded));
    part(
        reader,
        kind,
        place,
        field,
        schema,
        is_something(decoded),
        workload,
    )
    .startup(stage::PARSE, state.copied(&words))
}

/// A key of a part that is not a string: the server expects a string, and `ank apply` drops the part for a
/// number.
pub(super) fn odd_key(
    reader: &mut Reader<'_>,
    key: Node<'_>,
    what: &'static str,
    field: &'static str,
    words: impl FnOnce(&Value<'_>) -> String,
    workload: &mut Workload,
) -> Option<Draft> {
    let decoded = value(key);
    if matches!(decoded, Value::Str(_)) {
        return None;
    }
    reader.seen.insert(key.span().start);
    let place = reader.place_of(key);
    let kind = FaultKind::Unquoted {
        what,
        text: key.value().into(),
        found: found(&decoded),
    };
    let draft = Draft::new(kind, place).startup(stage::PARSE, words(&decoded));
    Some(match refused(key) {
        Some(refused) => draft.apply(refused.stage, refused.words),
        None => {
            lose(workload, field);
            draft.loses(field)
        }
    })
}
