//! What the name of a resource means, with the attributes after it.

use std::sync::Arc;

use applyorder_core::nearest::Signature;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::{Lookup, Marks, StepKind, Traversal, Type, Unknown, Value};

use super::super::fault::{FaultKind, FaultText};
use super::super::key::Key;
use super::super::module::{Attr, Decl, Inner};
use super::super::world::{Each, Expansion, Res, Symbol};
use super::{Here, attr, together, unknown, value};
use crate::schema::{Attribute, Block, Kind, Need, STACK, schema};

/// The name of the member that a step names, also in brackets.
fn member_name<'t>(traversal: &'t Traversal<'_>, at: usize) -> Option<&'t str> {
    match &traversal.steps.get(at)?.kind {
        StepKind::Attr(name) => Some(name),
        StepKind::Index(key) => key.as_str().filter(|_| !key.has_heuristic()),
    }
}

/// The value of blocks of a resource of which none is written.
fn absent(decl: &Decl<'_>, name: &str) -> Option<Value> {
    let schema = schema(false, decl.ty()).filter(|_| !decl.has_gap && !decl.is_overridden())?;
    let is_given = |inner: &Inner<'_>| inner.word == name;
    let is_absent = schema.blocks.contains_key(name) && !decl.blocks.iter().any(is_given);
    is_absent.then(|| Value::list(Vec::new(), Type::Dynamic))
}

/// Whether a value has a type that keys have.
pub(super) fn may_be_key(given: &Value) -> bool {
    let has_type = matches!(
        given.ty(),
        Type::Bool | Type::Number | Type::String | Type::Dynamic
    );
    has_type && !given.is_null()
}

/// An instance whose key is unknown, or of a type that keys do not have: then it is the evaluator that rejects it, given
/// all instances.
pub(super) fn of_unknown_key(
    given: &Value,
    traversal: &Traversal<'_>,
    at: usize,
    all: impl FnOnce() -> Value,
) -> Lookup {
    if !may_be_key(given) {
        return value(all(), at);
    }
    match given.as_unknown() {
        // The evaluator continues from the key, which may not be that of an instance.
        Some(key) if key.is_read => value(Value::unknown(&key.why).read(), at),
        key => unknown(
            key.map_or("its key is invalid", |key| &*key.why),
            traversal.steps.len(),
        ),
    }
}

/// The type of a whole resource. Whether blocks are a list or a set is not in the schema.
fn object_of(schema: &Block) -> Type {
    let attributes = schema.attributes.iter();
    let attributes = attributes.map(|(name, attribute)| (Arc::from(*name), attribute.ty.clone()));
    let blocks = schema.blocks.keys();
    let blocks = blocks.map(|name| (Arc::from(*name), Type::List(Arc::new(Type::Dynamic))));
    Type::Object(Arc::new(attributes.chain(blocks).collect()))
}

impl Here<'_, '_> {
    /// `TYPE.name` and `data.TYPE.name`.
    pub(super) fn resource(&self, traversal: &Traversal<'_>, data: bool) -> Lookup {
        let (ty, at) = if data {
            (attr(traversal, 0), 2)
        } else {
            (Some(traversal.root), 1)
        };
        let (Some(ty), Some(name)) = (ty, attr(traversal, at - 1)) else {
            return unknown("what it means is unknown", traversal.steps.len());
        };
        let Some(module) = self.own() else {
            return unknown("the module cannot be read", at);
        };
        let Some(number) = module.resource(data, ty, name) else {
            if module.has_gap || !ty.starts_with("spacelift_") {
                return unknown("it is declared elsewhere", traversal.steps.len());
            }
            let path = &self.world.inst(self.inst).path;
            return self.world.missing(FaultText::undeclared(
                module,
                &self.world.compared,
                path,
                (data, ty, name),
            ));
        };
        let Some(decl) = module.resources.get(number) else {
            return unknown("it cannot be read", at);
        };
        if !decl.ty().starts_with("spacelift_") {
            return self.of_others(traversal, number, decl, at);
        }
        self.instance(traversal, number, decl, at)
    }

