//! Everything of a file but its manifests.

use std::sync::Arc;

use super::decode::{Obj, Reader, Val};
use super::draft::{Draft, Pen};
use super::manifest::{self, Text};
use super::version::loose_version;
use crate::judge::Stage;
use crate::rules;
use crate::schema::{API_VERSION, KIND, ROOT};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety};
use applyorder_core::rules::{invalid_value, limit_reached, missing_field, syntax_error};
use applyorder_syntax::template::quote;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, DialectError, DialectErrorKind};
use applyorder_syntax::yaml::{Document, Node, SyntaxErrorKind, Tree};

/// Everything of a file but its manifests.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Head {
    /// What the YAML library rejects.
    pub(crate) syntax: Vec<Draft>,
    /// What decoding rejects before it comes to the manifests, and behind them.
    pub(crate) errors: [Vec<Draft>; 2],
    /// What is rejected of version and header.
    pub(crate) header: Vec<Draft>,
    /// What the validation of `spec` rejects before it comes to the manifests, and behind them.
    pub(crate) spec: [Vec<Draft>; 2],
    /// What Tazuna is silent about.
    pub(crate) lints: Vec<Draft>,
    /// `spec.minimumSupportedTazunaVersion`, where it is a version.
    pub(crate) minimum: Option<Text>,
    /// The keys of `spec.environments`.
    pub(crate) environments: Vec<Arc<str>>,
    /// The key `environments`.
    pub(crate) environments_key: Option<Place>,
    /// The key `manifests`.
    pub(crate) manifests_key: Option<Place>,
    /// Keys that have no effect where the file is included.
    pub(crate) own: Vec<(&'static str, Place)>,
    /// Why no verdict can be given although the file is readable.
    pub(crate) open: Option<String>,
    /// Whether the text has broken places.
    pub(crate) broken: bool,
}

/// The list of manifests, and the alias it came through.
pub(super) type List<'t> = (Node<'t>, Option<Span>);

/// Reads a file's head; the list of manifests is handed back to be read item by item.
///
/// A text whose aliases are not `expandable` is not looked into. The last is the alias that Tazuna's library refuses
/// before it comes to the first syntax error.
pub(super) fn read<'t>(
    reader: &mut Reader<'_, '_>,
    tree: &'t Tree,
    expandable: bool,
) -> (Head, Option<List<'t>>, Option<DialectError>) {
    let mut head = Head {
        broken: !expandable,
        ..Head::default()
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
        let d = Diagnostic::new(
            &syntax_error::RULE,
            reader.pen.place(Span::at(0)),
            "the file is empty",
        )
        .note("Tazuna G1 rejects an empty file; later ones accept it");
        head.syntax.push(Draft::rejected(Stage::Decode, d, "EOF"));
    }
    let mut before = std::mem::take(&mut reader.errors);
    let behind = before.split_off(reader.before_manifests.min(before.len()));
    head.errors = [before, behind];
    head.lints.append(&mut reader.lints);
    if reader.undecided {
        head.open =
            Some("`manifests` stands there in two spellings, which Tazuna joins item by item".to_owned());
    }
    (head, list, alias)
}

/// Adds the syntax errors. Gives the alias that Tazuna's library refuses before it comes to the first.
fn syntax(
    reader: &mut Reader<'_, '_>,
    tree: &Tree,
    document: Option<Document<'_>>,
    head: &mut Head,
) -> Option<DialectError> {
    let mut before = None;
    let index = document.map_or(0, |d| d.index());
    for error in tree.errors().iter().filter(|e| e.document == index) {
        if error.kind == SyntaxErrorKind::Trailing {
            // Tazuna stops reading before it, as before a second document.
            let place = reader.pen.place(error.span);
            head.lints.push(rules::extra_document::draft(place, false));
            continue;
        }
        head.broken = true;
        let place = reader.pen.place(error.span);
        if error.kind == SyntaxErrorKind::Limit {
            head.open = Some(error.message.clone());
            head.lints.push(Draft::lint(Diagnostic::new(
                &limit_reached::RULE,
                place,
                error.message.clone(),
            )));
            continue;
        }
        let d = Diagnostic::new(&syntax_error::RULE, place, error.message.clone());
        // Only the first is what Tazuna says; asking for its words costs another parse.
        let first = document.filter(|_| head.syntax.is_empty());
        let told = first.and_then(goyaml::syntax_fault);
        let message = match told {
            Some(fault) => {
                before = fault.before;
                fault.message
            }
            None => error.message.clone(),
        };
        let message = format!("error converting YAML to JSON: yaml: {message}");
        head.syntax.push(Draft::rejected(Stage::Decode, d, message));
    }
    before
}

