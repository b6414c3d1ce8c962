//! Reads a document, and finds the problems of its text.

use std::sync::{Arc, OnceLock};

use super::super::decode::json_kind;
use super::super::places::{Places, budget};
use super::super::resource::{self, Resource};
use super::super::text_of;
use super::{CONVERTING, Document, DocumentError, Problem, ProblemKind, not_an_object};
use applyorder_syntax::go::quote;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, DialectErrorKind, Value};
use applyorder_syntax::yaml::{self, Node, Style, SyntaxError, SyntaxErrorKind, Tree};

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
pub(in crate::read) fn read(text: Arc<str>, end: usize) -> Document {
    let (tree, text_len) = (yaml::parse(Arc::clone(&text)), text.len());
    let mut spans = Vec::with_capacity(USUAL_PLACES);
    let mut budget = budget(&text);
    let mut reading = Reading {
        text: &text,
        tree: &tree,
        places: Places::new(&mut spans, &mut budget),
        resources: Vec::new(),
        problems: Vec::new(),
        fatal: None,
    };
    reading.everything();
    let Reading {
        resources,
        problems,
        fatal,
        ..
    } = reading;
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

/// A document that is being read.
struct Reading<'a> {
    text: &'a str,
    tree: &'a Tree,
    places: Places<'a>,
    resources: Vec<Resource>,
    problems: Vec<Problem>,
    fatal: Option<DocumentError>,
}

impl<'a> Reading<'a> {
    fn everything(&mut self) {
        if let Some((span, words)) = misread(self.tree, self.text) {
            self.fatal = Some(DocumentError::Limit);
            self.problem(ProblemKind::Limit, words, span);
            return;
        }
        let tail = self.syntax_errors();
        self.beyond_the_first();
        self.content();
        let mut rest = self.tree.documents().skip(1).filter_map(|d| d.root());
        let unread = tail.map(|e| e.span);
        let unread = unread.or_else(|| Some(rest.find(|r| !r.is_absent())?.full_span()));
        if let Some(span) = unread.filter(|_| self.fatal.is_none() && self.tree.first_document().is_some()) {
            self.problem(ProblemKind::IgnoredTail, "", span);
        }
    }

    fn problem(&mut self, kind: ProblemKind, words: &str, span: Span) {
        let text = text_of(words, self.places.add(span));
        self.problems.push(Problem { kind, text });
    }

