//! Which arguments and blocks of the provider's resources Terraform rejects, by the provider's schema.
//!
//! Source: Terraform 1.11, and the provider's own checks at 8565261.

mod blocks;
mod dynamic;
mod values;

use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::{Marks, Type, Value, convert};
use rustc_hash::{FxHashMap, FxHashSet};

use super::module::{Attr, Decl, Inner, Module, Spot};
use super::validate::{Around, Repeated, Validate};
use super::world::{Each, InstIx, World};
use super::{Argument, Wrong};
use crate::read::is_json;
use crate::schema::{self, Block, META, Need};

/// Checks the arguments of a module's resources and data sources of the provider, whatever the values are; returns
/// what is left to check in their instances.
pub(super) fn declared<'a>(
    validate: &Validate<'_, 'a>,
    own: &Module<'a>,
    place: &dyn Fn(Spot) -> Place,
) -> (Vec<Argument>, Vec<Left>) {
    let mut checker = Checker::new(validate.world, place);
    let mut left = Vec::new();
    for (number, decl) in own.resources.iter().enumerate() {
        let is_builtin = decl.attr("provider").is_none() && validate.is_builtin(decl.ty());
        if decl.has_gap || !is_of_provider(decl.ty()) && !is_builtin {
            continue;
        }
        let resource: Arc<str> = format!("{}{}", validate.path, decl.address()).into();
        match looked_at(decl) {
            _ if is_builtin => {
                if decl.ty() != schema::builtin(decl.is_data()) {
                    checker.unknown_type(&resource, decl);
                }
            }
            Some(schema) => left.extend(checker.declaration(validate, &resource, number, decl, schema)),
            None => checker.unknown_type(&resource, decl),
        }
    }
    for file in &own.files {
        checker.of_checks(validate, *file);
    }
    (checker.found, left)
}

/// Checks the values in all instances of what is left. `left` returns what that is for a module.
pub(super) fn values<'l>(
    world: &World<'_>,
    place: &dyn Fn(Spot) -> Place,
    left: impl Fn(usize) -> &'l [Left],
) -> Vec<Argument> {
    let mut checker = Checker::new(world, place);
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
        for left in left(module) {
            if let Some(decl) = own.resources.get(left.decl)
                && let Some(schema) = looked_at(decl)
            {
                checker.values(inst, module, left, decl, schema);
            }
        }
    }
    checker.found
}

/// What is left to check in the instances of a resource.
pub(super) struct Left {
    /// Its number in the module.
    decl: usize,
    /// The arguments whose values `terraform validate` does not know.
    open: Vec<String>,
    given: Givens,
    /// The arguments that are already reported.
    reported: Vec<String>,
    /// What is already reported in nested blocks, by place and name.
    told: Vec<(Spot, String)>,
    /// Whether there are nested blocks whose values `terraform validate` does not know.
    has_nested: bool,
}

/// Whether a type belongs to Spacelift's provider. That of the provider's own name does too, and does not exist.
fn is_of_provider(ty: &str) -> bool {
    ty == "spacelift" || ty.starts_with("spacelift_")
}

struct Checker<'c, 'a> {
    world: &'c World<'a>,
    place: &'c dyn Fn(Spot) -> Place,
    found: Vec<Argument>,
    /// By module and number of the resource: the arguments that are already reported.
    reported: FxHashMap<(usize, usize), FxHashSet<String>>,
    /// What is already reported in nested blocks, by place and name.
    told: FxHashSet<(Spot, String)>,
    /// Whether the resource has nested blocks whose values `terraform validate` does not know.
    has_nested: Cell<bool>,
    /// How many blocks dynamic ones generate in declarations.
    made: Cell<usize>,
}

/// A walk through the blocks of a resource.
struct Walk<'s, 'a> {
    resource: &'s Arc<str>,
    repeated: Repeated,
    of: Walked<'s, 'a>,
    is_likely: bool,
    /// The instance does not exist: only undeclared names are reported.
    is_silent: bool,
}

/// What the values are those of.
enum Walked<'s, 'a> {
    /// The declaration: what `terraform validate` knows.
    Declaration(&'s Validate<'s, 'a>),
    /// An instance: its module instance, its address, and what is repeated in it.
    Instance(InstIx, &'s str, &'s Each),
}

impl Walk<'_, '_> {
    const fn is_of_declaration(&self) -> bool {
        matches!(self.of, Walked::Declaration(_))
    }
}

/// A block with its schema.
struct Frame<'a> {
    schema: &'static Block,
    attrs: Vec<Attr<'a>>,
    blocks: Vec<Inner<'a>>,
    header: Spot,
    /// What precedes its arguments: `github_enterprise.`.
    path: String,
    /// What dynamic blocks around it iterate over, by the name of the iterator.
    entries: Vec<(&'a str, Value)>,
    /// Whether a dynamic block around it iterates over something unknown: then its contents are unknown and not
    /// evaluated.
    is_open: bool,
}

/// What is reported: a name in a block, and where.
struct At<'p> {
    resource: &'p Arc<str>,
    path: &'p str,
    name: &'p str,
    spot: Spot,
}

