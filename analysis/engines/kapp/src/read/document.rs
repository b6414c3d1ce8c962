//! One document of a file: a document as kapp reads it, with the resources in it.

use std::sync::{Arc, OnceLock};

use super::decode::json_kind;
use super::places::{Places, budget};
use super::resource::{self, Resource};
use super::{Content, Text, text_of};
use applyorder_syntax::go::quote;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, DialectErrorKind, Value};
use applyorder_syntax::yaml::{self, Node, NodeId, Style, SyntaxErrorKind, Tree};

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

/// kapp's message about a text that it cannot read.
fn refused(tree: &Tree) -> DocumentError {
    match tree.first_document().and_then(goyaml::refusal) {
        Some(refusal) => {
            let message = match refusal.message.strip_prefix("unsupported map key") {
                Some(rest) => format!("Unsupported map key{rest}{}", entry_of(tree, refusal.span)),
                None => refusal.message,
            };
            DocumentError::Known(format!("{CONVERTING}: {message}").into())
        }
        None => DocumentError::Yaml,
    }
}

/// The key at a place and its value, as named by the older version of the conversion that kapp has.
fn entry_of(tree: &Tree, place: Span) -> String {
    let mut open: Vec<Node<'_>> = tree.first_document().and_then(|d| d.root()).into_iter().collect();
    while let Some(node) = open.pop() {
        open.extend(node.items());
        for entry in node.entries() {
            let is_it = entry.key.span() == place || entry.key.is_absent() && entry.span() == place;
            if is_it {
                let [key, value] = [entry.key, entry.value].map(go_syntax);
                return format!(", key: {key}, value: {value}");
            }
            open.push(entry.value);
        }
    }
    String::new()
}

