//! Everything that a module declares.

use applyorder_core::diagnostic::Place;
use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::{self, EvalErrorKind, Known, Marks, Number, Type, Unknown, Value};
use applyorder_syntax::hcl::{Block, Expr, ExprKind, is_identifier};
use applyorder_syntax::text::Span;

use super::super::fault::FaultKind;
use super::super::module::{Attr, Decl, Module, Spot};
use super::super::{Argument, Wrong};
use super::bodies::Open;
use super::own::{self, Looked, REMOTE, Takes};
use super::providers::not_implied;
use super::references::named;
use super::{Around, Repeated, Validate, repetition};
use crate::schema::{DATA, META, META_BLOCKS, OF_DATA, schema};
use crate::types;

/// Names that a variable cannot have: they are arguments of the call itself.
pub(super) const RESERVED: &[&str] = &[
    "count",
    "depends_on",
    "for_each",
    "lifecycle",
    "locals",
    "providers",
    "source",
    "version",
];

const VARIABLE_LITERALS: &[(&str, Type)] = &[
    ("sensitive", Type::Bool),
    ("nullable", Type::Bool),
    ("ephemeral", Type::Bool),
    ("description", Type::String),
];

const OUTPUT_LITERALS: &[(&str, Type)] = &[
    ("sensitive", Type::Bool),
    ("ephemeral", Type::Bool),
    ("description", Type::String),
];

/// Arguments of a resource that are not values.
pub(super) const NO_VALUES: &[&str] = &["count", "for_each", "depends_on", "provider", "providers"];

/// Checks everything that a module declares. Wrong arguments are returned, wrong expressions are recorded.
pub(super) fn walk(validate: &Validate<'_, '_>, place: &dyn Fn(Spot) -> Place) -> Vec<Argument> {
    let mut walk = Walk {
        validate,
        place,
        found: Vec::new(),
    };
    if let Some(module) = validate.own() {
        walk.module(&validate.path, module);
    }
    walk.found
}

pub(super) struct Walk<'w, 'v, 'a> {
    pub(super) validate: &'w Validate<'v, 'a>,
    pub(super) place: &'w dyn Fn(Spot) -> Place,
    found: Vec<Argument>,
}

/// The surroundings of the expressions in one block.
pub(super) struct Scene<'s> {
    /// Whether it is the block of an output, whose conditions are checked against what is known.
    pub(super) is_output: bool,
    /// Whether a provider may store its values.
    pub(super) is_stored: bool,
    pub(super) repeated: Repeated,
    pub(super) address: &'s str,
    /// Types and names of the data sources that are known only here.
    pub(super) data: &'s [(&'s str, &'s str)],
}

impl<'a> Walk<'_, '_, 'a> {
    fn module(&mut self, path: &str, module: &Module<'a>) {
        let is_root = self.validate.number == 0;
        let mut locals: Vec<_> = module.locals.values().copied().collect();
        locals.sort_unstable_by_key(|attr| (attr.file, attr.name_at));
        for attr in locals {
            self.validate.local(&attr);
        }
        let mut variables: Vec<&Decl<'a>> = module.variables.values().collect();
        variables.sort_unstable_by_key(|decl| (decl.file, decl.facts.header));
        for decl in variables {
            self.variable(path, decl);
        }
        for decl in &module.outputs {
            let address = format!("{path}output.{}", decl.name());
            self.named(&address, decl);
            self.takes(&own::OUTPUT, &address, decl);
            let scene = Scene {
                is_output: true,
                ..scene(Repeated::No, &address)
            };
            if let Some(attr) = decl.attr("value").copied().filter(|_| !decl.has_gap) {
                let value = self.top(&scene, &attr);
                self.given_out(&address, decl, &attr, &value);
            }
            self.depends_on(&scene, decl);
            self.literals(&address, decl, OUTPUT_LITERALS);
            if let Some(attr) = decl.attr("ephemeral")
                && is_root
                && matches!(attr.expr.kind(), ExprKind::Bool(true))
            {
                let place = (self.place)(attr.name_spot());
                let why = "an output of the root is never ephemeral".to_owned();
                self.tell(&address, "ephemeral", place, Wrong::Type(why), None);
            }
            self.inside(&scene, decl, |word| word == "precondition");
        }
        for decl in &module.calls {
            self.call(path, decl);
        }
        for decl in &module.resources {
            self.resource(path, decl);
        }
        for file in &module.files {
            self.others(*file);
        }
        self.once(&module.files);
    }

