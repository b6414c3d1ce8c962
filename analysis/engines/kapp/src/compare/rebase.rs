//! A resource after rebasing on what is applied: the rules that decide whether it changed (kapp, Config: rebase
//! rules).

use serde_json::{Value as Json, json};

use super::default_rebase;
use super::fields::{self, Sources};
use super::labels::{matches, unknown_matcher};
use super::object;
use super::templates::DiffError;
use crate::matcher::{Matcher, PathPart};
use crate::read::{Config, PathRule, Rebase, RebaseRule};

/// The rules in force: kapp's own, then those of Configs.
pub(super) struct Rules<'a> {
    /// Each with the number of its Config, if it belongs to one.
    rebase: Vec<(Option<u32>, &'a RebaseRule)>,
    not_in_last_applied: Vec<&'a PathRule>,
    not_in_existing: Vec<&'a PathRule>,
}

impl<'a> Rules<'a> {
    /// The rules of these Configs, and kapp's panic at the first one that it does not know.
    pub(super) fn new(configs: &[&'a Config]) -> (Self, Option<DiffError>) {
        let own = |of: fn(&'a Config) -> &'a [PathRule]| configs.iter().flat_map(move |c| of(c));
        let rules = Self {
            rebase: default_rebase::rules()
                .iter()
                .map(|rule| (None, rule))
                .chain((0u32..).zip(configs).flat_map(|(number, config)| {
                    let rules = config.diff.rebase.iter();
                    rules.map(move |rule| (Some(number), rule))
                }))
                .collect(),
            not_in_last_applied: default_rebase::not_in_last_applied()
                .iter()
                .chain(own(|c| &c.diff.not_in_last_applied))
                .collect(),
            not_in_existing: default_rebase::not_in_existing()
                .iter()
                .chain(own(|c| &c.diff.not_in_existing))
                .collect(),
        };
        let panic = panic_of(configs);
        (rules, panic)
    }

    /// Whether two sets of rules are the same.
    pub(super) fn same_as(&self, other: &Self) -> bool {
        let rules = |rules: &Self| rules.rebase.iter().map(|(_, rule)| *rule).collect::<Vec<_>>();
        rules(self) == rules(other)
            && self.not_in_last_applied == other.not_in_last_applied
            && self.not_in_existing == other.not_in_existing
    }

    /// An object rebased on the existing one.
    ///
    /// # Errors
    /// With kapp's message if a rule does not fit.
    pub(super) fn rebase(&self, existing: &Json, new: &Json) -> Result<Json, DiffError> {
        let mut result = new.clone();
        let description = object::describe(new);
        for (config, rule) in &self.rebase {
            let within = |fault: DiffError| {
                let fault = fault.within(&format!("Applying rebase rule to {description}"));
                fault.of_rule(config.map(|number| (number, rule.place)))
            };
            let own = [None];
            let paths = rule.paths.iter().map(Some);
            let each: Vec<Option<&Vec<PathPart>>> = match rule.kind {
                Rebase::Copy(_) | Rebase::Remove => paths.collect(),
                _ => own.to_vec(),
            };
            for path in each {
                if !matches(&rule.matchers, &result)? {
                    continue;
                }
                let path = path.map_or(&[][..], Vec::as_slice);
                match &rule.kind {
                    Rebase::Copy(sources) => {
                        copy(&mut result, path, sources, existing, new).map_err(within)?
                    }
                    Rebase::Remove => remove(&mut result, path).map_err(within)?,
                    Rebase::ServiceAccount => service_account(&mut result, existing).map_err(|fault| {
                        within(
                            fault
                                .within("Applying ytt (overlayContractV1): Evaluating")
                                .partial(),
                        )
                    })?,
                    Rebase::Overlay => {
                        let fault = DiffError::unknown(format!(
                            "whether {description} changes depends on a ytt rebase rule, which is not run"
                        ));
                        return Err(fault.of_rule(config.map(|number| (number, rule.place))));
                    }
                    Rebase::Panics(words) => return Err(DiffError::panic(&**words)),
                }
            }
        }
        Ok(result)
    }

    /// An object without kapp's notes on it, and without what is never compared.
    ///
    /// # Errors
    /// With kapp's message if an exclusion does not fit.
    pub(super) fn comparable(&self, mut object: Json) -> Result<Json, DiffError> {
        without_history(&mut object);
        for rule in &self.not_in_existing {
            // kapp ignores the matchers of these rules.
            remove(&mut object, &rule.path)?;
        }
        Ok(object)
    }

    /// The differences between a saved object and what was applied, as kapp notes them on the object, and what
    /// was applied in the form that is compared.
    pub(super) fn noted(&self, saved: &Json, applied: &Json) -> Result<(Vec<Difference>, Json), DiffError> {
        let mut existing = saved.clone();
        for rule in &self.not_in_last_applied {
            remove(&mut existing, &rule.path)?;
        }
        let existing = self.comparable(existing)?;
        let applied = self.comparable(applied.clone())?;
        let rebased = self.rebase(&existing, &applied)?;
        Ok((differences(&existing, &rebased), applied))
    }
}

fn panic_of(configs: &[&Config]) -> Option<DiffError> {
    let unknown = |list: &[Matcher]| list.iter().any(Matcher::is_unknown);
    for (number, config) in (0u32..).zip(configs) {
        for rule in &config.diff.rebase {
            let place = Some((number, rule.place));
            if let Rebase::Panics(words) = &rule.kind {
                return Some(DiffError::panic(&**words).of_rule(place));
            }
            if unknown(&rule.matchers) {
                return Some(unknown_matcher().of_matcher(number, &rule.matchers));
            }
        }
    }
    let exclusions: [fn(&Config) -> &[PathRule]; 2] =
        [|c| &c.diff.not_in_last_applied, |c| &c.diff.not_in_existing];
    for of in exclusions {
        for (number, config) in (0u32..).zip(configs) {
            if let Some(rule) = of(config).iter().find(|rule| unknown(&rule.matchers)) {
                return Some(unknown_matcher().of_matcher(number, &rule.matchers));
            }
        }
    }
    None
}

fn copy(
    result: &mut Json,
    path: &[PathPart],
    sources: &[Box<str>],
    existing: &Json,
    new: &Json,
) -> Result<(), DiffError> {
    // Mappings that are created on a path to nothing are not kept.
    let keeps = fields::leads_through_mappings(result, path);
    for source in sources {
        let current = (!keeps || sources.iter().any(|s| &**s == "_current")).then(|| result.clone());
        let of = |name: &str| match name {
            "new" => Some(new),
            "existing" => Some(existing),
            "_current" => current.as_ref(),
            _ => None,
        };
        let Some(leading) = of(source) else { continue };
        let all: Vec<&Json> = sources.iter().filter_map(|s| of(s)).collect();
        let sources = Sources { leading, all: &all };
        match fields::copy(result, path, &sources) {
            Ok(true) => {}
            Ok(false) => {
                if let Some(current) = current {
                    *result = current;
                }
            }
            Err(fault) => return Err(fault.on("FieldCopyMod", path, &object::describe(result))),
        }
    }
    Ok(())
}

fn remove(object: &mut Json, path: &[PathPart]) -> Result<(), DiffError> {
    if let [PathPart::Key(key)] = path {
        if let Json::Object(map) = object {
            map.shift_remove(&**key);
        }
        return Ok(());
    }
    fields::remove(object, path).map_err(|fault| fault.on("FieldRemoveMod", path, &object::describe(object)))
}

/// kapp's notes about the last application.
pub(super) const HISTORY: [&str; 4] = [
    "kapp.k14s.io/original",
    "kapp.k14s.io/original-diff",
    "kapp.k14s.io/original-diff-md5",
    "kapp.k14s.io/original-diff-full",
];

pub(super) fn without_history(object: &mut Json) {
    object::without_annotations(object, &HISTORY);
}

/// The effect of kapp's overlay for ServiceAccounts: secrets that a cluster created for them stay.
fn service_account(result: &mut Json, existing: &Json) -> Result<(), DiffError> {
    let refused = || DiffError::error("");
    let name = object::of_metadata(existing, "name")
        .and_then(Json::as_str)
        .ok_or_else(refused)?;
    let list = |key: &str| match existing.get(key) {
        None => Ok(&[][..]),
        Some(Json::Array(list)) => Ok(list.as_slice()),
        Some(_) => Err(refused()),
    };
    let last = |list: &[Json], mark: &str| -> Result<Option<String>, DiffError> {
        let start = format!("{name}{mark}");
        let mut found = None;
        for entry in list {
            let name = entry["name"].as_str().ok_or_else(refused)?;
            if name.starts_with(&start) {
                found = Some(name.to_owned());
            }
        }
        Ok(found)
    };
    let (secrets, pull_secrets) = (list("secrets")?, list("imagePullSecrets")?);
    for (key, list, mark) in [
        ("imagePullSecrets", pull_secrets, "-dockercfg-"),
        ("secrets", secrets, "-token-"),
        ("secrets", secrets, "-dockercfg-"),
    ] {
        let Some(name) = last(list, mark)? else { continue };
        let Json::Object(map) = &mut *result else {
            return Err(refused());
        };
        let entry = map.entry(key).or_insert(Json::Null);
        match entry {
            Json::Null => *entry = json!([{ "name": name }]),
            Json::Array(list) if list.iter().any(|e| e["name"] == *name) => {}
            Json::Array(list) => list.push(json!({ "name": name })),
            _ => return Err(refused()),
        }
    }
    Ok(())
}

/// A differing field, and its value on either side.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Difference {
    path: Vec<String>,
    left: Option<Json>,
    right: Option<Json>,
}

/// The differences of two objects, field by field and entry by entry.
fn differences(left: &Json, right: &Json) -> Vec<Difference> {
    let mut out = Vec::new();
    let mut stack: Vec<(Vec<String>, Option<&Json>, Option<&Json>)> =
        vec![(Vec::new(), Some(left), Some(right))];
    while let Some((path, left, right)) = stack.pop() {
        let below = |key: String| {
            let mut path = path.clone();
            path.push(key);
            path
        };
        match (left, right) {
            (left, right) if left == right => {}
            (Some(Json::Object(one)), Some(Json::Object(two))) => {
                let keys = one.keys().chain(two.keys().filter(|k| !one.contains_key(*k)));
                stack.extend(keys.map(|key| (below(key.clone()), one.get(key), two.get(key))));
            }
            (Some(Json::Array(one)), Some(Json::Array(two))) => {
                let longer = one.len().max(two.len());
                stack.extend((0..longer).map(|at| (below(at.to_string()), one.get(at), two.get(at))));
            }
            (left, right) => out.push(Difference {
                path,
                left: left.cloned(),
                right: right.cloned(),
            }),
        }
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    out
}

#[cfg(test)]
mod tests {
    use super::super::object::object;
    use super::*;

    fn rebased(existing: &str, new: &str) -> Json {
        let (rules, panic) = Rules::new(&[]);
        assert!(panic.is_none());
        rules.rebase(&object(existing), &object(new)).unwrap()
    }

    #[test]
    fn metadata_comes_from_what_is_there_but_for_labels_and_annotations() {
        let made = rebased(
            "{kind: X, metadata: {name: a, uid: u, labels: {a: b}, annotations: {old: x}}}",
            "{kind: X, metadata: {name: a, labels: {c: d}}, spec: 1}",
        );
        assert_eq!(
            made,
            object("{kind: X, metadata: {name: a, uid: u, labels: {c: d}}, spec: 1}")
        );
    }

    #[test]
    fn a_cluster_may_set_the_address_of_a_service() {
        let service =
            |spec: &str| format!("{{apiVersion: v1, kind: Service, metadata: {{name: a}}, spec: {spec}}}");
        let made = rebased(&service("{clusterIP: 1.1.1.1, x: 1}"), &service("{}"));
        assert_eq!(made["spec"], json!({"clusterIP": "1.1.1.1"}));
        let made = rebased(&service("{clusterIP: 1.1.1.1}"), &service("{clusterIP: None}"));
        assert_eq!(made["spec"], json!({"clusterIP": "None"}));
    }

    #[test]
    fn the_secrets_that_a_cluster_makes_for_an_account_stay() {
        let account =
            |rest: &str| format!("{{apiVersion: v1, kind: ServiceAccount, metadata: {{name: a}}{rest}}}");
        let made = rebased(
            &account(
                ", secrets: [{name: a-token-x}, {name: other}], imagePullSecrets: [{name: a-dockercfg-y}]",
            ),
            &account(", secrets: [{name: mine}]"),
        );
        assert_eq!(made["secrets"], json!([{"name": "mine"}, {"name": "a-token-x"}]));
        assert_eq!(made["imagePullSecrets"], json!([{"name": "a-dockercfg-y"}]));
    }
}
