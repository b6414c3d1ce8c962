//! One workload.
//!
//! The server reads strings and `restartPolicy` while it goes through the body, then misses what is not there, and
//! reads dependencies, tags, configs and files last, from a copy without positions: so their faults come last, and
//! at the start of the body. `ank apply` drops these four where they do not fit, unless its schema has seen it.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, behind_tag, local_tag, value};

use super::fields;
use super::keys::refused;
use super::manifest::{
    Condition, ConfigUse, Dependency, FaultKind, Field, FileEntry, NameFault, Restart, Text, Version,
    Workload,
};
use super::reader::{Draft, Reader, entries, found, json, name_fault, schema_name, unexpected};
use super::template;
use crate::judge::{CONSTRAINT, stage};

/// What `ank apply` says of a path with a number in it.
pub(super) const NO_PATH: &str = "The provided path does not exist! This may be caused by improper naming. \
                                  Names expected to have characters in '[a-zA-Z0-9_-]'";
/// What `ank apply` says where a workload has no agent.
const NO_AGENT: &str = "No agent name specified -> use '--agent' option to specify!";
/// What both say of a local tag.
const TAGGED: &str = "untagged and internally tagged enums do not support enum input";

/// The workload that is read, and the faults that the server comes to last.
pub(super) struct Body<'w> {
    pub(super) name: &'w str,
    /// ` at line 3 column 5`: where its body starts.
    at: String,
    late: Late,
}

#[derive(Default)]
struct Late {
    dependencies: Vec<Draft>,
    tags: Vec<Draft>,
    configs: Vec<Draft>,
    files: Vec<Draft>,
}

impl Body<'_> {
    /// The server's words on something in the body that it reads from a copy.
    fn copied(&self, words: &str) -> String {
        format!("workloads.{}: {words}{}", self.name, self.at)
    }
}

pub(super) fn read<'t>(reader: &mut Reader<'t>, key: Node<'t>, body: Node<'t>) {
    let number = u32::try_from(reader.out.workloads.len()).unwrap_or(u32::MAX);
    reader.workload = Some(number);
    let name = key.value();
    let body_place = reader.value_place(key, body);
    let mut workload = Workload {
        name: reader.text(key, &name),
        body: body_place,
        ..Workload::default()
    };
    reader.seen.insert(key.span().start);
    check_name(reader, key, &name, workload.name.place);
    let at = reader.at(body);
    let mut state = Body {
        name: &name,
        at,
        late: Late::default(),
    };
    let decoded = match value(body) {
        Value::Tagged(tag, node) => {
            local_tag_fault(reader, node, tag, &format!("workloads.{name}"), true);
            behind_tag(node)
        }
        decoded => decoded,
    };
    match decoded {
        Value::Map(map) => fields_of(reader, map, &mut state, &mut workload),
        Value::Null if body.resolve().is_none_or(|b| b.is_absent()) => {}
        other => {
            let place = reader.value_place(key, body);
            let kind = FaultKind::WrongType {
                field: name.as_ref().into(),
                expected: "mapping",
                found: found(&other),
            };
            let words = format!(
                "invalid type: {}, expected struct WorkloadSpec",
                unexpected(&other)
            );
            let draft = Draft::new(kind, place).startup(stage::PARSE, state.copied(&words));
            let draft = if reader.has_schema() {
                draft.apply(
                    stage::SCHEMA,
                    format!("'/workloads/{name}': {} is not of type \"object\"", json(body)),
                )
            } else {
                draft.apply(stage::AGENT, NO_AGENT)
            };
            reader.fault(draft);
            reader.out.has_hidden_dependencies = true;
            reader.out.workloads.push(workload);
            reader.workload = None;
            return;
        }
    }
    missing(reader, &state, &workload, key, body);
    let Late {
        dependencies,
        tags,
        configs,
        files,
    } = state.late;
    for draft in dependencies.into_iter().chain(tags).chain(configs).chain(files) {
        reader.fault(draft);
    }
    reader.out.workloads.push(workload);
    reader.workload = None;
}

