//! Which names Tazuna accepts (Tazuna G5, names), and which it would give.

use std::fmt;

use crate::config::TazunaGeneration;
use applyorder_syntax::template::quote;

/// The longest name, in bytes.
const LONGEST: usize = 240;
/// The one word that is taken.
const RESERVED: &str = "_metadata";

/// What is wrong with a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Problem {
    /// There is none.
    Missing,
    /// It is the reserved word.
    Reserved,
    /// It has more bytes than are allowed.
    TooLong,
    /// It has characters that are not allowed, or not there.
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

/// A problem with a name, as Tazuna words it behind `manifest[i]: `.
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

/// What is wrong with a name in a generation; the first of several problems.
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

/// The letters that a name may keep: `A-Z` lowered, everything else made `-`, and `-` taken off both ends.
fn kept(text: &str) -> String {
    let chars = text.chars().map(|c| match c.to_ascii_lowercase() {
        c @ ('a'..='z' | '0'..='9' | '-') => c,
        _ => '-',
    });
    let text: String = chars.collect();
    text.trim_matches('-').to_owned()
}

/// The name that `tazuna check --fix` gives to a manifest without one.
pub(super) fn given(kind: &str, path: &str, taken: impl Fn(&str) -> bool) -> String {
    let clean = applyorder_core::files::clean(path);
    let last = kept(clean.as_str().rsplit('/').next().unwrap_or(""));
    let base = match (kind, &*last) {
        (kind, "") => kind.to_owned(),
        ("", last) => last.to_owned(),
        (kind, last) => format!("{kind}-{last}"),
    };
    unique(&base, taken)
}

/// An acceptable name as near as can be to one that is not; `None` where nothing is left of it.
pub(super) fn mended(name: &str, taken: impl Fn(&str) -> bool) -> Option<String> {
    let mut base = kept(name);
    base.truncate(LONGEST - 4);
    let base = base.trim_matches('-');
    (!base.is_empty()).then(|| unique(base, taken))
}

/// The name, or the first of `name-2`, `name-3`, ... that is not taken.
pub(super) fn unique(name: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(name) {
        return name.to_owned();
    }
    let mut number = 2u64;
    loop {
        let next = format!("{name}-{number}");
        if !taken(&next) {
            return next;
        }
        number += 1;
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
        let none = |_: &str| false;
        assert_eq!(given("kustomize", "./apps/My App/", none), "kustomize-my-app");
        assert_eq!(given("oras", ".", none), "oras");
        assert_eq!(given("oras", "/", none), "oras");
        assert_eq!(given("helmfile", "a/../x", |n| n == "helmfile-x"), "helmfile-x-2");
    }

    #[test]
    fn names_are_mended() {
        let none = |_: &str| false;
        assert_eq!(mended("Cert_Manager", none).as_deref(), Some("cert-manager"));
        assert_eq!(mended("_-", none), None);
        assert_eq!(mended("A", |n| n == "a").as_deref(), Some("a-2"));
    }
}