/// What go-yaml and the conversion to JSON reject of a text that is YAML. Numbers without a JSON form
/// are `allowed` where text is wanted.
pub(super) fn dialect(pen: &mut Pen<'_>, found: Vec<DialectError>, allowed: &[Span]) -> Vec<Draft> {
    let mut errors = Vec::new();
    for error in found {
        if error.kind == DialectErrorKind::NotJson && allowed.contains(&error.span) {
            continue;
        }
        let place = pen.place(error.span);
        let mut d = Diagnostic::new(&syntax_error::RULE, place, error.message.clone());
        if let Some(related) = error.related {
            let related = pen.place(related);
            d = d.related(related, "this is what it refers to");
        }
        if error.kind == DialectErrorKind::Directive {
            d = d.fix(
                "remove the directive",
                Safety::Unsafe,
                vec![FixStep::Replace(place, String::new())],
            );
        }
        let prefix = match error.kind {
            DialectErrorKind::NotJson => "error converting YAML to JSON: json: ",
            DialectErrorKind::BadKey => "error converting YAML to JSON: ",
            _ => "error converting YAML to JSON: yaml: ",
        };
        errors.push(Draft::rejected(
            Stage::Decode,
            d,
            format!("{prefix}{}", error.message),
        ));
    }
    errors
}

fn later_documents(reader: &mut Reader<'_, '_>, tree: &Tree, head: &mut Head) {
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
        .push(rules::extra_document::draft(place, first_is_empty));
}

fn read_root<'t>(reader: &mut Reader<'_, '_>, root: &Obj<'t>, head: &mut Head) -> Option<List<'t>> {
    for (field, wanted) in [("apiVersion", API_VERSION), ("kind", KIND)] {
        let Some(word) = root
            .word(field)
            .filter(|w| !w.text.is_empty() && *w.text != *wanted)
        else {
            continue;
        };
        let place = reader.pen.place(word.span);
        let d = Diagnostic::new(
            &invalid_value::RULE,
            place,
            format!("`{field}` must be `{wanted}`, or be left out"),
        )
        .fix(
            format!("replace by `{wanted}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(place, wanted.to_owned())],
        );
        let message = format!("{field} must be {}, got {}", quote(wanted), quote(&word.text));
        head.header
            .push(Draft::rejected(Stage::Header, d, message).detail("field", field));
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
    match slot.value {
        Val::Manifests(list, via) => Some((list, via)),
        _ => None,
    }
}

fn version(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Head) {
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
    let d = Diagnostic::new(&invalid_value::RULE, place, format!("`{text}` is no version"))
        .note("such as `1.4.0`; `v1.4.0` and `1.4` do as well");
    let message = format!("spec.{FIELD} {} is not a valid semver: {problem}", quote(text));
    head.header
        .push(Draft::rejected(Stage::Version, d, message).detail("field", FIELD));
}

fn contexts(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Head) {
    let found = context_block(reader, spec, "");
    head.spec[0].extend(found);
}

fn environments(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Head) {
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
            let d = Diagnostic::new(&invalid_value::RULE, place, "an environment must have a name");
            head.spec[0].push(
                Draft::rejected(Stage::Spec, d, "environment name must not be empty")
                    .detail("field", "environments"),
            );
        } else {
            head.environments.push(name.as_ref().into());
        }
        let found = context_block(reader, environment, &format!("environments[{}].", quote(name)));
        head.spec[0].extend(found);
    }
}

