//! What `terraform validate` knows about values: the values of locals, the types of variables, the names of the outputs
//! of modules, nothing about resources. And which expressions it rejects.
//!
//! Source: the validate walk of Terraform 1.11. It checks each module once, whatever calls it.

mod backend;
mod backends;
mod bodies;
mod calls;
mod depends_on;
mod imports;
mod meta;
mod once;
mod own;
mod piece;
mod providers;
mod provisioners;
mod references;
mod remote_state;
mod repetition;
mod secrets;
mod traversal;
mod walk;

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{
    self, Budget, EvalErrorKind, FileAnswer, FileRequest, FunctionRef, Known, Logic, Lookup, Marks, Place,
    Scope, StepKind, Templates, Traversal, Type, Unknown, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fault::{Fault, FaultKind, FaultText};
use super::known_names::Compared;
use super::module::{Decl, Module, Spot, written};
use super::world::World;

pub(super) use backends::Fault as StateFault;
pub(super) use bodies::{message as not_message, not_iterable, not_met};
pub(super) use imports::{MOST_ENTRIES, entries_of};
pub(super) use piece::modules;
use providers::UsedAliases;
pub(super) use providers::{Config, Declared, declared, lacks_implied};
pub(super) use references::of_other_repetition;
pub(super) use remote_state::check as check_state;
pub(super) use repetition::repeats;
pub(super) use secrets::{marks_of, of_output, of_repetition};

/// Functions that only OpenTofu has.
const TOFU: &[&str] = &["base64gunzip", "cidrcontains", "urldecode"];

/// Functions that OpenTofu has only since 1.11.
const LATER_TOFU: &[&str] = &["ephemeralasnull"];

/// One module.
pub(super) struct Validate<'w, 'a> {
    pub(super) world: &'w World<'a>,
    pub(super) number: usize,
    /// What precedes the addresses in it: `module.m.`.
    pub(super) path: Arc<str>,
    /// The values of locals; `None` while one is being computed.
    locals: RefCell<FxHashMap<&'a str, Option<Value>>>,
    compared: Compared,
    faults: RefCell<Vec<Fault>>,
    /// Where they are.
    places: RefCell<FxHashSet<Place>>,
    /// The references in the current expression to outputs that a call does not have. The evaluation decides whether
    /// they fail.
    no_outputs: RefCell<Vec<(Place, FaultText)>>,
    /// The first place that leaves the verdict open, and why.
    open: RefCell<Option<(Spot, String)>>,
    /// The same for the verdict of `plan`.
    open_plan: RefCell<Option<(Spot, String)>>,
    /// What is assumed about files that do not exist.
    absent: Absent,
    /// Whether an expression asked for such a file.
    asks_absent: Cell<bool>,
    /// Whether `terraform` is the built-in provider here; computed when it is needed.
    implies_builtin: OnceCell<bool>,
    /// The aliases of providers that it uses; computed when they are needed.
    used_aliases: OnceCell<UsedAliases>,
}

/// What is assumed about files that do not exist.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    /// They may exist by the time Terraform runs.
    Perhaps,
    /// They still do not exist then.
    Surely,
}

/// What surrounds an expression.
#[derive(Clone, Copy)]
pub(super) struct Around<'s> {
    pub(super) repeated: Repeated,
    /// Whether `self` has a meaning.
    pub(super) has_self: bool,
    /// Further names.
    pub(super) names: &'s [(&'s str, Value)],
    /// Types and names of further data sources.
    pub(super) data: &'s [(&'s str, &'s str)],
    /// Whether the expression is not evaluated: only declarations are checked, not the outputs of calls.
    pub(super) is_named_only: bool,
    /// Whether nothing is reported of an evaluation that leaves open what is repeated by its value.
    pub(super) hides_failure: bool,
    /// What the expression belongs to.
    pub(super) at: &'s dyn Fn() -> String,
}

impl<'s> Around<'s> {
    /// Surroundings without other names.
    pub(super) fn new(repeated: Repeated, at: &'s dyn Fn() -> String) -> Self {
        Self {
            repeated,
            has_self: false,
            names: &[],
            data: &[],
            is_named_only: false,
            hides_failure: false,
            at,
        }
    }
}

/// What repeats the block that an expression is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Repeated {
    No,
    Count,
    Each,
    /// Arguments of a call: Terraform looks at how it is repeated only when it plans.
    Perhaps,
}

impl Repeated {
    pub(super) fn of(decl: &Decl<'_>) -> Self {
        if decl.attr("count").is_some() {
            Self::Count
        } else if decl.attr("for_each").is_some() {
            Self::Each
        } else {
            Self::No
        }
    }
}

