//! What all parts of the reader share: places, faults, and serde's messages.

use std::borrow::Cow;

use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::serdeyaml::{Marks, Value, float_text, local_tag, start, value};
use applyorder_syntax::yaml::{Entry, Node};

use rustc_hash::{FxHashMap, FxHashSet};

use super::manifest::{Fault, FaultKind, Item, Manifest, NameFault, Said, Text, Version};
use crate::judge::stage;

/// Reads one manifest.
pub(super) struct Reader<'t> {
    pub(super) out: Manifest,
    pub(super) places: Vec<Span>,
    pub(super) marks: &'t Marks<'t>,
    pub(super) version: Version,
    /// The version without its tag, by which the server checks the form of tags.
    pub(super) untagged_version: Version,
    /// The starts of keys that need no further check.
    pub(super) seen: FxHashSet<u32>,
    /// The workload being read.
    pub(super) workload: Option<u32>,
}

/// A fault being built.
pub(super) struct Draft {
    pub(super) kind: FaultKind,
    pub(super) place: u32,
    pub(super) related: Option<u32>,
    startup: Option<Said>,
    apply: Option<Said>,
    loses: Option<&'static str>,
    is_of_agent: bool,
}

impl Draft {
    pub(super) fn new(kind: FaultKind, place: u32) -> Self {
        Self {
            kind,
            place,
            related: None,
            startup: None,
            apply: None,
            loses: None,
            is_of_agent: false,
        }
    }

    /// Whether it is in the agent, which `--agent` replaces.
    pub(super) fn of_agent(mut self, is_of_agent: bool) -> Self {
        self.is_of_agent = is_of_agent;
        self
    }

    pub(super) fn related(mut self, place: Option<u32>) -> Self {
        self.related = place;
        self
    }

    /// The server's message about a startup manifest, if there is none yet.
    pub(super) fn startup(mut self, stage: &'static str, words: impl Into<Box<str>>) -> Self {
        let said = Said {
            stage,
            words: words.into(),
        };
        self.startup.get_or_insert(said);
        self
    }

    /// The same for something that is not the mapping it should be. A tag without a value is an empty mapping
    /// to the server.
    pub(super) fn not_a_mapping(self, node: Node<'_>, words: impl Into<Box<str>>) -> Self {
        if node.is_absent() {
            return self;
        }
        self.startup(stage::PARSE, words)
    }

    /// The server does not report it.
    pub(super) fn without_startup(mut self) -> Self {
        self.startup = None;
        self
    }

    /// `ank apply` does not report it so far.
    pub(super) fn without_apply(mut self) -> Self {
        self.apply = None;
        self
    }

    /// The message of `ank apply`.
    pub(super) fn apply(mut self, stage: &'static str, words: impl Into<Box<str>>) -> Self {
        let said = Said {
            stage,
            words: words.into(),
        };
        self.apply.get_or_insert(said);
        self
    }

    /// `ank apply` accepts it and drops a field.
    pub(super) fn loses(mut self, field: &'static str) -> Self {
        self.loses = Some(field);
        self
    }

    pub(super) fn is_silent(&self) -> bool {
        self.startup.is_none() && self.apply.is_none() && self.loses.is_none()
    }
}

impl<'t> Reader<'t> {
    pub(super) fn place(&mut self, span: Span) -> u32 {
        let number = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(span);
        number
    }

    pub(super) fn place_of(&mut self, node: Node<'_>) -> u32 {
        self.place(node.span())
    }

    /// Where a key, or a value that may be missing, is shown.
    pub(super) fn value_place(&mut self, key: Node<'_>, value: Node<'_>) -> u32 {
        let span = if value.is_absent() {
            key.span()
        } else {
            value.span()
        };
        self.place(span)
    }

    pub(super) fn text(&mut self, node: Node<'_>, value: &str) -> Text {
        let place = self.place_of(node);
        Text {
            value: value.into(),
            place,
        }
    }

    pub(super) fn fault(&mut self, draft: Draft) {
        let Draft {
            kind,
            place,
            related,
            startup,
            apply,
            loses,
            is_of_agent,
        } = draft;
        self.out.faults.push(Fault {
            kind,
            place,
            related,
            workload: self.workload,
            startup,
            apply,
            loses,
            is_of_agent,
            key_rank: 0,
        });
    }

    /// Numbers the keys that `ank apply` rejects in text order.
    pub(super) fn rank_keys(&mut self) {
        let of_key = |fault: &&mut Fault| {
            let stage = fault.apply.as_ref().map(|said| said.stage);
            matches!(stage, Some(stage::KEYS | stage::JSON))
        };
        let mut refused: Vec<&mut Fault> = self.out.faults.iter_mut().filter(of_key).collect();
        let start = |fault: &Fault| self.places.get(fault.place as usize).map(|span| span.start);
        refused.sort_by_key(|fault| start(fault));
        for (rank, fault) in (0..).zip(refused) {
            fault.key_rank = rank;
        }
    }

    /// The end of the server's message about a node.
    pub(super) fn at(&self, node: Node<'_>) -> String {
        at(self.marks, node)
    }

    /// Whether `ank apply` checks the file against its schema.
    pub(super) fn has_schema(&self) -> bool {
        self.version.has_schema()
    }

    /// A value that is neither null nor of the type of a field, for `ank apply`: the schema's line, or the
    /// message of the conversion.
    pub(super) fn reject(
        &self,
        draft: Draft,
        pointer: &str,
        node: Node<'_>,
        wanted: &str,
        words: &str,
    ) -> Draft {
        if self.has_schema() {
            draft.apply(
                stage::SCHEMA,
                format!("'{pointer}': {} is not of type \"{wanted}\"", json(node)),
            )
        } else {
            draft.apply(stage::CONVERT, words)
        }
    }

