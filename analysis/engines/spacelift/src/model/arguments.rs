//! Which arguments and blocks of the provider's resources Terraform rejects, by the provider's schema.
//!
//! Source: Terraform 1.11, and the provider's own checks as it has them at 8565261.

use std::collections::BTreeSet;
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
use crate::schema::{self, Block, Kind, META, META_BLOCKS, Need};

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
    /// By the same: the arguments whose values `terraform validate` does not know.
    open: FxHashMap<(usize, usize), Vec<(Attr<'a>, &'static Type)>>,
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
}

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
            if decl.decides() != Kind::Other {
                self.values(inst, (module, number), decl);
            }
        }
    }

    fn unknown_type(&mut self, inst: InstIx, decl: &Decl<'a>) {
        let resource: Arc<str> = self.world.static_address(inst, decl).into();
        let spot = Spot {
            file: decl.file,
            at: decl.facts.labels.first().map_or(decl.facts.header, |(_, at)| *at),
        };
        let near = nearest(decl.ty(), schema::types(decl.is_data())).map(str::to_owned);
        self.push(&resource, "", decl.ty(), spot, Wrong::UnknownType, near);
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
        }];
        while let Some(frame) = open.pop() {
            let is_top = frame.path.is_empty();
            let mut given: FxHashMap<&str, (Given, Spot)> = FxHashMap::default();
            for attr in &frame.attrs {
                if is_top && META.contains(&attr.name) {
                    continue;
                }
                let value = self.validate.eval(inst, attr.expr, attr.file);
                given.insert(attr.name, (given_by(&value), attr.name_spot()));
                let wrong = self.attribute(attr, &value, &frame);
                if wrong.is_none() && is_top {
                    self.leave_open(id, attr, &value, frame.schema);
                }
                if let Some((wrong, spot)) = wrong {
                    if is_top {
                        self.reported.insert((id.0, id.1, attr.name));
                    }
                    let near = near(&wrong, attr.name, frame.schema).or_else(|| self.id_of(&wrong, attr));
                    self.push(&resource, &frame.path, attr.name, spot, wrong, near);
                }
            }
            let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
            for inner in &frame.blocks {
                if is_top && META_BLOCKS.contains(&inner.word) {
                    continue;
                }
                let Some(nested) = frame.schema.blocks.get(inner.word) else {
                    let wrong = if frame.schema.attributes.contains_key(inner.word) {
                        Wrong::NoBlock
                    } else {
                        Wrong::UnknownBlock
                    };
                    let near = near(&wrong, inner.word, frame.schema);
                    self.push(&resource, &frame.path, inner.word, inner.header, wrong, near);
                    continue;
                };
                if inner.is_dynamic() {
                    given.entry(inner.word).or_insert((Given::Open, inner.header));
                    continue;
                }
                given.insert(inner.word, (Given::Yes, inner.header));
                let count = counts.entry(inner.word).or_default();
                *count += 1;
                if *count == nested.most.saturating_add(1) {
                    let wrong = Wrong::TooMany(nested.most);
                    self.push(&resource, &frame.path, inner.word, inner.header, wrong, None);
                }
                open.push(self.inside(inner, &nested.block, &frame.path));
            }
            self.missing(&resource, &frame, &given);
            self.limits(&resource, &frame, &given);
        }
    }

    /// The inside of a block.
    fn inside(&self, inner: &Inner<'a>, schema: &'static Block, path: &str) -> Frame<'a> {
        let file = inner.header.file;
        let facts = self.world.sources.get(file).map(|source| &source.facts);
        let at = |span| facts.map_or(0, |facts| facts.at(span));
        let attrs = inner.block.body().attributes().map(|attribute| Attr {
            name: attribute.name(),
            expr: attribute.value(),
            file,
            name_at: at(attribute.name_span()),
            value_at: at(attribute.value().span()),
        });
        let blocks = inner.block.body().blocks().map(|block| Inner {
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
            return Some((Wrong::Type { why, is_static: true }, attr.value()));
        }
        (known.is_never_empty && value.as_str() == Some("")).then(|| (Wrong::Empty, attr.value()))
    }

    /// Notes an argument whose value is looked at once it is known.
    fn leave_open(&mut self, id: (usize, usize), attr: &Attr<'a>, value: &Value, schema: &'static Block) {
        let Some(known) = schema.attributes.get(attr.name) else {
            return;
        };
        let is_text =
            matches!(attr.expr.without_parens().kind(), ExprKind::Template(t) if t.as_wrapped().is_none());
        if value.first_unknown().is_some() && !(is_text && known.ty == Type::String) {
            self.open.entry(id).or_default().push((*attr, &known.ty));
        }
    }

    /// The arguments that have to be there.
    fn missing(&mut self, resource: &Arc<str>, frame: &Frame<'a>, given: &FxHashMap<&str, (Given, Spot)>) {
        for (name, known) in &frame.schema.attributes {
            let is_given = given.get(name).is_some_and(|(given, _)| *given != Given::No);
            if known.need == Need::Required && !is_given {
                self.push(resource, &frame.path, name, frame.header, Wrong::Missing, None);
            }
        }
    }

    /// What cannot be given beside each other, and what has to be.
    fn limits(&mut self, resource: &Arc<str>, frame: &Frame<'a>, given: &FxHashMap<&str, (Given, Spot)>) {
        let state = |name: &str| given.get(name).map_or(Given::No, |(given, _)| *given);
        let all = |names: &[&str], wanted: Given| -> Vec<String> {
            let found = names.iter().filter(|name| state(name) == wanted);
            found.map(|name| (*name).to_owned()).collect()
        };
        // The members of a group may each name it. Nothing is no group.
        let mut groups: BTreeSet<&[&str]> = BTreeSet::from([&[][..]]);
        let attributes = frame.schema.attributes.iter().map(|(n, a)| (*n, &a.limits));
        let blocks = frame.schema.blocks.iter().map(|(n, b)| (*n, &b.limits));
        for (name, limits) in attributes.chain(blocks) {
            let own = given.get(name).filter(|(given, _)| *given == Given::Yes);
            if let Some((_, spot)) = own {
                // Each of two says that it does not go with the other; one of them is enough.
                let others = all(&limits.conflicts, Given::Yes);
                if let Some(other) = others.iter().find(|other| other.as_str() < name) {
                    let wrong = Wrong::Conflict(vec![other.clone()]);
                    self.push(resource, &frame.path, name, *spot, wrong, None);
                }
                let absent = all(&limits.with, Given::No);
                if !absent.is_empty() {
                    let wrong = Wrong::Needs {
                        names: absent,
                        any: false,
                    };
                    self.push(resource, &frame.path, name, *spot, wrong, None);
                }
            }
            if groups.insert(limits.one_of.as_slice()) && all(&limits.one_of, Given::Open).is_empty() {
                let there = all(&limits.one_of, Given::Yes);
                let wrong = match there.as_slice() {
                    [_] => None,
                    [] => {
                        let names = limits.one_of.iter().map(|n| (*n).to_owned()).collect();
                        Some((frame.header, Wrong::OneOf(names)))
                    }
                    [.., last] => given
                        .get(last.as_str())
                        .map(|(_, spot)| (*spot, Wrong::Conflict(there.clone()))),
                };
                if let Some((spot, wrong)) = wrong {
                    self.push(resource, &frame.path, name, spot, wrong, None);
                }
            }
            if groups.insert(limits.any_of.as_slice())
                && all(&limits.any_of, Given::No).len() == limits.any_of.len()
            {
                let names = limits.any_of.iter().map(|n| (*n).to_owned()).collect();
                let wrong = Wrong::Needs { names, any: true };
                self.push(resource, &frame.path, name, frame.header, wrong, None);
            }
        }
    }

    /// What is wrong with the values of the instances.
    fn values(&mut self, inst: InstIx, id: (usize, usize), decl: &Decl<'a>) {
        let Some(open) = self.open.get(&id).filter(|open| !open.is_empty()).cloned() else {
            return;
        };
        let world = self.world;
        let expansion = world.expansion(inst, id.1);
        let is_likely = world.inst(inst).heuristic || expansion.is_heuristic();
        for (attr, ty) in open {
            for (key, _) in expansion.instances() {
                if self.reported.contains(&(id.0, id.1, attr.name)) {
                    break;
                }
                let res = Res {
                    inst,
                    decl: id.1,
                    key,
                };
                let at = |address: String| Arc::from(format!("{address}.{}", attr.name));
                world.ask(at(world.address(&res)), at(world.static_address(inst, decl)));
                let Some(value) = world.attribute(&res, attr.name) else {
                    continue;
                };
                let Err(why) = convert(&value, ty) else { continue };
                self.reported.insert((id.0, id.1, attr.name));
                let wrong = Wrong::Type {
                    why,
                    is_static: false,
                };
                let near = self.id_of(&wrong, &attr);
                let resource: Arc<str> = world.static_address(inst, decl).into();
                self.push(&resource, "", attr.name, attr.value(), wrong, near);
                if let Some(last) = self.found.last_mut() {
                    last.is_likely |= is_likely || value.has_heuristic();
                }
            }
        }
    }

    /// The id of a resource that stands where a text belongs.
    fn id_of(&self, wrong: &Wrong, attr: &Attr<'a>) -> Option<String> {
        let names = attr.expr.as_names()?;
        let is_whole = names.len() == 2 && names.first().is_some_and(|ty| ty.starts_with("spacelift_"));
        (matches!(wrong, Wrong::Type { .. }) && is_whole).then(|| format!("{}.id", names.join(".")))
    }

    fn is_json(&self, attr: &Attr<'a>) -> bool {
        let source = self.world.sources.get(attr.file);
        source.is_some_and(|source| is_json(self.world.cx.path(source.id).as_str()))
    }

    fn push(
        &mut self,
        resource: &Arc<str>,
        path: &str,
        name: &str,
        spot: Spot,
        wrong: Wrong,
        near: Option<String>,
    ) {
        // What decides the order has had the same arguments in all versions; only some came to it.
        let is_settled = matches!(wrong, Wrong::Missing | Wrong::Type { .. }) && path.is_empty();
        self.found.push(Argument {
            resource: resource.clone(),
            name: format!("{path}{name}").into(),
            place: (self.place)(spot),
            is_likely: !is_settled && !self.world.knows_provider(),
            wrong,
            near,
        });
    }
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
