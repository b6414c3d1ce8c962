//! From the files of an app to changes, graphs, verdicts and findings.

pub(crate) mod bindings;
pub(crate) mod changes;
mod default_rebase;
mod default_templates;
mod fields;
mod labels;
pub(crate) mod load;
mod object;
pub(crate) mod order;
pub(crate) mod prepare;
mod rebase;
mod rendered;
mod settings;
pub(crate) mod symbols;
mod templates;
pub(crate) mod units;
pub(crate) mod uses;
mod walk;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::bindings::{Bindings, Sets};
use self::changes::{Blocked, Change};
use self::load::{Item, Loaded, Reading};
use self::order::Built;
use self::prepare::{Preparation, Settings};
use self::rendered::Sources;
use self::uses::Uses;
use super::defaults::Defaults;
use super::{rules, simulate, verdict, version};
use applyorder_core::engine::{Cx, OrderOf, ProjectSeed, Resolution, RunOptions, UnitIx, Variant};
use applyorder_core::rules::Rule;

/// An error of kapp's, as it is foreseen.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Failure {
    /// kapp's stage.
    pub(crate) stage: &'static str,
    /// Our rule that reports the same.
    pub(crate) rule: &'static Rule,
    /// kapp's text.
    pub(crate) message: String,
    /// The resource it is about.
    pub(crate) item: Option<Item>,
    /// The change it is about.
    pub(crate) change: Option<u32>,
    /// Whether only the beginning of the text is foreseen.
    pub(crate) unforeseen: bool,
    /// Whether it is a limit of ours and no error of kapp's.
    pub(crate) ours: bool,
}

impl Failure {
    pub(crate) fn new(stage: &'static str, rule: &'static Rule, message: impl Into<String>) -> Self {
        Self {
            stage,
            rule,
            message: message.into(),
            item: None,
            change: None,
            unforeseen: false,
            ours: false,
        }
    }

    pub(crate) fn about(mut self, item: Item) -> Self {
        self.item = Some(item);
        self
    }

    pub(crate) fn of_change(mut self, change: u32) -> Self {
        self.change = Some(change);
        self
    }

    pub(crate) fn unforeseen(mut self) -> Self {
        self.unforeseen = true;
        self
    }

    pub(crate) fn of_ours(mut self) -> Self {
        self.ours = true;
        self
    }
}

/// What one operation does: changes in kapp's order, their groups and rules, the graph.
#[derive(Clone)]
pub struct Operation {
    /// The changes; unit `i` of the variant is change `i`.
    pub changes: Arc<Vec<Change>>,
    /// Their groups and rules.
    pub uses: Arc<Uses>,
    pub(crate) built: Built,
}

impl Operation {
    /// The graph; node `i` is change `i`. On a cycle it has required edges only.
    #[must_use]
    pub fn graph(&self) -> &applyorder_core::graph::OrderGraph {
        &self.built.graph
    }

    /// Whether required edges form a cycle.
    #[must_use]
    pub fn is_cyclic(&self) -> bool {
        self.built.cycle.is_some()
    }

    /// kapp's error in the stage `graph`.
    #[must_use]
    pub fn error(&self) -> Option<&str> {
        self.built.failure.as_ref().map(|f| f.message.as_str())
    }
}

/// What kapp makes of an app, operation by operation: kept with the resolution, for those who want to know
/// more than all engines have in common.
pub struct Plan {
    /// The deploy.
    pub deploy: Operation,
    /// `kapp delete` of what it makes.
    pub delete: Operation,
    /// A deploy that removes everything again, where Configs make it another than `kapp delete`.
    pub removal: Option<Operation>,
    /// Which app its resources were counted to and why, as a paragraph.
    pub counted_to: String,
    loaded: Arc<Loaded>,
    state: Option<Arc<Loaded>>,
}

