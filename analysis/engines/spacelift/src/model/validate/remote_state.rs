//! `data "terraform_remote_state"`: where the state is.
//!
//! Source: Terraform 1.11, `dataSourceRemoteStateValidate` and `getBackend`. It looks at the backend once the whole
//! configuration of it is known. What a backend checks beyond the types of its arguments is not followed.

use std::sync::Arc;

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::{Marks, Type, Value, convert};
use applyorder_syntax::hcl::{Block, Expr};
use applyorder_syntax::text::Span;

use super::super::Wrong;
use super::super::module::Decl;
use super::Repeated;
use super::bodies::Open;
use super::own::{self, REMOTE};
use super::walk::{Scene, Walk, scene};

/// By line: a backend, and its arguments.
const BACKENDS: &str = include_str!("../../schema/backends.txt");

/// The same of OpenTofu.
const BACKENDS_OF_OPENTOFU: &str = include_str!("../../schema/backends-opentofu.txt");

/// Backends that only later versions of OpenTofu may have.
const LATER_OF_OPENTOFU: &[&str] = &["oci"];

/// Backends of other versions, from 1.0 to 1.16.
const OTHER_BACKENDS: &[&str] = &["artifactory", "azure", "etcd", "etcdv3", "manta", "oci", "swift"];

/// Arguments of backends in these versions.
const OTHER_ARGUMENTS: &[(&str, &str)] = &[
    ("oss", "tablestore_instance_name"),
    ("s3", "assume_role_duration_seconds"),
    ("s3", "assume_role_policy"),
    ("s3", "assume_role_policy_arns"),
    ("s3", "assume_role_tags"),
    ("s3", "assume_role_transitive_tag_keys"),
    ("s3", "external_id"),
    ("s3", "role_arn"),
    ("s3", "session_name"),
];

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
            "object" => return not_an_object(value),
            "objects" => {
                let is_list = value.is_null() || value.ty().may_be_sequence();
                return (!is_list).then(|| "a list is required".to_owned());
            }
            _ => Type::String,
        };
        convert(value, &wanted).err()
    }
}

/// Why a value is not an object; null is one that is not given.
fn not_an_object(value: &Value) -> Option<String> {
    let is_object = value.is_null() || value.ty().may_be_mapping();
    (!is_object).then(|| "an object is required".to_owned())
}

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

/// The arguments of a backend in a table.
fn listed<'t>(table: &'t str, kind: &str) -> Option<impl Iterator<Item = Argument<'t>> + use<'t>> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let found = lines.find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
    Some(found.split(' ').map(Argument::read))
}

/// The arguments of a backend.
fn arguments(kind: &str, is_tofu: bool) -> Result<Vec<Argument<'static>>, Fault> {
    let (table, others) = match is_tofu {
        true => (BACKENDS_OF_OPENTOFU, LATER_OF_OPENTOFU),
        false => (BACKENDS, OTHER_BACKENDS),
    };
    listed(table, kind)
        .map(Iterator::collect)
        .ok_or_else(|| match others.contains(&kind) {
            true => {
                let why = format!("whether backend `{kind}` exists depends on the version");
                Fault::Open("backend", why)
            }
            false => Fault::Invalid("backend", format!("unknown backend `{kind}`")),
        })
}

/// The argument of a backend that a name means.
fn named<'t>(
    kind: &str,
    all: &'t [Argument<'static>],
    name: &str,
    is_tofu: bool,
) -> Result<&'t Argument<'static>, Fault> {
    if let Some(argument) = all.iter().find(|argument| argument.name == name) {
        return Ok(argument);
    }
    // Later versions of OpenTofu add what Terraform has.
    let is_later = match is_tofu {
        true => listed(BACKENDS, kind).is_some_and(|mut all| all.any(|argument| argument.name == name)),
        false => OTHER_ARGUMENTS.contains(&(kind, name)),
    };
    if is_later {
        let why = format!("whether backend `{kind}` takes `{name}` depends on the version");
        return Err(Fault::Open("config", why));
    }
    let mut why = format!("backend `{kind}` takes no argument `{name}`");
    if let Some(near) = nearest(name, all.iter().map(|argument| argument.name)) {
        why += &format!("; did you mean `{near}`?");
    }
    Err(Fault::Invalid("config", why))
}

