//! The resources of an app as kapp orders them: Configs are removed, fields are checked, duplicates dropped,
//! namespaces decided, groups and rules resolved. One piece per file.

pub(crate) mod bindings;
mod brief;
pub(crate) mod config;
pub(crate) mod error;
pub(crate) mod inputs;
pub(crate) mod piece;
pub(crate) mod prepare;
mod refused;
pub(crate) mod rendered;
pub(crate) mod uses;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::bindings::Bindings;
use self::brief::{Brief, BriefKey};
use self::config::Configs;
use self::error::KappError;
use self::inputs::{Input, Inputs, Item};
use self::piece::{Bound, Maker, Piece, PieceKey};
use self::rendered::Rendered;
use crate::defaults::Defaults;
use crate::load::{Loaded, Settings};
use crate::read::Resource;
use crate::scope::{Known, Scopes};
use crate::version;
use applyorder_core::engine::EngineIx;
use applyorder_core::layer::{Fingerprint, Memo, Mix, Names, Pass, Sym};

/// Resources with the same identity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicate {
    pub(crate) first: Item,
    pub(crate) later: Item,
    /// Whether the contents are equal.
    pub(crate) same: bool,
}

/// A resource that is ordered: its file's number, and its own in the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) input: u32,
    pub(crate) number: u32,
}

/// A set of files with their resources.
pub(crate) struct Prepared {
    pub(crate) inputs: Inputs,
    briefs: Vec<Arc<Brief>>,
    pub(crate) configs: Configs,
    /// By input.
    pub(crate) pieces: Vec<Arc<Piece>>,
    /// The fingerprints by which the pieces were requested.
    pub(crate) readings: Vec<Fingerprint>,
    /// The resources that are ordered, in kapp's order.
    pub(crate) placed: Vec<Placed>,
    pub(crate) duplicates: Vec<Duplicate>,
    /// The ordered resources that are repeated with the same content.
    pub(crate) repeated: FxHashSet<Item>,
    /// If the files were not declared to be one app, and do not look like it: how many objects several files
    /// have, and one of them.
    pub(crate) scattered: Option<(usize, Item)>,
    /// kapp's first error in its stages `load`, `config` and `prepare`.
    pub(crate) error: Option<KappError>,
}

impl Prepared {
    pub(crate) fn bound(&self, placed: Placed) -> Option<&Bound> {
        self.pieces
            .get(placed.input as usize)?
            .bound
            .get(placed.number as usize)
    }

    pub(crate) fn item(&self, placed: Placed) -> Option<Item> {
        let bound = self.bound(placed)?;
        Some(Item {
            input: placed.input,
            document: bound.document,
            resource: bound.resource,
        })
    }

    /// Every resource that is ordered.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (Item, &Bound, &Resource)> {
        self.placed.iter().filter_map(|placed| {
            let item = self.item(*placed)?;
            Some((item, self.bound(*placed)?, self.inputs.resource(item)?))
        })
    }

    /// Every resource that was read and needs a check, Configs included.
    pub(crate) fn notable(&self) -> impl Iterator<Item = Item> + '_ {
        let briefs = (0u32..).zip(&self.briefs);
        briefs.flat_map(|(input, brief)| brief.notable.iter().map(move |at| item(input, *at)))
    }

    /// The definitions of custom resources.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = Item> + '_ {
        let briefs = (0u32..).zip(&self.briefs);
        briefs.flat_map(|(input, brief)| brief.definitions.iter().map(move |at| item(input, *at)))
    }

    fn fail(&mut self, error: KappError) {
        self.error.get_or_insert(error);
    }
}

/// The number of a string.
pub(crate) fn sym(names: &Names, text: &str) -> Sym {
    // Most are known, and then need no string of their own.
    names.find(text).unwrap_or_else(|| names.intern(&Arc::from(text)))
}

fn item(input: u32, (document, resource): (u32, u32)) -> Item {
    Item {
        input,
        document,
        resource,
    }
}

/// An app, and what of it is already applied.
pub struct Model {
    pub(crate) loaded: Arc<Loaded>,
    pub(crate) engine: EngineIx,
    pub(crate) bindings: Arc<Bindings>,
    pub(crate) app: Prepared,
    pub(crate) state: Option<Prepared>,
    /// What a rendered app is rendered from.
    pub(crate) sources: Option<Inputs>,
    /// Where the places of its rendered text are shown.
    pub(crate) rendered: Option<Rendered>,
}

/// Which set of files an item belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    /// The files of the app.
    New,
    /// The snapshot of what is already applied.
    State,
}

impl Model {
    pub(crate) fn of(&self, set: Set) -> Option<&Prepared> {
        match set {
            Set::New => Some(&self.app),
            Set::State => self.state.as_ref(),
        }
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.loaded.settings
    }

    /// Whether the app has unknown parts, so that nothing can be reported as missing.
    pub(crate) fn is_open(&self) -> bool {
        self.app.inputs.incomplete || self.app.configs.incomplete || self.app.scattered.is_some()
    }
}

/// The default bindings of kapp as configured.
fn defaults(settings: &Settings) -> Defaults {
    let newest = version::major_minor(version::NEWEST);
    match version::major_minor(&settings.version) {
        Some(version) if Some(version) < newest => Defaults::since(version),
        _ => Defaults::since((u64::MAX, 0)),
    }
}

/// The bindings of kapp's version and of some Configs.
#[derive(PartialEq, Eq, Hash)]
struct BindingsKey(Fingerprint);

