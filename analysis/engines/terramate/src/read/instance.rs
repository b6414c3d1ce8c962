//! An instance of a bundle in YAML, as Terramate decodes it after it has loaded everything else.
//!
//! Source: Terramate 0.17.2, "What is read"; its decoder of them.

use applyorder_core::files::ReadError;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, Scalar};
use applyorder_syntax::yaml::{self, Kind, Node, Style, SyntaxErrorKind};
use camino::Utf8Path;

/// The result of Terramate's decoder for a text.
#[derive(Debug)]
pub(crate) enum Decoded {
    /// With its source, if there is only one.
    Instance(Option<InstanceSource>),
    /// Rejected.
    Rejected(InstanceFault),
    /// It uses unsupported features: aliases, tags, values of types that differ between versions of YAML.
    Unknown,
}

/// The literal source of an instance; `None` inside: it is missing.
#[derive(Debug)]
pub(crate) struct InstanceSource {
    pub(crate) text: Option<String>,
    pub(crate) span: Span,
}

/// What is wrong with an instance.
#[derive(Debug)]
pub(crate) struct InstanceFault {
    pub(crate) kind: InstanceFaultKind,
    pub(crate) span: Span,
    /// Terramate's message.
    pub(crate) words: String,
}

/// See [`InstanceFault`].
#[derive(Debug)]
pub(crate) enum InstanceFaultKind {
    /// Terramate cannot read the file.
    Unreadable(ReadError),
    /// Invalid YAML.
    Syntax(String),
    Empty,
    /// Something that is not a string.
    NoText(String),
    /// Something that is not a mapping.
    NoMapping(String),
    DuplicateKey(String),
    /// A missing field; its required value.
    Missing(&'static str, Option<&'static str>),
    /// A field with another value than the required one: its name, that value, and its own.
    Other {
        name: &'static str,
        wanted: &'static str,
        found: String,
    },
    /// An unknown field, and the mapping in which it is.
    UnknownKey(String, &'static str),
    /// An invalid name, and why.
    Name(String, &'static str),
    NoUuid(String),
}

const API_VERSION: &str = "terramate.io/cli/v1";
const KIND: &str = "BundleInstance";

/// A file that cannot be read: Terramate opens every one, also through a link. `shown`: its path from the root.
pub(crate) fn unreadable(path: &Utf8Path, shown: &str, error: ReadError) -> Decoded {
    let shown = shown.trim_start_matches('/');
    let words = match error {
        ReadError::NotFound => format!("open {shown}: no such file or directory"),
        ReadError::IsDirectory => format!("yaml: input error: read {path}: is a directory"),
        ReadError::PermissionDenied => format!("open {shown}: permission denied"),
        ReadError::LinkLoop => format!("open {shown}: too many levels of symbolic links"),
        _ => return Decoded::Unknown,
    };
    wrong(InstanceFaultKind::Unreadable(error), Span::at(0), words)
}

/// Decodes a text.
pub(crate) fn decode(text: &str) -> Decoded {
    let tree = yaml::parse(text);
    let first = tree.errors().iter().find(|e| e.document == 0);
    match first.map(|e| (e, e.kind)) {
        None | Some((_, SyntaxErrorKind::Trailing)) => {}
        Some((_, SyntaxErrorKind::Limit)) => return Decoded::Unknown,
        Some((error, _)) => {
            let (span, message) = (error.span, error.message.clone());
            let words = format!("yaml: {message}");
            return wrong(InstanceFaultKind::Syntax(message), span, words);
        }
    }
    let document = tree.first_document();
    let Some(root) = document.and_then(|d| d.root().filter(|r| !r.is_absent() || d.marker().is_some()))
    else {
        return wrong(InstanceFaultKind::Empty, Span::at(0), "EOF");
    };
    let is_beyond = |node: Node<'_>| {
        node.kind() == Kind::Alias
            || node.tag().is_some()
            || (node.is_mapping() && node.entries().any(|e| e.key.value() == "<<"))
    };
    if root.any(is_beyond) {
        return Decoded::Unknown;
    }
    match top(root) {
        Ok(source) => Decoded::Instance(source),
        Err(decoded) => decoded,
    }
}

fn wrong(kind: InstanceFaultKind, span: Span, words: impl Into<String>) -> Decoded {
    Decoded::Rejected(InstanceFault {
        kind,
        span,
        words: words.into(),
    })
}

/// A string; null is an empty one. A value that is not a string is certain (`true`), or differs between
/// versions of YAML.
fn text(node: Node<'_>) -> Result<Option<String>, bool> {
    if !node.is_scalar() {
        return Err(true);
    }
    let written = node.value();
    let year = written.split_once('-').map(|(year, _)| year);
    let may_be_time = year.is_some_and(|y| y.len() == 4 && y.bytes().all(|b| b.is_ascii_digit()));
    match goyaml::scalar(node) {
        Ok(Scalar::Null) => Ok(None),
        Ok(Scalar::Str(text)) if node.style() != Style::Plain || !may_be_time => Ok(Some(text.into_owned())),
        Ok(Scalar::Bool(_)) => {
            Err(written.eq_ignore_ascii_case("true") || written.eq_ignore_ascii_case("false"))
        }
        Ok(Scalar::Int(_) | Scalar::Uint(_) | Scalar::Float(_)) => Err(!written.contains([':', '_'])),
        _ => Err(false),
    }
}

/// The string of a field, with Terramate's message if it is not one.
fn text_of(node: Option<Node<'_>>, name: &str, words: &str) -> Result<String, Decoded> {
    let Some(node) = node else {
        return Ok(String::new());
    };
    match text(node) {
        Ok(Some(text)) => Ok(text),
        // For the document itself, null means no value.
        Ok(None) if !name.contains('.') => Ok(String::new()),
        Err(false) => Err(Decoded::Unknown),
        Ok(None) | Err(true) => Err(no_text(node, name, words)),
    }
}

fn no_text(node: Node<'_>, name: &str, words: &str) -> Decoded {
    wrong(InstanceFaultKind::NoText(name.to_owned()), node.span(), words)
}

fn no_mapping(node: Node<'_>, name: &str, words: &str) -> Decoded {
    wrong(InstanceFaultKind::NoMapping(name.to_owned()), node.span(), words)
}

/// A mapping; null is an empty one.
fn mapping<'t>(node: Option<Node<'t>>, name: &str, words: &str) -> Result<Option<Node<'t>>, Decoded> {
    let Some(node) = node else { return Ok(None) };
    if node.is_mapping() {
        return Ok(Some(node));
    }
    if node.is_scalar() && matches!(goyaml::scalar(node), Ok(Scalar::Null)) {
        return Ok(None);
    }
    Err(no_mapping(node, name, words))
}

