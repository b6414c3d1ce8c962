//! Small grammars: Go's regular expressions, and versions.

use regex::Regex;

/// Why Go's `regexp` rejects a pattern; `None` where it accepts it, or where the two dialects differ so
/// that it cannot be told.
pub(super) fn go_regex_error(pattern: &str) -> Option<String> {
    if let Some(found) = unlike_go(pattern) {
        return found;
    }
    match Regex::new(&format!("^(?:{pattern})$")) {
        Ok(_) | Err(regex::Error::CompiledTooBig(_)) => None,
        Err(error) => {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or("");
            Some(last.strip_prefix("error: ").unwrap_or(last).to_owned())
        }
    }
}

/// Where the dialects differ: `Some(Some(_))` is rejected by Go alone, `Some(None)` is open.
fn unlike_go(pattern: &str) -> Option<Option<String>> {
    let bytes = pattern.as_bytes();
    let mut at = 0;
    let mut class = false;
    // Whether a repetition ends right before.
    let mut repeated = false;
    while let Some(b) = bytes.get(at).copied() {
        let next = bytes.get(at + 1).copied();
        let mut repetition = 0;
        match b {
            b'\\' => {
                if matches!(
                    next,
                    Some(b'Q' | b'E' | b'C' | b'0'..=b'9' | b'p' | b'P' | b'<' | b'>')
                ) {
                    return Some(None);
                }
                at += 1;
            }
            b'[' if class => return Some(None),
            b'[' => {
                class = true;
                // A `]` right behind the opening is an ordinary character.
                let negated = usize::from(next == Some(b'^'));
                if bytes.get(at + 1 + negated) == Some(&b']') {
                    at += 1 + negated;
                }
            }
            b']' => class = false,
            b'&' | b'~' | b'-' if class && next == Some(b) => return Some(None),
            b'(' if !class && next == Some(b'?') => {
                let flags = pattern.get(at + 2..).unwrap_or("");
                let flags = flags.split([':', ')', '<']).next().unwrap_or("");
                if flags.contains(['x', 'u', 'R']) && !flags.contains(['P', '=', '!']) {
                    return Some(None);
                }
            }
            b'*' | b'+' | b'?' if !class => repetition = 1,
            b'{' if !class => match counted(pattern.get(at..).unwrap_or("")) {
                Some((len, most)) if most <= 1000 => repetition = len,
                Some(_) => return Some(Some("invalid repeat count".to_owned())),
                None => return Some(None),
            },
            _ => {}
        }
        if repetition > 0 {
            if repeated {
                return Some(Some("invalid nested repetition operator".to_owned()));
            }
            at += repetition;
            // A lazy repetition.
            at += usize::from(bytes.get(at) == Some(&b'?'));
            repeated = true;
        } else {
            at += 1;
            repeated = false;
        }
    }
    None
}

/// The length and the larger number of a counted repetition `{n}`, `{n,}` or `{n,m}`.
fn counted(text: &str) -> Option<(usize, u32)> {
    let inner = text.strip_prefix('{')?;
    let inner = inner.get(..inner.find('}')?)?;
    let (low, high) = inner.split_once(',').unwrap_or((inner, inner));
    let number = |t: &str| {
        let digits = !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| t.parse::<u32>().unwrap_or(u32::MAX))
    };
    let low = number(low)?;
    let high = if high.is_empty() { low } else { number(high)? };
    Some((inner.len() + 2, low.max(high)))
}

/// A version as loosely as Tazuna reads it: `1`, `1.4`, `v1.4.0-rc.1+build`.
pub(in crate::engines::tazuna) fn loose_version(text: &str) -> Option<semver::Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, rest) = text.split_at_checked(end)?;
    let mut parts = [0u64; 3];
    for (i, part) in numbers.split('.').enumerate() {
        if part.is_empty() || !part.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        *parts.get_mut(i)? = part.parse().ok()?;
    }
    let [major, minor, patch] = parts;
    format!("{major}.{minor}.{patch}{rest}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_rejected_only_where_go_rejects_them() {
        for good in [
            "",
            "prod-.*",
            "^a$",
            "[]a]",
            "a{2,3}?",
            r"\d+\.",
            "(?i)x",
            "[[:alpha:]]",
            "a{,3}",
            "x{",
            r"\Q[\E",
            "[a&&b]",
            "(?P<n>a)",
            r"\pL",
        ] {
            assert_eq!(go_regex_error(good), None, "{good}");
        }
        for bad in [
            "[", "(", ")", "*", "a**", "a{2}{3}", "(?=a)", "a{1001}", "[b-a]", r"\",
        ] {
            assert!(go_regex_error(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn versions_are_read_loosely() {
        for good in ["1", "1.4", "v1.4.0", "1.2.3-rc.1+x", "01.2"] {
            assert!(loose_version(good).is_some(), "{good}");
        }
        for bad in ["", "x", "1.", "1.2.3.4", "v", "1.2-", "1 2"] {
            assert!(loose_version(bad).is_none(), "{bad}");
        }
        assert!(loose_version("1.10") > loose_version("1.9.9"));
    }
}
