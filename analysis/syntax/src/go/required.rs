//! Whether a version meets what is required, by the library for releases or by the one for pre-releases too.
//!
//! Source: Terramate 0.17.2, "Project root".

use super::{constraint, version};

/// What cannot be read, each with the words of its library.
#[derive(Debug, PartialEq, Eq)]
pub struct NotRead {
    /// Why the version cannot be.
    pub version: Option<String>,
    /// Why what is required cannot be.
    pub required: Option<String>,
}

/// Whether a version meets what is required.
///
/// # Errors
/// When one of both cannot be read.
pub fn is_met(required: &str, version: &str, allows_prereleases: bool) -> Result<bool, NotRead> {
    if allows_prereleases {
        // This library's own words are not kept.
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