impl<'w, 'a> Validate<'w, 'a> {
    fn new(world: &'w World<'a>, number: usize, path: Arc<str>, absent: Absent) -> Self {
        Self {
            absent,
            asks_absent: Cell::new(false),
            implies_builtin: OnceCell::new(),
            used_aliases: OnceCell::new(),
            world,
            number,
            path,
            locals: RefCell::default(),
            compared: Compared::default(),
            faults: RefCell::default(),
            open_plan: RefCell::default(),
            places: RefCell::default(),
            no_outputs: RefCell::default(),
            open: RefCell::default(),
        }
    }

    /// Whether a type of resources without a `provider` belongs to Terraform's built-in provider.
    pub(super) fn is_builtin(&self, ty: &str) -> bool {
        let is_required = |own| super::provider::is_required(self.world, own, "terraform");
        let is_implied = || self.own().is_some_and(|own| !is_required(own));
        let is_named = ty == "terraform" || ty.starts_with(crate::schema::BUILTIN);
        is_named && *self.implies_builtin.get_or_init(is_implied)
    }

    /// The value of an expression. What Terraform rejects in it is recorded.
    pub(super) fn eval(&self, expr: Expr<'a>, file: usize, around: &Around<'_>) -> Value {
        let place = written(expr.span(), file);
        let file = place.file;
        if let Some(plain) = expr.as_text() {
            return Value::string(plain).at(place);
        }
        let outside = self.no_outputs.take();
        self.references(expr, file, around);
        let here = Here {
            all: self,
            around,
            place,
        };
        let outcome = eval::evaluate_with(expr, file, &here, &self.world.budget, around.names);
        if around.hides_failure && !outcome.errors.is_empty() && repetition::is_open(&outcome.value) {
            self.no_outputs.replace(outside);
            return outcome.value.without_marks();
        }
        for (at, text) in self.no_outputs.replace(outside) {
            let is_of =
                |error: &eval::EvalError| error.kind == EvalErrorKind::Variable && holds(error.place, at);
            if outcome.errors.iter().any(is_of) {
                self.fault(at, &text, around);
            }
        }
        for error in outcome.errors {
            if let EvalErrorKind::Missing { is_forgotten } = error.kind {
                self.missing_file(&error, is_forgotten, around);
                continue;
            }
            // Names are checked separately, also those that are not evaluated.
            if !matches!(error.kind, EvalErrorKind::Variable | EvalErrorKind::Limit) {
                self.reject(error.place, &error.message, around);
            }
        }
        self.unreached(&outcome.unreached);
        outcome.value
    }

    /// Leaves open what an engine rejects depending on its version.
    fn unreached(&self, errors: &[eval::EvalError]) {
        for error in errors {
            let message = error.message.trim_end_matches('.');
            self.leave_open_at(error.place, &format!("whether it counts is unknown: {message}"));
        }
    }

    /// Checks a called function that belongs to a provider or that only OpenTofu has.
    fn declared_function(&self, name: &str, place: Place, around: &Around<'_>) {
        let plain = name.strip_prefix("core::").unwrap_or(name);
        if TOFU.contains(&plain) && !self.world.is_tofu() {
            self.leave_open_at(
                place,
                &format!("of `{name}` OpenTofu knows, and Terraform does not"),
            );
        }
        if LATER_TOFU.contains(&plain) && self.world.is_tofu() {
            let why = format!("whether `{name}` exists depends on the version of OpenTofu");
            self.leave_open_at(place, &why);
        }
        let Some((provider, _)) = name
            .strip_prefix("provider::")
            .and_then(|rest| rest.split_once("::"))
        else {
            return;
        };
        let own = self.own();
        let is_declared =
            own.is_none_or(|own| own.has_gap || super::provider::is_required(self.world, own, provider));
        if is_declared {
            let why = format!("which functions the provider `{provider}` has is not known");
            self.leave_open_at(place, &why);
        } else {
            let message =
                format!("There is no function \"{name}\": the module requires no provider \"{provider}\".");
            self.reject(place, &message, around);
        }
    }

    /// Records that a file does not exist: it may be created before Terraform runs.
    fn missing_file(&self, error: &eval::EvalError, is_forgotten: bool, around: &Around<'_>) {
        if is_forgotten {
            let text = FaultText::new(FaultKind::MissingFile, error.message.clone());
            self.fault(error.place, &text.likely(true), around);
        } else {
            self.leave_open_at(error.place, &error.message);
        }
    }

    /// Records what is rejected, with a message.
    fn reject(&self, place: Place, message: &str, around: &Around<'_>) {
        let text = FaultText::new(FaultKind::InvalidExpression, message.to_owned());
        self.fault(place, &text, around);
    }

    fn fault(&self, place: Place, text: &FaultText, around: &Around<'_>) {
        if !self.places.borrow_mut().insert(place) {
            return;
        }
        let at: Arc<str> = (around.at)().into();
        self.faults.borrow_mut().push(Fault {
            text: text.clone(),
            spot: self.world.spot(place),
            at: at.clone(),
            static_at: at,
            is_static: true,
            reads_likely: false,
        });
    }

