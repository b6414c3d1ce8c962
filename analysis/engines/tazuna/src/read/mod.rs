//! The content of one file, read independently of any other.
//!
//! A file without template actions reads the same in every environment and has one [`View`]. A templated one is
//! rendered when an environment is requested, and keeps the result. A view consists of two parts: values that
//! are compared to find out whether the meaning changed, and tables of spans.

mod by_type;
mod decode;
mod fault;
mod header;
mod manifest;
mod places;
mod secret_file;
mod version;
mod view;

use applyorder_core::engine::EngineIx;
use std::any::Any;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use rustc_hash::FxHasher;

use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Facts, FactsInput};
use applyorder_syntax::template::{self, Data};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{self, Tree};

pub(super) use fault::{
    Fault, FaultKind, OrasError, ProviderError, TypeFix, VarError, WantedType, WrongType,
};
pub(super) use manifest::{Manifest, Text};
pub(super) use places::rebased;
pub(super) use secret_file::{Reference, references};
pub(super) use version::loose_version;
pub(super) use view::{Certainty, Item, View};

/// How a text is read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reading {
    /// The value of `.Environment`; `None` if the text is not a template (before G4).
    pub(super) environment: Option<Arc<str>>,
    /// Whether the decoder of G1 reads it.
    pub(super) strict: bool,
}

impl Reading {
    /// The current reading without an environment.
    pub(super) fn plain() -> Self {
        Self {
            environment: Some(Arc::default()),
            strict: false,
        }
    }
}

/// The maximum number of views of one file; the number of a view is part of its places.
const VIEWS: usize = 1 << (32 - view::LOCAL_BITS);

/// The facts of a file.
pub(super) struct TazunaFacts {
    file: FileId,
    engine: EngineIx,
    text: Arc<str>,
    templated: bool,
    /// The tree of a text without template actions, for the next edit: a file that is edited once will be
    /// edited again, and the trees of all others would only take memory.
    tree: Option<Tree>,
    /// In the order of requests. A view that equals an earlier one is shared with it.
    views: RwLock<Vec<(Reading, Arc<View>)>>,
    /// The view of the environments past [`VIEWS`].
    unread: OnceLock<Arc<View>>,
}

impl TazunaFacts {
    /// Reads a text.
    pub(super) fn read(input: &FactsInput<'_>) -> Self {
        let before = input.previous.and_then(|f| f.as_any().downcast_ref::<Self>());
        let templated = memchr::memmem::find(input.text.as_bytes(), b"{{").is_some();
        let tree = before.filter(|_| !templated).map(|before| match &before.tree {
            Some(tree) => tree.reparse(input.text.clone()),
            None => yaml::parse(input.text.clone()),
        });
        let facts = Self {
            file: input.file,
            engine: input.engine,
            text: input.text.clone(),
            templated,
            tree,
            views: RwLock::default(),
            unread: OnceLock::new(),
        };
        match before {
            Some(before) => {
                for (reading, old) in before.known() {
                    let re_use = (!templated && !before.templated).then_some((&*old, &*before.text));
                    facts.add(reading, re_use);
                }
            }
            None if !templated => drop(facts.view(&Reading::plain())),
            None => {}
        }
        facts
    }

    /// Whether the text contains template actions.
    pub(super) fn is_templated(&self) -> bool {
        self.templated
    }

    /// The text.
    pub(super) fn text(&self) -> &Arc<str> {
        &self.text
    }

    /// The view of a reading.
    pub(super) fn view(&self, reading: &Reading) -> Arc<View> {
        if let Some(view) = self.find(reading) {
            return view;
        }
        self.add(reading.clone(), None)
    }

    /// The view of the file without an environment, then in each that it declares itself.
    pub(super) fn declared_views(&self) -> Vec<Arc<View>> {
        let plain = self.view(&Reading::plain());
        let environments = plain.head.environments.iter().filter(|_| self.templated);
        let of = |name: &Arc<str>| {
            self.view(&Reading {
                environment: Some(name.clone()),
                strict: false,
            })
        };
        let views: Vec<Arc<View>> = environments.map(of).collect();
        std::iter::once(plain.clone()).chain(views).collect()
    }

