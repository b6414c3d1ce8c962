//! What go-yaml and the conversion to JSON reject in a text that is YAML.

use rustc_hash::FxHashSet;

use super::fields::{fields, is_merge};
use super::{DialectError, DialectErrorKind, Scalar, resolve, scalar};
use crate::text::Span;
use crate::yaml::tree::Rec;
use crate::yaml::{Document, Kind, Node, Style};

/// Everything go-yaml and the conversion to JSON reject in one document, the earliest stage first and in a
/// stage in the order of the text: so the first is what the library reports, as it stops there. Syntax errors
/// of the tree are not repeated here.
#[must_use]
pub fn check(document: Document<'_>) -> Vec<DialectError> {
    let mut checker = Checker::default();
    checker.directives(document);
    if let Some(root) = document.root().filter(|_| !is_ordinary(document)) {
        checker.nodes(root);
        if checker.aliases > 0
            && !checker
                .errors
                .iter()
                .any(|e| e.kind == DialectErrorKind::RecursiveAnchor)
        {
            checker.errors.extend(excessive_aliasing(root));
        }
        if checker.convert {
            checker.converted(root);
        }
    }
    // The whole document is converted, including keys, before any of it is written as JSON.
    checker
        .errors
        .sort_by_key(|e| (e.kind.stage(), e.kind == DialectErrorKind::NotJson, e.span.start));
    checker.errors
}

pub(super) const OTHER_VERSION: &str = "found incompatible YAML document";

pub(super) fn unknown_anchor(name: &str) -> String {
    format!("unknown anchor '{name}' referenced")
}

/// Whether a directive line names another version than 1.1.
pub(super) fn is_other_version(directive: &str) -> bool {
    let version = directive.strip_prefix("%YAML").map(str::trim);
    let parts = version
        .and_then(|v| v.split_once('.'))
        .map(|(a, b)| (a.parse::<u8>(), b.parse::<u8>()));
    version.is_some() && parts != Some((Ok(1), Ok(1)))
}

#[derive(Default)]
struct Checker {
    errors: Vec<DialectError>,
    aliases: usize,
    /// Whether something was found that the conversion may reject.
    convert: bool,
}

impl Checker {
    fn error(
        &mut self,
        kind: DialectErrorKind,
        span: Span,
        related: Option<Span>,
        message: impl Into<String>,
    ) {
        self.errors.push(DialectError {
            span,
            related,
            kind,
            message: message.into(),
        });
    }

