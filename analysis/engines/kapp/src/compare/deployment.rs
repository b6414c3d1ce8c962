//! A computed deploy: resources are compared with the existing ones.

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use std::sync::Arc;

use super::rebase::Rules;
use super::snapshot::{Compared, Stored, compare};
use super::templates::DiffError;
use super::versions::is_version;
use super::{Change, Entry, Identity, LocatedError, Side, identity};
use super::{default_templates, labels, object};
use crate::grammar::Op;
use crate::model::Set;
use crate::model::inputs::Item;
use crate::model::prepare::{NONCE, renewed_after};
use crate::read::{Config, Document, Key, TemplateRule};

/// A computed deploy.
pub(super) struct Deployment<'a> {
    pub(super) versioned: Vec<Entry<'a>>,
    pub(super) others: Vec<Entry<'a>>,
    pub(super) templates: Vec<&'a TemplateRule>,
    pub(super) rules: Rules<'a>,
    pub(super) changes: Vec<Change>,
    pub(super) blocked: Option<LocatedError>,
    pub(super) unknown: Vec<LocatedError>,
    /// Whether the objects are known.
    whole: bool,
}

impl<'a> Deployment<'a> {
    /// `compared`: whether it is compared with anything.
    pub(super) fn of(side: &Side<'a, '_>, compared: bool) -> Self {
        let own = side.configs.iter().flat_map(|c| &c.templates);
        let (rules, panic) = Rules::new(&side.configs);
        let mut out = Self {
            versioned: Vec::new(),
            others: Vec::with_capacity(side.wanted.len()),
            templates: default_templates::rules().iter().chain(own).collect(),
            rules,
            changes: Vec::new(),
            blocked: panic.map(|fault| LocatedError { fault, item: None }),
            unknown: Vec::new(),
            whole: compared || side.configs.iter().any(|c| !c.diff.not_in_existing.is_empty()),
        };
        let is_labelled = side.configs.iter().any(|c| c.diff.labels_anything());
        out.whole |= is_labelled || side.asks_for_fields;
        for p in side.wanted {
            let Some(entry) = side.entry(p) else { continue };
            if !entry.resource.has(Key::Versioned) {
                out.others.push(entry);
                continue;
            }
            if entry.resource.has(Key::KeepOriginal) {
                out.others.extend(side.entry(p));
            }
            out.versioned.push(entry);
        }
        out.whole |= !out.versioned.is_empty();
        if out.whole {
            for entry in out.versioned.iter_mut().chain(&mut out.others) {
                entry.object = object::of(entry.inputs, entry.change.item);
                entry.written = side.asks_for_fields.then(|| entry.object.clone());
                object::set_namespace(&mut entry.object, &entry.change.namespace);
                if is_labelled {
                    entry.written.get_or_insert_with(|| entry.object.clone());
                }
                complete(entry, &side.configs, side.label);
            }
        }
        out
    }

    pub(super) fn fail(&mut self, fault: DiffError, item: Option<Item>) {
        let blocked = LocatedError { fault, item };
        if blocked.fault.unknown {
            self.unknown.push(blocked);
        } else {
            self.blocked.get_or_insert(blocked);
        }
    }