    pub(super) fn spot(&self, file: usize, span: Span) -> Spot {
        let source = self.validate.world.sources.get(file);
        let at = source.map_or(0, |source| source.facts.at(span));
        Spot { file, at }
    }

    pub(super) fn place_of(&self, file: usize, span: Span) -> Place {
        (self.place)(self.spot(file, span))
    }

    pub(super) fn tell(&mut self, subject: &str, name: &str, place: Place, wrong: Wrong, near: Option<&str>) {
        self.found.push(Argument {
            resource: subject.into(),
            name: name.into(),
            place,
            wrong,
            near: near.map(str::to_owned),
            is_likely: false,
            is_static: true,
            is_own: true,
        });
    }

    /// The same for what Terraform rejects only if what is likely is true.
    pub(super) fn tell_likely(&mut self, subject: &str, name: &str, place: Place, wrong: Wrong) {
        self.tell(subject, name, place, wrong, None);
        if let Some(told) = self.found.last_mut() {
            told.is_likely = true;
        }
    }

    /// The same for what Terraform rejects only when it plans.
    pub(super) fn tell_of_plan(&mut self, subject: &str, name: &str, place: Place, wrong: Wrong) {
        self.tell(subject, name, place, wrong, None);
        if let Some(told) = self.found.last_mut() {
            told.is_static = false;
        }
    }

    /// What it finds and leaves open belongs to `plan`.
    pub(super) fn of_plan(&mut self, check: impl FnOnce(&mut Self)) {
        let validate = self.validate;
        let (found, faults) = (self.found.len(), validate.faults.borrow().len());
        let open = validate.open.take();
        check(self);
        if let Some((spot, why)) = validate.open.replace(open) {
            validate.leave_plan_open(spot, &why);
        }
        self.found
            .iter_mut()
            .skip(found)
            .for_each(|told| told.is_static = false);
        let mut all = validate.faults.borrow_mut();
        for fault in all.iter_mut().skip(faults) {
            fault.is_static = false;
            if fault.text.kind == FaultKind::InvalidExpression {
                fault.text.kind = FaultKind::FailingExpression;
            }
        }
    }

    /// Checks a declaration against the schema of Terraform's own blocks.
    pub(super) fn takes(&mut self, takes: &'static Takes, address: &str, decl: &Decl<'a>) {
        let names: Vec<&str> = decl.attrs.iter().map(|attr| attr.name).collect();
        for attr in &decl.attrs {
            self.later(takes.is_later(attr.name), attr.name, attr.name_spot());
        }
        for inner in &decl.blocks {
            self.later(takes.is_later(inner.word), inner.word, inner.header);
        }
        if decl.has_gap || decl.blocks.is_empty() && takes.takes_all(&names) {
            return;
        }
        let at = |spot| (self.place)(spot);
        let looked = Looked {
            subject: address.into(),
            path: String::new(),
            header: at(decl.header()),
            arguments: decl.attrs.iter().map(|a| (a.name, at(a.name_spot()))).collect(),
            blocks: decl
                .blocks
                .iter()
                .map(|inner| (inner.block, inner.header.file, at(inner.header)))
                .collect(),
        };
        self.check(takes, looked);
    }

    /// Checks a block against the schema of Terraform's own blocks. `path` leads to it from the subject.
    pub(super) fn block_takes(
        &mut self,
        takes: &'static Takes,
        (subject, path): (&str, String),
        block: Block<'a>,
        file: usize,
        header: Place,
    ) {
        let body = block.body();
        let words = body.attributes().map(|a| (a.name(), a.name_span()));
        for (word, span) in words.chain(body.blocks().map(|b| (b.kind(), b.header_span()))) {
            self.later(takes.is_later(word), word, self.spot(file, span));
        }
        let looked = Looked {
            subject: subject.into(),
            path,
            header,
            arguments: body
                .attributes()
                .map(|a| (a.name(), self.place_of(file, a.name_span())))
                .collect(),
            blocks: body
                .blocks()
                .map(|b| (b, file, self.place_of(file, b.header_span())))
                .collect(),
        };
        self.check(takes, looked);
    }

