//! The labels that kapp writes into what it applies (kapp, labels).

use std::sync::LazyLock;

use serde_json::Value as Json;

use super::fields;
use super::object::{self, Object};
use super::templates::DiffError;
use crate::matcher::{self, Matcher, Panics, PathPart, Subject as _};
use crate::read::{ALL, Config, LABEL_PATHS};

/// The label that names the app of a resource.
pub(super) const APP: &str = "kapp.k14s.io/app";
/// The label that associates an object with one of kapp's resources; controllers copy it to what they create.
pub(super) const ASSOCIATION: &str = "kapp.k14s.io/association";

/// The value of the association label of an object under its own name or another.
pub(super) fn association(object: &Json, name: Option<&str>) -> String {
    format!("v1.{:x}", md5::compute(Object(object).key(name)))
}

static PATHS: LazyLock<Vec<Vec<PathPart>>> = LazyLock::new(|| {
    let part = |part: &&str| match *part {
        ALL => PathPart::All,
        key => PathPart::Key(key.into()),
    };
    let paths = LABEL_PATHS.iter().map(|p| p.path.iter().map(part).collect());
    paths.collect()
});

/// Writes the labels into an object, as the Configs in force say.
///
/// # Errors
/// With kapp's message if something prevents it.
pub(super) fn write<'a>(object: &mut Json, configs: &[&'a Config], app: &str) -> Result<(), DiffError> {
    let association = association(object, None);
    let mut owned: Vec<(&str, &str)> = vec![(APP, app), (ASSOCIATION, &association)];
    let additional = configs.iter().flat_map(|c| &c.diff.labels);
    owned.extend(additional.map(|(key, text)| (&**key, &**text)));
    let scoped = [(APP, app)];
    for (selectors, texts) in [(false, owned.as_slice()), (true, &scoped)] {
        let rules_of = |config: &&'a Config| match selectors {
            false => &config.diff.ownership,
            true => &config.diff.scoping,
        };
        // kapp checks all matchers before it writes any of these labels.
        for (number, config) in (0u32..).zip(configs) {
            let mut rules = rules_of(config).iter();
            if let Some(rule) = rules.find(|rule| rule.matchers.iter().any(Matcher::is_unknown)) {
                return Err(unknown_matcher().of_matcher(number, &rule.matchers));
            }
        }
        for (rule, path) in LABEL_PATHS.iter().zip(PATHS.iter()) {
            if rule.is_selector() != selectors {
                continue;
            }
            let subject = Object(object);
            let annotated = |key: &str| object::annotation(subject.0, key).is_some();
            if rule.is_for(subject.api_version(), subject.kind(), annotated) {
                append(object, path, texts, selectors)?;
            }
        }
        for rule in configs.iter().flat_map(rules_of) {
            if matches(&rule.matchers, object)? {
                append(object, &rule.path, texts, selectors)?;
            }
        }
    }
    Ok(())
}

fn append(
    object: &mut Json,
    path: &[PathPart],
    texts: &[(&str, &str)],
    only_there: bool,
) -> Result<(), DiffError> {
    let description = object::describe(object);
    fields::append(object, path, texts, only_there)
        .map_err(|fault| fault.on("StringMapAppendMod", path, &description))
}

/// Whether any of some matchers matches an object.
///
/// # Errors
/// When kapp panics at one of them.
pub(super) fn matches(matchers: &[Matcher], object: &Json) -> Result<bool, DiffError> {
    match matcher::any(matchers, &Object(object)) {
        Ok(matches) => Ok(matches == Some(true)),
        Err(panics) => Err(DiffError::panic(panics.0)),
    }
}

/// kapp's panic for a matcher that it does not know.
pub(super) fn unknown_matcher() -> DiffError {
    DiffError::panic(Panics::UNKNOWN.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_written_where_kapp_writes_them() {
        let mut object = object::object(
            "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: prod}, spec: {selector: {matchLabels: {}}, template: {}}}",
        );
        write(&mut object, &[], "7").unwrap();
        let association = association(&object, None);
        assert_eq!(association, "v1.0287161eab6631961f585d4aa3aa115b");
        assert_eq!(object["metadata"]["labels"][ASSOCIATION], association);
        assert_eq!(object["spec"]["template"]["metadata"]["labels"][APP], "7");
        assert_eq!(
            object["spec"]["selector"]["matchLabels"],
            serde_json::json!({APP: "7"})
        );
    }
}
