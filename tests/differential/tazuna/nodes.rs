//! A YAML document as built by the generator, and the many ways to serialize it.

use crate::random::Random;

/// The entries of a map, in the order in which they are written.
pub(crate) type Entries = Vec<(String, Node)>;

#[derive(Clone, Debug)]
pub(crate) enum Node {
    /// Written verbatim.
    Raw(String),
    List(Vec<Node>),
    Map(Entries),
}

impl Node {
    pub(crate) fn raw(text: impl Into<String>) -> Self {
        Self::Raw(text.into())
    }

    pub(crate) fn map(&mut self) -> &mut Entries {
        if !matches!(self, Self::Map(_)) {
            *self = Self::Map(Vec::new());
        }
        match self {
            Self::Map(entries) => entries,
            _ => unreachable!(),
        }
    }

    pub(crate) fn list(&mut self) -> &mut Vec<Node> {
        if !matches!(self, Self::List(_)) {
            *self = Self::List(Vec::new());
        }
        match self {
            Self::List(items) => items,
            _ => unreachable!(),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        match self {
            Self::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.map().iter_mut().find(|(k, _)| k == key).map(|(_, v)| v)
    }

    /// Sets a key in place, or at the end.
    pub(crate) fn set(&mut self, key: &str, value: Node) {
        match self.map().iter_mut().find(|(k, _)| k == key) {
            Some((_, old)) => *old = value,
            None => self.map().push((key.to_owned(), value)),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) {
        self.map().retain(|(k, _)| k != key);
    }

    /// All maps in the node, itself included, in no particular order.
    pub(crate) fn maps(&mut self, with: &mut dyn FnMut(&mut Entries)) {
        match self {
            Self::Raw(_) => {}
            Self::List(items) => items.iter_mut().for_each(|n| n.maps(with)),
            Self::Map(entries) => {
                with(entries);
                entries.iter_mut().for_each(|(_, n)| n.maps(with));
            }
        }
    }

    pub(crate) fn write(&self, random: &mut Random) -> String {
        let mut writer = Writer {
            random,
            out: String::new(),
        };
        match self {
            Self::Raw(text) => {
                writer.out.push_str(text);
                writer.out.push('\n');
            }
            node => writer.block(node, 0),
        }
        writer.out
    }
}

struct Writer<'r> {
    random: &'r mut Random,
    out: String,
}

impl Writer<'_> {
    fn indent(&mut self, by: usize) {
        self.out.push_str(&" ".repeat(by));
    }

    /// Writes a node that starts at the beginning of a line.
    fn block(&mut self, node: &Node, indent: usize) {
        match node {
            Node::Map(entries) if !entries.is_empty() => {
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 || !self.out.ends_with("- ") {
                        self.between(indent);
                        self.indent(indent);
                    }
                    self.out.push_str(key);
                    self.out.push(':');
                    self.value(value, indent);
                }
            }
            Node::List(items) if !items.is_empty() => {
                for item in items {
                    self.between(indent);
                    self.indent(indent);
                    self.out.push_str("- ");
                    match item {
                        Node::Map(entries) if !entries.is_empty() && !self.random.one_in(12) => {
                            self.block(item, indent + 2);
                        }
                        item => self.inline(item),
                    }
                }
            }
            node => {
                self.indent(indent);
                self.inline(node);
            }
        }
    }

    /// Blank lines and comments, now and then.
    fn between(&mut self, indent: usize) {
        if self.random.one_in(40) {
            self.out.push('\n');
        }
        if self.random.one_in(25) {
            let by = if self.random.one_in(3) { 0 } else { indent };
            self.indent(by);
            self.out.push_str("# note: x\n");
        }
    }

    fn value(&mut self, value: &Node, indent: usize) {
        let flow = self.random.one_in(8);
        match value {
            Node::Map(entries) if !entries.is_empty() && !flow => {
                self.out.push('\n');
                self.block(value, indent + 2);
            }
            Node::List(items) if !items.is_empty() && !flow => {
                self.out.push('\n');
                let by = if self.random.one_in(3) { 0 } else { 2 };
                self.block(value, indent + by);
            }
            Node::Raw(text) if text.is_empty() => self.out.push('\n'),
            value => {
                self.out.push(' ');
                self.inline(value);
            }
        }
    }

    fn inline(&mut self, node: &Node) {
        self.flow(node);
        if self.random.one_in(30) {
            self.out.push_str(" # c");
        }
        self.out.push('\n');
    }

    fn flow(&mut self, node: &Node) {
        match node {
            Node::Raw(text) => self.out.push_str(text),
            Node::List(items) => {
                self.out.push('[');
                for (i, item) in items.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    self.flow(item);
                }
                self.out.push(']');
            }
            Node::Map(entries) => {
                self.out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    if i > 0 {
                        self.out.push_str(", ");
                    }
                    self.out.push_str(key);
                    self.out.push_str(": ");
                    self.flow(value);
                }
                self.out.push('}');
            }
        }
    }
}
