//! `import`: what is imported, and where to.
//!
//! Source: Terraform 1.11, `validateImportTargets`; OpenTofu 1.10, `decodeImportBlock`.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{Data, Marks, Number, Type, Value, convert};
use applyorder_syntax::hcl::{Block, Expr, ExprKind};

use super::super::Wrong;
use super::super::key::Key;
use super::super::module::Decl;
use super::super::written_address::{self, Address, Keys, NO_KEY, Resource};
use super::bodies::Open;
use super::providers::{Config, before_key};
use super::references::{Named, Step, named};
use super::walk::{Scene, Walk, scene};
use super::{Repeated, own, repetition, secrets};

/// The maximum number of entries that are checked.
pub(in super::super) const MOST_ENTRIES: usize = 1_000;

impl<'a> Walk<'_, '_, 'a> {
    pub(super) fn import(&mut self, block: Block<'a>, file: usize, header: Place) {
        self.block_takes(&own::IMPORT, ("import", String::new()), block, file, header);
        let attribute = |name: &str| block.body().attribute(name).map(|a| a.value());
        let (id, to) = (attribute("id"), attribute("to"));
        // Versions after 1.11 know an identity as well.
        if id.is_none() && attribute("identity").is_none() {
            self.tell("import", "id", header, Wrong::Missing, None);
        }
        let Some(to) = to else {
            return self.tell("import", "to", header, Wrong::Missing, None);
        };
        if !self.validate.world.is_tofu() {
            return self.imported(block, file, to);
        }
        match written_address::read(to, Keys::Any, true) {
            Err(why) => self.say_of("import", "to", to, file, why),
            Ok(address) if address.resource.is_none() => {
                self.say_of("import", "to", to, file, "a resource is required");
            }
            Ok(address) => {
                if let Some(provider) = attribute("provider")
                    && let Some(why) = self.not_its_provider(&address, provider)
                {
                    self.say_of("import", "provider", provider, file, why);
                }
                self.of_plan(|walk| walk.imported(block, file, to));
            }
        }
    }

