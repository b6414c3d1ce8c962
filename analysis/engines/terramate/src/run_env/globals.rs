//! The globals of a stack: each is evaluated after those that it names.
//!
//! Source: Terramate 0.17.2, its evaluation of `globals`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Report;
use super::chain::{Chain, Item, Level};
use super::maps;
use super::names::Names;
use super::object::{At, Node, get, remove, set};
use super::variables::Variable;
use crate::problems::{CRASH, NULL_STRING};
use crate::read::Sort;
use crate::read::functions::may_fail;
use applyorder_syntax::hcl::eval::{self, Budget, Data, EvalErrorKind, Type, Value};
use applyorder_syntax::hcl::{Expr, ExprKind};

/// The text before the name of a global in Terramate's message.
pub(super) const LOADING: &str = "loading globals to evaluate terramate.config.run.env configuration";

/// The position of a global: its path, and whether it is a global, or only makes an object.
type Key = (Vec<Arc<str>>, bool);

/// A global that is not evaluated yet.
struct Pending<'c> {
    item: &'c Item,
    /// The directory that sets it.
    level: &'c Level,
    errors: Vec<EvaluationError>,
}

/// Why something cannot be evaluated: for users, and as Terramate's message.
#[derive(Clone, Debug)]
pub(super) struct EvaluationError {
    pub(super) message: String,
    pub(super) words: String,
}

impl EvaluationError {
    pub(super) fn new(words: impl Into<String>) -> Self {
        let words = words.into();
        Self {
            message: words.clone(),
            words,
        }
    }

    /// A null where Terramate takes it for a value of its type, and crashes.
    pub(super) fn null(wanted: &str) -> Self {
        Self {
            message: format!("expected {wanted}, found null"),
            words: match wanted {
                "a string" => NULL_STRING.to_owned(),
                _ => format!("{CRASH}can't use ElementIterator on null value"),
            },
        }
    }

    /// Without the text with which Terramate says that it is one of an expression.
    pub(super) fn without_kind(mut self) -> Self {
        if let Some(words) = self.words.strip_prefix("eval expression: ") {
            self.words = words.to_owned();
        }
        self
    }

    /// With the text that Terramate puts before it, unless it crashes.
    pub(super) fn within(mut self, words: &str) -> Self {
        if self.words.starts_with(CRASH) {
            return self;
        }
        self.words = format!("{words}: {}", self.words);
        self
    }
}

/// Whether an object, or one in it, is null though it has attributes by its type.
fn has_null_object(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match &value.data {
            Data::Null(Type::Object(attributes)) if !attributes.is_empty() => return true,
            Data::Object(fields) => open.extend(fields.values().values()),
            _ => {}
        }
    }
    false
}

struct Evaluation<'c, 'n> {
    names: &'n Names<'n>,
    budget: &'n Budget,
    pending: BTreeMap<Key, Pending<'c>>,
    /// The paths of those, to look up what is below one.
    paths: BTreeSet<Vec<Arc<str>>>,
    /// Those that may come before or after what extends them, and whether something reads them.
    unordered: BTreeMap<Key, bool>,
    report: &'n mut Report,
}

/// Evaluates the globals of a chain of directories, the root's first.
pub(super) fn evaluate(chain: &Chain<'_>, names: &Names<'_>, budget: &Budget, report: &mut Report) {
    if let Some((item, words)) = chain.levels.iter().rev().find_map(|level| level.rejected.clone()) {
        report.error(&item, EvaluationError::new(words).within(LOADING));
        return;
    }
    let mut pending: BTreeMap<Key, Pending<'_>> = BTreeMap::new();
    // Each directory's own, the shortest paths first.
    let mut order: Vec<(&Level, Vec<Key>)> = Vec::new();
    for level in &chain.levels {
        let mut keys = Vec::new();
        for item in &level.globals {
            let mut path = item.labels.clone();
            path.extend((item.sort != Sort::Block).then(|| item.name.clone()));
            let key = (path, item.sort != Sort::Block);
            keys.push(key.clone());
            let errors = Vec::new();
            pending.insert(key, Pending { item, level, errors });
        }
        keys.sort_by_key(|(path, _)| path.len());
        // The order in which Terramate evaluates these two changes from run to run.
        let is_set_twice =
            |(path, is_attribute): &Key| *is_attribute && keys.contains(&(path.clone(), false));
        if level.has_labels() && keys.iter().any(is_set_twice) {
            report.open("a global is set as a value and as labels of a block");
        }
        order.push((level, keys));
    }
    let mut evaluation = Evaluation {
        names,
        budget,
        paths: pending.keys().map(|(path, _)| path.clone()).collect(),
        unordered: unordered(chain, &pending),
        pending,
        report,
    };
    loop {
        let mut is_done = true;
        for (level, keys) in &order {
            for key in keys {
                if !budget.spend(1) {
                    evaluation
                        .report
                        .open("there are more globals than are evaluated");
                    return;
                }
                is_done &= !evaluation.step(level, key);
            }
        }
        if is_done {
            break;
        }
    }
    evaluation.finish();
}