    /// What is rejected anywhere, even if another value replaces it later.
    fn nodes(&mut self, root: Node<'_>) {
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            match node.kind() {
                Kind::Alias => self.alias(node),
                Kind::Scalar if is_plainly_text(node) => {}
                Kind::Scalar => match scalar(node) {
                    Ok(Scalar::Float(f)) if !f.is_finite() => self.convert = true,
                    Ok(_) => {}
                    Err(message) => {
                        self.error(DialectErrorKind::BadTag, node.span(), node.tag_span(), message)
                    }
                },
                Kind::Sequence => stack.extend(node.children()),
                Kind::Mapping => {
                    for entry in node.entries() {
                        if is_merge(entry.key) {
                            self.merge(entry.key, entry.value);
                        } else {
                            self.key(entry.key);
                            stack.push(entry.key);
                        }
                        stack.push(entry.value);
                    }
                }
            }
        }
    }

    /// Only `%YAML 1.1` is accepted.
    fn directives(&mut self, document: Document<'_>) {
        for span in document.directives() {
            if is_other_version(span.slice(document.tree().text())) {
                self.error(DialectErrorKind::Directive, span, None, OTHER_VERSION);
            }
        }
    }

    fn alias(&mut self, alias: Node<'_>) {
        self.aliases += 1;
        let name = alias.value();
        match alias.anchored() {
            None => {
                let message = unknown_anchor(&name);
                self.error(DialectErrorKind::UnknownAnchor, alias.span(), None, message);
            }
            Some(target) if target.encloses(alias) => {
                let related = target.anchor().map(|a| a.span);
                let message = format!("anchor '{name}' value contains itself");
                self.error(DialectErrorKind::RecursiveAnchor, alias.span(), related, message);
            }
            Some(_) => {}
        }
    }

    fn merge(&mut self, key: Node<'_>, value: Node<'_>) {
        let is_map = |node: Node<'_>| match node.kind() {
            Kind::Alias => node.anchored().is_none_or(|t| t.is_mapping()),
            kind => kind == Kind::Mapping,
        };
        let bad = match value.kind() {
            Kind::Sequence => value.items().find(|i| !is_map(*i)),
            _ => Some(value).filter(|v| !is_map(*v)),
        };
        if let Some(bad) = bad {
            let span = if bad.is_absent() { key.span() } else { bad.span() };
            let message = "map merge requires map or sequence of maps as the value";
            self.error(
                DialectErrorKind::BadMerge,
                span,
                bad.anchored().and_then(|t| t.anchor()).map(|a| a.span),
                message,
            );
        }
    }

    fn key(&mut self, key: Node<'_>) {
        let target = key.anchored().unwrap_or(key);
        match target.kind() {
            Kind::Mapping | Kind::Sequence => {
                self.error(
                    DialectErrorKind::CollectionKey,
                    key.span(),
                    None,
                    "invalid map key",
                );
            }
            _ if is_plainly_text(target) => {}
            _ => self.convert |= bad_key(target).is_some(),
        }
    }

    /// What the conversion to JSON rejects; it sees only what remains after merges and repeated keys.
    fn converted(&mut self, root: Node<'_>) {
        let mut seen = FxHashSet::default();
        let mut with_keys = FxHashSet::default();
        let mut stack = vec![(root, root)];
        while let Some((written, node)) = stack.pop() {
            if !seen.insert(node.id()) {
                continue;
            }
            match node.kind() {
                Kind::Scalar => {
                    if let Ok(Scalar::Float(f)) = scalar(node)
                        && !f.is_finite()
                    {
                        let related = (written != node).then(|| node.span());
                        let message = format!("unsupported value: {}", resolve::float_text(f));
                        self.error(DialectErrorKind::NotJson, written.span(), related, message);
                    }
                }
                Kind::Sequence => stack.extend(node.items().filter_map(|i| Some((i, i.resolve()?)))),
                Kind::Mapping => {
                    self.converted_keys(node, &mut with_keys);
                    for field in fields(node) {
                        stack.extend(field.value.resolve().map(|v| (field.value, v)));
                    }
                }
                Kind::Alias => {}
            }
        }
    }

    /// The keys of a mapping and of everything merged into it, each mapping once.
    fn converted_keys<'t>(&mut self, mapping: Node<'t>, seen: &mut FxHashSet<(u32, u32, u32)>) {
        let mut stack = vec![mapping];
        while let Some(node) = stack.pop() {
            if !seen.insert(node.id()) {
                continue;
            }
            for entry in node.entries() {
                if is_merge(entry.key) {
                    stack.extend(merged(entry.value));
                } else if let Some(kind) = entry.key.resolve().and_then(bad_key) {
                    let span = if entry.key.is_absent() {
                        entry.span()
                    } else {
                        entry.key.span()
                    };
                    let message = format!("unsupported map key of type: {kind}");
                    self.error(DialectErrorKind::BadKey, span, None, message);
                }
            }
        }
    }
}

/// The mappings that the value of a merge key brings in.
fn merged(value: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let value = value.resolve();
    let one = value.filter(|v| v.is_mapping());
    let many = value
        .filter(|v| v.is_sequence())
        .into_iter()
        .flat_map(|v| v.items());
    let many = many.filter_map(|i| i.resolve()).filter(|v| v.is_mapping());
    one.into_iter().chain(many)
}

