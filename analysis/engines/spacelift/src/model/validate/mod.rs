//! What `terraform validate` knows of a value: of locals what they say, of variables the type, of modules the names of
//! their outputs, of resources nothing. And what it rejects of expressions.
//!
//! Source: the validate walk of Terraform 1.11. It looks at each module once, whatever calls it.

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
mod repetition;
mod secrets;
mod traversal;
mod walk;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_syntax::hcl::Expr;
use applyorder_syntax::hcl::eval::{
    self, Budget, EvalErrorKind, FileAnswer, FileRequest, FunctionRef, Known, Logic, Lookup, Marks, Place,
    Scope, StepKind, Traversal, Type, Unknown, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::fault::{Fault, FaultKind, FaultText};
use super::known_names::Compared;
use super::module::{Decl, Module, Spot, written};
use super::world::World;

pub(super) use bodies::{message as not_message, not_iterable, not_met};
pub(super) use piece::modules;
pub(super) use providers::{Config, Declared, declared, lacks_implied};
pub(super) use repetition::repeats;
pub(super) use secrets::{marks_of, of_output, of_repetition};

/// Functions that OpenTofu has and Terraform has not.
const TOFU: &[&str] = &["base64gunzip", "cidrcontains", "urldecode"];

/// One module.
pub(super) struct Validate<'w, 'a> {
    pub(super) world: &'w World<'a>,
    pub(super) number: usize,
    /// What precedes the addresses in it: `module.m.`.
    pub(super) path: Arc<str>,
    /// The values of locals; nothing while one is being computed.
    locals: RefCell<FxHashMap<&'a str, Option<Value>>>,
    compared: Compared,
    faults: RefCell<Vec<Fault>>,
    /// Where they are.
    places: RefCell<FxHashSet<Place>>,
    /// Outputs that a call does not have, where they are named in the expression that is looked at. Whether that fails its
    /// evaluation says.
    no_outputs: RefCell<Vec<(Place, FaultText)>>,
    /// Where the first thing is that leaves the verdict open, and why.
    open: RefCell<Option<(Spot, String)>>,
    /// What is taken for true of files that are not there.
    absent: Absent,
    /// Whether such a file was asked for.
    asks_absent: Cell<bool>,
}

/// What is taken for true of files that are not there.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Absent {
    /// They may be there by the time Terraform runs.
    Perhaps,
    /// They are not there then either.
    Surely,
}

/// What surrounds an expression.
#[derive(Clone, Copy)]
pub(super) struct Around<'s> {
    pub(super) repeated: Repeated,
    /// Whether `self` means something.
    pub(super) has_self: bool,
    /// Further names.
    pub(super) names: &'s [(&'s str, Value)],
    /// Types and names of further data sources.
    pub(super) data: &'s [(&'s str, &'s str)],
    /// Whether the expression is not evaluated: only what is declared counts, and not the outputs of calls.
    pub(super) is_named_only: bool,
    /// What the expression belongs to.
    pub(super) at: &'s dyn Fn() -> String,
}

impl<'s> Around<'s> {
    /// Where nothing else has a meaning.
    pub(super) fn new(repeated: Repeated, at: &'s dyn Fn() -> String) -> Self {
        Self {
            repeated,
            has_self: false,
            names: &[],
            data: &[],
            is_named_only: false,
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
            world,
            number,
            path,
            locals: RefCell::default(),
            compared: Compared::default(),
            faults: RefCell::default(),
            places: RefCell::default(),
            no_outputs: RefCell::default(),
            open: RefCell::default(),
        }
    }

    /// The value of an expression. What Terraform rejects in it is noted.
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
            // Names are looked at apart, also those that no evaluation comes to.
            if !matches!(error.kind, EvalErrorKind::Variable | EvalErrorKind::Limit) {
                self.reject(error.place, &error.message, around);
            }
        }
        self.unreached(&outcome.unreached);
        outcome.value
    }

    /// Leaves open what an engine rejects or not, as its version has it.
    fn unreached(&self, errors: &[eval::EvalError]) {
        for error in errors {
            let message = error.message.trim_end_matches('.');
            self.leave_open_at(error.place, &format!("whether it counts is unknown: {message}"));
        }
    }

    /// Looks at what is called: a function of a provider, or one that OpenTofu alone has.
    fn declared_function(&self, name: &str, place: Place, around: &Around<'_>) {
        if TOFU.contains(&name.strip_prefix("core::").unwrap_or(name)) && !self.world.is_tofu() {
            self.leave_open_at(
                place,
                &format!("of `{name}` OpenTofu knows, and Terraform does not"),
            );
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

    /// Notes that a file is not there: it may be made before Terraform runs.
    fn missing_file(&self, error: &eval::EvalError, is_forgotten: bool, around: &Around<'_>) {
        if is_forgotten {
            let text = FaultText::new(FaultKind::MissingFile, error.message.clone());
            self.fault(error.place, &text.likely(true), around);
        } else {
            self.leave_open_at(error.place, &error.message);
        }
    }

    /// Notes what is rejected in the words of a sentence.
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

    /// Notes that the verdict cannot be known, because of what is at a place.
    pub(super) fn leave_open(&self, spot: Spot, why: &str) {
        self.open
            .borrow_mut()
            .get_or_insert_with(|| (spot, why.to_owned()));
    }

    fn leave_open_at(&self, place: Place, why: &str) {
        self.leave_open(self.world.spot(place), why);
    }

    /// Says that the verdict cannot be known where it depends on an unknown value of which Terraform may know more.
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

    /// The module that a call leads to, where it is read, with its number.
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
            ("terraform", "workspace") => Lookup::Value {
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
            ("path" | "terraform", _) | ("each", "key") => open(Type::String, 1),
            ("count", "index") => open(Type::Number, 1),
            _ => open(Type::Dynamic, all),
        }
    }

    fn function(&self, name: &str) -> FunctionRef {
        self.all.declared_function(name, self.place, self.around);
        crate::functions::function(name)
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

    fn file(&self, request: FileRequest<'_>) -> FileAnswer {
        let answer = self.of_absent(
            request,
            super::files::answer(self.all.world, self.all.number, request),
        );
        if let (FileRequest::Read(path, _), FileAnswer::Unknown(why)) = (request, &answer) {
            let exists = FileRequest::Exists(path);
            let is_there = super::files::answer(self.all.world, self.all.number, exists);
            if !matches!(is_there, FileAnswer::Bool(true)) {
                // It may be made before Terraform runs.
                self.all.leave_open_at(self.place, why);
            }
        }
        answer
    }
}

impl Here<'_, '_, '_> {
    /// The answer to a question about files, where what is not there is not made either.
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

    /// Whether what begins at a place names an output that there is not.
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
        let spec = self.all.world.spec(self.all.number, name, decl);
        Lookup::Value {
            value: unknown(spec.ty()).marked(self.all.marks_of(decl)),
            steps: 1,
        }
    }

    /// The type of all that a call gives; nothing where it is unknown, or an output is named that there is not.
    fn module_type(&self, name: &str, traversal: &Traversal<'_>) -> Option<Type> {
        let own = self.all.own()?;
        let call = own.calls.get(own.call(name)?)?;
        let (_, child) = self.all.called(call)?;
        let output = traversal.steps.iter().skip(1).find_map(|step| match step.kind {
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
        Some(match Repeated::of(call) {
            Repeated::No => one,
            Repeated::Count => Type::List(Arc::new(one)),
            Repeated::Each => Type::Map(Arc::new(one)),
        })
    }
}

impl<'a> Validate<'_, 'a> {
    /// The value of a local; nothing while it is being computed.
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