impl Plan {
    /// As messages name the changes of the deploy.
    #[must_use]
    pub fn descriptions(&self) -> Vec<String> {
        let sets = Sets {
            new: &self.loaded,
            state: self.state.as_deref(),
        };
        let changes = self.deploy.changes.iter();
        changes
            .map(|c| sets.resource(c).map(|r| c.describe(r)).unwrap_or_default())
            .collect()
    }
}

fn counted_to(seed: &ProjectSeed) -> String {
    let app = match &seed.name {
        Some(name) => format!("`{name}`"),
        None => format!("of `{}`", seed.root),
    };
    let declare = if seed.inferred {
        "; `[[kapp.app]]` in applyorder.toml would declare it"
    } else {
        ""
    };
    format!("counted to the app {app}: {}{declare}", seed.why)
}

/// Everything that rules and verdicts are made from.
pub(crate) struct View<'a> {
    pub(crate) cx: &'a Cx<'a>,
    pub(crate) seed: &'a ProjectSeed,
    pub(crate) loaded: &'a Loaded,
    pub(crate) sets: Sets<'a>,
    pub(crate) preparation: &'a Preparation<'a>,
    pub(crate) settings: &'a Settings,
    /// What kapp reports before it makes a graph.
    pub(crate) failed: Option<&'a Failure>,
    /// What hinders kapp from comparing what is there with what is wanted.
    pub(crate) blocked: Option<&'a Blocked>,
    /// What of that comparison cannot be known.
    pub(crate) unknown: &'a [Blocked],
    /// Why nothing is known of what is applied, where a snapshot of it is given.
    pub(crate) no_snapshot: Option<&'a str>,
    pub(crate) defaults: &'a Defaults,
    pub(crate) deploy: &'a Operation,
    pub(crate) delete: &'a Operation,
    pub(crate) removal: Option<&'a Operation>,
    pub(crate) variant: &'a Variant,
    /// Whether the app has parts that are not known, so that nothing can be said to be absent.
    pub(crate) open: bool,
}

