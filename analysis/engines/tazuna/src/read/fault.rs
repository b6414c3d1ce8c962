//! What is noticed while a file is read, as data: the rules say what is wrong with it.

use applyorder_core::diagnostic::Place;
use applyorder_syntax::yaml::dialect::goyaml::DialectErrorKind;

use super::manifest::Text;
use crate::schema::Table;

/// Something that is noticed at a place. Its places are local: entries of the item or head it was found in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// Where.
    pub(crate) place: Place,
    /// What.
    pub(crate) kind: FaultKind,
}

impl Fault {
    pub(crate) const fn new(place: Place, kind: FaultKind) -> Self {
        Self { place, kind }
    }
}

/// What is noticed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FaultKind {
    /// A syntax error: in our words, and in those of the YAML library.
    Syntax { ours: String, theirs: String },
    /// What the YAML library refuses of a text that is YAML, with the place that it conflicts with.
    Dialect {
        kind: DialectErrorKind,
        message: String,
        related: Option<Place>,
    },
    /// G1 does not read an empty file.
    EmptyFile,
    /// A limit of ours.
    Limit(String),
    /// Something after the first document.
    ExtraDocument { first_is_empty: bool },
    /// The Go template does not parse or render.
    Template {
        verb: &'static str,
        message: String,
        /// The braces that start an action in a comment or text.
        braces: Option<Place>,
    },
    /// Why it is unknown what Tazuna reads.
    Unresolved(String),
    /// A value of another type than its field's.
    WrongType(Box<WrongType>),
    /// A plain scalar that becomes another text.
    Coerced {
        field: &'static str,
        written: String,
        seen: String,
    },
    /// A key that is no field of its object.
    UnknownField { key: String, table: TableRef },
    /// A field in another spelling.
    FieldCase { written: String, name: &'static str },
    /// A key that is there twice; the other one is `kept`.
    RepeatedKey {
        name: String,
        kept: Place,
        /// Whether what is lost holds an anchor.
        is_anchored: bool,
        /// Whether the decoder of G1 reads it.
        is_strict: bool,
    },
    /// A field in two spellings; the other one is `kept`.
    TwoSpellings { name: &'static str, kept: Place },
    /// A key that a merge below replaces.
    MergeOverrides {
        name: String,
        merge: Place,
        source: Place,
    },
    /// `apiVersion` or `kind`.
    Header {
        field: &'static str,
        wanted: &'static str,
        found: String,
    },
    /// `spec.minimumSupportedTazunaVersion` is no version.
    MinimumVersion { text: String, problem: String },
    /// An environment without a name.
    EnvironmentName,
    /// One of `context_matches`, of the environment of that name.
    ContextPattern {
        environment: Option<String>,
        index: usize,
        text: String,
        problem: String,
    },
    /// `context_match_mode`, of the environment of that name.
    ContextMode {
        environment: Option<String>,
        mode: String,
    },
    /// One of `spec.providers`.
    Provider {
        index: usize,
        name: String,
        fault: ProviderError,
    },
    /// A manifest without `path` or `type`.
    Missing { field: &'static str, manifest: String },
    /// The type `parallel`, with its box.
    Parallel {
        written: Text,
        block: Option<ParallelBox>,
    },
    /// There is no such type of manifests.
    ManifestType { written: Text },
    /// A var of a `helmfile` block of the manifest with that path.
    HelmfileVar {
        path: String,
        /// Whether the block is that of `oras.delegate`.
        is_delegate: bool,
        name: String,
        fault: VarError,
    },
    /// The settings of a manifest of type `oras` with that path.
    Oras { path: String, fault: OrasError },
    /// An entry of `tags` without a word.
    EmptyTag,
    /// A test of a type that there is not; `is_written`: it has one.
    TestType { kind: String, is_written: bool },
}

/// A table of the schema; equal where it is the same.
#[derive(Clone, Copy)]
pub(crate) struct TableRef(pub(crate) &'static Table);

impl PartialEq for TableRef {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl std::fmt::Debug for TableRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.go)
    }
}

/// A value of another type than its field's.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct WrongType {
    /// The field; `None`: the file itself.
    pub(crate) field: Option<&'static str>,
    /// Whether it is an entry of the field's list or mapping.
    pub(crate) is_entry: bool,
    /// The type that is wanted.
    pub(crate) wanted: WantedType,
    /// The type that is there: as Go calls it, and its value where Go prints it.
    pub(crate) found: &'static str,
    pub(crate) number: String,
    /// Where Go says that it is, and the type it names.
    pub(crate) go_field: String,
    pub(crate) go_type: String,
    /// Where the value is written, if it came through an alias.
    pub(crate) origin: Option<Place>,
    pub(crate) fix: Option<TypeFix>,
}

/// A type of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WantedType {
    Text,
    Boolean,
    Integer,
    Texts,
    TextMap,
    Mappings,
    Mapping,
}

/// What makes a value of its field's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeFix {
    /// It becomes the only entry of a list.
    List,
    /// It becomes the `path` of the only entry of a list.
    PathList(String),
    /// It becomes the `path` of a mapping.
    Path(String),
    /// Its quotes go.
    Unquoted(String),
}

/// What is wrong with a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProviderError {
    NoName,
    Reserved,
    /// The place of the first provider of that name.
    Duplicate(Place),
    NoType,
    NoEnvfile,
    NoEnvfilePath,
    OnePassword,
    UnknownType(String),
}

/// The box of a removed `parallel`, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParallelBox {
    /// The key `parallel`.
    pub(crate) key: Place,
    /// The whole entry of the list.
    pub(crate) whole: Place,
    /// The children as entries of the list in its place.
    pub(crate) text: Option<String>,
}

/// What is wrong with a var of a helmfile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VarError {
    NoFrom,
    NoEnv,
    NoStatic,
    /// Which of `static`, `staticSlice` and `staticMap` are set.
    ManyStatics([bool; 3]),
    NoOp,
    UnknownFrom(String),
    EmptyOp(&'static str),
    OpKey(String),
}

/// What is wrong with the settings of type `oras`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OrasError {
    Missing,
    NoReference,
    /// `oras.delegate.type`, and whether it is written.
    Delegate {
        kind: String,
        is_written: bool,
    },
}
