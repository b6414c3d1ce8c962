//! Terraform's JSON syntax, written out as native syntax, with where each part came from.
//!
//! Source: spec section 3: an object may be a list of objects at any level, and every string is a template.

use applyorder_syntax::hcl::is_identifier;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::{self, Node, Style};

use super::span_map::SpanMap;
use crate::schema::{Block, schema};

/// A text of JSON in native syntax.
pub(super) struct Written {
    pub(super) text: String,
    pub(super) map: SpanMap,
    /// Where the text is not valid JSON, and why.
    pub(super) rejected: Option<(Span, String)>,
}

/// What strings in a value mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    /// A template.
    Template,
    /// The text itself.
    Literal,
    /// Source text of an expression.
    Source,
}

/// The block that contains something.
#[derive(Clone, Copy)]
enum Within {
    /// A resource or data source, with what it takes.
    Resource(Option<&'static Block>),
    /// A block in one.
    Inside(Option<&'static Block>),
    /// A dynamic block of what holds this.
    Dynamic(Option<&'static Block>),
    Lifecycle,
    Provisioner,
    Terraform,
    Variable,
    Output,
    Module,
    /// `import` and `moved`.
    Import,
    Removed,
    Check,
    /// A file of values.
    Values,
    Other,
}

/// How a name in a body is written that is not an attribute.
enum Nested {
    Plain(Within),
    /// Below it are the labels; the contents of a block are determined by where the block is, and by the label.
    Labeled(fn(Within, &str) -> Within),
    /// The same with two labels, of which the first decides.
    Typed(fn(&str) -> Within),
}

impl Within {
    /// Source: Terraform's JSON syntax, where the schema says what is a block.
    fn nested(self, name: &str) -> Option<Nested> {
        let of = |schema: Option<&'static Block>| {
            let inner = schema?.blocks.get(name)?;
            Some(Nested::Plain(Self::Inside(Some(&inner.block))))
        };
        let dynamic: fn(Self, &str) -> Self = |within, label| {
            let schema = match within {
                Self::Resource(schema) | Self::Inside(schema) => schema,
                _ => None,
            };
            Self::Dynamic(
                schema
                    .and_then(|s| s.blocks.get(label))
                    .map(|nested| &nested.block),
            )
        };
        match (self, name) {
            (Self::Resource(_), "lifecycle") => Some(Nested::Plain(Self::Lifecycle)),
            (Self::Resource(_), "provisioner") => Some(Nested::Labeled(|_, _| Self::Provisioner)),
            (Self::Resource(_) | Self::Provisioner, "connection") => Some(Nested::Plain(Self::Other)),
            // Of what another provider takes it is not known which are blocks.
            (Self::Resource(Some(_)) | Self::Inside(Some(_)), "dynamic") => Some(Nested::Labeled(dynamic)),
            (Self::Resource(schema) | Self::Inside(schema), _) => of(schema),
            (Self::Dynamic(schema), "content") => Some(Nested::Plain(Self::Inside(schema))),
            (Self::Lifecycle, "precondition" | "postcondition")
            | (Self::Variable, "validation")
            | (Self::Output, "precondition")
            | (Self::Check, "assert")
            | (Self::Removed, "lifecycle" | "connection") => Some(Nested::Plain(Self::Other)),
            (Self::Removed, "provisioner") => Some(Nested::Labeled(|_, _| Self::Provisioner)),
            (Self::Check, "data") => Some(Nested::Typed(|ty| Self::Resource(schema(true, ty)))),
            (Self::Terraform, "required_providers" | "cloud") => Some(Nested::Plain(Self::Other)),
            (Self::Terraform, "backend") => Some(Nested::Labeled(|_, _| Self::Other)),
            _ => None,
        }
    }

    /// What strings in the value of an attribute mean.
    fn strings(self, name: &str) -> Strings {
        match (self, name) {
            (Self::Values, _) => Strings::Literal,
            (Self::Lifecycle, "ignore_changes" | "replace_triggered_by")
            | (Self::Dynamic(_), "iterator")
            | (Self::Variable, "type")
            | (Self::Module, "providers")
            | (Self::Import | Self::Removed, "to" | "from") => Strings::Source,
            (Self::Inside(_), _) => Strings::Template,
            (_, "depends_on" | "provider") => Strings::Source,
            (Self::Variable, _) | (Self::Module, "source" | "version") => Strings::Literal,
            _ => Strings::Template,
        }
    }
}

/// Writes a file out. `vars`: a file of values for variables.
pub(super) fn as_hcl(text: &str, vars: bool) -> Written {
    let mut writer = Writer::default();
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        let start = text
            .split_inclusive('\n')
            .take(error.line().saturating_sub(1))
            .map(str::len)
            .sum::<usize>();
        let at = (start + error.column().saturating_sub(1)).min(text.len());
        let at = (0..=at)
            .rev()
            .find(|at| text.is_char_boundary(*at))
            .unwrap_or_default();
        return Written {
            text: String::new(),
            map: SpanMap::default(),
            rejected: Some((Span::from_usize(at, at), error.to_string())),
        };
    }
    let tree = yaml::parse(text);
    if let Some(root) = tree.first_document().and_then(|d| d.root()) {
        if vars {
            writer.body(root, Within::Values);
        } else {
            writer.file(root);
        }
    }
    Written {
        text: writer.out,
        map: writer.map,
        rejected: writer.rejected,
    }
}

#[derive(Default)]
struct Writer {
    out: String,
    map: SpanMap,
    /// The first thing that Terraform does not read.
    rejected: Option<(Span, String)>,
}

/// The members of an object, or of the objects in a list, key and value.
fn members(node: Node<'_>) -> Vec<(Node<'_>, Node<'_>)> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.is_mapping() {
            found.extend(node.entries().map(|entry| (entry.key, entry.value)));
        } else if node.is_sequence() {
            let items: Vec<_> = node.items().collect();
            open.extend(items.into_iter().rev());
        }
    }
    found
}

