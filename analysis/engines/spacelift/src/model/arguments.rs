//! Which arguments and blocks of the provider's resources Terraform rejects, by the provider's schema.
//!
//! Source: Terraform 1.11, and the provider's own checks as it has them at 8565261.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::{Type, Value, convert};
use rustc_hash::{FxHashMap, FxHashSet};

use super::module::{Attr, Decl, Inner, Module, Spot};
use super::validate::Validate;
use super::world::{InstIx, Res, World};
use super::{Argument, Wrong};
use crate::read::is_json;
use crate::schema::{self, Block, META, META_BLOCKS, Need};

/// Looks at the arguments of all resources and data sources of the provider's.
pub(super) fn check(world: &World<'_>, place: &dyn Fn(Spot) -> Place) -> Vec<Argument> {
    let mut checker = Checker {
        world,
        place,
        validate: Validate::new(world),
        found: Vec::new(),
        seen: FxHashSet::default(),
        open: FxHashMap::default(),
        reported: FxHashSet::default(),
    };
    let insts: Vec<_> = world
        .insts
        .borrow()
        .iter()
        .map(|i| i.module)
        .enumerate()
        .collect();
    for (inst, module) in insts {
        let Some(own) = world.modules.get(module) else {
            continue;
        };
        checker.module(inst, module, own);
    }
    checker.found
}

struct Checker<'c, 'a> {
    world: &'c World<'a>,
    place: &'c dyn Fn(Spot) -> Place,
    validate: Validate<'c, 'a>,
    found: Vec<Argument>,
    /// The resources that were looked at, by module and number.
    seen: FxHashSet<(usize, usize)>,
    /// By the same: the arguments whose values `terraform validate` does not know, and what is given.
    open: FxHashMap<(usize, usize), (Vec<Attr<'a>>, Givens<'a>)>,
    /// Those that are found to be wrong.
    reported: FxHashSet<(usize, usize, &'a str)>,
}

/// A block with what it takes.
struct Frame<'a> {
    schema: &'static Block,
    attrs: Vec<Attr<'a>>,
    blocks: Vec<Inner<'a>>,
    header: Spot,
    /// What stands before its arguments: `github_enterprise.`.
    path: String,
    /// What dynamic blocks around it go through, by the name that stands for an entry.
    entries: Vec<(&'a str, Value)>,
}

/// What is reported: a name in a block, and where.
struct At<'p> {
    resource: &'p Arc<str>,
    path: &'p str,
    name: &'p str,
    spot: Spot,
}

/// Which arguments and blocks are given, and where.
type Givens<'a> = FxHashMap<&'a str, (Given, Spot)>;

/// Whether something is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Yes,
    No,
    Open,
}

