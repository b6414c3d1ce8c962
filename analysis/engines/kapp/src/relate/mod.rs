//! Which changes a run makes, and what they wait for: one graph per operation.

mod beside;
mod cycle_search;
pub(crate) mod graph;
pub(crate) mod groups;
mod simulate;
pub(crate) mod variant;

use std::sync::{Arc, LazyLock};

use self::graph::Built;
use self::groups::Groups;
use crate::compare::{self, Change, Deploy, LocatedError};
use crate::grammar::Op;
use crate::model::bindings::Subject;
use crate::model::error::{KappError, What};
use crate::model::inputs::Item;
use crate::model::piece::{Bound, is_owned, plain_name};
use crate::model::uses::{ChangeUses, UseError, Uses};
use crate::model::{Model, Prepared, Set};
use crate::read::Resource;
use applyorder_core::diagnostic::Place;
use applyorder_core::engine::Variant;
use applyorder_core::graph::OrderGraph;
use applyorder_core::layer::{Memo, Pass, Sym};

pub(crate) use simulate::TAKEN_FOR_GRANTED;

/// The content of one operation: changes in kapp's order, their groups and rules, the graph.
#[derive(Clone)]
pub struct Operation {
    /// The changes; unit `i` of the variant is change `i`.
    pub changes: Arc<Vec<Change>>,
    /// Their groups and rules.
    pub uses: Arc<Uses>,
    pub(crate) built: Arc<Built>,
    pub(crate) kapp_error: Option<KappError>,
    /// Whether unchanged resources are among kapp's changes.
    all_there: bool,
}

impl Operation {
    /// The graph; node `i` is change `i`. On a cycle it has required edges only.
    #[must_use]
    pub fn graph(&self) -> &OrderGraph {
        self.built.graph()
    }

    /// With explanations of dropped edges.
    fn explained(self) -> Self {
        self.built.displaced();
        self
    }

    /// Whether required edges form a cycle.
    #[must_use]
    pub fn is_cyclic(&self) -> bool {
        self.built.cycle.is_some()
    }

    /// Whether kapp reaches an error in a group or rule of a change. It reads the rules of all of its changes,
    /// and their groups once some rule queries members.
    pub(crate) fn rejects(&self, change: u32, error: &UseError) -> bool {
        let at = change as usize;
        let is_there = || self.all_there || self.changes.get(at).is_some_and(|c| c.op != Op::Noop);
        let own = self.uses.changes.get(at);
        own.is_some_and(|own| own.has_error(error))
            && is_there()
            && (error.of_rule || self.built.pass.is_some())
    }

    /// Whether kapp's error is that of a group or rule of a change.
    pub(crate) fn reports(&self, change: u32, error: &UseError) -> bool {
        let reported = self.kapp_error.as_ref();
        reported.is_some_and(|e| e.change == Some(change) && e.source == Some((error.source, error.of_rule)))
    }

    /// The changes on the cycle that kapp reports, in its order: the last one closes it.
    pub(crate) fn reported_cycle(&self) -> Option<&[u32]> {
        let error = self.kapp_error.as_ref()?;
        self.built.cycle.as_deref().filter(|_| error.what == What::Cycle)
    }

    /// kapp's error in the stage `graph`.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.kapp_error.as_ref().map(|e| e.message.as_str())
    }
}

/// The changes of an app with their edges.
pub struct Related {
    pub(crate) model: Arc<Model>,
    pub(crate) deploy: Operation,
    /// `kapp delete` of the result of the deploy.
    pub(crate) delete: Operation,
    /// A deploy that removes everything again, if Configs make it differ from `kapp delete`.
    pub(crate) removal: Option<Operation>,
    /// The names of the changes in outputs.
    pub(crate) names: Arc<Vec<Arc<str>>>,
    /// The members of the groups of the deploy.
    pub(crate) groups: Groups,
    /// kapp's error before it builds a graph.
    pub(crate) failed: Option<KappError>,
    /// What prevents kapp from comparing the existing state with the desired one.
    pub(crate) blocked: Option<LocatedError>,
    /// What of that comparison cannot be known.
    pub(crate) unknown: Vec<LocatedError>,
    /// Whether something counts as unchanged only because all of its content exists.
    pub(crate) lost: bool,
    /// Whether the changes differ from the resources as they are written.
    pub(crate) is_compared: bool,
    /// Why a snapshot cannot be read, as text, and whether nothing of it can be.
    pub(crate) snapshot: Option<(String, bool)>,
    variant: LazyLock<Variant, Box<dyn FnOnce() -> Variant + Send>>,
}

