//! One document of a file: a document as kapp reads it, with the resources in it.

mod reading;

use std::sync::{Arc, OnceLock};

pub(super) use self::reading::{read, refusal};
use super::resource::Resource;
use super::{Content, Text};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};
use applyorder_syntax::yaml::{self, Node, NodeId, Tree};

/// A document of kapp's.
#[derive(Debug)]
pub(crate) struct Document {
    text: Arc<str>,
    /// Most are not requested again: what matters is extracted, and the tree is parsed again on demand.
    tree: OnceLock<Tree>,
    pub(crate) places: Box<[Span]>,
    /// The resources, with lists expanded.
    pub(crate) resources: Box<[Resource]>,
    /// The problems, in text order.
    pub(crate) problems: Box<[Problem]>,
    /// kapp's error instead of reading the document.
    pub(crate) fatal: Option<DocumentError>,
    /// Whether the file ends without the line break that its text ends with.
    pub(super) lacks_break: bool,
    /// The digests of the contents of the resources, computed on demand.
    digests: OnceLock<Box<[[u64; 2]]>>,
    /// The nodes of the tree of the items of a list, computed on demand.
    items: OnceLock<Box<[NodeId]>>,
}

/// Why kapp cannot read a document.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum DocumentError {
    /// The YAML library's error, whose text is not predicted.
    Yaml,
    /// A predicted message.
    Known(Box<str>),
    /// A limit of ours.
    Limit,
}

impl DocumentError {
    /// kapp's message as far as it is predicted.
    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Yaml => "error converting YAML to JSON: yaml",
            Self::Known(text) => text,
            Self::Limit => "",
        }
    }
}

/// Something to report about the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) kind: ProblemKind,
    pub(crate) text: Text,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProblemKind {
    /// The text is not YAML.
    Syntax,
    /// A limit of ours.
    Limit,
    /// The document is a list or a scalar; the text says which.
    NotAnObject,
    /// An entry of `items` that is not an object.
    ItemNotAnObject,
    /// An entry of `items` that has `items` itself.
    NestedList,
    /// An object whose kind does not end in `List` has `items`.
    ItemsSwallowed,
    /// Text that kapp does not read.
    IgnoredTail,
    /// An annotation of kapp on a list, which is lost with it; the text is the key.
    InWrapper,
}

impl ProblemKind {
    /// Whether kapp, or applyorder, cannot continue with the document.
    pub(crate) const fn is_fatal(self) -> bool {
        matches!(
            self,
            Self::Syntax | Self::Limit | Self::NotAnObject | Self::ItemNotAnObject
        )
    }
}

impl Document {
    /// Reads one document.
    pub(crate) fn read(text: &str) -> Self {
        read(text.into(), text.len())
    }

    /// The source text.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The YAML tree.
    pub(crate) fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| yaml::parse(Arc::clone(&self.text)))
    }

    /// Whether everything but the places is equal, the whole content of the resources included.
    pub(crate) fn same_shape(&self, old: &Self) -> bool {
        self.fatal == old.fatal
            && self.resources == old.resources
            && self.problems == old.problems
            && self.places.len() == old.places.len()
            && (self.text == old.text || self.digests() == old.digests())
    }

    fn digests(&self) -> &[[u64; 2]] {
        let of = |number| self.content(number).digest();
        self.digests
            .get_or_init(|| (0..self.resources.len()).map(of).collect())
    }

    /// A digest of the content of a resource: equal for structurally equal contents.
    pub(crate) fn digest(&self, resource: usize) -> Option<[u64; 2]> {
        self.digests().get(resource).copied()
    }

    /// The node of a resource.
    pub(crate) fn node(&self, resource: usize) -> Option<Node<'_>> {
        let root = self.tree().first_document()?.root()?.resolve()?;
        let Some(item) = self.resources.get(resource)?.item else {
            return Some(root);
        };
        // All are requested one after the other, and each is found by iterating over those before it.
        let items = self.items.get_or_init(|| {
            let fields = goyaml::fields(root);
            match fields.iter().find(|f| f.name == "items").map(|f| f.decoded()) {
                Some(Value::Seq(list)) => list.items().map(|item| item.id()).collect(),
                _ => Box::default(),
            }
        });
        self.tree().node(*items.get(item as usize)?)?.resolve()
    }

    /// The whole content of a resource.
    pub(crate) fn content(&self, resource: usize) -> Content<'_> {
        Content::new(self.node(resource))
    }
}

/// The prefix of the YAML library's message.
pub(super) const CONVERTING: &str = "error converting YAML to JSON";

/// kapp's message about a document that is not an object.
pub(super) fn not_an_object(kind: &str) -> String {
    format!(
        "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}"
    )
}
