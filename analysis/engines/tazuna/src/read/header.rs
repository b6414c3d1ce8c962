//! Everything in a file except its manifests.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::decode::{Manifests, Obj, Reader, Val};
use super::fault::{Fault, FaultKind, ProviderError};
use super::manifest::{self, Text};
use super::places::Pen;
use super::version::loose_version;
use crate::schema::{API_VERSION, KIND, ROOT};
use applyorder_core::diagnostic::Place;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, DialectError, DialectErrorKind};
use applyorder_syntax::yaml::{Document, SyntaxErrorKind, Tree};

/// Everything in a file except its manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Header {
    /// What the YAML library rejects.
    pub(crate) syntax: Vec<Fault>,
    /// What decoding rejects before the manifests, and after them.
    pub(crate) errors: [Vec<Fault>; 2],
    /// What is rejected in version and header.
    pub(crate) header: Vec<Fault>,
    /// What the validation of `spec` rejects before the manifests, and after them.
    pub(crate) spec: [Vec<Fault>; 2],
    /// What Tazuna does not report.
    pub(crate) lints: Vec<Fault>,
    /// `spec.minimumSupportedTazunaVersion`, if it is a version.
    pub(crate) minimum: Option<Text>,
    /// The keys of `spec.environments`.
    pub(crate) environments: Vec<Arc<str>>,
    /// The key `environments`.
    pub(crate) environments_key: Option<Place>,
    /// The key `manifests`.
    pub(crate) manifests_key: Option<Place>,
    /// Keys that have no effect if the file is included.
    pub(crate) own: Vec<(&'static str, Place)>,
    /// Why no verdict can be given although the file is readable.
    pub(crate) open: Option<String>,
    /// Whether the text has broken places.
    pub(crate) broken: bool,
}

/// Reads a file's header; the list of manifests is returned to be read item by item.
///
/// A text whose aliases are not `expandable` is not read further. The last value is the alias that Tazuna's
/// library rejects before it reaches the first syntax error.
pub(super) fn read<'t>(
    reader: &mut Reader<'_, '_>,
    tree: &'t Tree,
    expandable: bool,
) -> (Header, Option<Manifests<'t>>, Option<DialectError>) {
    let mut head = Header {
        broken: !expandable,
        ..Header::default()
    };
    let mut list = None;
    let document = tree.first_document();
    let alias = syntax(reader, tree, document, &mut head);
    if let Some(document) = document {
        later_documents(reader, tree, &mut head);
        if let Some(root) = document.root().filter(|_| expandable) {
            let obj = reader.object(root, &ROOT, None).unwrap_or_default();
            list = read_root(reader, &obj, &mut head);
        }
    }
    if reader.strict && document.is_none_or(|d| d.root().is_none_or(|r| r.is_absent())) {
        let place = reader.pen.place(Span::at(0));
        head.syntax.push(Fault::new(place, FaultKind::EmptyFile));
    }
    let mut before = std::mem::take(&mut reader.errors);
    let behind = before.split_off(reader.before_manifests.min(before.len()));
    head.errors = [before, behind];
    head.lints.append(&mut reader.lints);
    if let Some(because) = reader.open() {
        head.open = Some(because);
    }
    (head, list, alias)
}

/// Adds the syntax errors. Returns the alias that Tazuna's library rejects before it reaches the first.
fn syntax(
    reader: &mut Reader<'_, '_>,
    tree: &Tree,
    document: Option<Document<'_>>,
    head: &mut Header,
) -> Option<DialectError> {
    let mut before = None;
    let index = document.map_or(0, |d| d.index());
    for error in tree.errors().iter().filter(|e| e.document == index) {
        if error.kind == SyntaxErrorKind::Trailing {
            // Tazuna stops reading before it, as before a second document.
            let place = reader.pen.place(error.span);
            let first_is_empty = false;
            head.lints
                .push(Fault::new(place, FaultKind::ExtraDocument { first_is_empty }));
            continue;
        }
        head.broken = true;
        let place = reader.pen.place(error.span);
        if error.kind == SyntaxErrorKind::Limit {
            head.open = Some(error.message.clone());
            head.lints
                .push(Fault::new(place, FaultKind::Limit(error.message.clone())));
            continue;
        }
        // Only the first is reported by Tazuna; its message costs another parse.
        let first = document.filter(|_| head.syntax.is_empty());
        let told = first.and_then(goyaml::syntax_fault);
        let theirs = match told {
            Some(fault) => {
                before = fault.before;
                fault.message
            }
            None => error.message.clone(),
        };
        let ours = error.message.clone();
        head.syntax
            .push(Fault::new(place, FaultKind::Syntax { ours, theirs }));
    }
    before
}

/// What go-yaml and the conversion to JSON reject in a text that is YAML. Numbers without a JSON form are
/// `allowed` where a string is expected.
pub(super) fn dialect(pen: &mut Pen<'_>, found: Vec<DialectError>, allowed: &[Span]) -> Vec<Fault> {
    let mut errors = Vec::new();
    for error in found {
        if error.kind == DialectErrorKind::NotJson && allowed.contains(&error.span) {
            continue;
        }
        let place = pen.place(error.span);
        let kind = FaultKind::Dialect {
            kind: error.kind,
            related: error.related.map(|related| pen.place(related)),
            message: error.message,
        };
        errors.push(Fault::new(place, kind));
    }
    errors
}

