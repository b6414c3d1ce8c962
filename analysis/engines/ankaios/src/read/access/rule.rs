//! One rule of `allowRules` or `denyRules`.

use applyorder_syntax::yaml::dialect::serdeyaml::{Value, value};
use applyorder_syntax::yaml::{Entry, Node};

use super::super::fields;
use super::super::filters::{MAX_FILTER, log_name, mask};
use super::super::keys::{below_zero, is_complex};
use super::super::manifest::{AccessFault, FaultKind};
use super::super::reader::{Draft, Reader, found, json, unexpected};
use super::super::workload::{local_tag, tag_inside, variant};
use super::unknown;
use crate::judge::stage;

/// What remains of a rule that does not fit for `ank apply`, if no schema checks first.
const NO_TYPE: &str = "missing field `type`";

/// The types of rules, in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    State,
    Log,
}

impl Type {
    const ALL: [Self; 2] = [Self::State, Self::Log];

    const fn name(self) -> &'static str {
        match self {
            Self::State => "StateRule",
            Self::Log => "LogRule",
        }
    }

    /// The field with what the rule applies to.
    const fn list(self) -> &'static str {
        match self {
            Self::State => "filterMasks",
            Self::Log => "workloadNames",
        }
    }

    /// The fields in their order, which the state of `ank apply` also accepts as numbers.
    const fn fields(self) -> &'static [&'static str] {
        match self {
            Self::State => &["operation", "filterMasks"],
            Self::Log => &["workloadNames"],
        }
    }
}

/// The location of a rule.
struct Rule<'a> {
    /// As the server's errors name it.
    path: &'a str,
    /// As the schema's errors name it.
    pointer: &'a str,
    /// The position at the end of the server's errors.
    at: String,
    place: u32,
}

/// Reads a rule of a value, which may have a tag.
pub(super) fn read<'t>(
    reader: &mut Reader<'t>,
    node: Node<'t>,
    decoded: Value<'t>,
    path: &str,
    pointer: &str,
) {
    let rule = Rule {
        path,
        pointer,
        at: reader.at(node),
        place: reader.place_of(node),
    };
    let Value::Map(map) = decoded else {
        rule.is_not_a_mapping(reader, node, &decoded);
        return;
    };
    if rule.has_odd_entry(reader, map) {
        return;
    }
    let Some(of) = rule.type_of(reader, map) else {
        return;
    };
    fields_of(reader, map, of);
    if of == Type::State {
        rule.operation(reader, map);
    }
    let Some(list) = rule.list(reader, map, of) else {
        return;
    };
    let Value::Seq(items) = value(list.value) else {
        let decoded = value(list.value);
        let place = reader.value_place(list.key, list.value);
        let kind = wrong_type(of.list(), "list", &decoded);
        let words = format!("invalid type: {}, expected a sequence", unexpected(&decoded));
        rule.structure(reader, kind, place, &words);
        return;
    };
    for item in items.items() {
        rule.item(reader, item, of);
    }
}