fn top(root: Node<'_>) -> Result<Option<InstanceSource>, Decoded> {
    let Some(root) = mapping(
        Some(root),
        "instance of a bundle",
        "cannot unmarshal into yaml.Document",
    )?
    else {
        return expected(root, "apiVersion", API_VERSION, "").map(|()| None);
    };
    let mut seen: Vec<String> = Vec::new();
    for entry in root.entries() {
        let key = entry.key.value().into_owned();
        if seen.contains(&key) {
            let words = format!("mapping key \"{key}\" already defined");
            return Err(wrong(
                InstanceFaultKind::DuplicateKey(key),
                entry.key.span(),
                words,
            ));
        }
        seen.push(key);
    }
    let api = text_of(
        root.get("apiVersion"),
        "apiVersion",
        "expected attribute of type string",
    )?;
    let kind = text_of(root.get("kind"), "kind", "expected attribute of type string")?;
    let of_maps = "expected attribute of type yaml.Map[interface {}]";
    let metadata = mapping(root.get("metadata"), "metadata", of_maps)?;
    let spec = mapping(root.get("spec"), "spec", of_maps)?;
    let environments = mapping(root.get("environments"), "environments", of_maps)?;
    for (name, wanted, found) in [("apiVersion", API_VERSION, &api), ("kind", KIND, &kind)] {
        if found != wanted {
            expected(root.get(name).unwrap_or(root), name, wanted, found)?;
        }
    }
    self::metadata(root, metadata)?;
    let source = self::spec(spec)?;
    for entry in environments.into_iter().flat_map(|e| e.entries()) {
        mapping(Some(entry.value), "environment", "item must be a map")?;
    }
    let is_one = environments.is_none_or(|e| e.entries().next().is_none());
    let (text, span) = match source {
        Some((text, span)) => (Some(text), span),
        None => (None, Span::at(root.span().start)),
    };
    Ok(is_one.then_some(InstanceSource { text, span }))
}

