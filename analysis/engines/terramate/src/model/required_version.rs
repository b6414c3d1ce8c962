//! The version of Terramate that the root requires.
//!
//! Source: Terramate 0.17.2, "Project root".

use applyorder_core::diagnostic::FileId;
use applyorder_syntax::go::required::{NotRead, is_met};

use super::Model;
use crate::META;
use crate::read::{FileFacts, RootAttribute, Text};

/// What is wrong with the root's `required_version`.
pub(crate) struct Wrong<'a> {
    pub(crate) file: FileId,
    pub(crate) required: &'a Text,
    pub(crate) fault: Fault,
}

/// Why it is wrong.
pub(crate) enum Fault {
    /// It does not admit the version in use.
    NotMet,
    /// A constraint cannot be read from it: Terramate's message.
    Malformed(String),
}

/// What is wrong with the root's `required_version`, for the version in use.
pub(crate) fn wrong(model: &Model) -> Option<Wrong<'_>> {
    let (file, required) = setting(model, "required_version")?;
    let required = required.text.as_ref()?;
    if required.value.is_empty() {
        return None;
    }
    let allowing = setting(model, "required_version_allow_prereleases");
    let allows_prereleases = allowing.is_some_and(|(_, a)| a.is_on == Some(true));
    let fault = match admits(&required.value, &model.loaded.version, allows_prereleases)? {
        Ok(true) => return None,
        Ok(false) => Fault::NotMet,
        Err(why) => Fault::Malformed(why),
    };
    Some(Wrong {
        file,
        required,
        fault,
    })
}

/// Whether the project is made for a version with another schema than the known one: the version in use is
/// another one, or the root does not admit the assumed one.
pub(super) fn is_of_another_schema(model: &Model) -> bool {
    if model.loaded.is_version_assumed {
        wrong(model).is_some_and(|wrong| matches!(wrong.fault, Fault::NotMet))
    } else {
        minor(&model.loaded.version) != minor(META.version)
    }
}

/// The first two numbers of a version: Terramate's schema changes with the second one.
fn minor(version: &str) -> Option<(u64, u64)> {
    let mut numbers = version.trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

/// A setting of the root: its own ones precede the imported ones.
fn setting<'a>(model: &'a Model, path: &str) -> Option<(FileId, &'a RootAttribute)> {
    let (root, imports) = model.root()?;
    let find = |facts: &'a FileFacts| facts.shape.root.iter().find(|a| &*a.path == path);
    let mut files = model.sources.files(root);
    let own = files.find_map(|(loaded, facts)| Some((loaded.file, find(facts)?)));
    own.or_else(|| {
        let mut imported = imports.merged.iter().rev();
        imported.find_map(|m| Some((m.file, find(&m.facts)?)))
    })
}

/// Whether a constraint admits a version, or the message of Terramate's library about the constraint. `None`:
/// the version is invalid.
fn admits(required: &str, running: &str, allows_prereleases: bool) -> Option<Result<bool, String>> {
    match is_met(required, running, allows_prereleases) {
        Ok(is_met) => Some(Ok(is_met)),
        Err(NotRead { version: Some(_), .. }) => None,
        Err(NotRead { required, .. }) => required.map(Err),
    }
}

#[cfg(test)]
mod tests {
    use super::admits;

    fn is_admitted(required: &str, allows_prereleases: bool) -> Option<bool> {
        admits(required, "0.17.2", allows_prereleases).unwrap().ok()
    }

    #[test]
    fn constraints_are_those_of_hashicorp() {
        for met in [
            "> 0.0.1",
            ">= 0.14, < 1.0",
            "~> 0.14",
            "0.17.2",
            ">= 0.17.2~1",
            "> 0.17.2-",
        ] {
            assert_eq!(is_admitted(met, false), Some(true), "{met}");
        }
        for not in ["~> 0.14.0", "~> 0.17.1-rc1", "~> 0.17.2-rc1", "~> 0.17.2.0"] {
            assert_eq!(is_admitted(not, false), Some(false), "{not}");
        }
        for malformed in ["abc", "> ", " ", ">= 0.1,"] {
            assert_eq!(is_admitted(malformed, false), None, "{malformed}");
        }
        assert_eq!(admits("> 0.0.1", "0.17.2-rc1", false), Some(Ok(false)));
        assert_eq!(admits("> 0.0.1", "soon", false), None);
    }

    #[test]
    fn with_prereleases_they_are_those_of_another_library() {
        for met in ["> 0.0.1", "~> 0.17.1", ">=0.1,", ">= 0.1, ", "0.17.2"] {
            assert_eq!(is_admitted(met, true), Some(true), "{met}");
        }
        for not in [
            "v0.17.2",
            "= v0.17.2",
            ">= v0.1",
            ">= 0.1.0.0",
            "0.17.2.0",
            "~> 0.17.2.0",
            ">=\t0.1",
            "= 0.17.2+b",
        ] {
            assert_ne!(is_admitted(not, true), Some(true), "{not}");
        }
        assert_eq!(admits(">= 0.17.2-rc1", "0.17.2-rc2", true), Some(Ok(true)));
    }
}
