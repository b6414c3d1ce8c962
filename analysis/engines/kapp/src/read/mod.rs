//! The facts of one file: the documents kapp splits it into, and the resources in them.

mod annotation;
mod config;
mod config_rules;
mod config_schema;
mod configmap;
mod content;
mod crd;
mod decode;
mod document;
mod places;
mod resource;
mod split;
mod unrendered;

use std::any::Any;
use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use memchr::memmem;
use rustc_hash::{FxHashMap, FxHasher};

use applyorder_core::declared::DeclaredName;
use applyorder_core::engine::{Facts, FactsInput, LeftOut, OutlineItem};
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml;

pub(crate) use annotation::{Annotation, Key, RuleText};
pub(crate) use config::{Config, GroupBinding, ObjectReference, RuleBinding, TemplateRule};
pub(crate) use config_rules::{PathRule, Rebase, RebaseRule};
#[cfg(test)]
pub(crate) use config_schema::is_field as config_field;
pub(crate) use content::{ALL, Content, LABEL_PATHS};
pub(crate) use document::{Document, DocumentError, Problem, ProblemKind};
pub(crate) use resource::{CONFIG_VERSION, Field, LabeledConfig, Resource};
pub(crate) use unrendered::Unrendered;

/// A text and where it is: a number in the document's table of places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// The text.
    pub(crate) value: Box<str>,
    /// Where it is.
    pub(crate) place: u32,
}

fn text_of(value: &str, place: u32) -> Text {
    Text {
        value: value.into(),
        place,
    }
}

/// A document at its place in a file.
#[derive(Debug)]
pub(crate) struct Placed {
    /// Where it starts, in bytes.
    base: u32,
    /// The number of its first place in the file's table.
    first_place: u32,
    /// What was read.
    pub(crate) document: Arc<Document>,
}

/// kapp's message about what follows the dashes of a separator.
pub(crate) fn bad_separator(rest: &str) -> String {
    format!("invalid Yaml document separator: {rest}")
}

/// What kapp notices first in a text with a character that is allowed nowhere.
pub(crate) enum Noticed {
    /// That character.
    Character,
    /// Something else, in its words.
    Other(String),
    /// Nothing: it does not decode the character.
    Nothing,
}

/// The facts of one file.
#[derive(Debug)]
pub struct KappFacts {
    pub(crate) documents: Box<[Placed]>,
    /// Separators that kapp rejects: the place, and what follows the dashes.
    pub(crate) bad_separators: Box<[Text]>,
    /// Whether kapp's name occurs in it anywhere.
    pub(crate) is_marked: bool,
    /// The kind of file, if it is the source of resources and contains none itself.
    pub(crate) unrendered: Option<Unrendered>,
    /// Whether it is a text of another language, with manifests in it.
    pub(crate) is_foreign: bool,
    separators: Box<[Span]>,
    first_separator: u32,
}

impl KappFacts {
    /// What kapp notices in a text with a character at an offset that is allowed nowhere.
    pub(crate) fn noticed(&self, at: usize) -> Noticed {
        if let Some(bad) = self.bad_separators.first() {
            return Noticed::Other(bad_separator(&bad.value));
        }
        let (mut containing, mut documents) = (None, self.documents.iter());
        let first = documents.find_map(|placed| {
            if placed.base as usize <= at {
                containing = Some(placed);
            }
            Some((placed, placed.document.fatal.as_ref()?))
        });
        let Some((placed, error)) = first.filter(|(placed, _)| placed.base as usize <= at) else {
            // What follows the end of a document is decoded only as far as go-yaml reads ahead.
            let is_parsed =
                containing.is_some_and(|placed| placed.document.tree().first_document().is_some());
            return match first {
                _ if !is_parsed => Noticed::Character,
                Some((_, error)) => Noticed::Other(error.text().to_owned()),
                None => Noticed::Nothing,
            };
        };
        let refusal = placed.document.tree().first_document().and_then(goyaml::refusal);
        if refusal.is_some_and(|refusal| (placed.base + refusal.span.start) as usize == at) {
            Noticed::Character
        } else {
            Noticed::Other(error.text().to_owned())
        }
    }

