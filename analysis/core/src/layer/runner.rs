//! Runs the checks of an engine's rules, from one list.

use super::finding::Finding;
use crate::diagnostic::Rule;

/// What the checks of an engine look at.
pub trait Scopes {
    /// One source: what brings it in, its content, the outcome of its references. Everything a check sees
    /// through it is part of the source's fingerprint.
    type Source<'a>;
    /// The project as a whole.
    type Project<'a>;
}

/// A rule as an engine lists it.
pub struct Listed<S: Scopes + ?Sized> {
    /// The rule.
    pub rule: &'static Rule,
    /// How the engine checks it.
    pub check: Check<S>,
    /// Whether its findings in a source are independent of the rest of the project.
    is_certain: bool,
}

/// How an engine checks a rule.
pub enum Check<S: Scopes + ?Sized> {
    /// In each source by itself.
    Source(for<'a> fn(&S::Source<'a>, &mut Vec<Finding>)),
    /// In the project as a whole.
    Project(for<'a> fn(&S::Project<'a>, &mut Vec<Finding>)),
    /// On the state of the project, when the user stops typing.
    Idle,
    /// Found by the check of another rule, or by the layer.
    Elsewhere,
}

impl<S: Scopes> Listed<S> {
    /// A rule that is checked in each source.
    pub const fn source(rule: &'static Rule, check: for<'a> fn(&S::Source<'a>, &mut Vec<Finding>)) -> Self {
        Self {
            rule,
            check: Check::Source(check),
            is_certain: false,
        }
    }

    /// Its findings in a source are independent of the rest of the project.
    #[must_use]
    pub const fn certain(mut self) -> Self {
        self.is_certain = true;
        self
    }

    /// A rule that is checked on the project as a whole.
    pub const fn project(rule: &'static Rule, check: for<'a> fn(&S::Project<'a>, &mut Vec<Finding>)) -> Self {
        Self {
            rule,
            check: Check::Project(check),
            is_certain: false,
        }
    }

    /// A rule that is checked when the user stops typing.
    pub const fn idle(rule: &'static Rule) -> Self {
        Self {
            rule,
            check: Check::Idle,
            is_certain: false,
        }
    }

    /// A rule whose findings come from another rule's check, or from the layer.
    pub const fn elsewhere(rule: &'static Rule) -> Self {
        Self {
            rule,
            check: Check::Elsewhere,
            is_certain: false,
        }
    }
}

/// The findings of all rules in one source, in the order of the list.
pub fn check_source<S: Scopes>(rules: &[Listed<S>], scope: &S::Source<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for listed in rules {
        if let Check::Source(check) = listed.check {
            check(scope, &mut found);
        }
    }
    found
}

/// Those of them that are independent of the rest of the project.
pub fn check_certain<S: Scopes>(rules: &[Listed<S>], scope: &S::Source<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for listed in rules.iter().filter(|listed| listed.is_certain) {
        if let Check::Source(check) = listed.check {
            check(scope, &mut found);
        }
    }
    found
}

/// The findings of all rules that check the project as a whole, in the order of the list.
pub fn check_project<S: Scopes>(rules: &[Listed<S>], scope: &S::Project<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for listed in rules {
        if let Check::Project(check) = listed.check {
            check(scope, &mut found);
        }
    }
    found
}

/// The number of listed rules that only one engine has (`own`), or that are shared.
#[must_use]
pub const fn count_rules<S: Scopes + ?Sized>(listed: &[Listed<S>], own: bool) -> usize {
    let (mut rest, mut count) = (listed, 0);
    while let [before @ .., last] = rest {
        count += is_first(before, last.rule, own) as usize;
        rest = before;
    }
    count
}

/// Each of these rules once, in the order of the list: what an engine's [`crate::engine::EngineMeta`] names. `N` is their
/// number, see [`count_rules`].
#[must_use]
pub const fn rules_listed<S: Scopes + ?Sized, const N: usize>(
    listed: &[Listed<S>],
    own: bool,
) -> [&'static Rule; N] {
    let mut out = [&crate::rules::cycle::RULE; N];
    let (mut rest, mut left) = (listed, N);
    while let [before @ .., last] = rest {
        if is_first(before, last.rule, own) {
            left = left.saturating_sub(1);
            if let Some((_, [slot, ..])) = out.split_at_mut_checked(left) {
                *slot = last.rule;
            }
        }
        rest = before;
    }
    out
}

/// Whether a rule is one of these, and not in what is listed before it.
const fn is_first<S: Scopes + ?Sized>(mut before: &[Listed<S>], rule: &Rule, own: bool) -> bool {
    while let [rest @ .., last] = before {
        if is_same(last.rule.id.as_bytes(), rule.id.as_bytes()) {
            return false;
        }
        before = rest;
    }
    is_own(rule.id.as_bytes()) == own
}

/// Whether an id is `ENGINE/idea`.
const fn is_own(mut id: &[u8]) -> bool {
    while let [first, rest @ ..] = id {
        if *first == b'/' {
            return true;
        }
        id = rest;
    }
    false
}

const fn is_same(mut one: &[u8], mut other: &[u8]) -> bool {
    while let ([a, left @ ..], [b, right @ ..]) = (one, other) {
        if *a != *b {
            return false;
        }
        (one, other) = (left, right);
    }
    one.is_empty() && other.is_empty()
}
