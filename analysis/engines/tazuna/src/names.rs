//! Which names Tazuna accepts (Tazuna G5, names), and which it would generate.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::config::TazunaGeneration;
use applyorder_syntax::template::quote;

/// The longest name, in bytes.
const LONGEST: usize = 240;
/// The only reserved word.
const RESERVED: &str = "_metadata";

/// The error in a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// It is missing.
    Missing,
    /// It is the reserved word.
    Reserved,
    /// It has more bytes than are allowed.
    TooLong,
    /// It has characters that are not allowed, or not allowed at their position.
    Characters,
}

impl Problem {
    /// One word for reports.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::Reserved => "reserved",
            Self::TooLong => "too-long",
            Self::Characters => "characters",
        }
    }
}

/// A problem with a name, as Tazuna's message after `manifest[i]: `.
pub(super) struct Words<'a>(
    pub(super) Problem,
    pub(super) &'a str,
    pub(super) TazunaGeneration,
);

impl fmt::Display for Words<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(problem, name, generation) = self;
        let (bytes, name) = (name.len(), quote(name));
        match problem {
            Problem::Missing => write!(f, "name is required"),
            Problem::Reserved => write!(f, "name {name} is reserved"),
            Problem::TooLong => write!(f, "name {name} is too long ({bytes} chars, max {LONGEST})"),
            Problem::Characters if *generation == TazunaGeneration::G5 => write!(
                f,
                "name {name} contains invalid characters (allowed: lowercase a-z0-9 and '-', must start and \
                 end with an alphanumeric)"
            ),
            Problem::Characters => write!(
                f,
                "name {name} contains invalid characters (allowed: a-zA-Z0-9_-)"
            ),
        }
    }
}

/// The error in a name in a generation; the first of several.
pub(super) fn problem(name: &str, generation: TazunaGeneration) -> Option<Problem> {
    let bytes = name.as_bytes();
    if name.is_empty() {
        return Some(Problem::Missing);
    }
    if name == RESERVED {
        return Some(Problem::Reserved);
    }
    let good = if generation == TazunaGeneration::G5 {
        if bytes.len() > LONGEST {
            return Some(Problem::TooLong);
        }
        let edge = |b: Option<&u8>| b.is_some_and(|b| *b != b'-');
        bytes
            .iter()
            .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'))
            && edge(bytes.first())
            && edge(bytes.last())
    } else {
        bytes
            .iter()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
    };
    (!good).then_some(Problem::Characters)
}

/// The letters that a name may keep: `A-Z` in lower case, everything else replaced by `-`, and `-` removed from
/// both ends.
fn kept(text: &str) -> String {
    let chars = text.chars().map(|c| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '-') => c,
        _ => '-',
    });
    let text: String = chars.collect();
    text.trim_matches('-').to_owned()
}

/// Unused names, generated one by one.
#[derive(Default)]
pub(super) struct Fresh {
    given: FxHashSet<String>,
    /// By name the number that is tried next: all before it are taken, and remain taken.
    next: FxHashMap<String, u64>,
}

impl Fresh {
    /// The name that `tazuna check --fix` generates for a manifest without one; `None` if it has no input for
    /// it.
    pub(super) fn given(&mut self, kind: &str, path: &str, taken: impl Fn(&str) -> bool) -> Option<String> {
        self.give(&base(kind, path), taken)
    }

    /// A valid name as close as possible to an invalid one; `None` if nothing of it remains.
    pub(super) fn mended(&mut self, name: &str, taken: impl Fn(&str) -> bool) -> Option<String> {
        let mut base = kept(name);
        base.truncate(LONGEST - 4);
        self.give(base.trim_matches('-'), taken)
    }

    fn give(&mut self, base: &str, taken: impl Fn(&str) -> bool) -> Option<String> {
        if base.is_empty() {
            return None;
        }
        let name = self.free(base, taken);
        self.given.insert(name.clone());
        Some(name)
    }