    /// The key of an instance that is given in brackets, and whether its existence is only likely; `None` if it is
    /// unknown.
    ///
    /// # Errors
    /// The instance does not exist.
    pub(super) fn key(
        &self,
        expansion: &Expansion,
        given: &Value,
        decl: &Decl<'_>,
    ) -> Result<Option<(Key, bool)>, FaultText> {
        let Expansion::Known {
            counted,
            keys,
            by_key,
            heuristic,
            place,
            signatures,
        } = expansion
        else {
            return Ok(None);
        };
        // A key that is not a number names no instance of `count`.
        let index = Some(given).filter(|_| *counted).and_then(Key::index);
        let Some(key) = index.or_else(|| Key::name(given)) else {
            return Ok(None);
        };
        let likely = *heuristic || given.has_heuristic();
        if by_key.contains_key(&key) {
            return Ok(Some((key, likely)));
        }
        let (near, word) = match &key {
            Key::Str(text) => {
                let name = |at: usize| match keys.get(at) {
                    Some((Key::Str(text), _)) => &**text,
                    _ => "",
                };
                let near = (!*counted).then(|| {
                    let all = || (0..keys.len()).map(|at| Signature::of(name(at))).collect();
                    let signatures = signatures.get_or_init(all);
                    self.world.compared.nearest_of(text, signatures, name)
                });
                (near.flatten(), text.to_string())
            }
            key => (None, key.to_string()),
        };
        let address = self.world.static_address(self.inst, decl);
        let text = FaultText::new(FaultKind::UnknownInstance, format!("{address}{key}"));
        let text = text.near(&word, near).related(*place, "these are its instances");
        Err(text.likely(likely))
    }

    /// The step at `at` is the first after the name of a resource of Spacelift.
    fn instance(&self, traversal: &Traversal<'_>, number: usize, decl: &Decl<'_>, at: usize) -> Lookup {
        let world = self.world;
        let address = || world.static_address(self.inst, decl);
        let res = |key: Key| Res {
            inst: self.inst,
            decl: number,
            key,
        };
        let next = traversal.steps.get(at).map(|step| &step.kind);
        match (&*world.expansion(self.inst, number), next) {
            (Expansion::Single, Some(StepKind::Index(key))) => {
                let shown = Key::index(key).or_else(|| Key::name(key));
                let shown = shown.map_or_else(String::new, |key| key.to_string());
                let text = FaultText::new(FaultKind::UnexpectedInstanceKey, address())
                    .near(&shown, Some(""))
                    .related(decl.name_spot(), "it has neither `count` nor `for_each`")
                    .behind_key(true);
                world.missing(text)
            }
            (Expansion::Single, _) => self.attribute(traversal, &res(Key::None), decl, at),
            (
                expansion @ (Expansion::Known { counted, .. } | Expansion::Unknown { counted, .. }),
                Some(StepKind::Attr(_)),
            ) => {
                let word = if *counted { "count" } else { "for_each" };
                // A block without instances does not have a key of its own.
                let only = match expansion {
                    Expansion::Known { keys, .. } if keys.len() == 1 => {
                        keys.first().map(|(k, _)| k.to_string())
                    }
                    _ => None,
                };
                let added = match self.each {
                    Each::Count(_) if *counted => Some("[count.index]"),
                    Each::Item(..) if !*counted => Some("[each.key]"),
                    Each::Open(_) => Some(if *counted { "[count.index]" } else { "[each.key]" }),
                    _ => only.as_deref(),
                };
                let place = match expansion {
                    Expansion::Known { place, .. } | Expansion::Unknown { place, .. } => *place,
                    Expansion::Single => decl.header(),
                };
                let text = FaultText::new(FaultKind::MissingInstanceKey, address())
                    .near("", added)
                    .related(place, format!("it has `{word}`"));
                world.missing(text)
            }
            (expansion @ Expansion::Known { .. }, Some(StepKind::Index(given))) => {
                match self.key(expansion, given, decl) {
                    Ok(Some((key, likely))) => match self.attribute(traversal, &res(key), decl, at + 1) {
                        Lookup::Value { value: found, steps } => value(found.likely(likely), steps),
                        missing => missing,
                    },
                    Ok(None) => {
                        of_unknown_key(given, traversal, at, || self.objects(expansion, number, decl))
                    }
                    Err(text) => world.missing(text),
                }
            }
            (expansion @ Expansion::Known { .. }, None) => value(self.objects(expansion, number, decl), at),
            (Expansion::Unknown { counted, why, .. }, Some(StepKind::Index(given))) => {
                let key = if *counted {
                    Key::index(given)
                } else {
                    Key::name(given)
                };
                match key {
                    // Which instances exist is unknown, but this one is meant.
                    Some(key) if !given.has_heuristic() => self.attribute(traversal, &res(key), decl, at + 1),
                    _ => unknown(why, traversal.steps.len()),
                }
            }
            (Expansion::Unknown { why, .. }, None) => unknown(why, at),
        }
    }