fn is_null(node: Node<'_>) -> bool {
    node.style() == Style::Plain && &*node.value() == "null"
}

/// The objects that a value represents: itself, or those of a list.
fn objects(node: Node<'_>) -> Vec<Node<'_>> {
    let mut found = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if node.is_mapping() {
            found.push(node);
        } else if node.is_sequence() {
            let items: Vec<_> = node.items().collect();
            open.extend(items.into_iter().rev());
        }
    }
    found
}

impl Writer {
    fn here(&self) -> u32 {
        u32::try_from(self.out.len()).unwrap_or(u32::MAX)
    }

    fn reject(&mut self, node: Node<'_>, why: &str) {
        self.rejected.get_or_insert_with(|| (node.span(), why.to_owned()));
    }

    /// Reports that objects cannot be read from a value. Null counts as no objects.
    fn objects_in(&mut self, node: Node<'_>) {
        if !node.is_mapping() && !node.is_sequence() && !is_null(node) {
            self.reject(node, "an object, or a list of objects, is required");
        }
    }

    /// The labels of blocks with what is below each. Terraform rejects a block without labels: it does not take
    /// it for an omitted one.
    fn labels<'n>(&mut self, key: Node<'_>, node: Node<'n>) -> Vec<(Node<'n>, Node<'n>)> {
        self.objects_in(node);
        let found = members(node);
        if let Some(other) = node.items().find(|item| !item.is_mapping()) {
            self.reject(other, "an object is required");
        } else if found.is_empty() {
            self.reject(key, "the block has no name");
        }
        found
    }

    fn file(&mut self, root: Node<'_>) {
        self.objects_in(root);
        for (key, value) in members(root) {
            let kind = key.value();
            if &*kind != "//" {
                self.objects_in(value);
            }
            match &*kind {
                "resource" | "data" | "ephemeral" => {
                    for (ty, named) in self.labels(key, value) {
                        for (name, body) in self.labels(ty, named) {
                            self.objects_in(body);
                            for body in objects(body) {
                                self.block(&kind, &[ty, name], name, body);
                            }
                        }
                    }
                }
                "module" | "variable" | "output" | "provider" | "check" => {
                    for (name, body) in self.labels(key, value) {
                        self.objects_in(body);
                        for body in objects(body) {
                            self.block(&kind, &[name], name, body);
                        }
                    }
                }
                "//" => {}
                // A block that Terraform does not have is reported as in native syntax.
                _ if is_identifier(&kind) => {
                    for body in objects(value) {
                        self.block(&kind, &[], key, body);
                    }
                }
                _ => self.reject(key, "a name of a block is required"),
            }
        }
    }

    fn block(&mut self, kind: &str, labels: &[Node<'_>], head: Node<'_>, body: Node<'_>) {
        let schema = || schema(kind == "data", &labels.first()?.value());
        let within = match kind {
            "resource" | "data" => Within::Resource(schema()),
            "terraform" => Within::Terraform,
            "variable" => Within::Variable,
            "output" => Within::Output,
            "module" => Within::Module,
            "import" | "moved" => Within::Import,
            "removed" => Within::Removed,
            "check" => Within::Check,
            _ => Within::Other,
        };
        self.written(kind, labels, head, body, within);
    }

    /// Writes a block. `head` is what is shown of it.
    fn written(&mut self, kind: &str, labels: &[Node<'_>], head: Node<'_>, body: Node<'_>, within: Within) {
        let start = self.here();
        self.map.run(start, head.span().start);
        self.out.push_str(kind);
        for label in labels {
            self.out.push(' ');
            let at = self.here();
            self.quoted(&label.value());
            self.map.exact(Span::new(at, self.here()), label.span());
        }
        self.map.exact(Span::new(start, self.here()), head.span());
        self.map.exact(
            Span::from_usize(start as usize, start as usize + kind.len()),
            head.span(),
        );
        self.out.push_str(" {\n");
        self.body(body, within);
        self.out.push_str("}\n");
        self.map.exact(
            Span::new(start, self.here().saturating_sub(1)),
            head.span().cover(body.span()),
        );
    }

    /// Writes attributes and nested blocks. Blocks nest as deep as schemas do, whatever the text does.
    fn body(&mut self, body: Node<'_>, within: Within) {
        for (key, value) in members(body) {
            let name = key.value();
            if !is_identifier(&name) {
                if name != "//" && !matches!(within, Within::Values) {
                    self.reject(key, "a name is required");
                }
                continue;
            }
            let is_object = value.is_mapping() || value.is_sequence() || is_null(value);
            match within.nested(&name).filter(|_| is_object) {
                Some(Nested::Plain(inside)) => {
                    for body in objects(value) {
                        self.written(&name, &[], key, body, inside);
                    }
                }
                Some(Nested::Labeled(inside)) => {
                    for (label, bodies) in self.labels(key, value) {
                        let inside = inside(within, &label.value());
                        for body in objects(bodies) {
                            self.written(&name, &[label], label, body, inside);
                        }
                    }
                }
                Some(Nested::Typed(inside)) => {
                    for (ty, named) in self.labels(key, value) {
                        let inside = inside(&ty.value());
                        for (label, body) in self.labels(ty, named) {
                            for body in objects(body) {
                                self.written(&name, &[ty, label], label, body, inside);
                            }
                        }
                    }
                }
                None => self.attribute(key, value, within.strings(&name)),
            }
        }
    }

    fn attribute(&mut self, key: Node<'_>, value: Node<'_>, strings: Strings) {
        let at = self.here();
        self.map.run(at, key.span().start);
        self.out.push_str(&key.value());
        self.map.exact(Span::new(at, self.here()), key.span());
        self.out.push_str(" = ");
        self.value(value, strings);
        let whole = key.span().cover(value.span());
        self.map.exact(Span::new(at, self.here()), whole);
        self.out.push('\n');
    }

    /// Writes a value. What is nested is written from a list of what is left to do.
    fn value(&mut self, node: Node<'_>, strings: Strings) {
        enum Todo<'t> {
            Value(Node<'t>),
            Text(&'static str),
            Key(Node<'t>),
            Close(&'static str, u32, Span),
        }
        let mut open = vec![Todo::Value(node)];
        while let Some(next) = open.pop() {
            let node = match next {
                Todo::Text(text) => {
                    self.out.push_str(text);
                    continue;
                }
                Todo::Close(text, start, source) => {
                    self.out.push_str(text);
                    self.map.exact(Span::new(start, self.here()), source);
                    continue;
                }
                Todo::Key(key) => {
                    let at = self.here();
                    self.map.run(at, key.span().start);
                    self.quoted(&key.value());
                    self.map.exact(Span::new(at, self.here()), key.span());
                    self.out.push_str(" = ");
                    continue;
                }
                Todo::Value(node) => node,
            };
            let start = self.here();
            self.map.run(start, node.span().start);
            if node.is_sequence() {
                self.out.push('[');
                open.push(Todo::Close("]", start, node.span()));
                let items: Vec<_> = node.items().collect();
                for item in items.into_iter().rev() {
                    open.push(Todo::Text(", "));
                    open.push(Todo::Value(item));
                }
            } else if node.is_mapping() {
                self.out.push('{');
                open.push(Todo::Close("}", start, node.span()));
                let entries: Vec<_> = node.entries().collect();
                for entry in entries.into_iter().rev() {
                    open.push(Todo::Text(", "));
                    open.push(Todo::Value(entry.value));
                    open.push(Todo::Key(entry.key));
                }
            } else {
                self.scalar(node, strings);
                self.map.exact(Span::new(start, self.here()), node.span());
            }
        }
    }

    fn scalar(&mut self, node: Node<'_>, strings: Strings) {
        let value = node.value();
        if node.style() == yaml::Style::Plain {
            self.out.push_str(&value);
            return;
        }
        match strings {
            Strings::Template => self.template(node, &value),
            Strings::Literal => self.quoted(&value),
            // A string that cannot be written there by itself would swallow what is written after it.
            Strings::Source if value.contains(['\n', '#', '"']) || value.contains("//") => {
                self.quoted(&value)
            }
            Strings::Source => {
                self.map.run(self.here(), node.source_span_of(0..0).start);
                self.out.push_str(&value);
            }
        }
    }

    /// A text that means itself.
    fn quoted(&mut self, text: &str) {
        self.out.push('"');
        for (at, c) in text.char_indices() {
            let doubled = matches!(c, '$' | '%') && text.get(at + 1..).is_some_and(|t| t.starts_with('{'));
            if doubled {
                self.out.push(c);
            }
            self.escaped(c);
        }
        self.out.push('"');
    }

    fn escaped(&mut self, c: char) {
        match c {
            '"' => self.out.push_str("\\\""),
            '\\' => self.out.push_str("\\\\"),
            '\n' => self.out.push_str("\\n"),
            '\r' => self.out.push_str("\\r"),
            '\t' => self.out.push_str("\\t"),
            c if c.is_control() => self.out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => self.out.push(c),
        }
    }

    /// A template: its literal parts are escaped, what is between `${` and `}` stays as it is.
    fn template(&mut self, node: Node<'_>, text: &str) {
        self.out.push('"');
        let mut depth = 0usize;
        let mut in_string = false;
        let mut previous = '\0';
        let mut expected = None;
        let map = node.source_map();
        for (at, c) in text.char_indices() {
            let source = map.span_of(at..at + c.len_utf8());
            if expected != Some((self.here(), source.start)) {
                self.map.run(self.here(), source.start);
            }
            if depth == 0 {
                self.escaped(c);
                let doubled = text
                    .get(..at.saturating_sub(1))
                    .is_some_and(|t| t.ends_with(previous));
                if c == '{' && matches!(previous, '$' | '%') && !doubled {
                    depth = 1;
                }
            } else {
                // A line break is white space there, and would end the line it is written in.
                self.out.push(if matches!(c, '\n' | '\r') { ' ' } else { c });
                match c {
                    '"' if previous != '\\' => in_string = !in_string,
                    '{' if !in_string => depth += 1,
                    '}' if !in_string => depth -= 1,
                    _ => {}
                }
            }
            // An escape is longer than the character that it represents.
            let is_plain = source.len() as usize == c.len_utf8();
            expected = is_plain.then_some((self.here(), source.end));
            previous = c;
        }
        self.out.push('"');
    }
}
