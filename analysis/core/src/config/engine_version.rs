//! The version of an engine, as the table of the engine names it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A version, as written: `0.60.0`, `v0.60`, `1.2.3-rc.1`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct EngineVersion(String);

impl TryFrom<String> for EngineVersion {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        let version = written.strip_prefix('v').unwrap_or(&written);
        if numbers_in(version).is_some_and(|count| count <= 3) {
            Ok(Self(written))
        } else {
            Err(format!(
                "invalid version `{written}`: expected numbers, as in `1.2.3`"
            ))
        }
    }
}

impl From<EngineVersion> for String {
    fn from(version: EngineVersion) -> Self {
        version.0
    }
}

/// How many numbers a version has, without what follows `-` or `+`; `None` if a part of it is not a number.
pub(crate) fn numbers_in(version: &str) -> Option<usize> {
    let numbers = version.split(['-', '+']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    numbers
        .split('.')
        .all(is_number)
        .then(|| numbers.split('.').count())
}

#[cfg(test)]
mod tests {
    use super::EngineVersion;

    #[test]
    fn a_version_has_numbers() {
        for good in ["0.60.0", "v0.60", "1", "1.2.3-rc.1", "1.2.3+build"] {
            assert!(EngineVersion::try_from(good.to_owned()).is_ok(), "{good}");
        }
        for bad in ["", "abc", "v", "1.", "1.2.3.4", "latest", "1.x"] {
            assert!(EngineVersion::try_from(bad.to_owned()).is_err(), "{bad}");
        }
    }
}
