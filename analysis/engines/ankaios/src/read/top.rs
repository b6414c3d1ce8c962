//! The top level of a document.

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::serdeyaml::{
    Marks, RefusalKind, Value, behind_tag, local_tag, refusals, value,
};
use applyorder_syntax::yaml::{Node, Tree};
use rustc_hash::FxHashSet;

use super::manifest::{DocumentKind, FaultKind, Manifest, Text, Update, Version};
use super::reader::{Draft, Reader, entries, found, is_json_null, json, unexpected};
use super::workload::{NO_AGENT, NO_PATH};
use super::{configs, keys, workload};
use crate::judge::stage;

pub(super) fn manifest(tree: &Tree) -> (Manifest, Vec<Span>) {
    let marks = Marks::new(tree.text());
    let mut reader = reader(&marks);
    yaml(&mut reader, tree);
    let root = tree.first_document().and_then(|d| d.root());
    document(&mut reader, root, tree);
    reader.rank_keys();
    reader.out.version = reader.version;
    reader.out.shrink();
    (reader.out, reader.places)
}

fn reader<'t>(marks: &'t Marks<'t>) -> Reader<'t> {
    Reader {
        out: Manifest::default(),
        places: Vec::new(),
        marks,
        version: Version::Missing,
        untagged_version: Version::Missing,
        seen: FxHashSet::default(),
        workload: None,
    }
}

/// A desired state of a cluster, read like a manifest.
pub(super) fn desired<'t>(tree: &'t Tree, state: Node<'t>) -> Manifest {
    let marks = Marks::new(tree.text());
    let mut reader = reader(&marks);
    reader.version = Version::V1;
    for entry in entries(state) {
        match &*entry.key.value() {
            "workloads" => workloads(&mut reader, entry.key, entry.value),
            "configs" => configs::read(&mut reader, entry.key, entry.value),
            _ => {}
        }
    }
    reader.out
}

fn yaml(reader: &mut Reader<'_>, tree: &Tree) {
    for refusal in refusals(tree) {
        let place = reader.place(refusal.span);
        let related = refusal.related.map(|span| reader.place(span));
        reader.out.is_broken |= !matches!(
            refusal.kind,
            RefusalKind::DuplicateKey
                | RefusalKind::SeveralDocuments
                | RefusalKind::ByteOrderMark
                | RefusalKind::BesideMark
        );
        // The content of other documents is not read.
        reader.out.has_hidden_dependencies |= refusal.kind == RefusalKind::SeveralDocuments;
        let draft = Draft::new(
            FaultKind::Yaml(refusal.kind, refusal.message.as_str().into()),
            place,
        )
        .related(related)
        .startup(stage::YAML, refusal.message.as_str())
        .apply(stage::YAML, refusal.message);
        reader.fault(draft);
    }
}

/// The kind of a document, by its top level.
fn kind_of(map: Node<'_>) -> DocumentKind {
    let is_part = |key: &str| {
        let entry = map.get(key).and_then(|n| n.resolve());
        entry.is_some_and(|n| matches!(behind_tag(n), Value::Map(_) | Value::Null | Value::Seq(_)))
    };
    let has = |key: &str| map.get(key).is_some();
    if has("desiredState") {
        DocumentKind::State
    } else if ["kind", "metadata", "spec"].into_iter().any(has) {
        DocumentKind::Foreign
    } else if is_part("workloads") || is_part("configs") || has("apiVersion") {
        DocumentKind::Manifest
    } else {
        DocumentKind::Foreign
    }
}

fn document<'t>(reader: &mut Reader<'t>, root: Option<Node<'t>>, tree: &'t Tree) {
    let start = reader.place(Span::at(root.map_or(0, |r| r.full_span().start)));
    let decoded = root.map_or(Value::Null, behind_tag);
    let map = match decoded {
        Value::Map(map) => map,
        Value::Null if root.is_none_or(|r| r.is_absent()) => {
            let draft = Draft::new(FaultKind::VersionMissing, start)
                .startup(
                    stage::PARSE,
                    format!("missing field `apiVersion`{}", end(reader, tree)),
                )
                .apply(stage::SCHEMA, "'': null is not of type \"object\"");
            reader.fault(draft);
            return;
        }
        other => {
            let words = format!("invalid type: {}, expected struct StateSpec", unexpected(&other));
            let at = root.map_or_else(String::new, |r| reader.at(r));
            let kind = FaultKind::WrongType {
                field: "manifest".into(),
                expected: "mapping",
                found: found(&other),
            };
            let said = format!(
                "'': {} is not of type \"object\"",
                root.map_or_else(String::new, json)
            );
            let draft = Draft::new(kind, start)
                .startup(stage::PARSE, format!("{words}{at}"))
                .apply(stage::SCHEMA, said);
            reader.fault(draft);
            return;
        }
    };
    let Some((root, tag)) = root
        .and_then(|r| r.resolve())
        .and_then(|r| Some((r, local_tag(r)?)))
    else {
        parts(reader, map, start, tree);
        return;
    };
    // The server ignores it; to the schema the tag is the only key.
    let place = reader.place(root.tag_span().unwrap_or_else(|| root.span()));
    let draft = Draft::new(FaultKind::LocalTag(tag.into()), place);
    reader.fault(draft.apply(stage::SCHEMA, "'': \"apiVersion\" is a required property"));
    for_startup(reader, |reader| parts(reader, map, start, tree));
}