fn of_backend(kind: &str, config: Option<&Value>, is_tofu: bool) -> Result<(), Fault> {
    let kind = if kind == "_local" { "local" } else { kind };
    let all = arguments(kind, is_tofu)?;
    let given = config.and_then(Value::members);
    for (name, value) in given.into_iter().flatten() {
        if let Some(why) = named(kind, &all, name, is_tofu)?.refuses(value) {
            return Err(Fault::Invalid("config", format!("`{name}`: {why}")));
        }
    }
    let is_given = |name: &str| {
        let value = given.and_then(|given| given.get(name));
        value.is_some_and(|value| !value.is_null())
    };
    let missing = all
        .iter()
        .find(|argument| argument.is_required && !is_given(argument.name));
    missing.map_or(Ok(()), |missing| {
        let why = format!("backend `{kind}` requires `{}`", missing.name);
        Err(Fault::Invalid("config", why))
    })
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

    /// Checks where the module keeps its own state, which Terraform looks at before it plans. What is missing may be
    /// given on the command line.
    pub(super) fn backend(&mut self, backend: Block<'a>, file: usize) {
        let kind = backend.labels().next().map_or("", |label| label.text);
        let has_overrides = self.validate.own().is_none_or(|own| !own.overriding.is_empty());
        if self.validate.number != 0 || has_overrides {
            return;
        }
        let is_tofu = self.validate.world.is_tofu();
        let mut faults: Vec<(Span, Fault)> = Vec::new();
        match arguments(kind, is_tofu) {
            Err(fault) => faults.push((backend.header_span(), fault)),
            Ok(all) => {
                for attribute in backend.body().attributes() {
                    let (name, expr) = (attribute.name(), attribute.value());
                    let why = match named(kind, &all, name, is_tofu) {
                        Err(fault) => {
                            faults.push((attribute.name_span(), fault));
                            continue;
                        }
                        Ok(argument) if is_tofu => self
                            .known_early((backend, file), name, expr)
                            .and_then(|value| argument.refuses(&value)),
                        Ok(argument) => match self.constant(expr) {
                            Ok(value) => argument.refuses(&value),
                            Err(why) => Some(why),
                        },
                    };
                    let fault = why.map(|why| Fault::Invalid("config", format!("`{name}`: {why}")));
                    faults.extend(fault.map(|fault| (expr.span(), fault)));
                }
                for inner in backend.body().blocks() {
                    let fault = named(kind, &all, inner.kind(), is_tofu).err();
                    faults.extend(fault.map(|fault| (inner.header_span(), fault)));
                }
            }
        }
        for (span, fault) in faults {
            match fault {
                Fault::Invalid(_, why) => {
                    let place = self.place_of(file, span);
                    self.tell_of_plan("terraform", "backend", place, Wrong::Type(why));
                }
                Fault::Open(_, why) => {
                    self.validate.leave_plan_open(self.spot(file, span), &why);
                }
            }
        }
    }

    /// The value of an argument of the module's own backend, which OpenTofu evaluates before it reads the modules; what is
    /// wrong with that is told.
    ///
    /// Source: OpenTofu 1.10, `static_scope.go` and `Backend.Decode`.
    fn known_early(
        &mut self,
        (backend, file): (Block<'a>, usize),
        name: &str,
        expr: Expr<'a>,
    ) -> Option<Value> {
        let mut found = None;
        self.of_plan(|walk| {
            if let Some(why) = walk.validate.not_known_early(expr) {
                return walk.say_of("terraform", "backend", expr, file, why);
            }
            let scene = scene(Repeated::No, "backend");
            let value = walk.eval(&scene, name, expr, file, &Open::new(backend, file));
            if value.all_marks().has(Marks::SENSITIVE) {
                return walk.say_of("terraform", "backend", expr, file, "it must not be sensitive");
            }
            found = Some(value);
        });
        found
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