fn expected(place: Node<'_>, name: &'static str, wanted: &'static str, found: &str) -> Result<(), Decoded> {
    let words = format!("expected {name} \"{wanted}\", got \"{found}\"");
    if found.is_empty() {
        let span = Span::at(place.span().start);
        return Err(wrong(InstanceFaultKind::Missing(name, Some(wanted)), span, words));
    }
    let found = found.to_owned();
    let kind = InstanceFaultKind::Other { name, wanted, found };
    Err(wrong(kind, place.span(), words))
}

fn unknown_key(key: Node<'_>, of: &'static str, known: &str) -> Decoded {
    let name = key.value().into_owned();
    let words = format!("unexpected attribute: {of}.{name}. must be one of [{known}]");
    wrong(InstanceFaultKind::UnknownKey(name, of), key.span(), words)
}

fn metadata(root: Node<'_>, metadata: Option<Node<'_>>) -> Result<(), Decoded> {
    let mut is_named = false;
    for entry in metadata.into_iter().flat_map(|m| m.entries()) {
        match &*entry.key.value() {
            "name" => {
                name(entry.value)?;
                is_named = true;
            }
            "uuid" => {
                let words = "metadata.uuid must be a string";
                let uuid = text_of(Some(entry.value), "metadata.uuid", words)?;
                if !is_uuid(&uuid) {
                    let words = "metadata.uuid must be a valid UUID";
                    return Err(wrong(InstanceFaultKind::NoUuid(uuid), entry.value.span(), words));
                }
            }
            _ => return Err(unknown_key(entry.key, "metadata", "name, uuid")),
        }
    }
    if is_named {
        return Ok(());
    }
    let span = Span::at(metadata.unwrap_or(root).span().start);
    let kind = InstanceFaultKind::Missing("metadata.name", None);
    Err(wrong(kind, span, "metadata.name is missing"))
}

fn name(node: Node<'_>) -> Result<(), Decoded> {
    let name = text_of(
        Some(node),
        "metadata.name",
        "metadata.name must be of type string",
    )?;
    let is_letter = |c: char| c.is_ascii_lowercase();
    let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    let ends = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let why = if name.is_empty() {
        "must not be empty"
    } else if name.len() > 255 {
        "must be no longer than 255 characters"
    } else if !name.starts_with(is_letter) {
        "must start a with lowercase character ([a-z])"
    } else if !name.chars().all(is_inner) {
        "may only contain lowercase alphanumeric characters, '-', or '_'"
    } else if !name.ends_with(ends) {
        "must end with a lowercase alphanumeric character ([0-9a-z])"
    } else {
        return Ok(());
    };
    let words = format!("metadata.name {why}");
    Err(wrong(InstanceFaultKind::Name(name, why), node.span(), words))
}

/// The forms that `google/uuid` accepts: bare, in braces, with `urn:uuid:`, without hyphens.
fn is_uuid(text: &str) -> bool {
    let is_urn = text
        .get(..9)
        .is_some_and(|start| start.eq_ignore_ascii_case("urn:uuid:"));
    let bare = match text.len() {
        45 if is_urn => text.get(9..),
        38 => text.get(1..37),
        36 => Some(text),
        32 => return text.bytes().all(|b| b.is_ascii_hexdigit()),
        _ => None,
    };
    bare.is_some_and(|bare| {
        bare.bytes().enumerate().all(|(i, b)| match i {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        })
    })
}

