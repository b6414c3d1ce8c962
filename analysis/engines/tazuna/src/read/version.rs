//! Versions as Tazuna reads them (the semver library of G5, which coerces).

use semver::Version;

const LONGEST: usize = 256;
const NO_VERSION: &str = "invalid semantic version";

/// A version: `1`, `1.4`, `v1.4.0-rc.1+build`, `01.2`. For an invalid one, the library's message is returned.
pub(crate) fn loose_version(text: &str) -> Result<Version, String> {
    if text.len() > LONGEST {
        return Err(format!("version string is too long (max {LONGEST} bytes)"));
    }
    let text = text.strip_prefix('v').unwrap_or(text);
    let end = text.find(['-', '+']).unwrap_or(text.len());
    let (numbers, extras) = text.split_at_checked(end).unwrap_or((text, ""));
    let (before, after) = extras.split_once('+').unwrap_or((extras, "0"));
    let before = before.strip_prefix('-').unwrap_or("0");
    let identifier = |part: &str| {
        let of = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
        !part.is_empty() && part.bytes().all(of)
    };
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let well_formed = numbers.split('.').all(digits)
        && numbers.split('.').count() <= 3
        && [before, after].iter().all(|list| list.split('.').all(identifier));
    if !well_formed {
        return Err(NO_VERSION.to_owned());
    }
    let mut parts = [0u64; 3];
    for (part, written) in parts.iter_mut().zip(numbers.split('.')) {
        *part = written.parse().map_err(|_| {
            format!(
                "error parsing version segment: strconv.ParseUint: parsing \"{written}\": value out of range"
            )
        })?;
    }
    if before
        .split('.')
        .any(|p| digits(p) && p.len() > 1 && p.starts_with('0'))
    {
        return Err("version segment starts with 0".to_owned());
    }
    let [major, minor, patch] = parts;
    let whole = format!("{major}.{minor}.{patch}{extras}");
    whole.parse().map_err(|_| NO_VERSION.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_loosely() {
        for good in [
            "1",
            "1.4",
            "v1.4.0",
            "1.2.3-rc.1+x",
            "01.2",
            "1-0",
            "1.2+001",
            "1.2.3-0a",
        ] {
            assert!(loose_version(good).is_ok(), "{good}");
        }
        for bad in [
            "", "x", "1.", "1.2.3.4", "v", "1.2-", "1 2", "1+", "1+a+b", "1-a..b", "V1", "1.x",
        ] {
            assert_eq!(loose_version(bad), Err(NO_VERSION.to_owned()), "{bad}");
        }
        assert!(loose_version("1.10").unwrap() > loose_version("1.9.9").unwrap());
    }

    #[test]
    fn an_invalid_version_is_reported_as_tazuna_does() {
        let told = |text: &str| loose_version(text).unwrap_err();
        assert_eq!(told("1.2.3-01"), "version segment starts with 0");
        assert_eq!(
            told("1.99999999999999999999"),
            "error parsing version segment: strconv.ParseUint: parsing \"99999999999999999999\": value out of range"
        );
        let long = format!("1.2.3-{}", "a".repeat(250));
        assert!(loose_version(&long).is_ok());
        assert_eq!(
            told(&format!("{long}a")),
            "version string is too long (max 256 bytes)"
        );
    }
}
