//! From the rendered text of an app back to its sources.
//!
//! A renderer (ytt, helm, kustomize) does not say where a line of its output comes from. A place is mapped back
//! where that can still be determined: where exactly one resource of the sources has the kind and the name,
//! and, for a place in an annotation, the annotation with the same text. Everything else stays at its line of
//! the rendered text.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::inputs::{Input, Inputs, Item};
use crate::config::render_span;
use crate::read::{Annotation, Document, KappFacts, Resource};
use applyorder_core::config::Config;
use applyorder_core::diagnostic::{At, Diagnostic, FileId, Place};
use applyorder_core::engine::{Cx, Facts as _, Symbol, Variant};
use applyorder_core::layer::Pass;
use applyorder_core::store::Source as Text;
use applyorder_syntax::text::Span;

/// The role of a place in a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role<'a> {
    Header,
    Metadata,
    Kind,
    ApiVersion,
    Name,
    Namespace,
    NamespaceKey,
    /// A part of an annotation: its key and text, and which part.
    Annotation(&'a str, &'a str, Part),
}

/// A part of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    Key,
    Value,
    Word(usize),
    Placeholder(usize),
    Break,
    Space,
}

/// Every place of a resource that has a role.
fn roles(r: &Resource) -> Vec<(Role<'_>, u32)> {
    let mut out = vec![(Role::Header, r.header)];
    let fields = [
        (Role::Metadata, r.metadata),
        (Role::Kind, r.kind.place),
        (Role::ApiVersion, r.api_version.place),
        (Role::Name, r.name.place),
        (Role::Namespace, r.namespace.place),
        (Role::NamespaceKey, r.namespace_key),
    ];
    out.extend(
        fields
            .into_iter()
            .filter_map(|(role, place)| Some((role, place?))),
    );
    for annotation in r.all_annotations() {
        of_annotation(annotation, &mut out);
    }
    out
}

fn of_annotation<'a>(annotation: &'a Annotation, out: &mut Vec<(Role<'a>, u32)>) {
    let (key, text) = (&*annotation.name.value, &*annotation.value.value);
    let mut add = |part, place| out.push((Role::Annotation(key, text, part), place));
    add(Part::Key, annotation.name.place);
    add(Part::Value, annotation.value.place);
    let Some(parts) = &annotation.text else { return };
    for (number, place) in parts.words.into_iter().flatten().enumerate() {
        add(Part::Word(number), place);
    }
    for (number, placeholder) in parts.placeholders.iter().enumerate() {
        add(Part::Placeholder(number), placeholder.text.place);
    }
    if let Some(place) = parts.trailing_break {
        add(Part::Break, place);
    }
    if let Some(place) = parts.odd_space {
        add(Part::Space, place);
    }
}

/// The sources of an app, by kind and name of their resources.
struct Sources<'a> {
    inputs: &'a Inputs,
    by_name: FxHashMap<(&'a str, &'a str), Vec<Item>>,
}

impl<'a> Sources<'a> {
    fn new(inputs: &'a Inputs) -> Self {
        let mut by_name: FxHashMap<_, Vec<Item>> = FxHashMap::default();
        for (input, read) in (0u32..).zip(&inputs.inputs) {
            for (document, number, r) in read.facts.resources() {
                let item = Item {
                    input,
                    document: u32::try_from(document).unwrap_or(u32::MAX),
                    resource: u32::try_from(number).unwrap_or(u32::MAX),
                };
                by_name
                    .entry((&*r.kind.value, &*r.name.value))
                    .or_default()
                    .push(item);
            }
        }
        Self { inputs, by_name }
    }

    fn document(&self, item: Item) -> Option<&'a Document> {
        self.inputs.document(item).map(|document| &**document)
    }

    /// Where the places of a rendered document come from, as far as that can be determined.
    fn of_document(&self, document: &Document) -> FxHashMap<u32, (Item, u32)> {
        let mut found: FxHashMap<u32, (Item, u32)> = FxHashMap::default();
        for r in &document.resources {
            let key = (&*r.kind.value, &*r.name.value);
            let sources = self.by_name.get(&key).map_or(&[][..], Vec::as_slice);
            // A document with the same content is the source with all its places.
            let alike = |item: &&Item| {
                self.document(**item)
                    .is_some_and(|source| source.same_shape(document))
            };
            let mut same = sources.iter().filter(alike);
            if let (Some(item), None) = (same.next(), same.next()) {
                for place in 0..u32::try_from(document.places.len()).unwrap_or(0) {
                    found.insert(place, (*item, place));
                }
                continue;
            }
            if key.1.is_empty() {
                continue;
            }
            let mut places: FxHashMap<Role<'_>, Option<(Item, u32)>> = FxHashMap::default();
            for item in sources {
                let Some(source) = self.inputs.resource(*item) else {
                    continue;
                };
                for (role, place) in roles(source) {
                    match places.entry(role) {
                        Entry::Vacant(free) => {
                            free.insert(Some((*item, place)));
                        }
                        // Two sources could have produced it.
                        Entry::Occupied(mut taken) => {
                            taken.insert(None);
                        }
                    }
                }
            }
            for (role, place) in roles(r) {
                if let Some(Some(source)) = places.get(&role) {
                    found.insert(place, *source);
                }
            }
        }
        found
    }
}

