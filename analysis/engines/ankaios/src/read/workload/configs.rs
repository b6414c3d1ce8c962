//! `configs` of a workload: names in its templates, and the configs that they refer to.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, value};

use super::Body;
use super::part::{odd_key, part, wrong_part};
use crate::judge::{CONSTRAINT, stage};
use crate::read::keys::refused;
use crate::read::manifest::{ConfigUse, FaultKind, Workload};
use crate::read::reader::{Draft, Reader, entries, found, json, name_fault, schema_name, unexpected};

pub(super) fn read<'t>(
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
        let words = |found: &Value<'_>| state.copied(&not_text(found));
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
            if reader.has_schema() {
                let pointer = format!("'/workloads/{}/configs'", state.name);
                draft = draft.apply(
                    stage::SCHEMA,
                    format!("{pointer}: {}", schema_name(&alias, fault)),
                );
            }
            if let Some(refused) = refused(entry.key) {
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
            if reader.has_schema() {
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
