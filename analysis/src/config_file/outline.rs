//! The keys and values of a TOML text, however broken, each with its tables.

use std::borrow::Cow;

use applyorder_syntax::text::Span;
use toml_parser::decoder::ScalarKind;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document};
use toml_parser::{Raw, Source};

/// Values nested deeper than this are not read.
const MAX_DEPTH: u32 = 100;

/// The whole file, as a node.
pub const ROOT: NodeIx = 0;

/// The index of a node.
pub type NodeIx = usize;

/// One step from the top of the file to a key or value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The file itself.
    Root,
    /// A key of a table.
    Key(String),
    /// An element of an array.
    Element,
}

#[derive(Debug)]
struct Node {
    parent: NodeIx,
    step: Step,
}

/// The kind of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A key.
    Key,
    /// A value that is neither an array nor a table.
    Value,
    /// A comment.
    Comment,
}

/// A key, a value or a comment.
#[derive(Debug)]
pub struct Word {
    /// Its location, including quotes.
    pub span: Span,
    /// Its kind.
    pub what: What,
    /// The key or value itself.
    pub node: NodeIx,
    /// Its text, without quotes and escapes.
    pub text: String,
}

/// What is allowed at a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A key of the table, or a header if the line is new.
    Key {
        /// Whether the line is new.
        new_line: bool,
    },
    /// A part of a header: of a table, or of an array of tables.
    Header {
        /// Whether it is the header of an array.
        array: bool,
    },
    /// A value of the key or array.
    Value,
    /// Nothing.
    Nothing,
}

/// The structure of a text.
pub struct Outline {
    nodes: Vec<Node>,
    /// The keys, values and comments, in the order of the text.
    pub words: Vec<Word>,
    /// The tables that headers begin, except those of arrays.
    pub tables: Vec<NodeIx>,
    /// The offsets from which on something is expected, with the node and the expectation.
    expected: Vec<(u32, NodeIx, Expected)>,
}

impl Word {
    /// Its location, without its quotes.
    #[must_use]
    pub fn inner(&self, text: &str) -> Span {
        let written = self.span.slice(text);
        let quotes = ["\"\"\"", "'''", "\"", "'"];
        let quote = quotes
            .iter()
            .find(|q| written.len() >= 2 * q.len() && written.starts_with(**q));
        let width = quote.map_or(0, |quote| u32::try_from(quote.len()).unwrap_or(0));
        Span::new(self.span.start + width, self.span.end - width)
    }
}

impl Outline {
    /// The structure of a text.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let source = Source::new(text);
        let tokens = source.lex().into_vec();
        let mut events: Vec<Event> = Vec::new();
        parse_document(&tokens, &mut RecursionGuard::new(&mut events, MAX_DEPTH), &mut ());
        let mut reader = Reader::new(source);
        for event in &events {
            reader.take(event);
        }
        let mut outline = reader.outline;
        outline.expected.sort_by_key(|(from, ..)| *from);
        outline
    }

    /// The word that contains an offset or ends there.
    #[must_use]
    pub fn word_at(&self, offset: u32) -> Option<&Word> {
        let from = self.words.partition_point(|w| w.span.end < offset);
        let mut at = self.words.iter().skip(from).take(2);
        at.rfind(|w| w.span.start <= offset)
    }

    /// What is allowed at an offset, and the part of it that is already written.
    #[must_use]
    pub fn expected_at(&self, offset: u32) -> (NodeIx, Expected, Span) {
        let word = self.word_at(offset);
        if word.is_some_and(|w| w.what == What::Comment) {
            return (ROOT, Expected::Nothing, Span::at(offset));
        }
        let span = word.map_or(Span::at(offset), |w| w.span);
        let after = self.expected.partition_point(|(from, ..)| *from <= span.start);
        let (node, expected) = match after.checked_sub(1).and_then(|at| self.expected.get(at)) {
            Some((_, node, expected)) => (*node, *expected),
            None => (ROOT, Expected::Key { new_line: true }),
        };
        (node, expected, span)
    }

    /// The steps from the root to a node.
    #[must_use]
    pub fn path(&self, node: NodeIx) -> Vec<&Step> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(node) = self.nodes.get(at).filter(|_| at != ROOT) {
            path.push(&node.step);
            at = node.parent;
        }
        path.reverse();
        path
    }

    /// The table or array that contains a node.
    #[must_use]
    pub fn parent(&self, node: NodeIx) -> NodeIx {
        self.nodes.get(node).map_or(ROOT, |node| node.parent)
    }

    /// A node as users write it: `kapp.app`.
    #[must_use]
    pub fn dotted(&self, node: NodeIx) -> String {
        let keys = self.path(node).into_iter().filter_map(|step| match step {
            Step::Key(key) => Some(key.as_str()),
            Step::Root | Step::Element => None,
        });
        keys.collect::<Vec<_>>().join(".")
    }

    /// The keys directly in the table of a node, wherever it is continued. Elements of arrays are
    /// distinguished.
    #[must_use]
    pub fn keys_in(&self, table: NodeIx) -> Vec<&str> {
        let path = self.path(table);
        let is_child = |w: &&Word| {
            let parent = self.nodes.get(w.node).map(|n| n.parent);
            w.what == What::Key
                && parent.is_some_and(|parent| {
                    parent == table || !path.contains(&&Step::Element) && self.path(parent) == path
                })
        };
        let children = self.words.iter().filter(is_child);
        children.map(|w| w.text.as_str()).collect()
    }
}