fn context_block(reader: &mut Reader<'_, '_>, obj: &Obj<'_>, prefix: &str) -> Vec<Draft> {
    let mut found = Vec::new();
    for (i, word) in obj.words("context_matches").iter().enumerate() {
        let Some(problem) = applyorder_syntax::goregexp::error(&word.text) else {
            continue;
        };
        let place = reader.pen.place(word.span);
        let d = Diagnostic::new(
            &invalid_value::RULE,
            place,
            format!("`{}` is no regular expression: {problem}", word.text),
        );
        let message = format!("{prefix}context_matches[{i}] is not a valid regex: {problem}");
        found.push(Draft::rejected(Stage::Spec, d, message).detail("field", "context_matches"));
    }
    let mode = obj.text("context_match_mode");
    if let Some(word) = obj
        .word("context_match_mode")
        .filter(|_| !matches!(mode, "" | "or" | "and"))
    {
        let place = reader.pen.place(word.span);
        let mut d = Diagnostic::new(
            &invalid_value::RULE,
            place,
            format!("`context_match_mode` must be `or` or `and`, not `{mode}`"),
        );
        let lower = mode.to_ascii_lowercase();
        if matches!(&*lower, "or" | "and") {
            d = d.fix(
                format!("replace by `{lower}`"),
                Safety::Unsafe,
                vec![FixStep::SetValue(place, lower)],
            );
        }
        let message = format!("{prefix}context_match_mode must be 'or' or 'and', got: {mode}");
        found.push(Draft::rejected(Stage::Spec, d, message).detail("field", "context_match_mode"));
    }
    found
}

fn providers(reader: &mut Reader<'_, '_>, spec: &Obj<'_>, head: &mut Head) {
    let mut named: Vec<(String, Place)> = Vec::new();
    for (i, provider) in spec.objs("providers").iter().enumerate() {
        let header = reader.pen.place(provider.header);
        let at = |reader: &mut Reader<'_, '_>, name: &str| {
            let span = provider.word(name).filter(|w| !w.null).map(|w| w.span);
            span.map_or(header, |s| reader.pen.place(s))
        };
        let name = provider.text("name");
        let name_place = at(reader, "name");
        let first = named.iter().find(|(n, _)| n == name).map(|(_, p)| *p);
        let (place, message, ours) = if name.is_empty() {
            (
                name_place,
                format!("providers[{i}]: name is required"),
                "a provider needs a name".to_owned(),
            )
        } else if name == "default-op" {
            let message =
                format!("providers[{i}]: name \"default-op\" is reserved for the built-in provider");
            (
                name_place,
                message,
                "`default-op` is the name of the built-in provider".to_owned(),
            )
        } else if first.is_some() {
            let message = format!("providers[{i}]: duplicate name {}", quote(name));
            (
                name_place,
                message,
                format!("provider name `{name}` is taken already"),
            )
        } else {
            named.push((name.to_owned(), name_place));
            let Some((field, theirs, ours)) = provider_type(provider) else {
                continue;
            };
            let place = at(reader, field);
            (place, format!("providers[{i}] ({}): {theirs}", quote(name)), ours)
        };
        let missing = ours.contains("needs");
        let rule = if missing {
            &missing_field::RULE
        } else {
            &invalid_value::RULE
        };
        let mut d = Diagnostic::new(rule, place, ours);
        if let Some(first) = first {
            d = d.related(first, format!("the first `{name}`"));
        }
        head.spec[1].push(Draft::rejected(Stage::Spec, d, message).detail("field", "providers"));
    }
}

/// What is wrong with a named provider: the field, Tazuna's words, ours.
fn provider_type(provider: &Obj<'_>) -> Option<(&'static str, String, String)> {
    Some(match provider.text("type") {
        "" => (
            "type",
            "type is required".to_owned(),
            "a provider needs a type".to_owned(),
        ),
        "envfile" => match provider.obj("envfile") {
            None => (
                "type",
                "envfile config is required for envfile type".to_owned(),
                "a provider of type `envfile` needs `envfile`".to_owned(),
            ),
            Some(envfile) if envfile.text("path").is_empty() => (
                "type",
                "envfile.path is required".to_owned(),
                "`envfile` needs a `path`".to_owned(),
            ),
            Some(_) => return None,
        },
        "onepassword" => (
            "type",
            "explicit \"onepassword\" type is not supported yet; use the built-in \"default-op\"".to_owned(),
            "a provider of type `onepassword` cannot be declared; the built-in one is `default-op`"
                .to_owned(),
        ),
        other => (
            "type",
            format!("unsupported provider type {}", quote(other)),
            format!("there is no provider type `{other}`"),
        ),
    })
}
