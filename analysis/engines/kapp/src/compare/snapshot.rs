//! The state of the cluster according to a snapshot: objects that were read from a cluster, or manifests that
//! were deployed.

use serde_json::{Map, Value as Json};

use super::deployment::Deployment;
use super::labels::{self, ASSOCIATION};
use super::object::{self, Object};
use super::rebase::{Difference, Rules, without_history};
use super::templates::DiffError;
use super::{Entry, Side};
use crate::grammar::Op;

/// What is known of what kapp applied last.
pub(super) enum Applied {
    /// What was applied, and how what was saved differed from it then.
    Recorded(Json, Vec<Difference>),
    /// kapp's note on the object.
    Noted(Json),
    /// kapp keeps no note of it.
    Unrecorded,
    /// kapp removes its notes when it prints an object.
    Lost,
}

/// A resource on the cluster.
pub(super) struct Stored<'a> {
    pub(super) entry: Entry<'a>,
    pub(super) applied: Applied,
    /// Whether a controller created it and not kapp.
    pub(super) transient: bool,
}

/// The result of a comparison.
pub(super) struct Compared {
    /// Whether there is anything to apply.
    pub(super) changed: bool,
    /// The object that would be applied; the existing one as kapp sees it, if it is to be deleted.
    pub(super) result: Option<Json>,
}

impl Stored<'_> {
    /// What was applied last, if it still explains the existing object.
    fn last_applied(&self, rules: &Rules<'_>) -> Option<Json> {
        match &self.applied {
            Applied::Recorded(applied, then) => {
                let (now, applied) = rules.noted(&self.entry.object, applied).ok()?;
                (now == *then).then_some(applied)
            }
            Applied::Noted(applied) => rules.comparable(applied.clone()).ok(),
            Applied::Unrecorded | Applied::Lost => None,
        }
    }
}

/// Compares the existing object with the desired one, as kapp does.
///
/// # Errors
/// With kapp's message if a rule does not fit.
pub(super) fn compare(
    rules: &Rules<'_>,
    stored: Option<&Stored<'_>>,
    wanted: Option<&Json>,
) -> Result<Compared, DiffError> {
    let mut rebased = None;
    let existing = match stored {
        Some(stored) => {
            let there = &stored.entry.object;
            let base = match stored.last_applied(rules) {
                Some(applied) => {
                    let base = rules.rebase(there, &applied)?;
                    rebased = Some((applied, base.clone()));
                    base
                }
                None => there.clone(),
            };
            Some(rules.comparable(base)?)
        }
        None => None,
    };
    let Some(wanted) = wanted else {
        return Ok(Compared {
            changed: true,
            result: existing,
        });
    };
    let mut result = rules.comparable(wanted.clone())?;
    let (Some(stored), Some(existing)) = (stored, existing) else {
        return Ok(Compared {
            changed: true,
            result: Some(result),
        });
    };
    result = match rebased {
        Some((applied, base)) if applied == result => base,
        _ => rules.rebase(&stored.entry.object, &result)?,
    };
    let same = match stored.applied {
        Applied::Lost => super::subset::is_within(&result, &existing),
        _ => result == existing,
    };
    Ok(Compared {
        changed: !same,
        result: Some(result),
    })
}

const IDENTITY: &str = "kapp.k14s.io/identity";

/// Whether an object was read from a cluster and not from a manifest.
fn is_of_cluster(object: &Json) -> bool {
    !object::metadata(object, "uid").is_empty()
        || !object::metadata(object, "resourceVersion").is_empty()
        || object::annotation(object, IDENTITY).is_some()
        || object::annotation(object, "kapp.k14s.io/original").is_some()
}

/// Whether an object on a cluster was created by a controller and not by kapp. kapp decides by an annotation
/// that names the object itself, and removes it before it prints one of its own. What remains then is the label
/// of association: controllers copy that of the resource they serve.
fn is_transient(object: &Json) -> bool {
    let own = Object(object).key(None);
    if let Some(identity) = object::annotation(object, IDENTITY) {
        let mut parts = identity.split(';');
        let (version, key) = (parts.next(), parts.next());
        return version != Some("v1") || key != Some(&*own) || parts.count() != 1;
    }
    let label = object::texts(object, "labels").and_then(|l| l.get(ASSOCIATION)?.as_str());
    if let Some(label) = label {
        let base = super::base_and_version(object::metadata(object, "name")).0;
        return label != labels::association(object, None)
            && label != labels::association(object, Some(base));
    }
    let owners = object::of_metadata(object, "ownerReferences").and_then(Json::as_array);
    owners.is_some_and(|owners| !owners.is_empty())
}

/// The objects on the cluster, in the order in which they were deployed. Manifests represent the result of
/// their first deploy.
pub(super) fn applied<'a>(side: &Side<'a, 'a>, now: &Rules<'_>) -> Vec<Stored<'a>> {
    let mut stored: Vec<Stored<'a>> = Vec::new();
    let mut plain = Vec::new();
    for p in side.wanted {
        let Some(mut entry) = side.entry(p) else { continue };
        entry.object = object::of(entry.inputs, p.item);
        entry.written = entry.asks_for_fields.then(|| entry.object.clone());
        if is_of_cluster(&entry.object) {
            stored.push(of_cluster(entry));
        } else {
            plain.push(p.clone());
        }
    }
    let manifests = Side {
        wanted: &plain,
        configs: side.configs.clone(),
        ..*side
    };
    let deployed = Deployment::of(&manifests, true).calculate(&[]);
    let rules = deployed.rules;
    let same = rules.same_as(now);
    let made = deployed.versioned.into_iter().chain(deployed.others);
    stored.extend(made.filter_map(|entry| saved(entry, &rules, same)));
    stored
}