    /// What kapp says about the first document it rejects.
    pub(crate) fn first_error(&self) -> Option<String> {
        let fatal = self
            .documents
            .iter()
            .find_map(|placed| placed.document.fatal.as_ref())?;
        Some(fatal.text().to_owned())
    }

    /// The number in the file's table of a place of a document.
    pub(crate) fn place(&self, document: usize, local: u32) -> u32 {
        self.documents
            .get(document)
            .map_or(local, |p| p.first_place + local)
    }

    /// Every resource with the number of its document, in the order in which kapp reads them.
    pub(crate) fn resources(&self) -> impl Iterator<Item = (usize, usize, &Resource)> {
        self.documents.iter().enumerate().flat_map(|(p, placed)| {
            placed
                .document
                .resources
                .iter()
                .enumerate()
                .map(move |(r, resource)| (p, r, resource))
        })
    }

    /// The document that an offset is in, and where it starts.
    pub(crate) fn document_at(&self, offset: u32) -> Option<(u32, &Document)> {
        let after = self.documents.partition_point(|p| p.base <= offset);
        let placed = self.documents.get(after.checked_sub(1)?)?;
        Some((placed.base, &placed.document))
    }

    /// The resources as an outline.
    pub(crate) fn outline(&self) -> Vec<OutlineItem> {
        let mut out = Vec::new();
        for placed in &self.documents {
            for (number, r) in placed.document.resources.iter().enumerate() {
                let Some(node) = placed.document.node(number) else {
                    continue;
                };
                let span = node.full_span().shifted(placed.base);
                let place = placed.document.places.get(r.name_place() as usize);
                let selection = place.map_or(span, |s| s.shifted(placed.base));
                let (kind, name) = (&r.kind.value, &r.name.value);
                out.push(OutlineItem {
                    // A Config needs no name.
                    name: match (&**kind, &**name) {
                        (_, "") => kind.to_string(),
                        ("", _) => name.to_string(),
                        _ => format!("{kind}/{name}"),
                    },
                    detail: Some(r.namespace.value.to_string()).filter(|n| !n.is_empty()),
                    span,
                    selection: if span.contains(selection) { selection } else { span },
                    unit: r.config.is_none(),
                    children: Vec::new(),
                });
            }
        }
        out
    }

    /// Whether it contains a Config.
    pub(crate) fn has_config(&self) -> bool {
        self.resources()
            .any(|(_, _, r)| r.config.is_some() || r.labeled.is_some())
    }

    /// Whether it contains resources, and nothing that could not be one.
    pub(crate) fn holds_manifests(&self) -> bool {
        let mut resources = self.resources().peekable();
        resources.peek().is_some() && resources.all(|(_, _, r)| !r.lacks_a_field())
    }

    /// Whether a resource has an annotation of kapp, even where kapp does not look for it.
    pub(crate) fn has_annotations(&self) -> bool {
        let mut problems = self.documents.iter().flat_map(|p| &p.document.problems);
        problems.any(|p| p.kind == ProblemKind::InWrapper)
            || self.resources().any(|(_, _, r)| {
                !r.misplaced.is_empty() || r.all_annotations().iter().any(|a| a.key.is_kapps())
            })
    }
}

/// Whether kapp's name occurs in a text, as in every file of kapp.
pub(crate) fn is_marked(text: &[u8]) -> bool {
    static MARK: LazyLock<memmem::Finder<'static>> = LazyLock::new(|| memmem::Finder::new("kapp.k14s.io"));
    MARK.find(text).is_some()
}