    /// An attribute of an instance, or all of it if no step is left.
    fn attribute(&self, traversal: &Traversal<'_>, res: &Res, decl: &Decl<'_>, at: usize) -> Lookup {
        if traversal.steps.len() <= at {
            return value(self.object(res, decl), at);
        }
        let Some(name) = member_name(traversal, at) else {
            // Its value decides whether it has such a member.
            return value(self.object(res, decl), at);
        };
        let is_behind_key = res.key != Key::None || attr(traversal, at).is_none();
        match self.member(res, decl, name) {
            Some(found) => value(found, at + 1),
            None => {
                let schema = schema(decl.is_data(), decl.ty());
                let known = schema
                    .iter()
                    .flat_map(|s| s.attributes.keys().chain(s.blocks.keys()));
                let near = nearest(name, known.copied());
                let subject = format!("{}.{name}", self.world.address(res));
                let text = FaultText::new(FaultKind::UnsupportedAttribute, subject).near(name, near);
                let text = text.likely(!self.world.knows_provider());
                self.world.missing(text.behind_key(is_behind_key))
            }
        }
    }

    /// An attribute of an instance; `None` if it has none with that name.
    fn member(&self, res: &Res, decl: &Decl<'_>, name: &str) -> Option<Value> {
        let value = self.unmarked(res, decl, name)?;
        Some(self.noted(decl, name, value))
    }

