//! What `run` evaluates for every stack before it starts anything: its globals and `terramate.config.run.env`.
//!
//! Source: Terramate 0.17.2, "Execution"; its evaluation of globals and of the environment of a run.

mod chain;
mod globals;
mod maps;
mod object;
mod scope;
mod variables;

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;

use camino::Utf8PathBuf;
use rustc_hash::{FxHashMap, FxHashSet};

use self::chain::{Chain, Item, level};
use self::globals::{Failure, evaluated};
use self::scope::Names;
use super::Scope;
use crate::judge::{ENVIRONMENT, RUN};
use crate::model::stacks::{Node, StackIx};
use crate::rules::run_environment;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Cx, World};
use applyorder_core::layer::{Finding, Fingerprint};
use applyorder_core::store::Shape;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::{Budget, Data, Value};

/// Steps that the evaluation for one stack may take, and for those of a project.
const MOST_OF_STACK: u64 = 500_000;
const MOST_OF_PROJECT: u64 = 50_000_000;

/// What came of the evaluation for a stack.
#[derive(Debug, Default)]
pub(super) struct Report {
    errors: Vec<Error>,
    /// Why it is not known whether Terramate fails.
    open: Option<String>,
    /// Other stacks may have other values.
    is_own: bool,
    files: Vec<Utf8PathBuf>,
    used: u64,
}

#[derive(Debug)]
struct Error {
    place: Place,
    failure: Failure,
}

impl Report {
    fn open(&mut self, why: &str) {
        self.open.get_or_insert_with(|| why.to_owned());
    }

    fn error(&mut self, item: &Item, failure: Failure) {
        self.errors.push(Error {
            place: item.place,
            failure,
        });
    }
}

/// What the evaluation for a stack may see; with the texts of the files that it read.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ReportKey {
    world: World,
    chain: Fingerprint,
    stack: (u32, Shape, Option<(u32, Shape)>),
    texts: Fingerprint,
}

/// Pushes what a run fails at; and gives why it is not known whether it does.
pub(super) fn check(scope: &Scope<'_>, cx: &Cx<'_>, found: &mut Vec<Finding>) -> Option<String> {
    let run = Run::new(scope, cx);
    if run.levels.is_empty() {
        return None;
    }
    let mut open = None;
    let mut used = 0u64;
    let mut shared: FxHashMap<u32, Arc<Report>> = FxHashMap::default();
    let mut seen: FxHashSet<(Place, String)> = FxHashSet::default();
    for (stack, node) in scope.stacks.iter() {
        if scope.related.selected.get(stack as usize) != Some(&true) {
            continue;
        }
        let Some((last, chain)) = run.chain(node.dir) else {
            continue;
        };
        if used > MOST_OF_PROJECT {
            open.get_or_insert_with(|| "there is more to evaluate for a run than is evaluated".to_owned());
            break;
        }
        let report = match shared.get(&last) {
            Some(report) => report.clone(),
            None => {
                let report = run.report(stack, node, &chain);
                used = used.saturating_add(report.used);
                if !report.is_own {
                    shared.insert(last, report.clone());
                }
                report
            }
        };
        open = open.or_else(|| report.open.clone());
        for error in &report.errors {
            let Failure { message, words } = &error.failure;
            if !seen.insert((error.place, message.clone())) {
                continue;
            }
            let finding = Finding::new(run_environment::found(error.place, &node.path, message, words));
            let at = u32::try_from(found.len()).unwrap_or(u32::MAX);
            found.push(finding.about(node.path.clone()).at(at).rejected(RUN, ENVIRONMENT));
        }
    }
    open
}

struct Run<'a> {
    scope: &'a Scope<'a>,
    cx: &'a Cx<'a>,
    /// What directories say, by their numbers.
    levels: FxHashMap<u32, (Arc<chain::Level>, Fingerprint)>,
    /// The paths of all stacks.
    list: OnceCell<Value>,
    /// By directory, with the lowest one that says something.
    chains: RefCell<FxHashMap<u32, Option<(u32, Arc<Chain>)>>>,
}

impl<'a> Run<'a> {
    fn new(scope: &'a Scope<'a>, cx: &'a Cx<'a>) -> Self {
        let dirs = (0u32..)
            .zip(&scope.tree.dirs)
            .filter(|(_, dir)| !dir.files.is_empty());
        let levels = dirs.filter_map(|(index, dir)| Some((index, level(scope, cx, index, dir)?)));
        Self {
            scope,
            cx,
            levels: levels.collect(),
            list: OnceCell::new(),
            chains: RefCell::default(),
        }
    }

