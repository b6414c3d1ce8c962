//! Versions of kapp, and the constraint a Config sets (kapp, Config).

use std::cmp::Ordering;

/// The newest version whose behaviour is known.
pub(crate) const NEWEST: &str = "0.60.0";

/// A version as kapp's library reads it: numbers, then perhaps a pre-release.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Version {
    numbers: Vec<u64>,
    pre: String,
}

impl Version {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let text = text.strip_prefix('v').unwrap_or(text);
        let (text, metadata) = match text.split_once('+') {
            Some((text, metadata)) => (text, Some(metadata)),
            None => (text, None),
        };
        let identifiers = |text: &str| {
            text.split('.').all(|part| {
                !part.is_empty()
                    && part
                        .bytes()
                        .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'~'))
            })
        };
        if metadata.is_some_and(|m| !identifiers(m)) {
            return None;
        }
        let end = text
            .bytes()
            .position(|b| !(b.is_ascii_digit() || b == b'.'))
            .unwrap_or(text.len());
        let (numbers, pre) = (text.get(..end)?, text.get(end..)?);
        let pre = pre.strip_prefix('-').unwrap_or(pre);
        if text.len() > end && (pre.is_empty() || !identifiers(pre)) {
            return None;
        }
        let numbers: Option<Vec<u64>> = numbers
            .split('.')
            .map(|n| {
                n.bytes()
                    .all(|b| b.is_ascii_digit())
                    .then(|| n.parse().ok())
                    .flatten()
            })
            .collect();
        let mut numbers = numbers.filter(|n| !n.is_empty())?;
        while numbers.len() < 3 {
            numbers.push(0);
        }
        Some(Self {
            numbers,
            pre: pre.to_owned(),
        })
    }

    fn compare(&self, other: &Self) -> Ordering {
        let longest = self.numbers.len().max(other.numbers.len());
        let at = |v: &Self, i: usize| v.numbers.get(i).copied().unwrap_or(0);
        (0..longest)
            .map(|i| at(self, i).cmp(&at(other, i)))
            .find(|o| o.is_ne())
            .unwrap_or_else(|| match (self.pre.is_empty(), other.pre.is_empty()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                (false, false) => self.pre.cmp(&other.pre),
            })
    }
}

/// Major and minor of a version of kapp, for the bindings it has; `None` for what is no version.
pub(crate) fn major_minor(text: &str) -> Option<(u64, u64)> {
    let version = Version::parse(text)?;
    Some((*version.numbers.first()?, *version.numbers.get(1)?))
}

/// What kapp of a version reports of `minimumRequiredVersion`.
pub(crate) fn minimum_fault(minimum: &str, kapp: &str) -> Option<String> {
    if minimum.is_empty() {
        return None;
    }
    if minimum.starts_with('v') {
        return Some("Validating minimum version: Must not have prefix 'v' (e.g. '0.8.0')".to_owned());
    }
    let own = Version::parse(kapp)?;
    let constraint = format!(">={minimum}");
    let mut met = true;
    for part in constraint.split(',') {
        let text = part.trim();
        let operator = [">=", "<=", "!=", "~>", ">", "<", "="]
            .into_iter()
            .find(|o| text.starts_with(o))
            .unwrap_or("");
        let Some(version) = Version::parse(text.get(operator.len()..).unwrap_or("")) else {
            return Some(format!(
                "Parsing minimum version constraint: Malformed constraint: {part}"
            ));
        };
        let order = own.compare(&version);
        met &= match operator {
            ">=" => order.is_ge(),
            "<=" => order.is_le(),
            "!=" => order.is_ne(),
            ">" => order.is_gt(),
            "<" => order.is_lt(),
            "~>" => order.is_ge() && own.numbers.first() == version.numbers.first(),
            _ => order.is_eq(),
        };
    }
    (!met).then(|| format!("kapp version '{kapp}' does not meet the minimum required version '{minimum}'"))
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
            minimum_fault("0.61", "0.60.0").unwrap(),
            "kapp version '0.60.0' does not meet the minimum required version '0.61'"
        );
        assert!(
            minimum_fault("v0.1", "0.60.0")
                .unwrap()
                .contains("Must not have prefix 'v'")
        );
        for bad in ["abc", "1..2", "1.x-", "-1"] {
            assert!(
                minimum_fault(bad, "0.60.0")
                    .unwrap()
                    .ends_with(&format!("Malformed constraint: >={bad}")),
                "{bad}"
            );
        }
    }
}
