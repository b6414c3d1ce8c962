//! The files of a set with what was read from them, and the first thing in them that kapp would reject.

use std::sync::Arc;

use super::error::{KappError, What};
use crate::load::{Listing, UnreadInput};
use crate::read::{Document, DocumentError, KappFacts, Resource, Unrendered, bad_separator};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::{Cx, EngineIx, Member};
use applyorder_core::files::ReadError;
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
    /// Whether it was not declared to belong to kapp, and does not look like it either: nothing is reported for
    /// it.
    pub(crate) is_doubtful: bool,
}

/// A resource: input, document, number in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Item {
    pub(crate) input: u32,
    pub(crate) document: u32,
    pub(crate) resource: u32,
}

/// Everything that was read from a set of files.
pub(crate) struct Inputs {
    pub(crate) inputs: Vec<Input>,
    /// The first error in kapp's stage `load`.
    pub(crate) error: Option<KappError>,
    /// Files that could not be read: the file, as it is given, and why.
    pub(crate) unreadable: Vec<(Place, String, ReadError)>,
    /// Files that are sources of resources.
    pub(crate) unrendered: Vec<(FileId, Unrendered)>,
    /// What is read from elsewhere.
    pub(crate) elsewhere: Vec<UnreadInput>,
    /// Whether something is missing that kapp would read: a broken document, an unrendered source.
    pub(crate) incomplete: bool,
    /// Whether these files were not declared to be one app.
    pub(crate) is_inferred: bool,
    engine: EngineIx,
    why: Arc<str>,
}

/// The error about a file that cannot be read.
pub(crate) fn unread(error: &ReadError) -> What {
    match error {
        ReadError::NotFound => What::MissingFile,
        error if error.is_limit() => What::Limit,
        _ => What::Unreadable,
    }
}

/// The system's words in kapp's messages.
fn said(error: &ReadError) -> String {
    match error {
        ReadError::NotDirectory => "not a directory".to_owned(),
        error => error.to_string(),
    }
}

impl Inputs {
    /// Reads the facts of the files of a set.
    pub(crate) fn read(cx: &Cx<'_>, listing: &Listing) -> Self {
        let mut out = Self {
            inputs: Vec::with_capacity(listing.files.len()),
            elsewhere: listing.elsewhere.clone(),
            incomplete: !listing.elsewhere.is_empty(),
            is_inferred: listing.inferred,
            engine: cx.engine_index(),
            why: listing.why.as_str().into(),
            error: None,
            unreadable: Vec::new(),
            unrendered: Vec::new(),
        };
        if listing.is_empty {
            out.fail(KappError::new(
                "load",
                What::MissingFile,
                "Expected at least one --file (-f) specified with a file or directory path",
            ));
        }
        for entry in &listing.files {
            if let Some(why) = &entry.missing {
                let text = format!("stat {}: {}", entry.named, said(why));
                let error = KappError::new("load", unread(why), text);
                let place = entry.named_at.unwrap_or(Place::file(entry.file));
                out.lacks(place, entry.named.to_string(), why.clone(), error);
                continue;
            }
            match cx.read::<KappFacts>(entry.file) {
                Ok(read) => {
                    if !listing.inferred || has_objects(&read.facts) {
                        out.take(read.file, read.shape, read.facts, &entry.origin, listing.inferred);
                    }
                }
                Err(error) => {
                    let path = cx.path(entry.file).to_string();
                    // A directory can be opened.
                    let verb = if error == ReadError::IsDirectory {
                        "read"
                    } else {
                        "open"
                    };
                    let text = format!("{verb} {}: {}", entry.named, said(&error));
                    let fault = |text: String| KappError::new("load", unread(&error), text);
                    let fault = match &entry.garbled {
                        Some(garbled) if garbled.is_partial => fault(garbled.text.clone()).partial(),
                        Some(garbled) => fault(garbled.text.clone()),
                        None => fault(text),
                    };
                    out.lacks(Place::file(entry.file), path, error, fault);
                }
            }
        }
        out
    }

    fn lacks(&mut self, place: Place, given: String, why: ReadError, error: KappError) {
        self.fail(error.at(Some(place)));
        self.incomplete = true;
        self.unreadable.push((place, given, why));
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
        } else {
            let at = |place: u32| Some(Place::anchor(file, self.engine, place));
            let separator = facts
                .bad_separators
                .first()
                .map(|bad| KappError::new("load", What::Syntax, bad_separator(&bad.value)).at(at(bad.place)));
            let documents = facts.documents.iter().enumerate();
            let fatal = documents.filter_map(|(number, placed)| {
                let document = &placed.document;
                let problem = document.problems.iter().find(|p| p.kind.is_fatal());
                let place = problem.and_then(|p| at(facts.place(number, p.text.place)));
                Some(fatal_error(document.fatal.as_ref()?).at(place))
            });
            let error = separator.into_iter().chain(fatal).next();
            self.incomplete |= error.is_some();
            if let Some(error) = error {
                self.fail(error);
            }
        }
        self.inputs.push(Input {
            file,
            shape,
            is_doubtful: inferred && !facts.is_marked,
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

    /// Whether nothing is reported for a file.
    pub(crate) fn is_doubtful(&self, file: FileId) -> bool {
        self.is_inferred
            && self
                .inputs
                .iter()
                .any(|input| input.file == file && input.is_doubtful)
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

    /// A place of a resource.
    pub(crate) fn at(&self, item: Item, local: u32) -> Option<Place> {
        let (file, index) = self.place(item, local)?;
        Some(Place::anchor(file, self.engine, index))
    }

    /// A place of a resource in the table of its file.
    pub(crate) fn place(&self, item: Item, local: u32) -> Option<(FileId, u32)> {
        let input = self.input(item)?;
        Some((input.file, input.facts.place(item.document as usize, local)))
    }
}

/// Whether a file contains Kubernetes objects, or might. Others have a kind and a version too (a `tazuna.yaml`,
/// for example), but no `metadata`. A document with kapp annotations is meant as one, though its kind or its
/// version is missing, unless it is a template, where it may be a part of others.
fn has_objects(facts: &KappFacts) -> bool {
    let mut resources = facts.resources();
    !facts.is_foreign
        && resources.any(|(_, _, r)| {
            let described = r.metadata.is_some() || r.config.is_some();
            let [has_kind, has_version] = [&r.kind, &r.api_version].map(|text| !text.value.is_empty());
            let is_whole = facts.unrendered.is_none() && (has_kind || has_version);
            let is_meant = is_whole && r.all_annotations().iter().any(|a| a.key.is_kapps());
            described && (has_kind && has_version || is_meant)
        })
}

fn fatal_error(fatal: &DocumentError) -> KappError {
    let text = fatal.text();
    match fatal {
        DocumentError::Known(_) => KappError::new("load", What::Syntax, text),
        DocumentError::Yaml => KappError::new("load", What::Syntax, text).partial(),
        DocumentError::Limit => KappError::new("load", What::Limit, text),
    }
}
