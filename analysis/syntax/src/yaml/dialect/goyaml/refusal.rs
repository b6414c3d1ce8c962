//! The messages with which go-yaml rejects a text.

use rustc_hash::FxHashMap;

use super::beyond_the_first;
use super::check::{OTHER_VERSION, check, is_other_version, unknown_anchor};
use super::{DialectError, DialectErrorKind};
use crate::text::Span;
use crate::yaml::build::{Strict, strict};
use crate::yaml::scan::{Fault, break_len, decoded};
use crate::yaml::tree::Piece;
use crate::yaml::{Document, Kind, Libyaml, Reading, SyntaxError, SyntaxErrorKind};

/// Why a document is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Where it is noticed.
    pub span: Span,
    /// What follows `error converting YAML to JSON: `, as far as it is always the same.
    pub message: String,
}

/// The first error that reading a document and converting it to JSON reports, if any; the rest is not noticed.
/// Types that a program may expect are not checked.
#[must_use]
pub fn refusal(document: Document<'_>) -> Option<Refusal> {
    let is_first = document.index() == 0;
    let ahead = is_first.then(|| beyond_the_first(document.tree())).flatten();
    let error = if let Some(character) = ahead {
        character
    } else if let Some(fault) = syntax_fault(document) {
        let Some(alias) = fault.before else {
            return Some(Refusal {
                span: fault.span,
                message: format!("yaml: {}", fault.message),
            });
        };
        alias
    } else {
        check(document).into_iter().next()?
    };
    let message = match error.kind {
        DialectErrorKind::BadKey => error.message,
        DialectErrorKind::NotJson => format!("json: {}", error.message),
        _ => format!("yaml: {}", error.message),
    };
    Some(Refusal {
        span: error.span,
        message,
    })
}

/// Whether a syntax error of the first document makes go-yaml reject the text. It reads only that document and
/// does not notice what follows; and it does not have our limits.
#[must_use]
pub fn refuses(error: &SyntaxError) -> bool {
    refusing(error.kind)
}

fn refusing(kind: SyntaxErrorKind) -> bool {
    !matches!(kind, SyntaxErrorKind::Trailing | SyntaxErrorKind::Limit)
}

/// go-yaml's error for a document that is not YAML to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Where it notices.
    pub span: Span,
    /// Its message, with the line it prints (for some errors that is not the line of the place).
    pub message: String,
    /// An alias without an anchor that it reaches earlier: then it reports that.
    pub before: Option<DialectError>,
}

/// Reads a document once more, up to what stops go-yaml.
fn read(document: Document<'_>) -> Strict {
    let text = document.span().slice(document.tree().text());
    let reading = Reading {
        first: document.starts_the_text(),
        libyaml: Libyaml::Old,
    };
    strict(text, reading)
}

/// The `%YAML` line with another version than go-yaml's.
fn other_version(read: &Strict, text: &str) -> Option<Span> {
    let mut directives = read.piece.head.directives.iter();
    directives.find(|d| is_other_version(d.slice(text))).copied()
}

/// How far go-yaml gets in a document that something in it makes it stop reading.
pub(super) fn stop(document: Document<'_>) -> Option<usize> {
    let text = document.span().slice(document.tree().text());
    let read = read(document);
    let end = |span: Span| span.end as usize;
    let version = other_version(&read, text).map(end);
    let reached = version
        .or_else(|| unknown_alias(text, &read.piece).map(end))
        .or_else(|| {
            let fault = read.fault.as_ref().filter(|f| refusing(f.kind));
            fault.map(|_| read.reached)
        })?;
    Some(document.span().start as usize + reached)
}

/// go-yaml's error for a document that is not YAML to it; `None` for one that it accepts. A `%YAML` line with
/// another version is an error as well. Reads the document once more, as the message depends on all of it.
#[must_use]
pub fn syntax_fault(document: Document<'_>) -> Option<SyntaxFault> {
    let text = document.span().slice(document.tree().text());
    let read = read(document);
    let version = other_version(&read, text);
    let fault = match version {
        Some(directive) => Fault {
            kind: SyntaxErrorKind::Parser,
            at: directive.start as usize,
            context: None,
            at_end: false,
            message: OTHER_VERSION,
        },
        None => read.fault.clone().filter(|f| refusing(f.kind))?,
    };
    let start = document.span().start;
    let noticed = line(text, fault.at, fault.at_end);
    let shown = match fault.kind {
        // Errors of the reader have no line.
        SyntaxErrorKind::Character => 0,
        _ if noticed == 0 => fault.context.map_or(0, |c| line(text, c, false)),
        SyntaxErrorKind::Scanner => noticed + 1,
        _ => noticed,
    };
    let more = document.tree().text().len() > document.span().end as usize;
    let message = match fault.message {
        "found unexpected end of stream" if more => "found unexpected document indicator",
        message => message,
    };
    let message = if shown == 0 {
        message.to_owned()
    } else {
        format!("line {shown}: {message}")
    };
    let before = match fault.kind {
        _ if version.is_some() => None,
        SyntaxErrorKind::Character => alias_before_the_character(document, fault.at),
        _ => unknown_alias(text, &read.piece),
    };
    Some(SyntaxFault {
        span: Span::from_usize(fault.at, fault.at).shifted(start),
        message,
        before: before.map(|span| DialectError {
            span: span.shifted(start),
            related: None,
            kind: DialectErrorKind::UnknownAnchor,
            message: unknown_anchor(name(span, text)),
        }),
    })
}