impl Rule<'_> {
    /// Both commands report one fault of the structure; faults of values are added to it.
    fn structure(&self, reader: &mut Reader<'_>, kind: FaultKind, place: u32, words: &str) {
        let Self {
            path, pointer, at, ..
        } = self;
        let draft = Draft::new(kind, place).startup(stage::PARSE, format!("{path}: {words}{at}"));
        let draft = if reader.has_schema() {
            draft.apply(stage::SCHEMA, format!("{pointer}: {words}"))
        } else {
            draft.apply(stage::STATE, NO_TYPE)
        };
        reader.fault(draft);
    }

    /// A value that only the schema rejects, because it is not a string.
    fn only_for_schema(&self, reader: &mut Reader<'_>, kind: FaultKind, place: u32, node: Node<'_>) {
        if reader.has_schema() {
            let said = format!("{}: {} is not of type \"string\"", self.pointer, json(node));
            reader.fault(Draft::new(kind, place).apply(stage::SCHEMA, said));
        }
    }

    fn missing(&self, reader: &mut Reader<'_>, field: &'static str) {
        let kind = FaultKind::MissingField {
            field,
            of: "access rule",
        };
        self.structure(reader, kind, self.place, &format!("missing field `{field}`"));
    }

    fn is_not_a_mapping(&self, reader: &mut Reader<'_>, node: Node<'_>, decoded: &Value<'_>) {
        let kind = wrong_type("rule", "mapping", decoded);
        if node.resolve().is_none_or(|n| n.is_absent()) {
            self.structure(reader, kind, self.place, NO_TYPE);
            return;
        }
        let words = format!(
            "invalid type: {}, expected struct AccessRightsRule",
            unexpected(decoded)
        );
        let server = format!("{words}Spec");
        if reader.has_schema() {
            self.structure(reader, kind, self.place, &server);
        } else {
            let server = format!("{}: {server}{}", self.path, self.at);
            let draft = Draft::new(kind, self.place).startup(stage::PARSE, server);
            reader.fault(draft.apply(stage::CONVERT, words));
        }
    }

    /// Whether a key or a tag prevents everything else from being read; it is reported.
    fn has_odd_entry<'t>(&self, reader: &mut Reader<'t>, map: Node<'t>) -> bool {
        for entry in map.entries() {
            // The server reads rules from a copy, which may contain no tag.
            let field = entry.key.value();
            if is_complex(
                reader,
                entry.key,
                format_args!("{}", self.path),
                "field identifier",
            ) {
                return true;
            }
            if let Some((tagged, tag, at)) = tag_inside(entry.value, || format!("{}.{field}", self.path)) {
                let is_alias = field == "filterMask" && map.get_entry("filterMasks").is_none();
                let is_typed = is_alias || fields::RULE.fields.iter().any(|(f, _)| *f == field);
                let draft = local_tag(reader, tagged, &tag, &at, is_typed);
                reader.fault(draft);
                return true;
            }
        }
        false
    }

    /// The type; `None` if it is not one, which is reported.
    fn type_of<'t>(&self, reader: &mut Reader<'t>, map: Node<'t>) -> Option<Type> {
        let Some(tag) = map.get_entry("type") else {
            self.missing(reader, "type");
            return None;
        };
        let place = reader.value_place(tag.key, tag.value);
        let other = match value(tag.value) {
            Value::Str(named) => {
                let known = Type::ALL.into_iter().find(|of| of.name() == named);
                if known.is_none() {
                    let words = format!("unknown variant `{named}`, expected `StateRule` or `LogRule`");
                    let kind = FaultKind::AccessRule(AccessFault::Type(named.into()));
                    self.structure(reader, kind, place, &words);
                }
                return known;
            }
            other => other,
        };
        let kind = wrong_type("type", "string", &other);
        // A number selects a type by its index.
        let number = match other {
            Value::Int(number) => usize::try_from(number).ok(),
            _ => None,
        };
        let (what, expected) = match number.map(|number| Type::ALL.get(number)) {
            Some(Some(of)) => {
                self.only_for_schema(reader, kind, place, tag.value);
                return Some(*of);
            }
            Some(None) => ("value", "variant index 0 <= i < 2"),
            None => ("type", "variant identifier"),
        };
        let words = format!("invalid {what}: {}, expected {expected}", unexpected(&other));
        self.structure(reader, kind, place, &words);
        None
    }

    fn operation<'t>(&self, reader: &mut Reader<'t>, map: Node<'t>) {
        let Some(entry) = map.get_entry("operation") else {
            self.missing(reader, "operation");
            return;
        };
        let place = reader.value_place(entry.key, entry.value);
        let expected = "expected one of `Nothing`, `Read`, `Write`, `ReadWrite`";
        let decoded = value(entry.value);
        if let Err(words) = variant(&decoded, fields::OPERATIONS, expected) {
            let kind = match decoded {
                Value::Str(text) => FaultKind::AccessRule(AccessFault::Operation(text.into())),
                other => wrong_type("operation", "string", &other),
            };
            self.structure(reader, kind, place, &words);
        } else if !matches!(decoded, Value::Str(_)) {
            let kind = wrong_type("operation", "string", &decoded);
            self.only_for_schema(reader, kind, place, entry.value);
        }
    }

    /// The entry with what the rule applies to; `None` if it cannot be used, which is reported.
    fn list<'t>(&self, reader: &mut Reader<'t>, map: Node<'t>, of: Type) -> Option<Entry<'t>> {
        let alias = map.get_entry("filterMask").filter(|_| of == Type::State);
        let own = map.get_entry(of.list());
        if let Some(alias) = &alias {
            let place = reader.place_of(alias.key);
            reader.out.old_masks.push(place);
            if own.is_some() {
                let kind = FaultKind::AccessRule(AccessFault::BothMasks);
                // The schema knows no alias of it.
                let words = format!("{}: duplicate field `filterMasks`{}", self.path, self.at);
                let draft = Draft::new(kind, place).startup(stage::PARSE, words);
                reader.fault(draft.apply(stage::STATE, NO_TYPE));
                return None;
            }
            if reader.has_schema() {
                let said = format!("{}: \"filterMasks\" is a required property", self.pointer);
                reader.fault(Draft::new(FaultKind::FilterMaskAlias, place).apply(stage::SCHEMA, said));
            }
        }
        let list = own.or(alias);
        if list.is_none() {
            self.missing(reader, of.list());
        }
        list
    }

    /// One mask, or one name of a workload.
    fn item<'t>(&self, reader: &mut Reader<'t>, item: Node<'t>, of: Type) {
        let place = reader.place_of(item);
        let text = match value(item) {
            Value::Str(text) => text,
            other => {
                let kind = wrong_type(of.list(), "string", &other);
                let words = format!("invalid type: {}, expected a string", unexpected(&other));
                self.structure(reader, kind, place, &words);
                return;
            }
        };
        let fault = match of {
            Type::State => mask(&text),
            Type::Log => log_name(&text),
        };
        let Some((fault, words)) = fault else { return };
        // The schema treats the longest filter as the longest name.
        let is_length = matches!(fault, AccessFault::WorkloadName(_))
            && fields::is_name(&text.replacen('*', "", 1))
            && (1..=MAX_FILTER).contains(&text.len());
        let mut draft = Draft::new(FaultKind::AccessRule(fault), place).startup(stage::NAMES, words.clone());
        if reader.has_schema() && !is_length {
            let said = format!("{}: {} does not match", self.pointer, json(item));
            draft = draft.apply(stage::SCHEMA, said);
        }
        reader.fault(draft.apply(stage::NAMES, words));
    }
}

/// Reports the keys that are not fields of a rule, or that repeat one.
fn fields_of<'t>(reader: &mut Reader<'t>, map: Node<'t>, of: Type) {
    for entry in map.entries() {
        let name = entry.key.value();
        below_zero(reader, entry.key);
        // The state of `ank apply` accepts each field once, by its name or its number.
        let repeated = match value(entry.key) {
            Value::Int(number) => usize::try_from(number).ok().and_then(|n| of.fields().get(n)),
            _ => None,
        };
        if repeated.is_some_and(|field| map.get_entry(field).is_some()) {
            let place = reader.place_of(entry.key);
            let kind = FaultKind::KeyCharacters(entry.key.source().into());
            reader.fault(Draft::new(kind, place).apply(stage::STATE, NO_TYPE));
            continue;
        }
        if name != "filterMask" && !fields::RULE.fields.iter().any(|(f, _)| *f == name) {
            unknown(reader, entry.key, &fields::RULE);
        }
    }
}

fn wrong_type(field: &'static str, expected: &'static str, value: &Value<'_>) -> FaultKind {
    FaultKind::WrongType {
        field: field.into(),
        expected,
        found: found(value),
    }
}
