//! Names in which many words are looked for.

use crate::memo::Budget;
use crate::nearest::{MAX_NAME, Signature};

/// Names in byte order. Of two names after another the part that both begin with is compared once.
#[derive(Clone, Debug, Default)]
pub struct SortedNames(Vec<Entry>);

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The number of the name.
    number: u32,
    /// How many characters it shares with the name before it.
    shared: u32,
    signature: Signature,
}

impl SortedNames {
    /// Sorts `count` names, which have numbers.
    #[must_use]
    pub fn new<'a>(count: usize, name: impl Fn(usize) -> &'a str) -> Self {
        let mut numbers: Vec<u32> = (0..count)
            .map_while(|number| u32::try_from(number).ok())
            .collect();
        numbers.sort_unstable_by_key(|number| name(*number as usize));
        let mut before = "";
        let entries = numbers.into_iter().map(|number| {
            let name = name(number as usize);
            let same = before.chars().zip(name.chars()).take_while(|(a, b)| a == b);
            let shared = u32::try_from(same.count()).unwrap_or(u32::MAX);
            before = name;
            let signature = Signature::of(name);
            Entry {
                number,
                shared,
                signature,
            }
        });
        Self(entries.collect())
    }

    /// What [`nearest`](crate::nearest::nearest) finds among these names. `None` as well where the budget is spent:
    /// about a step for each name, and for each pair of characters that is compared.
    pub fn nearest<'a>(
        &self,
        word: &str,
        name: impl Fn(usize) -> &'a str,
        budget: &mut Budget,
    ) -> Option<&'a str> {
        if !budget.spend(steps(self.0.len()).saturating_add(steps(word.len()))) {
            return None;
        }
        let own = Signature::of(word);
        let least: Vec<usize> = self.0.iter().map(|entry| own.least(entry.signature)).collect();
        let mut close = self.0.iter().zip(&least).filter(|(_, least)| **least == 0);
        let other_case = close.find_map(|(entry, _)| {
            let name = name(entry.number as usize);
            (name != word && name.eq_ignore_ascii_case(word)).then_some(name)
        });
        if other_case.is_some() {
            return other_case;
        }
        let mut search = Search::new(word);
        let farthest = match word.len() {
            // Edits of long names are not counted: that takes the product of their lengths.
            long if long > MAX_NAME => 1,
            _ => (search.word.len() / 3).max(1),
        };
        // What is near is found by the first rounds, which look at little.
        let mut limit = 1;
        loop {
            let found = search.round(&self.0, &least, limit, &name, budget);
            if budget.is_spent() {
                return None;
            }
            if found.is_some() || limit >= farthest {
                return found;
            }
            limit = limit.saturating_mul(2).min(farthest);
        }
    }
}

fn steps(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// The edits between the beginnings of a word and of a name, by the rows of the beginnings of the name.
struct Search<'w> {
    text: &'w str,
    word: Vec<char>,
    /// How far from the diagonal edits are counted: what is farther takes more edits than are looked for.
    band: usize,
    /// By row, `2 * band + 1` counts each: the middle one is on the diagonal.
    cells: Vec<usize>,
    /// By row, its least count.
    least: Vec<usize>,
    /// The characters that the rows but the first are of.
    letters: Vec<char>,
}

impl<'w> Search<'w> {
    fn new(text: &'w str) -> Self {
        Self {
            text,
            word: text.chars().collect(),
            band: 0,
            cells: Vec::new(),
            least: Vec::new(),
            letters: Vec::new(),
        }
    }

