//! Nested blocks: what `terraform validate` knows of them, and what their values are in an instance.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_syntax::hcl::eval::{Marks, Value};
use applyorder_syntax::hcl::{Body, Expr};
use rustc_hash::FxHashMap;

use super::super::Wrong;
use super::super::module::{Attr, Inner, written};
use super::super::world::{MAX_INSTANCES, STORED, makes_none};
use super::{Around, At, Checker, Frame, Given, Givens, Walk, Walked, give, is_open, limits, near, stub};
use crate::schema::{Block, META_BLOCKS, Need};

/// What dynamic blocks around something iterate over, by the name of the iterator.
type Entries<'a> = Vec<(&'a str, Value)>;

/// The blocks that one of the text makes.
enum Made<'a> {
    /// Each with the entries that it sees.
    Known(Vec<Entries<'a>>),
    /// How many is unknown, and what they see.
    Open(Entries<'a>),
}

impl<'a> Checker<'_, 'a> {
    /// The value of an expression in a nested block.
    pub(super) fn inner_value(
        &self,
        walk: &Walk<'_, 'a>,
        expr: Expr<'a>,
        file: usize,
        entries: &Entries<'a>,
        at: &str,
    ) -> Value {
        match walk.of {
            Walked::Declaration(validate) => {
                let at = || format!("{}.{at}", walk.resource);
                let around = Around {
                    names: entries,
                    ..Around::new(walk.repeated, &at)
                };
                validate.eval(expr, file, &around)
            }
            Walked::Instance(inst, address, each) => {
                let at = |of: &str| Arc::from(format!("{of}.{at}"));
                self.world.ask(at(address), at(walk.resource));
                self.world.eval_with(inst, each, expr, file, entries)
            }
        }
    }

    /// Reports what is wrong with the blocks in a block; known ones are checked later. Returns whether it depends on
    /// what is only likely.
    pub(super) fn blocks(
        &mut self,
        walk: &Walk<'_, 'a>,
        frame: &Frame<'a>,
        given: &mut Givens,
        open: &mut Vec<Frame<'a>>,
    ) -> bool {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        let mut is_likely = false;
        for inner in &frame.blocks {
            if frame.path.is_empty() && META_BLOCKS.contains(&inner.word) {
                continue;
            }
            let at = frame.at(walk.resource, inner.word, inner.header);
            let Some((word, nested)) = frame.schema.blocks.get_key_value(inner.word) else {
                let wrong = if frame.schema.attributes.contains_key(inner.word) {
                    Wrong::NoBlock
                } else {
                    Wrong::UnknownBlock
                };
                let near = near(&wrong, inner.word, frame.schema);
                self.tell(walk, at, wrong, near, false);
                continue;
            };
            if inner.is_dynamic() {
                self.dynamic(walk, frame, inner);
            } else if inner.block.labels().next().is_some() {
                self.tell(walk, at, Wrong::Labels(0), None, false);
                continue;
            }
            let made = if frame.is_open {
                // Also of what is not dynamic the values are unknown.
                Made::Open(frame.entries.clone())
            } else if inner.is_dynamic() {
                let path = format!("{}{}", frame.path, inner.word);
                self.made(walk, inner, &frame.entries, &path, &mut is_likely)
            } else {
                Made::Known(vec![frame.entries.clone()])
            };
            let is_open = matches!(made, Made::Open(_));
            let (is_given, more, all) = match made {
                Made::Known(all) if all.is_empty() => {
                    // Another block of the name may be there.
                    let before = given
                        .get(inner.word)
                        .is_some_and(|_| counts.contains_key(inner.word));
                    if !before {
                        given.remove(inner.word);
                    }
                    continue;
                }
                Made::Known(all) => (Given::Yes, all.len(), all),
                Made::Open(entries) => {
                    self.has_nested.set(true);
                    (Given::Open, 0, vec![entries])
                }
            };
            given.insert(word, (is_given, inner.header));
            let count = counts.entry(inner.word).or_default();
            let before = *count;
            *count = before.saturating_add(more);
            if before <= nested.most && *count > nested.most {
                self.tell(walk, at, Wrong::TooMany(nested.most), None, is_likely);
            }
            for entries in all {
                open.push(Frame {
                    is_open,
                    ..self.frame(inner, &nested.block, &frame.path, entries)
                });
            }
        }
        is_likely
    }

    /// What is wrong inside of blocks.
    pub(super) fn inside(&mut self, walk: &Walk<'_, 'a>, mut open: Vec<Frame<'a>>) {
        while let Some(frame) = open.pop() {
            let mut given = Givens::default();
            let mut is_likely = false;
            for attr in &frame.attrs {
                let path = format!("{}{}", frame.path, attr.name);
                let value = match frame.is_open {
                    true => Value::unknown("a dynamic block goes through what is unknown"),
                    false => self.inner_value(walk, attr.expr, attr.file, &frame.entries, &path),
                };
                is_likely |= value.has_heuristic();
                give(&mut given, frame.schema, attr, &value);
                match self.attribute(attr, &value, &frame) {
                    Some((wrong, spot)) => {
                        let near = near(&wrong, attr.name, frame.schema);
                        let at = frame.at(walk.resource, attr.name, spot);
                        self.tell(walk, at, wrong, near, value.has_heuristic());
                    }
                    None if walk.is_of_declaration() && is_open(attr, &value, frame.schema) => {
                        self.has_nested.set(true);
                    }
                    None => {}
                }
            }
            is_likely |= self.blocks(walk, &frame, &mut given, &mut open);
            for (name, known) in &frame.schema.attributes {
                let is_given = given.get(name).is_some_and(|(given, _)| *given != Given::No);
                if known.need == Need::Required && !is_given {
                    let at = frame.at(walk.resource, name, frame.header);
                    // What a dynamic block holds is not under its header.
                    let stub = frame.entries.is_empty().then(|| stub(&known.ty).to_owned());
                    self.tell(walk, at, Wrong::Missing, stub, is_likely);
                }
            }
            for (name, spot, wrong) in limits(frame.schema, frame.header, &given) {
                let at = frame.at(walk.resource, name, spot);
                self.tell(walk, at, wrong, None, is_likely);
            }
        }
    }

    /// Reports what was not yet. The same in one instance is enough.
    pub(super) fn tell(
        &mut self,
        walk: &Walk<'_, 'a>,
        at: At<'_>,
        wrong: Wrong,
        near: Option<String>,
        is_likely: bool,
    ) {
        if walk.is_silent || !self.told.insert((at.spot, format!("{}{}", at.path, at.name))) {
            return;
        }
        self.push(at, wrong, near, walk.is_of_declaration());
        if let Some(last) = self.found.last_mut() {
            last.is_likely |= walk.is_likely || is_likely;
        }
    }

    /// The blocks that a dynamic one makes.
    fn made(
        &self,
        walk: &Walk<'_, 'a>,
        inner: &Inner<'a>,
        around: &Entries<'a>,
        path: &str,
        is_likely: &mut bool,
    ) -> Made<'a> {
        let body = inner.block.body();
        let iterator = body.attribute("iterator").and_then(|i| i.value().as_names());
        let name = iterator
            .and_then(|names| names.first().copied())
            .unwrap_or(inner.word);
        let open = || Value::unknown("what a dynamic block goes through is unknown");
        let with = |key: Value, value: Value| {
            let mut entries = around.clone();
            let entry = BTreeMap::from([("key".into(), key), ("value".into(), value)]);
            entries.push((name, Value::object(entry)));
            entries
        };
        let Some(by) = body.attribute("for_each") else {
            return Made::Open(with(open(), open()));
        };
        let value = self.inner_value(walk, by.value(), inner.header.file, around, path);
        *is_likely |= value.heuristic;
        if value.marks.has(Marks::EPHEMERAL) {
            self.ephemeral(walk, inner, by.value(), &value);
        }
        let all: Vec<(Value, Value)> = match (value.elements(), value.members()) {
            (Some(all), _) => all.iter().map(|item| (open(), item.clone())).collect(),
            (_, Some(all)) => all
                .iter()
                .map(|(key, value)| (Value::string(key), value.clone()))
                .collect(),
            _ => return Made::Open(with(open(), open())),
        };
        if all.len() > 1 && !self.count(walk, all.len()) {
            return Made::Open(with(open(), open()));
        }
        Made::Known(all.into_iter().map(|(key, value)| with(key, value)).collect())
    }

    /// Blocks that an ephemeral value makes. Terraform 1.11 rejects them once it knows that there are any; until then it
    /// takes what is unknown.
    fn ephemeral(&self, walk: &Walk<'_, 'a>, inner: &Inner<'a>, by: Expr<'a>, value: &Value) {
        let why = "what a block is that an ephemeral value makes is not followed";
        let is_unknown = value.as_unknown().is_some();
        match walk.of {
            Walked::Declaration(_) if is_unknown => {}
            Walked::Declaration(validate) => validate.leave_open(inner.header, why),
            Walked::Instance(..) if is_unknown => {
                let at = written(by.span(), inner.header.file);
                self.world.leave_values_open(at, why);
            }
            Walked::Instance(inst, ..) if !makes_none(value) => {
                let at = (inner.word, inner.header);
                self.world.note_secret((inst, walk.resource), at, value, STORED);
            }
            Walked::Instance(..) => {}
        }
    }

    /// Whether this number of additional blocks is allowed.
    fn count(&self, walk: &Walk<'_, 'a>, more: usize) -> bool {
        if !walk.is_of_declaration() {
            return self.world.count(more);
        }
        self.made.set(self.made.get().saturating_add(more));
        self.made.get() <= MAX_INSTANCES
    }

    /// The inside of a block, of a dynamic one what each block holds.
    fn frame(
        &self,
        inner: &Inner<'a>,
        schema: &'static Block,
        path: &str,
        entries: Entries<'a>,
    ) -> Frame<'a> {
        let mut body = inner.block.body();
        if inner.is_dynamic()
            && let Some(content) = body.blocks().find(|b| b.kind() == "content")
        {
            body = content.body();
        }
        Frame {
            path: format!("{path}{}.", inner.word),
            ..self.body(body, schema, inner.header, entries)
        }
    }

    /// What is in a block.
    pub(super) fn body(
        &self,
        body: Body<'a>,
        schema: &'static Block,
        header: super::Spot,
        entries: Entries<'a>,
    ) -> Frame<'a> {
        let file = header.file;
        let facts = self.world.sources.get(file).map(|source| &source.facts);
        let at = |span| facts.map_or(0, |facts| facts.at(span));
        let attrs = body.attributes().map(|attribute| Attr {
            name: attribute.name(),
            expr: attribute.value(),
            file,
            name_at: at(attribute.name_span()),
            value_at: at(attribute.value().span()),
        });
        let blocks = body.blocks().map(|block| Inner {
            word: match block.kind() {
                "dynamic" => block.labels().next().map_or("", |l| l.text),
                kind => kind,
            },
            header: super::Spot {
                file,
                at: at(block.header_span()),
            },
            block,
        });
        Frame {
            schema,
            attrs: attrs.collect(),
            blocks: blocks.collect(),
            header,
            path: String::new(),
            entries,
            is_open: false,
        }
    }
}
