//! The files of a set with what was read out of them, and the first thing that kapp would refuse in them.

use std::sync::Arc;

use super::error::KappError;
use crate::load::{Elsewhere, Listing};
use crate::read::{Document, Fatal, KappFacts, Resource, Unrendered};
use applyorder_core::diagnostic::FileId;
use applyorder_core::engine::{Cx, Member};
use applyorder_core::files::ReadError;
use applyorder_core::rules;
use applyorder_core::store::Shape;

/// A file that kapp reads.
pub(crate) struct Input {
    pub(crate) file: FileId,
    pub(crate) shape: Shape,
    pub(crate) facts: Arc<KappFacts>,
    /// As kapp's messages name it: `file 'a.yaml'`.
    pub(crate) origin: Arc<str>,
    /// Whether it is the source of what is read, and not read itself.
    pub(crate) is_source: bool,
}

/// A resource: input, document, number in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) input: u32,
    pub(crate) document: u32,
    pub(crate) resource: u32,
}

/// Everything that was read of a set of files.
#[derive(Default)]
pub(crate) struct Inputs {
    pub(crate) inputs: Vec<Input>,
    /// The first error of kapp's stage `load`.
    pub(crate) error: Option<KappError>,
    /// Files that could not be read: the file, as it is given, and why.
    pub(crate) unreadable: Vec<(FileId, String, ReadError)>,
    /// Files that are sources of resources.
    pub(crate) unrendered: Vec<(FileId, Unrendered)>,
    /// What is read from elsewhere.
    pub(crate) elsewhere: Vec<Elsewhere>,
    /// Whether something is missing that kapp would read: a broken document, an unrendered source.
    pub(crate) incomplete: bool,
    why: String,
}

impl Inputs {
    /// Takes the facts of the files of a set.
    pub(crate) fn read(cx: &Cx<'_>, listing: &Listing) -> Self {
        let mut out = Self {
            inputs: Vec::with_capacity(listing.files.len()),
            elsewhere: listing.elsewhere.clone(),
            incomplete: !listing.elsewhere.is_empty(),
            why: listing.why.clone(),
            ..Self::default()
        };
        if listing.is_empty {
            out.fail(KappError::new(
                "load",
                &rules::missing_file::RULE,
                "Expected at least one --file (-f) specified with a file or directory path",
            ));
        }
        for (file, given) in &listing.missing {
            out.fail(KappError::new(
                "load",
                &rules::missing_file::RULE,
                format!("stat {given}: no such file or directory"),
            ));
            out.incomplete = true;
            out.unreadable.push((*file, given.clone(), ReadError::NotFound));
        }
        for entry in &listing.files {
            match cx.read::<KappFacts>(entry.file) {
                Ok(read) => {
                    if !listing.inferred || has_objects(&read.facts) {
                        out.take(read.file, read.shape, read.facts, &entry.origin, listing.inferred);
                    }
                }
                Err(error) => {
                    let path = cx.path(entry.file);
                    out.fail(KappError::new(
                        "load",
                        &rules::unreadable_file::RULE,
                        format!("open {path}: {error}"),
                    ));
                    out.incomplete = true;
                    out.unreadable.push((entry.file, path.to_string(), error));
                }
            }
        }
        out
    }

    fn take(&mut self, file: FileId, shape: Shape, facts: Arc<KappFacts>, origin: &Arc<str>, inferred: bool) {
        let is_source = match facts.unrendered {
            Some(Unrendered::Kustomization) => inferred,
            Some(_) => true,
            None => false,
        };
        if let Some(kind) = facts.unrendered.filter(|_| is_source) {
            self.incomplete = true;
            self.unrendered.push((file, kind));
        }
        if let Some(bad) = facts.bad_separators.first() {
            self.incomplete = true;
            self.fail(KappError::new(
                "load",
                &rules::syntax_error::RULE,
                format!("invalid Yaml document separator: {}", bad.value),
            ));
        }
        for fatal in facts.documents.iter().filter_map(|d| d.document.fatal.as_ref()) {
            self.incomplete = true;
            self.fail(fatal_error(fatal));
        }
        self.inputs.push(Input {
            file,
            shape,
            facts,
            origin: Arc::clone(origin),
            is_source,
        });
    }

    fn fail(&mut self, error: KappError) {
        self.error.get_or_insert(error);
    }

    /// The files as members of the project.
    pub(crate) fn members(&self) -> impl Iterator<Item = Member> + '_ {
        self.inputs.iter().map(|input| Member {
            file: input.file,
            why: self.why.clone(),
            via: None,
        })
    }

    pub(crate) fn input(&self, item: Item) -> Option<&Input> {
        self.inputs.get(item.input as usize)
    }

    pub(crate) fn document(&self, item: Item) -> Option<&Arc<Document>> {
        let document = self.input(item)?.facts.documents.get(item.document as usize)?;
        Some(&document.document)
    }

    pub(crate) fn resource(&self, item: Item) -> Option<&Resource> {
        self.document(item)?.resources.get(item.resource as usize)
    }

    /// A place of a resource in the table of its file.
    pub(crate) fn place(&self, item: Item, local: u32) -> Option<(FileId, u32)> {
        let input = self.input(item)?;
        Some((input.file, input.facts.place(item.document as usize, local)))
    }
}

/// Whether a file holds objects of Kubernetes, or might. Others have a kind and a version too (a `tazuna.yaml`,
/// say), but no `metadata`.
fn has_objects(facts: &KappFacts) -> bool {
    facts.resources().any(|(_, _, r)| {
        let described = r.metadata.is_some() || r.config.is_some();
        described && !r.kind.value.is_empty() && !r.api_version.value.is_empty()
    })
}

fn fatal_error(fatal: &Fatal) -> KappError {
    match fatal {
        Fatal::Known(text) => KappError::new("load", &rules::syntax_error::RULE, text.to_string()),
        Fatal::Yaml => KappError::new(
            "load",
            &rules::syntax_error::RULE,
            "error converting YAML to JSON: yaml",
        )
        .unforeseen(),
        Fatal::Limit => KappError::new("load", &rules::limit_reached::RULE, "").of_ours(),
    }
}