fn check_name(reader: &mut Reader<'_>, key: Node<'_>, name: &str, place: u32) {
    let refused = refused(key, reader.has_schema());
    let is_integer = matches!(value(key), Value::Int(_));
    let fault = name_fault(name);
    let kind = match fault {
        Some(fault) => FaultKind::Name {
            what: "workload",
            name: name.into(),
            fault,
        },
        None if refused.is_some() || is_integer => FaultKind::Unquoted {
            what: "workload name",
            text: name.into(),
            found: found(&value(key)),
        },
        None => return,
    };
    let mut draft = Draft::new(kind, place);
    if let Some(fault) = fault {
        let words = match fault {
            NameFault::Empty => format!("Unsupported workload name '{name}'. Is empty."),
            NameFault::Characters => {
                format!("Unsupported workload name '{name}'. Expected to have characters in [a-zA-Z0-9_-].")
            }
            NameFault::Long(len) => format!(
                "Unsupported workload name '{name}'. Length {len} exceeds the maximum limit of 63 characters."
            ),
        };
        draft = draft.startup(stage::NAMES, words.clone());
        if reader.has_schema() {
            draft = draft.apply(
                stage::SCHEMA,
                format!("'/workloads': {}", schema_name(name, fault)),
            );
        }
        if let Some(refused) = refused {
            draft = draft.apply(refused.stage, refused.words);
        }
        draft = draft.apply(stage::NAMES, words);
    } else if let Some(refused) = refused {
        // A float is a text with a dot to the schema.
        let is_float = matches!(value(key), Value::Float(_));
        if is_float && reader.has_schema() {
            let words = format!("'/workloads': {} does not match \"^[a-zA-Z0-9_-]+$\"", json(key));
            draft = draft.apply(stage::SCHEMA, words);
        }
        draft = draft.apply(refused.stage, refused.words);
    } else {
        draft = draft.apply(stage::MERGE, NO_PATH);
    }
    reader.fault(draft);
}

fn fields_of<'t>(reader: &mut Reader<'t>, map: Node<'t>, state: &mut Body<'_>, workload: &mut Workload) {
    for entry in entries(map) {
        let field = entry.key.value();
        let (key, node) = (entry.key, entry.value);
        let path = format!("workloads.{}.{field}", state.name);
        let is_copied = !matches!(
            &*field,
            "agent" | "runtime" | "runtimeConfig" | "controlInterfaceAccess" | "restartPolicy"
        );
        if is_copied {
            let has_field = fields::WORKLOAD.fields.iter().any(|(f, _)| *f == field);
            if let Some((tagged, tag, at)) = tag_inside(node, &path) {
                local_tag_fault(reader, tagged, &tag, &at, has_field);
                reader.out.has_hidden_dependencies |= field == "dependencies";
                workload.unread.extend(
                    fields::WORKLOAD
                        .fields
                        .iter()
                        .map(|(f, _)| *f)
                        .find(|f| *f == field),
                );
                continue;
            }
        }
        match &*field {
            "agent" => {
                workload.agent = text_field(reader, key, node, "agent", &path, state);
                agent_form(reader, node);
            }
            "runtime" => {
                workload.runtime = text_field(reader, key, node, "runtime", &path, state).map(|f| f.text)
            }
            "runtimeConfig" => {
                workload.runtime_config = text_field(reader, key, node, "runtimeConfig", &path, state)
            }
            "restartPolicy" => restart(reader, key, node, &path, workload),
            "dependencies" => dependencies(reader, key, node, state, workload),
            "tags" => tags(reader, key, node, state, workload),
            "configs" => config_uses(reader, key, node, state, workload),
            "files" => files(reader, key, node, state, workload),
            "controlInterfaceAccess" => super::access::read(reader, key, node, &path, workload),
            _ => {
                if field != "<<" && !matches!(value(key), Value::Int(_)) && fields::is_name(&field) {
                    let place = reader.place_of(key);
                    let kind = FaultKind::UnknownField {
                        key: field.as_ref().into(),
                        of: &fields::WORKLOAD,
                    };
                    reader.fault(Draft::new(kind, place));
                }
            }
        }
    }
}