    /// Reports the syntax errors that the library notices; returns the first one after the end of what it reads.
    fn syntax_errors(&mut self) -> Option<&'a SyntaxError> {
        let tree = self.tree;
        let errors = || tree.errors().iter().filter(|e| e.document == 0);
        // The library stops where a bracketed document ends, or where the following text is not part of it (a
        // line that is indented less than the first), and sees no fault after it.
        let end = tree
            .first_document()
            .and_then(|d| d.root())
            .filter(|root| root.style() == Style::Flow)
            .map(|root| root.span().end);
        let trailing = errors()
            .filter(|e| e.kind == SyntaxErrorKind::Trailing)
            .map(|e| e.span.start);
        let end = end.into_iter().chain(trailing).min();
        let behind = |span: Span| end.is_some_and(|end| span.start >= end);
        let tail = errors().find(|e| behind(e.span));
        // It notices the end by the token after it, which must be a valid one.
        let noticed = tail.filter(|_| {
            let first = tree.first_document();
            first.is_some_and(|document| goyaml::syntax_fault(document).is_some())
        });
        let is_noticed = |span: Span| !behind(span) || noticed.is_some_and(|e| e.span == span);
        for error in errors().filter(|e| is_noticed(e.span)) {
            let is_limit = error.kind == SyntaxErrorKind::Limit;
            self.fatal.get_or_insert_with(|| match is_limit {
                true => DocumentError::Limit,
                false => refused(tree),
            });
            let kind = if is_limit {
                ProblemKind::Limit
            } else {
                ProblemKind::Syntax
            };
            self.problem(kind, &error.message, error.span);
        }
        tail
    }

    fn beyond_the_first(&mut self) {
        if self.fatal.is_none()
            && let Some(error) = goyaml::beyond_the_first(self.tree)
        {
            let words = format!("{CONVERTING}: yaml: {}", error.message);
            self.fatal = Some(DocumentError::Known(words.into()));
            self.problem(ProblemKind::Syntax, &error.message, error.span);
        }
    }

    /// Reads the resources of the first document.
    fn content(&mut self) {
        let Some(document) = self.tree.first_document() else {
            return;
        };
        let mut is_too_much = false;
        if self.fatal.is_none() && may_be_refused(self.text) {
            for error in goyaml::check(document) {
                is_too_much |= error.kind == DialectErrorKind::ExcessiveAliasing;
                self.fatal.get_or_insert_with(|| refused(self.tree));
                self.problem(ProblemKind::Syntax, &error.message, error.span);
            }
        }
        let Some(root) = document.root().filter(|_| !is_too_much) else {
            return;
        };
        self.root(root);
        let mut configs = self.resources.iter().filter_map(Resource::config);
        if let Some(key) = configs.find_map(|config| config.merged.as_ref()) {
            self.fatal.get_or_insert(DocumentError::Limit);
            self.problems.push(Problem {
                kind: ProblemKind::Limit,
                text: key.clone(),
            });
        }
        if self.fatal.is_none() && self.places.is_spent() {
            self.fatal = Some(DocumentError::Limit);
            let words = "limit reached: aliases or placeholders expand too much; the rest is not read";
            self.problem(ProblemKind::Limit, words, root.span());
        }
    }

    fn root(&mut self, root: Node<'_>) {
        let map = match goyaml::value(root) {
            Value::Null => return,
            Value::Map(map) => map,
            other => {
                let kind = json_kind(&other);
                self.fatal
                    .get_or_insert_with(|| DocumentError::Known(not_an_object(kind).into()));
                self.problem(ProblemKind::NotAnObject, kind, root.span());
                return;
            }
        };
        let fields = goyaml::fields(map);
        if fields.is_empty() {
            return;
        }
        let items = fields.iter().find(|f| f.name == "items");
        let Some((field, Value::Seq(list))) = items.map(|f| (f, f.decoded())) else {
            self.resources.reserve_exact(1);
            let resource = resource::read(map, &fields, None, &mut self.places);
            self.resources.push(resource);
            return;
        };
        let wrapper = resource::read(map, &fields, None, &mut self.places);
        if !wrapper.kind.value.ends_with("List") {
            self.problem(ProblemKind::ItemsSwallowed, &wrapper.kind.value, field.key.span());
        }
        self.problems.extend(wrapper.lost_in_wrapper());
        self.items(list);
    }

    fn items(&mut self, list: Node<'_>) {
        for (number, item) in (0u32..).zip(list.items()) {
            let Some(Value::Map(inner)) = item.resolve().map(goyaml::value) else {
                self.fatal.get_or_insert_with(|| {
                    DocumentError::Known("items member is not an object: map[string]interface {}".into())
                });
                self.problem(ProblemKind::ItemNotAnObject, "", item.span());
                continue;
            };
            let fields = goyaml::fields(inner);
            if !self.places.spend(1 + fields.len() as u64) {
                break;
            }
            let resource = resource::read(inner, &fields, Some(number), &mut self.places);
            if let Some(nested) = fields.iter().find(|f| f.name == "items")
                && matches!(nested.decoded(), Value::Seq(_))
                && resource.lacks_a_field()
            {
                self.problem(ProblemKind::NestedList, "", nested.key.span());
            }
            self.resources.push(resource);
        }
    }
}

/// kapp's message about a text that it cannot read.
fn refused(tree: &Tree) -> DocumentError {
    match refusal(tree) {
        Some(message) => DocumentError::Known(message.into()),
        None => DocumentError::Yaml,
    }
}

