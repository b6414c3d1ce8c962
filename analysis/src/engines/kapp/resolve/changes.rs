//! Which changes a run makes, in kapp's order of changes (kapp, from resources to changes).

use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value as Json;

use super::bindings::{Sets, Whole};
use super::default_templates;
use super::load::{Item, Loaded};
use super::object;
use super::prepare::{Preparation, Prepared, describe};
use super::templates::{self, Fault, Named};
use crate::engines::kapp::facts::{Key, ObjectReference, Resource, TemplateRule};
use crate::engines::kapp::grammar::Op;
use crate::engines::kapp::matcher::{self, KindOnly, Matcher};

/// Which set of files an item is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Set {
    /// The files of the app.
    New,
    /// The snapshot of what is already applied.
    State,
}

/// One change.
#[derive(Clone, Debug)]
pub struct Change {
    /// What happens.
    pub op: Op,
    /// Its name when the graph is made, versions included.
    pub name: Box<str>,
    /// Its namespace; empty for none.
    pub namespace: Box<str>,
    pub(crate) set: Set,
    pub(crate) item: Item,
}

impl Change {
    /// As all of kapp's messages name it.
    pub(crate) fn describe(&self, r: &Resource) -> String {
        describe(&r.kind.value, &self.name, &r.api_version.value, &self.namespace)
    }
}

/// The changes of a deploy, and what hinders kapp from finding them out.
pub(crate) struct Deploy {
    pub(crate) changes: Vec<Change>,
    /// kapp's first error of its stage `diff`, and the resource it is about.
    pub(crate) fault: Option<(Fault, Option<Item>)>,
}

/// The changes of `kapp delete` after a deploy.
pub(crate) fn delete(sets: Sets<'_>, deployed: &[Change]) -> Vec<Change> {
    deployed
        .iter()
        .map(|change| {
            let owned = change.op != Op::Delete
                && sets
                    .resource(change)
                    .is_some_and(|r| !r.has(Key::Exists) && !r.has(Key::Noop));
            Change {
                op: if owned { Op::Delete } else { Op::Noop },
                ..change.clone()
            }
        })
        .collect()
}

/// What stands between the name and the version of a versioned resource.
const VERSION_MARK: &str = "-ver-";

/// A versioned name taken apart; the version is empty where there is none.
fn base_and_version(name: &str) -> (&str, &str) {
    name.rsplit_once(VERSION_MARK).unwrap_or((name, ""))
}

type Identity = (Box<str>, Box<str>, Box<str>, Box<str>);

fn identity(change: &Change, r: &Resource, name: &str) -> Identity {
    (
        change.namespace.clone(),
        r.group().into(),
        r.kind.value.clone(),
        name.into(),
    )
}

/// A resource of the app or of the cluster.
struct Entry<'a> {
    change: Change,
    resource: &'a Resource,
    loaded: &'a Loaded,
    /// Its object, where somebody wants to know it.
    object: Json,
}

impl Entry<'_> {
    fn whole(&self) -> Whole<'_> {
        Whole::new(&self.change, self.resource, self.loaded)
    }

    fn describe(&self) -> String {
        self.change.describe(self.resource)
    }

    fn base_identity(&self) -> Identity {
        let (base, _) = base_and_version(&self.change.name);
        // Nothing before the mark is no name.
        let name = if base.is_empty() { &*self.change.name } else { base };
        identity(&self.change, self.resource, name)
    }

    fn version(&self) -> Result<i64, Fault> {
        let (_, version) = base_and_version(&self.change.name);
        version.parse().map_err(|_| {
            Fault::panic(format!(
                "Invalid version in versioned resource '{}'",
                self.describe()
            ))
        })
    }

    fn named(&self) -> Named {
        Named {
            base: base_and_version(&self.change.name).0.to_owned(),
            name: self.change.name.to_string(),
            namespace: self.change.namespace.to_string(),
            kind: self.resource.kind.value.to_string(),
            api_version: self.resource.api_version.value.to_string(),
        }
    }
}

