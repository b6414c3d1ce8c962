//! `data "terraform_remote_state"`: where the state is.
//!
//! Source: Terraform 1.11, `dataSourceRemoteStateValidate` and `getBackend`. It looks at the backend once the whole
//! configuration of it is known.

use applyorder_core::diagnostic::Place;
use applyorder_syntax::hcl::eval::{Type, Value, convert};
use applyorder_syntax::hcl::{Block, Expr};

use super::super::module::Decl;
use super::Repeated;
use super::backends::{Fault, not_an_object, of_backend};
use super::bodies::Open;
use super::own::{self, REMOTE};
use super::walk::{Scene, Walk, scene};

/// What is wrong with the values of its arguments; that `backend` is given is checked elsewhere.
pub(in super::super) fn check(value: impl Fn(&str) -> Option<Value>, is_tofu: bool) -> Option<Fault> {
    let [backend, workspace, config, defaults] = ["backend", "workspace", "config", "defaults"].map(value);
    for (name, given) in [("backend", &backend), ("workspace", &workspace)] {
        if let Some(Err(why)) = given.as_ref().map(|given| convert(given, &Type::String)) {
            return Some(Fault::Invalid(name, why));
        }
    }
    for (name, given) in [("config", &config), ("defaults", &defaults)] {
        if let Some(why) = given.as_ref().and_then(not_an_object) {
            return Some(Fault::Invalid(name, why));
        }
    }
    let backend = convert(&backend?, &Type::String).ok()?;
    if backend.is_null() {
        return Some(Fault::Invalid("backend", "it must not be null".to_owned()));
    }
    let config = config.filter(|config| !config.is_null());
    let is_known = config
        .as_ref()
        .is_none_or(|config| config.first_unknown().is_none());
    match backend.as_str() {
        Some(kind) if is_known => of_backend(kind, config.as_ref(), is_tofu).err(),
        _ => None,
    }
}

impl<'a> Walk<'_, '_, 'a> {
    /// Checks a data source.
    pub(super) fn remote_state(&mut self, scene: &Scene<'_>, decl: &Decl<'a>) {
        self.takes(&own::REMOTE_STATE, scene.address, decl);
        let attr = |name: &str| decl.attr(name).map(|attr| (attr.expr, attr.file));
        let value = |name: &str| decl.attr(name).map(|attr| self.top(scene, attr));
        let fault = check(value, self.validate.world.is_tofu());
        self.state_fault(scene.address, fault, attr);
    }

    /// Checks the data source of a check.
    pub(super) fn nested_state(&mut self, address: &str, data: Block<'a>, file: usize, place: Place) {
        let path = format!("data.{REMOTE}.");
        self.block_takes(&own::REMOTE_STATE, (address, path), data, file, place);
        let scene = scene(Repeated::No, address);
        let here = Open::new(data, file);
        let attr = |name: &str| data.body().attribute(name).map(|attr| (attr.value(), file));
        let value = |name: &str| Some(self.eval(&scene, name, attr(name)?.0, file, &here));
        let fault = check(value, self.validate.world.is_tofu());
        self.state_fault(address, fault, attr);
    }

    fn state_fault(
        &mut self,
        address: &str,
        fault: Option<Fault>,
        attr: impl Fn(&str) -> Option<(Expr<'a>, usize)>,
    ) {
        // Without a configuration, what it lacks belongs to the name of the backend.
        let written = |name: &str| attr(name).or_else(|| attr("backend"));
        match fault {
            Some(Fault::Invalid(name, why)) => {
                if let Some((expr, file)) = written(name) {
                    self.say_of(address, name, expr, file, &why);
                }
            }
            Some(Fault::Open(name, why)) => {
                if let Some((expr, file)) = written(name) {
                    self.validate.leave_open(self.spot(file, expr.span()), &why);
                }
            }
            None => {}
        }
    }
}