    /// Records that the verdict cannot be known because of what is at a place.
    pub(super) fn leave_open(&self, spot: Spot, why: &str) {
        self.open
            .borrow_mut()
            .get_or_insert_with(|| (spot, why.to_owned()));
    }

    /// Records that the verdict of `plan` cannot be known because of what is at a place.
    pub(super) fn leave_plan_open(&self, spot: Spot, why: &str) {
        self.open_plan
            .borrow_mut()
            .get_or_insert_with(|| (spot, why.to_owned()));
    }

    fn leave_open_at(&self, place: Place, why: &str) {
        self.leave_open(self.world.spot(place), why);
    }

    /// Records that the verdict cannot be known if it depends on an unknown value about which Terraform may know more.
    pub(super) fn leave_open_unfollowed(&self, value: &Value, spot: Spot) {
        // The meaning of a string is not needed before the string is known.
        let is_open = |unknown: &&Unknown| !unknown.known.is_followed() && unknown.ty != Type::String;
        if let Some(unknown) = value.as_unknown().filter(is_open) {
            self.leave_open(spot, &unknown.why);
        }
    }

    fn own(&self) -> Option<&'w Module<'a>> {
        self.world.modules.get(self.number)
    }

    /// The module that a call refers to, if it is read, with its number.
    fn called(&self, call: &Decl<'_>) -> Option<(usize, &'w Module<'a>)> {
        let number = self.world.called_module(self.number, call)?;
        Some((number, self.world.modules.get(number)?))
    }
}

struct Here<'v, 'w, 'a> {
    all: &'v Validate<'w, 'a>,
    around: &'v Around<'v>,
    /// The expression.
    place: Place,
}

/// Whether a place is in another one.
fn holds(outer: Place, inner: Place) -> bool {
    outer.file == inner.file && outer.span.contains(inner.span)
}

fn unknown(ty: Type) -> Value {
    Unknown {
        known: Known::Type,
        ..Unknown::new("`terraform validate` does not know it", ty)
    }
    .into()
}

fn open(ty: Type, steps: usize) -> Lookup {
    Lookup::Value {
        value: unknown(ty),
        steps,
    }
}

impl Scope for Here<'_, '_, '_> {
    fn variable(&self, traversal: Traversal<'_>, _: &Budget) -> Lookup {
        let all = traversal.steps.len();
        let name = match traversal.steps.first().map(|step| &step.kind) {
            Some(StepKind::Attr(name)) => *name,
            _ => return open(Type::Dynamic, all),
        };
        match (traversal.root, name) {
            ("local", _) => match self.local(name) {
                Some(value) => Lookup::Value { value, steps: 1 },
                None => open(Type::Dynamic, all),
            },
            ("var", _) => self.variable_of(name),
            ("module", _) if self.lacks_output(traversal.root_place) => {
                Lookup::Missing(format!("The module \"{name}\" does not have this output."))
            }
            ("module", _) => match self.module_type(name, &traversal) {
                Some(ty) => open(ty, 1),
                None => open(Type::Dynamic, all),
            },
            ("path", "module") => Lookup::Value {
                value: Value::string(&self.all.world.path_of_module(self.all.number)),
                steps: 1,
            },
            ("path", "root") => Lookup::Value {
                value: Value::string("."),
                steps: 1,
            },
            ("terraform" | "tofu", "workspace") => Lookup::Value {
                value: Value::string(&self.all.world.workspace()),
                steps: 1,
            },
            // Nothing is applied.
            ("terraform", "applying") => Lookup::Value {
                value: Value::bool(false).marked(Marks::EPHEMERAL),
                steps: 1,
            },
            ("ephemeral", _) => Lookup::Value {
                value: unknown(Type::Dynamic).marked(Marks::EPHEMERAL),
                steps: all,
            },
            // Terraform knows it.
            ("path", "cwd") => Lookup::Value {
                value: Unknown::new("where Terraform is started is unknown", Type::String).into(),
                steps: 1,
            },
            ("path" | "terraform" | "tofu", _) | ("each", "key") => open(Type::String, 1),
            ("count", "index") => open(Type::Number, 1),
            _ => open(Type::Dynamic, all),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        self.all.declared_function(name, self.place, self.around);
        crate::functions::function(name, self.all.world.is_tofu())
    }

    fn not_computed(&self, place: Place, why: &str) {
        self.all.leave_open_at(place, why);
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn logic(&self) -> Logic {
        self.all.world.logic()
    }

    fn templates(&self) -> Templates {
        crate::functions::templates(self.all.world.is_tofu())
    }

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        let answer = self.of_absent(
            request,
            super::files::answer(self.all.world, self.all.number, request),
        );
        if let (FileRequest::Read(path, _), FileAnswer::Unknown(why)) = (request, &answer) {
            let exists = FileRequest::Exists(path);
            let is_there = super::files::answer(self.all.world, self.all.number, exists);
            if !matches!(is_there, FileAnswer::Bool(true)) {
                // It may be created before Terraform runs.
                self.all.leave_open_at(self.place, why);
            }
        }
        if let (FileRequest::Set(_, pattern), FileAnswer::Unknown(why)) = (request, &answer)
            && pattern.contains(['[', '{', '\\'])
        {
            // It may be invalid where it is compared with a name.
            self.all.leave_open_at(self.place, why);
        }
        answer
    }
}

