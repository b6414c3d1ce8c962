//! The secret references that a manifest of type `genesissecret` leads to (Tazuna G5, schema).

use std::sync::Arc;

use super::{FileUnit, Part};
use crate::config::TazunaGeneration;
use crate::count;
use crate::load::Setting;
use crate::read::{Reference, references};
use applyorder_core::diagnostic::FileId;
use applyorder_core::diagnostic::Place;
use applyorder_core::files::join_clean;
use applyorder_core::layer::Pass;

/// A reference that Tazuna rejects.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct BadSecret {
    /// Its number in its file.
    pub(crate) index: usize,
    pub(crate) uri: String,
    pub(crate) place: Place,
    /// What is wrong with it, in Tazuna's words.
    pub(crate) problem: &'static str,
}

#[derive(PartialEq, Eq, Hash)]
struct SecretKey(FileId, Arc<str>);

/// The first reference that Tazuna rejects of each manifest that leads to such, by part and number of the entry.
pub(super) fn of(pass: &Pass<'_>, setting: &Setting, parts: &[Part]) -> Vec<((u32, u32), BadSecret)> {
    let mut found = Vec::new();
    if setting.generation < TazunaGeneration::G5 {
        return found;
    }
    let with_secrets = parts
        .iter()
        .enumerate()
        .filter(|(_, p)| !p.piece.secrets.is_empty());
    for (number, part) in with_secrets {
        for unit in &part.piece.units {
            if part.piece.secrets.binary_search(&unit.item).is_ok()
                && let Some(bad) = of_unit(pass, setting, part, unit)
            {
                found.push(((count(number), unit.item), bad));
            }
        }
    }
    found
}

/// A file that cannot be read or parsed is none of Tazuna's concern.
fn of_unit(pass: &Pass<'_>, setting: &Setting, part: &Part, unit: &FileUnit) -> Option<BadSecret> {
    let (item, _) = part.piece.item(unit)?;
    let path = item.manifest.path.as_ref().filter(|p| !p.text.is_empty())?;
    let (file, source) = pass.cx.source(&join_clean(&setting.dir, &path.text)).ok()?;
    let bad = pass.cx.memo().get(SecretKey(file, source.text.clone()), || {
        let bad = |r: Reference| problem(&r.uri).map(|problem| (r, problem));
        let (Reference { index, uri, span }, problem) =
            references(file, pass.cx.engine_index(), &source.text)
                .into_iter()
                .find_map(bad)?;
        Some(BadSecret {
            index,
            uri,
            place: Place::span(file, span),
            problem,
        })
    });
    Option::clone(&bad)
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