impl Related {
    /// Units, dependencies and orders, computed on demand.
    pub(crate) fn variant(&self) -> &Variant {
        &self.variant
    }

    /// Why nothing is known of what is applied, if a snapshot of it is given.
    pub(crate) fn no_snapshot(&self) -> Option<&str> {
        let whole = self.snapshot.as_ref().filter(|(_, whole)| *whole);
        whole.map(|(words, _)| words.as_str())
    }

    pub(crate) fn name(&self, unit: u32) -> Option<&Arc<str>> {
        self.names.get(unit as usize)
    }
}

impl Model {
    /// The resource of a change, as it is written.
    pub(crate) fn resource(&self, change: &Change) -> Option<&Resource> {
        self.of(change.set)?.inputs.resource(change.item)
    }

    /// A place of a resource.
    pub(crate) fn place(&self, set: Set, item: Item, local: u32) -> Option<Place> {
        let (file, index) = self.of(set)?.inputs.place(item, local)?;
        Some(Place::anchor(file, self.engine, index))
    }
}

pub(crate) fn relate(pass: &Pass<'_>, model: &Arc<Model>) -> Related {
    let (options, memo) = (pass.options, pass.cx.memo());
    let app = &model.app;
    let snapshot = model.state.as_ref().and_then(snapshot_fault);
    let is_compared = compare::is_needed(model);
    let Deploy {
        mut changes,
        blocked,
        unknown,
        lost,
    } = if is_compared {
        compare::deploy(model)
    } else {
        Deploy {
            changes: as_written(app),
            blocked: compare::stops_at(model),
            unknown: Vec::new(),
            lost: false,
        }
    };
    let mut deleted = Arc::new(delete(model, &changes));
    let names = Arc::new(names(model, &changes, is_compared, memo));
    if let Some(changed) = &options.changed {
        simulate::only(&mut changes, &names, changed);
    }
    let mut changes = Arc::new(changes);
    let (uses, default_uses) = uses(model, &changes, is_compared, memo);
    let first = graph::first_dependencies(&uses);
    let operation = |changes: &Arc<Vec<Change>>, uses: &Arc<Uses>, all_there: bool| {
        let built = graph::build(model, changes, uses, &first, memo);
        Operation {
            changes: Arc::clone(changes),
            uses: Arc::clone(uses),
            kapp_error: graph::error(model, changes, uses, all_there, &built),
            built,
            all_there,
        }
    };
    let has_own = model.bindings.has_own();
    let (mut deploy, (mut delete, mut removal)) = side_by_side(
        changes.len(),
        || operation(&changes, &uses, true).explained(),
        || {
            side_by_side(
                deleted.len(),
                || operation(&deleted, &default_uses, false).explained(),
                || has_own.then(|| operation(&deleted, &uses, false)),
            )
        },
    );
    if !options.failed.is_empty() {
        let left = |operation: &Operation| {
            let changes = &operation.changes;
            let left = simulate::left_after_failure(operation.graph(), changes, &names, &options.failed);
            Arc::new(left)
        };
        (changes, deleted) = (left(&deploy), left(&delete));
        deploy = operation(&changes, &uses, true);
        delete = operation(&deleted, &default_uses, false);
        removal = has_own.then(|| operation(&deleted, &uses, false));
    }
    let failed = app.error.clone();
    let failed = failed
        .or_else(|| compare::label_error(app))
        .or_else(|| app.path_error())
        .or_else(|| app.empty_error())
        .or_else(|| Some(diff_error(app, &compare::stops_at(model)?)))
        .or_else(|| app.renewal_error())
        .or_else(|| Some(diff_error(app, blocked.as_ref()?)));
    let no_snapshot = snapshot.as_ref().filter(|(_, whole)| *whole);
    let not_known = no_snapshot
        .map(|(words, _)| words.clone())
        .or_else(|| unknown.first().map(|u| u.fault.message.clone()));
    let lazily = {
        let (model, deploy, delete) = (Arc::clone(model), deploy.clone(), delete.clone());
        let (names, failed) = (Arc::clone(&names), failed.clone());
        move || {
            variant::variant(
                &model,
                &deploy,
                &delete,
                &names,
                failed.as_ref(),
                not_known.as_deref(),
            )
        }
    };
    let mut groups = Groups::new(model, &deploy);
    beside::look(pass, model, &deploy, &mut groups);
    Related {
        model: Arc::clone(model),
        groups,
        deploy,
        delete,
        removal,
        names,
        failed,
        blocked,
        unknown,
        lost,
        is_compared,
        snapshot,
        variant: LazyLock::new(Box::new(lazily)),
    }
}

