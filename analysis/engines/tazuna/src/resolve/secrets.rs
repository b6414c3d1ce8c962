//! The secret references that a manifest of type `genesissecret` leads to (Tazuna G5, schema).

use super::Run;
use crate::facts::{Manifest, Reference, rebased, references};
use crate::verdict::{Found, Rejected};
use applyorder_core::config::TazunaGeneration;
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::files::join_clean;
use applyorder_core::rules::invalid_value;
use applyorder_syntax::template::quote;

/// The first reference that Tazuna rejects. A file that cannot be read or parsed is none of its concern.
pub(super) fn check(
    run: &Run<'_, '_>,
    manifest: &Manifest,
    base: u32,
    subject: &str,
    wrap: &dyn Fn(&str) -> String,
) -> Option<Found> {
    let kind = Manifest::text(manifest.kind.as_ref());
    let path = manifest.path.as_ref().filter(|p| !p.text.is_empty())?;
    if kind != "genesissecret" || run.generation < TazunaGeneration::G5 {
        return None;
    }
    let (file, source) = run.cx.source(&join_clean(run.dir, &path.text)).ok()?;
    let bad = |r: Reference| problem(&r.uri).map(|problem| (r, problem));
    let (Reference { index, uri, span }, problem) = references(file, run.cx.engine_index(), &source.text)
        .into_iter()
        .find_map(bad)?;
    let d = Diagnostic::new(
        &invalid_value::RULE,
        rebased(path.place, base),
        format!("`{}` holds a secret reference that Tazuna rejects: `{uri}`", path.text),
    )
    .related(Place::span(file, span), "the reference")
    .note("it must be `op://<host>/<vault>/<item>`")
    .engine_message(wrap(&format!(
        "genesissecret validation failed for manifest {}: secrets[{index}].uri validation failed: 1Password URI \
         {} {problem}",
        path.text,
        quote(&uri)
    )));
    Some(Found::rejected(Rejected::default(), d, subject).detail("field", "uri"))
}

const MALFORMED: &str = "is malformed, expected format is op://<host>/<vault>/<item>";

/// What is wrong with a reference, in Tazuna's words.
fn problem(uri: &str) -> Option<&'static str> {
    const SCHEME: &str = "must use op:// scheme, expected format is op://<host>/<vault>/<item>";
    let broken = uri.bytes().any(|b| b < b' ' || b == 0x7f) || has_bad_escape(uri);
    let (scheme, rest) = uri.split_once(':').unwrap_or(("", uri));
    let named = scheme.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    if broken || (!named && uri.contains(':') && !uri.split('/').next().unwrap_or("").is_empty()) {
        return Some(MALFORMED);
    }
    if !named || !scheme.eq_ignore_ascii_case("op") {
        return Some(SCHEME);
    }
    let rest = rest.split('#').next().unwrap_or("");
    let rest = rest.split('?').next().unwrap_or("");
    let Some(rest) = rest.strip_prefix("//") else {
        return Some(MALFORMED);
    };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or("");
    let path = path.replace("%2F", "/").replace("%2f", "/");
    let parts: Vec<&str> = path.split('/').collect();
    let good = !host.is_empty()
        && !host.contains([' ', '"', '<', '>', '\\', '^', '`', '{', '|', '}'])
        && matches!(parts.as_slice(), [vault, item] if !vault.is_empty() && !item.is_empty());
    (!good).then_some(MALFORMED)
}

fn has_bad_escape(uri: &str) -> bool {
    uri.split('%').skip(1).any(|rest| {
        let two = rest.as_bytes().get(..2).unwrap_or_default();
        two.len() < 2 || !two.iter().all(u8::is_ascii_hexdigit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_host_vault_and_item() {
        assert_eq!(problem("op://my.1password.com/vault/item"), None);
        assert_eq!(problem("OP://h/v/i?x=1#y"), None);
        for bad in [
            "op://vault/item",
            "op:///v/i",
            "op://h/v/i/f",
            "op:h/v/i",
            "op://h/v",
            "op://h//i",
            "op://h/v/i/",
            "op://h/a%2Fb/i",
            "op://h/%zz/i",
        ] {
            assert_eq!(problem(bad), Some(MALFORMED), "{bad}");
        }
        for other in ["", "https://h/v/i", "h/v/i"] {
            assert!(
                problem(other).is_some_and(|p| p.starts_with("must use op://")),
                "{other}"
            );
        }
    }
}