    /// Leaves the verdict open if something is written that only later versions accept: the version is not known.
    pub(super) fn later(&self, is_later: bool, word: &str, spot: Spot) {
        let is_taken = self.validate.world.is_tofu() && own::OPENTOFU.contains(&word);
        if is_later && !is_taken {
            let why = format!("whether `{word}` is taken depends on the version");
            self.validate.leave_open(spot, &why);
        }
    }

    fn check(&mut self, takes: &'static Takes, looked: Looked<'a>) {
        let mut found = Vec::new();
        takes.check(looked, &|file, span| self.place_of(file, span), &mut found);
        self.found.extend(found);
    }

    /// Checks whether a name is valid.
    pub(super) fn named(&mut self, address: &str, decl: &Decl<'a>) {
        if !is_identifier(decl.name()) && !decl.has_gap {
            let place = (self.place)(decl.name_spot());
            self.tell(address, decl.name(), place, Wrong::Name(String::new()), None);
        }
    }

    /// Checks whether a type is a valid name, and implies a valid name of a provider.
    fn typed(&mut self, address: &str, decl: &Decl<'a>) {
        let wrong = if is_identifier(decl.ty()) {
            let is_implied = decl.attr("provider").is_none();
            let why = is_implied.then(|| not_implied(decl.ty())).flatten();
            why.map(str::to_owned)
        } else {
            Some(String::new())
        };
        if let Some(why) = wrong {
            let place = (self.place)(decl.header());
            self.tell(address, decl.ty(), place, Wrong::Name(why), None);
        }
    }

    /// The value of an expression in a block.
    pub(super) fn eval(
        &self,
        scene: &Scene<'_>,
        name: &str,
        expr: Expr<'a>,
        file: usize,
        open: &Open<'a>,
    ) -> Value {
        let at = || format!("{}.{name}", scene.address);
        let around = Around {
            has_self: open.has_self,
            names: &open.names,
            data: scene.data,
            ..Around::new(scene.repeated, &at)
        };
        self.validate.eval(expr, file, &around)
    }

    pub(super) fn top(&self, scene: &Scene<'_>, attr: &Attr<'a>) -> Value {
        let at = || format!("{}.{}", scene.address, attr.name);
        let around = Around::new(scene.repeated, &at);
        self.validate.eval(attr.expr, attr.file, &around)
    }