/// The first local tag in a value, and the way to it in the server's words.
fn tag_inside<'t>(root: Node<'t>, path: &str) -> Option<(Node<'t>, String, String)> {
    let mut stack = vec![(root, path.to_owned())];
    let mut looked_at = 0;
    while let Some((node, path)) = stack.pop() {
        looked_at += 1;
        let node = node.resolve()?;
        if let Some(tag) = local_tag(node) {
            return Some((node, tag.to_owned(), path));
        }
        // Aliases can make a small text large.
        if looked_at > 100_000 {
            return None;
        }
        let first = stack.len();
        stack.extend(
            node.entries()
                .map(|e| (e.value, format!("{path}.{}", e.key.value()))),
        );
        stack.extend(node.items().enumerate().map(|(i, n)| (n, format!("{path}[{i}]"))));
        stack.get_mut(first..).unwrap_or_default().reverse();
    }
    None
}

fn local_tag_fault(reader: &mut Reader<'_>, node: Node<'_>, tag: &str, path: &str, is_typed: bool) {
    let place = reader.place(node.tag_span().unwrap_or_else(|| node.span()));
    let at = reader.at(node);
    let draft = Draft::new(FaultKind::LocalTag(tag.into()), place)
        .startup(stage::PARSE, format!("{path}: {TAGGED}{at}"));
    let pointer = path.replace(['.', '['], "/").replace(']', "");
    let draft = if is_typed && reader.has_schema() {
        draft.apply(
            stage::SCHEMA,
            format!("'/{pointer}': {} is not of type \"string\"", json(node)),
        )
    } else {
        draft.apply(stage::CONVERT, TAGGED)
    };
    reader.fault(draft);
}

/// A field of type string, which the server reads from the raw scalar, whatever its type.
fn text_field<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    field: &'static str,
    path: &str,
    state: &Body<'_>,
) -> Option<Field> {
    let target = node.resolve()?;
    let decoded = value(node);
    let pointer = format!("/workloads/{}/{field}", state.name);
    if !target.is_scalar() {
        let place = reader.place_of(node);
        let what = match &decoded {
            Value::Tagged(..) => behind_tag(node),
            _ => decoded,
        };
        let kind = FaultKind::WrongType {
            field: field.into(),
            expected: "string",
            found: found(&what),
        };
        let words = format!("invalid type: {}, expected a string", unexpected(&what));
        let at = reader.at(node);
        let draft = Draft::new(kind, place).startup(stage::PARSE, format!("{path}: {words}{at}"));
        let draft = reader.reject(draft, &pointer, node, "string", &words);
        reader.fault(draft);
        return None;
    }
    let text = target.value();
    match &decoded {
        Value::Str(_) => {}
        Value::Tagged(tag, _) => {
            if reader.has_schema() {
                let place = reader.place(target.tag_span().unwrap_or_else(|| target.span()));
                let draft = Draft::new(FaultKind::LocalTag((*tag).into()), place).apply(
                    stage::SCHEMA,
                    format!("'{pointer}': {} is not of type \"string\"", json(node)),
                );
                reader.fault(draft);
            }
        }
        other => {
            let place = reader.value_place(key, node);
            let kind = FaultKind::Unquoted {
                what: field,
                text: text.as_ref().into(),
                found: found(other),
            };
            let draft = Draft::new(kind, place);
            let draft = if matches!(other, Value::Null) && !reader.has_schema() {
                draft.apply(stage::STATE, format!("missing field `{field}`"))
            } else {
                let words = format!("invalid type: {}, expected a string", unexpected(other));
                reader.reject(draft, &pointer, node, "string", &words)
            };
            reader.fault(draft);
        }
    }
    Some(field_of(reader, key, target, &text))
}

fn field_of(reader: &mut Reader<'_>, key: Node<'_>, target: Node<'_>, text: &str) -> Field {
    let key = reader.place_of(key);
    let whole = reader.text(target, text);
    // The server trims what runtimes get.
    let trimmed = text.trim_start();
    let cut = text.len() - trimmed.len();
    let template = template::read(trimmed.trim_end(), |range| {
        let span = target.source_span_of(range.start + cut..range.end + cut);
        reader.place(span)
    });
    Field {
        text: whole,
        key,
        template,
    }
}

