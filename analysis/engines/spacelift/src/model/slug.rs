//! The slug that Spacelift makes from a name, as far as it can be determined.
//!
//! Source: spec section 2.6: what is lower case, and that spaces become `-`, is seen in the provider's tests; the rest
//! is stated nowhere, so that a slug made here is only likely.

/// The slug that a name probably gets.
pub(crate) fn derived(name: &str) -> String {
    let mut slug = String::with_capacity(name.len());
    for c in name.chars() {
        for c in plain(c).chars() {
            let c = c.to_ascii_lowercase();
            if c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' {
                slug.push(c);
            } else if !slug.ends_with('-') {
                slug.push('-');
            }
        }
    }
    slug.trim_matches(['-', '_']).to_owned()
}

/// Whether a name holds nothing but what the derivation is known for.
pub(crate) fn is_plain(name: &str) -> bool {
    name.chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_'))
}

/// A letter without its marks, where it is one of western Europe's.
fn plain(c: char) -> String {
    let letter = match c {
        'À'..='Å' | 'à'..='å' => "a",
        'Æ' | 'æ' => "ae",
        'Ç' | 'ç' => "c",
        'È'..='Ë' | 'è'..='ë' => "e",
        'Ì'..='Ï' | 'ì'..='ï' => "i",
        'Ñ' | 'ñ' => "n",
        'Ò'..='Ö' | 'ò'..='ö' | 'Ø' | 'ø' => "o",
        'Ù'..='Ü' | 'ù'..='ü' => "u",
        'Ý' | 'ý' | 'ÿ' => "y",
        'ß' => "ss",
        c => return c.to_string(),
    };
    letter.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_slugs() {
        for (name, slug) in [
            ("Provider test stack X", "provider-test-stack-x"),
            ("Core Infra", "core-infra"),
            ("my_stack", "my_stack"),
            ("a / b..c", "a-b-c"),
            ("-Ünï-", "uni"),
        ] {
            assert_eq!(derived(name), slug);
        }
        assert!(is_plain("Core Infra_2-x"));
        assert!(!is_plain("a/b"));
    }
}