fn of_cluster(mut entry: Entry<'_>) -> Stored<'_> {
    let transient = is_transient(&entry.object);
    entry.change.op = Op::Upsert;
    entry.change.left_to_cluster = transient && object::annotation(&entry.object, OWNED).is_none();
    let noted = object::annotation(&entry.object, "kapp.k14s.io/original").and_then(object::parsed);
    let applied = match noted {
        Some(applied) => Applied::Noted(applied),
        None if transient || object::annotation(&entry.object, DISABLED).is_some() => Applied::Unrecorded,
        None => Applied::Lost,
    };
    object::without_annotations(&mut entry.object, &[IDENTITY]);
    if matches!(applied, Applied::Lost) {
        // The notes are on the cluster, whatever their content: a rebase rule that copies annotations copies
        // them.
        note(&mut entry.object, ".");
    }
    Stored {
        entry,
        applied,
        transient,
    }
}

/// The label of the app of an object on a cluster.
pub(super) fn app_label(object: &Json) -> Option<&str> {
    let label = object::texts(object, "labels")?.get(labels::APP)?.as_str()?;
    (!object::metadata(object, "uid").is_empty()).then_some(label)
}

/// The annotation that makes `kapp delete` also delete what a controller created.
const OWNED: &str = "kapp.k14s.io/owned-for-deletion";

const DISABLED: &str = "kapp.k14s.io/disable-original";

/// The longest possible text of an annotation.
const LONGEST: usize = 262_144;

/// The result of a first deploy of a resource, with the note that kapp makes. `same`: by the rules that it will
/// be compared with. `None`: annotations that no exclusion removes leave its creation to others.
fn saved<'a>(mut entry: Entry<'a>, rules: &Rules<'_>, same: bool) -> Option<Stored<'a>> {
    let wanted = rules.comparable(std::mem::take(&mut entry.object)).ok()?;
    let is_left = ["kapp.k14s.io/noop", "kapp.k14s.io/exists"]
        .iter()
        .any(|key| object::annotation(&wanted, key).is_some());
    if is_left {
        return None;
    }
    entry.change.op = Op::Upsert;
    entry.object = wanted.clone();
    // kapp's annotation that names the object is added and removed again: the mapping stays.
    let annotated = annotations(&mut entry.object).is_some();
    let text = wanted.to_string();
    let allowed = annotated && object::annotation(&wanted, DISABLED).is_none() && text.len() <= LONGEST;
    // By the same rules the note explains the existing object.
    let noted = match same {
        true => Some(None),
        false => rules.noted(&entry.object, &wanted).ok().map(Some),
    };
    let applied = match noted.filter(|_| allowed) {
        Some(None) if note(&mut entry.object, &text) => Applied::Noted(wanted),
        Some(Some((differences, _))) if note(&mut entry.object, &text) => {
            Applied::Recorded(wanted, differences)
        }
        _ => Applied::Unrecorded,
    };
    Some(Stored {
        entry,
        applied,
        transient: false,
    })
}

/// The annotations of an object, created if missing; `None` if another value is there.
fn annotations(object: &mut Json) -> Option<&mut Map<String, Json>> {
    let metadata = object.get_mut("metadata")?.as_object_mut()?;
    let annotations = metadata.entry("annotations").or_insert(Json::Null);
    if annotations.is_null() {
        *annotations = Json::Object(Map::new());
    }
    annotations.as_object_mut()
}

/// Writes kapp's note on an object; returns whether it can be read again.
fn note(object: &mut Json, text: &str) -> bool {
    let Some(map) = annotations(object) else {
        return false;
    };
    map.insert("kapp.k14s.io/original".to_owned(), Json::from(text));
    map.insert("kapp.k14s.io/original-diff-md5".to_owned(), Json::from("."));
    let readable = map.values().all(Json::is_string);
    if !readable {
        without_history(object);
    }
    readable
}

#[cfg(test)]
mod tests {
    use super::super::object::object;
    use super::*;

    #[test]
    fn an_object_is_kapps_own_where_its_label_or_its_annotation_names_it() {
        let labeled = |kind: &str, label: &str| {
            object(&format!(
                "{{apiVersion: v1, kind: {kind}, metadata: {{name: web, namespace: prod, uid: u, labels: {{kapp.k14s.io/association: {label}}}}}}}"
            ))
        };
        let service = format!("v1.{:x}", md5::compute("prod//Service/web"));
        assert!(!is_transient(&labeled("Service", &service)));
        assert!(is_transient(&labeled("Endpoints", &service)));
        let annotated = |identity: &str| {
            object(&format!(
                "{{apiVersion: v1, kind: Service, metadata: {{name: web, namespace: prod, uid: u, annotations: {{kapp.k14s.io/identity: '{identity}'}}}}}}"
            ))
        };
        assert!(!is_transient(&annotated("v1;prod//Service/web;v1")));
        assert!(is_transient(&annotated("v1;prod/apps/Deployment/web;apps/v1")));
    }

    #[test]
    fn versions_are_labelled_by_their_base_name() {
        let label = format!("v1.{:x}", md5::compute("prod//ConfigMap/cfg"));
        let version = object(&format!(
            "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: cfg-ver-3, namespace: prod, uid: u, labels: {{kapp.k14s.io/association: {label}}}}}}}"
        ));
        assert!(!is_transient(&version));
    }
}