/// Which arguments and blocks of a schema are given, and where.
type Givens = FxHashMap<&'static str, (Given, Spot)>;

/// Whether something is given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Yes,
    No,
    Open,
}

impl<'c, 'a> Checker<'c, 'a> {
    fn new(world: &'c World<'a>, place: &'c dyn Fn(Spot) -> Place) -> Self {
        Self {
            world,
            place,
            found: Vec::new(),
            reported: FxHashMap::default(),
            told: FxHashSet::default(),
            has_nested: Cell::new(false),
            made: Cell::new(0),
        }
    }

    /// Records that a provider does not have the type of a resource.
    fn unknown_type(&mut self, resource: &Arc<str>, decl: &Decl<'a>) {
        let spot = Spot {
            file: decl.file,
            at: decl.facts.labels.first().map_or(decl.facts.header, |(_, at)| *at),
        };
        self.no_type(resource, (decl.is_data(), decl.ty()), spot);
    }

    fn no_type(&mut self, resource: &Arc<str>, (is_data, ty): (bool, &str), spot: Spot) {
        let known = schema::types(is_data).chain([schema::builtin(is_data)]);
        let near = nearest(ty, known).map(str::to_owned);
        let at = At {
            resource,
            path: "",
            name: ty,
            spot,
        };
        self.push(at, Wrong::UnknownType, near, true);
    }

    /// Reports what is wrong whatever the values are. Returns what is left to check, if anything is.
    fn declaration(
        &mut self,
        validate: &Validate<'_, 'a>,
        resource: &Arc<str>,
        number: usize,
        decl: &Decl<'a>,
        schema: &'static Block,
    ) -> Option<Left> {
        let frame = Frame::top(decl, schema);
        let repeated = Repeated::of(decl);
        let left = self.arguments(validate, resource, repeated, frame, |name| {
            decl.has_required(name)
        });
        left.map(|left| Left { decl: number, ..left })
    }

    /// Reports what is wrong with the arguments of a resource whatever their values are. `has` says which required ones
    /// it has.
    fn arguments(
        &mut self,
        validate: &Validate<'_, 'a>,
        resource: &Arc<str>,
        repeated: Repeated,
        frame: Frame<'a>,
        has: impl Fn(&str) -> bool,
    ) -> Option<Left> {
        let schema = frame.schema;
        let walk = Walk {
            resource,
            repeated,
            of: Walked::Declaration(validate),
            is_likely: false,
            is_silent: false,
        };
        let mut reported = Vec::new();
        let mut left = Vec::new();
        let mut given = Givens::default();
        for attr in &frame.attrs {
            if META.contains(&attr.name) {
                continue;
            }
            let value = self.inner_value(&walk, attr.expr, attr.file, &frame.entries, attr.name);
            give(&mut given, schema, attr, &value);
            let Some((wrong, spot)) = self.attribute(attr, &value, &frame) else {
                if is_open(attr, &value, schema) {
                    left.push(attr.name.to_owned());
                }
                continue;
            };
            reported.push(attr.name.to_owned());
            let near = near(&wrong, attr.name, schema).or_else(|| id_of(&wrong, attr));
            let at = frame.at(resource, attr.name, spot);
            self.push(at, wrong, near, true);
        }
        let mut open = Vec::new();
        self.blocks(&walk, &frame, &mut given, &mut open);
        for (name, known) in &schema.attributes {
            let is_given = given.get(name).is_some_and(|(given, _)| *given != Given::No);
            if known.need == Need::Required && !(is_given && has(name)) {
                let at = frame.at(resource, name, frame.header);
                self.push(at, Wrong::Missing, Some(stub(&known.ty).to_owned()), true);
            }
        }
        for (name, spot, wrong) in limits(schema, frame.header, &given) {
            reported.push(name.to_owned());
            self.push(frame.at(resource, name, spot), wrong, None, true);
        }
        self.inside(&walk, open);
        let told = std::mem::take(&mut self.told);
        let has_nested = self.has_nested.take();
        (has_nested || !left.is_empty()).then(|| Left {
            decl: 0,
            open: left,
            given,
            reported,
            told: told.into_iter().collect(),
            has_nested,
        })
    }

