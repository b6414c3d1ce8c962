//! `controlInterfaceAccess`: the permissions of a workload, as far as verdicts depend on them.

mod rule;

use applyorder_syntax::yaml::dialect::serdeyaml::{Value, behind_tag, value};
use applyorder_syntax::yaml::{Entry, Node};

use super::fields;
use super::keys::is_complex;
use super::manifest::{Fault, FaultKind, Version, Workload};
use super::reader::{Draft, Reader, found, json, unexpected};
use super::workload::TAGGED;
use crate::judge::stage;

pub(super) fn read<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    path: &str,
    workload: &mut Workload,
) {
    let place = reader.value_place(key, node);
    let pointer = path.replace('.', "/");
    let mut decoded = value(node);
    if let Value::Tagged(tag, tagged) = decoded {
        // The server ignores the tag.
        let place = reader.place(tagged.tag_span().unwrap_or_else(|| tagged.span()));
        let draft = Draft::new(FaultKind::LocalTag(tag.into()), place);
        // To the schema it is a mapping with a key of that name.
        reader.fault(draft.apply(stage::CONVERT, TAGGED));
    }
    let is_tagged = matches!(decoded, Value::Tagged(..));
    if is_tagged {
        decoded = behind_tag(node);
    }
    let kind = |found| FaultKind::WrongType {
        field: "controlInterfaceAccess".into(),
        expected: "mapping",
        found,
    };
    let map = match decoded {
        Value::Map(map) => map,
        Value::Null
            if node
                .resolve()
                .is_none_or(|n| n.source().is_empty() || n.is_absent()) =>
        {
            if reader.has_schema() && !is_tagged {
                let said = format!("'/{pointer}': null is not of type \"object\"");
                reader.fault(Draft::new(kind("null"), place).apply(stage::SCHEMA, said));
            }
            return;
        }
        other => {
            let words = format!(
                "invalid type: {}, expected struct ControlInterfaceAccessSpec",
                unexpected(&other)
            );
            let at = reader.at(node);
            let draft =
                Draft::new(kind(found(&other)), place).not_a_mapping(node, format!("{path}: {words}{at}"));
            let draft = match &other {
                _ if is_tagged => draft,
                Value::Null | Value::Seq(_) if !reader.has_schema() => draft,
                _ => {
                    let words = words.replace("Spec", "");
                    reader.reject(draft, &format!("/{pointer}"), node, "object", &words)
                }
            };
            reader.fault(draft);
            if let Value::Seq(list) = other
                && !is_tagged
                && !reader.has_schema()
            {
                listed(reader, key, list, path, workload);
            }
            return;
        }
    };
    let mut has_rules = false;
    let mut denied = Vec::new();
    for entry in map.entries() {
        if is_complex(reader, entry.key, format_args!("{path}"), "field identifier") {
            continue;
        }
        let field = entry.key.value();
        if let Value::Int(number) = value(entry.key) {
            numbered(reader, map, entry, number, path, workload);
            continue;
        }
        if !fields::ACCESS.fields.iter().any(|(f, _)| *f == field) {
            unknown(reader, entry.key, &fields::ACCESS);
            continue;
        }
        has_rules = true;
        let first = reader.out.faults.len();
        rules(reader, entry.key, entry.value, &format!("{path}.{field}"));
        if field == IN_ORDER[1] {
            // The masks and names are checked after what is allowed, wherever that is written.
            denied.extend(take_named(reader, first));
        }
        workload.access.extend(said(&field, entry.value));
    }
    reader.out.faults.extend(denied);
    if !has_rules && map.entries().next().is_some() {
        workload.lost.push("controlInterfaceAccess");
    }
}

/// Removes the faults, from an index on, that are in the masks and names of rules.
fn take_named(reader: &mut Reader<'_>, first: usize) -> Vec<Fault> {
    let faults = reader.out.faults.drain(first..);
    let is_named = |fault: &Fault| fault.startup.as_ref().is_some_and(|s| s.stage == stage::NAMES);
    let (named, others) = faults.partition(is_named);
    reader.out.faults.extend::<Vec<Fault>>(others);
    named
}

/// The fields in their order, which the conversion of `ank apply` also accepts as numbers.
const IN_ORDER: [&str; 2] = ["allowRules", "denyRules"];

/// What only `ank apply` reads, after its schema check.
fn converted<'t>(reader: &mut Reader<'t>, read: impl FnOnce(&mut Reader<'t>)) {
    let version = std::mem::replace(&mut reader.version, Version::V01);
    let first = reader.out.faults.len();
    read(reader);
    reader.version = version;
    for fault in reader.out.faults.iter_mut().skip(first) {
        fault.startup = None;
    }
}

/// A list, which the conversion treats as the allowed rules and the denied ones.
fn listed<'t>(reader: &mut Reader<'t>, key: Node<'t>, list: Node<'t>, path: &str, workload: &mut Workload) {
    let count = list.items().count();
    for (field, item) in IN_ORDER.iter().zip(list.items()) {
        converted(reader, |reader| {
            rules(reader, item, item, &format!("{path}.{field}"))
        });
        workload.access.extend(said(field, item));
    }
    if count > IN_ORDER.len() {
        let place = reader.place_of(key);
        let kind = FaultKind::WrongType {
            field: "controlInterfaceAccess".into(),
            expected: "mapping",
            found: "list",
        };
        let words = format!("invalid length {count}, expected 2 elements in sequence");
        reader.fault(Draft::new(kind, place).apply(stage::CONVERT, words));
    }
}

