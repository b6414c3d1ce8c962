//! The configs of the top level: strings, and lists and mappings of them at any depth.

use applyorder_syntax::yaml::Node;
use applyorder_syntax::yaml::dialect::serdeyaml::{Value, behind_tag, local_tag, value};

use super::keys::{is_complex, refused};
use super::manifest::{Config, FaultKind, Item};
use super::reader::{Draft, Reader, entries, found, is_json_null, name_fault, schema_name};
use super::workload::TAGGED;
use crate::judge::{CONSTRAINT, stage};

/// What serde reports for a value that is not an item of a config.
const NO_ITEM: &str = "data did not match any variant of untagged enum ConfigItemEnumSpec";

/// A value and how it is reached.
struct Open<'t> {
    node: Node<'t>,
    /// The item that contains it, and its key there.
    parent: Option<(u32, Option<Box<str>>)>,
    /// Whether it is in a list that is directly in a list: there the server does not check keys.
    unchecked: bool,
    in_list: bool,
    /// The number of nested messages around it.
    depth: u32,
    /// Its key, if that is still to be checked: a key is checked after the values before it.
    key: Option<Node<'t>>,
}

pub(super) fn read<'t>(reader: &mut Reader<'t>, key: Node<'t>, node: Node<'t>) {
    let all = match behind_tag(node) {
        Value::Map(all) => all,
        Value::Null if node.is_absent() => return,
        _ if node.is_absent() && !reader.has_schema() => return,
        other => {
            let place = reader.value_place(key, node);
            let at = reader.at(node);
            let words = format!(
                "configs: invalid type: {}, expected a map{at}",
                super::reader::unexpected(&other)
            );
            let kind = FaultKind::WrongType {
                field: "configs".into(),
                expected: "mapping",
                found: found(&other),
            };
            let draft = Draft::new(kind, place).not_a_mapping(node, words);
            let draft = if reader.has_schema() && !is_json_null(&other) {
                reader.reject(draft, "/configs", node, "object", "")
            } else {
                draft
            };
            reader.fault(draft);
            return;
        }
    };
    let first = reader.out.faults.len();
    let at = reader.at(all);
    let unmatched = format!("configs: {NO_ITEM}{at}");
    for entry in entries(all) {
        if is_complex(reader, entry.key, format_args!("configs"), "a string") {
            continue;
        }
        reader.seen.insert(entry.key.span().start);
        let name_text = entry.key.value();
        name(reader, entry.key, &name_text, "config", true);
        let text = reader.text(entry.key, &name_text);
        let item = item(reader, entry.value, &unmatched, &name_text);
        reader.out.configs.push(Config { name: text, item });
    }
    if reader.out.loses_configs && !reader.has_schema() {
        // A dropped part cannot be wrong.
        for fault in reader.out.faults.iter_mut().skip(first).filter(|f| {
            f.kind == FaultKind::ConfigLeaf("null")
                || f.apply.as_ref().is_some_and(|said| said.stage == stage::CONFIGS)
        }) {
            fault.apply = None;
            fault.loses = Some("configs");
        }
    }
}

