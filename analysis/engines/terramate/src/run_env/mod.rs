//! What `run` evaluates for every stack before it starts anything: its globals and `terramate.config.run.env`.
//!
//! Source: Terramate 0.17.2, "Execution"; its evaluation of globals and of the environment of a run.

mod chain;
mod globals;
mod maps;
mod names;
mod object;
mod variables;

use std::sync::{Arc, OnceLock};

use camino::Utf8PathBuf;
use rustc_hash::FxHashSet;

use self::chain::{Chain, Item, Level, level};
use self::globals::{EvaluationError, evaluated};
pub(crate) use self::names::{Names, list};
use crate::load::tree::{Dir, Tree};
use crate::model::Model;
use crate::model::stacks::{Node, StackIx, Stacks};
use crate::relate::Related;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::{Cx, EngineIx, World};
use applyorder_core::layer::{Fingerprint, MemoTable};
use applyorder_core::store::Shape;
use applyorder_syntax::hcl::ExprKind;
use applyorder_syntax::hcl::eval::{Budget, Data, Value};

/// The maximum number of steps for the evaluation of one stack, and for those of a project.
const MOST_OF_STACK: u64 = 500_000;
const MOST_OF_PROJECT: u64 = 50_000_000;

/// The result of the evaluation for a stack.
#[derive(Debug, Default)]
struct Report {
    errors: Vec<Error>,
    /// Why it is unknown whether Terramate fails.
    open: Option<String>,
    /// Its result changes from run to run, and so do its errors.
    is_random: bool,
    /// Other stacks may have other values.
    is_own: bool,
    /// A limit of ours was reached.
    is_limited: bool,
    files: Vec<Utf8PathBuf>,
    used: u64,
}

#[derive(Debug)]
struct Error {
    place: Place,
    failure: EvaluationError,
}

impl Report {
    fn open(&mut self, why: &str) {
        self.open.get_or_insert_with(|| why.to_owned());
    }

    fn error(&mut self, item: &Item, failure: EvaluationError) {
        self.errors.push(Error {
            place: item.place,
            failure,
        });
    }
}

/// What the evaluation for a stack may read, with the texts of the files that it read.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ReportKey {
    world: World,
    chain: Fingerprint,
    /// The set of stacks is among what can be named.
    places: Fingerprint,
    stack: (u32, Shape, Option<(u32, Shape)>),
    texts: Option<Fingerprint>,
}

/// What a run is for.
#[derive(Clone, Copy)]
pub(crate) struct Project<'a> {
    pub(crate) cx: &'a Cx<'a>,
    pub(crate) engine: EngineIx,
    pub(crate) model: &'a Model,
    pub(crate) related: &'a Related,
}

/// What a run cannot evaluate, stack by stack in the order in which it reaches them.
#[derive(Default)]
pub(crate) struct Evaluation {
    pub(crate) failures: Vec<Failure>,
    /// Where the evaluated part begins, if a limit of ours was reached.
    pub(crate) limit: Option<Place>,
    /// Why it is unknown whether the run fails.
    pub(crate) open: Option<String>,
}

impl Evaluation {
    /// Notes that not all was evaluated.
    fn stop(&mut self, chain: &Chain<'_>) {
        self.open.get_or_insert_with(|| STOPPED.to_owned());
        let mut items = chain.levels.iter().flat_map(|l| l.globals.iter().chain(&l.env));
        self.limit = items.next().map(|item| item.place);
    }
}

/// A value that the run cannot evaluate for a stack.
pub(crate) struct Failure {
    pub(crate) place: Place,
    pub(crate) stack: Arc<str>,
    /// Why, for users.
    pub(crate) message: String,
    /// Why, as Terramate's message.
    pub(crate) words: String,
}

/// The message for a limit of ours.
pub(crate) const STOPPED: &str = "evaluating the run stopped at its limit";