/// Globals that wait for others and are set further up than what another directory, not below theirs, extends:
/// the order in which Terramate evaluates the two changes from run to run.
fn unordered(chain: &Chain<'_>, pending: &BTreeMap<Key, Pending<'_>>) -> BTreeMap<Key, bool> {
    let waits = |p: &Pending<'_>| p.item.variables().iter().any(|v| v.root == "global");
    let of_key = |(key, p): (&Key, &Pending<'_>)| {
        let path = &key.0;
        let from = pending.range((path.clone(), false)..);
        let mut parts = from.take_while(|((other, _), _)| other.starts_with(path));
        let is_extended = parts.any(|((other, _), part)| {
            other.len() > path.len() && !part.level.path.starts_with(&*p.level.path)
        });
        let is_it = |v: &Variable<'_>| {
            let both = v.names.iter().zip(path);
            v.root == "global" && both.into_iter().all(|(read, own)| **read == **own)
        };
        let reads = |item: &Item| item.variables().iter().any(is_it);
        let mut env = chain.levels.iter().flat_map(|level| &level.env);
        let mut is_read = || pending.values().any(|p| reads(p.item)) || env.any(&reads);
        (key.1 && waits(p) && is_extended).then(|| (key.clone(), is_read()))
    };
    pending.iter().filter_map(of_key).collect()
}

impl Evaluation<'_, '_> {
    /// Evaluates a global, if that is already possible. Returns whether it was.
    fn step(&mut self, level: &Level, key: &Key) -> bool {
        let Some(pending) = self.pending.get(key) else {
            return false;
        };
        let item = pending.item;
        let path = &key.0;
        let expr = item.value();
        if let Some(expr) = expr
            && matches!(expr.kind(), ExprKind::Variable("unset"))
        {
            remove(&mut self.names.globals.borrow_mut(), path);
            self.done(key);
            return true;
        }
        let mut errors = Vec::new();
        for variable in item.variables() {
            match variable.root {
                "global" if !variable.has_steps => {}
                "global" if self.is_pending(&variable.names) => {
                    return self.wait(key, errors);
                }
                "global" | "terramate" => {}
                root => errors.push(EvaluationError::new(format!(
                    "unknown variable namespace: {root}"
                ))),
            }
        }
        let waits_for_part = (1..=path.len()).rev().filter(|_| path.len() > 1).any(|size| {
            let part = path.get(..size).unwrap_or_default();
            let other = self.pending.get(&(part.to_vec(), true));
            other.is_some_and(|other| {
                let above = match other.item.sort {
                    Sort::Map => "",
                    _ => &other.level.path,
                };
                size < path.len() && level.path.starts_with(above)
            })
        });
        if waits_for_part || !errors.is_empty() {
            return self.wait(key, errors);
        }
        let (has_old, old_is_object) = {
            let globals = self.names.globals.borrow();
            let old = get(&globals, path);
            let (origin, is_object) = match old {
                None => (None, false),
                Some(At::Node(node)) => (Some(node.origin().clone()), node.is_object()),
                Some(At::Inside(is_object, origin)) => (Some(origin.clone()), is_object),
            };
            if key.1 && origin.as_ref() == Some(&item.origin) {
                let words = format!("global.{} attribute redefined", path.join("."));
                drop(globals);
                return self.wait(key, vec![EvaluationError::new(words)]);
            }
            (origin.is_some(), is_object)
        };
        let value = match item.sort {
            Sort::Block => Value::object(BTreeMap::new()),
            Sort::Map => match item.map().map(|map| maps::evaluate(map, self.names, self.budget)) {
                Some(Ok(value)) => value,
                Some(Err(failure)) => return self.fail(key, failure),
                None => Value::unknown("it could not be read"),
            },
            _ => match expr.map(|expr| evaluated(expr, self.names, self.budget, &[])) {
                Some(Ok(value)) => value,
                Some(Err(failure)) => return self.fail(key, failure),
                None => Value::unknown("it could not be read"),
            },
        };
        if item.sort != Sort::Block && has_null_object(&value) {
            return self.fail(key, EvaluationError::null("an object"));
        }
        let is_open = value.first_unknown().is_some()
            && expr
                .is_none_or(|expr| may_fail(&expr.descendants(), true, true) || !item.variables().is_empty());
        if is_open {
            self.report.open(&format!(
                "`global.{}` is known only when Terramate runs",
                path.join(".")
            ));
        }
        // An object that comes later loses what extended it, which is visible only to its readers.
        let is_unordered = self.unordered.get(key);
        let is_unordered = is_unordered.is_some_and(|is_read| *is_read || value.members().is_none());
        if value.as_unknown().is_none() && is_unordered {
            self.report.is_random |= value.members().is_some();
            self.report.open(&format!(
                "whether `global.{}` or what extends it is evaluated first changes from run to run",
                path.join(".")
            ));
        }
        if !(has_old && old_is_object && item.sort == Sort::Block) {
            let node = match item.sort {
                Sort::Block => Node::Object(BTreeMap::new(), item.origin.clone()),
                _ => Node::Value(value, item.origin.clone()),
            };
            let was_set = set(&mut self.names.globals.borrow_mut(), path, node);
            if let Err(part) = was_set {
                let words = format!(
                    "path part {part} (from [{}]) contains non-object parts in the path ({part} is eval.CtyValue)",
                    path.join(" ")
                );
                return self.wait(
                    key,
                    vec![EvaluationError::new(words).within("cannot extend object: setting global")],
                );
            }
        }
        self.done(key);
        true
    }

