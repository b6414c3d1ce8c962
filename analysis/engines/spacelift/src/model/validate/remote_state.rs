//! `data "terraform_remote_state"`: where the state is.
//!
//! Source: Terraform 1.11, `dataSourceRemoteStateValidate` and `getBackend`. It looks at the backend once the whole
//! configuration of it is known. What a backend checks beyond the types of its arguments is not followed.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::{Type, Value, convert};
use applyorder_syntax::hcl::{Block, Expr};

use super::super::module::Decl;
use super::Repeated;
use super::bodies::Open;
use super::own::{self, REMOTE};
use super::walk::{Scene, Walk, scene};

/// By line: a backend, and its arguments.
const BACKENDS: &str = include_str!("../../schema/backends.txt");

/// Backends of later versions, up to 1.16.
const LATER: &[&str] = &["oci"];

/// Arguments of backends in these versions.
const LATER_ARGUMENTS: &[(&str, &str)] = &[("oss", "tablestore_instance_name")];

/// What Terraform rejects or may reject.
pub(in super::super) enum Fault {
    /// An argument, and why it is invalid.
    Invalid(&'static str, String),
    /// That depends on the version.
    Open(&'static str, String),
}

/// An argument of a backend.
struct Argument<'t> {
    name: &'t str,
    ty: &'t str,
    is_required: bool,
}

impl<'t> Argument<'t> {
    fn read(word: &'t str) -> Self {
        let (word, is_required) = word.strip_suffix('!').map_or((word, false), |word| (word, true));
        let (name, ty) = word.split_once(':').unwrap_or((word, "string"));
        Self {
            name,
            ty,
            is_required,
        }
    }

    /// Why it does not take a value.
    fn refuses(&self, value: &Value) -> Option<String> {
        let text = || Arc::new(Type::String);
        let wanted = match self.ty {
            "bool" => Type::Bool,
            "number" => Type::Number,
            "strings" => Type::List(text()),
            "map" => Type::Map(text()),
            // What is in them is not followed.
            "object" => return (!is_mapping(value)).then(|| "an object is required".to_owned()),
            "objects" => return (!is_sequence(value)).then(|| "a list is required".to_owned()),
            _ => Type::String,
        };
        convert(value, &wanted).err()
    }
}

fn is_mapping(value: &Value) -> bool {
    value.is_null() || matches!(value.ty(), Type::Map(_) | Type::Object(_) | Type::Dynamic)
}

fn is_sequence(value: &Value) -> bool {
    let ty = value.ty();
    value.is_null() || matches!(ty, Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic)
}

/// What is wrong with the values of its arguments; that `backend` is given is checked elsewhere.
pub(in super::super) fn check(value: impl Fn(&str) -> Option<Value>, is_tofu: bool) -> Option<Fault> {
    let invalid = |name, why: &str| Some(Fault::Invalid(name, why.to_owned()));
    for name in ["backend", "workspace"] {
        if let Some(Err(why)) = value(name).map(|given| convert(&given, &Type::String)) {
            return Some(Fault::Invalid(name, why));
        }
    }
    for name in ["config", "defaults"] {
        if value(name).is_some_and(|given| !is_mapping(&given)) {
            return invalid(name, "an object is required");
        }
    }
    let backend = convert(&value("backend")?, &Type::String).ok()?;
    if backend.is_null() {
        return invalid("backend", "it must not be null");
    }
    let config = value("config").filter(|config| !config.is_null());
    let is_known = config
        .as_ref()
        .is_none_or(|config| config.first_unknown().is_none());
    match backend.as_str() {
        // The backends of OpenTofu are not followed.
        Some(kind) if is_known && !is_tofu => of_backend(kind, config.as_ref()),
        _ => None,
    }
}

fn of_backend(kind: &str, config: Option<&Value>) -> Option<Fault> {
    let kind = if kind == "_local" { "local" } else { kind };
    let lines = || BACKENDS.lines().filter(|line| !line.starts_with('#'));
    let found = lines().find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '));
    let Some(arguments) = found else {
        let why = format!("there is no backend `{kind}`");
        return Some(match LATER.contains(&kind) {
            true => Fault::Open("backend", format!("whether {why} depends on the version")),
            false => Fault::Invalid("backend", why),
        });
    };
    let all: Vec<Argument<'_>> = arguments.split(' ').map(Argument::read).collect();
    let given = config.and_then(Value::members);
    for (name, value) in given.into_iter().flatten() {
        let Some(argument) = all.iter().find(|argument| *argument.name == **name) else {
            if LATER_ARGUMENTS.contains(&(kind, &**name)) {
                let why = format!("whether backend `{kind}` takes `{name}` depends on the version");
                return Some(Fault::Open("config", why));
            }
            let mut why = format!("backend `{kind}` takes no argument `{name}`");
            if let Some(near) = nearest(name, all.iter().map(|argument| argument.name)) {
                why += &format!("; did you mean `{near}`?");
            }
            return Some(Fault::Invalid("config", why));
        };
        if let Some(why) = argument.refuses(value) {
            return Some(Fault::Invalid("config", format!("`{name}`: {why}")));
        }
    }
    let is_given = |name: &str| {
        let value = given.and_then(|given| given.get(name));
        value.is_some_and(|value| !value.is_null())
    };
    let missing = all
        .iter()
        .find(|argument| argument.is_required && !is_given(argument.name))?;
    Some(Fault::Invalid(
        "config",
        format!("backend `{kind}` requires `{}`", missing.name),
    ))
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