    /// Why an `import` cannot name a provider: that of a resource is what the resource itself names.
    ///
    /// Source: OpenTofu 1.10, `decodeImportBlock` and `addProviderRequirements`.
    fn not_its_provider(&self, address: &Address<'_>, provider: Expr<'_>) -> Option<&'static str> {
        if !address.calls.is_empty() {
            return Some("the resource gets its provider from its module");
        }
        let target = address.resource.as_ref().filter(|own| own.sort.is_none())?;
        let own = self.validate.own()?;
        let decl = own.resources.get(own.resource(false, target.ty, target.name)?)?;
        let of = |expr| Config::read(before_key(expr).unwrap_or(expr));
        let named = decl.attr("provider").map(|attr| of(attr.expr));
        let is_other = !decl.has_gap && named.is_none_or(|named| named.is_some() && named != of(provider));
        is_other.then_some("the resource has to name the same provider")
    }

    /// What is imported, and where to. OpenTofu looks at it only when it plans.
    ///
    /// Source: OpenTofu 1.10, `ExpandAndResolveImport`.
    fn imported(&mut self, block: Block<'a>, file: usize, to: Expr<'a>) {
        let is_tofu = self.validate.world.is_tofu();
        let attribute = |name: &str| block.body().attribute(name).map(|a| a.value());
        let id = attribute("id");
        let target = match self.import_target(to, import_keys(block, is_tofu)) {
            Ok(target) => target,
            Err(why) => return self.say_of("import", "to", to, file, why),
        };
        if let Some(id) = id
            && !is_tofu
            && named(id, 0).iter().any(|name| names(name, &target.resource))
        {
            return self.say_of("import", "id", id, file, "it must not refer to what is imported");
        }
        let scene = scene(Repeated::No, "import");
        let open = Open::new(block, file);
        let Some(each) = attribute("for_each") else {
            let key = match target.resource.key.is_none() {
                true => self.import_key(&scene, to, file, &open),
                false => Ok(target.resource.key.clone()),
            };
            if let Err(why) = key.and_then(|key| target.takes(&key)) {
                self.say_of("import", "to", to, file, why);
            }
            return self.import_id(&scene, id, file, &open);
        };
        let entries = self.eval(&scene, "for_each", each, file, &open);
        let marks = entries.marks;
        if is_tofu {
            let is_tuple = matches!(entries.ty(), Type::Tuple(_)) && !entries.is_null();
            let refused = match repetition::repeats("for_each", &entries, true) {
                Err(why) if !is_tuple => Some(why),
                _ => secrets::of_repetition("for_each", &entries).map(str::to_owned),
            };
            if let Some(why) = refused {
                return self.say_of("import", "for_each", each, file, &why);
            }
        }
        if let Some(unknown) = entries.as_unknown() {
            // Nothing else is checked then.
            if !unknown.known.is_followed() {
                let spot = self.spot(file, each.span());
                self.validate.leave_open(spot, &unknown.why);
            }
            return;
        }
        if marks.has(Marks::EPHEMERAL) {
            return self.say_of("import", "for_each", each, file, "it must not be ephemeral");
        }
        let Some(entries) = entries_of(&entries) else {
            return self.say_of("import", "for_each", each, file, "a collection is required");
        };
        let scene = Scene {
            repeated: Repeated::Each,
            ..scene
        };
        for (key, value) in entries.into_iter().take(MOST_ENTRIES) {
            let mut open = Open::new(block, file);
            let fields = BTreeMap::from([(Arc::from("key"), key), (Arc::from("value"), value.marked(marks))]);
            open.names.push(("each", Value::object(fields)));
            let key = match &target.resource.key {
                None => match self.import_key(&scene, to, file, &open) {
                    Ok(key) => key,
                    Err(why) => return self.say_of("import", "to", to, file, why),
                },
                constant => constant.clone(),
            };
            if let Err(why) = target.takes(&key) {
                self.say_of("import", "to", to, file, why);
            }
            self.import_id(&scene, id, file, &open);
        }
    }

    fn import_id(&mut self, scene: &Scene<'_>, id: Option<Expr<'a>>, file: usize, open: &Open<'a>) {
        let Some(id) = id else { return };
        let is_tofu = self.validate.world.is_tofu();
        let value = self.eval(scene, "id", id, file, open);
        let spot = self.spot(file, id.span());
        self.validate.leave_open_unfollowed(&value, spot);
        match convert(&value, &Type::String) {
            Err(why) => self.say_of("import", "id", id, file, &why),
            Ok(value) if value.is_null() => {
                self.say_of("import", "id", id, file, "it must not be null");
            }
            Ok(value) if value.as_str() == Some("") && !is_tofu => {
                self.say_of("import", "id", id, file, "it must not be empty");
            }
            Ok(value) if value.marks.has(Marks::SENSITIVE) && is_tofu => {
                self.say_of("import", "id", id, file, "it must not be sensitive");
            }
            Ok(_) => {}
        }
    }

    /// The key of what is imported for one entry, where it is known.
    ///
    /// # Errors
    /// What is wrong with it.
    fn import_key(
        &self,
        scene: &Scene<'_>,
        to: Expr<'a>,
        file: usize,
        open: &Open<'a>,
    ) -> Result<Option<Key>, &'static str> {
        let ExprKind::Index { key, .. } = to.kind() else {
            return Ok(None);
        };
        let key = self.eval(scene, "to", key, file, open);
        if key.marks.has(Marks::SENSITIVE) {
            return Err("its key must not be sensitive");
        }
        let may_be_key = key.as_unknown().is_some() || key.as_number().is_some();
        match Key::of_address(&key) {
            None if !may_be_key => Err(NO_KEY),
            key => Ok(key),
        }
    }

    /// What an address names; or why nothing can be imported to it, the end of a sentence.
    fn import_target(&self, to: Expr<'a>, keys: Keys) -> Result<Target<'a>, &'static str> {
        let world = self.validate.world;
        let is_tofu = world.is_tofu();
        let Address { calls, resource } = written_address::read(to, keys, is_tofu)?;
        let Some(resource) = resource.filter(|own| own.sort.is_none()) else {
            return Err("a resource is required");
        };
        if keys == Keys::Any && !is_tofu {
            let is_call = |expr: Expr<'_>| matches!(expr.kind(), ExprKind::Call(_));
            if to.walk().any(is_call) {
                return Err("no function may be called here");
            }
            let mut in_keys = named(to, 0).into_iter().skip(1);
            let is_each =
                |name: Named<'_>| name.root == "each" && matches!(name.first(), Some("key" | "value"));
            if !in_keys.all(is_each) {
                return Err("only `each.key` and `each.value` may be referred to here");
            }
        }
        let unread = |resource| Target {
            resource,
            repeated: None,
        };
        let mut number = self.validate.number;
        let own = |number: usize| world.modules.get(number).filter(|own| !own.has_gap);
        for (name, _) in &calls {
            let Some(module) = own(number) else {
                return Ok(unread(resource));
            };
            let Some(call) = module.call(name).and_then(|at| module.calls.get(at)) else {
                return Err("unknown module");
            };
            let Some(called) = world.called_module(number, call) else {
                return Ok(unread(resource));
            };
            number = called;
        }
        let Some(module) = own(number) else {
            return Ok(unread(resource));
        };
        let decl = module.resource(false, resource.ty, resource.name);
        let decl = decl.and_then(|at| module.resources.get(at));
        if decl.is_none() && !calls.is_empty() {
            return Err("unknown resource in the module");
        }
        if is_tofu {
            // That it has an instance is checked with values.
            return Ok(unread(resource));
        }
        // Terraform may write the configuration of a resource of the root.
        let repeated = Some(decl.map_or(Repeated::No, |decl: &Decl<'_>| Repeated::of(decl)));
        Ok(Target { resource, repeated })
    }
}

/// What is imported to.
struct Target<'t> {
    resource: Resource<'t>,
    /// How it is repeated; `None` if that is unknown.
    repeated: Option<Repeated>,
}