/// Relating fewer changes takes less time than switching to another thread.
const MANY: usize = 1000;

/// Both, on two threads if there are many changes.
fn side_by_side<A: Send, B: Send>(
    changes: usize,
    one: impl FnOnce() -> A + Send,
    other: impl FnOnce() -> B + Send,
) -> (A, B) {
    if changes < MANY {
        (one(), other())
    } else {
        rayon::join(one, other)
    }
}

/// A change for each resource.
fn as_written(prepared: &Prepared) -> Vec<Change> {
    let bound = prepared.placed.iter().filter_map(|placed| {
        let bound = prepared.bound(*placed)?;
        Some(Change {
            op: if bound.is_noop { Op::Noop } else { Op::Upsert },
            name: bound.name.clone(),
            namespace: bound.namespace.clone(),
            set: Set::New,
            item: prepared.item(*placed)?,
            left_to_cluster: false,
            rebased: None,
        })
    });
    bound.collect()
}

/// The changes of `kapp delete` after a deploy.
fn delete(model: &Model, deployed: &[Change]) -> Vec<Change> {
    let changes = deployed.iter().map(|change| {
        let is_owned = || match &change.rebased {
            None => bound(model, change).is_some_and(|bound| bound.is_owned),
            Some(_) => model.resource(change).is_some_and(|r| is_owned(change.seen(r))),
        };
        let owned = change.op != Op::Delete && !change.left_to_cluster && is_owned();
        Change {
            op: if owned { Op::Delete } else { Op::Noop },
            ..change.clone()
        }
    });
    changes.collect()
}

/// The resource of a change as it is written and bound.
pub(crate) fn bound<'a>(model: &'a Model, change: &Change) -> Option<&'a Bound> {
    let piece = model.of(change.set)?.pieces.get(change.item.input as usize)?;
    let key = (change.item.document, change.item.resource);
    let at = piece
        .bound
        .binary_search_by_key(&key, |b| (b.document, b.resource))
        .ok()?;
    piece.bound.get(at)
}

/// The names of changes: kind and name, the namespace unless it is none or `default`, the API group if two
/// names would be the same.
fn names(model: &Model, changes: &[Change], is_compared: bool, memo: &Memo) -> Vec<Arc<str>> {
    let plain: Vec<(Sym, Arc<str>)> = if is_compared {
        let texts: Vec<Arc<str>> = changes
            .iter()
            .map(|c| {
                let kind = model.resource(c).map_or("", |r| &r.kind.value);
                plain_name(kind, &c.name, &c.namespace)
            })
            .collect();
        let syms = memo.names().intern_all(&texts);
        syms.iter().copied().zip(texts).collect()
    } else {
        let bound = model
            .app
            .placed
            .iter()
            .filter_map(|placed| model.app.bound(*placed));
        bound.map(|b| (b.plain, b.plain_text.clone())).collect()
    };
    let mut counts = vec![0u32; memo.names().len()];
    for (sym, _) in &plain {
        if let Some(count) = counts.get_mut(sym.index()) {
            *count += 1;
        }
    }
    let names = changes.iter().zip(plain).map(|(change, (sym, text))| {
        if counts.get(sym.index()).is_none_or(|count| *count < 2) {
            return text;
        }
        let group = model.resource(change).map_or("", |r| r.group());
        format!("{text}#{group}").into()
    });
    names.collect()
}

