//! Calls of modules: the arguments, and whether the variables accept them.

use applyorder_core::files::join_clean;
use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{self, Marks, Type, Value};

use super::super::Wrong;
use super::super::arguments::stub;
use super::super::module::{Decl, Module, Spot};
use super::bodies::not_valid;
use super::own;
use super::references::named;
use super::walk::{NO_VALUES, RESERVED, Scene, Walk, scene};
use super::{Around, Repeated, Validate};
use crate::read::is_local;
use crate::types;

/// Source: Terraform 1.11; OpenTofu accepts more.
const CALL_LITERALS: &[(&str, Type)] = &[("source", Type::String), ("version", Type::String)];

/// Whether the source of a call, which is not a path, is not a module address either: an address in a registry has
/// three parts, or four with a host; others have a host or a scheme.
///
/// Source: Terraform 1.11, `addrs.ParseModuleSource`; the detectors of go-getter.
fn is_no_address(source: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '/');
    let package = source.split("//").next().unwrap_or_default();
    source.is_empty()
        || !package.is_empty()
            && source.chars().all(is_plain)
            && matches!(package.split('/').count(), 1 | 2 | 4)
}

impl<'a> Walk<'_, '_, 'a> {
    pub(super) fn call(&mut self, path: &str, decl: &Decl<'a>) {
        let address = format!("{path}module.{}", decl.name());
        self.named(&address, decl);
        self.takes(&own::CALL, &address, decl);
        if decl.has_gap {
            return;
        }
        if !decl.has_required("source") {
            let header = (self.place)(decl.header());
            self.tell(&address, "source", header, Wrong::Missing, None);
        }
        if !self.validate.world.is_tofu() {
            self.literals(&address, decl, CALL_LITERALS);
        }
        if let (Some(version), Some(source)) = (decl.attr("version").copied(), decl.source)
            && source.starts_with('.')
        {
            let place = (self.place)(version.name_spot());
            let wrong = Wrong::Conflict(vec!["source".to_owned()]);
            self.tell(&address, "version", place, wrong, None);
        }
        self.source(&address, decl);
        self.providers(&address, decl);
        self.passed(&address, decl);
        self.repetition(&address, decl, true);
        let scene = scene(Repeated::of(decl), &address);
        self.depends_on(&scene, decl);
        let scene = Scene {
            repeated: Repeated::Perhaps,
            ..scene
        };
        let child = self.validate.called(decl);
        for attr in &decl.attrs {
            let is_own = matches!(attr.name, "source" | "version") || own::CALL.is_later(attr.name);
            if NO_VALUES.contains(&attr.name) || is_own {
                continue;
            }
            let is_passed_over = |(_, child): &(usize, &Module<'_>)| {
                decl.is_overridden() && !child.has_gap && !child.variables.contains_key(attr.name)
            };
            if child.as_ref().is_some_and(is_passed_over) {
                continue;
            }
            let value = self.top(&scene, attr);
            let is_ephemeral = value.all_marks().has(Marks::EPHEMERAL);
            let Some((number, child)) = child.filter(|(_, child)| !child.has_gap) else {
                if is_ephemeral {
                    let why = "whether the variable may be ephemeral is not known";
                    self.validate.leave_open(attr.value(), why);
                }
                continue;
            };
            let Some(variable) = child.variables.get(attr.name) else {
                let near = self.validate.compared.nearest(attr.name, child.known_variables());
                let place = (self.place)(attr.name_spot());
                self.tell(&address, attr.name, place, Wrong::Unknown, near);
                continue;
            };
            if is_ephemeral && !self.validate.marks_of(variable).has(Marks::EPHEMERAL) {
                let why = "the value is ephemeral, and the variable is not";
                self.secret(&address, attr, why);
                continue;
            }
            let spec = self.validate.world.module_spec(number, variable);
            if value.is_null() && !variable.is_nullable() {
                match variable.attr("default") {
                    Some(_) => self.default_conditions(&address, (number, variable), attr.value()),
                    None => {
                        let place = (self.place)(attr.value());
                        let wrong = Wrong::Type("it must not be null".to_owned());
                        self.tell(&address, attr.name, place, wrong, None);
                    }
                }
                continue;
            }
            if let Err(why) = types::admits(&value, &spec) {
                let place = (self.place)(attr.value());
                self.tell(&address, attr.name, place, Wrong::Type(why), None);
            } else {
                let value = types::conform(value, &spec);
                self.conditions(&address, (number, variable), value, attr.value());
            }
        }
        let Some((number, child)) = child.filter(|(_, child)| !child.has_gap) else {
            return;
        };
        for variable in child.variables.values().filter(|v| decl.attr(v.name()).is_none()) {
            self.default_conditions(&address, (number, variable), decl.header());
        }
        let mut missing: Vec<&Decl<'_>> = child
            .variables
            .values()
            .filter(|v| !v.has_gap && v.attr("default").is_none() && !decl.has_required(v.name()))
            .filter(|v| !RESERVED.contains(&v.name()))
            .collect();
        missing.sort_unstable_by_key(|variable| variable.name());
        for variable in missing {
            let header = (self.place)(decl.header());
            let ty = self.validate.world.module_spec(number, variable).ty();
            self.tell(&address, variable.name(), header, Wrong::Missing, Some(stub(&ty)));
        }
    }