/// The pattern of agents in the schema: name characters with `{{a.b.c}}` between them.
fn agent_form(reader: &mut Reader<'_>, node: Node<'_>) {
    let Value::Str(text) = value(node) else { return };
    if !reader.has_schema() {
        return;
    }
    let place_of = |range: std::ops::Range<usize>| u32::try_from(range.start).unwrap_or(0);
    let template = template::read(&text, place_of);
    let fits = template.fault.is_none()
        && template.parts.iter().all(|part| match part {
            template::Part::Text(text) => fields::is_name(text),
            template::Part::Variable(v) => v.is_plain,
            _ => false,
        });
    if fits {
        return;
    }
    let place = reader.place_of(node);
    let pattern = r"^(?:[a-zA-Z0-9_-]*\\{\\{[a-zA-Z0-9_-]+(?:\\.[a-zA-Z0-9_-]+)*\\}\\})*[a-zA-Z0-9_-]*$";
    let words = format!("{} does not match \"{pattern}\"", json(node));
    let draft = Draft::new(FaultKind::AgentForm(text.as_ref().into()), place).apply(stage::SCHEMA, words);
    reader.fault(draft);
}

fn restart<'t>(reader: &mut Reader<'t>, key: Node<'t>, node: Node<'t>, path: &str, workload: &mut Workload) {
    let place = reader.value_place(key, node);
    let Some(target) = node.resolve() else { return };
    let at = reader.at(node);
    let decoded = value(node);
    let variants = "expected one of `NEVER`, `ON_FAILURE`, `ALWAYS`";
    let text = target.value();
    let server = match (target.is_scalar(), &decoded) {
        (true, Value::Tagged(tag, _)) => {
            Restart::of(tag).ok_or_else(|| format!("unknown variant `{tag}`, {variants}"))
        }
        (true, _) => Restart::of(&text).ok_or_else(|| format!("unknown variant `{text}`, {variants}")),
        (false, other) => Err(format!(
            "invalid type: {}, expected a YAML tag starting with '!'",
            unexpected(other)
        )),
    };
    workload.restart_place = Some(place);
    if let (Ok(restart), Value::Str(_)) = (&server, &decoded) {
        workload.restart = *restart;
        return;
    }
    let kind = match &decoded {
        Value::Str(text) => FaultKind::RestartPolicy(text.as_ref().into()),
        other => FaultKind::WrongType {
            field: "restartPolicy".into(),
            expected: "string",
            found: found(other),
        },
    };
    let mut draft = Draft::new(kind, place);
    match &server {
        Err(words) => draft = draft.startup(stage::PARSE, format!("{path}: {words}{at}")),
        Ok(restart) => workload.restart = *restart,
    }
    let pointer = path.replace('.', "/");
    if reader.has_schema() {
        let lines: Vec<String> = Restart::ALL
            .iter()
            .map(|(_, word)| format!("'/{pointer}': \"{word}\" was expected"))
            .collect();
        draft = draft.apply(stage::SCHEMA, lines.join("\n"));
    } else {
        draft = match variant(&decoded, |t| Restart::of(t).is_some(), variants) {
            Err(words) => draft.apply(stage::CONVERT, words),
            Ok(()) => draft,
        };
    }
    if !draft.is_silent() {
        reader.fault(draft);
    }
}

/// What serde says of a value that should be a unit variant, read from a copy.
fn variant(value: &Value<'_>, is_known: impl Fn(&str) -> bool, variants: &str) -> Result<(), String> {
    match value {
        Value::Str(text) if is_known(text) => Ok(()),
        Value::Str(text) => Err(format!("unknown variant `{text}`, {variants}")),
        Value::Map(map) => {
            let mut entries = map.entries();
            let (Some(entry), None) = (entries.next(), entries.next()) else {
                return Err("invalid value: map, expected map with a single key".to_owned());
            };
            match (self::value(entry.key), self::value(entry.value)) {
                (Value::Str(text), Value::Null) if is_known(&text) => Ok(()),
                (Value::Str(text), other) if is_known(&text) => {
                    Err(format!("invalid type: {}, expected unit", unexpected(&other)))
                }
                (Value::Str(text), _) => Err(format!("unknown variant `{text}`, {variants}")),
                (other, _) => Err(format!(
                    "invalid type: {}, expected variant identifier",
                    unexpected(&other)
                )),
            }
        }
        other => Err(format!(
            "invalid type: {}, expected string or map",
            unexpected(other)
        )),
    }
}