pub(crate) fn resolve(cx: &Cx<'_>, seed: &ProjectSeed, options: &RunOptions) -> Resolution {
    let config = cx.config(&seed.root);
    let app = seed
        .name
        .as_ref()
        .and_then(|name| config.kapp.app.iter().find(|a| a.name == *name));
    let settings = settings::of(&config, app, options);
    let inputs = settings::inputs(cx, seed, app);
    // A snapshot of what is applied may lie beside the manifests; nobody said that it is one of them.
    let snapshot = options.state.iter().filter(|_| seed.inferred);
    let mut excluded: Vec<_> = seed.excluded.iter().chain(snapshot).cloned().collect();
    excluded.sort();
    let reading = Reading {
        given: &inputs.given,
        inferred: seed.inferred,
        why: &inputs.why,
        excluded: &excluded,
    };
    let loaded = Arc::new(load::load(cx, seed, &reading));
    let sources = inputs.rendered.as_ref().map(|why| {
        let reading = Reading {
            given: &seed.inputs,
            // What is no manifest is none of kapp's: the renderer reads it.
            inferred: true,
            why,
            excluded: &excluded,
        };
        load::load(cx, seed, &reading)
    });
    let preparation = prepare::prepare(&loaded, &settings);
    let state = options.state.as_ref().map(|path| {
        let given = [path.clone()];
        let reading = Reading {
            given: &given,
            inferred: false,
            why: "the snapshot of what is applied",
            excluded: &[],
        };
        Arc::new(load::load(cx, seed, &reading))
    });
    let state_preparation = state.as_deref().map(|s| prepare::prepare(s, &settings));
    let snapshot = state.as_deref().zip(state_preparation.as_ref());
    let snapshot = snapshot.and_then(|(loaded, prepared)| snapshot_fault(loaded, prepared));
    let sets = Sets {
        new: &loaded,
        state: state.as_deref(),
    };
    let applied = state.as_deref().zip(state_preparation.as_ref());
    let changes::Deploy {
        mut changes,
        blocked,
        unknown,
        lost,
    } = changes::deploy((&loaded, &preparation), applied);
    let diff_failure = blocked.as_ref().map(diff_failure);
    let deleted = Arc::new(changes::delete(sets, &changes));
    let names = units::names(sets, &changes);
    if let Some(changed) = &options.changed {
        simulate::only(&mut changes, &names, changed);
    }
    let mut changes = Arc::new(changes);

    let older;
    let defaults = match version::major_minor(&settings.version) {
        Some(version) if Some(version) < version::major_minor(version::NEWEST) => {
            older = Defaults::since(version);
            &older
        }
        _ => Defaults::newest(),
    };
    let bindings = Bindings::new(defaults, &preparation.configs);
    let uses = Arc::new(bindings.uses(sets, &changes));
    let own = bindings.has_own();
    let default_uses = if own {
        Arc::new(Bindings::new(defaults, &[]).uses(sets, &deleted))
    } else {
        Arc::clone(&uses)
    };
    let tables = units::Tables::new(cx, sets, &changes, &uses, &preparation.configs, defaults);
    let operation = |changes: &Arc<Vec<Change>>, uses: &Arc<Uses>, all_there: bool| Operation {
        changes: Arc::clone(changes),
        uses: Arc::clone(uses),
        built: order::build(sets, changes, uses, &tables, all_there, settings.optional_steps),
    };
    let mut deploy = operation(&changes, &uses, true);
    let mut delete = operation(&deleted, &default_uses, false);
    let mut deleted = deleted;
    if !options.failed.is_empty() {
        let left = |operation: &Operation| {
            let changes = &operation.changes;
            Arc::new(simulate::left_after_failure(
                operation.graph(),
                changes,
                &names,
                &options.failed,
            ))
        };
        (changes, deleted) = (left(&deploy), left(&delete));
        deploy = operation(&changes, &uses, true);
        delete = operation(&deleted, &default_uses, false);
    }
    let removal = own.then(|| operation(&deleted, &uses, false));

    let before = loaded.failure.as_ref().or(preparation.failure.as_ref());
    let failed = before.or(diff_failure.as_ref());
    let no_snapshot = snapshot.as_ref().filter(|(_, whole)| *whole);
    let not_known = no_snapshot
        .map(|(words, _)| words.as_str())
        .or_else(|| unknown.first().map(|u| u.fault.message.as_str()));
    let apply_order = order_of(&deploy, failed, not_known);
    let delete_order = order_of(&delete, failed, None);
    let open = loaded.incomplete || preparation.incomplete;
    let mut variant = tables.variant(cx, sets, &changes, &names, apply_order, delete_order);
    let view = View {
        cx,
        seed,
        loaded: &loaded,
        sets,
        preparation: &preparation,
        settings: &settings,
        failed,
        blocked: blocked.as_ref(),
        unknown: &unknown,
        no_snapshot: no_snapshot.map(|(words, _)| words.as_str()),
        defaults,
        deploy: &deploy,
        delete: &delete,
        removal: removal.as_ref(),
        variant: &variant,
        open,
    };
    let verdicts = verdict::verdicts(&view);
    let mut diagnostics = rules::check(&view, &verdicts);
    let mut unresolved = verdict::unresolved(&view);
    if !options.failed.is_empty() {
        unresolved.push((None, simulate::TAKEN_FOR_GRANTED.to_owned()));
    }
    unresolved.extend(snapshot.iter().map(|(words, _)| (None, words.clone())));
    if lost {
        unresolved.push((None, NO_NOTES.to_owned()));
    }
    let mut symbols = symbols::symbols(&view);
    drop(bindings);
    let members = members(&loaded, sources.as_ref(), state.as_deref());
    let engine_version = settings.version.clone();
    let plan = Plan {
        deploy,
        delete,
        removal,
        counted_to: counted_to(seed),
        loaded: Arc::clone(&loaded),
        state: state.clone(),
    };
    if let Some(sources) = &sources {
        let made = rendered::Made {
            variant: &mut variant,
            symbols: &mut symbols,
            diagnostics: &mut diagnostics,
            unresolved: &mut unresolved,
        };
        let name = app.filter(|_| options.openable).map(|a| a.name.as_str());
        let home = name.and_then(|name| rendered::home(cx, &config, name));
        rendered::lead_back(cx, &loaded, &Sources::new(sources), home, made);
    }
    Resolution {
        members: members.into(),
        variants: vec![variant].into(),
        verdicts,
        diagnostics: cx.told(diagnostics),
        links: Arc::default(),
        symbols: symbols.into(),
        unresolved,
        engine_version,
        hints: None,
        state: Some(Arc::new(plan)),
    }
}