    fn fail(&mut self, key: &Key, failure: EvaluationError) -> bool {
        let root = key.0.first().map_or("", |name| name);
        let failure = failure.within(&format!("global.{root} ({})", key.1));
        self.wait(key, vec![failure])
    }

    fn wait(&mut self, key: &Key, errors: Vec<EvaluationError>) -> bool {
        if let Some(pending) = self.pending.get_mut(key) {
            pending.errors = errors;
        }
        false
    }

    fn done(&mut self, key: &Key) {
        self.pending.remove(key);
        let (path, is_attribute) = key;
        if !self.pending.contains_key(&(path.clone(), !is_attribute)) {
            self.paths.remove(path);
        }
    }

    /// Whether something that is not yet evaluated is at a path, above it or below it.
    fn is_pending(&self, names: &[&str]) -> bool {
        let path: Vec<Arc<str>> = names.iter().map(|name| Arc::from(*name)).collect();
        let is_above = (1..=path.len()).any(|size| {
            let part = path.get(..size).unwrap_or_default();
            self.paths.contains(part)
        });
        let mut from = self.paths.range(path.clone()..);
        is_above || from.next().is_some_and(|next| next.starts_with(&path))
    }

    /// What could not be evaluated.
    fn finish(self) {
        for ((path, _), pending) in self.pending {
            let name = path.first().map_or("", |name| name);
            if pending.errors.is_empty() {
                let words = format!("undefined global.{name}");
                let shown = path.join(".");
                let message =
                    format!("`global.{shown}` depends on itself, or on a global that cannot be evaluated");
                let words = format!("{LOADING}: global eval: {words}");
                self.report
                    .error(pending.item, EvaluationError { message, words });
            }
            for failure in pending.errors {
                let failure = failure.within("global eval").within(LOADING);
                self.report.error(pending.item, failure);
            }
        }
    }
}

/// The value of an expression.
///
/// # Errors
/// Why it has no value.
pub(super) fn evaluated(
    expr: Expr<'_>,
    names: &Names<'_>,
    budget: &Budget,
    bound: &[(&str, Value)],
) -> Result<Value, EvaluationError> {
    let outcome = eval::evaluate_with(expr, 0, names, budget, bound);
    // A limit is visible in the budget.
    let mut errors = outcome
        .errors
        .into_iter()
        .filter(|e| e.kind != EvalErrorKind::Limit);
    match errors.next() {
        Some(error) => Err(EvaluationError::new(error.message).within("eval expression")),
        None => Ok(outcome.value),
    }
}