pub(crate) fn model(pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Model {
    let (cx, memo) = (pass.cx, pass.cx.memo());
    let settings = &loaded.settings;
    let take = |inputs: Inputs| Taken::new(inputs, settings, memo);
    let app = take(Inputs::read(cx, &loaded.app));
    let state = loaded
        .state
        .as_ref()
        .map(|listing| take(Inputs::read(cx, listing)));
    let mut mix = Mix::default();
    mix.add(settings);
    for in_force in &app.configs.in_force {
        let input = app.inputs.input(in_force.item);
        let file = input.map(|input| (input.file, input.shape));
        mix.add(&(file, in_force.item));
    }
    let fingerprint = mix.finish();
    let bindings = memo.get(BindingsKey(fingerprint), || {
        let configs = app.configs.in_force.clone();
        Bindings::new(defaults(settings), configs, memo.names(), fingerprint)
    });
    let sources = loaded.sources.as_ref().map(|listing| Inputs::read(cx, listing));
    Model {
        rendered: sources
            .as_ref()
            .map(|sources| Rendered::new(pass, &app.inputs, sources)),
        engine: cx.engine_index(),
        app: app.prepared(settings, &bindings, fingerprint, memo),
        state: state.map(|state| state.prepared(settings, &bindings, fingerprint, memo)),
        sources,
        loaded: Arc::clone(loaded),
        bindings,
    }
}

/// A set of files whose Configs are all known.
struct Taken {
    inputs: Inputs,
    briefs: Vec<Arc<Brief>>,
    configs: Configs,
}

impl Taken {
    fn new(inputs: Inputs, settings: &Settings, memo: &Memo) -> Self {
        let read: Vec<&Input> = inputs.inputs.iter().collect();
        let keys = read
            .iter()
            .map(|input| BriefKey(input.file, input.shape))
            .collect();
        let briefs = memo.table::<BriefKey, Brief>().get_all(keys, |at, _| {
            read.get(at)
                .filter(|input| !input.is_source)
                .map_or_else(Brief::default, |input| Brief::new(&input.facts, memo.names()))
        });
        let configs = (0u32..).zip(&briefs);
        let configs = configs.flat_map(|(input, brief)| brief.configs.iter().map(move |at| item(input, *at)));
        let count = briefs.iter().map(|brief| brief.count as u64).sum();
        let values = briefs.iter().map(|brief| brief.values).sum();
        let configs = Configs::new(&inputs, configs, &settings.version, count, values);
        Self {
            configs,
            briefs,
            inputs,
        }
    }

    /// The scope of each kind, by its name.
    fn scopes(&self, settings: &Settings, names: &Names) -> Vec<Option<(bool, Known)>> {
        let mut scopes = Scopes::default();
        for (key, namespaced) in &settings.scopes {
            scopes.set(key, *namespaced);
        }
        let resource = |input: u32, at: (u32, u32)| self.inputs.resource(item(input, at));
        for (input, brief) in (0u32..).zip(&self.briefs) {
            for r in brief.definitions.iter().filter_map(|at| resource(input, *at)) {
                if let Some(crd) = r.crd.as_ref().filter(|crd| crd.type_fault.is_none()) {
                    scopes.define(&crd.group, &crd.versions, &crd.kind, crd.namespaced);
                }
            }
            for kind in brief.kinds.iter().filter(|kind| kind.tells_scope) {
                if let Some(r) = resource(input, kind.example) {
                    scopes.written(&r.api_version.value, &r.kind.value);
                }
            }
        }
        let mut out = vec![None; names.len()];
        for (input, brief) in (0u32..).zip(&self.briefs) {
            for kind in &brief.kinds {
                if let Some(slot) = out.get_mut(kind.name.index())
                    && slot.is_none()
                    && let Some(r) = resource(input, kind.example)
                {
                    *slot = Some(scopes.of(&r.api_version.value, &r.kind.value));
                }
            }
        }
        out
    }

    fn prepared(
        self,
        settings: &Settings,
        bindings: &Bindings,
        fingerprint: Fingerprint,
        memo: &Memo,
    ) -> Prepared {
        let scopes = self.scopes(settings, memo.names());
        let pairs = settings.map_namespaces.iter().map(|entry| entry.split_once('='));
        let mapped: FxHashMap<&str, &str> = pairs.flatten().collect();
        let maker = Maker {
            memo,
            settings,
            bindings,
            mapped: &mapped,
            scopes: &scopes,
        };
        let read: Vec<&Input> = self.inputs.inputs.iter().collect();
        let readings: Vec<Fingerprint> = self
            .briefs
            .iter()
            .map(|brief| {
                let mut mix = Mix::default();
                mix.add(&fingerprint);
                for kind in &brief.kinds {
                    mix.add(&scopes.get(kind.name.index()));
                }
                mix.finish()
            })
            .collect();
        let keys = read.iter().zip(&readings);
        let keys = keys.map(|(input, reading)| PieceKey(input.file, input.shape, *reading));
        let pieces = memo.table::<PieceKey, Piece>().get_all(keys.collect(), |at, _| {
            read.get(at)
                .filter(|input| !input.is_source)
                .map_or_else(Piece::default, |input| maker.make(&input.facts))
        });
        let mut out = Prepared {
            error: self.inputs.error.clone(),
            placed: Vec::with_capacity(self.briefs.iter().map(|b| b.count).sum()),
            inputs: self.inputs,
            briefs: self.briefs,
            configs: self.configs,
            pieces,
            readings,
            duplicates: Vec::new(),
            repeated: FxHashSet::default(),
            scattered: None,
        };
        if let Some(error) = out.configs.error.clone() {
            out.fail(error);
        }
        out.validate();
        out.place(memo.names());
        if out.inputs.is_inferred {
            out.scattered = out.scattered(memo.names());
        }
        out.decide(settings);
        out
    }
}