impl Target<'_> {
    /// Whether it has instances with keys of this sort; the error is the end of a sentence.
    fn takes(&self, key: &Option<Key>) -> Result<(), &'static str> {
        match (key, self.repeated) {
            (Some(Key::None), Some(Repeated::Count | Repeated::Each)) => {
                Err("which instance is meant has to be said")
            }
            (Some(Key::Int(_)), Some(Repeated::No | Repeated::Each)) => Err("the resource has no `count`"),
            (Some(Key::Str(_)), Some(Repeated::No | Repeated::Count)) => {
                Err("the resource has no `for_each`")
            }
            _ => Ok(()),
        }
    }
}

/// Whether a name is that of a resource; Terraform does not compare the modules that the two are in.
fn names(name: &Named<'_>, resource: &Resource<'_>) -> bool {
    match name.steps.as_slice() {
        [Step::Attr(ty), Step::Attr(own), ..] if name.root == "resource" => {
            (*ty, *own) == (resource.ty, resource.name)
        }
        [Step::Attr(own), ..] => (name.root, *own) == (resource.ty, resource.name),
        _ => false,
    }
}

/// The values in a collection, with their keys; `None` if a value is not a collection. Null has none.
pub(in super::super) fn entries_of(value: &Value) -> Option<Vec<(Value, Value)>> {
    if value.is_null() {
        return Some(Vec::new());
    }
    if let Some(members) = value.members() {
        let entries = members.iter();
        return Some(
            entries
                .map(|(key, value)| (Value::string(key), value.clone()))
                .collect(),
        );
    }
    if let Data::Set(items, _) = &value.data {
        return Some(
            items
                .values()
                .iter()
                .map(|item| (item.clone(), item.clone()))
                .collect(),
        );
    }
    let numbered = value.elements()?.iter().zip(0..);
    Some(
        numbered
            .map(|(item, number)| (Value::number(Number::count(number)), item.clone()))
            .collect(),
    )
}

/// Which keys the address of an `import` may have.
pub(super) fn import_keys(block: Block<'_>, is_tofu: bool) -> Keys {
    match block.body().attribute("for_each") {
        None if !is_tofu => Keys::Constant,
        _ => Keys::Any,
    }
}