/// Reads a text. Pieces whose text is unchanged are reused.
pub(crate) fn read(input: &FactsInput<'_>) -> KappFacts {
    let text: &str = input.text;
    let previous = input
        .previous
        .and_then(|p| p.as_any().downcast_ref::<KappFacts>());
    let split = split::split(text);
    let mut known: FxHashMap<&str, &Arc<Document>> = FxHashMap::default();
    if let Some(previous) = previous {
        known.extend(
            previous
                .documents
                .iter()
                .filter(|p| !p.document.lacks_break)
                .map(|p| (p.document.text(), &p.document)),
        );
    }
    let mut documents = Vec::with_capacity(split.documents.len());
    let mut first_place = 0;
    for (start, end) in split.documents {
        let own = text.get(start..end).unwrap_or("");
        // kapp joins the lines of a document, and ends each with a line break.
        let lacks_break = !own.is_empty() && !own.ends_with('\n');
        let own = if lacks_break {
            Cow::Owned(format!("{own}\n"))
        } else {
            Cow::Borrowed(own)
        };
        let document = match known.get(&*own).filter(|_| !lacks_break) {
            Some(document) => Arc::clone(document),
            // A document that is the whole file shares the text.
            None if own.len() == text.len() => Arc::new(document::read(Arc::clone(input.text), end - start)),
            None => Arc::new(document::read((*own).into(), end - start)),
        };
        let places = u32::try_from(document.places.len()).unwrap_or(u32::MAX);
        documents.push(Placed {
            base: Span::from_usize(start, end).start,
            first_place,
            document,
        });
        first_place += places;
    }
    let separators = split.bad.iter().map(|(span, _)| *span).collect();
    let bad_separators: Vec<Text> = (first_place..)
        .zip(&split.bad)
        .map(|(place, (_, rest))| text_of(rest, place))
        .collect();
    let unrendered = unrendered::detect(input.path, text, &documents, &bad_separators);
    KappFacts {
        is_marked: is_marked(text.as_bytes()),
        is_foreign: unrendered::is_foreign(text, &documents),
        documents: documents.into(),
        bad_separators: bad_separators.into(),
        unrendered,
        separators,
        first_separator: first_place,
    }
}

impl Facts for KappFacts {
    fn same_shape(&self, other: &dyn Facts) -> bool {
        let Some(other) = other.as_any().downcast_ref::<Self>() else {
            return false;
        };
        self.unrendered == other.unrendered
            && self.is_foreign == other.is_foreign
            && self.is_marked == other.is_marked
            && self.bad_separators == other.bad_separators
            && self.documents.len() == other.documents.len()
            && self
                .documents
                .iter()
                .zip(&other.documents)
                .all(|(a, b)| Arc::ptr_eq(&a.document, &b.document) || a.document.same_shape(&b.document))
    }

    fn span(&self, index: u32) -> Option<Span> {
        if index >= self.first_separator {
            return self
                .separators
                .get((index - self.first_separator) as usize)
                .copied();
        }
        let after = self.documents.partition_point(|p| p.first_place <= index);
        let document = self.documents.get(after.checked_sub(1)?)?;
        let local = (index - document.first_place) as usize;
        Some(document.document.places.get(local)?.shifted(document.base))
    }

    fn discovery_key(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.has_config(), self.has_annotations(), self.holds_manifests()).hash(&mut hasher);
        (self.unrendered.is_some(), self.is_foreign).hash(&mut hasher);
        hasher.finish()
    }

    fn left_out(&self) -> Option<LeftOut> {
        self.unrendered.map(Unrendered::left_out)
    }

    fn declared(&self) -> Vec<DeclaredName> {
        // The value of a placeholder is known where the files that form an app are known.
        let name = |text: &str| match text.split_once('{') {
            Some((start, _)) => DeclaredName::start(start),
            None => DeclaredName::whole(text),
        };
        let of_resource = |resource: &Resource| {
            let annotations = resource.annotations().iter().filter(|a| a.key == Key::Group);
            let bindings = resource.config().into_iter().flat_map(|config| &config.groups);
            let annotated = annotations.map(|a| name(&a.value.value));
            let names = annotated.chain(bindings.map(|group| name(&group.name.value)));
            names.collect::<Vec<_>>()
        };
        self.resources()
            .flat_map(|(_, _, resource)| of_resource(resource))
            .collect()
    }

    fn load_key(&self) -> Option<u64> {
        // The set of files does not depend on their content.
        Some(0)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn into_any(self: Arc<Self>) -> Arc<dyn Any + Send + Sync> {
        self
    }
}
