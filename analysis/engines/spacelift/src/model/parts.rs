//! The files of a project and the parts of declarations, with where they are.

use std::sync::Arc;

use applyorder_core::diagnostic::FileId;
use applyorder_syntax::hcl::eval::Place;
use applyorder_syntax::hcl::{Block, Expr};
use applyorder_syntax::text::Span;

use crate::read::{At, TfFacts};

/// A file of the project with what was read in it.
pub(crate) struct Source {
    pub(crate) id: FileId,
    pub(crate) facts: Arc<TfFacts>,
}

/// A place by the number of its source and the entry in the table of places there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Spot {
    pub(crate) file: usize,
    pub(crate) at: At,
}

/// An argument, the winning one of all files.
#[derive(Clone, Copy)]
pub(crate) struct Attr<'a> {
    pub(crate) name: &'a str,
    pub(crate) expr: Expr<'a>,
    pub(crate) file: usize,
    pub(crate) name_at: At,
    pub(crate) value_at: At,
}

impl Attr<'_> {
    pub(crate) const fn value(&self) -> Spot {
        Spot {
            file: self.file,
            at: self.value_at,
        }
    }

    pub(crate) const fn name_spot(&self) -> Spot {
        Spot {
            file: self.file,
            at: self.name_at,
        }
    }

    /// Where the value is, as evaluations have it.
    pub(crate) fn written(&self) -> Place {
        written(self.expr.span(), self.file)
    }
}

/// A range of a file, as evaluations have it.
pub(crate) fn written(span: Span, file: usize) -> Place {
    Place {
        file: u32::try_from(file).unwrap_or(u32::MAX),
        span,
    }
}

/// A block in a declaration.
#[derive(Clone, Copy)]
pub(crate) struct Inner<'a> {
    /// Its sort; of a dynamic one what it makes.
    pub(crate) word: &'a str,
    pub(crate) header: Spot,
    pub(crate) block: Block<'a>,
}

impl Inner<'_> {
    pub(crate) fn is_dynamic(&self) -> bool {
        self.block.kind() == "dynamic"
    }
}

/// The type and the name of an ephemeral resource.
pub(super) fn ephemeral(block: Block<'_>) -> Option<(&str, &str)> {
    let mut labels = block.labels();
    let (ty, name) = labels.next().zip(labels.next())?;
    (block.kind() == "ephemeral").then_some((ty.text, name.text))
}