/// Checks the name of a config, or a key in one (S6, A4, A5, A14). `is_checked`: whether the server checks it.
fn name(reader: &mut Reader<'_>, key: Node<'_>, text: &str, what: &'static str, is_checked: bool) {
    let fault = name_fault(text);
    let refused = refused(key);
    let is_integer = matches!(value(key), Value::Int(_));
    if fault.is_none() && refused.is_none() && !(is_integer && what == "config") {
        return;
    }
    let place = reader.place_of(key);
    let fault = if let Some(fault) = fault {
        let kind = FaultKind::Name {
            what,
            name: text.into(),
            fault,
        };
        let mut draft = Draft::new(kind, place);
        let words = format!("Unsupported config item key '{text}'. {CONSTRAINT}");
        if is_checked {
            draft = draft.startup(stage::CONFIGS, words.clone());
        }
        if let Some(refused) = refused.as_ref().filter(|r| r.stage == stage::JSON) {
            draft = draft.apply(refused.stage, refused.words.clone());
        }
        if is_integer {
            // To the schema it is a number like any other.
            draft = draft.apply(stage::MERGE, crate::read::workload::NO_PATH);
        } else if reader.has_schema() {
            draft = draft.apply(stage::SCHEMA, format!("'/configs': {}", schema_name(text, fault)));
        }
        if let Some(refused) = refused {
            draft = draft.apply(refused.stage, refused.words);
        }
        if is_checked {
            draft = draft.apply(stage::CONFIGS, words);
        }
        draft
    } else {
        let kind = FaultKind::Unquoted {
            what,
            text: text.into(),
            found: found(&value(key)),
        };
        let draft = Draft::new(kind, place);
        match refused {
            Some(refused) => draft.apply(refused.stage, refused.words),
            None => draft.apply(stage::MERGE, crate::read::workload::NO_PATH),
        }
    };
    if !fault.is_silent() {
        reader.fault(fault);
    }
}

fn item<'t>(reader: &mut Reader<'t>, root: Node<'t>, unmatched: &str, name_text: &str) -> u32 {
    let mut first = None;
    // The parent of each item, and its key or number there.
    let mut ways: Vec<(Option<u32>, String)> = Vec::new();
    let mut stack = vec![Open {
        node: root,
        parent: None,
        unchecked: false,
        in_list: false,
        depth: 0,
        key: None,
    }];
    while let Some(open) = stack.pop() {
        if let (Some(key), Some((parent, _))) = (open.key, &open.parent) {
            let around = first.map_or(0, |first| parent - first) as usize;
            let around = ways.get(..=around).unwrap_or_default();
            nested_key(reader, key, &key.value(), unmatched, !open.unchecked, around);
        }
        reader.out.has_deep_config |= open.depth > MAX_MESSAGES;
        let number = reader.push_item(Item::Leaf);
        let root_number = *first.get_or_insert(number);
        let mut step = name_text.to_owned();
        if let Some((parent, key)) = &open.parent {
            let siblings = match reader.out.items.get(*parent as usize) {
                Some(Item::List(items)) => items.len(),
                _ => 0,
            };
            step = key
                .as_deref()
                .map_or_else(|| format!("[{siblings}]"), |key| format!(".{key}"));
            match (reader.out.items.get_mut(*parent as usize), key) {
                (Some(Item::List(items)), _) => items.push(number),
                (Some(Item::Map(entries)), Some(key)) => entries.push((key.clone(), number)),
                _ => {}
            }
        }
        ways.push((open.parent.as_ref().map(|(parent, _)| parent - root_number), step));
        let from = stack.len();
        let made = match value(open.node) {
            Value::Str(text) => Item::Text(text.as_ref().into()),
            Value::Seq(list) => {
                let unchecked = open.unchecked || open.in_list;
                stack.extend(list.items().map(|node| Open {
                    node,
                    parent: Some((number, None)),
                    unchecked,
                    in_list: true,
                    depth: open.depth + LIST_MESSAGES,
                    key: None,
                }));
                Item::List(Vec::new())
            }
            Value::Map(map) => {
                for entry in map.entries() {
                    let text = entry.key.value();
                    reader.seen.insert(entry.key.span().start);
                    stack.push(Open {
                        node: entry.value,
                        parent: Some((number, Some(text.as_ref().into()))),
                        unchecked: open.unchecked,
                        in_list: false,
                        depth: open.depth + MAP_MESSAGES,
                        key: open.node.anchored().is_none().then_some(entry.key),
                    });
                }
                Item::Map(Vec::new())
            }
            other => {
                leaf(reader, open.node, root, &other, unmatched, &ways);
                Item::Leaf
            }
        };
        if let Some(slot) = reader.out.items.get_mut(number as usize) {
            *slot = made;
        }
        // Alias bombs are rejected long before this.
        if reader.out.items.len() > MAX_ITEMS {
            break;
        }
        stack.get_mut(from..).unwrap_or_default().reverse();
    }
    first.unwrap_or_default()
}

