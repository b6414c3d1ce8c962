//! The name that was probably meant.

use crate::memo::Budget;

/// Longer names, in bytes, are only suggested if they differ in case only or by one edit.
const MAX_NAME: usize = 256;

/// The budget of one word whose caller has none.
const ONE_WORD: u64 = 20_000_000;

/// A cheap summary of a name: its length and its letters. Two signatures give a lower bound of the distance
/// between two names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// How often letters of 16 classes occur, four bits for each.
    letters: u64,
    len: u32,
    ascii: bool,
}

impl Signature {
    /// The signature of a name.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let mut letters = 0u64;
        for byte in name.bytes() {
            let shift = u32::from(byte & 15) * 4;
            if letters >> shift & 15 < 15 {
                letters += 1 << shift;
            }
        }
        Self {
            letters,
            len: u32::try_from(name.len()).unwrap_or(u32::MAX),
            ascii: name.is_ascii(),
        }
    }

    /// A signature that is near no name.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            letters: 0,
            len: u32::MAX,
            ascii: true,
        }
    }

    /// The least number of edits between two names: one edit changes the length by at most one, brings in
    /// at most one letter and takes away at most one.
    fn least(self, other: Self) -> usize {
        let lengths = self.len.abs_diff(other.len) as usize;
        if !self.ascii || !other.ascii {
            return lengths / 4;
        }
        if self.letters == other.letters {
            return lengths;
        }
        let (own, others) = (self.counts(), other.counts());
        let surplus =
            |a: [u8; 16], b: [u8; 16]| a.iter().zip(b).map(|(a, b)| a.saturating_sub(b)).sum::<u8>();
        let letters = surplus(own, others).max(surplus(others, own));
        usize::from(letters).max(lengths)
    }

    /// How often letters of each class occur, at most 15 times: a sum of them is a byte too.
    fn counts(self) -> [u8; 16] {
        const EVEN: u64 = 0x0f0f_0f0f_0f0f_0f0f;
        let mut counts = [0; 16];
        let (low, high) = counts.split_at_mut(8);
        low.copy_from_slice(&(self.letters & EVEN).to_le_bytes());
        high.copy_from_slice(&(self.letters >> 4 & EVEN).to_le_bytes());
        counts
    }
}

/// The known name nearest to `word`: equal but for case first, then by edit distance up to a third of
/// the word's length (at least one), then in byte order. `None` where nothing is near.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let known: Vec<(Signature, &str)> = known.into_iter().map(|n| (Signature::of(n), n)).collect();
    let at = |i: usize| known.get(i).map(|(s, _)| *s).unwrap_or_default();
    nearest_of(word, known.len(), at, |i| known.get(i).map_or("", |(_, n)| n))
}

/// The question at the end of a message about an unknown word.
pub fn question(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

/// Like [`nearest`], among `count` names whose signatures are known.
pub fn nearest_of<'a>(
    word: &str,
    count: usize,
    signature: impl Fn(usize) -> Signature,
    name: impl Fn(usize) -> &'a str,
) -> Option<&'a str> {
    nearest_within(word, count, signature, name, &mut Budget::new(ONE_WORD))
}

/// Like [`nearest_of`], on a budget that several words share: about a step for each name, and for each pair of
/// characters of two names that are compared. Also `None` if the budget is spent: a suggestion is optional.
pub fn nearest_within<'a>(
    word: &str,
    count: usize,
    signature: impl Fn(usize) -> Signature,
    name: impl Fn(usize) -> &'a str,
    budget: &mut Budget,
) -> Option<&'a str> {
    if !budget.spend(steps(count).saturating_add(steps(word.len()))) {
        return None;
    }
    let limit = (word.chars().count() / 3).max(1);
    let own = Signature::of(word);
    // The smaller the distance, the fewer names need to be compared.
    let mut near: Vec<(usize, usize)> = Vec::new();
    let mut best: Option<(usize, &str)> = None;
    for i in 0..count {
        let theirs = signature(i);
        let least = own.least(theirs);
        if least > limit {
            continue;
        }
        if !budget.spend(1 + u64::from(theirs.len) / 16) {
            return None;
        }
        // Most names are skipped: their signatures show that they are too far.
        let name = if least > 1 {
            None
        } else {
            Some(name(i)).filter(|name| *name != word)
        };
        if let Some(name) = name
            && let Some(distance) = at_most_one(word, name)
        {
            best = best.min_by_distance(distance, name);
        } else if best.is_none() && (least > 1 || name.is_some()) {
            near.push((least, i));
        }
    }
    // Edit distances of long names are not computed: that takes the product of their lengths.
    let farthest = if word.len() > MAX_NAME { 1 } else { limit };
    for distance in 2..=farthest {
        if budget.is_spent() {
            return None;
        }
        if best.is_some_and(|(d, _)| d < distance) {
            break;
        }
        near.retain(|(least, i)| {
            if *least > distance {
                return true;
            }
            let name = name(*i);
            if name.len() > MAX_NAME || !budget.spend(steps(word.len()) * steps(name.len())) {
                return false;
            }
            let found = edits(word, name);
            if found <= limit {
                best = best.min_by_distance(found, name);
            }
            false
        });
    }
    if budget.is_spent() {
        return None;
    }
    best.map(|(_, name)| name)
}