/// Evaluates for all stacks of the run.
pub(crate) fn evaluate(project: Project<'_>) -> Evaluation {
    let mut evaluation = Evaluation::default();
    let (model, related) = (project.model, project.related);
    let mut chains = Chains::new(&project);
    if chains.levels.iter().all(Option::is_none) {
        return evaluation;
    }
    let mut used = 0u64;
    let tree = &model.loaded.tree;
    // By the lowest directory with content, if it was reached; `None` inside: its stacks differ.
    let mut shared: Vec<Option<Option<Arc<Report>>>> = vec![None; tree.dirs.len()];
    let mut seen: FxHashSet<(Place, String)> = FxHashSet::default();
    let is_selected = |stack: StackIx| related.selected.get(stack as usize) == Some(&true);
    let selected = model.stacks.iter().filter(|(stack, _)| is_selected(*stack));
    let of_stack = |(stack, node)| {
        let node: &Node = node;
        let below = chains.of(tree, node.dir)?;
        Some(Evaluated { stack, node, below })
    };
    let all: Vec<Evaluated<'_>> = selected.filter_map(of_stack).collect();
    let run = Run::new(project, &chains);
    let next = next_alike(&all, tree.dirs.len());
    for (at, one) in all.iter().enumerate() {
        let node = one.node;
        if used > MOST_OF_PROJECT {
            evaluation.stop(&run.chain(one));
            break;
        }
        let Some(shared) = shared.get_mut(one.below.last as usize) else {
            continue;
        };
        let report = match &*shared {
            Some(Some(report)) => report.clone(),
            known => {
                let is_first = known.is_none();
                let report = run.report(one);
                used = used.saturating_add(report.used);
                if is_first {
                    *shared = Some((!report.is_own).then(|| report.clone()));
                }
                if is_first && report.is_own {
                    // As many as the budget probably allows.
                    let most = MOST_OF_PROJECT.saturating_sub(used) / report.used.max(1);
                    let following = |at: &usize| next.get(*at).copied().flatten();
                    let others = std::iter::successors(following(&at), following);
                    let others = others.take(usize::try_from(most).unwrap_or(usize::MAX));
                    run.prepare(others.filter_map(|at| all.get(at)).collect());
                }
                report
            }
        };
        if evaluation.open.is_none() {
            evaluation.open.clone_from(&report.open);
        }
        if report.is_limited {
            evaluation.stop(&run.chain(one));
            break;
        }
        for error in report.errors.iter().filter(|_| !report.is_random) {
            let EvaluationError { message, words } = &error.failure;
            if !seen.insert((error.place, message.clone())) {
                continue;
            }
            evaluation.failures.push(Failure {
                place: error.place,
                stack: node.path.clone(),
                message: message.clone(),
                words: words.clone(),
            });
        }
    }
    evaluation
}

/// For each stack the next one with the same lowest directory with content.
fn next_alike(all: &[Evaluated<'_>], dirs: usize) -> Vec<Option<usize>> {
    let mut first: Vec<Option<usize>> = vec![None; dirs];
    let mut next = vec![None; all.len()];
    for (at, (one, next)) in all.iter().zip(&mut next).enumerate().rev() {
        if let Some(first) = first.get_mut(one.below.last as usize) {
            *next = first.replace(at);
        }
    }
    next
}

/// The contents for a directory.
#[derive(Clone, Copy)]
struct Below {
    /// The lowest directory with content.
    last: u32,
    /// All contents of it and of those above it, as a number.
    print: Fingerprint,
}

/// A stack that is evaluated.
struct Evaluated<'a> {
    stack: StackIx,
    node: &'a Node,
    below: Below,
}

/// The contents of directories, and of those above them.
struct Chains {
    /// By directory.
    levels: Vec<Option<(Arc<Level>, Fingerprint)>>,
    /// By directory, as far as requested.
    known: Vec<Option<Option<Below>>>,
}

impl Chains {
    fn new(project: &Project<'_>) -> Self {
        let (table, dirs) = (project.cx.memo().table(), &project.model.loaded.tree.dirs);
        let of_dir = |own: (u32, &Dir)| {
            let has_files = !own.1.files.is_empty();
            has_files.then(|| level(project, &table, own)).flatten()
        };
        Self {
            levels: (0u32..).zip(dirs).map(of_dir).collect(),
            known: vec![None; dirs.len()],
        }
    }

    /// The contents for a directory.
    fn of(&mut self, tree: &Tree, dir: u32) -> Option<Below> {
        // Upwards until it is known, and down again.
        let mut open = Vec::new();
        let mut at = Some(dir);
        let mut below: Option<Below> = None;
        while let Some(index) = at {
            if let Some(Some(known)) = self.known.get(index as usize) {
                below = *known;
                break;
            }
            open.push(index);
            at = tree.dirs.get(index as usize).and_then(|dir| dir.parent);
        }
        for index in open.into_iter().rev() {
            if let Some(Some((_, print))) = self.levels.get(index as usize) {
                let above = below.map(|above| above.print);
                below = Some(Below {
                    last: index,
                    print: Fingerprint::of(&(above, index, print)),
                });
            }
            if let Some(known) = self.known.get_mut(index as usize) {
                *known = Some(below);
            }
        }
        below
    }

