//! The secret references of a manifest of type `genesissecret` (Tazuna G5, schema).

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
use applyorder_syntax::go::url;
use applyorder_syntax::template::quote;

/// A reference that Tazuna rejects.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct SecretError {
    /// Its number in its file.
    pub(crate) index: usize,
    pub(crate) uri: String,
    pub(crate) place: Place,
    /// Tazuna's message.
    pub(crate) problem: String,
}

#[derive(PartialEq, Eq, Hash)]
struct SecretKey(FileId, Arc<str>);

/// The first rejected reference of each manifest with rejected references, by part and number of the entry.
pub(super) fn of(pass: &Pass<'_>, setting: &Setting, parts: &[Part]) -> Vec<((u32, u32), SecretError)> {
    let mut found = Vec::new();
    if setting.generation < TazunaGeneration::G5 {
        return found;
    }
    let with_secrets = parts.iter().enumerate().filter(|(_, p)| p.brief.has_secrets);
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

/// Tazuna ignores a file that cannot be read or parsed.
fn of_unit(pass: &Pass<'_>, setting: &Setting, part: &Part, unit: &FileUnit) -> Option<SecretError> {
    let (item, _) = part.piece.item(unit)?;
    let path = item.manifest.path.as_ref().filter(|p| !p.text.is_empty())?;
    let (file, source) = pass.cx.source(&join_clean(&setting.dir, &path.text)).ok()?;
    let bad = pass.cx.memo().get(SecretKey(file, source.text.clone()), || {
        let bad = |r: Reference| problem(&r.uri).map(|problem| (r, problem));
        let (Reference { index, uri, span }, problem) =
            references(file, pass.cx.engine_index(), &source.text)
                .into_iter()
                .find_map(bad)?;
        Some(SecretError {
            index,
            uri,
            place: Place::span(file, span),
            problem,
        })
    });
    Option::clone(&bad)
}

/// Tazuna's message about a rejected reference (`url.Parse`, then scheme, host and a path of two parts).
fn problem(uri: &str) -> Option<String> {
    const EXPECTED: &str = "expected format is op://<host>/<vault>/<item>";
    let shown = quote(uri);
    let url = match url::parse(uri) {
        Ok(url) => url,
        Err(error) => return Some(format!("invalid 1Password URI {shown}: {error}")),
    };
    if url.scheme != "op" {
        return Some(format!("1Password URI {shown} must use op:// scheme, {EXPECTED}"));
    }
    let path = url.path.strip_prefix(b"/").unwrap_or(&url.path);
    let mut parts = path.split(|b| *b == b'/');
    let is_two = matches!(
        (parts.next(), parts.next(), parts.next()),
        (Some([_, ..]), Some([_, ..]), None)
    );
    (url.host.is_empty() || !is_two).then(|| format!("1Password URI {shown} is malformed, {EXPECTED}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_have_host_vault_and_item() {
        for good in [
            "op://my.1password.com/vault/item",
            "OP://h/v/i?x=1#y",
            "op://</v/i",
            "op://h/v/i?%",
            "op://h/v/i#\u{7f}",
            "op://h:80/v/%C3",
        ] {
            assert_eq!(problem(good), None, "{good}");
        }
        for bad in [
            "op://vault/item",
            "op:///v/i",
            "op://h/v/i/f",
            "op:h/v/i",
            "op://h/v",
            "op://h//i",
            "op://h/v/i/",
            "op://h/a%2Fb/i",
        ] {
            let text = format!(
                "1Password URI \"{bad}\" is malformed, expected format is op://<host>/<vault>/<item>"
            );
            assert_eq!(problem(bad), Some(text), "{bad}");
        }
        for other in ["", "https://h/v/i", "h/v/i"] {
            assert!(
                problem(other).is_some_and(|p| p.contains("must use op:// scheme")),
                "{other}"
            );
        }
    }

    /// As in the message of Go 1.26's `url.Parse`.
    #[test]
    fn an_invalid_url_is_reported_as_go_does() {
        for (uri, why) in [
            ("op://h:x/v/i", "invalid port \":x\" after host"),
            ("op://[/v/i", "missing ']' in host"),
            ("op://%20/v/i", "invalid URL escape \"%20\""),
            ("op://h/%zz/i", "invalid URL escape \"%zz\""),
            (":/", "missing protocol scheme"),
        ] {
            let text = format!("invalid 1Password URI \"{uri}\": parse \"{uri}\": {why}");
            assert_eq!(problem(uri), Some(text), "{uri}");
        }
        assert!(problem("op://@[v1]/v/i").is_some_and(|p| p.starts_with("invalid 1Password URI")));
        assert!(problem("op://h/v/\u{1}").is_some_and(|p| p.ends_with("invalid control character in URL")));
    }
}