    /// The name, or the first of `name-2`, `name-3`, ... that is neither taken nor generated. Does not reserve
    /// it.
    pub(super) fn free(&mut self, name: &str, taken: impl Fn(&str) -> bool) -> String {
        let is_free = |name: &str| !self.given.contains(name) && !taken(name);
        if is_free(name) {
            return name.to_owned();
        }
        let mut number = self.next.get(name).copied().unwrap_or(2);
        let found = loop {
            let next = format!("{name}-{number}");
            if is_free(&next) {
                break next;
            }
            number += 1;
        };
        self.next.insert(name.to_owned(), number);
        found
    }
}

/// The name that `tazuna check --fix` generates from a type and a path.
fn base(kind: &str, path: &str) -> String {
    let clean = applyorder_core::files::clean(path);
    let last = kept(clean.as_str().rsplit('/').next().unwrap_or(""));
    match (kind, &*last) {
        (kind, "") => kind.to_owned(),
        ("", last) => last.to_owned(),
        (kind, last) => format!("{kind}-{last}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use TazunaGeneration::{G1, G5};

    #[test]
    fn each_generation_has_its_rule() {
        let long = "a".repeat(241);
        for (name, today, before) in [
            ("cni", None, None),
            ("0-x", None, None),
            ("", Some(Problem::Missing), Some(Problem::Missing)),
            ("_metadata", Some(Problem::Reserved), Some(Problem::Reserved)),
            ("Up_per", Some(Problem::Characters), None),
            ("-a", Some(Problem::Characters), None),
            ("a-", Some(Problem::Characters), None),
            ("-", Some(Problem::Characters), None),
            ("a.b", Some(Problem::Characters), Some(Problem::Characters)),
            ("abc\n", Some(Problem::Characters), Some(Problem::Characters)),
            ("日本", Some(Problem::Characters), Some(Problem::Characters)),
            (&long, Some(Problem::TooLong), None),
            (&long[1..], None, None),
        ] {
            assert_eq!(problem(name, G5), today, "{name}");
            assert_eq!(problem(name, G1), before, "{name}");
        }
        assert_eq!(problem(&"É".repeat(121), G5), Some(Problem::TooLong));
    }

    #[test]
    fn names_are_given_as_check_fix_gives_them() {
        let given = |kind, path, taken: &str| Fresh::default().given(kind, path, |n| n == taken);
        for (kind, path, name) in [
            ("kustomize", "./apps/My App/", Some("kustomize-my-app")),
            ("oras", ".", Some("oras")),
            ("oras", "/", Some("oras")),
            ("helmfile", "a/../x", Some("helmfile-x-2")),
            ("", "", None),
        ] {
            assert_eq!(given(kind, path, "helmfile-x").as_deref(), name, "{kind} {path}");
        }
    }

    #[test]
    fn invalid_names_are_replaced() {
        let mended = |name, taken: &str| Fresh::default().mended(name, |n| n == taken);
        assert_eq!(mended("Cert_Manager", "").as_deref(), Some("cert-manager"));
        assert_eq!(mended("_-", ""), None);
        assert_eq!(mended("A", "a").as_deref(), Some("a-2"));
    }

    #[test]
    fn no_name_is_given_twice_and_none_is_tried_twice() {
        let tried = std::cell::Cell::new(0);
        let taken = |name: &str| {
            tried.set(tried.get() + 1);
            name == "a" || name == "a-3"
        };
        let mut fresh = Fresh::default();
        let names: Vec<String> = (0..1_000).filter_map(|_| fresh.mended("a", taken)).collect();
        assert_eq!(names[..3], ["a-2", "a-4", "a-5"]);
        assert_eq!(names.iter().collect::<FxHashSet<_>>().len(), 1_000);
        assert!(tried.get() < 4_000, "{}", tried.get());
        assert_eq!(fresh.free("a", taken), fresh.free("a", taken));
    }
}