    pub(super) fn calculate(mut self, existing: &[Stored<'_>]) -> Self {
        self.versioned_changes(existing);
        self.other_changes(existing);
        self
    }

    /// Compares an entry, whose object is known, with the existing one.
    pub(super) fn compared(
        &mut self,
        stored: Option<&Stored<'_>>,
        wanted: &Json,
        item: Item,
    ) -> Option<Compared> {
        match compare(&self.rules, stored, Some(wanted)) {
            Ok(compared) => Some(compared),
            Err(fault) => {
                self.fail(fault, Some(item));
                None
            }
        }
    }

    /// kapp writes the time into a resource that must be renewed and was applied too long ago.
    fn renew(&mut self, entry: &Entry<'_>, change: &mut Change) {
        if entry.resource.has(Key::Noop) {
            return;
        }
        match renewed_after(entry.resource) {
            None => {}
            Some(after) if after <= 0 => change.op = Op::Upsert,
            Some(_) => {
                let text = format!("whether {} is renewed depends on the time", entry.describe());
                self.fail(DiffError::unknown(text), Some(change.item));
            }
        }
    }

    /// The changes of all resources without versions.
    fn other_changes(&mut self, existing: &[Stored<'_>]) {
        let mut there: FxHashMap<Identity, &Stored<'_>> = FxHashMap::default();
        let plain = || existing.iter().filter(|s| !is_version(s));
        let key = |e: &Entry<'_>| identity(&e.change, e.resource, &e.change.name);
        // Of two for one object the later one is the existing one.
        there.extend(plain().map(|s| (key(&s.entry), s)));
        let mut checked: FxHashSet<Identity> = FxHashSet::default();
        let mut others = std::mem::take(&mut self.others);
        for entry in &mut others {
            let mut change = entry.change.clone();
            if self.whole {
                let key = key(entry);
                let old = there.get(&key).copied();
                if let Some(compared) = self.compared(old, &entry.object, change.item) {
                    change = outcome(entry, &compared, old.is_some());
                }
                if old.is_some() && change.op == Op::Noop {
                    self.renew(entry, &mut change);
                }
                checked.insert(key);
            }
            self.changes.push(change);
        }
        self.others = others;
        for old in plain() {
            if checked.insert(key(&old.entry)) {
                let mut change = old.entry.change.clone();
                match compare(&self.rules, Some(old), None) {
                    Ok(compared) => see_as(&mut change, &old.entry, compared.result.as_ref()),
                    Err(fault) => self.fail(fault, None),
                }
                change.op = if old.transient { Op::Noop } else { Op::Delete };
                self.changes.push(change);
            }
        }
    }
}

/// The result of comparing a change: annotations are used as they are after rebasing.
pub(super) fn outcome(entry: &Entry<'_>, compared: &Compared, exists: bool) -> Change {
    let mut change = entry.change.clone();
    let Some(result) = &compared.result else {
        return change;
    };
    let has = |key: &str| object::annotation(result, key).is_some();
    let left = has("kapp.k14s.io/noop") || exists && (!compared.changed || has("kapp.k14s.io/exists"));
    change.op = if left { Op::Noop } else { Op::Upsert };
    see_as(&mut change, entry, Some(result));
    change
}

/// Makes the graph see a change as its object is after the comparison.
pub(super) fn see_as(change: &mut Change, entry: &Entry<'_>, object: Option<&Json>) {
    let written = entry.written.as_ref().unwrap_or(&entry.object);
    let is_alike = |object: &Json| match entry.asks_for_fields {
        true => written == object,
        false => is_seen_alike(written, object),
    };
    let Some(object) = object.filter(|object| !is_alike(object)) else {
        return;
    };
    // An item with `items` of its own is not a list to kapp.
    let text = match object.get("items") {
        Some(Json::Array(_)) => format!("{{\"items\":[{object}]}}"),
        _ => object.to_string(),
    };
    let document = Document::read(&text);
    if let Some(seen) = document.resources.first() {
        change.name = (&*seen.name.value).into();
        change.namespace = (&*seen.namespace.value).into();
        change.rebased = Some(Arc::new(document));
    }
}

/// Whether the graph sees no difference between two objects: of the metadata only names and annotations matter.
fn is_seen_alike(one: &Json, two: &Json) -> bool {
    let (Some(left), Some(right)) = (one.as_object(), two.as_object()) else {
        return one == two;
    };
    let metadata = ["name", "generateName", "namespace", "annotations"];
    metadata
        .iter()
        .all(|key| one["metadata"].get(*key) == two["metadata"].get(*key))
        && left.len() == right.len()
        && left
            .iter()
            .all(|(key, value)| key == "metadata" || right.get(key) == Some(value))
}

/// Writes into an object what kapp adds to it before comparing it.
fn complete(entry: &mut Entry<'_>, configs: &[&Config], label: &str) {
    if object::annotation(&entry.object, NONCE).is_some()
        && let Some(annotations) = entry.object.pointer_mut("/metadata/annotations")
    {
        // kapp writes the time: the resource differs on every run.
        annotations[NONCE] = Json::from(match entry.change.set {
            Set::New => "now",
            Set::State => "then",
        });
    }
    // An obstacle for labels was reported before.
    let _ = labels::write(&mut entry.object, configs, label);
}
