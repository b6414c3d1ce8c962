//! `unsupported-version` in `terramate.required_version`.
//!
//! Source: Terramate 0.17.2, "Project root".

use applyorder_syntax::go::{constraint, version};

use crate::judge::{VERSION, rejected};
use crate::read::{FileFacts, RootAttribute};
use crate::scope::{Scope, Whole};
use applyorder_core::diagnostic::{Diagnostic, FileId, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::unsupported_version::RULE;

pub(super) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let wrong = required(&whole.scope);
    found.extend(wrong.map(|d| rejected(VERSION, d, &"/".into())));
}

/// What there is to say of the root's `required_version`, where it is malformed or not met.
fn required(scope: &Scope<'_>) -> Option<Diagnostic> {
    let (file, required) = setting(scope, "required_version")?;
    let required = required.text.as_ref()?;
    if required.value.is_empty() {
        return None;
    }
    let allowing = setting(scope, "required_version_allow_prereleases");
    let allows_prereleases = allowing.is_some_and(|(_, a)| a.is_on == Some(true));
    let running = &scope.model.loaded.version;
    let place = scope.at(file, required.at);
    let new = |message: String, words: String| {
        let words = format!("version check error: version check failed: {words}");
        Diagnostic::new(&RULE, place, message).engine_message(words)
    };
    let (diagnostic, is_certain) = match admits(&required.value, running, allows_prereleases)? {
        Ok(true) => return None,
        Ok(false) => (
            new(
                format!("requires Terramate `{}`, but {}", required.value, in_use(scope)),
                format!(
                    "version constraint \"{}\" not satisfied by terramate version \"{running}\"",
                    required.value
                ),
            ),
            !scope.model.loaded.is_version_assumed,
        ),
        Err(why) => (
            new(
                format!("invalid version constraint `{}`: {why}", required.value),
                format!("invalid constraint: {why}"),
            ),
            true,
        ),
    };
    Some(if is_certain {
        diagnostic.severity(Severity::Error)
    } else {
        diagnostic.heuristic()
    })
}

/// Which version is in use, and who says so.
fn in_use(scope: &Scope<'_>) -> String {
    let loaded = &scope.model.loaded;
    match &loaded.version_named_by {
        Some(file) => format!("`{file}` names {}", loaded.version),
        None if loaded.is_version_assumed => {
            format!("{} is assumed: no version is configured", loaded.version)
        }
        None => format!("{} is configured", loaded.version),
    }
}

/// A setting of the root: its own before what it imports.
fn setting<'a>(scope: &Scope<'a>, path: &str) -> Option<(FileId, &'a RootAttribute)> {
    let (root, imports) = scope.model.root()?;
    let find = |facts: &'a FileFacts| facts.shape.root.iter().find(|a| &*a.path == path);
    let mut files = scope.model.sources.files(root);
    let own = files.find_map(|(loaded, facts)| Some((loaded.file, find(facts)?)));
    own.or_else(|| {
        let mut imported = imports.merged.iter().rev();
        imported.find_map(|m| Some((m.file, find(&m.facts)?)))
    })
}

/// Whether a constraint admits a version, by the library that Terramate asks; or what that says of the constraint.
/// `None`: the version is none.
fn admits(required: &str, running: &str, allows_prereleases: bool) -> Option<Result<bool, String>> {
    if allows_prereleases {
        let running = constraint::Version::parse(running)?;
        let required = constraint::Constraints::parse(required);
        Some(required.map(|required| required.admit(&running)))
    } else {
        let running = version::Version::semantic(running).ok()?;
        let required = version::Constraints::parse(required);
        Some(required.map(|required| required.admit(&running)))
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