/// Where an app says how it is rendered: places that cannot be mapped back are shown there, if the rendered
/// text itself cannot be opened.
fn home(cx: &Cx<'_>, config: &Config, app: &str) -> Option<Place> {
    let (file, source) = cx.source(config.file.as_ref()?).ok()?;
    Some(match render_span(&source.text, app) {
        Some(span) => Place::span(file, span),
        None => Place::file(file),
    })
}

/// Maps the places of an app's rendered text to where they are shown.
pub(crate) struct Rendered {
    files: FxHashMap<FileId, (Arc<KappFacts>, Option<Arc<Text>>)>,
    table: FxHashMap<(FileId, u32), Place>,
    home: Option<Place>,
}

impl Rendered {
    /// For an app that is rendered from some sources.
    pub(super) fn new(pass: &Pass<'_>, rendered: &Inputs, sources: &Inputs) -> Self {
        let (cx, seed) = (pass.cx, pass.seed);
        let config = cx.config(&seed.root);
        let name = seed.name.as_ref().filter(|_| pass.options.openable);
        let home = name.and_then(|name| home(cx, &config, name));
        let found = Sources::new(sources);
        let mut table: FxHashMap<(FileId, u32), Place> = FxHashMap::default();
        for input in &rendered.inputs {
            for (number, placed) in input.facts.documents.iter().enumerate() {
                for (local, (item, place)) in found.of_document(&placed.document) {
                    if let Some((file, index)) = sources.place(item, place) {
                        let from = (input.file, input.facts.place(number, local));
                        table.insert(from, cx.place(file, index));
                    }
                }
            }
        }
        let text = |input: &Input| home.and_then(|_| Some(cx.source(&cx.path(input.file)).ok()?.1));
        let files = rendered.inputs.iter();
        let files = files.map(|input| (input.file, (Arc::clone(&input.facts), text(input))));
        Self {
            files: files.collect(),
            table,
            home,
        }
    }

    fn has_source(&self, place: &Place) -> bool {
        matches!(place.at, At::Anchor(anchor) if self.table.contains_key(&(place.file, anchor.index)))
    }

    fn is_rendered(&self, place: &Place) -> bool {
        self.files.contains_key(&place.file)
    }

    /// Maps a place to its source or else home; returns the line of the rendered text in the latter case.
    pub(crate) fn lead(&self, place: &mut Place) -> Option<usize> {
        let (facts, text) = self.files.get(&place.file)?;
        let span = match place.at {
            At::Anchor(anchor) => {
                if let Some(source) = self.table.get(&(place.file, anchor.index)) {
                    *place = *source;
                    return None;
                }
                facts.span(anchor.index).unwrap_or_default()
            }
            At::Span(span) => span,
            At::File => Span::default(),
        };
        *place = self.home.filter(|_| text.is_some())?;
        let before = text.as_ref()?.text.get(..span.start as usize)?;
        Some(before.matches('\n').count() + 1)
    }

    /// Maps all places of a variant.
    pub(crate) fn lead_variant(&self, variant: &mut Variant) {
        for unit in &mut variant.units {
            self.lead(&mut unit.header);
            if let Some(place) = &mut unit.name_place {
                self.lead(place);
            }
        }
        for dependency in &mut variant.dependencies {
            self.lead(&mut dependency.place);
        }
    }

    /// Maps all places of a symbol.
    pub(crate) fn lead_symbol(&self, symbol: &mut Symbol) {
        let is_only_rendered = |place: &Place| self.is_rendered(place) && !self.has_source(place);
        let mut written = symbol.definitions.iter().chain(&symbol.references);
        symbol.renameable &= !written.any(is_only_rendered);
        for place in symbol.definitions.iter_mut().chain(&mut symbol.references) {
            self.lead(place);
        }
    }

    /// Maps all places of a finding.
    pub(crate) fn lead_finding(&self, d: &mut Diagnostic) {
        // Rendered text is generated again each time; nothing is fixed there.
        d.fixes.retain(|fix| {
            let mut steps = fix.steps.iter();
            steps.all(|step| !self.is_rendered(&step.place()) || self.has_source(&step.place()))
        });
        for step in d.fixes.iter_mut().flat_map(|fix| &mut fix.steps) {
            step.map_places(|mut place| {
                self.lead(&mut place);
                place
            });
        }
        if let Some(line) = self.lead(&mut d.place) {
            d.message = format!("line {line} of the rendered text: {}", d.message);
        }
        for related in &mut d.related {
            if let Some(line) = self.lead(&mut related.place) {
                related.message = format!("line {line} of the rendered text: {}", related.message);
            }
        }
    }
}
