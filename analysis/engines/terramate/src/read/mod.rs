//! What one file of Terramate configuration declares: its blocks, and the problems in them.
//!
//! Source: Terramate 0.17.2, "HCL used, and top-level blocks" and "The `stack` block".

mod attribute;
mod blocks;
pub(crate) mod environment;
pub(crate) mod functions;
mod globals;
pub(crate) mod instance;
mod script;
mod settings;
mod shape;
mod sharing_backend;
mod stack;
mod written;

use std::any::Any;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

pub(crate) use self::attribute::Attribute;
pub(crate) use self::shape::{
    Bundle, Environment, Evaluated, Experimental, Field, Import, Input, List, Marks, RootAttribute,
    SettingBlock, Shape, Sort, Stack, TagAt, Text, Value, WrittenList,
};
pub(crate) use crate::problems::{At, Problem};
use crate::problems::{Fault, Problems};
use applyorder_core::engine::{Facts, FactsInput, OutlineItem};
use applyorder_syntax::hcl::{self, SyntaxErrorKind, Tree};
use applyorder_syntax::text::Span;

/// The facts of one file.
pub(crate) struct FileFacts {
    text: Arc<str>,
    /// For the next edit: a file that is edited once is likely to be edited again, and the trees of all others
    /// would only take memory.
    tree: Option<Box<Tree>>,
    pub(crate) shape: Shape,
    pub(crate) marks: Marks,
    places: Box<[Span]>,
    /// A block in it shows that it is a file of Terramate.
    pub(crate) is_terramates: bool,
    discovery: u64,
}

impl Facts for FileFacts {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        other
            .as_any()
            .downcast_ref::<Self>()
            .is_some_and(|o| o.shape == self.shape)
    }

    fn span(&self, index: u32) -> Option<Span> {
        self.places.get(index as usize).copied()
    }

    fn discovery_key(&self) -> u64 {
        self.discovery
    }

    fn load_key(&self) -> Option<u64> {
        // Loading does not read files.
        Some(0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}

impl FileFacts {
    /// Reads a file.
    pub(crate) fn read(input: &FactsInput<'_>) -> Self {
        let previous = input.previous.and_then(|p| p.as_any().downcast_ref::<Self>());
        let before = previous.and_then(|previous| previous.tree.as_ref());
        let tree = match before {
            Some(before) => before.reparse(input.text),
            None => hcl::parse(input.text),
        };
        let mut reader = Reader {
            problems: Problems::new(input),
            shape: Shape::default(),
            open: None,
        };
        reader.shape.start = reader.at(Span::at(0));
        reader.shape.end = reader.at(Span::from_usize(input.text.len(), input.text.len()));
        reader.syntax(&tree);
        blocks::read(&mut reader, &tree);
        let Reader {
            problems, mut shape, ..
        } = reader;
        let (found, places) = problems.into_parts();
        shape.problems = found;
        let is_terramates = blocks::are_terramates(&tree);
        let requires_version = shape.root.iter().any(|a| &*a.path == "required_version");
        let discovery = u64::from(requires_version) | u64::from(is_terramates) << 1;
        Self {
            text: input.text.clone(),
            tree: previous.map(|_| Box::new(tree)),
            marks: Marks::of(&shape),
            shape,
            places: places.into(),
            is_terramates,
            discovery,
        }
    }
}

impl FileFacts {
    /// The attributes of blocks of bundles and components, each with the key of its block.
    pub(crate) fn merged(&self) -> impl Iterator<Item = (&str, &str)> + Clone {
        self.shape
            .merged
            .iter()
            .map(|(block, name, _)| (&**block, &**name))
    }

    /// The blocks of the file.
    pub(crate) fn outline(&self) -> Vec<OutlineItem> {
        let parsed;
        let tree = match &self.tree {
            Some(tree) => tree,
            None => {
                parsed = hcl::parse(&self.text);
                &parsed
            }
        };
        tree.body()
            .blocks()
            .map(|block| {
                let labels: Vec<&str> = block.labels().map(|l| l.text).collect();
                OutlineItem {
                    name: if labels.is_empty() {
                        block.kind().to_owned()
                    } else {
                        labels.join(" ")
                    },
                    detail: (!labels.is_empty()).then(|| block.kind().to_owned()),
                    span: block.span(),
                    selection: block.header_span(),
                    unit: block.kind() == "stack",
                    children: Vec::new(),
                }
            })
            .collect()
    }
}

/// Collects the facts of one file.
pub(super) struct Reader<'a> {
    pub(super) problems: Problems<'a>,
    pub(super) shape: Shape,
    /// The first attribute of the current block for which it is unknown whether Terramate can evaluate it.
    pub(super) open: Option<Arc<str>>,
}

impl<'a> Deref for Reader<'a> {
    type Target = Problems<'a>;

    fn deref(&self) -> &Problems<'a> {
        &self.problems
    }
}

impl DerefMut for Reader<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.problems
    }
}

impl Reader<'_> {
    fn syntax(&mut self, tree: &Tree) {
        for error in tree.errors() {
            let message = error.message.clone();
            if error.kind == SyntaxErrorKind::Limit {
                self.shape.is_limited = true;
                self.non_fatal(error.span, Fault::Truncated(message));
            } else {
                let first = error.related.map(|related| self.at(related));
                let is_twice = error.kind == SyntaxErrorKind::DuplicateAttribute;
                let name = is_twice.then(|| error.span.slice(self.input.text).into());
                let problem = self.fatal(error.span, Fault::Syntax { message, first });
                problem.early = true;
                problem.attribute = name;
            }
            self.shape.unreadable = true;
        }
        let body = tree.body();
        self.shape.gap = tree
            .skipped()
            .iter()
            .any(|s| !body.blocks().any(|b| b.span().contains(*s)));
    }
}