/// What a printed snapshot leaves open, as a sentence.
const NO_NOTES: &str = "the snapshot lacks kapp's notes of what it applied last: a resource counts as unchanged where all \
                        that it says is there, so that a field taken out of a manifest goes unnoticed";

/// What keeps a snapshot from being read, in words, and whether nothing of it can be.
fn snapshot_fault(loaded: &Loaded, preparation: &Preparation<'_>) -> Option<(String, bool)> {
    let failure = loaded.failure.as_ref().or(preparation.failure.as_ref());
    let failure = failure.filter(|f| !std::ptr::eq(f.rule, &rules::empty_input::RULE))?;
    let whole = preparation.prepared.is_empty();
    let how = if whole {
        "cannot be read"
    } else {
        "can be read in part only"
    };
    Some((
        format!("the snapshot of what is applied {how}: {}", failure.message),
        whole,
    ))
}

/// What kapp reports while it compares what is there with what is wanted.
fn diff_failure(blocked: &Blocked) -> Failure {
    let fault = &blocked.fault;
    let stage = if fault.panics { "crash" } else { "diff" };
    let rule = if fault.is_of_versions() {
        &rules::versioned_reference::RULE
    } else {
        &rules::rebase_rule::RULE
    };
    Failure {
        item: blocked.item,
        unforeseen: fault.unforeseen,
        ..Failure::new(stage, rule, fault.message.clone())
    }
}

fn members(
    loaded: &Loaded,
    sources: Option<&Loaded>,
    state: Option<&Loaded>,
) -> Vec<applyorder_core::engine::Member> {
    let mut seen = FxHashSet::default();
    loaded
        .members
        .iter()
        .chain(sources.into_iter().flat_map(|s| &s.members))
        .chain(state.into_iter().flat_map(|s| &s.members))
        .filter(|m| seen.insert(m.file))
        .cloned()
        .collect()
}

fn order_of(operation: &Operation, failed: Option<&Failure>, not_known: Option<&str>) -> OrderOf {
    let built = &operation.built;
    let rejected = failed.or(built.failure.as_ref());
    let because = match rejected {
        Some(failure) if failure.ours => Some("a limit was reached".to_owned()),
        Some(failure) => Some(format!("kapp rejects it in its stage {}", failure.stage)),
        None if not_known.is_some() => not_known.map(str::to_owned),
        None if built.unresolved => {
            Some("optional edges were not resolved: there are too many that could close cycles".to_owned())
        }
        None => None,
    };
    let layers = if because.is_some() {
        None
    } else {
        built.graph.layers().map(|layers| {
            layers
                .iter()
                .map(|l| l.iter().map(|n| UnitIx(n.0)).collect())
                .collect()
        })
    };
    OrderOf {
        graph: Arc::clone(&built.graph),
        layers,
        sequence: None,
        guaranteed: true,
        because,
    }
}

/// How often each name is there.
pub(crate) fn counts<'a>(names: impl Iterator<Item = &'a str>) -> FxHashMap<&'a str, u32> {
    let mut counts = FxHashMap::default();
    counts.reserve(names.size_hint().0);
    for name in names {
        *counts.entry(name).or_insert(0) += 1;
    }
    counts
}