    /// The config item of a node, its parts first.
    pub(super) fn push_item(&mut self, item: Item) -> u32 {
        let number = u32::try_from(self.out.items.len()).unwrap_or(u32::MAX);
        self.out.items.push(item);
        number
    }
}

/// The same as [`Reader::at`], for code without the reader.
pub(super) fn at(marks: &Marks<'_>, node: Node<'_>) -> String {
    let node = node.resolve().unwrap_or(node);
    let at = start(node);
    marks.suffix(if node.is_absent() {
        in_flow(node.tree().text(), at).unwrap_or(at)
    } else {
        at
    })
}

/// Where the library finds nothing in a flow mapping: at what comes next there.
fn in_flow(text: &str, at: u32) -> Option<u32> {
    let mut rest = text.get(at as usize..)?;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace());
        match rest.strip_prefix('#') {
            Some(comment) => rest = comment.get(comment.find(['\n', '\r'])?..)?,
            None => break,
        }
    }
    let ends = rest.starts_with([',', '}', ']']);
    ends.then(|| u32::try_from(text.len() - rest.len()).unwrap_or(u32::MAX))
}

/// The entries of a mapping; of several with the same key the last, as each of them is a fault of its own.
pub(super) fn entries<'t>(map: Node<'t>) -> Vec<Entry<'t>> {
    let all: Vec<Entry<'t>> = map.entries().collect();
    if has_no_equal_texts(&all) {
        return all;
    }
    let mut last: FxHashMap<(Cow<'t, str>, &'static str), usize> = FxHashMap::default();
    let key = |entry: &Entry<'t>| (entry.key.value(), found(&value(entry.key)));
    for (at, entry) in all.iter().enumerate() {
        last.insert(key(entry), at);
    }
    let is_last = |(at, entry): &(usize, Entry<'t>)| last.get(&key(entry)) == Some(at);
    all.into_iter()
        .enumerate()
        .filter(is_last)
        .map(|(_, entry)| entry)
        .collect()
}

/// Up to this many keys are compared one by one.
const FEW: usize = 8;

/// Whether no two keys have the same text: then no two are equal.
fn has_no_equal_texts(all: &[Entry<'_>]) -> bool {
    if all.len() > FEW {
        let texts: FxHashSet<Cow<'_, str>> = all.iter().map(|entry| entry.key.value()).collect();
        return texts.len() == all.len();
    }
    let texts: Vec<Cow<'_, str>> = all.iter().map(|entry| entry.key.value()).collect();
    let mut rest = texts.iter();
    while let Some(text) = rest.next() {
        if rest.as_slice().contains(text) {
            return false;
        }
    }
    true
}

/// serde's description of a value of the wrong type.
pub(super) fn unexpected(value: &Value<'_>) -> String {
    match value {
        Value::Null => "unit value".to_owned(),
        Value::Bool(b) => format!("boolean `{b}`"),
        Value::Int(n) => format!("integer `{n}`"),
        Value::Float(f) => format!("floating point `{}`", float_word(*f)),
        Value::Str(text) => format!("string {text:?}"),
        Value::Seq(_) => "sequence".to_owned(),
        Value::Map(_) => "map".to_owned(),
        Value::Tagged(..) => "enum".to_owned(),
    }
}

/// A number as in serde's messages: with a decimal point and without an exponent.
fn float_word(number: f64) -> String {
    let text = number.to_string();
    if number.is_finite() && !text.contains('.') {
        text + ".0"
    } else {
        text
    }
}

/// Our word for the kind of a value.
pub(super) fn found(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Int(_) => "integer",
        Value::Float(_) => "number",
        Value::Str(_) => "string",
        Value::Seq(_) => "list",
        Value::Map(_) => "mapping",
        Value::Tagged(..) => "tagged value",
    }
}

/// A scalar of a node as JSON; collections abbreviated.
pub(super) fn json(node: Node<'_>) -> String {
    if let Some(tag) = node.resolve().and_then(local_tag) {
        return format!("{{\"!{tag}\":…}}");
    }
    match value(node) {
        Value::Null => "null".to_owned(),
        Value::Bool(b) => b.to_string(),
        Value::Int(n) => n.to_string(),
        Value::Float(f) if !f.is_finite() => "null".to_owned(),
        Value::Float(f) => float_text(f),
        Value::Str(text) => serde_json::Value::from(&*text).to_string(),
        Value::Seq(_) => "[…]".to_owned(),
        Value::Map(_) | Value::Tagged(..) => "{…}".to_owned(),
    }
}

/// Whether a value is null as JSON, which has no infinite numbers.
pub(super) fn is_json_null(value: &Value<'_>) -> bool {
    matches!(value, Value::Null) || matches!(value, Value::Float(f) if !f.is_finite())
}

/// The error in a name, in the order in which the server checks.
pub(crate) fn name_fault(name: &str) -> Option<NameFault> {
    if name.is_empty() {
        Some(NameFault::Empty)
    } else if !super::fields::is_name(name) {
        Some(NameFault::Characters)
    } else if name.len() > super::fields::MAX_NAME {
        Some(NameFault::Long(name.len()))
    } else {
        None
    }
}

/// The schema's message about a name, without the pointer.
pub(super) fn schema_name(name: &str, fault: NameFault) -> String {
    match fault {
        NameFault::Empty => format!("{name:?} is shorter than 1 character"),
        NameFault::Characters => format!("{name:?} does not match \"^[a-zA-Z0-9_-]+$\""),
        NameFault::Long(_) => format!("{name:?} is longer than 63 characters"),
    }
}
