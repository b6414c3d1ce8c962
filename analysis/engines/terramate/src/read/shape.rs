//! The shape of a file: everything but the places.

use std::ops::{BitOr, Deref, DerefMut};
use std::sync::{Arc, LazyLock};

use crate::problems::{At, Problem};
use crate::schema::may_be_missing_at_times;

/// A value of an attribute as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<T> {
    /// The attribute is missing, or null if that means the same.
    Absent,
    /// It is known.
    Known(T),
    /// It depends on something that is unknown.
    Unknown,
    /// It is rejected; a problem reports it.
    Invalid,
}

impl<T> Value<T> {
    pub(crate) const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            _ => None,
        }
    }
}

/// A string with its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Text {
    pub(crate) value: Arc<str>,
    pub(crate) at: At,
}

/// One of the lists of a stack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct List {
    /// The value as a whole; the header of the stack if it is not written.
    pub(crate) at: At,
    /// Most stacks write one or two of their lists.
    written: Option<Box<WrittenList>>,
}

impl List {
    /// One that is not written.
    pub(crate) const fn absent(header: At) -> Self {
        Self {
            at: header,
            written: None,
        }
    }

    pub(crate) fn written(at: At, list: WrittenList) -> Self {
        Self {
            at,
            written: Some(Box::new(list)),
        }
    }
}

impl Deref for List {
    type Target = WrittenList;

    fn deref(&self) -> &WrittenList {
        static ABSENT: LazyLock<WrittenList> = LazyLock::new(|| WrittenList {
            name: None,
            entries: Box::default(),
            is_plain: true,
            unknown: false,
            tags: Box::default(),
        });
        self.written.as_deref().unwrap_or_else(|| &ABSENT)
    }
}

/// What is written of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrittenList {
    /// The attribute's name, where it is written.
    pub(crate) name: Option<At>,
    /// The entries that are known.
    pub(crate) entries: Box<[Text]>,
    /// Every known entry is written as a plain string.
    pub(crate) is_plain: bool,
    /// There may be more than the known ones.
    pub(crate) unknown: bool,
    /// The tags in those entries that are filters and written as plain strings.
    pub(crate) tags: Box<[TagAt]>,
}

/// A tag in a filter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TagAt {
    /// The entry.
    pub(crate) entry: At,
    pub(crate) tag: Arc<str>,
    pub(crate) at: At,
}

/// A `stack` block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Stack {
    pub(crate) header: At,
    /// The block as a whole.
    pub(crate) block: At,
    pub(crate) id: Value<Text>,
    pub(crate) name: Value<Text>,
    pub(crate) description: Value<Text>,
    pub(crate) tags: List,
    pub(crate) after: List,
    pub(crate) before: List,
    pub(crate) wants: List,
    pub(crate) wanted_by: List,
    pub(crate) watch: List,
    /// It has attributes besides these.
    pub(crate) has_more: bool,
    /// The first attribute for which it is unknown whether Terramate can evaluate it.
    pub(crate) open: Option<Arc<str>>,
    /// Lines of the block could not be read: what they declare is unknown.
    pub(crate) gap: bool,
    /// Its problems make Terramate reject the directory.
    pub(crate) rejected: bool,
}

/// An `import` block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Import {
    pub(crate) header: At,
    /// The block as a whole.
    pub(crate) block: At,
    pub(crate) source: Value<Text>,
    /// If the source is not a literal string: its place, and Terramate's message when it follows the import.
    pub(crate) rejected: Option<(At, &'static str)>,
    /// The block has only the content that belongs into it.
    pub(crate) is_valid: bool,
}

/// A `bundle` block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Bundle {
    /// The source of the only instance that it is, if that is a literal string.
    pub(crate) source: Option<Text>,
}

/// An `input` block that names another stack.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Input {
    pub(crate) from_stack_id: Text,
}

/// An attribute of a `terramate` block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RootAttribute {
    /// The path of names: `required_version`, `config.git.default_branch`.
    pub(crate) path: Arc<str>,
    pub(crate) at: At,
    /// Its value.
    pub(crate) value: At,
    /// The same, if it is a string without variables and functions.
    pub(crate) text: Option<Text>,
    /// The same, if it is such a boolean.
    pub(crate) is_on: Option<bool>,
    /// Whether it is a value of `disable_safeguards` that disables some.
    pub(crate) disables_safeguards: bool,
    /// The block that it is in, in [`Shape::settings`].
    pub(crate) block: u32,
}

impl RootAttribute {
    /// Its name.
    pub(crate) fn name(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }
}

/// A `terramate` block, or one inside it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingBlock {
    /// The block around it, which comes before it.
    pub(crate) around: Option<u32>,
    pub(crate) kind: Arc<str>,
    pub(crate) is_labelled: bool,
}

/// Something that a run evaluates for each of its stacks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Evaluated {
    pub(crate) sort: Sort,
    /// The labels of the `globals` block.
    pub(crate) labels: Vec<Arc<str>>,
    /// The name of the attribute, or the label of the map; empty for a block.
    pub(crate) name: Arc<str>,
    /// Its text, which by itself is a file of HCL.
    pub(crate) source: Arc<str>,
    /// Its value.
    pub(crate) at: At,
}

/// The kinds of [`Evaluated`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// An attribute of a `globals` block.
    Global,
    /// A `map` in a `globals` block.
    Map,
    /// A `globals` block as such, which makes an object of its labels.
    Block,
    /// An attribute of `terramate.config.run.env`.
    Env,
}

