//! What engines read from a text, and how to tell whether another text means the same.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use camino::Utf8Path;

use crate::declared::DeclaredName;
use crate::diagnostic::{EngineIx, FileId};
use applyorder_syntax::text::Span;

/// The facts of one file: what an engine read from its text. Pure: equal text gives equal facts.
pub trait Facts: Any + Send + Sync {
    /// Whether everything but the places is equal: then nothing that was computed from the other's shape
    /// (graphs, verdicts, diagnostics) needs to be recomputed, and entry `i` of the table of places
    /// means the same in both. `false` is always allowed.
    fn same_shape(&self, other: &dyn Facts) -> bool;

    /// The byte range of an entry of the table of places.
    fn span(&self, index: u32) -> Option<Span>;

    /// A number that changes whenever this file can change the result of `Engine::projects`.
    fn discovery_key(&self) -> u64;

    /// A number that changes whenever this file can change the result of `Stages::load`: includes, imports,
    /// environments. `None`: any other shape can.
    fn load_key(&self) -> Option<u64> {
        None
    }

    /// The names for projects that do not read the file: another text of the same shape has the same ones.
    /// Asked where `Engine::shares_names` says so.
    fn declared(&self) -> Vec<DeclaredName> {
        Vec::new()
    }

    /// Why the engine begins no project with the file, although it recognizes it.
    fn left_out(&self) -> Option<LeftOut> {
        None
    }

    /// For the cast back to the engine's own type.
    fn as_any(&self) -> &dyn Any;

    /// For the cast back to the engine's own type, shared.
    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync>;
}

/// What a file is that begins no project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LeftOut {
    /// One such file and several: `template`, `templates`.
    pub kind: [&'static str; 2],
    /// How it can be checked anyway.
    pub help: &'static str,
}

/// The shape of a file's facts as a number, which an edit that only moves text does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Shape(u64);

impl Shape {
    pub(super) fn fresh() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self(NEXT.fetch_add(1, Ordering::Relaxed))
    }
}

/// The facts an engine has of a file, and the number of their shape.
#[derive(Clone)]
pub struct Shaped {
    /// The facts.
    pub facts: Arc<dyn Facts>,
    /// Their shape.
    pub shape: Shape,
}

/// What facts are made from.
pub struct FactsInput<'a> {
    /// The file's number, for places.
    pub file: FileId,
    /// Its path, absolute and clean.
    pub path: &'a Utf8Path,
    /// Its current text.
    pub text: &'a Arc<str>,
    /// The facts of the text before, to reuse what an edit did not touch.
    pub previous: Option<&'a dyn Facts>,
    /// The engine's own index, for anchors.
    pub engine: EngineIx,
}

/// How an engine reads facts from a text.
pub type ReadFacts<'a> = &'a dyn Fn(&FactsInput<'_>) -> Arc<dyn Facts>;

/// The facts of the engines that asked for some: of most files that is one.
#[derive(Default)]
pub(super) struct FactsSlots {
    own: OnceLock<(EngineIx, OnceLock<Shaped>)>,
    next: OnceLock<Box<FactsSlots>>,
}

impl FactsSlots {
    /// The slot of an engine, created if it has none.
    pub(super) fn of(&self, engine: EngineIx) -> &OnceLock<Shaped> {
        let mut slots = self;
        loop {
            let (owner, slot) = slots.own.get_or_init(|| (engine, OnceLock::new()));
            if *owner == engine {
                return slot;
            }
            slots = slots.next.get_or_init(Box::default);
        }
    }

    /// What was read, by engine.
    pub(super) fn iter(&self) -> impl Iterator<Item = (EngineIx, &Shaped)> {
        let all = std::iter::successors(Some(self), |slots| slots.next.get().map(|next| &**next));
        all.filter_map(|slots| {
            let (engine, slot) = slots.own.get()?;
            Some((*engine, slot.get()?))
        })
    }
}