/// An alias without an anchor that go-yaml reaches before it decodes a character that is allowed nowhere.
fn alias_before_the_character(document: Document<'_>, at: usize) -> Option<Span> {
    let text = document.span().slice(document.tree().text());
    let reading = Reading {
        first: document.starts_the_text(),
        libyaml: Libyaml::Old,
    };
    if !reading.first {
        return None;
    }
    let before = text.get(..at)?;
    let alias = unknown_alias(before, &strict(before, reading).piece)?;
    (decoded(text, alias.end as usize) <= at).then_some(alias)
}

/// The name of an anchor or alias, without its sign.
fn name(span: Span, text: &str) -> &str {
    span.slice(text).get(1..).unwrap_or("")
}

/// The first alias in what was read that has no anchor before it.
fn unknown_alias(text: &str, piece: &Piece) -> Option<Span> {
    let anchors = piece.props.iter().filter_map(|(_, props)| props.anchor);
    let mut first: FxHashMap<&str, u32> = FxHashMap::default();
    for anchor in anchors {
        let at = first.entry(name(anchor, text)).or_insert(anchor.start);
        *at = anchor.start.min(*at);
    }
    let aliases = piece.recs.iter().filter(|rec| rec.kind() == Kind::Alias);
    let mut spans = aliases.map(|rec| Span::new(rec.start, rec.end));
    spans.find(|alias| first.get(name(*alias, text)).is_none_or(|at| *at > alias.start))
}

/// go-yaml's line of an offset, from 0. At the `end` a last line without line break counts as ended.
fn line(text: &str, offset: usize, end: bool) -> usize {
    let bytes = text.as_bytes();
    let (mut at, mut lines, mut start) = (0, 0, 0);
    while at < offset {
        let len = break_len(bytes, at);
        at += len.max(1);
        if len > 0 {
            lines += 1;
            start = at;
        }
    }
    lines + usize::from(end && start < offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::dialect::goyaml::{Value, fields, value};
    use crate::yaml::{Node, parse};
    use serde_json::{Value as Json, json};

    fn decoded(node: Node<'_>) -> Json {
        match value(node) {
            Value::Null => Json::Null,
            Value::Bool(b) => json!(b),
            Value::Int(n) => json!(n),
            Value::Uint(n) => json!(n),
            Value::Float(f) => json!(f),
            Value::Str(text) => json!(text),
            Value::Seq(items) => items.items().map(decoded).collect(),
            Value::Map(map) => fields(map)
                .iter()
                .map(|f| (f.name.to_string(), decoded(f.value)))
                .collect(),
        }
    }

    fn same(a: &Json, b: &Json) -> bool {
        match (a, b) {
            (Json::Number(a), Json::Number(b)) => a.as_f64() == b.as_f64(),
            (Json::Array(a), Json::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
            }
            (Json::Object(a), Json::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
            }
            _ => a == b,
        }
    }

    /// The results of the real library (`sigs.k8s.io/yaml` 1.6.0 on `go.yaml.in/yaml/v2` 2.4.4) for a few
    /// hundred small texts, most of them damaged at random. Messages are cut where Go prints values.
    #[test]
    fn verdicts_are_those_of_the_library() {
        let mut failures = String::new();
        for line in include_str!("verdicts.jsonl").lines() {
            let case: Json = serde_json::from_str(line).unwrap();
            let text = case.get("text").and_then(Json::as_str).unwrap();
            let tree = parse(text);
            let document = tree.first_document();
            let refused = document.and_then(refusal).map(|r| r.message);
            let expected = case.get("error").and_then(Json::as_str);
            if refused.as_deref() != expected {
                failures.push_str(&format!("{text:?}\n  {refused:?}\n  {expected:?}\n"));
            }
            if let Some(json) = case.get("json") {
                let ours = document.and_then(|d| d.root()).map_or(Json::Null, decoded);
                if !same(&ours, json) {
                    failures.push_str(&format!("{text:?}\n  {ours}\n  {json}\n"));
                }
            }
        }
        assert!(failures.is_empty(), "{failures}");
    }
}
