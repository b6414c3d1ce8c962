//! The versions of applyorder that a configuration is written for.

use schemars::JsonSchema;
use semver::{Version, VersionReq};
use serde::{Deserialize, Serialize};

/// The version of this program.
const OWN: &str = env!("CARGO_PKG_VERSION");

/// A range of versions that includes this one: `>=0.1, <0.3`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct RequiredVersion(String);

impl TryFrom<String> for RequiredVersion {
    type Error = String;

    fn try_from(written: String) -> Result<Self, String> {
        check(&written, OWN).map(|()| Self(written))
    }
}

impl From<RequiredVersion> for String {
    fn from(required: RequiredVersion) -> Self {
        required.0
    }
}

/// What is wrong with a version requirement for this program.
fn check(required: &str, own: &str) -> Result<(), String> {
    let versions = VersionReq::parse(required).map_err(|e| format!("invalid version requirement: {e}"))?;
    let own = Version::parse(own).map_err(|e| format!("invalid version {own}: {e}"))?;
    if versions.matches(&own) {
        Ok(())
    } else {
        Err(format!("requires applyorder {required}, and this is {own}"))
    }
}

/// A file of which only the required versions are known yet.
#[derive(Deserialize)]
struct Required {
    #[serde(rename = "required-version")]
    required_version: Option<toml::Spanned<toml::Value>>,
}

/// Whether a file requires another version than this one: where it says so, and what is wrong. The rest of the
/// file is then not judged.
pub(super) fn mismatch(text: &str) -> Option<(std::ops::Range<usize>, String)> {
    let required = toml::from_str::<Required>(text).ok()?.required_version?;
    let toml::Value::String(written) = required.get_ref() else {
        return None;
    };
    let wrong = check(written, OWN).err()?;
    Some((required.span(), wrong))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unmet_required_version_is_reported() {
        for (required, is_met) in [
            (">=0.1", true),
            ("0.1.0", true),
            ("=0.1.0", true),
            (">=0.1, <0.3", true),
            (">=0.2", false),
            ("<0.1", false),
        ] {
            assert_eq!(check(required, "0.1.0").is_ok(), is_met, "{required}");
        }
        let error = check("new", "0.1.0").unwrap_err();
        assert!(error.starts_with("invalid version requirement"), "{error}");
        let (span, error) = mismatch("nwe-key = 1\nrequired-version = \">=999\"\n").unwrap();
        assert_eq!(
            (span, &*error),
            (31..38, &*format!("requires applyorder >=999, and this is {OWN}"))
        );
        assert_eq!(mismatch("required-version = \">=0\"\n"), None);
    }
}
