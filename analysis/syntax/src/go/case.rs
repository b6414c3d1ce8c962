//! Upper and lower case as Go's `unicode` has them: one character for one, without the rules for words and languages.

/// The character in upper case, where a single one stands for it.
#[must_use]
pub fn upper(c: char) -> char {
    let mut all = c.to_uppercase();
    match (all.next(), all.next()) {
        (Some(one), None) => one,
        // In full these get a second letter for what stands below them.
        _ => match u32::from(c) {
            code @ (0x1f80..=0x1f87 | 0x1f90..=0x1f97 | 0x1fa0..=0x1fa7) => {
                char::from_u32(code + 8).unwrap_or(c)
            }
            code @ (0x1fb3 | 0x1fc3 | 0x1ff3) => char::from_u32(code + 9).unwrap_or(c),
            _ => c,
        },
    }
}

/// The character in lower case.
#[must_use]
pub fn lower(c: char) -> char {
    // Only that of `İ` has a dot of its own in full.
    c.to_lowercase().next().unwrap_or(c)
}

/// The character as the first of a title.
#[must_use]
pub fn title(c: char) -> char {
    match c {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        'ა'..='ჺ' | 'ჽ'..='ჿ' => c,
        _ => upper(c),
    }
}

#[cfg(test)]
mod tests {
    use super::{lower, title, upper};

    #[test]
    fn one_character_is_mapped_to_one() {
        let all = |text: &str, to: fn(char) -> char| text.chars().map(to).collect::<String>();
        assert_eq!(all("aßŉǆﬁᾳᾀ", upper), "AßŉǄﬁᾼᾈ");
        assert_eq!(all("İΑΣẞ", lower), "iασß");
        assert_eq!(all("ßǆაa", title), "ßǅაA");
    }
}