    /// The view of the file in each requested environment, the one without first; each once.
    pub(super) fn all_views(&self) -> Vec<Arc<View>> {
        let mut all = vec![self.view(&Reading::plain())];
        for (_, view) in self.known() {
            if !all.iter().any(|known| Arc::ptr_eq(known, &view)) {
                all.push(view);
            }
        }
        all
    }

    /// Every requested view, with its reading.
    fn known(&self) -> Vec<(Reading, Arc<View>)> {
        self.views.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn find(&self, reading: &Reading) -> Option<Arc<View>> {
        let views = self.views.read().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &Reading| {
            known.strict == reading.strict && (!self.templated || known.environment == reading.environment)
        };
        views
            .iter()
            .find(|(known, _)| same(known))
            .map(|(_, view)| view.clone())
    }

    fn add(&self, reading: Reading, previous: Option<(&View, &str)>) -> Arc<View> {
        let number = {
            let views = self.views.read().unwrap_or_else(PoisonError::into_inner);
            views.iter().map(|(_, v)| v.number + 1).max().unwrap_or(0)
        };
        let is_rendered = self.templated && reading.environment.is_some();
        if is_rendered && number as usize >= VIEWS {
            let unread = || {
                let known = self.known();
                let environments = known.first().map(|(_, view)| view.head.environments.clone());
                Arc::new(View::unread(self.file, number, environments.unwrap_or_default()))
            };
            return self.unread.get_or_init(unread).clone();
        }
        let input = view::Input {
            file: self.file,
            engine: self.engine,
            number: number.min(u32::try_from(VIEWS - 1).unwrap_or(u32::MAX)),
            strict: reading.strict,
        };
        let view = if !is_rendered {
            let known = self.tree.clone();
            let tree = known.unwrap_or_else(|| yaml::parse(self.text.clone()));
            View::read(&input, &tree, None, previous)
        } else {
            let template = template::parse(&self.text);
            let environment = reading.environment.as_deref().unwrap_or("");
            let fields = [("Environment", environment)];
            let data = Data {
                type_name: "tmpl.Data",
                fields: &fields,
            };
            let rendered = template::render(&template, &data);
            let tree = yaml::parse(rendered.text.as_ref());
            View::read(&input, &tree, Some(&rendered), None)
        };
        let mut views = self.views.write().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = views.iter().find(|(known, _)| *known == reading) {
            return known.clone();
        }
        // Equal renderings are one view, so that environments without a difference are one variant.
        let same = views.iter().map(|(_, v)| v).find(|v| v.reads_as(&view)).cloned();
        let view = same.unwrap_or_else(|| Arc::new(view));
        if views.is_empty() {
            // Most files have only one.
            views.reserve_exact(1);
        }
        views.push((reading, view.clone()));
        view
    }
}

impl Facts for TazunaFacts {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        let Some(other) = other.as_any().downcast_ref::<Self>() else {
            return false;
        };
        let (mine, theirs) = (self.known(), other.known());
        // Broken lines decide whether a name may be declared there.
        let broken = mine.iter().any(|(_, view)| view.head.broken);
        self.templated == other.templated
            && (!broken || self.text == other.text)
            && mine.len() == theirs.len()
            && mine
                .iter()
                .zip(&theirs)
                .all(|((a, mine), (b, theirs))| a == b && mine.same_shape(theirs))
    }

    fn span(&self, index: u32) -> Option<Span> {
        let number = index >> view::LOCAL_BITS;
        let views = self.views.read().unwrap_or_else(PoisonError::into_inner);
        let (_, view) = views.iter().find(|(_, v)| v.number == number)?;
        view.span(index & (u32::MAX >> (32 - view::LOCAL_BITS)))
    }

    fn discovery_key(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for view in self.declared_views() {
            for include in view.items().flat_map(|(_, item)| &item.manifest.includes) {
                include.text.hash(&mut hasher);
            }
            view.head.environments.hash(&mut hasher);
        }
        hasher.finish()
    }

    fn load_key(&self) -> Option<u64> {
        let mut hasher = FxHasher::default();
        self.templated.hash(&mut hasher);
        for (reading, view) in self.known() {
            (reading, view.number()).hash(&mut hasher);
            for (index, item) in view.items() {
                for include in &item.manifest.includes {
                    (index, &include.text, rebased(include.place, view.base(index))).hash(&mut hasher);
                }
            }
            (&view.head.environments, view.head.environments_key).hash(&mut hasher);
        }
        Some(hasher.finish())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
