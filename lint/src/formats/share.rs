//! Selects which findings are shown if not all of them can be.

use std::collections::HashMap;
use std::hash::Hash;

/// Selects findings, given their files in the order of the findings: the same number from each file, so that one with a
/// thousand of them does not hide the rest; the first ones of each.
pub fn of_each<F: Copy + Eq + Hash>(files: &[F], most: usize) -> Vec<bool> {
    let mut of_file: HashMap<F, usize> = HashMap::default();
    for file in files {
        *of_file.entry(*file).or_default() += 1;
    }
    let mut counts: Vec<usize> = of_file.values().copied().collect();
    counts.sort_unstable();
    let (mut left, mut share) = (most, 0);
    for (i, count) in counts.iter().enumerate() {
        let others = counts.len() - i;
        share = left / others;
        if share < *count {
            break;
        }
        left -= count;
    }
    let given = |count: &usize| (*count).min(share);
    let mut over = most.saturating_sub(counts.iter().map(given).sum());
    let mut shown: HashMap<F, usize> = HashMap::default();
    let is_shown = files.iter().map(|file| {
        let so_far = shown.entry(*file).or_default();
        let is_shared = *so_far < share;
        let is_over = !is_shared && *so_far == share && over > 0;
        over -= usize::from(is_over);
        *so_far += usize::from(is_shared || is_over);
        is_shared || is_over
    });
    is_shown.collect()
}

#[cfg(test)]
mod tests {
    use super::of_each;

    fn shown(files: &str, most: usize) -> String {
        let files: Vec<char> = files.chars().collect();
        let is_shown = of_each(&files, most);
        let shown = files.iter().zip(is_shown).filter(|(_, is_shown)| *is_shown);
        shown.map(|(file, _)| file).collect()
    }

    #[test]
    fn a_file_with_many_findings_does_not_hide_the_others() {
        assert_eq!(shown("aaaaaab", 3), "aab");
        assert_eq!(shown("aaaabbbbc", 5), "aabbc");
        assert_eq!(shown("abbbaaac", 6), "abbbac");
    }

    #[test]
    fn as_many_are_shown_as_there_may_be() {
        for most in 0..=9 {
            assert_eq!(shown("aaaabbbcc", most).len(), most);
        }
        assert_eq!(shown("aaab", 99), "aaab");
        assert_eq!(shown("abcdef", 2), "ab");
        assert_eq!(shown("", 2), "");
    }
}