    /// The first of the nearest names that are at most `limit` edits away.
    fn round<'a>(
        &mut self,
        entries: &[Entry],
        least: &[usize],
        limit: usize,
        name: &impl Fn(usize) -> &'a str,
        budget: &mut Budget,
    ) -> Option<&'a str> {
        self.start(limit);
        let (mut limit, mut best) = (limit, None);
        // How many characters of the name the rows are of, and of how many is known that none that begins so is near.
        let (mut valid, mut dead) = (0, usize::MAX);
        for (entry, least) in entries.iter().zip(least) {
            let shared = entry.shared as usize;
            valid = valid.min(shared);
            if shared >= dead {
                continue;
            }
            dead = usize::MAX;
            if *least > limit {
                continue;
            }
            let name = name(entry.number as usize);
            if limit > 1 && name.len() > MAX_NAME {
                continue;
            }
            self.cut(valid);
            for letter in name.chars().skip(valid) {
                if !budget.spend(1 + steps(self.band)) {
                    return None;
                }
                self.push(letter);
                valid += 1;
                if self.is_far(limit) {
                    dead = valid;
                    break;
                }
            }
            let edits = self.edits();
            if dead != usize::MAX || edits > limit || edits == 0 {
                continue;
            }
            let is_plain = self.text.is_ascii() && name.is_ascii();
            if is_plain || self.text.len().max(name.len()) <= MAX_NAME {
                best = Some(name);
                // Of names that are as near the first counts.
                limit = edits - 1;
            }
            if limit == 0 {
                break;
            }
        }
        best
    }

    fn start(&mut self, band: usize) {
        self.band = band;
        self.letters.clear();
        self.cells.clear();
        let width = 2 * band + 1;
        // Of the empty name every character of the word is one edit.
        self.cells
            .extend((0..width).map(|at| at.checked_sub(band).unwrap_or(FAR)));
        self.least.clear();
        self.least.push(0);
    }

    /// Leaves the rows of so many characters.
    fn cut(&mut self, characters: usize) {
        self.letters.truncate(characters);
        self.least.truncate(characters + 1);
        self.cells.truncate((characters + 1) * (2 * self.band + 1));
    }

    /// The edits between so many characters of the name and so many of the word.
    fn cell(&self, name: usize, word: usize) -> usize {
        let at = (word + self.band)
            .checked_sub(name)
            .filter(|at| *at <= 2 * self.band);
        let cell = at.and_then(|at| self.cells.get(name * (2 * self.band + 1) + at));
        cell.copied().unwrap_or(FAR)
    }

    /// Adds the row of the name with one more character.
    fn push(&mut self, letter: char) {
        let row = self.letters.len() + 1;
        let before = self.letters.last().copied();
        let mut least = FAR;
        for at in 0..=2 * self.band {
            let edits = match (row + at).checked_sub(self.band) {
                Some(0) => row,
                Some(column) if column <= self.word.len() => {
                    let of_word =
                        |back: usize| column.checked_sub(back).and_then(|at| self.word.get(at)).copied();
                    let last = of_word(1);
                    let kept = self.cell(row - 1, column - 1) + usize::from(last != Some(letter));
                    let added = self.cell(row - 1, column) + 1;
                    let removed = match at {
                        0 => FAR,
                        _ => self.cells.last().copied().unwrap_or(FAR) + 1,
                    };
                    let swapped = match before {
                        Some(before) if last == Some(before) && of_word(2) == Some(letter) => {
                            self.cell(row - 2, column - 2) + 1
                        }
                        _ => FAR,
                    };
                    kept.min(added).min(removed).min(swapped)
                }
                _ => FAR,
            };
            least = least.min(edits);
            self.cells.push(edits.min(FAR));
        }
        self.letters.push(letter);
        self.least.push(least);
    }

    /// Whether every name that begins with these characters takes more edits. Two that are swapped take the row before.
    fn is_far(&self, limit: usize) -> bool {
        let mut last = self.least.iter().rev();
        let (row, before) = (last.next(), last.next());
        row.is_some_and(|row| *row > limit) && before.is_none_or(|row| *row >= limit)
    }

    /// The edits between the name and the word.
    fn edits(&self) -> usize {
        self.cell(self.letters.len(), self.word.len())
    }
}

/// More edits than are looked for.
const FAR: usize = usize::MAX / 4;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::nearest::nearest;

    fn found(word: &str, known: &[String]) -> (Option<String>, u64) {
        let mut budget = Budget::new(u64::MAX);
        let name = |at: usize| &*known[at];
        let found = SortedNames::new(known.len(), name).nearest(word, name, &mut budget);
        (found.map(str::to_owned), budget.used())
    }

    #[test]
    fn names_that_begin_alike_are_not_compared_one_by_one() {
        let steps = |count: usize| {
            let known: Vec<String> = (0..count).map(|i| format!("component_number_{i:06}")).collect();
            let words = (0..count).step_by(count / 20);
            let searched = words.map(|i| {
                let (near, steps) = found(&format!("compomemt_numbr_{i:06}"), &known);
                assert_eq!(near.as_ref(), Some(&known[i]));
                steps
            });
            searched.max().unwrap()
        };
        let (few, many) = (steps(1_000), steps(10_000));
        // One step for each name, and few besides.
        assert!(many < few + 9_000 + 5_000, "{few} {many}");
    }

    #[test]
    fn long_names_take_linear_work() {
        for (a, b) in [("a", "c"), ("ab", "ba"), ("é", "è")] {
            let steps = |times: usize| found(&a.repeat(times), &[b.repeat(times)]).1;
            let (once, twice) = (steps(5_000), steps(10_000));
            assert!(twice <= 2 * once, "{a} {b}: {once} {twice}");
        }
        let long = "x".repeat(10_000);
        assert_eq!(found(&long, &[format!("{long}y")]).0, Some(format!("{long}y")));
    }

    #[test]
    fn what_is_spent_finds_nothing() {
        let known = ["component"];
        let name = |at: usize| known[at];
        let names = SortedNames::new(1, name);
        let near = |steps| names.nearest("componemt", name, &mut Budget::new(steps));
        assert_eq!((near(12), near(1_000)), (None, Some("component")));
    }

    proptest! {
        #[test]
        fn finds_what_a_look_at_every_name_finds(
            word in "[a-cA-Bé-]{0,12}",
            known in prop::collection::vec("[a-cA-Bé-]{0,12}", 0..16),
        ) {
            let near = nearest(&word, known.iter().map(String::as_str));
            let near = near.map(str::to_owned);
            prop_assert_eq!(found(&word, &known).0, near);
        }

        #[test]
        fn finds_among_long_names_what_a_look_at_every_name_finds(
            (word, before) in ("[ab]{0,4}", "[é-]{0,1}"),
            known in prop::collection::vec("[ab]{0,4}", 0..6),
        ) {
            let long = |end: &String| format!("{before}{}{end}", "x".repeat(MAX_NAME - 3));
            let known: Vec<String> = known.iter().map(long).collect();
            let word = long(&word);
            let near = nearest(&word, known.iter().map(String::as_str));
            let near = near.map(str::to_owned);
            prop_assert_eq!(found(&word, &known).0, near);
        }
    }
}