/// A set of resources that is deployed.
struct Side<'a, 'p> {
    loaded: &'a Loaded,
    prepared: &'p [Prepared],
    set: Set,
    rules: Vec<&'a TemplateRule>,
}

impl<'a> Side<'a, 'a> {
    fn new(loaded: &'a Loaded, preparation: &'a Preparation<'_>, set: Set) -> Self {
        let own = preparation.configs.iter().flat_map(|(_, c)| &c.templates);
        Self {
            loaded,
            prepared: &preparation.prepared,
            set,
            rules: default_templates::rules().iter().chain(own).collect(),
        }
    }
}

impl<'a> Side<'a, '_> {
    fn entry(&self, p: &Prepared) -> Option<Entry<'a>> {
        let resource = self.loaded.resource(p.item)?;
        Some(Entry {
            change: Change {
                op: if resource.has(Key::Noop) {
                    Op::Noop
                } else {
                    Op::Upsert
                },
                name: resource.name.value.clone(),
                namespace: p.namespace.clone(),
                set: self.set,
                item: p.item,
            },
            resource,
            loaded: self.loaded,
            object: Json::Null,
        })
    }
}

/// The changes of a deploy over what is already applied, or onto an empty cluster: new versions, old versions,
/// everything else in input order, then what is no longer there.
pub(crate) fn deploy(new: (&Loaded, &Preparation<'_>), state: Option<(&Loaded, &Preparation<'_>)>) -> Deploy {
    let existing = state.map_or_else(Vec::new, |(loaded, preparation)| {
        applied(&Side::new(loaded, preparation, Set::State))
    });
    let side = Side::new(new.0, new.1, Set::New);
    let done = Deployment::of(&side, &existing, state.is_some()).calculate(&existing);
    Deploy {
        changes: done.changes,
        fault: done.fault,
    }
}

/// What is on the cluster, in the order in which it was deployed. Manifests stand for what their first deploy
/// makes of them.
fn applied<'a>(side: &Side<'a, 'a>) -> Vec<Entry<'a>> {
    let mut stored: Vec<Entry<'a>> = Vec::new();
    let mut plain: Vec<Prepared> = Vec::new();
    for p in side.prepared {
        let Some(mut entry) = side.entry(p) else { continue };
        entry.object = object::of(entry.loaded, p.item);
        if object::is_of_cluster(&entry.object) {
            entry.change.op = Op::Upsert;
            stored.push(entry);
        } else {
            plain.push(p.clone());
        }
    }
    let manifests = Side {
        loaded: side.loaded,
        prepared: &plain,
        set: side.set,
        rules: side.rules.clone(),
    };
    let deployed = Deployment::of(&manifests, &[], true).calculate(&[]);
    let made = deployed.versioned.into_iter().chain(deployed.others);
    stored.extend(made.filter(|e| e.change.op == Op::Upsert && !e.resource.has(Key::Exists)));
    stored
}

/// A deploy that is worked out.
struct Deployment<'a> {
    versioned: Vec<Entry<'a>>,
    others: Vec<Entry<'a>>,
    rules: Vec<&'a TemplateRule>,
    fault: Option<(Fault, Option<Item>)>,
    changes: Vec<Change>,
}

/// The resources in which the references of a template rule stand: numbers of versioned ones, of others.
type Affected<'a> = Vec<(&'a ObjectReference, [Vec<usize>; 2])>;