/// The number of messages of a list and of a mapping for the server, and how many nested ones it reads below a
/// config: it accepts 46 lists or 31 mappings of what `ank apply` sends, and not one more.
const LIST_MESSAGES: u32 = 2;
const MAP_MESSAGES: u32 = 3;
const MAX_MESSAGES: u32 = 93;

/// Aliases can make a small text large.
const MAX_ITEMS: usize = 1 << 20;

/// The path of the last item.
fn way(ways: &[(Option<u32>, String)]) -> String {
    let mut way = Vec::new();
    let mut at = ways.len().checked_sub(1);
    while let Some((parent, step)) = at.and_then(|at| ways.get(at)) {
        way.push(step.as_str());
        at = parent.map(|parent| parent as usize);
    }
    way.reverse();
    way.concat()
}

fn nested_key(
    reader: &mut Reader<'_>,
    key: Node<'_>,
    text: &str,
    unmatched: &str,
    is_checked: bool,
    ways: &[(Option<u32>, String)],
) {
    let kind = value(key);
    if matches!(kind, Value::Str(_)) {
        name(reader, key, text, "config key", is_checked);
        return;
    }
    // The server has already read the key as a number, and expects a string.
    let place = reader.place_of(key);
    let fault = FaultKind::Unquoted {
        what: "config key",
        text: text.into(),
        found: found(&kind),
    };
    let mut draft = Draft::new(fault, place);
    if matches!(kind, Value::Tagged(..)) {
        let at = reader.at(key);
        draft = draft.startup(stage::PARSE, format!("configs.{}: {TAGGED}{at}", way(ways)));
    }
    draft = draft.startup(stage::PARSE, unmatched);
    if reader.has_schema() && matches!(kind, Value::Float(f) if f.is_finite()) {
        // To the schema it is text with a dot.
        let words = format!("'/configs': \"{text}\" does not match \"^[a-zA-Z0-9_-]+$\"");
        draft = draft.apply(stage::SCHEMA, words);
    }
    match refused(key) {
        Some(refused) => draft = draft.apply(refused.stage, refused.words),
        None => {
            draft = draft.loses("configs");
            reader.out.loses_configs = true;
        }
    }
    reader.fault(draft);
}

fn leaf(
    reader: &mut Reader<'_>,
    node: Node<'_>,
    root: Node<'_>,
    value: &Value<'_>,
    unmatched: &str,
    ways: &[(Option<u32>, String)],
) {
    let way = way(ways);
    let span = if node.is_absent() {
        root.full_span()
    } else {
        node.span()
    };
    let place = reader.place(span);
    let said = format!(
        "'/configs/{way}': {} is not of type \"string\"",
        super::reader::json(node)
    );
    if let Some(tag) = node.resolve().and_then(local_tag) {
        let at = reader.at(node);
        let draft = Draft::new(FaultKind::LocalTag(tag.into()), place)
            .startup(stage::PARSE, format!("configs.{way}: {TAGGED}{at}"));
        let draft = if reader.has_schema() {
            draft.apply(stage::SCHEMA, said)
        } else {
            draft.apply(stage::CONVERT, TAGGED)
        };
        reader.fault(draft);
        return;
    }
    let draft = Draft::new(FaultKind::ConfigLeaf(found(value)), place).startup(stage::PARSE, unmatched);
    let draft = if reader.has_schema() {
        draft.apply(stage::SCHEMA, said)
    } else if matches!(value, Value::Null) {
        draft.apply(stage::STATE, NO_ITEM)
    } else {
        reader.out.loses_configs = true;
        draft.loses("configs")
    };
    reader.fault(draft);
}