/// The first error that go-yaml and the conversion to JSON report about a text, in kapp's words.
pub(in crate::read) fn refusal(tree: &Tree) -> Option<String> {
    let mut refusal = tree.first_document().and_then(goyaml::refusal)?;
    let entry = || entry_at(tree, refusal.span);
    if let Some(rest) = refusal.message.strip_prefix("unsupported map key") {
        let named = entry().map(|entry| {
            // As the older version of the conversion does that kapp has.
            let [key, value] = entry.map(go_syntax);
            format!(", key: {key}, value: {value}")
        });
        refusal.message = format!("Unsupported map key{rest}{}", named.unwrap_or_default());
    } else if refusal.message.ends_with("invalid map key")
        && let Some([key, _]) = entry()
    {
        refusal.message = format!("{}: {}", refusal.message, go_syntax(key));
    }
    Some(format!("{CONVERTING}: {}", refusal.message))
}

/// The key at a place and its value: of equal keys the last.
fn entry_at(tree: &Tree, place: Span) -> Option<[Node<'_>; 2]> {
    let mut open: Vec<Node<'_>> = tree.first_document().and_then(|d| d.root()).into_iter().collect();
    while let Some(node) = open.pop() {
        open.extend(node.items());
        for entry in node.entries() {
            if entry.key.span() == place || entry.key.is_absent() && entry.span() == place {
                let key = goyaml::value(entry.key);
                let equal = node.entries().filter(|e| goyaml::value(e.key) == key);
                return equal.last().map(|last| [last.key, last.value]);
            }
            open.push(entry.value);
        }
    }
    None
}

/// The maximum size of a value in a message, beyond which only its beginning is written.
const MAX_SHOWN: usize = 1 << 16;

/// A value in Go's syntax.
fn go_syntax(node: Node<'_>) -> String {
    enum Part<'t> {
        Text(&'static str),
        Value(Node<'t>),
    }
    let mut out = match goyaml::value(node) {
        Value::Null => return "<nil>".to_owned(),
        _ => String::new(),
    };
    let mut open = vec![Part::Value(node)];
    while let Some(part) = open.pop().filter(|_| out.len() < MAX_SHOWN) {
        let node = match part {
            Part::Text(text) => {
                out.push_str(text);
                continue;
            }
            Part::Value(node) => node,
        };
        // Behind a closing brace.
        let from = open.len() + 1;
        match goyaml::value(node) {
            Value::Null => out.push_str("interface {}(nil)"),
            Value::Bool(is_on) => out.push_str(if is_on { "true" } else { "false" }),
            Value::Int(number) => out.push_str(&number.to_string()),
            Value::Uint(number) => out.push_str(&format!("{number:#x}")),
            Value::Float(number) => out.push_str(&goyaml::float_text(number)),
            Value::Str(text) => out.push_str(&quote(text.as_bytes())),
            Value::Seq(list) => {
                out.push_str("[]interface {}{");
                open.push(Part::Text("}"));
                for (number, item) in list.items().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    open.extend([Part::Text(comma), Part::Value(item)]);
                }
            }
            Value::Map(map) => {
                out.push_str("map[interface {}]interface {}{");
                open.push(Part::Text("}"));
                // Go prints keys in their order: of types, as they follow each other in a build of kapp, then of values.
                let rank = |key: &Value<'_>| match key {
                    Value::Int(_) | Value::Uint(_) => 1,
                    Value::Float(_) => 2,
                    Value::Bool(_) => 3,
                    _ => 0,
                };
                let mut fields = goyaml::fields(map);
                fields.sort_by(|a, b| match (goyaml::value(a.key), goyaml::value(b.key)) {
                    (Value::Int(a), Value::Int(b)) => a.cmp(&b),
                    (Value::Float(a), Value::Float(b)) => a.total_cmp(&b),
                    (one, other) => rank(&one).cmp(&rank(&other)).then_with(|| a.name.cmp(&b.name)),
                });
                for (number, field) in fields.into_iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    let (key, value) = (Part::Value(field.key), Part::Value(field.value));
                    open.extend([Part::Text(comma), key, Part::Text(":"), value]);
                }
            }
        }
        // What comes first is taken first.
        if let Some(new) = open.get_mut(from..) {
            new.reverse();
        }
    }
    out
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