/// The content of the mapping of a document. `start` is where the document begins.
fn parts<'t>(reader: &mut Reader<'t>, map: Node<'t>, start: u32, tree: &'t Tree) {
    reader.out.kind = kind_of(map);
    reader.out.has_parts = ["workloads", "configs"].into_iter().any(|key| {
        map.get(key)
            .is_some_and(|n| matches!(behind_tag(n), Value::Map(_) | Value::Null))
    });
    if let Some(entry) = map.get_entry("apiVersion") {
        reader.version = match value(entry.value) {
            Value::Str(text) if text == "v1" => Version::V1,
            Value::Str(text) if text == "v0.1" => Version::V01,
            _ => Version::Other(
                entry
                    .value
                    .resolve()
                    .map(|n| n.value().into())
                    .unwrap_or_default(),
            ),
        };
        reader.untagged_version = match behind_tag(entry.value) {
            Value::Str(text) if text == "v1" => Version::V1,
            Value::Str(text) if text == "v0.1" => Version::V01,
            _ => Version::Missing,
        };
        reader.out.version_place = Some(reader.value_place(entry.key, entry.value));
    }
    for entry in entries(map) {
        let (key, node) = (entry.key, entry.value);
        if keys::is_complex(reader, key, format_args!(""), "field identifier") {
            continue;
        }
        let field = key.value();
        if depends_on_children(node) && field != "apiVersion" {
            updates(reader, &field, node);
        }
        match &*field {
            "apiVersion" => version(reader, node),
            "workloads" => workloads(reader, key, node),
            "configs" => {
                top_tag(reader, node, "configs");
                if node.resolve().is_some_and(|n| local_tag(n).is_some()) {
                    for_startup(reader, |reader| configs::read(reader, key, node));
                    reader.out.loses_configs = true;
                } else {
                    configs::read(reader, key, node);
                }
            }
            _ => unknown(reader, key, node, &field),
        }
    }
    if reader.version == Version::Missing {
        let at = reader.at(map);
        let draft = Draft::new(FaultKind::VersionMissing, start)
            .startup(stage::PARSE, format!("missing field `apiVersion`{at}"))
            .apply(stage::SCHEMA, "'': \"apiVersion\" is a required property");
        reader.fault(draft);
    }
    keys::check(reader, map);
    form_at_random(reader);
    let holds = |key: &str| map.get(key).is_some();
    if reader.out.kind == DocumentKind::Manifest && !holds("workloads") && !holds("configs") {
        reader.fault(Draft::new(FaultKind::NoWorkloads, start));
    }
    debug_assert!(
        reader.places.iter().all(|s| s.end as usize <= tree.text().len()),
        "places are in the text"
    );
}

/// If `ank apply` may take the version from a key further down, it may expect tags in the form of that version.
fn form_at_random(reader: &mut Reader<'_>) {
    let other = match reader.version {
        Version::V01 => Version::V1,
        _ => return,
    };
    if !reader.out.nested_versions.contains(&other) {
        return;
    }
    let faults = reader.out.faults.iter_mut();
    for fault in faults.filter(|f| matches!(f.kind, FaultKind::TagsForm { .. })) {
        fault.apply = None;
    }
}

/// Where the server reaches the end of a document without content.
fn end(reader: &Reader<'_>, tree: &Tree) -> String {
    let text = tree.text();
    let at = if text.starts_with("...") {
        Some(0)
    } else {
        text.find("\n...").map(|at| at + 1)
    };
    let at = at.unwrap_or(text.len());
    let offset = u32::try_from(at).unwrap_or(u32::MAX);
    match reader.marks.of(offset) {
        // The end of a last line without its break is the start of the next one.
        (line, column) if at == text.len() && column > 0 => format!(" at line {} column 1", line + 2),
        _ => reader.marks.suffix(offset),
    }
}