impl<'a> Deployment<'a> {
    /// `compared`: whether it is compared with anything.
    fn of(side: &Side<'a, '_>, existing: &[Entry<'_>], compared: bool) -> Self {
        let mut out = Self {
            versioned: Vec::new(),
            others: Vec::with_capacity(side.prepared.len()),
            rules: side.rules.clone(),
            fault: None,
            changes: Vec::new(),
        };
        for p in side.prepared {
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
        if compared || !existing.is_empty() || !out.versioned.is_empty() {
            for entry in out.versioned.iter_mut().chain(&mut out.others) {
                entry.object = object::of(entry.loaded, entry.change.item);
                object::set_namespace(&mut entry.object, &entry.change.namespace);
            }
        }
        out
    }

    fn fail(&mut self, fault: Fault, item: Option<Item>) {
        self.fault.get_or_insert((fault, item));
    }

    fn calculate(mut self, existing: &[Entry<'_>]) -> Self {
        let (groups, order) = self.grouped(existing);
        self.assign_names(existing, &groups);
        if !self.versioned.is_empty() {
            let affected = self.affected();
            // What changes only because a reference in it changed is found the second time.
            let _ = self.versions(existing, &groups, &affected);
            self.changes = self.versions(existing, &groups, &affected);
        }
        self.old_versions(existing, &groups, &order);
        self.compare_others(existing);
        self
    }

    /// The versions of each resource on the cluster, oldest first, and the resources in their order.
    fn grouped(&mut self, existing: &[Entry<'_>]) -> (FxHashMap<Identity, Vec<usize>>, Vec<Identity>) {
        let mut groups: FxHashMap<Identity, Vec<usize>> = FxHashMap::default();
        let mut order = Vec::new();
        for (at, entry) in existing.iter().enumerate().filter(|(_, e)| is_version(e)) {
            let key = entry.base_identity();
            groups
                .entry(key.clone())
                .or_insert_with(|| {
                    order.push(key);
                    Vec::new()
                })
                .push(at);
        }
        for list in groups.values_mut().filter(|l| l.len() > 1) {
            for at in list.iter() {
                if let Some(Err(fault)) = existing.get(*at).map(Entry::version) {
                    self.fail(fault, None);
                }
            }
            list.sort_by_key(|at| existing.get(*at).and_then(|e| e.version().ok()));
        }
        (groups, order)
    }

    fn assign_names(&mut self, existing: &[Entry<'_>], groups: &FxHashMap<Identity, Vec<usize>>) {
        let mut faults = Vec::new();
        for entry in &mut self.versioned {
            let latest = groups.get(&entry.base_identity()).and_then(|l| l.last());
            let next = match latest.and_then(|at| existing.get(*at)).map(Entry::version) {
                None => 1,
                Some(Ok(version)) => version.saturating_add(1),
                Some(Err(fault)) => {
                    faults.push(fault);
                    1
                }
            };
            let name = format!("{}{VERSION_MARK}{next}", entry.change.name);
            if let Some(Json::Object(map)) = entry.object.get_mut("metadata") {
                map.insert("name".to_owned(), Json::String(name.clone()));
            }
            entry.change.name = name.into();
        }
        for fault in faults {
            self.fail(fault, None);
        }
    }

    /// Where the references of every template rule stand.
    fn affected(&mut self) -> Vec<Affected<'a>> {
        self.rules
            .iter()
            .map(|rule| {
                let references = rule.references.iter().map(|reference| {
                    let of = |list: &[Entry<'_>]| standing(list, &reference.matchers);
                    (reference, [of(&self.versioned), of(&self.others)])
                });
                references.collect()
            })
            .collect()
    }

    /// The changes of versioned resources; writes their names where they are referred to.
    fn versions(
        &mut self,
        existing: &[Entry<'_>],
        groups: &FxHashMap<Identity, Vec<usize>>,
        affected: &[Affected<'_>],
    ) -> Vec<Change> {
        let mut changes = Vec::new();
        for number in 0..self.versioned.len() {
            let Some(entry) = self.versioned.get(number) else {
                continue;
            };
            let list = groups.get(&entry.base_identity());
            let latest = list.and_then(|l| existing.get(*l.last()?));
            let (item, change) = (entry.change.item, entry.change.clone());
            let mut used = entry;
            match latest {
                None => changes.push(change),
                Some(_) if change.op == Op::Noop => {
                    changes.push(change);
                    self.fail(Fault::panic("Unexpected change op noop"), Some(item));
                    continue;
                }
                Some(latest) => {
                    let same = object::applied(&latest.object) == object::comparable(entry.object.clone());
                    if same || entry.resource.has(Key::Exists) {
                        changes.push(Change {
                            op: Op::Noop,
                            ..latest.change.clone()
                        });
                        used = latest;
                    } else {
                        changes.push(change);
                    }
                }
            }
            let (named, rules) = (used.named(), matched(used, &self.rules));
            match rules {
                Ok(rules) => self.write(&named, &rules, affected),
                Err(fault) => self.fail(fault, Some(item)),
            }
        }
        changes
    }

    /// Writes the name of a versioned resource wherever the rules lead: into resources without versions first.
    fn write(&mut self, named: &Named, rules: &[usize], affected: &[Affected<'_>]) {
        let mut faults: Vec<(Fault, Item)> = Vec::new();
        for (at, list) in [(1, &mut self.others), (0, &mut self.versioned)] {
            for rule in rules.iter().filter_map(|rule| affected.get(*rule)) {
                for (reference, standing) in rule {
                    if reference.matchers.iter().any(Matcher::is_unknown) {
                        let item = list.first().map(|e| e.change.item);
                        faults.extend(item.map(|item| (unknown_matcher(), item)));
                        continue;
                    }
                    for number in standing.get(at).into_iter().flatten() {
                        let Some(entry) = list.get_mut(*number) else {
                            continue;
                        };
                        let description = entry.change.describe(entry.resource);
                        let done = templates::write(&mut entry.object, reference, named, &description);
                        faults.extend(done.err().map(|fault| (fault, entry.change.item)));
                        // A rule of a Config can lead to the name of the resource itself.
                        let name = object::metadata(&entry.object, "name");
                        if !name.is_empty() && *entry.change.name != *name {
                            entry.change.name = name.into();
                        }
                    }
                }
                for entry in list.iter_mut() {
                    faults.extend(explicit(entry, named).map(|fault| (fault, entry.change.item)));
                }
            }
        }
        for (fault, item) in faults {
            self.fail(fault, Some(item));
        }
    }

    /// The versions that stay and those that go.
    fn old_versions(
        &mut self,
        existing: &[Entry<'_>],
        groups: &FxHashMap<Identity, Vec<usize>>,
        order: &[Identity],
    ) {
        let mut wanted: FxHashMap<Identity, (usize, Item)> = FxHashMap::default();
        let mut faults = Vec::new();
        for entry in &self.versioned {
            let key = entry.base_identity();
            let keep = match versions_to_keep(entry.resource) {
                Ok(keep) => keep,
                Err(fault) => {
                    if groups.contains_key(&key) {
                        faults.push((fault, entry.change.item));
                    }
                    1
                }
            };
            wanted.insert(key, (keep, entry.change.item));
        }
        for (fault, item) in faults {
            self.fail(fault, Some(item));
        }
        for key in order {
            let Some(list) = groups.get(key) else { continue };
            let kept = wanted.get(key).map_or(0, |(keep, _)| *keep).min(list.len());
            for (i, old) in list.iter().filter_map(|at| existing.get(*at)).enumerate() {
                // The newest is among the changes already where it is kept as it is.
                let same = |c: &Change| c.set == old.change.set && c.item == old.change.item;
                if self.changes.iter().any(same) {
                    continue;
                }
                let goes = i + kept < list.len();
                self.changes.push(Change {
                    op: if goes { Op::Delete } else { Op::Noop },
                    ..old.change.clone()
                });
            }
        }
    }

    /// The changes of everything else.
    fn compare_others(&mut self, existing: &[Entry<'_>]) {
        let mut there: FxHashMap<Identity, &Entry<'_>> = FxHashMap::default();
        let plain = || existing.iter().filter(|e| !is_version(e));
        let key = |e: &Entry<'_>| identity(&e.change, e.resource, &e.change.name);
        // Of two for one object the later one is what is there.
        there.extend(plain().map(|e| (key(e), e)));
        let mut checked: FxHashSet<Identity> = FxHashSet::default();
        for entry in &self.others {
            let mut op = entry.change.op;
            if !there.is_empty() {
                let key = key(entry);
                if let Some(old) = there.get(&key).filter(|_| op == Op::Upsert) {
                    let same = entry.resource.has(Key::Exists)
                        || object::applied(&old.object) == object::comparable(entry.object.clone());
                    op = if same { Op::Noop } else { Op::Upsert };
                }
                checked.insert(key);
            }
            self.changes.push(Change {
                op,
                ..entry.change.clone()
            });
        }
        for old in plain() {
            if checked.insert(key(old)) {
                let ignored = object::is_transient(&old.object);
                self.changes.push(Change {
                    op: if ignored { Op::Noop } else { Op::Delete },
                    ..old.change.clone()
                });
            }
        }
    }
}

/// Whether what is on the cluster is a version of a versioned resource.
fn is_version(entry: &Entry<'_>) -> bool {
    entry.resource.has(Key::Versioned)
        && !base_and_version(&entry.change.name).1.is_empty()
        && !object::is_transient(&entry.object)
}

fn unknown_matcher() -> Fault {
    Fault::panic("Unknown resource matcher specified: config.ResourceMatcher")
}

/// The rules that are for a versioned resource.
fn matched(entry: &Entry<'_>, rules: &[&TemplateRule]) -> Result<Vec<usize>, Fault> {
    let mut out = Vec::new();
    for (number, rule) in rules.iter().enumerate() {
        if rule.matchers.iter().any(Matcher::is_unknown) {
            return Err(unknown_matcher());
        }
        match matcher::any(&rule.matchers, &entry.whole()) {
            Ok(Some(true)) => out.push(number),
            Ok(_) => {}
            Err(matcher::Panics) => return Err(unknown_matcher()),
        }
    }
    Ok(out)
}

/// The entries that some matchers match.
fn standing(list: &[Entry<'_>], matchers: &[Matcher]) -> Vec<usize> {
    let mut kinds: FxHashMap<(&str, &str), Option<bool>> = FxHashMap::default();
    let mut out = Vec::new();
    for (number, entry) in list.iter().enumerate() {
        let (api_version, kind) = (&*entry.resource.api_version.value, &*entry.resource.kind.value);
        let of_kind = *kinds
            .entry((api_version, kind))
            .or_insert_with(|| matcher::any(matchers, &KindOnly { api_version, kind }).unwrap_or_default());
        let matches =
            of_kind.unwrap_or_else(|| matcher::any(matchers, &entry.whole()).is_ok_and(|m| m == Some(true)));
        if matches {
            out.push(number);
        }
    }
    out
}

/// Writes a name into the annotations that refer to it.
fn explicit(entry: &mut Entry<'_>, named: &Named) -> Option<Fault> {
    let mut first = None;
    for annotation in entry.resource.annotations() {
        let key = &*annotation.name.value;
        if !templates::is_explicit(key) {
            continue;
        }
        let text = object::annotation(&entry.object, key).unwrap_or("").to_owned();
        match templates::write_explicit(&text, key, named, &entry.describe()) {
            Ok(written) => {
                let annotations = entry.object.pointer_mut("/metadata/annotations");
                if let Some(Json::Object(map)) = annotations {
                    map.insert(key.to_owned(), Json::String(written));
                }
            }
            Err(fault) => {
                first.get_or_insert(fault.of_annotation(key));
            }
        }
    }
    first
}

/// How many versions of a resource stay.
fn versions_to_keep(r: &Resource) -> Result<usize, Fault> {
    let Some(written) = r.annotations().iter().find(|a| a.key == Key::NumVersions) else {
        return Ok(5);
    };
    let expected = |what: &str| {
        Fault::error(format!(
            "Expected annotation 'kapp.k14s.io/num-versions' value to be {what}"
        ))
        .of_annotation("kapp.k14s.io/num-versions")
    };
    match written.value.value.parse::<i64>() {
        Err(_) => Err(expected("an integer")),
        Ok(n) if n < 1 => Err(expected("a >= 1")),
        Ok(n) => Ok(usize::try_from(n).unwrap_or(usize::MAX)),
    }
}