/// The groups and rules of all changes, and the same without those that Configs bind.
fn uses(model: &Model, changes: &[Change], is_compared: bool, memo: &Memo) -> (Arc<Uses>, Arc<Uses>) {
    let mut all: Vec<Arc<ChangeUses>> = Vec::with_capacity(changes.len());
    let mut default: Vec<Arc<ChangeUses>> = Vec::with_capacity(changes.len());
    for change in changes {
        let (own, own_default) = match bound(model, change) {
            Some(bound) if !is_compared || is_as_written(change, bound) => {
                (bound.uses.clone(), bound.default_uses.clone())
            }
            _ => of_compared(model, change, memo).unwrap_or_default(),
        };
        all.push(own);
        default.push(own_default);
    }
    let bindings = &model.bindings;
    let tables = || {
        bindings
            .configs
            .iter()
            .map(|c| (c.config.groups.len(), c.config.rules.len()))
    };
    let make = |changes| Arc::new(Uses::new(memo.names(), &bindings.fixed_groups, changes, tables()));
    let all = make(all);
    let default = if bindings.has_own() {
        make(default)
    } else {
        Arc::clone(&all)
    };
    (all, default)
}

fn is_as_written(change: &Change, bound: &Bound) -> bool {
    change.rebased.is_none() && change.name == bound.name && change.namespace == bound.namespace
}

fn of_compared(model: &Model, change: &Change, memo: &Memo) -> Option<(Arc<ChangeUses>, Arc<ChangeUses>)> {
    let inputs = &model.of(change.set)?.inputs;
    let written = inputs.resource(change.item)?;
    let seen = change.seen(written);
    let subject = Subject {
        name: &change.name,
        namespace: &change.namespace,
        written,
        seen,
        rebased: change.rebased.is_some(),
        document: match &change.rebased {
            Some(rebased) => rebased,
            None => inputs.document(change.item)?,
        },
        number: match change.rebased {
            Some(_) => 0,
            None => change.item.resource as usize,
        },
    };
    let kind = format!("{} {}", seen.api_version.value, seen.kind.value);
    let kind = memo.names().intern(&Arc::from(kind));
    Some(model.bindings.uses(&subject, kind, memo))
}

/// kapp's error while it compares the existing state with the desired one.
fn diff_error(app: &Prepared, blocked: &LocatedError) -> KappError {
    let fault = &blocked.fault;
    let stage = if fault.panics { "crash" } else { "diff" };
    let what = match fault.matcher {
        Some(_) => What::Matcher,
        None if fault.is_of_versions() => What::Versions,
        None => What::Rebase,
    };
    KappError {
        item: blocked.item,
        place: fault.matcher.and_then(|at| app.in_config(at)),
        is_partial: fault.is_partial,
        ..KappError::new(stage, what, fault.message.clone())
    }
}

/// Why a snapshot cannot be read, as text, and whether nothing of it can be.
pub(crate) fn snapshot_fault(state: &Prepared) -> Option<(String, bool)> {
    let error = state.error.clone().or_else(|| compare::label_error(state));
    let error = error.filter(|e| e.what != What::Empty)?;
    let whole = state.placed.is_empty();
    let how = if whole {
        "cannot be read"
    } else {
        "can be read only in part"
    };
    Some((
        format!("the snapshot of what is applied {how}: {}", error.message),
        whole,
    ))
}