fn steps(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

trait Best<'a> {
    fn min_by_distance(self, distance: usize, name: &'a str) -> Self;
}

impl<'a> Best<'a> for Option<(usize, &'a str)> {
    fn min_by_distance(self, distance: usize, name: &'a str) -> Self {
        match self {
            Some(known) if known <= (distance, name) => Some(known),
            _ => Some((distance, name)),
        }
    }
}

/// Both words without their common prefix and suffix.
fn differing<'a, 'b>(a: &'a [u8], b: &'b [u8]) -> (&'a [u8], &'b [u8]) {
    let same = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (
        a.get(same..).unwrap_or_default(),
        b.get(same..).unwrap_or_default(),
    );
    let same = a
        .iter()
        .rev()
        .zip(b.iter().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let end = |word: &[u8]| word.len().saturating_sub(same);
    (
        a.get(..end(a)).unwrap_or_default(),
        b.get(..end(b)).unwrap_or_default(),
    )
}

/// 0 if only the case differs, 1 for one edit, else `None`.
fn at_most_one(a: &str, b: &str) -> Option<usize> {
    if a.eq_ignore_ascii_case(b) {
        return Some(0);
    }
    if !a.is_ascii() || !b.is_ascii() {
        if a.len().max(b.len()) > MAX_NAME {
            return None;
        }
        let distance = strsim::osa_distance(a, b);
        return (distance <= 1).then_some(distance);
    }
    match differing(a.as_bytes(), b.as_bytes()) {
        ([], [_]) | ([_], []) | ([_], [_]) => Some(1),
        ([a, b], [c, d]) if a == d && b == c => Some(1),
        _ => None,
    }
}

fn edits(a: &str, b: &str) -> usize {
    if a.eq_ignore_ascii_case(b) {
        return 0;
    }
    strsim::osa_distance(a, b)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn prefers_the_same_word_in_other_case() {
        assert_eq!(nearest("CNI", ["cnj", "cni"]), Some("cni"));
        assert_eq!(nearest("ingres", ["cni", "ingress"]), Some("ingress"));
        assert_eq!(nearest("db", ["monitoring"]), None);
    }

    fn used(word: &str, known: &[String]) -> (Option<String>, u64) {
        let mut budget = Budget::new(u64::MAX);
        let signatures: Vec<Signature> = known.iter().map(|n| Signature::of(n)).collect();
        let found = nearest_within(word, known.len(), |i| signatures[i], |i| &known[i], &mut budget);
        (found.map(str::to_owned), budget.used())
    }

    #[test]
    fn long_names_take_linear_work() {
        for (a, b) in [("a", "c"), ("ab", "ba"), ("é", "è")] {
            let (_, once) = used(&a.repeat(5_000), &[b.repeat(5_000)]);
            let (_, twice) = used(&a.repeat(10_000), &[b.repeat(10_000)]);
            assert!(twice <= 2 * once, "{a} {b}: {once} {twice}");
        }
        let long = "x".repeat(10_000);
        let known = [format!("{long}y")];
        assert_eq!(used(&long, &known).0.as_ref(), Some(&known[0]));
        assert_eq!(used(&long.to_uppercase(), &known).0, None);
    }

    #[test]
    fn words_that_share_a_budget_take_no_more_than_it() {
        let known: Vec<String> = (0..2_000).map(|i| format!("component-number-{i:06}")).collect();
        let signatures: Vec<Signature> = known.iter().map(|n| Signature::of(n)).collect();
        let mut budget = Budget::new(1_000_000);
        let mut search = |word: &str| {
            let signature = |i: usize| signatures[i];
            let name = |i: usize| &*known[i];
            let found = nearest_within(word, known.len(), signature, name, &mut budget);
            (found.map(str::to_owned), budget.used())
        };
        assert_eq!(
            search("componemt-number-000007").0.as_deref(),
            Some("component-number-000007")
        );
        let all: Vec<_> = (0..2_000)
            .map(|i| search(&format!("compomemt-number-{i:06}")))
            .collect();
        let last = all.last().unwrap();
        // At most one request for each word goes past the limit.
        assert!(
            last.0.is_none() && last.1 < 1_000_000 + 2_000 * 2_100,
            "{}",
            last.1
        );
        assert!(
            all.iter()
                .skip_while(|(found, _)| found.is_some())
                .all(|(found, _)| found.is_none())
        );
    }

    /// The slow implementation that [`nearest`] is compared with.
    fn slowly<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
        let limit = (word.chars().count() / 3).max(1);
        let distances = known.iter().filter(|n| **n != word).map(|n| (edits(word, n), *n));
        distances.filter(|(d, _)| *d <= limit).min().map(|(_, n)| n)
    }

    proptest! {
        #[test]
        fn finds_what_a_look_at_every_name_finds(
            word in "[a-cA-Bé-]{0,9}",
            known in prop::collection::vec("[a-cA-Bé-]{0,9}", 0..12),
        ) {
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            prop_assert_eq!(nearest(&word, known.iter().copied()), slowly(&word, &known));
        }
    }
}
