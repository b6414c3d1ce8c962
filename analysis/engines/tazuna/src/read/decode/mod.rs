//! From a YAML tree to the objects of the schema, as Tazuna's decoder fills them (Tazuna G5, "from bytes to
//! values"): keys case-insensitively, scalars converted to strings, two spellings of one key one after the
//! other in the byte order of their spelling. G1 reads the root file differently.

mod type_error;
mod values;

use std::borrow::Cow;

use self::values::{Lost, merged_object};
pub(super) use self::values::{Manifests, Obj, Slot, Val, Word};
use super::fault::{Fault, FaultKind, TableRef, TypeFix};
use super::places::Pen;
use crate::schema::{Field, MANIFEST, SPEC, Table, Ty};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};
use applyorder_syntax::yaml::{Kind, Node, Style};
use rustc_hash::FxHashSet;

/// Where the manifests are.
pub(super) const LIST: [&str; 2] = ["spec", "manifests"];

/// Nodes that one item may lead to through aliases, before reading stops.
const STEPS: u32 = 2_000_000;

/// Reads objects, and records errors on the way.
pub(super) struct Reader<'p, 'm> {
    pub(super) pen: &'p mut Pen<'m>,
    /// Whether the decoder of G1 reads the file.
    pub(super) strict: bool,
    /// What Tazuna rejects while decoding, in its order.
    pub(super) errors: Vec<Fault>,
    /// What it does not report.
    pub(super) lints: Vec<Fault>,
    /// Whether something outside the read node was visited.
    pub(super) aliases: bool,
    /// Numbers without a JSON form where a string is expected, which is allowed.
    pub(super) non_finite: Vec<Span>,
    /// How many errors were found before the list of manifests.
    pub(super) before_manifests: usize,
    /// Where lists of manifests start that another spelling replaced, and whose errors are known.
    lost: FxHashSet<u32>,
    /// A key that two keys of other types are converted to, so that the winning value varies between runs.
    pub(super) random: Option<Box<str>>,
    path: Vec<&'static str>,
    /// The Go type of the object that is being read.
    owner: &'static str,
    steps: u32,
}

