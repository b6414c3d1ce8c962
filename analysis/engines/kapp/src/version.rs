//! Versions of kapp, and the constraint a Config sets (kapp, Config).

use applyorder_syntax::go::version::{Constraints, Version};

/// The newest version whose behavior is known.
pub(crate) const NEWEST: &str = "0.60.0";

/// Major and minor of a version of kapp, for its bindings; `None` if it is not a version.
pub(crate) fn major_minor(text: &str) -> Option<(u64, u64)> {
    let text = text.trim();
    let text = text.strip_prefix('v').unwrap_or(text);
    Version::semantic(text).ok()?;
    let end = text.find(|c: char| !(c == '.' || c.is_ascii_digit()));
    let mut numbers = text.get(..end.unwrap_or(text.len()))?.split('.');
    let major = numbers.next()?.parse().ok()?;
    let minor = numbers.next().and_then(|minor| minor.parse().ok());
    Some((major, minor.unwrap_or_default()))
}

/// The error in a `minimumRequiredVersion`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct MinimumFault {
    /// kapp's message.
    pub(crate) text: String,
    /// It is well-formed, and above the version of kapp: another version would accept it.
    pub(crate) is_unmet: bool,
}

/// kapp's error about `minimumRequiredVersion` for a version of kapp.
pub(crate) fn minimum_fault(minimum: &str, kapp: &str) -> Option<MinimumFault> {
    let malformed = |text: String| MinimumFault {
        text,
        is_unmet: false,
    };
    if minimum.is_empty() {
        return None;
    }
    if minimum.starts_with('v') {
        let text = "Validating minimum version: Must not have prefix 'v' (e.g. '0.8.0')";
        return Some(malformed(text.to_owned()));
    }
    let own = Version::semantic(kapp).ok()?;
    match Constraints::parse(&format!(">={minimum}")) {
        // kapp's library begins its errors with a capital letter.
        Err(why) => Some(malformed(format!(
            "Parsing minimum version constraint: {}",
            capitalized(&why)
        ))),
        Ok(constraint) if constraint.admit(&own) => None,
        Ok(_) => Some(MinimumFault {
            text: format!("kapp version '{kapp}' does not meet the minimum required version '{minimum}'"),
            is_unmet: true,
        }),
    }
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_ascii_uppercase());
    first.into_iter().chain(chars).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minimum_is_met_or_named() {
        for met in ["", "0.60.0", "0.60", "0.6", "0", "0.60.0-rc.1"] {
            assert_eq!(minimum_fault(met, "0.60.0"), None, "{met}");
        }
        assert_eq!(
            minimum_fault("0.61", "0.60.0").unwrap().text,
            "kapp version '0.60.0' does not meet the minimum required version '0.61'"
        );
        assert!(
            minimum_fault("v0.1", "0.60.0")
                .unwrap()
                .text
                .contains("Must not have prefix 'v'")
        );
        for bad in ["abc", "1..2", "1.x-", "-1"] {
            assert!(
                minimum_fault(bad, "0.60.0")
                    .unwrap()
                    .text
                    .ends_with(&format!("Malformed constraint: >={bad}")),
                "{bad}"
            );
        }
    }
}
