//! A finding, with every place it refers to: the one value that all reports and the editor output are made
//! from.

mod rule;

use std::sync::Arc;

use applyorder_syntax::text::Span;

pub use rule::{Rule, Status, keep_most_specific};

/// Index of an engine in the list that a workspace was created with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EngineIx(pub u16);

impl EngineIx {
    /// As an index of slices.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A file of a workspace, as a number. Valid for the whole life of the workspace that created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A place in a file.
///
/// Facts have two halves: their shape, and their places. A place names its position by an anchor, a number in
/// the table of places of the file's facts, so that an edit which moves text but changes no shape leaves
/// everything that was computed from the shape valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file.
    pub file: FileId,
    /// Where in it.
    pub at: At,
}

/// A position inside a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    /// The file as a whole; shown at its first line.
    File,
    /// An entry in the table of places of the file's facts.
    Anchor(Anchor),
    /// A fixed byte range, for files that have no facts (a configuration file, a text of another format).
    Span(Span),
}

/// A number in the table of places of one file's facts: which engine's, and which entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Anchor {
    /// The engine.
    pub engine: EngineIx,
    /// Index in the table.
    pub index: u32,
}

impl Place {
    /// The whole file.
    #[must_use]
    pub const fn file(file: FileId) -> Self {
        Self { file, at: At::File }
    }

    /// An entry of the table of places of an engine's facts.
    #[must_use]
    pub const fn anchor(file: FileId, engine: EngineIx, index: u32) -> Self {
        Self {
            file,
            at: At::Anchor(Anchor { engine, index }),
        }
    }

    /// A fixed byte range.
    #[must_use]
    pub const fn span(file: FileId, span: Span) -> Self {
        Self {
            file,
            at: At::Span(span),
        }
    }
}

/// How bad a finding is, least severe first.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A suggestion: shown in editors, elsewhere only on request.
    Hint,
    /// Worth knowing.
    Info,
    /// The engine does not report it, and it is very likely a mistake.
    Warning,
    /// The engine rejects it, or it is certain to go wrong.
    Error,
}

impl Severity {
    /// The word used in every output.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Hint => "hint",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// The severity of a word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Hint, Self::Info, Self::Warning, Self::Error]
            .into_iter()
            .find(|s| s.as_str() == word)
    }
}

/// Whether a finding is certain or depends on a value that is only likely.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Certainty {
    /// Follows from what is written.
    #[default]
    Certain,
    /// Depends on a value that is only likely; never an error.
    Heuristic,
}

/// One of the engine's commands that rejects what a finding names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enforced {
    /// The engine's command, e.g. `check`.
    pub command: &'static str,
    /// The engine's stage that rejects, in the words of its spec, e.g. `names`.
    pub stage: &'static str,
    /// Whether it belongs to the first thing that command would report.
    pub first: bool,
}

/// What the engine does about what a finding names: where none of its commands rejects it, or before it does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Reaction {
    /// It does not report it.
    #[default]
    Silent,
    /// It warns and goes on.
    Warns,
    /// It fails when it gets there, which a note says.
    FailsLater,
    /// What it does is not known, or depends on what is not known.
    Open,
}

/// Another place a finding refers to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Related {
    /// The place.
    pub place: Place,
    /// What that place shows.
    pub message: String,
    /// The cycle edge at this place.
    pub waits: Option<Box<Waits>>,
}

/// An edge of a cycle.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Waits {
    /// The name of the unit that waits.
    pub from: Arc<str>,
    /// The name of the unit that it waits for.
    pub to: Arc<str>,
    /// Why it waits, if the edge is implicit.
    pub reason: Option<String>,
    /// The effect of removing the edge, if it is the best one to remove.
    pub cut: Option<String>,
}

/// Whether a fix may be applied without review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// The order and verdict of every selection that the engine offers stay the same.
    Safe,
    /// The order or verdict may change.
    Unsafe,
}

