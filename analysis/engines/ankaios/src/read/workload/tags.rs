//! `tags`: a mapping in `v1`, a list in `v0.1`.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, behind_tag, value};

use super::Body;
use super::part::{lose, odd_key, part};
use crate::judge::stage;
use crate::read::manifest::{FaultKind, Text, Version, Workload};
use crate::read::reader::{Draft, Reader, found};

/// The fields of an entry of a list of tags, in their order.
const FIELDS: [&str; 2] = ["key", "value"];

pub(super) fn read<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    state: &mut Body<'_>,
    workload: &mut Workload,
) {
    reader.out.has_tags = true;
    let decoded = value(node);
    let place = reader.value_place(key, node);
    workload.tags_place = Some(place);
    let related = reader.out.version_place;
    let wants_list = reader.untagged_version == Version::V01;
    let form = form(reader, &decoded, state.in_tags);
    let unmatched = state.copied("data did not match any variant of untagged enum MapOrVec");
    let mut lost = false;
    let mut wrong = Wrong(None);
    match &decoded {
        Value::Map(map) => {
            for entry in map.entries() {
                let name = entry.key.value();
                if let Some(draft) =
                    odd_key(reader, entry.key, "tag", "tags", |_| unmatched.clone(), workload)
                {
                    state.late.tags.push(draft);
                }
                match value(entry.value) {
                    Value::Str(text) => workload.tags.push(format!("{name}={text}").into()),
                    other => wrong.note(reader, entry.value, &name, &other),
                }
            }
        }
        Value::Seq(list) => {
            for item in list.items() {
                lost = true;
                let tag = match value(item) {
                    Value::Map(map) => wrong.fields_of(reader, item, map),
                    // serde reads the fields of an entry in their order.
                    Value::Seq(pair) => {
                        let tag = pair_of(pair);
                        if tag.is_none() {
                            wrong.note(reader, item, "tags", &value(item));
                        }
                        tag
                    }
                    other => {
                        wrong.note(reader, item, "tags", &other);
                        None
                    }
                };
                workload.tags.extend(tag);
            }
        }
        other => wrong.note(reader, node, "tags", other),
    }
    if let Some(words) = form {
        let kind = FaultKind::TagsForm {
            wants_list,
            found: found(&decoded),
        };
        let mut draft = Draft::new(kind, place)
            .related(related)
            .startup(stage::TAGS, words.clone());
        if reader.has_schema() {
            let pointer = format!("/workloads/{}/tags", state.name);
            draft = reader.reject(draft, &pointer, node, "object", "");
        } else {
            draft = draft.apply(stage::TAGS, words);
        }
        state.late.tags.push(draft);
        return;
    }
    if let Some((text, kind)) = wrong.0 {
        let pointer = format!("'/workloads/{}/tags/{}'", state.name, text.value);
        let schema = format!("{pointer}: this is not of type \"string\"");
        let draft = part(reader, kind, text.place, "tags", schema, true, workload);
        state.late.tags.push(draft.startup(stage::PARSE, unmatched));
    } else if wants_list && lost {
        lose(workload, "tags");
        let kind = FaultKind::TagsForm {
            wants_list,
            found: "list",
        };
        let key_place = reader.place_of(key);
        state
            .late
            .tags
            .push(Draft::new(kind, key_place).related(related).loses("tags"));
    }
}

/// The first value that is not a string.
struct Wrong(Option<(Text, FaultKind)>);

impl Wrong {
    fn note(&mut self, reader: &mut Reader<'_>, node: Node<'_>, field: &str, value: &Value<'_>) {
        let kind = FaultKind::WrongType {
            field: field.into(),
            expected: "string",
            found: found(value),
        };
        let text = reader.text(node, field);
        self.0.get_or_insert((text, kind));
    }

    /// A tag as a mapping with its key and its value; `None` if it is not one, which is noted.
    fn fields_of(&mut self, reader: &mut Reader<'_>, item: Node<'_>, map: Node<'_>) -> Option<Box<str>> {
        let mut texts = [None, None];
        for entry in map.entries() {
            let number = match value(entry.key) {
                Value::Str(name) => FIELDS.iter().position(|field| *field == name),
                // The index of a field of an entry in serde.
                Value::Int(number) if number >= 0 => usize::try_from(number).ok(),
                other => {
                    self.note(reader, entry.key, "tags", &other);
                    None
                }
            };
            if let Some(text) = number.and_then(|number| texts.get_mut(number)) {
                // The same field by its name and by its number.
                if text.is_some() {
                    self.note(reader, entry.key, "tags", &Value::Map(map));
                }
                *text = Some(entry.value);
            }
        }
        let mut tag = Vec::new();
        for (field, node) in FIELDS.iter().zip(&texts) {
            match node.map(|node| (node, value(node))) {
                Some((_, Value::Str(text))) => tag.push(text),
                Some((node, other)) => self.note(reader, node, field, &other),
                None => self.note(reader, item, "tags", &Value::Map(map)),
            }
        }
        match &*tag {
            [key, value] => Some(format!("{key}={value}").into()),
            _ => None,
        }
    }
}

/// A tag as a list of key and value.
fn pair_of(pair: Node<'_>) -> Option<Box<str>> {
    let mut items = pair.items().map(value);
    match (items.next(), items.next(), items.next()) {
        (Some(Value::Str(key)), Some(Value::Str(value)), None) => Some(format!("{key}={value}").into()),
        _ => None,
    }
}

/// The name of a workload whose key is not a string, in the check of the form of tags.
pub(super) const NAMELESS: &str = "unknown";

/// Checks the form of the tags of a workload whose key is not a scalar: that happens before its key.
pub(in crate::read) fn of_nameless(reader: &mut Reader<'_>, body: Node<'_>) {
    let Some(tags) = body.resolve().and_then(|b| b.get_entry("tags")) else {
        return;
    };
    let decoded = behind_tag(tags.value);
    if let Some(words) = form(reader, &decoded, NAMELESS) {
        let place = reader.value_place(tags.key, tags.value);
        let kind = FaultKind::TagsForm {
            wants_list: reader.untagged_version == Version::V01,
            found: found(&decoded),
        };
        let draft = Draft::new(kind, place).related(reader.out.version_place);
        reader.fault(draft.startup(stage::TAGS, words));
    }
}

/// The messages of both about tags in the form of another version.
pub(super) fn form(reader: &Reader<'_>, decoded: &Value<'_>, name: &str) -> Option<String> {
    let (version, wanted, got) = match (&reader.untagged_version, decoded) {
        (Version::V01, Value::Seq(_)) | (Version::V1, Value::Map(_)) => return None,
        (Version::V01, _) => ("v0.1", "sequence (list of key-value entries)", "mapping"),
        (Version::V1, _) => ("v1", "mapping (key-value pairs)", "sequence"),
        _ => return None,
    };
    Some(format!(
        "For API version '{version}', tags must be specified as a {wanted}. Found tags as {got} for workload '{name}'."
    ))
}
