//! One workload.
//!
//! The server reads strings and `restartPolicy` while it iterates over the body, then reports missing fields,
//! and reads dependencies, tags, configs and files last, from a copy without positions: so their faults come
//! last, and at the start of the body. `ank apply` drops these four if they do not fit, unless its schema has
//! rejected them.

mod configs;
mod dependencies;
mod files;
mod part;
mod scalar;
mod tags;

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Marks, Value, behind_tag, value};

use super::fields;
use super::keys::{below_zero, is_complex, refused};
use super::manifest::{EMPTY_WORKLOAD, FaultKind, NameFault, Workload};
use super::reader::{Draft, Reader, at, entries, found, json, name_fault, schema_name, unexpected};
use crate::judge::stage;
pub(crate) use part::TAGGED;
pub(super) use part::{local_tag, tag_inside, variant};
pub(super) use tags::of_nameless as tags_of_nameless;

/// The message of `ank apply` about a path with a number in it.
pub(super) const NO_PATH: &str = "The provided path does not exist! This may be caused by improper naming. \
                                  Names expected to have characters in '[a-zA-Z0-9_-]'";
/// The message of `ank apply` if a workload has no agent.
pub(super) const NO_AGENT: &str = "No agent name specified -> use '--agent' option to specify!";

/// The workload being read, and the faults that the server finds last.
pub(super) struct Body<'w> {
    pub(super) name: &'w str,
    /// Its name for the check of the form of tags, which accepts only strings as names.
    in_tags: &'w str,
    body: Node<'w>,
    marks: &'w Marks<'w>,
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
    /// The server's message about something in the body that it reads from a copy.
    fn copied(&self, words: &str) -> String {
        // ` at line 3 column 5`: where its body starts.
        let at = at(self.marks, self.body);
        format!("workloads.{}: {words}{at}", self.name)
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
    let mut state = Body {
        name: &name,
        in_tags: if matches!(value(key), Value::Str(_)) {
            &name
        } else {
            tags::NAMELESS
        },
        body,
        marks: reader.marks,
        late: Late::default(),
    };
    let decoded = match value(body) {
        Value::Tagged(tag, node) => {
            // The server ignores it.
            let fault = if reader.has_schema() {
                local_tag(reader, node, tag, &format!("workloads.{name}"), true).without_startup()
            } else {
                // Below it `ank apply` finds no agent.
                let place = reader.place(node.tag_span().unwrap_or_else(|| node.span()));
                Draft::new(FaultKind::LocalTag(tag.into()), place).apply(stage::AGENT, NO_AGENT)
            };
            reader.fault(fault);
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
    let refused = refused(key);
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
        if let Some(refused) = refused.as_ref().filter(|r| r.stage == stage::JSON) {
            draft = draft.apply(refused.stage, refused.words.clone());
        }
        if is_integer {
            // To the schema it is a number like any other.
            draft = draft.apply(stage::MERGE, NO_PATH);
        } else if reader.has_schema() {
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
        // A float is text with a dot to the schema.
        let is_float = matches!(value(key), Value::Float(_));
        if is_float && refused.stage != stage::JSON && reader.has_schema() {
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
        let (key, node) = (entry.key, entry.value);
        let of_workload = format_args!("workloads.{}", state.name);
        if is_complex(reader, key, of_workload, "field identifier") {
            continue;
        }
        let field = key.value();
        let path = || format!("workloads.{}.{field}", state.name);
        let is_copied = !matches!(
            &*field,
            "agent" | "runtime" | "runtimeConfig" | "controlInterfaceAccess" | "restartPolicy"
        );
        if is_copied {
            let has_field = fields::WORKLOAD.fields.iter().any(|(f, _)| *f == field);
            if let Some((tagged, tag, at)) = tag_inside(node, path) {
                let mut fault = local_tag(reader, tagged, &tag, &at, has_field);
                if field == "tags"
                    && let Some(words) = tags::form(reader, &behind_tag(node), state.in_tags)
                {
                    // To the schema a tagged string is a mapping with one string.
                    let is_seen = reader.has_schema() && !matches!(behind_tag(node), Value::Str(_));
                    fault = fault.without_startup().startup(stage::TAGS, words.clone());
                    if !is_seen {
                        fault = fault.without_apply().apply(stage::TAGS, words);
                    }
                }
                reader.fault(fault);
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
                workload.agent = scalar::text_field(reader, key, node, "agent", state);
                scalar::agent_form(reader, node);
            }
            "runtime" => {
                workload.runtime = scalar::text_field(reader, key, node, "runtime", state).map(|f| f.text)
            }
            "runtimeConfig" => {
                workload.runtime_config = scalar::text_field(reader, key, node, "runtimeConfig", state)
            }
            "restartPolicy" => scalar::restart(reader, key, node, state, workload),
            "dependencies" => dependencies::read(reader, key, node, state, workload),
            "tags" => tags::read(reader, key, node, state, workload),
            "configs" => configs::read(reader, key, node, state, workload),
            "files" => files::read(reader, key, node, state, workload),
            "controlInterfaceAccess" => super::access::read(reader, key, node, &path(), workload),
            _ => {
                below_zero(reader, key);
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

fn missing(reader: &mut Reader<'_>, state: &Body<'_>, workload: &Workload, key: Node<'_>, body: Node<'_>) {
    let map = body.resolve();
    let place = reader.place_of(key);
    for field in ["agent", "runtime", "runtimeConfig"] {
        if map.is_some_and(|m| m.get_entry(field).is_some()) {
            continue;
        }
        let is_empty = map.is_none_or(|m| !m.is_mapping());
        let kind = FaultKind::MissingField {
            field,
            of: if is_empty { EMPTY_WORKLOAD } else { "workload" },
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