/// A fix for a finding. It says what to do at which place; the workspace makes the text edits from the current
/// text on request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fix {
    /// What it does, as a command: "remove the entry".
    pub title: String,
    /// Whether it may be applied without review.
    pub safety: Safety,
    /// What it does, step by step.
    pub steps: Vec<FixStep>,
}

/// One step of a fix, at a place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FixStep {
    /// The text at the place becomes this text, verbatim.
    Replace(Place, String),
    /// The scalar or string literal at the place gets this value, quoted as its syntax requires.
    SetValue(Place, String),
    /// The list entry whose value is at the place is removed, with its dash or comma.
    RemoveEntry(Place),
    /// The mapping entry (or attribute) whose key is at the place is removed, with its value.
    RemoveKey(Place),
    /// The block of HCL at the place is removed, with its lines and one of the blank lines around it.
    RemoveBlock(Place),
    /// A new `key: value` (or `key = value`) is inserted before the mapping entry whose key is at the place,
    /// with its indentation. The value is source text.
    InsertKeyBefore(Place, String, String),
    /// A new `key: value` is inserted after the mapping entry whose key is at the place.
    InsertKeyAfter(Place, String, String),
    /// A value is appended to the list at the place.
    AppendEntry(Place, String),
    /// The value at the place becomes a list with that value as its only entry.
    WrapInList(Place),
    /// A mapping of this source text (`key: value`) is inserted as an entry after the list entry that contains
    /// the place.
    InsertEntryAfter(Place, String),
    /// The list entry that contains the first place is moved after the one that contains the second, in the
    /// same list.
    MoveEntryAfter(Place, Place),
    /// The mapping entry whose key is at the place is moved before all others of its mapping.
    MoveKeyFirst(Place),
}

impl FixStep {
    /// The place the step is about.
    #[must_use]
    pub const fn place(&self) -> Place {
        match self {
            Self::Replace(p, _)
            | Self::SetValue(p, _)
            | Self::RemoveEntry(p)
            | Self::RemoveKey(p)
            | Self::RemoveBlock(p)
            | Self::InsertKeyBefore(p, _, _)
            | Self::InsertKeyAfter(p, _, _)
            | Self::AppendEntry(p, _)
            | Self::WrapInList(p)
            | Self::InsertEntryAfter(p, _)
            | Self::MoveEntryAfter(p, _)
            | Self::MoveKeyFirst(p) => *p,
        }
    }

    /// Maps every place of the step through a function.
    pub fn map_places(&mut self, map: impl Fn(Place) -> Place) {
        match self {
            Self::MoveEntryAfter(a, b) => (*a, *b) = (map(*a), map(*b)),
            Self::Replace(p, _)
            | Self::SetValue(p, _)
            | Self::RemoveEntry(p)
            | Self::RemoveKey(p)
            | Self::RemoveBlock(p)
            | Self::InsertKeyBefore(p, _, _)
            | Self::InsertKeyAfter(p, _, _)
            | Self::AppendEntry(p, _)
            | Self::WrapInList(p)
            | Self::InsertEntryAfter(p, _)
            | Self::MoveKeyFirst(p) => *p = map(*p),
        }
    }
}

/// One finding of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is here.
    pub severity: Severity,
    /// Whether it rests on what is written.
    pub certainty: Certainty,
    /// The smallest place at fault.
    pub place: Place,
    /// One sentence, naming units by the engine's own term.
    pub message: String,
    /// The place of the finding that this is only a further mark of: it is ignored together with that one.
    pub part_of: Option<Place>,
    /// What the place itself shows, if the message does not say it.
    pub label: Option<String>,
    /// Other places, in reading order.
    pub related: Vec<Related>,
    /// Further sentences: what the engine does, what to know.
    pub notes: Vec<String>,
    /// Which of the engine's commands reject it; empty: the engine does not report it.
    pub enforced: Vec<Enforced>,
    /// What the engine does if it does not reject it.
    pub reaction: Reaction,
    /// The engine's own text, where it has one.
    pub engine_message: Option<String>,
    /// The names of the units it is about, for its fingerprint and for reports.
    pub units: Vec<Arc<str>>,
    /// The environments it holds in, where it does not hold in all: `""` is "no environment given".
    pub environments: Vec<Arc<str>>,
    /// Fixes, best first.
    pub fixes: Vec<Fix>,
}