/// A block that needs an experiment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Experimental {
    pub(crate) block: &'static str,
    pub(crate) experiment: &'static str,
    pub(crate) at: At,
}

/// An `environment` block.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Environment {
    pub(crate) header: At,
    pub(crate) id: Field,
    pub(crate) name: Field,
    pub(crate) description: Field,
    pub(crate) promote_from: Field,
}

/// A string of a block, and where it is; the start of the block if it is missing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) value: Value<Arc<str>>,
    pub(crate) at: At,
    /// Terramate's message if it is invalid.
    pub(crate) words: Arc<str>,
    /// The expression, if its value depends on the project.
    pub(crate) later: Arc<str>,
}

/// Everything but the places.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Shape {
    /// The empty places at the start and the end of the file.
    pub(crate) start: At,
    pub(crate) end: At,
    pub(crate) problems: Vec<Problem>,
    /// The syntax has a fatal error: Terramate does not check the file's blocks.
    pub(crate) unreadable: bool,
    /// A limit of ours was reached in it: its contents are unknown.
    pub(crate) is_limited: bool,
    /// Lines outside any block could not be read: they may contain a `stack`.
    pub(crate) gap: bool,
    pub(crate) stacks: Vec<Stack>,
    pub(crate) imports: Vec<Import>,
    rare: Option<Box<Rare>>,
}

/// What only few files have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rare {
    pub(crate) inputs: Vec<Input>,
    pub(crate) root: Vec<RootAttribute>,
    /// The `terramate` blocks and those in them, each before its contents.
    pub(crate) settings: Vec<SettingBlock>,
    /// The attributes of `globals` blocks: labels, name.
    pub(crate) globals: Vec<(Vec<Arc<str>>, Arc<str>, At)>,
    /// The attributes of the blocks of bundles and components, and of those in `globals`: which block, name.
    /// Equal blocks of a directory are merged.
    pub(crate) merged: Vec<(Arc<str>, Arc<str>, At)>,
    pub(crate) evaluated: Vec<Evaluated>,
    /// The experiments that `terramate.config.experiments` lists; `None` inside: unknown.
    pub(crate) experiments: Option<Option<Vec<Arc<str>>>>,
    pub(crate) experimental: Vec<Experimental>,
    pub(crate) scripts: Vec<(Vec<Arc<str>>, At)>,
    pub(crate) vendors: Vec<At>,
    pub(crate) bundles: Vec<Bundle>,
    /// Whether it has `define` blocks.
    pub(crate) defines: bool,
    pub(crate) environments: Vec<Environment>,
    /// The attributes outside of stacks that Terramate may fail to evaluate while it loads.
    pub(crate) open: Vec<Text>,
}

static NOTHING_RARE: Rare = Rare {
    inputs: Vec::new(),
    root: Vec::new(),
    settings: Vec::new(),
    globals: Vec::new(),
    merged: Vec::new(),
    evaluated: Vec::new(),
    experiments: None,
    experimental: Vec::new(),
    scripts: Vec::new(),
    vendors: Vec::new(),
    bundles: Vec::new(),
    defines: false,
    environments: Vec::new(),
    open: Vec::new(),
};

impl Deref for Shape {
    type Target = Rare;

    fn deref(&self) -> &Rare {
        self.rare.as_deref().unwrap_or(&NOTHING_RARE)
    }
}

impl DerefMut for Shape {
    fn deref_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_with(|| Box::new(NOTHING_RARE.clone()))
    }
}

/// Properties that most files do not have, so that not every file has to be checked for them. Several are
/// joined by `|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Marks(u8);

impl Marks {
    pub(crate) const STACKS: Self = Self(1);
    pub(crate) const IMPORTS: Self = Self(1 << 1);
    pub(crate) const INPUTS: Self = Self(1 << 2);
    /// Something that a run evaluates.
    pub(crate) const EVALUATED: Self = Self(1 << 3);
    /// Settings of the project, blocks of experiments.
    pub(crate) const SETTINGS: Self = Self(1 << 4);
    /// Lines that could not be read, a limit of ours, bundles, values that are unknown.
    pub(crate) const DOUBTS: Self = Self(1 << 5);
    /// The file cannot be read.
    pub(crate) const UNREADABLE: Self = Self(1 << 6);

    pub(super) fn of(shape: &Shape) -> Self {
        let marks = [
            (Self::STACKS, !shape.stacks.is_empty()),
            (Self::IMPORTS, !shape.imports.is_empty()),
            (Self::INPUTS, !shape.inputs.is_empty()),
            (Self::EVALUATED, !shape.evaluated.is_empty()),
            (
                Self::SETTINGS,
                !shape.root.is_empty() || !shape.experimental.is_empty(),
            ),
            (
                Self::DOUBTS,
                shape.gap
                    || shape.is_limited
                    || !shape.bundles.is_empty()
                    || !shape.open.is_empty()
                    || shape.problems.iter().any(may_be_missing_at_times),
            ),
        ];
        let set = marks.into_iter().filter(|(_, is_set)| *is_set);
        set.fold(Self::default(), |all, (mark, _)| all | mark)
    }

    /// Whether one of some marks is among these.
    pub(crate) const fn has(self, some: Self) -> bool {
        self.0 & some.0 != 0
    }
}

impl BitOr for Marks {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