/// A part that `ank apply` drops where it does not fit, and no schema looks first.
fn part(
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

fn lose(workload: &mut Workload, field: &'static str) {
    if !workload.lost.contains(&field) {
        workload.lost.push(field);
    }
}

/// Whether a value that does not fit would have said something.
fn is_something(value: &Value<'_>) -> bool {
    match value {
        Value::Null => false,
        Value::Seq(node) => node.items().next().is_some(),
        Value::Map(node) => node.entries().next().is_some(),
        Value::Str(text) => !text.is_empty(),
        _ => true,
    }
}

/// A whole part of the wrong type. The server says `expected`.
#[expect(clippy::too_many_arguments, reason = "one fault, all of its sides")]
fn wrong_part(
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

/// A key of a part that is no text: the server wants a string, and `ank apply` drops the part for a number.
fn odd_key(
    reader: &mut Reader<'_>,
    key: Node<'_>,
    what: &'static str,
    field: &'static str,
    words: String,
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
    let draft = Draft::new(kind, place).startup(stage::PARSE, words);
    Some(match refused(key, reader.has_schema()) {
        Some(refused) => draft.apply(refused.stage, refused.words),
        None => {
            lose(workload, field);
            draft.loses(field)
        }
    })
}

fn dependencies<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    state: &mut Body<'_>,
    workload: &mut Workload,
) {
    workload.dependencies_key = Some(reader.place_of(key));
    let decoded = value(node);
    let Value::Map(map) = decoded else {
        reader.out.has_hidden_dependencies |= is_something(&decoded);
        let expected = ("mapping", "a map", "object");
        let draft = wrong_part(
            reader,
            key,
            node,
            "dependencies",
            expected,
            state,
            &decoded,
            workload,
        );
        state.late.dependencies.push(draft);
        return;
    };
    let variants = "expected one of `ADD_COND_RUNNING`, `ADD_COND_SUCCEEDED`, `ADD_COND_FAILED`";
    for entry in entries(map) {
        let name = entry.key.value();
        let words = state.copied(&format!(
            "invalid type: {}, expected a string",
            unexpected(&value(entry.key))
        ));
        if let Some(draft) = odd_key(reader, entry.key, "dependency", "dependencies", words, workload) {
            state.late.dependencies.push(draft);
        }
        let decoded = value(entry.value);
        let said = variant(&decoded, |t| Condition::of(t).is_some(), variants);
        let condition = match &decoded {
            Value::Str(text) => Condition::of(text),
            Value::Map(map) if said.is_ok() => {
                map.entries().next().and_then(|e| Condition::of(&e.key.value()))
            }
            _ => None,
        };
        let text = reader.text(entry.key, &name);
        let place = reader.value_place(entry.key, entry.value);
        if said.is_err() || !matches!(decoded, Value::Str(_)) {
            let kind = match &decoded {
                Value::Str(text) => FaultKind::UnknownCondition(text.as_ref().into()),
                other => FaultKind::WrongType {
                    field: name.as_ref().into(),
                    expected: "condition",
                    found: found(other),
                },
            };
            let schema: Vec<String> = Condition::ALL
                .iter()
                .map(|(_, word, _)| {
                    format!(
                        "'/workloads/{}/dependencies/{name}': \"{word}\" was expected",
                        state.name
                    )
                })
                .collect();
            let draft = match said {
                Err(words) => part(
                    reader,
                    kind,
                    place,
                    "dependencies",
                    schema.join("\n"),
                    true,
                    workload,
                )
                .startup(stage::PARSE, state.copied(&words)),
                Ok(()) if reader.has_schema() => {
                    Draft::new(kind, place).apply(stage::SCHEMA, schema.join("\n"))
                }
                Ok(()) => Draft::new(kind, place),
            };
            if !draft.is_silent() {
                state.late.dependencies.push(draft);
            }
        }
        workload.dependencies.push(Dependency {
            name: text,
            condition,
            value: place,
        });
    }
}

fn tags<'t>(
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
    let wants_list = reader.version == Version::V01;
    let is_list = matches!(decoded, Value::Seq(_));
    let is_map = matches!(decoded, Value::Map(_));
    let form = (wants_list && !is_list || reader.version == Version::V1 && !is_map).then(|| {
        let (version, wanted, got) = if wants_list {
            ("v0.1", "sequence (list of key-value entries)", "mapping")
        } else {
            ("v1", "mapping (key-value pairs)", "sequence")
        };
        format!(
            "For API version '{version}', tags must be specified as a {wanted}. Found tags as {got} for workload '{}'.",
            state.name
        )
    });
    let unmatched = state.copied("data did not match any variant of untagged enum MapOrVec");
    let mut wrong: Option<(Text, FaultKind)> = None;
    let mut lost = false;
    let mut note = |reader: &mut Reader<'_>, node: Node<'_>, field: &str, value: &Value<'_>| {
        let kind = FaultKind::WrongType {
            field: field.into(),
            expected: "string",
            found: found(value),
        };
        let text = reader.text(node, field);
        wrong.get_or_insert((text, kind));
    };
    match &decoded {
        Value::Map(map) => {
            for entry in map.entries() {
                let name = entry.key.value();
                if let Some(draft) = odd_key(reader, entry.key, "tag", "tags", unmatched.clone(), workload) {
                    state.late.tags.push(draft);
                }
                match value(entry.value) {
                    Value::Str(text) => workload.tags.push(format!("{name}={text}").into()),
                    other => note(reader, entry.value, &name, &other),
                }
            }
        }
        Value::Seq(list) => {
            for item in list.items() {
                lost = true;
                let Value::Map(map) = value(item) else {
                    note(reader, item, "tags", &value(item));
                    continue;
                };
                let mut texts = ["key", "value"].map(|field| map.get(field).map(|n| (field, n, value(n))));
                let mut tag = Vec::new();
                for (field, node, value) in texts.iter_mut().flatten() {
                    match value {
                        Value::Str(text) => tag.push(text.clone()),
                        other => note(reader, *node, field, other),
                    }
                }
                if texts.iter().any(Option::is_none) {
                    note(reader, item, "tags", &Value::Map(map));
                }
                if let [key, value] = &*tag {
                    workload.tags.push(format!("{key}={value}").into());
                }
            }
        }
        other => note(reader, node, "tags", other),
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
    if let Some((text, kind)) = wrong {
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

fn config_uses<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    state: &mut Body<'_>,
    workload: &mut Workload,
) {
    let decoded = value(node);
    let Value::Map(map) = decoded else {
        let expected = ("mapping", "a map", "object");
        let draft = wrong_part(reader, key, node, "configs", expected, state, &decoded, workload);
        state.late.configs.push(draft);
        workload.unread.push("configs");
        return;
    };
    for entry in entries(map) {
        let alias = entry.key.value();
        let not_text = |v: &Value<'_>| format!("invalid type: {}, expected a string", unexpected(v));
        let words = state.copied(&not_text(&value(entry.key)));
        if let Some(draft) = odd_key(reader, entry.key, "config alias", "configs", words, workload) {
            state.late.configs.push(draft);
        } else if let Some(fault) = name_fault(&alias) {
            reader.seen.insert(entry.key.span().start);
            let place = reader.place_of(entry.key);
            let kind = FaultKind::Name {
                what: "config alias",
                name: alias.as_ref().into(),
                fault,
            };
            let words = format!("Unsupported config alias '{alias}'. {CONSTRAINT}");
            let mut draft = Draft::new(kind, place).startup(stage::CONFIGS, words.clone());
            if let Some(refused) = refused(entry.key, reader.has_schema()) {
                draft = draft.apply(refused.stage, refused.words);
            }
            state.late.configs.push(draft.apply(stage::CONFIGS, words));
        }
        let target = value(entry.value);
        let Value::Str(config) = target else {
            let place = reader.value_place(entry.key, entry.value);
            let kind = FaultKind::WrongType {
                field: alias.as_ref().into(),
                expected: "string",
                found: found(&target),
            };
            let pointer = format!("'/workloads/{}/configs/{alias}'", state.name);
            let schema = format!("{pointer}: {} is not of type \"string\"", json(entry.value));
            let draft = part(reader, kind, place, "configs", schema, true, workload);
            state
                .late
                .configs
                .push(draft.startup(stage::PARSE, state.copied(&not_text(&target))));
            continue;
        };
        let text = reader.text(entry.value, &config);
        if let Some(fault) = name_fault(&config) {
            let kind = FaultKind::Name {
                what: "config reference",
                name: config.as_ref().into(),
                fault,
            };
            let words = format!("Unsupported config reference key '{config}'. {CONSTRAINT}");
            let mut draft = Draft::new(kind, text.place).startup(stage::CONFIGS, words.clone());
            if reader.has_schema() && fault != NameFault::Long(config.len()) {
                let pointer = format!("'/workloads/{}/configs/{alias}'", state.name);
                draft = draft.apply(
                    stage::SCHEMA,
                    format!("{pointer}: {}", schema_name(&config, fault)),
                );
            }
            state.late.configs.push(draft.apply(stage::CONFIGS, words));
        }
        let alias = reader.text(entry.key, &alias);
        workload.configs.push(ConfigUse { alias, config: text });
    }
}

fn files<'t>(
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
    match map.get_entry("mountPoint") {
        None => {
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
        Some(entry) => match value(entry.value) {
            Value::Str(text) => out.mount = Some(reader.text(entry.value, &text)),
            other => {
                let place = reader.value_place(entry.key, entry.value);
                let kind = FaultKind::WrongType {
                    field: "mountPoint".into(),
                    expected: "string",
                    found: found(&other),
                };
                let words = format!("invalid type: {}, expected a string", unexpected(&other));
                let schema = format!(
                    "{pointer}/mountPoint: {} is not of type \"string\"",
                    json(entry.value)
                );
                let draft = part(reader, kind, place, "files", schema, true, workload);
                state
                    .late
                    .files
                    .push(draft.startup(stage::PARSE, state.copied(&words)));
            }
        },
    }
    let content = |reader: &mut Reader<'t>, field: &str| {
        let entry = map.get_entry(field)?;
        let Value::Str(text) = value(entry.value) else {
            return None;
        };
        let target = entry.value.resolve()?;
        Some(field_of(reader, entry.key, target, &text))
    };
    out.data = content(reader, "data");
    out.binary = content(reader, "binaryData");
    if out.data.is_none() && out.binary.is_none() {
        let words = "data did not match any variant of untagged enum FileContentSpec";
        let written = ["data", "binaryData"]
            .into_iter()
            .find_map(|f| Some((f, map.get_entry(f)?)));
        let (kind, place) = match written {
            Some((field, entry)) => (
                FaultKind::WrongType {
                    field: field.into(),
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
        let draft = Draft::new(kind, place).startup(stage::PARSE, state.copied(words));
        let draft = if reader.has_schema() {
            draft.apply(
                stage::SCHEMA,
                format!("{pointer}: \"data\" is a required property"),
            )
        } else if out.mount.is_some() {
            draft.apply(stage::STATE, words)
        } else {
            draft
        };
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

fn missing(reader: &mut Reader<'_>, state: &Body<'_>, workload: &Workload, key: Node<'_>, body: Node<'_>) {
    let map = body.resolve();
    let place = reader.place_of(key);
    for field in ["agent", "runtime", "runtimeConfig"] {
        if map.is_some_and(|m| m.get_entry(field).is_some()) {
            continue;
        }
        let kind = FaultKind::MissingField {
            field,
            of: "workload",
        };
        let draft = Draft::new(kind, place)
            .related(Some(workload.body))
            .startup(stage::PARSE, state.copied(&format!("missing field `{field}`")));
        let draft = if field == "agent" {
            let draft = if reader.has_schema() && map.is_none_or(|m| !m.is_mapping()) {
                draft.apply(
                    stage::SCHEMA,
                    format!("'/workloads/{}': null is not of type \"object\"", state.name),
                )
            } else {
                draft
            };
            draft.apply(stage::AGENT, NO_AGENT)
        } else if reader.has_schema() {
            draft.apply(
                stage::SCHEMA,
                "'/workloads': {…} is not of type \"null\"".to_owned(),
            )
        } else {
            draft.apply(stage::STATE, format!("missing field `{field}`"))
        };
        reader.fault(draft);
    }
}