impl<'a> Checker<'_, 'a> {
    fn module(&mut self, inst: InstIx, module: usize, own: &'_ Module<'a>) {
        for (number, decl) in own.resources.iter().enumerate() {
            if decl.has_gap || !decl.ty().starts_with("spacelift_") {
                continue;
            }
            let Some(schema) = schema::schema(decl.is_data(), decl.ty()) else {
                if self.seen.insert((module, number)) {
                    self.unknown_type(inst, decl);
                }
                continue;
            };
            if self.seen.insert((module, number)) {
                self.declaration(inst, (module, number), decl, schema);
            }
            self.values(inst, (module, number), decl, schema);
        }
    }

    fn unknown_type(&mut self, inst: InstIx, decl: &Decl<'a>) {
        let resource: Arc<str> = self.world.static_address(inst, decl).into();
        let spot = Spot {
            file: decl.file,
            at: decl.facts.labels.first().map_or(decl.facts.header, |(_, at)| *at),
        };
        let near = nearest(decl.ty(), schema::types(decl.is_data())).map(str::to_owned);
        let at = At {
            resource: &resource,
            path: "",
            name: decl.ty(),
            spot,
        };
        self.push(at, Wrong::UnknownType, near, true);
    }

    /// What is wrong whatever the values are.
    fn declaration(&mut self, inst: InstIx, id: (usize, usize), decl: &Decl<'a>, schema: &'static Block) {
        let resource: Arc<str> = self.world.static_address(inst, decl).into();
        let mut open = vec![Frame {
            schema,
            attrs: decl.attrs.clone(),
            blocks: decl.blocks.clone(),
            header: decl.header(),
            path: String::new(),
            entries: Vec::new(),
        }];
        while let Some(frame) = open.pop() {
            let is_top = frame.path.is_empty();
            let mut left = Vec::new();
            let mut given: Givens<'a> = FxHashMap::default();
            for attr in &frame.attrs {
                if is_top && META.contains(&attr.name) {
                    continue;
                }
                let value = self.validate.eval(inst, attr.expr, attr.file, &frame.entries);
                given.insert(attr.name, (given_by(&value), attr.name_spot()));
                let Some((wrong, spot)) = self.attribute(attr, &value, &frame) else {
                    if is_open(attr, &value, frame.schema) {
                        left.push(*attr);
                    }
                    continue;
                };
                if is_top {
                    self.reported.insert((id.0, id.1, attr.name));
                }
                let near = near(&wrong, attr.name, frame.schema).or_else(|| id_of(&wrong, attr));
                let at = frame.at(&resource, attr.name, spot);
                self.push(at, wrong, near, true);
            }
            self.blocks(inst, &resource, &frame, &mut given, &mut open);
            self.required(&resource, &frame, &given);
            for (name, spot, wrong) in limits(frame.schema, frame.header, &given) {
                if is_top {
                    self.reported.insert((id.0, id.1, name));
                }
                self.push(frame.at(&resource, name, spot), wrong, None, true);
            }
            if is_top {
                self.open.insert(id, (left, given));
            }
        }
    }

    /// What is wrong with the blocks in a block; those that are known are looked at later.
    fn blocks(
        &mut self,
        inst: InstIx,
        resource: &Arc<str>,
        frame: &Frame<'a>,
        given: &mut Givens<'a>,
        open: &mut Vec<Frame<'a>>,
    ) {
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for inner in &frame.blocks {
            if frame.path.is_empty() && META_BLOCKS.contains(&inner.word) {
                continue;
            }
            let at = frame.at(resource, inner.word, inner.header);
            let Some(nested) = frame.schema.blocks.get(inner.word) else {
                let wrong = if frame.schema.attributes.contains_key(inner.word) {
                    Wrong::NoBlock
                } else {
                    Wrong::UnknownBlock
                };
                let near = near(&wrong, inner.word, frame.schema);
                self.push(at, wrong, near, true);
                continue;
            };
            let mut entries = frame.entries.clone();
            let made = if inner.is_dynamic() {
                self.made(inst, inner, &mut entries)
            } else {
                Some(1)
            };
            let is_given = match made {
                Some(0) => continue,
                Some(_) => Given::Yes,
                None => Given::Open,
            };
            given.insert(inner.word, (is_given, inner.header));
            let count = counts.entry(inner.word).or_default();
            let before = *count;
            *count = before.saturating_add(made.unwrap_or(0));
            if before <= nested.most && *count > nested.most {
                self.push(at, Wrong::TooMany(nested.most), None, true);
            }
            open.push(self.inside(inner, &nested.block, &frame.path, entries));
        }
    }

    /// How many blocks a dynamic one makes, where `terraform validate` knows that. Notes what the first goes through.
    fn made(&self, inst: InstIx, inner: &Inner<'a>, entries: &mut Vec<(&'a str, Value)>) -> Option<usize> {
        let body = inner.block.body();
        let by = body.attribute("for_each")?;
        let value = self.validate.eval(inst, by.value(), inner.header.file, entries);
        let list = value.elements().map(|all| (all.len(), all.first()));
        let map = value.members().map(|all| (all.len(), all.values().next()));
        let made = list.or(map);
        let iterator = body.attribute("iterator").and_then(|i| i.value().as_names());
        let name = iterator
            .and_then(|names| names.first().copied())
            .unwrap_or(inner.word);
        let first = made.and_then(|(_, first)| first.cloned());
        let open = || Value::unknown("what a dynamic block goes through is unknown");
        let entry = [
            ("key".into(), open()),
            ("value".into(), first.unwrap_or_else(open)),
        ];
        entries.push((name, Value::object(BTreeMap::from(entry))));
        made.map(|(count, _)| count)
    }

    /// The inside of a block, of a dynamic one what each block holds.
    fn inside(
        &self,
        inner: &Inner<'a>,
        schema: &'static Block,
        path: &str,
        entries: Vec<(&'a str, Value)>,
    ) -> Frame<'a> {
        let mut body = inner.block.body();
        if inner.is_dynamic()
            && let Some(content) = body.blocks().find(|b| b.kind() == "content")
        {
            body = content.body();
        }
        let file = inner.header.file;
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
            header: Spot {
                file,
                at: at(block.header_span()),
            },
            block,
        });
        Frame {
            schema,
            attrs: attrs.collect(),
            blocks: blocks.collect(),
            header: inner.header,
            path: format!("{path}{}.", inner.word),
            entries,
        }
    }

    /// What is wrong with an argument, and where.
    fn attribute(&self, attr: &Attr<'a>, value: &Value, frame: &Frame<'a>) -> Option<(Wrong, Spot)> {
        let Some(known) = frame.schema.attributes.get(attr.name) else {
            if !frame.schema.blocks.contains_key(attr.name) {
                return Some((Wrong::Unknown, attr.name_spot()));
            }
            // JSON writes both the same way.
            return (!self.is_json(attr)).then(|| (Wrong::Block, attr.name_spot()));
        };
        let is_id = attr.name == "id" && frame.path.is_empty() && known.need == Need::Either;
        if (known.need == Need::Computed || is_id) && !value.is_null() {
            return Some((Wrong::ReadOnly { is_id }, attr.name_spot()));
        }
        if let Err(why) = convert(value, &known.ty) {
            return Some((Wrong::Type(why), attr.value()));
        }
        (known.is_never_empty && value.as_str() == Some("")).then(|| (Wrong::Empty, attr.value()))
    }

    /// The arguments that have to be there.
    fn required(&mut self, resource: &Arc<str>, frame: &Frame<'a>, given: &Givens<'a>) {
        for (name, known) in &frame.schema.attributes {
            let is_given = given.get(name).is_some_and(|(given, _)| *given != Given::No);
            if known.need == Need::Required && !is_given {
                let at = frame.at(resource, name, frame.header);
                self.push(at, Wrong::Missing, None, true);
            }
        }
    }

    /// What is wrong with the values of the instances.
    fn values(&mut self, inst: InstIx, id: (usize, usize), decl: &Decl<'a>, schema: &'static Block) {
        let Some((open, given)) = self.open.get(&id).filter(|(open, _)| !open.is_empty()).cloned() else {
            return;
        };
        let world = self.world;
        let expansion = world.expansion(inst, id.1);
        let is_likely = world.inst(inst).heuristic || expansion.is_heuristic();
        let resource: Arc<str> = world.static_address(inst, decl).into();
        for (key, _) in expansion.instances() {
            let res = Res {
                inst,
                decl: id.1,
                key,
            };
            let mut given = given.clone();
            let mut is_likely = is_likely;
            for (name, (given, _)) in &mut given {
                // Of the arguments that are not looked at it is known that they are texts.
                if *given == Given::Open && decl.attr(name).is_some() {
                    *given = Given::Yes;
                }
            }
            let mut found: Vec<(&str, Spot, Wrong)> = Vec::new();
            for attr in &open {
                let at = |address: String| Arc::from(format!("{address}.{}", attr.name));
                world.ask(at(world.address(&res)), at(resource.to_string()));
                let (Some(value), Some(known)) =
                    (world.attribute(&res, attr.name), schema.attributes.get(attr.name))
                else {
                    continue;
                };
                is_likely |= value.has_heuristic();
                given.insert(attr.name, (given_by(&value), attr.name_spot()));
                if let Err(why) = convert(&value, &known.ty) {
                    found.push((attr.name, attr.value(), Wrong::Type(why)));
                } else if known.need == Need::Required && value.is_null() {
                    found.push((attr.name, attr.value(), Wrong::Missing));
                } else if known.is_never_empty && value.as_str() == Some("") {
                    found.push((attr.name, attr.value(), Wrong::Empty));
                }
            }
            found.extend(limits(schema, decl.header(), &given));
            for (name, spot, wrong) in found {
                let attr = open.iter().find(|attr| attr.name == name);
                // The same in one instance is enough.
                let name = attr.map_or(name, |attr| attr.name);
                if !self.reported_once(id, name, decl) {
                    continue;
                }
                let near = attr.and_then(|attr| id_of(&wrong, attr));
                let at = At {
                    resource: &resource,
                    path: "",
                    name,
                    spot,
                };
                self.push(at, wrong, near, false);
                if let Some(last) = self.found.last_mut() {
                    last.is_likely |= is_likely;
                }
            }
        }
    }

    /// Whether nothing was reported of a name so far.
    fn reported_once(&mut self, id: (usize, usize), name: &str, decl: &Decl<'a>) -> bool {
        let attrs = decl.attrs.iter().map(|attr| attr.name);
        let own = attrs
            .chain(decl.blocks.iter().map(|inner| inner.word))
            .find(|n| *n == name);
        self.reported.insert((id.0, id.1, own.unwrap_or("")))
    }

    fn is_json(&self, attr: &Attr<'a>) -> bool {
        let source = self.world.sources.get(attr.file);
        source.is_some_and(|source| is_json(self.world.cx.path(source.id).as_str()))
    }

    fn push(&mut self, at: At<'_>, wrong: Wrong, near: Option<String>, is_static: bool) {
        // What decides the order has had the same arguments in all versions; only some came to it.
        let is_settled = matches!(wrong, Wrong::Missing | Wrong::Type(_)) && at.path.is_empty();
        self.found.push(Argument {
            resource: at.resource.clone(),
            name: format!("{}{}", at.path, at.name).into(),
            place: (self.place)(at.spot),
            is_likely: !is_settled && !self.world.knows_provider(),
            is_static,
            wrong,
            near,
        });
    }
}

