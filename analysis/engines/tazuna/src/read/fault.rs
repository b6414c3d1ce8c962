//! What is found while a file is read, as data: the rules provide the messages.

use applyorder_core::diagnostic::Place;
use applyorder_syntax::yaml::dialect::goyaml::DialectErrorKind;

use super::manifest::Text;
use crate::schema::Table;

/// Something found at a place. Its places are local: entries of the item or header it was found in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    /// The place.
    pub(crate) place: Place,
    /// The kind.
    pub(crate) kind: FaultKind,
}

impl Fault {
    pub(crate) const fn new(place: Place, kind: FaultKind) -> Self {
        Self { place, kind }
    }
}

/// The kind of a fault.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum FaultKind {
    /// A syntax error: in our words, and as the YAML library's message.
    Syntax { ours: String, theirs: String },
    /// What the YAML library rejects in a text that is YAML, with the place that it conflicts with.
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
    /// A key that is not a field of its object.
    UnknownField { key: String, table: TableRef },
    /// A field in another spelling.
    FieldCase { written: String, name: &'static str },
    /// A duplicate key; the other one is `kept`.
    RepeatedKey {
        name: String,
        kept: Place,
        /// Whether the lost value contains an anchor.
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
    /// `spec.minimumSupportedTazunaVersion` is not a version.
    MinimumVersion { text: String, problem: String },
    /// An environment without a name.
    EnvironmentName,
    /// One of `context_matches`, of the environment with that name.
    ContextPattern {
        environment: Option<String>,
        index: usize,
        text: String,
        problem: String,
    },
    /// `context_match_mode`, of the environment with that name.
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
    /// The manifest type does not exist.
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
    /// A test with an unknown type; `is_written`: it has one.
    TestType { kind: String, is_written: bool },
}

/// A table of the schema; compared by identity.
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
    /// The expected type.
    pub(crate) wanted: WantedType,
    /// The actual type: Go's name of it, and its value if Go prints it.
    pub(crate) found: &'static str,
    pub(crate) number: String,
    /// Where the error is according to Go, and the type it names.
    pub(crate) go_field: String,
    pub(crate) go_type: String,
    /// Where the value is written, if it comes from an alias.
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

/// The step that converts a value to its field's type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeFix {
    /// It becomes the only entry of a list.
    List,
    /// It becomes the `path` of the only entry of a list.
    PathList(String),
    /// It becomes the `path` of a mapping.
    Path(String),
    /// Its quotes are removed.
    Unquoted(String),
}

/// The error in a provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ProviderError {
    NoName,
    Reserved,
    /// The place of the first provider with that name.
    Duplicate(Place),
    NoType,
    NoEnvfile,
    NoEnvfilePath,
    OnePassword,
    UnknownType(String),
}

/// The block of a removed `parallel`, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ParallelBox {
    /// The key `parallel`.
    pub(crate) key: Place,
    /// The whole entry of the list.
    pub(crate) whole: Place,
    /// The children as entries of the list that replace it.
    pub(crate) text: Option<String>,
}

/// The error in a var of a helmfile.
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

/// The error in the settings of type `oras`.
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
