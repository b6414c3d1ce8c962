//! `files`: what is mounted into a workload.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, value};

use super::Body;
use super::part::{part, wrong_part};
use super::scalar::field_of;
use crate::judge::stage;
use crate::read::fields;
use crate::read::keys::refused;
use crate::read::manifest::{FaultKind, FileEntry, Workload};
use crate::read::reader::{Draft, Reader, found, json, unexpected};

/// The fields with the content of a file.
const CONTENTS: [&str; 2] = ["data", "binaryData"];

pub(super) fn read<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    state: &mut Body<'_>,
    workload: &mut Workload,
) {
    workload.files_key = Some(reader.place_of(key));
    let decoded = value(node);
    let Value::Seq(list) = decoded else {
        let expected = ("list", "a sequence", "array");
        let draft = wrong_part(reader, key, node, "files", expected, state, &decoded, workload);
        state.late.files.push(draft);
        return;
    };
    for (number, item) in list.items().enumerate() {
        let pointer = format!("'/workloads/{}/files/{number}'", state.name);
        let decoded = value(item);
        let Value::Map(map) = decoded else {
            let place = reader.value_place(key, item);
            let kind = FaultKind::WrongType {
                field: "files".into(),
                expected: "mapping",
                found: found(&decoded),
            };
            let words = format!("invalid type: {}, expected struct FileSpec", unexpected(&decoded));
            let schema = format!("{pointer}: {} is not of type \"object\"", json(item));
            let draft = part(reader, kind, place, "files", schema, true, workload);
            state
                .late
                .files
                .push(draft.startup(stage::PARSE, state.copied(&words)));
            continue;
        };
        let entry = file(reader, map, &pointer, state, workload);
        workload.files.push(entry);
    }
}

fn mount<'t>(
    reader: &mut Reader<'t>,
    (key, node): (Node<'t>, Node<'t>),
    pointer: &str,
    state: &mut Body<'_>,
    workload: &mut Workload,
    out: &mut FileEntry,
) {
    let other = match value(node) {
        Value::Str(text) => {
            out.mount = Some(reader.text(node, &text));
            return;
        }
        other => other,
    };
    let place = reader.value_place(key, node);
    let kind = FaultKind::WrongType {
        field: "mountPoint".into(),
        expected: "string",
        found: found(&other),
    };
    let words = format!("invalid type: {}, expected a string", unexpected(&other));
    let schema = format!("{pointer}/mountPoint: {} is not of type \"string\"", json(node));
    let draft = part(reader, kind, place, "files", schema, true, workload);
    state
        .late
        .files
        .push(draft.startup(stage::PARSE, state.copied(&words)));
}

fn file<'t>(
    reader: &mut Reader<'t>,
    map: Node<'t>,
    pointer: &str,
    state: &mut Body<'_>,
    workload: &mut Workload,
) -> FileEntry {
    let mut out = FileEntry {
        place: reader.place_of(map),
        ..FileEntry::default()
    };
    for entry in map.entries() {
        if entry.key.value() == "mountPoint" {
            mount(
                reader,
                (entry.key, entry.value),
                pointer,
                state,
                workload,
                &mut out,
            );
        }
        odd_field(reader, entry.key, state);
    }
    if map.get_entry("mountPoint").is_none() {
        let kind = FaultKind::MissingField {
            field: "mountPoint",
            of: "file entry",
        };
        let schema = format!("{pointer}: \"mountPoint\" is a required property");
        let draft = part(reader, kind, out.place, "files", schema, true, workload);
        state
            .late
            .files
            .push(draft.startup(stage::PARSE, state.copied("missing field `mountPoint`")));
    }
    contents(reader, map, state, &mut out);
    if out.data.is_none() && out.binary.is_none() {
        let draft = without_content(reader, map, pointer, state, &out);
        state.late.files.push(draft);
    }
    for entry in map.entries() {
        let name = entry.key.value();
        if fields::is_name(&name) && !fields::FILE.fields.iter().any(|(f, _)| *f == name) {
            let place = reader.place_of(entry.key);
            let kind = FaultKind::UnknownField {
                key: name.as_ref().into(),
                of: &fields::FILE,
            };
            state.late.files.push(Draft::new(kind, place));
        }
    }
    out
}

