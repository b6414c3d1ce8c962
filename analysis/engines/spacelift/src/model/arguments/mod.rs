//! Which arguments and blocks of the provider's resources Terraform rejects, by the provider's schema.
//!
//! Source: Terraform 1.11, and the provider's own checks as it has them at 8565261.

mod blocks;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::{Type, Value, convert};
use rustc_hash::{FxHashMap, FxHashSet};

use super::module::{Attr, Decl, Inner, Module, Spot};
use super::validate::{Around, Repeated, Validate};
use super::world::{Each, InstIx, World};
use super::{Argument, Wrong};
use crate::read::is_json;
use crate::schema::{self, Block, META, Need};

/// Looks at the arguments of all resources and data sources of the provider's.
pub(super) fn check<'a>(
    world: &World<'a>,
    validate: &Validate<'_, 'a>,
    place: &dyn Fn(Spot) -> Place,
) -> Vec<Argument> {
    let mut checker = Checker {
        world,
        place,
        validate,
        found: Vec::new(),
        open: FxHashMap::default(),
        reported: FxHashSet::default(),
        told: FxHashSet::default(),
        nested: FxHashSet::default(),
    };
    let insts: Vec<_> = world
        .insts
        .borrow()
        .iter()
        .map(|i| i.module)
        .enumerate()
        .collect();
    for (number, module) in world.modules.iter().enumerate() {
        if let Some(path) = validate.path(number) {
            checker.module(number, &path, module);
        }
    }
    for (inst, module) in insts {
        let Some(own) = world.modules.get(module) else {
            continue;
        };
        for (number, decl) in own.resources.iter().enumerate() {
            if let Some(schema) = looked_at(decl) {
                checker.values(inst, (module, number), decl, schema);
            }
        }
    }
    checker.found
}

struct Checker<'c, 'a> {
    world: &'c World<'a>,
    place: &'c dyn Fn(Spot) -> Place,
    validate: &'c Validate<'c, 'a>,
    found: Vec<Argument>,
    /// By module and number of the resource: the arguments whose values `terraform validate` does not know, and what is given.
    open: FxHashMap<(usize, usize), (Vec<Attr<'a>>, Givens<'a>)>,
    /// Those that are found to be wrong.
    reported: FxHashSet<(usize, usize, &'a str)>,
    /// What was found in nested blocks, by where it is and the name.
    told: FxHashSet<(Spot, String)>,
    /// The resources with nested blocks whose values `terraform validate` does not know.
    nested: FxHashSet<(usize, usize)>,
}

/// A walk through the blocks of a resource.
struct Walk<'s> {
    /// Module and number of the resource.
    id: (usize, usize),
    resource: &'s Arc<str>,
    repeated: Repeated,
    /// The instance that is looked at with its values: its module instance, its address, and what is repeated in it.
    /// Otherwise what `terraform validate` knows counts.
    of: Option<(InstIx, &'s str, &'s Each)>,
    is_likely: bool,
    /// There is no such instance: only what is undeclared counts.
    is_silent: bool,
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
    /// What is wrong in a module whatever the values are.
    fn module(&mut self, module: usize, path: &str, own: &Module<'a>) {
        for (number, decl) in own.resources.iter().enumerate() {
            if decl.has_gap || !decl.ty().starts_with("spacelift_") {
                continue;
            }
            let resource: Arc<str> = format!("{path}{}", decl.address()).into();
            match looked_at(decl) {
                Some(schema) => self.declaration(&resource, (module, number), decl, schema),
                None => self.unknown_type(&resource, decl),
            }
        }
    }

    fn unknown_type(&mut self, resource: &Arc<str>, decl: &Decl<'a>) {
        let spot = Spot {
            file: decl.file,
            at: decl.facts.labels.first().map_or(decl.facts.header, |(_, at)| *at),
        };
        let near = nearest(decl.ty(), schema::types(decl.is_data())).map(str::to_owned);
        let at = At {
            resource,
            path: "",
            name: decl.ty(),
            spot,
        };
        self.push(at, Wrong::UnknownType, near, true);
    }

    /// What is wrong whatever the values are.
    fn declaration(
        &mut self,
        resource: &Arc<str>,
        id: (usize, usize),
        decl: &Decl<'a>,
        schema: &'static Block,
    ) {
        let walk = Walk {
            id,
            resource,
            repeated: Repeated::of(decl),
            of: None,
            is_likely: false,
            is_silent: false,
        };
        let frame = Frame::top(decl, schema);
        let mut left = Vec::new();
        let mut given: Givens<'a> = FxHashMap::default();
        for attr in &frame.attrs {
            if META.contains(&attr.name) {
                continue;
            }
            let value = self.inner_value(&walk, attr.expr, attr.file, &Vec::new(), attr.name);
            given.insert(attr.name, (given_by(&value), attr.name_spot()));
            let Some((wrong, spot)) = self.attribute(attr, &value, &frame) else {
                if is_open(attr, &value, schema) {
                    left.push(*attr);
                }
                continue;
            };
            self.reported.insert((id.0, id.1, attr.name));
            let near = near(&wrong, attr.name, schema).or_else(|| id_of(&wrong, attr));
            let at = frame.at(resource, attr.name, spot);
            self.push(at, wrong, near, true);
        }
        let mut open = Vec::new();
        self.blocks(&walk, &frame, &mut given, &mut open);
        for (name, known) in &schema.attributes {
            let is_given = given.get(name).is_some_and(|(given, _)| *given != Given::No);
            if known.need == Need::Required && !is_given {
                let at = frame.at(resource, name, frame.header);
                self.push(at, Wrong::Missing, None, true);
            }
        }
        for (name, spot, wrong) in limits(schema, frame.header, &given) {
            self.reported.insert((id.0, id.1, name));
            self.push(frame.at(resource, name, spot), wrong, None, true);
        }
        self.inside(&walk, open);
        self.open.insert(id, (left, given));
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
            is_own: false,
            wrong,
            near,
        });
    }
}

impl<'a> Frame<'a> {
    fn top(decl: &Decl<'a>, schema: &'static Block) -> Self {
        Self {
            schema,
            attrs: decl.attrs.clone(),
            blocks: decl.blocks.clone(),
            header: decl.header(),
            path: String::new(),
            entries: Vec::new(),
        }
    }

    fn at<'p>(&'p self, resource: &'p Arc<str>, name: &'p str, spot: Spot) -> At<'p> {
        At {
            resource,
            path: &self.path,
            name,
            spot,
        }
    }
}

/// What a resource or data source of the provider's takes.
fn looked_at(decl: &Decl<'_>) -> Option<&'static Block> {
    if decl.has_gap || !decl.ty().starts_with("spacelift_") {
        return None;
    }
    schema::schema(decl.is_data(), decl.ty())
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
    let limited = attributes.chain(blocks).filter(|(_, limits)| !limits.is_none());
    for (name, limits) in limited {
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
