//! Runs the checks of an engine's rules, from one list.

use super::finding::Finding;
use crate::diagnostic::Rule;

/// What the checks of an engine look at.
pub trait Scopes {
    /// One source: what brings it in, its piece, the outcome of its references. Whatever a check sees through it is
    /// part of the source's fingerprint.
    type Source<'a>;
    /// The project as a whole.
    type Project<'a>;
}

/// A rule as an engine lists it.
pub struct Listed<S: Scopes + ?Sized> {
    /// The rule.
    pub rule: &'static Rule,
    /// How the engine looks for it.
    pub check: Check<S>,
}

/// How an engine looks for what a rule names.
pub enum Check<S: Scopes + ?Sized> {
    /// In each source by itself.
    Source(for<'a> fn(&S::Source<'a>, &mut Vec<Finding>)),
    /// In the project as a whole.
    Project(for<'a> fn(&S::Project<'a>, &mut Vec<Finding>)),
    /// In the state of the project, when nobody edits.
    Idle,
    /// It is found on the way of another rule's check, or by the layer.
    Elsewhere,
}

impl<S: Scopes> Listed<S> {
    /// A rule that is looked for in each source.
    pub const fn source(rule: &'static Rule, check: for<'a> fn(&S::Source<'a>, &mut Vec<Finding>)) -> Self {
        Self {
            rule,
            check: Check::Source(check),
        }
    }

    /// A rule that is looked for in the project as a whole.
    pub const fn project(rule: &'static Rule, check: for<'a> fn(&S::Project<'a>, &mut Vec<Finding>)) -> Self {
        Self {
            rule,
            check: Check::Project(check),
        }
    }

    /// A rule that is looked for when nobody edits.
    pub const fn idle(rule: &'static Rule) -> Self {
        Self {
            rule,
            check: Check::Idle,
        }
    }

    /// A rule that is found on the way of another rule's check, or by the layer.
    pub const fn elsewhere(rule: &'static Rule) -> Self {
        Self {
            rule,
            check: Check::Elsewhere,
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

/// The findings of all rules that look at the project as a whole, in the order of the list.
pub fn check_project<S: Scopes>(rules: &[Listed<S>], scope: &S::Project<'_>) -> Vec<Finding> {
    let mut found = Vec::new();
    for listed in rules {
        if let Check::Project(check) = listed.check {
            check(scope, &mut found);
        }
    }
    found
}
