//! Whether a version satisfies a requirement, by the library for releases or by the one that also accepts
//! pre-releases.
//!
//! Source: Terramate 0.17.2, "Project root".

use super::{constraint, version};

/// What cannot be parsed, each with the message of its library.
#[derive(Debug, PartialEq, Eq)]
pub struct NotRead {
    /// Why the version cannot be parsed.
    pub version: Option<String>,
    /// Why the requirement cannot be parsed.
    pub required: Option<String>,
}

/// Whether a version satisfies a requirement.
///
/// # Errors
/// When one of the two cannot be parsed.
pub fn is_met(required: &str, version: &str, allows_prereleases: bool) -> Result<bool, NotRead> {
    if allows_prereleases {
        // This library's own message is not kept.
        let version = constraint::Version::parse(version).ok_or_else(|| version.to_owned());
        compared(version, constraint::Constraints::parse(required), |r, v| {
            r.admit(v)
        })
    } else {
        let version = version::Version::semantic(version);
        compared(version, version::Constraints::parse(required), |r, v| r.admit(v))
    }
}

fn compared<V, R>(
    version: Result<V, String>,
    required: Result<R, String>,
    admit: impl FnOnce(&R, &V) -> bool,
) -> Result<bool, NotRead> {
    match (version, required) {
        (Ok(version), Ok(required)) => Ok(admit(&required, &version)),
        (version, required) => Err(NotRead {
            version: version.err(),
            required: required.err(),
        }),
    }
}
