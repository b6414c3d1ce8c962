//! Which changes a run makes, in kapp's order of changes (kapp, from resources to changes).

use rustc_hash::FxHashMap;

use super::bindings::Sets;
use super::load::{Item, Loaded};
use super::prepare::{Prepared, describe, digest};
use super::references;
use crate::engines::kapp::facts::{Compare, Key, Resource};
use crate::engines::kapp::grammar::Op;

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

/// What stands between the name and the version of a versioned resource.
const VERSION_MARK: &str = "-ver-";

/// The changes of a first deploy onto an empty cluster.
pub(crate) fn first_deploy(loaded: &Loaded, prepared: &[Prepared]) -> Vec<Change> {
    let mut versioned = Vec::new();
    let mut rest = Vec::with_capacity(prepared.len());
    for p in prepared {
        let Some(r) = loaded.resource(p.item) else {
            continue;
        };
        let change = |name: Box<str>| Change {
            op: if r.has(Key::Noop) { Op::Noop } else { Op::Upsert },
            name,
            namespace: p.namespace.clone(),
            set: Set::New,
            item: p.item,
        };
        if r.has(Key::Versioned) {
            versioned.push(change(format!("{}{VERSION_MARK}1", r.name.value).into()));
            if !r.has(Key::KeepOriginal) {
                continue;
            }
        }
        rest.push(change(r.name.value.clone()));
    }
    versioned.append(&mut rest);
    versioned
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

/// A resource on the cluster.
struct Applied<'a> {
    change: Change,
    resource: &'a Resource,
    /// The name without its version, and the version.
    base: Option<(Box<str>, u64)>,
}

/// A versioned name taken apart.
fn base_and_version(name: &str) -> Option<(&str, u64)> {
    let (base, version) = name.rsplit_once(VERSION_MARK)?;
    Some((base, version.parse().ok()?))
}

/// Whether a snapshot is of a cluster, where versioned resources have their numbers already.
fn is_numbered(r: &Resource) -> bool {
    r.has_annotation("kapp.k14s.io/identity") || base_and_version(&r.name.value).is_some()
}

/// What is on the cluster, in the order in which it was deployed.
fn applied<'a>(state: &'a Loaded, prepared: &[Prepared]) -> Vec<Applied<'a>> {
    let mut out = Vec::new();
    let (numbered, plain): (Vec<_>, Vec<_>) = prepared.iter().cloned().partition(|p| {
        state
            .resource(p.item)
            .is_some_and(|r| r.has(Key::Versioned) && is_numbered(r))
    });
    let numbered = numbered.into_iter().filter_map(|p| {
        let name = state.resource(p.item)?.name.value.clone();
        Some(Change {
            op: Op::Upsert,
            name,
            namespace: p.namespace,
            set: Set::State,
            item: p.item,
        })
    });
    for change in numbered.chain(first_deploy(state, &plain)) {
        let Some(resource) = state.resource(change.item) else {
            continue;
        };
        if change.op != Op::Upsert || resource.has(Key::Exists) {
            continue;
        }
        let base = base_and_version(&change.name)
            .filter(|_| resource.has(Key::Versioned))
            .map(|(base, version)| (Box::from(base), version));
        out.push(Applied {
            change: Change {
                set: Set::State,
                ..change
            },
            resource,
            base,
        });
    }
    out
}

type Identity<'a> = (Box<str>, &'a str, &'a str, Box<str>);

fn identity<'a>(namespace: &str, r: &'a Resource, name: &str) -> Identity<'a> {
    (namespace.into(), r.group(), &r.kind.value, name.into())
}

/// How many versions of a resource stay.
fn versions_to_keep(r: &Resource) -> usize {
    let written = r.annotations().iter().find(|a| a.key == Key::NumVersions);
    written
        .and_then(|a| a.value.value.parse::<usize>().ok())
        .filter(|n| *n >= 1)
        .unwrap_or(5)
}