impl Frame<'_> {
    fn at<'p>(&'p self, resource: &'p Arc<str>, name: &'p str, spot: Spot) -> At<'p> {
        At {
            resource,
            path: &self.path,
            name,
            spot,
        }
    }
}

/// Whether an argument's value has to be looked at once it is known.
fn is_open(attr: &Attr<'_>, value: &Value, schema: &Block) -> bool {
    let Some(known) = schema.attributes.get(attr.name) else {
        return false;
    };
    let is_text =
        matches!(attr.expr.without_parens().kind(), ExprKind::Template(t) if t.as_wrapped().is_none());
    value.first_unknown().is_some() && !(is_text && known.ty == Type::String)
}

/// What cannot be given beside each other, and what has to be.
fn limits(schema: &'static Block, header: Spot, given: &Givens<'_>) -> Vec<(&'static str, Spot, Wrong)> {
    let mut found = Vec::new();
    let all = |names: &[&'static str], wanted: Given| -> Vec<&'static str> {
        let state = |name: &str| given.get(name).map_or(Given::No, |(given, _)| *given);
        names
            .iter()
            .copied()
            .filter(|name| state(name) == wanted)
            .collect()
    };
    let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    // The members of a group may each name it. Nothing is no group.
    let mut groups: BTreeSet<&[&str]> = BTreeSet::from([&[][..]]);
    let attributes = schema.attributes.iter().map(|(n, a)| (*n, &a.limits));
    let blocks = schema.blocks.iter().map(|(n, b)| (*n, &b.limits));
    for (name, limits) in attributes.chain(blocks) {
        let own = given.get(name).filter(|(given, _)| *given == Given::Yes);
        if let Some((_, spot)) = own {
            // Each of two says that it does not go with the other; one of them is enough.
            let others = all(&limits.conflicts, Given::Yes);
            if let Some(other) = others.iter().find(|other| **other < name) {
                found.push((name, *spot, Wrong::Conflict(owned(&[other]))));
            }
            let absent = all(&limits.with, Given::No);
            if !absent.is_empty() {
                let names = owned(&absent);
                found.push((name, *spot, Wrong::Needs { names, any: false }));
            }
        }
        if groups.insert(limits.one_of.as_slice()) {
            let there = all(&limits.one_of, Given::Yes);
            match there.as_slice() {
                [_] => {}
                [] if !all(&limits.one_of, Given::Open).is_empty() => {}
                [] => found.push((name, header, Wrong::OneOf(owned(&limits.one_of)))),
                [.., last] => {
                    let spot = given.get(last).map_or(header, |(_, spot)| *spot);
                    found.push((last, spot, Wrong::Conflict(owned(&there))));
                }
            }
        }
        if groups.insert(limits.any_of.as_slice())
            && all(&limits.any_of, Given::No).len() == limits.any_of.len()
        {
            let names = owned(&limits.any_of);
            found.push((name, header, Wrong::Needs { names, any: true }));
        }
    }
    found
}

/// The id of a resource that stands where a text belongs.
fn id_of(wrong: &Wrong, attr: &Attr<'_>) -> Option<String> {
    let names = attr.expr.as_names()?;
    let is_whole = names.len() == 2 && names.first().is_some_and(|ty| ty.starts_with("spacelift_"));
    (matches!(wrong, Wrong::Type(_)) && is_whole).then(|| format!("{}.id", names.join(".")))
}

fn given_by(value: &Value) -> Given {
    if value.is_null() {
        Given::No
    } else if value.as_unknown().is_some() {
        Given::Open
    } else {
        Given::Yes
    }
}

/// The name that may have been meant.
fn near(wrong: &Wrong, name: &str, schema: &Block) -> Option<String> {
    let found = match wrong {
        Wrong::Unknown => {
            let given = schema.attributes.iter().filter(|(_, a)| a.need != Need::Computed);
            nearest(name, given.map(|(name, _)| *name).chain(META.iter().copied()))
        }
        Wrong::UnknownBlock => nearest(name, schema.blocks.keys().copied()),
        _ => None,
    };
    found.map(str::to_owned)
}