enum Container {
    Array(NodeIx),
    Table(NodeIx),
}

/// Reads events into an outline.
struct Reader<'a> {
    source: Source<'a>,
    outline: Outline,
    /// The table of the last header.
    table: NodeIx,
    /// The key that was read last, up to its current part; else the parent of the next one.
    key: NodeIx,
    /// Whether a header is open, and whether of an array of tables.
    header: Option<bool>,
    open: Vec<Container>,
}

impl<'a> Reader<'a> {
    fn new(source: Source<'a>) -> Self {
        let root = Node {
            parent: ROOT,
            step: Step::Root,
        };
        Self {
            source,
            outline: Outline {
                nodes: vec![root],
                words: Vec::new(),
                tables: Vec::new(),
                expected: Vec::new(),
            },
            table: ROOT,
            key: ROOT,
            header: None,
            open: Vec::new(),
        }
    }

    fn node(&mut self, parent: NodeIx, step: Step) -> NodeIx {
        self.outline.nodes.push(Node { parent, step });
        self.outline.nodes.len() - 1
    }

    fn word(&mut self, event: &Event, what: What, node: NodeIx) {
        let text = self.source.get(event).map(|raw| decoded(raw, what));
        self.outline.words.push(Word {
            span: Span::from_usize(event.span().start(), event.span().end()),
            what,
            node,
            text: text.unwrap_or_default().into_owned(),
        });
    }

    fn expect(&mut self, from: usize, node: NodeIx, expected: Expected) {
        let from = u32::try_from(from).unwrap_or(u32::MAX);
        self.outline.expected.push((from, node, expected));
    }

    fn value_node(&mut self) -> NodeIx {
        match self.open.last() {
            Some(Container::Array(array)) => {
                let array = *array;
                self.node(array, Step::Element)
            }
            _ => self.key,
        }
    }

    fn take(&mut self, event: &Event) {
        let (start, end) = (event.span().start(), event.span().end());
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                let array = event.kind() == EventKind::ArrayTableOpen;
                self.open.clear();
                self.header = Some(array);
                self.key = ROOT;
                self.expect(end, ROOT, Expected::Header { array });
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => {
                self.end_header();
                self.expect(end, ROOT, Expected::Nothing);
            }
            EventKind::SimpleKey => {
                let text = self
                    .source
                    .get(event)
                    .map(|raw| decoded(raw, What::Key).into_owned());
                let parent = self.key;
                self.key = self.node(parent, Step::Key(text.unwrap_or_default()));
                self.word(event, What::Key, self.key);
                // After the key itself nothing of it remains to be written.
                self.expect(end + 1, ROOT, Expected::Nothing);
            }
            EventKind::KeySep => {
                let expected = match self.header {
                    Some(array) => Expected::Header { array },
                    None => Expected::Key { new_line: false },
                };
                self.expect(end, self.key, expected);
            }
            EventKind::KeyValSep => self.expect(end, self.key, Expected::Value),
            EventKind::Scalar => {
                let node = self.value_node();
                self.word(event, What::Value, node);
                self.expect(end + 1, ROOT, Expected::Nothing);
            }
            EventKind::ArrayOpen => {
                let node = self.value_node();
                self.open.push(Container::Array(node));
                self.expect_in_array(end, node);
            }
            EventKind::InlineTableOpen => {
                let node = self.value_node();
                self.open.push(Container::Table(node));
                self.key = node;
                self.expect(end, node, Expected::Key { new_line: false });
            }
            EventKind::ValueSep => match self.open.last() {
                Some(Container::Array(array)) => self.expect_in_array(end, *array),
                Some(Container::Table(table)) => {
                    self.key = *table;
                    self.expect(end, *table, Expected::Key { new_line: false });
                }
                None => {}
            },
            EventKind::ArrayClose | EventKind::InlineTableClose => {
                self.open.pop();
                self.expect(end, ROOT, Expected::Nothing);
            }
            EventKind::Newline if self.open.is_empty() => {
                self.end_header();
                self.key = self.table;
                self.expect(end, self.table, Expected::Key { new_line: true });
            }
            EventKind::Comment => {
                self.word(event, What::Comment, ROOT);
                self.expect(start, ROOT, Expected::Nothing);
            }
            EventKind::Newline | EventKind::Whitespace | EventKind::Error => {}
        }
    }

    fn expect_in_array(&mut self, from: usize, array: NodeIx) {
        let element = self.node(array, Step::Element);
        self.expect(from, element, Expected::Value);
    }

    /// From here on keys belong to the header's table, even if the header is not closed.
    fn end_header(&mut self) {
        match self.header.take() {
            Some(true) => self.table = self.node(self.key, Step::Element),
            Some(false) => {
                self.table = self.key;
                self.outline.tables.push(self.key);
            }
            None => {}
        }
    }
}