/// Whether nothing in a document can be rejected, judged from its nodes one by one: no aliases, tags or
/// anchors, keys that are text or short integers, and no value that could be an infinite number. Most documents
/// are like this.
fn is_ordinary(document: Document<'_>) -> bool {
    // `.inf`, `.nan` and the like, by their length; `./path` is text.
    let scalar = |rec: &Rec, text: &str| {
        let first = || text.as_bytes().get(rec.start as usize);
        let odd = matches!(rec.end - rec.start, 4 | 5) && matches!(first(), Some(b'.' | b'+' | b'-'));
        !odd || rec.style() != Style::Plain
    };
    let key = |rec: &Rec, text: &str| match (rec.kind(), rec.style()) {
        (Kind::Scalar, Style::Plain) => {
            let key = Span::new(rec.start, rec.end).slice(text);
            match key.as_bytes().first() {
                Some(b'n' | b'N') => !matches!(key, "null" | "Null" | "NULL"),
                Some(b'0'..=b'9') => key.len() < 10,
                first => first.is_some_and(u8::is_ascii_alphabetic),
            }
        }
        (kind, _) => kind == Kind::Scalar,
    };
    document.pieces().all(|(piece, text)| {
        let recs = &piece.recs;
        let keys = |(at, rec): (usize, &Rec)| {
            let mut next = at + 1;
            while next < rec.next as usize {
                let Some(value) = recs.get(next).filter(|rec| key(rec, text)) else {
                    return false;
                };
                let Some(value) = recs.get(value.next as usize) else {
                    return false;
                };
                next = value.next as usize;
            }
            true
        };
        !piece.aliases
            && piece.props.is_empty()
            && recs.iter().enumerate().all(|(at, rec)| match rec.kind() {
                Kind::Scalar => scalar(rec, text),
                Kind::Mapping => keys((at, rec)),
                Kind::Sequence => true,
                Kind::Alias => false,
            })
    })
}

/// Whether a scalar is text by its first character alone, as most are: neither null nor a number, and without a
/// tag that could not fit.
fn is_plainly_text(scalar: Node<'_>) -> bool {
    let first = scalar.source().bytes().next();
    let letter = first.is_some_and(|b| b.is_ascii_alphabetic() && !matches!(b, b'n' | b'N'));
    letter && scalar.is_scalar() && scalar.tag().is_none()
}