    /// The schema of a declaration, if it is that of the provider's version.
    pub(super) fn known_schema(&self, decl: &Decl<'_>) -> Option<&'static Block> {
        schema(decl.is_data(), decl.ty()).filter(|_| self.world.knows_provider())
    }

    /// An attribute in that schema.
    pub(super) fn known_attribute(&self, decl: &Decl<'_>, name: &str) -> Option<&'static Attribute> {
        self.known_schema(decl)?.attributes.get(name)
    }

    /// The type of an attribute in that schema.
    fn known_type(&self, decl: &Decl<'_>, name: &str) -> Type {
        let known = self.known_attribute(decl, name);
        known.map_or(Type::Dynamic, |attribute| attribute.ty.clone())
    }

    /// Adds the mark that the schema gives an attribute. Terraform knows it only when it plans.
    fn noted(&self, decl: &Decl<'_>, name: &str, value: Value) -> Value {
        let attribute = self.known_attribute(decl, name);
        match attribute.is_some_and(|attribute| attribute.is_sensitive) {
            true => value.marked(Marks::SENSITIVE),
            false => value,
        }
    }

    fn unmarked(&self, res: &Res, decl: &Decl<'_>, name: &str) -> Option<Value> {
        let world = self.world;
        let kind = Kind::of(decl.ty());
        if let Some(schema) = schema(decl.is_data(), decl.ty())
            && !schema.attributes.contains_key(name)
            && !schema.blocks.contains_key(name)
        {
            return None;
        }
        if decl.is_data() {
            return Some(match (decl.ty(), name) {
                (STACK, "id" | "stack_id") => world.data_id(res),
                ("spacelift_current_stack", "id") => {
                    let id = world.symbol(Symbol::Id(res.clone()), "it is the stack that runs this code");
                    id.read()
                }
                _ => {
                    let why = format!("`{}` is looked up when Terraform runs", decl.address());
                    let schema = self.known_schema(decl);
                    let is_block = schema.is_some_and(|schema| schema.blocks.contains_key(name));
                    let ty = match is_block {
                        true => Type::List(Arc::new(Type::Dynamic)),
                        false => self.known_type(decl, name),
                    };
                    Value::from(Unknown::new(&why, ty)).read()
                }
            });
        }
        if let Some(absent) = absent(decl, name) {
            return Some(absent);
        }
        let by_provider = |attribute: &str| {
            let why = format!(
                "`{}.{attribute}` is known only once it is applied",
                decl.address()
            );
            Value::from(Unknown::new(&why, self.known_type(decl, attribute)))
        };
        let is_followed = kind != Kind::Variable && kind != Kind::Other;
        if name == "id" && !is_followed {
            return Some(by_provider(name));
        }
        if name == "slug"
            && kind == Kind::Stack
            && let Some(slug) = world.written_slug(res)
        {
            return Some(self.created(decl, name, slug));
        }
        if name == "id" || (name == "slug" && kind == Kind::Stack) {
            let why = format!("`{}.{name}` is known only once it is applied", decl.address());
            return Some(world.symbol(Symbol::Id(res.clone()), &why));
        }
        if name == "name" && kind == Kind::Stack {
            let why = format!("`{}.name` is not known", decl.address());
            let symbol = world.symbol(Symbol::Name(res.clone()), &why);
            return Some(self.created(decl, name, world.name_value(res, symbol)));
        }
        if let Some(blocks) = self.planned_blocks(res, name) {
            return Some(blocks);
        }
        let given = match world.attribute(res, name) {
            Some(given) if given.is_null() => {
                let unset = self.planned_unset(decl, name);
                unset.map(|unset| unset.likely(given.has_heuristic()))
            }
            Some(given) => self.planned(decl, name, given),
            None => self.planned_unset(decl, name),
        };
        let schema = schema(false, decl.ty());
        let need = schema.and_then(|schema| Some(schema.attributes.get(name)?.need));
        let is_block = schema.is_some_and(|schema| schema.blocks.contains_key(name));
        // Terraform knows when it plans what the provider does not compute.
        let is_planned = is_block || matches!(need, Some(Need::Optional | Need::Required));
        Some(given.unwrap_or_else(|| match is_planned {
            true => {
                let why = format!(
                    "what the provider makes of `{}.{name}` is unknown",
                    decl.address()
                );
                Value::from(Unknown::new(&why, self.known_type(decl, name))).read()
            }
            false => by_provider(name),
        }))
    }

    /// `self` in a condition of an instance, with what follows it.
    pub(super) fn itself(&self, traversal: &Traversal<'_>) -> Lookup {
        let all = traversal.steps.len();
        let Some((res, decl)) = self.own.and_then(|res| Some((res, self.world.decl(res)?))) else {
            return unknown("`self` is known only when it is there", all);
        };
        let found = member_name(traversal, 0).and_then(|name| match decl.ty().starts_with("spacelift_") {
            true => self.member(res, decl, name),
            false => self.of_own_data(res, decl, name),
        });
        // An attribute that does not exist is reported elsewhere.
        match found {
            Some(found) => value(found, 1),
            None => unknown("what comes of the resource is not known", all),
        }
    }

    /// Whether the schema declares some attribute sensitive.
    fn has_secrets(&self, decl: &Decl<'_>) -> bool {
        let schema = self.known_schema(decl);
        schema.is_some_and(|schema| schema.attributes.values().any(|attribute| attribute.is_sensitive))
    }

    /// All instances together.
    fn objects(&self, expansion: &Expansion, number: usize, decl: &Decl<'_>) -> Value {
        together(expansion, |_, key| {
            let res = Res {
                inst: self.inst,
                decl: number,
                key: key.clone(),
            };
            self.object(&res, decl)
        })
    }

    /// All of an instance. Only the attributes that are set, and those that identify stacks, are known. It has all
    /// attributes of the schema, because what it lacks is an error.
    fn object(&self, res: &Res, decl: &Decl<'_>) -> Value {
        let kind = Kind::of(decl.ty());
        let is_looked_up = decl.is_data() || matches!(kind, Kind::Variable | Kind::Other);
        let looked_up = || Value::unknown("it is looked up when Terraform runs").read();
        let whole = || match self.known_schema(decl) {
            Some(schema) => {
                let unknown = Unknown::new("it is looked up when Terraform runs", object_of(schema));
                Value::from(unknown).read()
            }
            None => looked_up(),
        };
        let Some(schema) = schema(decl.is_data(), decl.ty()) else {
            return looked_up();
        };
        let identifies = |name: &str| {
            let id = self.member(res, decl, name);
            id.is_some_and(|id| id.as_unknown().is_some_and(|unknown| unknown.symbol.is_some()))
        };
        let is_marked = |attr: &Attr<'_>| {
            let given = self.world.attribute(res, attr.name);
            given.is_some_and(|given| !given.all_marks().is_empty())
        };
        let has_secrets = || self.has_secrets(decl) || decl.attrs.iter().any(is_marked);
        let matters = || has_secrets() || ["id", "stack_id"].into_iter().any(identifies);
        if is_looked_up && !(self.world.knows_provider() && matters()) {
            return whole();
        }
        let names = schema.attributes.keys().chain(schema.blocks.keys());
        let fields = names.filter_map(|name| {
            let leads = matches!(*name, "id" | "slug" | "name" | "stack_id" | "depends_on_stack_id");
            let own = if leads || decl.attr(name).is_some() || schema.blocks.contains_key(name) {
                self.member(res, decl, name)?
            } else if let Some(default) = self.planned_default(decl, name) {
                self.noted(decl, name, default)
            } else if decl.is_data() {
                self.noted(decl, name, looked_up())
            } else {
                let why = "only some attributes of a whole resource are looked at";
                let open = Unknown::new(why, self.known_type(decl, name));
                self.noted(decl, name, open.into())
            };
            Some((Arc::from(*name), own))
        });
        Value::object(fields.collect())
    }
}