/// Appends to a list that mostly has one or two entries: there may be a million findings, and reserving room
/// for four in each of their lists would take most of their memory.
pub(crate) fn push<T>(list: &mut Vec<T>, value: T) {
    if list.len() < 4 {
        list.reserve_exact(1);
    }
    list.push(value);
}

impl Diagnostic {
    /// A finding of a rule at its usual severity.
    #[must_use]
    pub fn new(rule: &'static Rule, place: Place, message: impl Into<String>) -> Self {
        Self {
            rule,
            severity: rule.severity,
            certainty: Certainty::Certain,
            place,
            message: message.into(),
            part_of: None,
            label: None,
            related: Vec::new(),
            notes: Vec::new(),
            enforced: Vec::new(),
            reaction: Reaction::Silent,
            engine_message: None,
            units: Vec::new(),
            environments: Vec::new(),
            fixes: Vec::new(),
        }
    }

    /// With another severity.
    #[must_use]
    pub const fn severity(mut self, severity: Severity) -> Self {
        self.severity = severity;
        self
    }

    /// With what the engine does about it.
    #[must_use]
    pub const fn reaction(mut self, reaction: Reaction) -> Self {
        self.reaction = reaction;
        self
    }

    /// As a guess: at most a warning.
    #[must_use]
    pub fn heuristic(mut self) -> Self {
        self.certainty = Certainty::Heuristic;
        self.severity = self.severity.min(Severity::Warning);
        self
    }

    /// With a label at the place itself.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// With another place.
    #[must_use]
    pub fn related(mut self, place: Place, message: impl Into<String>) -> Self {
        let related = Related {
            place,
            message: message.into(),
            waits: None,
        };
        push(&mut self.related, related);
        self
    }

    /// With the place of an edge of its cycle.
    #[must_use]
    pub fn edge(mut self, place: Place, message: impl Into<String>, waits: Waits) -> Self {
        let related = Related {
            place,
            message: message.into(),
            waits: Some(Box::new(waits)),
        };
        push(&mut self.related, related);
        self
    }

    /// With a further sentence.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        push(&mut self.notes, note.into());
        self
    }

    /// Rejected by one of the engine's commands.
    #[must_use]
    pub fn enforced(mut self, command: &'static str, stage: &'static str, first: bool) -> Self {
        let enforced = Enforced {
            command,
            stage,
            first,
        };
        push(&mut self.enforced, enforced);
        self
    }

    /// With the engine's own text.
    #[must_use]
    pub fn engine_message(mut self, text: impl Into<String>) -> Self {
        self.engine_message = Some(text.into());
        self
    }

    /// About a unit.
    #[must_use]
    pub fn unit(mut self, name: Arc<str>) -> Self {
        push(&mut self.units, name);
        self
    }

    /// With the text that was probably meant: as the label, and as a fix of one step that writes it.
    #[must_use]
    pub fn did_you_mean(self, meant: &str, step: FixStep) -> Self {
        self.label(format!("did you mean `{meant}`?"))
            .replace_with(meant, step)
    }

    /// With a fix of one step that writes a text.
    #[must_use]
    pub fn replace_with(self, text: &str, step: FixStep) -> Self {
        self.fix(format!("replace with `{text}`"), Safety::Unsafe, vec![step])
    }

    /// With a fix.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, safety: Safety, steps: Vec<FixStep>) -> Self {
        let title = title.into();
        let fix = Fix { title, safety, steps };
        push(&mut self.fixes, fix);
        self
    }
}