    /// What is wrong with the data sources of the checks in a file.
    fn of_checks(&mut self, validate: &Validate<'_, 'a>, file: usize) {
        let Some(source) = self.world.sources.get(file) else {
            return;
        };
        for (known, block) in source.facts.blocks.iter().zip(source.facts.tree.body().blocks()) {
            if block.kind() != "check" || known.has_gap {
                continue;
            }
            for inner in block.body().blocks().filter(|inner| inner.kind() == "data") {
                let labels: Vec<&str> = inner.labels().map(|label| label.text).collect();
                let [ty, name] = labels.as_slice() else { continue };
                let is_implied = inner.body().attribute("provider").is_none();
                let is_builtin = is_implied && validate.is_builtin(ty);
                if !is_of_provider(ty) && !is_builtin {
                    continue;
                }
                let resource: Arc<str> =
                    format!("{}check.{}.data.{ty}.{name}", validate.path, known.label(0)).into();
                let Some(schema) = schema::schema(true, ty) else {
                    if !is_builtin || *ty != schema::builtin(true) {
                        let at = inner
                            .labels()
                            .next()
                            .map_or(inner.header_span(), |label| label.span);
                        let spot = Spot {
                            file,
                            at: source.facts.at(at),
                        };
                        self.no_type(&resource, (true, ty), spot);
                    }
                    continue;
                };
                let header = Spot {
                    file,
                    at: source.facts.at(inner.header_span()),
                };
                let frame = self.body(inner.body(), schema, header, Vec::new());
                let names: Vec<&str> = frame.attrs.iter().map(|attr| attr.name).collect();
                self.arguments(validate, &resource, Repeated::No, frame, |name| {
                    names.contains(&name)
                });
            }
        }
    }

    /// What is wrong with an argument, and where.
    fn attribute(&self, attr: &Attr<'a>, value: &Value, frame: &Frame<'a>) -> Option<(Wrong, Spot)> {
        let Some(known) = frame.schema.attributes.get(attr.name) else {
            if !frame.schema.blocks.contains_key(attr.name) {
                return Some((Wrong::Unknown, attr.name_spot()));
            }
            // JSON writes both the same way, and null for no block.
            let is_absent = self.is_json(attr) && matches!(attr.expr.kind(), ExprKind::Null);
            return (!is_absent).then(|| (Wrong::Block, attr.name_spot()));
        };
        let is_id = attr.name == "id" && frame.path.is_empty() && known.need == Need::Either;
        if (known.need == Need::Computed || is_id) && !value.is_null() {
            return Some((Wrong::ReadOnly { is_id }, attr.name_spot()));
        }
        if value.all_marks().has(Marks::EPHEMERAL) {
            let why = "an ephemeral value would be stored".to_owned();
            return Some((Wrong::Secret(why), attr.value()));
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
        // Resources that decide the order have had the same arguments in all versions; some were only added.
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
            is_open: false,
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

/// A placeholder for a value of a type until the user writes a better one.
pub(super) fn stub(ty: &Type) -> &'static str {
    match ty {
        Type::String => "\"\"",
        Type::Number => "0",
        Type::Bool => "false",
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => "[]",
        Type::Map(_) | Type::Object(_) => "{}",
        _ => "null",
    }
}

/// Whether an argument's value must be checked once it is known.
fn is_open(attr: &Attr<'_>, value: &Value, schema: &Block) -> bool {
    let Some(known) = schema.attributes.get(attr.name) else {
        return false;
    };
    let is_text =
        matches!(attr.expr.without_parens().kind(), ExprKind::Template(t) if t.as_wrapped().is_none());
    // A value that is known to be a string has the right type.
    let is_settled = is_text && known.ty == Type::String && !known.is_never_empty;
    value.first_unknown().is_some() && !is_settled
}

/// What cannot be given together, and what has to be.
fn limits(schema: &'static Block, header: Spot, given: &Givens) -> Vec<(&'static str, Spot, Wrong)> {
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
    // The members of a group may each name it. The empty group is not a group.
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

/// The id of a resource whose name is written where a string belongs.
fn id_of(wrong: &Wrong, attr: &Attr<'_>) -> Option<String> {
    let names = attr.expr.as_names()?;
    let is_whole = names.len() == 2 && names.first().is_some_and(|ty| ty.starts_with("spacelift_"));
    (matches!(wrong, Wrong::Type(_)) && is_whole).then(|| format!("{}.id", names.join(".")))
}

/// Notes whether an argument is given.
fn give(given: &mut Givens, schema: &'static Block, attr: &Attr<'_>, value: &Value) {
    if let Some((name, _)) = schema.attributes.get_key_value(attr.name) {
        given.insert(name, (given_by(value), attr.name_spot()));
    } else if let Some((name, _)) = schema.blocks.get_key_value(attr.name) {
        given.insert(name, (given_by(value), attr.name_spot()));
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