/// A number as key, which the server ignores and the conversion treats as a field.
fn numbered<'t>(
    reader: &mut Reader<'t>,
    map: Node<'t>,
    entry: Entry<'t>,
    number: i128,
    path: &str,
    workload: &mut Workload,
) {
    let place = reader.place_of(entry.key);
    let kind = || FaultKind::KeyCharacters(entry.key.source().into());
    let Ok(number) = usize::try_from(number) else {
        let words = format!("invalid type: integer `{number}`, expected field identifier");
        reader.fault(Draft::new(kind(), place).apply(stage::CONVERT, words));
        return;
    };
    let Some(field) = IN_ORDER.get(number) else {
        return;
    };
    if map.get_entry(field).is_some() {
        let words = format!("duplicate field `{field}`");
        reader.fault(Draft::new(kind(), place).apply(stage::CONVERT, words));
        return;
    }
    converted(reader, |reader| {
        rules(reader, entry.key, entry.value, &format!("{path}.{field}"));
    });
    workload.access.extend(said(field, entry.value));
}

/// The content of rules, a line each.
fn said(field: &str, node: Node<'_>) -> Vec<Box<str>> {
    let Value::Seq(list) = value(node) else {
        return Vec::new();
    };
    let one = |rule: Node<'_>| {
        let text = |key: &str| rule.get(key).map(|n| n.value().into_owned()).unwrap_or_default();
        let names = ["filterMasks", "filterMask", "workloadNames"];
        let listed = names.into_iter().filter_map(|key| rule.get(key)?.resolve());
        let all = listed.flat_map(|n| n.items().map(|i| i.value().into_owned()).collect::<Vec<_>>());
        let all: Vec<String> = all.collect();
        format!("{field} {} {} {all:?}", text("type"), text("operation")).into()
    };
    list.items().filter_map(|item| item.resolve()).map(one).collect()
}

fn unknown(reader: &mut Reader<'_>, key: Node<'_>, of: &'static super::manifest::Known) {
    let name = key.value();
    if fields::is_name(&name) {
        let place = reader.place_of(key);
        let kind = FaultKind::UnknownField { key: name.into(), of };
        reader.fault(Draft::new(kind, place));
    }
}

/// A value with a tag, which the server ignores; `ank apply` sees only the tag. Returns whether there is one.
fn tagged<'t>(
    reader: &mut Reader<'t>,
    node: Node<'t>,
    schema: impl FnOnce() -> String,
    read: impl FnOnce(&mut Reader<'t>),
) -> bool {
    let Value::Tagged(tag, tagged) = value(node) else {
        return false;
    };
    let place = reader.place(tagged.tag_span().unwrap_or_else(|| tagged.span()));
    let draft = Draft::new(FaultKind::LocalTag(tag.into()), place);
    let draft = if reader.has_schema() {
        draft.apply(stage::SCHEMA, schema())
    } else {
        draft.apply(stage::CONVERT, TAGGED)
    };
    reader.fault(draft);
    let first = reader.out.faults.len();
    read(reader);
    for fault in reader.out.faults.iter_mut().skip(first) {
        fault.apply = None;
    }
    true
}

fn rules<'t>(reader: &mut Reader<'t>, key: Node<'t>, node: Node<'t>, path: &str) {
    let pointer = path.replace('.', "/");
    let schema = || format!("'/{pointer}': {} is not of type \"array\"", json(node));
    let is_tagged = tagged(reader, node, schema, |reader| {
        rules_of(reader, key, node, behind_tag(node), path);
    });
    if !is_tagged {
        rules_of(reader, key, node, value(node), path);
    }
}

/// The rules of a value, which may have a tag.
fn rules_of<'t>(reader: &mut Reader<'t>, key: Node<'t>, node: Node<'t>, decoded: Value<'t>, path: &str) {
    let pointer = path.replace('.', "/");
    let Value::Seq(list) = decoded else {
        let place = reader.value_place(key, node);
        let words = format!("invalid type: {}, expected a sequence", unexpected(&decoded));
        let at = reader.at(node);
        let kind = FaultKind::WrongType {
            field: key.value().into(),
            expected: "list",
            found: found(&decoded),
        };
        let mut draft = Draft::new(kind, place);
        // A tag without a value is a list as well.
        let is_empty = decoded == Value::Null && matches!(node.source(), "");
        if !node.resolve().is_some_and(|n| n.is_absent()) && !is_empty {
            draft = draft.startup(stage::PARSE, format!("{path}: {words}{at}"));
        }
        let draft = reader.reject(draft, &format!("/{pointer}"), node, "array", &words);
        reader.fault(draft);
        return;
    };
    for (number, item) in list.items().enumerate() {
        rule(
            reader,
            item,
            &format!("{path}[{number}]"),
            &format!("'/{pointer}/{number}'"),
        );
    }
}

fn rule<'t>(reader: &mut Reader<'t>, node: Node<'t>, path: &str, pointer: &str) {
    let schema = || format!("{pointer}: \"type\" is a required property");
    let is_tagged = tagged(reader, node, schema, |reader| {
        rule::read(reader, node, behind_tag(node), path, pointer);
    });
    if !is_tagged {
        rule::read(reader, node, value(node), path, pointer);
    }
}