/// The changes of a deploy over what is already applied: new versions, old versions, everything else in
/// input order, then what is no longer there.
pub(crate) fn update(
    loaded: &Loaded,
    prepared: &[Prepared],
    state: &Loaded,
    state_prepared: &[Prepared],
) -> Vec<Change> {
    let applied = applied(state, state_prepared);
    let mut versions: FxHashMap<Identity<'_>, Vec<usize>> = FxHashMap::default();
    let mut version_order: Vec<Identity<'_>> = Vec::new();
    let mut others: FxHashMap<Identity<'_>, usize> = FxHashMap::default();
    let mut seen = vec![false; applied.len()];
    for (at, a) in applied.iter().enumerate() {
        match &a.base {
            Some((base, _)) => {
                let key = identity(&a.change.namespace, a.resource, base);
                let list = versions.entry(key.clone()).or_insert_with(|| {
                    version_order.push(key);
                    Vec::new()
                });
                list.push(at);
            }
            None => {
                let key = identity(&a.change.namespace, a.resource, &a.change.name);
                // Two entries for one object: the later one is what is there.
                if let Some(earlier) = others.insert(key, at).and_then(|at| seen.get_mut(at)) {
                    *earlier = true;
                }
            }
        }
    }
    for list in versions.values_mut() {
        list.sort_by_key(|at| applied.get(*at).and_then(|a| a.base.as_ref()).map_or(0, |b| b.1));
    }
    let deployed = first_deploy(loaded, prepared);
    let split = deployed
        .iter()
        .position(|c| loaded.resource(c.item).is_none_or(|r| *r.name.value == *c.name))
        .unwrap_or(deployed.len());
    let (versioned, rest) = deployed.split_at(split);
    // A reference to a resource that gets a new version makes its owner change as well.
    let mut renamed: Vec<references::Renamed> = Vec::new();
    let same_content = |change: &Change, old: &Applied<'_>| {
        digest(loaded, change.item, Compare::Applied) == digest(state, old.change.item, Compare::Applied)
    };
    let mut out = Vec::new();
    for change in versioned {
        let Some(r) = loaded.resource(change.item) else {
            continue;
        };
        let list = versions.get(&identity(&change.namespace, r, &r.name.value));
        let Some(latest) = list.and_then(|l| l.last()).and_then(|at| applied.get(*at)) else {
            out.push(change.clone());
            continue;
        };
        if change.op == Op::Noop {
            out.push(change.clone());
        } else if same_content(change, latest) {
            out.push(Change {
                op: Op::Noop,
                ..latest.change.clone()
            });
        } else {
            let next = latest.base.as_ref().map_or(0, |b| b.1) + 1;
            renamed.push(references::Renamed {
                kind: r.kind.value.clone(),
                namespace: change.namespace.clone(),
                name: r.name.value.clone(),
            });
            out.push(Change {
                name: format!("{}{VERSION_MARK}{next}", r.name.value).into(),
                ..change.clone()
            });
        }
    }
    let keep: FxHashMap<Identity<'_>, usize> = versioned
        .iter()
        .filter_map(|c| {
            let r = loaded.resource(c.item)?;
            Some((identity(&c.namespace, r, &r.name.value), versions_to_keep(r)))
        })
        .collect();
    for key in &version_order {
        let Some(list) = versions.get(key) else { continue };
        let kept = keep.get(key).copied().unwrap_or(0).min(list.len());
        for (i, old) in list.iter().filter_map(|at| applied.get(*at)).enumerate() {
            // The newest is among the changes already where it is kept as it is.
            if out
                .iter()
                .any(|c| c.set == Set::State && c.item == old.change.item)
            {
                continue;
            }
            out.push(Change {
                op: if i + kept < list.len() {
                    Op::Delete
                } else {
                    Op::Noop
                },
                ..old.change.clone()
            });
        }
    }
    for change in rest {
        let Some(r) = loaded.resource(change.item) else {
            continue;
        };
        let found = others.get(&identity(&change.namespace, r, &change.name)).copied();
        let old = found.and_then(|at| {
            if let Some(seen) = seen.get_mut(at) {
                *seen = true;
            }
            applied.get(at)
        });
        let op = match old {
            _ if change.op == Op::Noop => Op::Noop,
            None => Op::Upsert,
            Some(_) if r.has(Key::Exists) => Op::Noop,
            Some(old) if same_content(change, old) && !references::mentions(loaded, change, &renamed) => {
                Op::Noop
            }
            Some(_) => Op::Upsert,
        };
        out.push(Change { op, ..change.clone() });
    }
    for (old, seen) in applied.iter().zip(seen) {
        if old.base.is_none() && !seen {
            out.push(Change {
                op: Op::Delete,
                ..old.change.clone()
            });
        }
    }
    out
}