fn decoded(raw: Raw<'_>, what: What) -> Cow<'_, str> {
    let mut text = Cow::Borrowed("");
    match what {
        What::Key => raw.decode_key(&mut text, &mut ()),
        What::Value => {
            let kind = raw.decode_scalar(&mut text, &mut ());
            if kind != ScalarKind::String {
                return Cow::Borrowed(raw.as_str());
            }
        }
        What::Comment => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &[&Step]) -> String {
        let step = |step: &&Step| match step {
            Step::Root => "ROOT".to_owned(),
            Step::Key(key) => key.clone(),
            Step::Element => "[]".to_owned(),
        };
        path.iter().map(step).collect::<Vec<_>>().join("/")
    }

    /// What is expected at the mark `|`, which is removed.
    #[track_caller]
    fn expected(text: &str, path: &str, what: Expected, there: &str) {
        let at = text.find('|').unwrap();
        let text = text.replacen('|', "", 1);
        let outline = Outline::of(&text);
        let (node, found, span) = outline.expected_at(u32::try_from(at).unwrap());
        let found = (shown(&outline.path(node)), found, span.slice(&text));
        assert_eq!(found, (path.to_owned(), what, there), "{text:?}");
    }

    const NEW: Expected = Expected::Key { new_line: true };
    const KEY: Expected = Expected::Key { new_line: false };

    #[test]
    fn what_is_expected_is_known_while_it_is_written() {
        expected("|", "", NEW, "");
        expected("fa|", "", NEW, "fa");
        expected("ci = \"auto\"\n|", "", NEW, "");
        expected("[rules]\n\"cyc|", "rules", NEW, "\"cyc");
        expected("[rules]\ncyc|\nb = 1\n", "rules", NEW, "cyc");
        expected("[rules]\ncycle = |\n", "rules/cycle", Expected::Value, "");
        expected("[rules]\ncycle = of|\n", "rules/cycle", Expected::Value, "of");
        expected("[rules]\ncycle = \"of|\n", "rules/cycle", Expected::Value, "\"of");
        expected("rules.cy|", "rules", KEY, "cy");
        expected("rules.| = \"off\"", "rules", KEY, "");
        expected("[ka|", "", Expected::Header { array: false }, "ka");
        expected("[[kapp.|", "kapp", Expected::Header { array: true }, "");
        expected("[[kapp.app]]\nname = \"a\"\n|", "kapp/app/[]", NEW, "");
        expected("[kapp\nver|", "kapp", NEW, "ver");
        expected("[kapp]\napp = [{ na| }]", "kapp/app/[]", KEY, "na");
        expected(
            "[tazuna]\nroots = [\"a\", |]",
            "tazuna/roots/[]",
            Expected::Value,
            "",
        );
        expected("a = 1 |", "", Expected::Nothing, "");
        expected("# fa|", "", Expected::Nothing, "");
    }

    #[test]
    fn keys_of_a_table_are_found_wherever_it_is_continued() {
        let text = "[rules]\na = 1\n[kapp]\nb = 1\n[[kapp.app]]\nname = 1\n[[kapp.app]]\nfiles = 1\n";
        let outline = Outline::of(text);
        let table_of = |key: &str| {
            let word = outline.words.iter().find(|w| w.text == key).unwrap();
            outline.nodes[word.node].parent
        };
        assert_eq!(outline.keys_in(ROOT), ["rules", "kapp", "kapp", "kapp"]);
        assert_eq!(outline.keys_in(table_of("b")), ["b", "app", "app"]);
        assert_eq!(outline.keys_in(table_of("files")), ["files"]);
    }

    #[test]
    fn nothing_recurses_on_deep_values() {
        for text in [
            "a = ".to_owned() + &"[".repeat(50_000),
            "a = ".to_owned() + &"{a=".repeat(50_000),
        ] {
            assert!(Outline::of(&text).words.len() < 1000);
        }
    }
}