fn spec(spec: Option<Node<'_>>) -> Result<Option<(String, Span)>, Decoded> {
    let mut source = None;
    for entry in spec.into_iter().flat_map(|s| s.entries()) {
        match &*entry.key.value() {
            "source" => match text(entry.value) {
                Ok(Some(text)) => source = Some((text, entry.value.span())),
                Err(false) => return Err(Decoded::Unknown),
                _ => {
                    let words = "spec.source must be a string";
                    return Err(no_text(entry.value, "spec.source", words));
                }
            },
            "inputs" if entry.value.is_mapping() => {}
            "inputs" => {
                let words = "spec.inputs must be a map";
                return Err(no_mapping(entry.value, "spec.inputs", words));
            }
            _ => return Err(unknown_key(entry.key, "spec", "source, inputs")),
        }
    }
    Ok(source)
}

#[cfg(test)]
mod tests {
    use super::{Decoded, decode};

    const HEAD: &str = "apiVersion: terramate.io/cli/v1\nkind: BundleInstance\n";

    /// Terramate's message for what it rejects, the rest marked.
    fn said(text: &str) -> String {
        match decode(text) {
            Decoded::Instance(_) => "ok".to_owned(),
            Decoded::Unknown => "unknown".to_owned(),
            Decoded::Rejected(wrong) => wrong.words,
        }
    }

    #[test]
    fn what_terramate_says_of_its_head() {
        let got = |what: &str, got: &str| format!("expected {what}, got \"{got}\"");
        let (api, kind) = ("apiVersion \"terramate.io/cli/v1\"", "kind \"BundleInstance\"");
        assert_eq!(said(""), "EOF");
        assert_eq!(said("# nothing\n"), "EOF");
        assert_eq!(said("---\n"), got(api, ""));
        assert_eq!(said("a: 1\n"), got(api, ""));
        assert_eq!(said("apiVersion: v1\n"), got(api, "v1"));
        assert_eq!(said("apiVersion: terramate.io/cli/v1\n"), got(kind, ""));
        assert_eq!(said("apiVersion: [x]\n"), "expected attribute of type string");
        assert!(said("a: [\n").starts_with("yaml: "));
        assert_eq!(said("a: &x 1\nb: *x\n"), "unknown");
    }

    #[test]
    fn what_terramate_says_of_its_fields() {
        let with = |rest: &str| said(&format!("{HEAD}{rest}"));
        assert_eq!(with(""), "metadata.name is missing");
        assert_eq!(with("metadata: {name: a}\n"), "ok");
        assert_eq!(
            with("metadata: {name: a}\nspec: {source: /b, inputs: {a: [1]}}\n"),
            "ok"
        );
        assert_eq!(
            with("metadata: {name: 1}\n"),
            "metadata.name must be of type string"
        );
        assert_eq!(
            with("metadata: {name: true}\n"),
            "metadata.name must be of type string"
        );
        assert_eq!(
            with("metadata: {name: }\n"),
            "metadata.name must be of type string"
        );
        assert_eq!(with("metadata: {name: yes}\n"), "unknown");
        assert_eq!(with("metadata: {name: 2020-01-01}\n"), "unknown");
        assert_eq!(
            with("metadata: {name: A}\n"),
            "metadata.name must start a with lowercase character ([a-z])"
        );
        assert_eq!(
            with("metadata: {nam: a}\n"),
            "unexpected attribute: metadata.nam. must be one of [name, uuid]"
        );
        assert_eq!(
            with("metadata: {name: a, uuid: x}\n"),
            "metadata.uuid must be a valid UUID"
        );
        assert_eq!(
            with("metadata: {name: a, uuid: 0189bb1c-6e03-7d39-8d5e-5a3f9b1c2d3e}\n"),
            "ok"
        );
        assert_eq!(
            with("metadata: {name: a}\nspec: {source: 1}\n"),
            "spec.source must be a string"
        );
        assert_eq!(
            with("metadata: {name: a}\nspec: {inputs: 1}\n"),
            "spec.inputs must be a map"
        );
        assert_eq!(
            with("metadata: {name: a}\nenvironments: {dev: 1}\n"),
            "item must be a map"
        );
        assert_eq!(
            with("metadata: {name: a}\nkind: B\n"),
            "mapping key \"kind\" already defined"
        );
    }
}