    /// Evaluates the arguments of a resource. Returns the first whose value is ephemeral.
    fn arguments(&self, scene: &Scene<'_>, decl: &Decl<'a>) -> Option<Attr<'a>> {
        let mut ephemeral = None;
        for attr in decl.attrs.iter().filter(|attr| !NO_VALUES.contains(&attr.name)) {
            if self.top(scene, attr).all_marks().has(Marks::EPHEMERAL) {
                ephemeral.get_or_insert(*attr);
            }
        }
        ephemeral
    }

    /// Checks `count` and `for_each`.
    pub(super) fn repetition(&mut self, address: &str, decl: &Decl<'a>, is_call: bool) {
        let (count, mut each) = (decl.attr("count").copied(), decl.attr("for_each").copied());
        if let (Some(count), Some(other)) = (count, each)
            && count.file != other.file
        {
            // One is in an override of the block with the other: Terraform uses the one that it looks up first.
            each = None;
        }
        let scene = scene(Repeated::No, address);
        let is_tofu = self.validate.world.is_tofu();
        for attr in [count, each].into_iter().flatten() {
            let at = || format!("{address}.{}", attr.name);
            let hides_failure = is_tofu && !is_call && attr.name == "for_each";
            let around = Around {
                hides_failure,
                ..Around::new(scene.repeated, &at)
            };
            let value = self.validate.eval(attr.expr, attr.file, &around);
            self.repeats(address, &attr, &value);
            // The number of entries does not matter, nor which of two numbers it is if both are valid.
            let is_right = |number: Number| {
                let value = Value::number(number);
                !number.is_perhaps_whole() && repetition::repeats(attr.name, &value, is_tofu).is_ok()
            };
            let may_be_wrong = |unknown: &Unknown| match &unknown.known {
                Known::Either(numbers) => !is_right(numbers.0) || !is_right(numbers.1),
                Known::Given => unknown.ty.element() != Some(&Type::String),
                known => !known.is_shared(),
            };
            if let Some(unknown) = value.as_unknown().filter(|unknown| may_be_wrong(unknown)) {
                match unknown.ty {
                    // It may not be a number.
                    Type::String => self.validate.leave_open(attr.value(), &unknown.why),
                    _ => self.validate.leave_open_unfollowed(&value, attr.value()),
                }
            }
            if attr.name == "count" && value.as_number().is_some_and(Number::is_perhaps_whole) {
                let why = "whether the number is whole depends on rounding";
                self.validate.leave_open(attr.value(), why);
            }
            if hides_failure && repetition::is_open(&value) {
                continue;
            }
            if let Err(why) = repetition::repeats(attr.name, &value, is_tofu) {
                let place = (self.place)(attr.value());
                self.tell(address, attr.name, place, Wrong::Type(why), None);
            }
        }
        if let (Some(count), Some(_)) = (count, each) {
            let place = (self.place)(count.name_spot());
            let wrong = Wrong::Conflict(vec!["for_each".to_owned()]);
            self.tell(address, "count", place, wrong, None);
        }
    }

    /// The value of an expression that must not refer to anything; else the reason why it has none.
    pub(super) fn constant(&self, expr: Expr<'_>) -> Result<Value, String> {
        let scope = eval::NoVariables { prefix: "\u{0}" };
        let outcome = eval::evaluate(expr, 0, &scope, &self.validate.world.budget);
        match outcome.errors.iter().find(|e| e.kind != EvalErrorKind::Limit) {
            Some(error) => Err(error.message.trim_end_matches('.').to_owned()),
            None => Ok(outcome.value),
        }
    }

    /// What OpenTofu has in a variable or an output, or will have.
    ///
    /// Source: OpenTofu 1.10, `decodeVariableBlock` and `decodeOutputBlock`.
    fn of_opentofu(&mut self, address: &str, decl: &Decl<'a>) {
        if let Some(attr) = decl.attr("ephemeral") {
            let why = "whether `ephemeral` is taken depends on the version of OpenTofu";
            self.validate.leave_open(attr.value(), why);
        }
        let Some(attr) = decl.attr("deprecated").copied() else {
            return;
        };
        let why = match self.constant(attr.expr) {
            Err(why) => Some(why),
            Ok(value) => match eval::convert(&value, &Type::String) {
                Err(why) => Some(why),
                Ok(text) if text.as_str().is_none_or(|text| text.trim().is_empty()) => {
                    Some("it must say what to use instead".to_owned())
                }
                Ok(_) => None,
            },
        };
        if let Some(why) = why {
            let place = (self.place)(attr.value());
            self.tell(address, "deprecated", place, Wrong::Type(why), None);
        }
    }

    /// Checks arguments that must be constants.
    pub(super) fn literals(&mut self, address: &str, decl: &Decl<'a>, names: &[(&str, Type)]) {
        if decl.has_gap {
            return;
        }
        if self.validate.world.is_tofu() {
            self.of_opentofu(address, decl);
        }
        for (name, ty) in names {
            let Some(attr) = decl.attr(name).copied() else {
                continue;
            };
            let value = self
                .constant(attr.expr)
                .and_then(|value| eval::convert(&value, ty));
            let wrong = match value {
                Ok(value) if value.is_null() => Some("it must not be null".to_owned()),
                Ok(_) => None,
                Err(why) => Some(why),
            };
            if let Some(why) = wrong {
                let place = (self.place)(attr.value());
                self.tell(address, name, place, Wrong::Type(why), None);
            }
        }
    }

    fn variable(&mut self, path: &str, decl: &Decl<'a>) {
        let address = format!("{path}var.{}", decl.name());
        self.named(&address, decl);
        if RESERVED.contains(&decl.name()) {
            let place = (self.place)(decl.name_spot());
            let why = "it is an argument of module blocks".to_owned();
            self.tell(&address, decl.name(), place, Wrong::Name(why), None);
        }
        self.takes(&own::VARIABLE, &address, decl);
        if decl.has_gap {
            return;
        }
        if let Some(ty) = decl.attr("type")
            && let Err((span, why)) = types::check(ty.expr, &|expr| self.constant(expr))
        {
            let place = self.place_of(ty.file, span);
            self.tell(&address, "type", place, Wrong::Type(why), None);
        }
        if let Some(default) = decl.attr("default").copied() {
            let spec = self.validate.world.module_spec(self.validate.number, decl);
            let nullable = decl.attr("nullable").map(|attr| self.constant(attr.expr));
            let needs = nullable.and_then(Result::ok).and_then(|v| v.as_bool()) == Some(false);
            let why = match self.constant(default.expr) {
                Err(why) => Some(why),
                Ok(value) if needs && value.is_null() => {
                    Some("it is null, and `nullable` is false".to_owned())
                }
                Ok(value) => types::admits(&value, &spec).err(),
            };
            if let Some(why) = why {
                let place = (self.place)(default.value());
                self.tell(&address, "default", place, Wrong::Type(why), None);
            }
        }
        self.literals(&address, decl, VARIABLE_LITERALS);
        let scene = scene(Repeated::No, &address);
        self.inside(&scene, decl, |word| word == "validation");
        for inner in decl.blocks.iter().filter(|inner| inner.word == "validation") {
            let Some(condition) = inner.block.body().attribute("condition") else {
                continue;
            };
            let own = |n: &super::references::Named<'_>| n.root == "var" && n.first() == Some(decl.name());
            if !named(condition.value(), 0).iter().any(own) {
                let place = self.place_of(inner.header.file, condition.value().span());
                let why = format!("the condition has to refer to `var.{}`", decl.name());
                self.tell(
                    &address,
                    "validation.condition",
                    place,
                    Wrong::Condition(why),
                    None,
                );
            }
        }
    }

    fn resource(&mut self, path: &str, decl: &Decl<'a>) {
        let address = format!("{path}{}", decl.address());
        self.named(&address, decl);
        self.repetition(&address, decl, false);
        if decl.has_gap {
            return;
        }
        self.typed(&address, decl);
        let scene = scene(Repeated::of(decl), &address);
        self.depends_on(&scene, decl);
        self.meta(&scene, decl);
        self.provider(&scene, decl);
        self.configured(&scene, decl);
        if decl.is_data() && decl.ty() == REMOTE {
            self.remote_state(&scene, decl);
        }
        if decl.ty() == DATA && !decl.is_data() {
            self.data(&address, decl);
        }
        // A connection that no provisioner uses is not checked.
        let is_used =
            |word: &str| word != "connection" || decl.blocks.iter().any(|b| b.word == "provisioner");
        // The arguments of the provider's resources are checked with its schema.
        if decl.ty().starts_with("spacelift_") && schema(decl.is_data(), decl.ty()).is_some() {
            self.inside(&scene, decl, |word| META_BLOCKS.contains(&word) && is_used(word));
        } else {
            if let Some(attr) = self.arguments(&scene, decl) {
                match decl.ty() {
                    DATA => self.secret(&address, &attr, "an ephemeral value would be stored"),
                    ty => {
                        let why = format!("whether `{ty}` stores `{}` is not known", attr.name);
                        self.validate.leave_open(attr.value(), &why);
                    }
                }
            }
            let scene = Scene {
                is_stored: true,
                ..scene
            };
            self.inside(&scene, decl, is_used);
        }
    }

    /// Checks the arguments of Terraform's only built-in resource.
    fn data(&mut self, address: &str, decl: &Decl<'a>) {
        for attr in &decl.attrs {
            let is_known = META.contains(&attr.name) || matches!(attr.name, "input" | "triggers_replace");
            if !is_known && !OF_DATA.contains(&attr.name) {
                let near = nearest(attr.name, ["input", "triggers_replace"]);
                let place = (self.place)(attr.name_spot());
                self.tell(address, attr.name, place, Wrong::Unknown, near);
            }
        }
        for inner in decl
            .blocks
            .iter()
            .filter(|inner| !META_BLOCKS.contains(&inner.word) || inner.word == "_")
        {
            if inner.word == "_" {
                for attribute in inner.block.body().attributes() {
                    if !matches!(attribute.name(), "input" | "triggers_replace") {
                        let place = self.place_of(inner.header.file, attribute.name_span());
                        self.tell(address, attribute.name(), place, Wrong::Unknown, None);
                    }
                }
                continue;
            }
            let place = (self.place)(inner.header);
            self.tell(address, inner.word, place, Wrong::UnknownBlock, None);
        }
    }
}

pub(super) fn scene<'s>(repeated: Repeated, address: &'s str) -> Scene<'s> {
    Scene {
        is_output: false,
        is_stored: false,
        repeated,
        address,
        data: &[],
    }
}