fn later_documents(reader: &mut Reader<'_, '_>, tree: &Tree, head: &mut Header) {
    let Some(second) = tree.documents().nth(1) else {
        return;
    };
    let written = second.root().is_some_and(|r| !r.is_absent()) || second.errors().next().is_some();
    if !written {
        return;
    }
    let first_is_empty = tree
        .first_document()
        .and_then(|d| d.root())
        .is_none_or(|r| r.is_absent());
    let start = second.span().start;
    let place = reader.pen.place(second.marker().unwrap_or(Span::at(start)));
    head.lints
        .push(Fault::new(place, FaultKind::ExtraDocument { first_is_empty }));
}

fn read_root<'t>(reader: &mut Reader<'_, '_>, root: &Obj<'t>, head: &mut Header) -> Option<Manifests<'t>> {
    for (field, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        let Some(word) = root
            .word(field)
            .filter(|w| !w.text.is_empty() && *w.text != *wanted)
        else {
            continue;
        };
        let place = reader.pen.place(word.span);
        let kind = FaultKind::Header {
            field,
            wanted,
            found: word.text.to_string(),
        };
        head.header.push(Fault::new(place, kind));
    }
    let spec = root.obj("spec")?;
    version(reader, spec, head);
    contexts(reader, spec, head);
    environments(reader, spec, head);
    providers(reader, spec, head);
    manifest::tests(reader, spec.objs("tests"));
    for name in [
        "context_matches",
        "context_match_mode",
        "environments",
        "providers",
        "tests",
        "minimumSupportedTazunaVersion",
    ] {
        if let Some(slot) = spec.slot(name).filter(|s| s.is_set()) {
            let key = reader.pen.place(slot.key);
            head.own.push((slot.field.name, key));
        }
    }
    let slot = spec.slot("manifests")?;
    head.manifests_key = Some(reader.pen.place(slot.key));
    match &slot.value {
        Val::Manifests(manifests) => Some(manifests.clone()),
        _ => None,
    }
}

fn version(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Header) {
    const FIELD: &str = "minimumSupportedTazunaVersion";
    let Some(word) = spec.word(FIELD).filter(|w| !w.text.trim().is_empty()) else {
        return;
    };
    let place = reader.pen.place(word.span);
    let text = word.text.trim();
    let Err(problem) = loose_version(text) else {
        head.minimum = Some(Text {
            text: text.into(),
            place,
            via: None,
            null: false,
        });
        return;
    };
    let text = text.to_owned();
    head.header
        .push(Fault::new(place, FaultKind::MinimumVersion { text, problem }));
}

fn contexts(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Header) {
    let found = context_block(reader, spec, None);
    head.spec[0].extend(found);
}

fn environments(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Header) {
    let Some(slot) = spec.slot("environments") else {
        return;
    };
    head.environments_key = Some(reader.pen.place(slot.key));
    let Val::ObjMap(environments) = &slot.value else {
        return;
    };
    for (name, key, environment) in environments {
        if name.is_empty() {
            let place = reader.pen.place(*key);
            head.spec[0].push(Fault::new(place, FaultKind::EnvironmentName));
        } else {
            head.environments.push(name.as_ref().into());
        }
        let found = context_block(reader, environment, Some(name));
        head.spec[0].extend(found);
    }
}

fn context_block(reader: &mut Reader<'_, '_>, obj: &Obj<'_>, environment: Option<&str>) -> Vec<Fault> {
    let mut found = Vec::new();
    for (i, word) in obj.words("context_matches").iter().enumerate() {
        let Some(problem) = applyorder_syntax::goregexp::error(&word.text) else {
            continue;
        };
        let place = reader.pen.place(word.span);
        let kind = FaultKind::ContextPattern {
            environment: environment.map(str::to_owned),
            index: i,
            text: word.text.to_string(),
            problem,
        };
        found.push(Fault::new(place, kind));
    }
    let mode = obj.text("context_match_mode");
    if let Some(word) = obj
        .word("context_match_mode")
        .filter(|_| !matches!(mode, "" | "or" | "and"))
    {
        let place = reader.pen.place(word.span);
        let kind = FaultKind::ContextMode {
            environment: environment.map(str::to_owned),
            mode: mode.to_owned(),
        };
        found.push(Fault::new(place, kind));
    }
    found
}

fn providers(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Header) {
    let mut named: FxHashMap<String, Place> = FxHashMap::default();
    for (i, provider) in spec.objs("providers").iter().enumerate() {
        let header = reader.pen.place(provider.header);
        let at = |reader: &mut Reader<'_, '_>, name: &str| {
            let span = provider.word(name).filter(|w| !w.null).map(|w| w.span);
            span.map_or(header, |s| reader.pen.place(s))
        };
        let name = provider.text("name");
        let name_place = at(reader, "name");
        let (place, fault) = if name.is_empty() {
            (name_place, ProviderError::NoName)
        } else if name == "default-op" {
            (name_place, ProviderError::Reserved)
        } else if let Some(first) = named.get(name) {
            (name_place, ProviderError::Duplicate(*first))
        } else {
            named.insert(name.to_owned(), name_place);
            let Some(fault) = provider_type(provider) else {
                continue;
            };
            (at(reader, "type"), fault)
        };
        let kind = FaultKind::Provider {
            index: i,
            name: name.to_owned(),
            fault,
        };
        head.spec[1].push(Fault::new(place, kind));
    }
}

/// The error in the type of a named provider.
fn provider_type(provider: &Obj<'_>) -> Option<ProviderError> {
    Some(match provider.text("type") {
        "" => ProviderError::NoType,
        "envfile" => match provider.obj("envfile") {
            None => ProviderError::NoEnvfile,
            Some(envfile) if envfile.text("path").is_empty() => ProviderError::NoEnvfilePath,
            Some(_) => return None,
        },
        "onepassword" => ProviderError::OnePassword,
        other => ProviderError::UnknownType(other.to_owned()),
    })
}