    fn no_address(&mut self, address: &str, source: Spot, near: Option<&str>) {
        let why = "not a module address; a path has to begin with `./` or `../`";
        let place = (self.place)(source);
        self.tell(address, "source", place, Wrong::Condition(why.to_owned()), near);
    }

    /// Why OpenTofu computes no source.
    ///
    /// Source: OpenTofu 1.10, `decodeStaticFields` of a call.
    fn not_a_source(&self, expr: Expr<'a>) -> Option<String> {
        if let Some(why) = self.validate.not_known_early(expr) {
            return Some(why.to_owned());
        }
        let value = self.constant(expr).ok()?;
        match eval::convert(&value, &Type::String) {
            Err(why) => Some(why),
            Ok(text) if text.is_null() => Some("it must not be null".to_owned()),
            Ok(text) => {
                let is_secret = text.marks.has(Marks::SENSITIVE);
                is_secret.then(|| "it must not be sensitive".to_owned())
            }
        }
    }

    /// Checks whether Terraform finds the module.
    fn source(&mut self, address: &str, decl: &Decl<'a>) {
        let Some(attr) = decl.attr("source").copied() else {
            return;
        };
        let world = self.validate.world;
        let Some(own) = world.loaded.modules.get(self.validate.number) else {
            return;
        };
        if world.is_tofu()
            && let Some(why) = self.not_a_source(attr.expr)
        {
            return self.say_of(address, "source", attr.expr, attr.file, &why);
        }
        let Some(source) = own.source(decl.name(), decl.source) else {
            let constant = self.constant(attr.expr).ok().filter(|value| !value.is_null());
            let is_text = |value: &Value| value.as_str().is_some();
            if world.is_tofu() || constant.as_ref().is_some_and(is_text) {
                let is_likely = own.is_likely_call(decl.name(), decl.source);
                let end = if is_likely { "only likely" } else { "not followed" };
                let why = format!("the source of module `{}` is computed, and {end}", decl.name());
                self.validate.leave_open(attr.value(), &why);
            } else if constant.is_some_and(|value| eval::convert(&value, &Type::String).is_ok()) {
                self.no_address(address, attr.value(), None);
            }
            return;
        };
        let exists = |path: &str| world.cx.kind(&join_clean(&own.dir, path), true).is_some();
        if is_local(source) {
            // Terragrunt may generate it first.
            if !own.is_generated && !exists(source) {
                let place = (self.place)(attr.value());
                let wrong = Wrong::NoDirectory(source.to_string());
                self.tell(address, "source", place, wrong, None);
            }
        } else if is_no_address(source) {
            let near = exists(source).then(|| format!("./{source}"));
            self.no_address(address, attr.value(), near.as_deref());
        } else if self.validate.called(decl).is_none() {
            let why = format!(
                "module `{}` is not installed, so what it takes is not known",
                decl.name()
            );
            self.validate.leave_open(attr.value(), &why);
        }
    }

    /// Checks whether the default of a variable of a called module meets its conditions.
    fn default_conditions(&mut self, address: &str, (module, variable): (usize, &Decl<'a>), spot: Spot) {
        if let Some(default) = variable.attr("default")
            && let Ok(value) = self.constant(default.expr)
        {
            let spec = self.validate.world.module_spec(module, variable);
            let value = types::conform(value, &spec);
            self.conditions(address, (module, variable), value, spot);
        }
    }

    /// Checks whether a value meets the conditions of a variable of a called module, as far as both are known.
    fn conditions(
        &mut self,
        address: &str,
        (module, variable): (usize, &Decl<'a>),
        value: Value,
        spot: Spot,
    ) {
        let conditions = variable.blocks.iter().filter(|inner| inner.word == "validation");
        let mut conditions = conditions.filter_map(|inner| {
            let condition = inner.block.body().attribute("condition")?;
            Some((inner, condition.value()))
        });
        if variable.has_gap || value.as_unknown().is_some() {
            return;
        }
        let child = Validate::new(self.validate.world, module, "".into(), self.validate.absent);
        let names = [("var", child.variables_with(variable.name(), value))];
        let at = || format!("{address}.{}", variable.name());
        let around = Around {
            names: &names,
            ..Around::new(Repeated::No, &at)
        };
        let is_own = |n: &super::references::Named<'_>| n.root == "var" && n.first() == Some(variable.name());
        let not_met = conditions.find_map(|(inner, condition)| {
            if !named(condition, 0).iter().any(is_own) {
                // Rejected by itself.
                return None;
            }
            let eval = |expr| child.eval(expr, inner.header.file, &around);
            let holds = eval(condition);
            if child.asks_absent.get() {
                self.validate.asks_absent.set(true);
            }
            self.validate.leave_open_unfollowed(&holds, spot);
            not_valid(inner.block, &holds, eval)
        });
        if let Some(why) = not_met {
            let place = (self.place)(spot);
            self.tell(address, variable.name(), place, Wrong::Condition(why), None);
        }
    }
}