/// The Go type of a key that JSON objects cannot have.
fn bad_key(key: Node<'_>) -> Option<&'static str> {
    match scalar(key) {
        Ok(Scalar::Null) => Some("%!s(<nil>)"),
        Ok(Scalar::Uint(_)) => Some("uint64"),
        _ => None,
    }
}

/// go-yaml counts every node it decodes, and those it decodes through aliases; past a thousand the
/// share of the latter is limited: 99% up to 400,000, falling to 10% at 4,000,000.
fn excessive_aliasing(root: Node<'_>) -> Option<DialectError> {
    const LOW: f64 = 400_000.0;
    const HIGH: f64 = 4_000_000.0;
    // The document counts too.
    let (mut decoded, mut aliased) = (1u32, 0u32);
    let mut stack: Vec<(Node<'_>, Option<Node<'_>>)> = vec![(root, None)];
    while let Some((node, via)) = stack.pop() {
        decoded += 1;
        aliased += u32::from(via.is_some());
        let (all, share) = (f64::from(decoded), f64::from(aliased));
        let allowed = if all <= LOW {
            0.99
        } else if all >= HIGH {
            0.10
        } else {
            0.99 - 0.89 * (all - LOW) / (HIGH - LOW)
        };
        if aliased > 100 && decoded > 1000 && share / all > allowed {
            let alias = via?;
            return Some(DialectError {
                span: alias.span(),
                related: alias.anchored().and_then(|t| t.anchor()).map(|a| a.span),
                kind: DialectErrorKind::ExcessiveAliasing,
                message: "document contains excessive aliasing".to_owned(),
            });
        }
        let first = stack.len();
        match node.kind() {
            Kind::Alias => stack.extend(node.resolve().map(|target| (target, via.or(Some(node))))),
            Kind::Mapping => {
                // The merge key itself is not decoded, nor is the list of a merge.
                for entry in node.entries() {
                    if !is_merge(entry.key) {
                        stack.push((entry.key, via));
                        stack.push((entry.value, via));
                    } else if entry.value.is_sequence() {
                        let from = stack.len();
                        stack.extend(entry.value.items().map(|i| (i, via)));
                        stack.get_mut(from..).unwrap_or_default().reverse();
                    } else {
                        stack.push((entry.value, via));
                    }
                }
            }
            Kind::Sequence => stack.extend(node.items().map(|i| (i, via))),
            Kind::Scalar => {}
        }
        stack.get_mut(first..).unwrap_or_default().reverse();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::parse;

    /// The rejected parts: the reported source, what it is related to, and the message.
    fn refused(text: &str) -> Vec<(String, Option<String>, String)> {
        let tree = parse(text);
        assert_eq!(tree.errors(), []);
        let source = |span: Span| span.slice(text).to_owned();
        let errors = check(tree.first_document().unwrap());
        errors
            .into_iter()
            .map(|e| (source(e.span), e.related.map(source), e.message))
            .collect()
    }

    fn one(text: &str, span: &str, related: Option<&str>, message: &str) {
        assert_eq!(
            refused(text),
            [(span.to_owned(), related.map(str::to_owned), message.to_owned())],
            "{text}"
        );
    }

    #[test]
    fn errors_point_at_the_smallest_node() {
        one("a: *x\nb: &x 1\n", "*x", None, "unknown anchor 'x' referenced");
        one(
            "a: &x [*x]\n",
            "*x",
            Some("&x"),
            "anchor 'x' value contains itself",
        );
        let want = "map merge requires map or sequence of maps as the value";
        one("a: {<<: 1}\n", "1", None, want);
        one("a:\n  <<:\n", "<<", None, want);
        one("x: &x [{}]\na: {<<: *x}\n", "*x", Some("&x"), want);
        one("a: {<<: [{}, 2]}\n", "2", None, want);
        one("? [a]\n: b\n", "[a]", None, "invalid map key");
        one(
            "a: {~: 1}\n",
            "~",
            None,
            "unsupported map key of type: %!s(<nil>)",
        );
        for merged in ["a: {<<: {~: 1}}\n", "a: {<<: [{}, {<<: {~: 1}}]}\n"] {
            one(merged, "~", None, "unsupported map key of type: %!s(<nil>)");
        }
        one(
            "b: &b {~: 1}\nb: {}\na: {<<: *b}\n",
            "~",
            None,
            "unsupported map key of type: %!s(<nil>)",
        );
        one(
            "x: &x .inf\nx: *x\n",
            "*x",
            Some(".inf"),
            "unsupported value: +Inf",
        );
        one(
            "a: !!int x\n",
            "x",
            Some("!!int"),
            "cannot decode !!str `x` as a !!int",
        );
        one(
            "%YAML 1.2\n---\na: 1\n",
            "%YAML 1.2",
            None,
            "found incompatible YAML document",
        );
    }

    #[test]
    fn keys_come_before_values() {
        for text in ["a: .inf\nb: {~: 1}\n", "b: {~: 1}\na: .inf\n"] {
            let found = refused(text);
            assert_eq!(found.len(), 2, "{text}");
            assert!(found[0].2.starts_with("unsupported map key"), "{found:?}");
        }
    }

    #[test]
    fn what_is_replaced_is_never_converted() {
        assert_eq!(refused("a: {~: 1}\na: 2\n"), []);
        assert_eq!(refused("a: .nan\na: 2\n"), []);
        assert_eq!(refused("a: {<<: {b: .nan}, b: 1}\n"), []);
    }
}