/// A key that cannot be a field.
fn odd_field<'t>(reader: &mut Reader<'t>, key: Node<'t>, state: &mut Body<'_>) {
    let decoded = value(key);
    // The library reads a number with a sign as a possibly negative one.
    let is_below = matches!(decoded, Value::Int(_)) && key.source().starts_with('-');
    if matches!(decoded, Value::Str(_) | Value::Int(_)) && !is_below {
        return;
    }
    reader.seen.insert(key.span().start);
    let place = reader.place_of(key);
    let kind = FaultKind::KeyCharacters(key.source().into());
    let words = format!(
        "invalid type: {}, expected field identifier",
        unexpected(&decoded)
    );
    let mut draft = Draft::new(kind, place).startup(stage::PARSE, state.copied(&words));
    if let Some(refused) = refused(key) {
        draft = draft.apply(refused.stage, refused.words);
    }
    state.late.files.push(draft);
}

/// The message about an entry whose content is of neither kind.
const NO_CONTENT: &str = "data did not match any variant of untagged enum FileContentSpec";

/// The two kinds of content.
fn contents<'t>(reader: &mut Reader<'t>, map: Node<'t>, state: &mut Body<'_>, out: &mut FileEntry) {
    let content = |reader: &mut Reader<'t>, field: &str| {
        let entry = map.get_entry(field)?;
        let Value::Str(text) = value(entry.value) else {
            return None;
        };
        let target = entry.value.resolve()?;
        Some(field_of(reader, entry.key, target, &text, false))
    };
    out.data = content(reader, "data");
    out.binary = content(reader, "binaryData");
    // The state of `ank apply` uses the first of the two, whatever it is; the server uses the one that fits.
    let mut contents = map.entries().filter(|entry| {
        let key = value(entry.key);
        matches!(&key, Value::Str(name) if CONTENTS.contains(&&**name))
    });
    let first = contents.next();
    out.is_binary_first = first
        .as_ref()
        .is_some_and(|entry| entry.key.value() == "binaryData");
    let fits = out.data.is_some() || out.binary.is_some();
    let odd = CONTENTS.iter().filter_map(|field| map.get_entry(field));
    for entry in odd.filter(|entry| fits && !matches!(value(entry.value), Value::Str(_))) {
        let kind = FaultKind::WrongType {
            field: entry.key.value().into(),
            expected: "string",
            found: found(&value(entry.value)),
        };
        let place = reader.value_place(entry.key, entry.value);
        let draft = Draft::new(kind, place);
        let is_first = first
            .as_ref()
            .is_some_and(|first| first.key.span() == entry.key.span());
        state.late.files.push(if is_first && out.mount.is_some() {
            draft.apply(stage::STATE, NO_CONTENT)
        } else {
            draft
        });
    }
}

/// The fault of an entry without content that fits.
fn without_content<'t>(
    reader: &mut Reader<'t>,
    map: Node<'t>,
    pointer: &str,
    state: &Body<'_>,
    out: &FileEntry,
) -> Draft {
    let mut written = CONTENTS
        .iter()
        .filter_map(|field| Some((field, map.get_entry(field)?)));
    let (kind, place) = match written.next() {
        Some((field, entry)) => (
            FaultKind::WrongType {
                field: (*field).into(),
                expected: "string",
                found: found(&value(entry.value)),
            },
            reader.value_place(entry.key, entry.value),
        ),
        None => (
            FaultKind::MissingField {
                field: "data",
                of: "file entry",
            },
            out.place,
        ),
    };
    let draft = Draft::new(kind, place).startup(stage::PARSE, state.copied(NO_CONTENT));
    if reader.has_schema() {
        draft.apply(
            stage::SCHEMA,
            format!("{pointer}: \"data\" is a required property"),
        )
    } else if out.mount.is_some() {
        draft.apply(stage::STATE, NO_CONTENT)
    } else {
        draft
    }
}