    /// The contents of a directory and of those above it.
    fn chain(&self, tree: &Tree, last: u32) -> Chain<'_> {
        let above = |dir: &u32| tree.dirs.get(*dir as usize)?.parent;
        let dirs = std::iter::successors(Some(last), above);
        let level = |dir: u32| self.levels.get(dir as usize)?.as_ref();
        let mut levels: Vec<&Level> = dirs.filter_map(level).map(|(level, _)| &**level).collect();
        levels.reverse();
        Chain { levels }
    }
}

struct Run<'a> {
    project: Project<'a>,
    stacks: &'a Stacks,
    chains: &'a Chains,
    /// The paths of all stacks.
    list: OnceLock<Value>,
    known: Arc<MemoTable<ReportKey, Report>>,
}

impl<'a> Run<'a> {
    fn new(project: Project<'a>, chains: &'a Chains) -> Self {
        Self {
            project,
            chains,
            stacks: &project.model.stacks,
            list: OnceLock::new(),
            known: project.cx.memo().table(),
        }
    }

    fn chain(&self, one: &Evaluated<'_>) -> Chain<'a> {
        self.chains.chain(&self.project.model.loaded.tree, one.below.last)
    }

    fn parent(&self, stack: StackIx) -> Option<&'a Node> {
        self.stacks.get(self.stacks.parent(stack)?)
    }

    fn key(&self, one: &Evaluated<'_>) -> ReportKey {
        let of_parent = self.parent(one.stack).map(|p| (p.dir, p.shape));
        ReportKey {
            world: self.project.cx.world(),
            chain: one.below.print,
            places: self.stacks.places.print,
            stack: (one.node.dir, one.node.shape, of_parent),
            texts: None,
        }
    }

    /// Evaluates for several stacks at once, so that the lookup of each is cheap.
    fn prepare(&self, all: Vec<&Evaluated<'_>>) {
        let keys = all.iter().map(|one| self.key(one)).collect();
        let make =
            |at: usize, _: &ReportKey| all.get(at).map_or_else(Report::default, |one| self.evaluate(one));
        drop(self.known.get_all(keys, make));
    }

    fn report(&self, one: &Evaluated<'_>) -> Arc<Report> {
        let mut key = self.key(one);
        let make = || self.evaluate(one);
        let mut report = self.known.get(key.clone(), make);
        // The contents of files decide which other files are read: repeats until there are no new ones.
        for _ in 0..report.files.len().min(8) {
            let texts: Vec<Option<Arc<str>>> = report.files.iter().map(|path| self.text(path)).collect();
            key.texts = Some(Fingerprint::of(&(&report.files, texts)));
            let next = self.known.get(key.clone(), make);
            let is_same = next.files == report.files;
            report = next;
            if is_same {
                break;
            }
        }
        report
    }

    fn text(&self, path: &Utf8PathBuf) -> Option<Arc<str>> {
        Some(self.project.cx.source(path).ok()?.1.text.clone())
    }

    fn evaluate(&self, one: &Evaluated<'_>) -> Report {
        let loaded = &self.project.model.loaded;
        let list = self.list.get_or_init(|| names::list(self.stacks));
        let (stack, chain) = ((one.node, self.parent(one.stack)), &self.chain(one));
        let names = Names::new(self.project.cx, &loaded.tree, stack, list, &loaded.version);
        let budget = Budget::new(MOST_OF_STACK);
        let mut report = Report::default();
        globals::evaluate(chain, &names, &budget, &mut report);
        if report.errors.is_empty() {
            environment(chain, &names, &budget, &mut report);
        }
        report.is_limited = budget.is_exhausted();
        report.is_own = names.is_own.get();
        report.files = names.files.take();
        report.used = MOST_OF_STACK - budget.left();
        report
    }
}

/// The settings of a stack come before those above it; Terramate stops at the first one that it cannot
/// evaluate.
fn environment(chain: &Chain<'_>, names: &Names<'_>, budget: &Budget, report: &mut Report) {
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
                    "`terramate.config.run.env.{name}` is known only when Terramate runs"
                ));
            }
            _ => {
                let found = value.type_name();
                let words =
                    format!("invalid environment variable type: attr has type {found} but must be string");
                let message = format!("expected a string, found {found}");
                report.error(item, EvaluationError { message, words });
                return;
            }
        }
    }
}
