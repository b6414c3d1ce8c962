//! `dependencies`: names with conditions.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, value};

use super::Body;
use super::part::{is_something, odd_key, part, variant, wrong_part};
use crate::judge::stage;
use crate::read::manifest::{Condition, Dependency, FaultKind, Workload};
use crate::read::reader::{Draft, Reader, entries, found, unexpected};

pub(super) fn read<'t>(
    reader: &mut Reader<'t>,
    key: Node<'t>,
    node: Node<'t>,
    state: &mut Body<'_>,
    workload: &mut Workload,
) {
    workload.dependencies_key = Some(reader.place_of(key));
    let decoded = value(node);
    let Value::Map(map) = decoded else {
        if is_something(&decoded) {
            reader.out.has_hidden_dependencies = true;
            workload.unread.push("dependencies");
        }
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
        let words = |found: &Value<'_>| {
            state.copied(&format!("invalid type: {}, expected a string", unexpected(found)))
        };
        if let Some(draft) = odd_key(reader, entry.key, "dependency", "dependencies", words, workload) {
            state.late.dependencies.push(draft);
        }
        let decoded = value(entry.value);
        let said = variant(&decoded, &Condition::ALL.map(|(_, word, _)| word), variants);
        let number = said.as_ref().ok();
        let condition = number.and_then(|number| Some(Condition::ALL.get(*number)?.0));
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
                Ok(_) if reader.has_schema() => {
                    Draft::new(kind, place).apply(stage::SCHEMA, schema.join("\n"))
                }
                Ok(_) => Draft::new(kind, place),
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