impl<'p, 'm> Reader<'p, 'm> {
    /// Reads the value at a path of fields, the last of which an object of the Go type `owner` has.
    pub(super) fn new(
        pen: &'p mut Pen<'m>,
        strict: bool,
        owner: &'static str,
        path: &[&'static str],
    ) -> Self {
        Self {
            pen,
            strict,
            errors: Vec::new(),
            lints: Vec::new(),
            aliases: false,
            non_finite: Vec::new(),
            before_manifests: 0,
            lost: FxHashSet::default(),
            random: None,
            path: path.to_vec(),
            owner,
            steps: 0,
        }
    }

    /// Whether so much was read through aliases that the rest was skipped.
    pub(super) fn exhausted(&self) -> bool {
        self.steps > STEPS
    }

    /// Why it cannot be known what Tazuna reads.
    pub(super) fn open(&self) -> Option<String> {
        if self.exhausted() {
            return Some("aliases expand to more than applyorder reads".to_owned());
        }
        let name = self.random.as_deref()?;
        Some(format!(
            "random: several keys become `{name}` in JSON, and another one wins from run to run"
        ))
    }

    /// The object of a node. A node of another type is an error, and has none.
    pub(super) fn object<'t>(
        &mut self,
        node: Node<'t>,
        table: &'static Table,
        via: Option<Span>,
    ) -> Option<Obj<'t>> {
        let via = self.through(node, via);
        match goyaml::value(node) {
            Value::Map(map) => Some(self.mapping(map, table, via)),
            Value::Null => None,
            other => {
                self.type_error(node, &other, &format!("v1.{}", table.go), via, None);
                if via.is_none()
                    && table.go == "IncludeFile"
                    && let (Value::Str(_), Some(fault)) = (&other, self.errors.last_mut())
                    && let FaultKind::WrongType(wrong) = &mut fault.kind
                {
                    wrong.fix = Some(TypeFix::Path(node.source().to_owned()));
                }
                None
            }
        }
    }

    /// Records an alias; its value comes from the outermost one.
    fn through(&mut self, node: Node<'_>, via: Option<Span>) -> Option<Span> {
        if node.kind() != Kind::Alias {
            return via;
        }
        self.aliases = true;
        via.or(Some(node.span()))
    }

    fn mapping<'t>(&mut self, map: Node<'t>, table: &'static Table, via: Option<Span>) -> Obj<'t> {
        let mut fields = goyaml::fields(map);
        if self.strict {
            fields.iter_mut().for_each(never_overridden);
        }
        self.repeated(&fields, table);
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        let mut obj = Obj {
            slots: Vec::with_capacity(fields.len()),
            header: map.entries().next().map_or(map.span(), |e| {
                if e.key.is_absent() {
                    map.span()
                } else {
                    e.key.span()
                }
            }),
        };
        let owner = std::mem::replace(&mut self.owner, table.go);
        for field in fields {
            self.steps += 1;
            if self.exhausted() {
                break;
            }
            if field.via.is_some() {
                self.aliases = true;
            }
            let Some(known) = table.field(&field.name, self.strict) else {
                let own = via.is_none() && field.via.is_none();
                if own && self.is_unexpected(&field, table, map) {
                    let place = self.pen.place(field.key.span());
                    let key = field.name.to_string();
                    let table = TableRef(table);
                    self.lints
                        .push(Fault::new(place, FaultKind::UnknownField { key, table }));
                }
                continue;
            };
            if known.name != field.name && field.via.is_none() && via.is_none() {
                let place = self.pen.place(field.key.span());
                let (written, name) = (field.name.to_string(), known.name);
                self.lints
                    .push(Fault::new(place, FaultKind::FieldCase { written, name }));
            }
            let via = via.or(field.via.map(|v| v.span));
            self.path.push(known.name);
            let value = self.value(field.value, known, via);
            self.path.pop();
            let Some(value) = value else { continue };
            let (key, span) = (field.key.span(), field.value.span());
            match obj.slots.iter_mut().find(|s| std::ptr::eq(s.field, known)) {
                Some(slot) => {
                    let (loser, winner) = (self.pen.place(slot.key), self.pen.place(key));
                    let (name, kept) = (known.name, winner);
                    self.lints
                        .push(Fault::new(loser, FaultKind::TwoSpellings { name, kept }));
                    let mut lost = Lost {
                        steps: self.steps,
                        ..Lost::default()
                    };
                    slot.write(value, &mut lost);
                    (slot.key, slot.span) = (key, span);
                    self.steps = lost.steps;
                    for (list, via) in lost.lists {
                        self.lost(list, via);
                    }
                }
                None => obj.slots.push(Slot::new(known, (key, span), value)),
            }
        }
        self.owner = owner;
        obj
    }

    /// A list of manifests that is joined with another one or cleared: its values still have to decode, and come
    /// first.
    fn lost(&mut self, list: Node<'_>, via: Option<Span>) {
        if !self.lost.insert(list.span().start) {
            return;
        }
        let lints = self.lints.len();
        let owner = std::mem::replace(&mut self.owner, SPEC.go);
        let path = std::mem::replace(&mut self.path, LIST.to_vec());
        let behind = self
            .errors
            .split_off(self.before_manifests.min(self.errors.len()));
        for item in list.items() {
            self.element(item, &MANIFEST, via);
            if self.exhausted() {
                break;
            }
        }
        self.before_manifests = self.errors.len();
        self.errors.extend(behind);
        (self.owner, self.path) = (owner, path);
        self.lints.truncate(lints);
    }

    /// The value of a field; `None` if it has another type.
    fn value<'t>(&mut self, node: Node<'t>, field: &'static Field, via: Option<Span>) -> Option<Val<'t>> {
        let via = self.through(node, via);
        let value = goyaml::value(node);
        if value == Value::Null {
            return Some(match field.ty {
                Ty::Str => Val::Word(self.null(node, via)),
                _ => Val::Null,
            });
        }
        let value = match (field.ty, value) {
            (Ty::Str, value) => Val::Word(self.word(node, value, field, &field.go(), via)?),
            (Ty::Bool, Value::Bool(_)) | (Ty::Int, Value::Int(_)) => Val::Plain,
            (Ty::Int, Value::Float(f)) if f.fract() == 0.0 && f.abs() < 9.2e18 => Val::Plain,
            (Ty::Strs, Value::Seq(seq)) => Val::Words(self.words(seq, field, via).into()),
            (Ty::StrMap, Value::Map(map)) => {
                self.string_map(map, field, via);
                Val::Map
            }
            (Ty::Any, Value::Map(_)) => Val::Any,
            (Ty::Obj(table), Value::Map(map)) => Val::Obj(self.mapping(map, table, via)),
            (Ty::Objs(_), Value::Seq(seq)) if field.name == "manifests" => {
                self.before_manifests = self.errors.len();
                Val::Manifests(Manifests::new(seq, via))
            }
            (Ty::Objs(table), Value::Seq(seq)) => {
                let mut objs = Vec::new();
                for item in seq.items() {
                    objs.push(self.element(item, table, via));
                    if self.exhausted() {
                        break;
                    }
                }
                Val::Objs(objs.into())
            }
            (Ty::ObjMap(table), Value::Map(map)) => Val::ObjMap(self.object_map(map, table, via)),
            (_, other) => {
                self.type_error(node, &other, &field.go(), via, Some(field));
                return None;
            }
        };
        Some(value)
    }

    /// An item of the list of manifests, decoded into what items of earlier lists left in its memory, whose errors
    /// are reported with those lists.
    pub(super) fn manifest<'t>(&mut self, item: Node<'t>, before: &[Node<'t>]) -> Obj<'t> {
        let mut left: Option<Obj<'t>> = None;
        let mut lost = Lost::default();
        for node in before {
            let later = self.element(*node, &MANIFEST, None);
            left = Some(match left {
                Some(left) => merged_object(left, later, &mut lost),
                None => later,
            });
        }
        self.errors.clear();
        self.lints.clear();
        let own = self.element(item, &MANIFEST, None);
        match left {
            Some(left) => Obj {
                header: own.header,
                ..merged_object(left, own, &mut lost)
            },
            None => own,
        }
    }

    /// An element of a list of objects: null is an empty one.
    pub(super) fn element<'t>(
        &mut self,
        item: Node<'t>,
        table: &'static Table,
        via: Option<Span>,
    ) -> Obj<'t> {
        let header = item.full_span();
        let place = match via {
            Some(via) => via,
            None => header,
        };
        self.object(item, table, via).unwrap_or(Obj {
            slots: Vec::new(),
            header: place,
        })
    }

    fn object_map<'t>(
        &mut self,
        map: Node<'t>,
        table: &'static Table,
        via: Option<Span>,
    ) -> Vec<(Cow<'t, str>, Span, Obj<'t>)> {
        let mut fields = goyaml::fields(map);
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        let mut out = Vec::new();
        for field in fields {
            self.aliases |= field.via.is_some();
            if self.is_random(&field) {
                // The existence of such a key is certain.
                let (header, slots) = (field.value.full_span(), Vec::new());
                out.push((field.name, field.key.span(), Obj { slots, header }));
                continue;
            }
            let via = via.or(field.via.map(|v| v.span));
            let obj = self.element(field.value, table, via);
            out.push((field.name, field.key.span(), obj));
        }
        out
    }

    /// Whether it is random which value a key has; then no conclusion may depend on any of them.
    fn is_random(&mut self, field: &goyaml::Field<'_>) -> bool {
        let is_random = !field.losers.is_empty() && !self.strict && field.is_random();
        if is_random && self.random.is_none() {
            self.random = Some(field.name.as_ref().into());
        }
        is_random
    }

    fn words<'t>(&mut self, seq: Node<'t>, field: &'static Field, via: Option<Span>) -> Vec<Word<'t>> {
        let mut words = Vec::new();
        for item in seq.items() {
            self.steps += 1;
            if self.exhausted() {
                break;
            }
            let via = self.through(item, via);
            match goyaml::value(item) {
                Value::Null => words.push(self.null(item, via)),
                value => words.extend(self.word(item, value, field, "string", via)),
            }
        }
        words
    }

    /// Checks the values of a mapping of strings; the values themselves are not used.
    fn string_map<'t>(&mut self, map: Node<'t>, field: &'static Field, via: Option<Span>) {
        let mut fields = goyaml::fields(map);
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        for entry in fields {
            self.aliases |= entry.via.is_some();
            if self.is_random(&entry) {
                continue;
            }
            let via = self.through(entry.value, via.or(entry.via.map(|v| v.span)));
            let value = goyaml::value(entry.value);
            if value != Value::Null {
                self.word(entry.value, value, field, "string", via);
            }
        }
    }

    fn null<'t>(&mut self, node: Node<'t>, via: Option<Span>) -> Word<'t> {
        let target = node.resolve().unwrap_or(node);
        Word {
            text: Cow::Borrowed(""),
            span: target.span(),
            via,
            null: true,
            place: None,
        }
    }

    fn word<'t>(
        &mut self,
        node: Node<'t>,
        value: Value<'t>,
        field: &'static Field,
        go: &str,
        via: Option<Span>,
    ) -> Option<Word<'t>> {
        let target = node.resolve().unwrap_or(node);
        if let Value::Float(f) = &value
            && !f.is_finite()
        {
            self.non_finite.extend([node.span(), target.span()]);
        }
        let converted = !matches!(value, Value::Str(_));
        let text = match value {
            Value::Seq(_) | Value::Map(_) => None,
            _ if self.strict && converted => Some(target.value()),
            other => other.into_text(),
        };
        let Some(text) = text else {
            self.type_error(node, &goyaml::value(node), go, via, Some(field));
            return None;
        };
        let mut word = Word {
            text,
            span: target.span(),
            via,
            null: false,
            place: None,
        };
        if converted && target.style() == Style::Plain && word.text != target.value() {
            let place = self.pen.place(word.span);
            word.place = Some(place);
            let kind = FaultKind::Coerced {
                field: field.name,
                written: target.source().to_owned(),
                seen: word.text.to_string(),
            };
            self.lints.push(Fault::new(place, kind));
        }
        Some(word)
    }

    /// Whether a key that is not a field should be reported: not if it contains an anchor for others, and not
    /// the children of a removed `parallel` block, which has a finding of its own.
    fn is_unexpected(&self, field: &goyaml::Field<'_>, table: &'static Table, map: Node<'_>) -> bool {
        let removed = || field.name == "parallel" && map.get("type").is_some_and(|t| t.value() == "parallel");
        let holder = || !std::ptr::eq(table, &MANIFEST) && field.value.any(|n| n.anchor().is_some());
        !is_private(&field.name) && !removed() && !holder()
    }

    fn repeated(&mut self, fields: &[goyaml::Field<'_>], table: &Table) {
        for field in fields.iter().filter(|f| !f.losers.is_empty()) {
            for loser in &field.losers {
                match (loser.via, field.via) {
                    (None, None) => {
                        let (lost, kept) =
                            (self.pen.place(loser.key.span()), self.pen.place(field.key.span()));
                        let anchored = loser.value.any(|n| n.anchor().is_some());
                        let kind = FaultKind::RepeatedKey {
                            name: field.name.to_string(),
                            kept,
                            is_anchored: anchored,
                            is_strict: self.strict,
                        };
                        if self.strict {
                            self.errors.push(Fault::new(lost, kind));
                        } else {
                            self.lints.push(Fault::new(lost, kind));
                        }
                    }
                    (None, Some(via)) if table.field(&field.name, self.strict).is_some() => {
                        let lost = self.pen.place(loser.key.span());
                        let merge = self.pen.place(via.merge);
                        let source = self.pen.place(field.key.span());
                        let kind = FaultKind::MergeOverrides {
                            name: field.name.to_string(),
                            merge,
                            source,
                        };
                        self.lints.push(Fault::new(lost, kind));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether a key is user-defined by its form: `x-base`, `.base`.
fn is_private(key: &str) -> bool {
    key.starts_with("x-") || key.starts_with(['.', '_'])
}

/// In G1, a merge never replaces a key of the mapping itself.
fn never_overridden(field: &mut goyaml::Field<'_>) {
    if field.via.is_none() {
        return;
    }
    if let Some(at) = field.losers.iter().rposition(|l| l.via.is_none()) {
        let own = field.losers.remove(at);
        (field.key, field.value, field.via) = (own.key, own.value, own.via);
    }
}
