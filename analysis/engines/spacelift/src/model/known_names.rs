//! Names that are declared, in which unknown ones are looked for.

use std::cell::Cell;

use applyorder_core::memo::Budget;
use applyorder_core::nearest::{Signature, nearest_within};

/// The maximum number of unknown names that are compared with what a module declares: a suggestion is optional.
const MOST_COMPARED: usize = 500;

/// Steps that all of them together may take.
const MOST_STEPS: u64 = 400_000_000;

/// Names of one kind.
pub(crate) struct KnownNames<'a> {
    names: Vec<&'a str>,
    signatures: Vec<Signature>,
}

impl<'a> FromIterator<&'a str> for KnownNames<'a> {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let names: Vec<&str> = names.into_iter().collect();
        let signatures = names.iter().copied().map(Signature::of).collect();
        Self { names, signatures }
    }
}

/// For how many unknown names a similar one was searched for.
pub(crate) struct Compared {
    names: Cell<usize>,
    budget: Cell<Budget>,
}

impl Default for Compared {
    fn default() -> Self {
        Self {
            names: Cell::default(),
            budget: Cell::new(Budget::new(MOST_STEPS)),
        }
    }
}

impl Compared {
    /// The name among known ones that was probably meant.
    pub(crate) fn nearest<'n>(&self, word: &str, known: &KnownNames<'n>) -> Option<&'n str> {
        let name = |at: usize| known.names.get(at).copied().unwrap_or_default();
        self.nearest_of(word, &known.signatures, name)
    }

    /// The same among names that have numbers, by which their signatures are listed.
    pub(crate) fn nearest_of<'n>(
        &self,
        word: &str,
        signatures: &[Signature],
        name: impl Fn(usize) -> &'n str,
    ) -> Option<&'n str> {
        let earlier = self.names.replace(self.names.get().saturating_add(1));
        if earlier >= MOST_COMPARED {
            return None;
        }
        let mut budget = self.budget.get();
        let signature = |at: usize| signatures.get(at).copied().unwrap_or(Signature::none());
        let near = nearest_within(word, signatures.len(), signature, name, &mut budget);
        self.budget.set(budget);
        near
    }
}

#[cfg(test)]
mod tests {
    use super::{Compared, KnownNames};

    #[test]
    fn what_many_words_take_together_is_limited() {
        // Names without a common prefix, each of which needs many edits.
        let name = |at: u32, rest: &str| {
            let digits: String = format!("{at:06b}").chars().rev().collect();
            format!("{digits}{}", rest.repeat(40))
        };
        let known: Vec<String> = (0..2_000).map(|at| name(at, "abcde")).collect();
        let known: KnownNames<'_> = known.iter().map(String::as_str).collect();
        let compared = Compared::default();
        let suggested = (0..200).filter(|at| compared.nearest(&name(*at, "edbca"), &known).is_some());
        assert!(suggested.count() < 200);
        assert!(compared.budget.get().is_spent());
    }
}