fn depends_on_children(node: Node<'_>) -> bool {
    matches!(value(node), Value::Map(_) | Value::Seq(_))
}

fn each<'t>(reader: &mut Reader<'t>, map: Node<'t>) {
    for entry in entries(map) {
        if keys::is_complex(reader, entry.key, format_args!("workloads"), "a string") {
            workload::tags_of_nameless(reader, entry.value);
        } else {
            workload::read(reader, entry.key, entry.value);
        }
    }
}

/// What `ank apply` would update (A8, A9, A12).
fn updates(reader: &mut Reader<'_>, top: &str, node: Node<'_>) {
    let add = |reader: &mut Reader<'_>, name: &str, place: u32| {
        let name = Text {
            value: name.into(),
            place,
        };
        reader.out.updates.push(Update {
            top: top.into(),
            name,
        });
    };
    if top.is_empty() && matches!(value(node), Value::Map(_)) {
        // The empty name is not a part of a path: what is below is treated as the top level, where it is
        // missing.
        if let Some(place) = path_below(node).map(|below| reader.place_of(below)) {
            add(reader, "", place);
            let kind = FaultKind::KeyCharacters("".into());
            reader.fault(Draft::new(kind, place).apply(stage::MERGE, NO_PATH));
        }
        return;
    }
    match value(node) {
        Value::Map(map) => {
            for entry in map.entries() {
                let place = reader.place_of(entry.key);
                add(reader, &entry.key.value(), place);
                let is_own = matches!(top, "workloads" | "configs");
                if !is_own && matches!(value(entry.key), Value::Int(_)) {
                    let kind = FaultKind::KeyCharacters(entry.key.source().into());
                    reader.fault(Draft::new(kind, place).apply(stage::MERGE, NO_PATH));
                }
            }
        }
        Value::Seq(list) => {
            for (number, item) in list.items().enumerate() {
                let place = reader.place_of(item);
                add(reader, &number.to_string(), place);
            }
        }
        _ => {}
    }
}

/// The first value below a node that has content.
fn path_below(node: Node<'_>) -> Option<Node<'_>> {
    let holds = |node: &Node<'_>| match value(*node) {
        Value::Map(map) => map.entries().next().is_some(),
        Value::Seq(list) => list.items().next().is_some(),
        _ => false,
    };
    let node = node.resolve()?;
    node.entries().map(|e| e.value).chain(node.items()).find(holds)
}

fn version(reader: &mut Reader<'_>, node: Node<'_>) {
    let Some(place) = reader.out.version_place else {
        return;
    };
    let decoded = value(node);
    let received = node.resolve().map(|n| n.value().into_owned()).unwrap_or_default();
    let is_scalar = node.resolve().is_some_and(|n| n.is_scalar());
    if let Value::Tagged(..) = decoded {
        let mut draft = Draft::new(FaultKind::VersionInvalid(received.as_str().into()), place);
        if !is_scalar {
            let what = unexpected(&behind_tag(node));
            let words = format!(
                "apiVersion: invalid type: {what}, expected a string{}",
                reader.at(node)
            );
            draft = draft.startup(stage::PARSE, words);
        }
        let said = format!("'/apiVersion': {} is not of type \"string\"", json(node));
        let draft = if matches!(received.as_str(), "v1" | "v0.1") {
            draft
        } else {
            draft.startup(
                stage::VERSION,
                format!("Unsupported API version. Received '{received}', expected 'v1'"),
            )
        };
        reader.fault(draft.apply(stage::SCHEMA, said));
        return;
    }
    match reader.version {
        Version::V1 | Version::Missing => {}
        Version::V01 => reader.fault(Draft::new(FaultKind::VersionDeprecated, place)),
        Version::Other(_) => {
            let draft = Draft::new(FaultKind::VersionInvalid(received.as_str().into()), place);
            let draft = if is_scalar {
                draft.startup(
                    stage::VERSION,
                    format!("Unsupported API version. Received '{received}', expected 'v1'"),
                )
            } else {
                let at = reader.at(node);
                let words = format!(
                    "apiVersion: invalid type: {}, expected a string{at}",
                    unexpected(&decoded)
                );
                draft.startup(stage::PARSE, words)
            };
            let said = match &decoded {
                Value::Str(text) => format!("'/apiVersion': {text:?} does not match \"^v1$\""),
                _ => format!("'/apiVersion': {} is not of type \"string\"", json(node)),
            };
            reader.fault(draft.apply(stage::SCHEMA, said));
        }
    }
}