/// A value in Go's syntax; for a collection its beginning.
fn go_syntax(node: Node<'_>) -> String {
    match goyaml::value(node) {
        Value::Null => "<nil>".to_owned(),
        Value::Bool(is_on) => is_on.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => format!("{number:#x}"),
        Value::Float(number) => goyaml::float_text(number),
        Value::Str(text) => quote(text.as_bytes()),
        Value::Seq(_) => "[]interface {}{".to_owned(),
        Value::Map(_) => "map[interface {}]interface {}{".to_owned(),
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

/// Whether a text has anything that the library or the conversion to JSON could reject: an alias, a tag, a
/// directive, a merge, an infinite number, a key that is not a string.
fn may_be_refused(text: &str) -> bool {
    let bytes = text.as_bytes();
    let lettered = |at: usize, word: &[u8]| {
        bytes
            .get(at + 1..at + 4)
            .is_some_and(|w| w.eq_ignore_ascii_case(word))
    };
    memchr::memchr3(b'*', b'!', b'&', bytes).is_some()
        || memchr::memchr3(b'%', b'?', b'<', bytes).is_some()
        || memchr::memchr_iter(b'.', bytes).any(|at| lettered(at, b"inf") || lettered(at, b"nan"))
        || memchr::memchr_iter(b':', bytes).any(|at| {
            // A key that is not a scalar, or missing, null, or a number that may be too large.
            let before = bytes.get(..at).unwrap_or(&[]).trim_ascii_end();
            let ends = before
                .last()
                .is_none_or(|b| b"]}[{,-~".contains(b) || b.is_ascii_digit());
            let starts_line = bytes
                .get(before.len()..at)
                .is_some_and(|gap| gap.contains(&b'\n'));
            ends || starts_line
                || before
                    .get(before.len().saturating_sub(4)..)
                    .is_some_and(|w| w.eq_ignore_ascii_case(b"null"))
        })
}

/// How many places a resource usually has.
const USUAL_PLACES: usize = 32;

/// After these, go-yaml loses the first character of some lines, or all lines but one.
const MARKS: &str = "\u{feff}\u{feff}";

/// kapp splits a document into lines and drops one carriage return at the end of each: of these two line breaks
/// it keeps one.
const TWO_BREAKS: &str = "\r\r\n";

/// The part of a text that kapp reads differently from us: where, and the message.
fn misread(tree: &Tree, text: &str) -> Option<(Span, &'static str)> {
    if text.starts_with(MARKS) {
        let words = "what kapp reads behind two byte-order marks is not followed";
        return Some((Span::from_usize(0, MARKS.len()), words));
    }
    let at = text.find(TWO_BREAKS)?;
    // Between values one more empty line has no effect.
    let mut open: Vec<Node<'_>> = tree.first_document().and_then(|d| d.root()).into_iter().collect();
    let mut is_changed = !tree.errors().is_empty();
    while let Some(node) = open.pop().filter(|_| !is_changed) {
        open.extend(node.items());
        open.extend(node.entries().flat_map(|entry| [entry.key, entry.value]));
        is_changed = match node.style() {
            Style::Literal | Style::Folded => true,
            Style::Block | Style::Flow => false,
            _ => node.source().contains(TWO_BREAKS),
        };
    }
    let words = "a value with `\\r\\r\\n` line ends: what kapp makes of them is not followed";
    is_changed.then(|| (Span::from_usize(at, at + TWO_BREAKS.len()), words))
}

/// Reads one document. `end`: where its text ends in the file; a line break after it is added by kapp.
pub(super) fn read(text: Arc<str>, end: usize) -> Document {
    let (tree, text_len) = (yaml::parse(Arc::clone(&text)), text.len());
    let mut spans = Vec::with_capacity(USUAL_PLACES);
    let mut problems = Vec::new();
    let mut resources = Vec::new();
    let mut fatal = None;
    let mut budget = budget(&text);
    {
        let mut places = Places::new(&mut spans, &mut budget);
        let misread = misread(&tree, &text);
        let is_misread = misread.is_some();
        if let Some((span, words)) = misread {
            fatal = Some(DocumentError::Limit);
            problems.push(Problem {
                kind: ProblemKind::Limit,
                text: text_of(words, places.add(span)),
            });
        }
        // The library stops where a bracketed document ends, or where the following text is not part of it (a
        // line that is indented less than the first), and sees no fault after it.
        let end = tree
            .first_document()
            .and_then(|d| d.root())
            .filter(|root| root.style() == Style::Flow)
            .map(|root| root.span().end);
        let trailing = tree
            .errors()
            .iter()
            .filter(|e| e.document == 0 && e.kind == SyntaxErrorKind::Trailing)
            .map(|e| e.span.start);
        let end = end.into_iter().chain(trailing).min();
        let behind = |span: Span| end.is_some_and(|end| span.start >= end);
        let tail = tree.errors().iter().find(|e| e.document == 0 && behind(e.span));
        // It notices the end by the token after it, which must be a valid one.
        let noticed = tail.filter(|_| {
            let first = tree.first_document();
            first.is_some_and(|document| goyaml::syntax_fault(document).is_some())
        });
        let is_noticed = |span: Span| !behind(span) || noticed.is_some_and(|e| e.span == span);
        for error in tree
            .errors()
            .iter()
            .filter(|e| !is_misread && e.document == 0 && is_noticed(e.span))
        {
            let limit = error.kind == SyntaxErrorKind::Limit;
            fatal.get_or_insert_with(|| {
                if limit {
                    DocumentError::Limit
                } else {
                    refused(&tree)
                }
            });
            problems.push(Problem {
                kind: if limit {
                    ProblemKind::Limit
                } else {
                    ProblemKind::Syntax
                },
                text: text_of(&error.message, places.add(error.span)),
            });
        }
        if fatal.is_none()
            && let Some(error) = goyaml::beyond_the_first(&tree)
        {
            fatal = Some(DocumentError::Known(
                format!("{CONVERTING}: yaml: {}", error.message).into(),
            ));
            problems.push(Problem {
                kind: ProblemKind::Syntax,
                text: text_of(&error.message, places.add(error.span)),
            });
        }
        let mut documents = tree.documents();
        let first = documents.next().filter(|_| !is_misread);
        if let Some(document) = first {
            let mut is_too_much = false;
            if fatal.is_none() && may_be_refused(&text) {
                for error in goyaml::check(document) {
                    is_too_much |= error.kind == DialectErrorKind::ExcessiveAliasing;
                    fatal.get_or_insert_with(|| refused(&tree));
                    problems.push(Problem {
                        kind: ProblemKind::Syntax,
                        text: text_of(&error.message, places.add(error.span)),
                    });
                }
            }
            if let Some(root) = document.root().filter(|_| !is_too_much) {
                read_root(root, &mut places, &mut resources, &mut problems, &mut fatal);
                let mut configs = resources.iter().filter_map(Resource::config);
                if let Some(key) = configs.find_map(|config| config.merged.as_ref()) {
                    fatal.get_or_insert(DocumentError::Limit);
                    let words = format!(
                        "another key is the same field as `{}`: what kapp makes of both is not followed",
                        key.value
                    );
                    problems.push(Problem {
                        kind: ProblemKind::Limit,
                        text: Text {
                            value: words.into(),
                            place: key.place,
                        },
                    });
                }
                if fatal.is_none() && places.is_spent() {
                    fatal = Some(DocumentError::Limit);
                    let words =
                        "limit reached: aliases or placeholders expand too much; the rest is not read";
                    problems.push(Problem {
                        kind: ProblemKind::Limit,
                        text: text_of(words, places.add(root.span())),
                    });
                }
            }
            let rest = documents.filter_map(|d| d.root()).find(|r| !r.is_absent());
            let unread = tail.map(|e| e.span).or_else(|| rest.map(|r| r.full_span()));
            if let Some(span) = unread.filter(|_| fatal.is_none()) {
                problems.push(Problem {
                    kind: ProblemKind::IgnoredTail,
                    text: text_of("", places.add(span)),
                });
            }
        }
    }
    let file_end = Span::from_usize(end, end).end;
    for span in spans.iter_mut().filter(|span| span.end > file_end) {
        (span.start, span.end) = (span.start.min(file_end), file_end);
    }
    // Searching for templates needs comments, and a text that cannot be read is checked repeatedly.
    let kept = tree.comments().next().is_some() || fatal.is_some();
    Document {
        text,
        tree: if kept { tree.into() } else { OnceLock::new() },
        places: spans.into_boxed_slice(),
        resources: resources.into(),
        problems: problems.into(),
        fatal,
        lacks_break: end < text_len,
        digests: OnceLock::new(),
        items: OnceLock::new(),
    }
}

fn read_root(
    root: Node<'_>,
    places: &mut Places<'_>,
    resources: &mut Vec<Resource>,
    problems: &mut Vec<Problem>,
    fatal: &mut Option<DocumentError>,
) {
    let value = goyaml::value(root);
    let map = match value {
        Value::Null => return,
        Value::Map(map) => map,
        other => {
            let kind = json_kind(&other);
            fatal.get_or_insert_with(|| DocumentError::Known(not_an_object(kind).into()));
            problems.push(Problem {
                kind: ProblemKind::NotAnObject,
                text: text_of(kind, places.add(root.span())),
            });
            return;
        }
    };
    let fields = goyaml::fields(map);
    if fields.is_empty() {
        return;
    }
    let items = fields.iter().find(|f| f.name == "items");
    let Some((field, Value::Seq(list))) = items.map(|f| (f, f.decoded())) else {
        resources.reserve_exact(1);
        resources.push(resource::read(map, &fields, None, places));
        return;
    };
    let wrapper = resource::read(map, &fields, None, places);
    if !wrapper.kind.value.ends_with("List") {
        problems.push(Problem {
            kind: ProblemKind::ItemsSwallowed,
            text: text_of(&wrapper.kind.value, places.add(field.key.span())),
        });
    }
    problems.extend(wrapper.lost_in_wrapper());
    for (number, item) in (0u32..).zip(list.items()) {
        let node = item.resolve();
        match node.map(|n| (n, goyaml::value(n))) {
            Some((_, Value::Map(inner))) => {
                let fields = goyaml::fields(inner);
                if !places.spend(1 + fields.len() as u64) {
                    break;
                }
                let resource = resource::read(inner, &fields, Some(number), places);
                if let Some(nested) = fields.iter().find(|f| f.name == "items")
                    && matches!(nested.decoded(), Value::Seq(_))
                    && resource.lacks_a_field()
                {
                    problems.push(Problem {
                        kind: ProblemKind::NestedList,
                        text: text_of("", places.add(nested.key.span())),
                    });
                }
                resources.push(resource);
            }
            _ => {
                fatal.get_or_insert_with(|| {
                    DocumentError::Known("items member is not an object: map[string]interface {}".into())
                });
                problems.push(Problem {
                    kind: ProblemKind::ItemNotAnObject,
                    text: text_of("", places.add(item.span())),
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_reported_after_two_byte_order_marks() {
        let kinds = |text: &str| {
            let document = read(text.into(), text.len());
            document.problems.iter().map(|p| p.kind).collect::<Vec<_>>()
        };
        for rest in ["a: [", "kind: List", ""] {
            assert_eq!(kinds(&format!("{MARKS}{rest}")), [ProblemKind::Limit]);
        }
        assert_eq!(kinds("\u{feff}a: b"), []);
        assert_eq!(kinds("\u{feff}a: ["), [ProblemKind::Syntax]);
    }

    #[test]
    fn the_quick_look_misses_nothing_that_is_refused() {
        for text in [
            "a: *x",
            "a: !!int x",
            "%YAML 1.2\n---\na: b",
            "<<: 5",
            "a: .inf",
            "a: -.Inf",
            "a: .NaN",
            "[a]: b",
            "{a: b} : c",
            "? [a]\n: b",
            "~: a",
            "null: a",
            "Null : a",
            ": a",
            "a:\n  : b",
            "{: a}",
            "{a: b, : c}",
            "- : a",
            "18446744073709551615: a",
            "a: &x [*x]",
        ] {
            let tree = yaml::parse(text);
            let document = tree.first_document().unwrap();
            let refused = !goyaml::check(document).is_empty();
            assert!(!refused || may_be_refused(text), "{text}");
        }
        assert!(!may_be_refused(
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a.b}\n"
        ));
    }
}