    /// What is said for a directory, with the lowest one that says something.
    fn chain(&self, dir: u32) -> Option<(u32, Arc<Chain>)> {
        let parent = |dir: u32| self.scope.tree.dirs.get(dir as usize)?.parent;
        let mut chains = self.chains.borrow_mut();
        // Up to where it is known, and down again.
        let mut open = Vec::new();
        let mut at = Some(dir);
        let mut chain = None;
        while let Some(index) = at {
            if let Some(known) = chains.get(&index) {
                chain.clone_from(known);
                break;
            }
            open.push(index);
            at = parent(index);
        }
        for index in open.into_iter().rev() {
            if let Some((level, print)) = self.levels.get(&index) {
                let above = chain.as_ref().map(|(_, chain): &(u32, Arc<Chain>)| &**chain);
                chain = Some((index, Arc::new(Chain::below(above, level, (index, *print)))));
            }
            chains.insert(index, chain.clone());
        }
        chain
    }

    fn report(&self, stack: StackIx, node: &Node, chain: &Chain) -> Arc<Report> {
        let parent = self
            .scope
            .stacks
            .parent(stack)
            .and_then(|p| self.scope.stacks.get(p));
        let of_parent = parent.map(|p| (p.dir, p.shape));
        let mut key = ReportKey {
            world: self.cx.world(),
            // Which stacks there are is among what can be named.
            chain: Fingerprint::of(&(chain.print, self.scope.stacks.places.print)),
            stack: (node.dir, node.shape, of_parent),
            texts: Fingerprint::of(&()),
        };
        let make = || self.evaluate((node, parent), chain);
        let mut report = self.cx.memo().get(key.clone(), make);
        // What files say decides which other files are read: until none comes up that is not looked at.
        for _ in 0..report.files.len().min(8) {
            let texts: Vec<Option<Arc<str>>> = report.files.iter().map(|path| self.text(path)).collect();
            key.texts = Fingerprint::of(&(&report.files, texts));
            let next = self.cx.memo().get(key.clone(), make);
            let is_same = next.files == report.files;
            report = next;
            if is_same {
                break;
            }
        }
        report
    }

    fn text(&self, path: &Utf8PathBuf) -> Option<Arc<str>> {
        Some(self.cx.source(path).ok()?.1.text.clone())
    }

    fn evaluate(&self, stack: (&Node, Option<&Node>), chain: &Chain) -> Report {
        let (scope, version) = (self.scope, &self.scope.model.loaded.version);
        let list = self.list.get_or_init(|| scope::list(scope.stacks));
        let names = Names::new(self.cx, scope.tree, stack, list, version);
        let budget = Budget::new(MOST_OF_STACK);
        let mut report = Report::default();
        globals::evaluate(chain, &names, &budget, &mut report);
        if report.errors.is_empty() {
            environment(chain, &names, &budget, &mut report);
        }
        if budget.is_exhausted() {
            report.open("there is more to evaluate for a run than is evaluated");
        }
        report.is_own = names.is_own.get();
        report.files = names.files.take();
        report.used = MOST_OF_STACK - budget.left();
        report
    }
}

/// What a stack sets comes before what is set above it; Terramate stops at the first that it cannot evaluate.
fn environment(chain: &Chain, names: &Names<'_>, budget: &Budget, report: &mut Report) {
    names.has_env.set(true);
    let mut skipped: FxHashSet<Arc<str>> = FxHashSet::default();
    for item in chain.levels.iter().rev().flat_map(|level| &level.env) {
        let Some(expr) = item.value() else { continue };
        if skipped.contains(&item.name) {
            continue;
        }
        if matches!(expr.kind(), ExprKind::Variable("unset")) {
            skipped.insert(item.name.clone());
            continue;
        }
        let value = match evaluated(expr, names, budget, &[]) {
            Ok(value) => value,
            Err(failure) => {
                report.error(
                    item,
                    failure.within("evaluating terramate.config.run.env attribute"),
                );
                return;
            }
        };
        match &value.data {
            Data::String(_) => {}
            Data::Null(_) => drop(skipped.insert(item.name.clone())),
            Data::Unknown(_) => {
                let name = &item.name;
                report.open(&format!(
                    "`terramate.config.run.env.{name}` is not known without running Terramate"
                ));
            }
            _ => {
                let found = value.type_name();
                let words =
                    format!("invalid environment variable type: attr has type {found} but must be string");
                let message = format!("expected a string, found {found}");
                report.error(item, Failure { message, words });
                return;
            }
        }
    }
}