/// A local tag on a whole part: the server ignores it, the schema does not, and without a schema the part is
/// dropped.
fn top_tag(reader: &mut Reader<'_>, node: Node<'_>, part: &'static str) {
    let Some(node) = node.resolve() else { return };
    let Some(tag) = local_tag(node) else { return };
    let place = reader.place(node.tag_span().unwrap_or_else(|| node.span()));
    let draft = Draft::new(FaultKind::LocalTag(tag.into()), place);
    let draft = if reader.has_schema() {
        let said = format!("'/{part}': \"!{tag}\" does not match \"^[a-zA-Z0-9_-]+$\"");
        draft.apply(stage::SCHEMA, said)
    } else {
        draft.loses(part)
    };
    reader.fault(draft);
}

/// Reads a part that `ank apply` does not see, except for its keys, which it converts to JSON first of all.
fn for_startup<'t>(reader: &mut Reader<'t>, read: impl FnOnce(&mut Reader<'t>)) {
    let first = reader.out.faults.len();
    read(reader);
    for fault in reader.out.faults.iter_mut().skip(first) {
        fault.apply = fault.apply.take().filter(|said| said.stage == stage::JSON);
        fault.loses = None;
    }
}

fn workloads<'t>(reader: &mut Reader<'t>, key: Node<'t>, node: Node<'t>) {
    top_tag(reader, node, "workloads");
    match behind_tag(node) {
        Value::Map(map) if !reader.has_schema() && node.resolve().is_some_and(|n| local_tag(n).is_some()) => {
            for_startup(reader, |reader| each(reader, map));
            for workload in &mut reader.out.workloads {
                workload.lose_all();
            }
        }
        Value::Map(map) => each(reader, map),
        Value::Null if node.is_absent() => {}
        _ if node.is_absent() && !reader.has_schema() => {}
        other => {
            let place = reader.value_place(key, node);
            let at = reader.at(node);
            let kind = FaultKind::WrongType {
                field: "workloads".into(),
                expected: "mapping",
                found: found(&other),
            };
            let words = format!(
                "workloads: invalid type: {}, expected a map{at}",
                unexpected(&other)
            );
            let draft = Draft::new(kind, place).not_a_mapping(node, words);
            let draft = if is_json_null(&other) {
                draft
            } else if reader.has_schema() {
                draft.apply(
                    stage::SCHEMA,
                    format!("'/workloads': {} is not of type \"object\"", json(node)),
                )
            } else if let Value::Seq(list) = other {
                items_of(reader, key, list, draft)
            } else {
                draft
            };
            reader.out.has_hidden_dependencies |= !is_json_null(&other);
            reader.fault(draft);
        }
    }
}

/// Workloads as a list: to `ank apply` their names are their indices. `draft` is the fault of the list.
fn items_of<'t>(reader: &mut Reader<'t>, key: Node<'t>, list: Node<'t>, draft: Draft) -> Draft {
    let mut draft = draft;
    for item in list.items() {
        match value(item) {
            Value::Map(map) if map.get_entry("agent").is_some() => {}
            Value::Map(_) => {
                let place = reader.value_place(key, item);
                let kind = FaultKind::MissingField {
                    field: "agent",
                    of: "workload",
                };
                reader.fault(Draft::new(kind, place).apply(stage::AGENT, NO_AGENT));
            }
            _ => draft = draft.apply(stage::AGENT, NO_AGENT),
        }
    }
    draft
}

fn unknown(reader: &mut Reader<'_>, key: Node<'_>, node: Node<'_>, field: &str) {
    let place = reader.place_of(key);
    let first = match value(node) {
        // The first of the update masks, which are sorted.
        Value::Map(map) => map.entries().map(|e| e.key.value().into_owned()).min(),
        Value::Seq(list) => list.items().next().map(|_| "0".to_owned()),
        _ => None,
    };
    let kind = FaultKind::UnknownTopLevel {
        key: field.into(),
        holds: first.is_some(),
    };
    let mut draft = Draft::new(kind, place);
    if let Some(first) = first {
        draft = if field.is_empty() && matches!(value(node), Value::Map(_)) {
            draft
        } else if matches!(value(key), Value::Int(_)) {
            draft.apply(stage::MERGE, NO_PATH)
        } else {
            draft.apply(
                stage::MASKS,
                format!("Could not find field desiredState.{field}.{first}"),
            )
        };
    }
    reader.fault(draft);
}
