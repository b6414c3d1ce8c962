//! Fields that are one scalar: strings, and `restartPolicy`.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, behind_tag, local_tag, value};

use super::Body;
use super::part::{TAGGED, variant};
use crate::judge::stage;
use crate::read::manifest::{FaultKind, Field, Restart, Workload};
use crate::read::reader::{Draft, Reader, found, json, unexpected};
use crate::read::{fields, template};

/// A field of type string, which the server reads from the raw scalar, whatever its type.
pub(super) fn text_field<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    field: &'static str,
    state: &Body<'_>,
) -> Option<Field> {
    let target = node.resolve()?;
    let decoded = value(node);
    let pointer = || format!("/workloads/{}/{field}", state.name);
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
        let draft = Draft::new(kind, place).startup(
            stage::PARSE,
            format!("workloads.{}.{field}: {words}{at}", state.name),
        );
        // `ank apply` meets the tag first.
        let told = if local_tag(target).is_some() {
            TAGGED
        } else {
            words.as_str()
        };
        let draft = reader.reject(draft, &pointer(), node, "string", told);
        reader.fault(draft.of_agent(field == "agent"));
        return None;
    }
    let text = target.value();
    match &decoded {
        Value::Str(_) => {}
        Value::Tagged(tag, _) => {
            let place = reader.place(target.tag_span().unwrap_or_else(|| target.span()));
            let draft = Draft::new(FaultKind::LocalTag((*tag).into()), place);
            let draft = reader.reject(draft, &pointer(), node, "string", TAGGED);
            reader.fault(draft.of_agent(field == "agent"));
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
                reader.reject(draft, &pointer(), node, "string", &words)
            };
            reader.fault(draft.of_agent(field == "agent"));
        }
    }
    Some(field_of(reader, key, target, &text, field == "runtimeConfig"))
}

/// A field whose text may be a template.
pub(super) fn field_of(
    reader: &mut Reader<'_>,
    key: Node<'_>,
    target: Node<'_>,
    text: &str,
    is_trimmed: bool,
) -> Field {
    let key = reader.place_of(key);
    let whole = reader.text(target, text);
    // The server trims the value for runtimes.
    let kept = if is_trimmed { text.trim() } else { text };
    let cut = if is_trimmed {
        text.len() - text.trim_start().len()
    } else {
        0
    };
    let mut map = None;
    let template = template::read(kept, |range| {
        let map = map.get_or_insert_with(|| target.source_map());
        reader.place(map.span_of(range.start + cut..range.end + cut))
    });
    Field {
        text: whole,
        key,
        template,
    }
}

/// The pattern of agents in the schema: name characters with `{{a.b.c}}` between them.
pub(super) fn agent_form(reader: &mut Reader<'_>, node: Node<'_>) {
    let Value::Str(text) = value(node) else { return };
    if !reader.has_schema() {
        return;
    }
    if is_agent(&text) {
        return;
    }
    let place = reader.place_of(node);
    let pattern = r"^(?:[a-zA-Z0-9_-]*\\{\\{[a-zA-Z0-9_-]+(?:\\.[a-zA-Z0-9_-]+)*\\}\\})*[a-zA-Z0-9_-]*$";
    let words = format!("{} does not match \"{pattern}\"", json(node));
    let draft = Draft::new(FaultKind::AgentForm(text.as_ref().into()), place).apply(stage::SCHEMA, words);
    reader.fault(draft);
}

/// Whether the schema accepts a text as an agent: name characters, and `{{a.b.c}}` between them.
fn is_agent(text: &str) -> bool {
    let is_path = |path: &str| {
        path.split('.')
            .all(|name| !name.is_empty() && fields::is_name(name))
    };
    let mut parts = text.split("{{");
    let first = parts.next().unwrap_or("");
    fields::is_name(first)
        && parts.all(|part| {
            part.split_once("}}")
                .is_some_and(|(path, rest)| is_path(path) && fields::is_name(rest))
        })
}

/// How the server reads `!POLICY`, which must have no value; `None`: it does not know the policy.
fn tagged(node: Node<'_>, tag: &str) -> Result<Restart, Option<String>> {
    let restart = Restart::of(tag).ok_or(None)?;
    match behind_tag(node) {
        Value::Null => Ok(restart),
        other @ (Value::Map(_) | Value::Seq(_)) => Err(Some(format!(
            "invalid type: {}, expected unit",
            unexpected(&other)
        ))),
        _ => {
            let text = node.resolve().map(|scalar| scalar.value()).unwrap_or_default();
            Err(Some(format!("invalid value: string {text:?}, expected null")))
        }
    }
}

pub(super) fn restart<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    state: &Body<'_>,
    workload: &mut Workload,
) {
    let place = reader.value_place(key, node);
    let Some(target) = node.resolve() else { return };
    let at = reader.at(node);
    let decoded = value(node);
    let variants = "expected one of `NEVER`, `ON_FAILURE`, `ALWAYS`";
    let text = target.value();
    let name = state.name;
    let here = |words: String| format!("workloads.{name}.restartPolicy: {words}{at}");
    let server = match (target.is_scalar(), &decoded) {
        (_, Value::Tagged(tag, _)) => tagged(node, tag).map_err(|words| match words {
            Some(words) => here(words),
            // The server checks the tag before the value.
            None => state.copied(&format!("unknown variant `{tag}`, {variants}")),
        }),
        (true, _) => Restart::of(&text).ok_or_else(|| here(format!("unknown variant `{text}`, {variants}"))),
        (false, other) => Err(here(format!(
            "invalid type: {}, expected a YAML tag starting with '!'",
            unexpected(other)
        ))),
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
        Err(words) => draft = draft.startup(stage::PARSE, words.as_str()),
        Ok(restart) => workload.restart = *restart,
    }
    let pointer = format!("workloads/{}/restartPolicy", name.replace('.', "/"));
    if reader.has_schema() {
        let lines: Vec<String> = Restart::ALL
            .iter()
            .map(|(_, word)| format!("'/{pointer}': \"{word}\" was expected"))
            .collect();
        draft = draft.apply(stage::SCHEMA, lines.join("\n"));
    } else {
        draft = match variant(&decoded, &Restart::ALL.map(|(_, word)| word), variants) {
            Err(words) => draft.apply(stage::CONVERT, words),
            Ok(_) => draft,
        };
    }
    if !draft.is_silent() {
        reader.fault(draft);
    }
}
