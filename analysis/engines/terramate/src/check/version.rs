//! `terramate.required_version` against the version in use.
//!
//! Source: Terramate 0.17.2, "Project root".

use semver::{BuildMetadata, Prerelease, Version};

use super::Scope;
use crate::found::Found;
use crate::read::FileFacts;
use applyorder_core::diagnostic::Diagnostic;
use applyorder_core::rules::unsupported_version;

/// The finding about the root's `required_version`, where it is malformed or not met.
pub(super) fn check(scope: &Scope<'_>) -> Option<Found> {
    let (root, imports) = scope.model.root()?;
    let required = |facts: &FileFacts| {
        let attribute = facts.shape.root.iter().find(|a| &*a.path == "required_version")?;
        attribute.text.clone()
    };
    let own = scope
        .model
        .sources
        .files(root)
        .find_map(|(loaded, facts)| Some((loaded.file, required(facts)?)));
    let (file, text) = own.or_else(|| {
        let imported = imports.merged.iter().rev();
        imported
            .into_iter()
            .find_map(|m| Some((m.file, required(&m.facts)?)))
    })?;
    if text.value.trim().is_empty() {
        return None;
    }
    let version = &scope.model.loaded.version;
    let place = scope.at(file, text.at);
    let diagnostic = match parse(&text.value) {
        None => Diagnostic::new(
            &unsupported_version::RULE,
            place,
            format!("`{}` is no version constraint", text.value),
        )
        .engine_message("version check error: version check failed"),
        Some(constraints) => {
            let running = Version::parse(version.trim_start_matches('v')).ok()?;
            if constraints.iter().all(|c| c.admits(&running)) {
                return None;
            }
            Diagnostic::new(
                &unsupported_version::RULE,
                place,
                format!("the project wants Terramate `{}`, and {version} is in use", text.value),
            )
            .engine_message(format!(
                "version check error: version check failed: version constraint \"{}\" not satisfied by terramate version \"{version}\"",
                text.value
            ))
        }
    };
    Some(Found {
        diagnostic: diagnostic.severity(applyorder_core::diagnostic::Severity::Error),
        fatal: true,
        details: Vec::new(),
        unseen: false,
        silent: false,
        early: false,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Pessimistic,
}

struct Constraint {
    operator: Operator,
    version: Version,
    /// How many numbers were written.
    parts: usize,
}

impl Constraint {
    fn admits(&self, running: &Version) -> bool {
        // A pre-release is only admitted by a constraint on a pre-release of the same version.
        let numbers = |v: &Version| (v.major, v.minor, v.patch);
        if !running.pre.is_empty()
            && (self.version.pre.is_empty() || numbers(running) != numbers(&self.version))
        {
            return self.operator == Operator::NotEqual;
        }
        match self.operator {
            Operator::Equal => running.cmp_precedence(&self.version).is_eq(),
            Operator::NotEqual => running.cmp_precedence(&self.version).is_ne(),
            Operator::Greater => running.cmp_precedence(&self.version).is_gt(),
            Operator::GreaterOrEqual => running.cmp_precedence(&self.version).is_ge(),
            Operator::Less => running.cmp_precedence(&self.version).is_lt(),
            Operator::LessOrEqual => running.cmp_precedence(&self.version).is_le(),
            Operator::Pessimistic => {
                running.cmp_precedence(&self.version).is_ge()
                    && match self.parts {
                        0 | 1 => true,
                        2 => running.major == self.version.major,
                        _ => running.major == self.version.major && running.minor == self.version.minor,
                    }
            }
        }
    }
}

/// The constraints of a text: comma-separated, each an operator and a version. `None`: malformed.
fn parse(text: &str) -> Option<Vec<Constraint>> {
    text.split(',').map(|part| constraint(part.trim())).collect()
}

fn constraint(text: &str) -> Option<Constraint> {
    const OPERATORS: [(&str, Operator); 7] = [
        ("~>", Operator::Pessimistic),
        (">=", Operator::GreaterOrEqual),
        ("<=", Operator::LessOrEqual),
        ("!=", Operator::NotEqual),
        (">", Operator::Greater),
        ("<", Operator::Less),
        ("=", Operator::Equal),
    ];
    let (operator, rest) = OPERATORS
        .iter()
        .find_map(|(sign, operator)| Some((*operator, text.strip_prefix(sign)?)))
        .unwrap_or((Operator::Equal, text));
    let rest = rest.trim().trim_start_matches('v');
    let (rest, build) = rest.split_once('+').map_or((rest, ""), |(r, b)| (r, b));
    let (numbers, pre) = rest.split_once('-').map_or((rest, ""), |(n, p)| (n, p));
    let numbers: Vec<u64> = numbers
        .split('.')
        .map(|n| n.parse().ok())
        .collect::<Option<_>>()?;
    let part = |i: usize| numbers.get(i).copied().unwrap_or(0);
    let version = Version {
        major: part(0),
        minor: part(1),
        patch: part(2),
        pre: Prerelease::new(pre).ok()?,
        build: BuildMetadata::new(build).ok()?,
    };
    Some(Constraint {
        operator,
        version,
        parts: numbers.len(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admits(constraint: &str, version: &str) -> bool {
        parse(constraint)
            .unwrap()
            .iter()
            .all(|c| c.admits(&Version::parse(version).unwrap()))
    }

    #[test]
    fn constraints_are_met_as_hashicorp_versions_are() {
        assert!(admits("> 0.0.1", "0.17.2"));
        assert!(admits(">= 0.14, < 1.0", "0.17.2"));
        assert!(!admits("~> 0.14.0", "0.17.2"));
        assert!(admits("~> 0.14", "0.17.2"));
        assert!(admits("0.17.2", "0.17.2"));
        assert!(!admits("> 0.0.1", "0.17.2-rc1"));
        assert!(parse("abc").is_none());
        assert!(parse("> ").is_none());
    }
}