impl Here<'_, '_, '_> {
    /// The answer to a file request under the current assumption about files that do not exist.
    fn of_absent(&self, request: FileRequest<'_>, answer: FileAnswer) -> FileAnswer {
        if !matches!(answer, FileAnswer::NotYet | FileAnswer::Missing { .. }) {
            return answer;
        }
        self.all.asks_absent.set(true);
        match (self.all.absent, answer) {
            (Absent::Perhaps, answer) => answer,
            (Absent::Surely, FileAnswer::Missing { message, .. }) => FileAnswer::Fails(message),
            (Absent::Surely, _) => match request {
                FileRequest::Set(..) => FileAnswer::Names(Vec::new()),
                _ => FileAnswer::Bool(false),
            },
        }
    }

    /// Whether the reference that starts at a place names an output that does not exist.
    fn lacks_output(&self, at: Place) -> bool {
        let named = self.all.no_outputs.borrow();
        let is_same = |known: &Place| known.file == at.file && known.span.start == at.span.start;
        named.iter().any(|(known, _)| is_same(known))
    }

    fn local(&self, name: &str) -> Option<Value> {
        let attr = *self.all.own()?.locals.get(name)?;
        self.all.local(&attr)
    }

    fn variable_of(&self, name: &str) -> Lookup {
        let own = self.all.own();
        let declared = own.and_then(|m| m.variables.get_key_value(name));
        let Some((name, decl)) = declared else {
            return open(Type::Dynamic, 1);
        };
        Lookup::Value {
            value: self.all.variable(name, decl),
            steps: 1,
        }
    }

    /// The type of all outputs of a call; `None` if it is unknown, or an output is named that does not exist.
    fn module_type(&self, name: &str, traversal: &Traversal<'_>) -> Option<Type> {
        let own = self.all.own()?;
        let call = own.calls.get(own.call(name)?)?;
        let (_, child) = self.all.called(call)?;
        let repeated = Repeated::of(call);
        let at = 1 + usize::from(matches!(repeated, Repeated::Count | Repeated::Each));
        let output = traversal.steps.get(at).and_then(|step| match step.kind {
            StepKind::Attr(name) => Some(name),
            StepKind::Index(_) => None,
        });
        if child.has_gap || output.is_some_and(|name| child.output(name).is_none()) {
            return None;
        }
        let outputs = child
            .outputs
            .iter()
            .map(|decl| (decl.name().into(), Type::Dynamic));
        let one = Type::Object(Arc::new(outputs.collect::<BTreeMap<_, _>>()));
        Some(match repeated {
            Repeated::No | Repeated::Perhaps => one,
            Repeated::Count => Type::List(Arc::new(one)),
            Repeated::Each => Type::Map(Arc::new(one)),
        })
    }
}

impl<'a> Validate<'_, 'a> {
    /// The value of a variable.
    fn variable(&self, name: &'a str, decl: &Decl<'a>) -> Value {
        let spec = self.world.spec(self.number, name, decl);
        unknown(spec.ty()).marked(self.marks_of(decl))
    }

    /// All variables, of which only one has a known value: in its own conditions.
    ///
    /// Source: Terraform 1.11, `evalVariableValidations`.
    fn variables_with(&self, name: &str, value: Value) -> Value {
        let all = self.own().into_iter().flat_map(|module| &module.variables);
        let others = all.map(|(name, decl)| (Arc::from(*name), self.variable(name, decl)));
        let mut all: BTreeMap<Arc<str>, Value> = others.collect();
        all.insert(name.into(), value);
        Value::object(all)
    }

    /// The value of a local; `None` while it is being computed.
    fn local(&self, attr: &super::module::Attr<'a>) -> Option<Value> {
        if let Some(known) = self.locals.borrow().get(attr.name) {
            return known.clone();
        }
        self.locals.borrow_mut().insert(attr.name, None);
        let at = || format!("{}local.{}", self.path, attr.name);
        let around = Around::new(Repeated::No, &at);
        let value = self.eval(attr.expr, attr.file, &around);
        self.locals.borrow_mut().insert(attr.name, Some(value.clone()));
        Some(value)
    }
}
