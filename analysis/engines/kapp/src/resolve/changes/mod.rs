//! Which changes a run makes, in kapp's order of changes (kapp, from resources to changes).

mod deployment;
mod stored;
mod versions;
mod within;

use std::sync::Arc;

use serde_json::Value as Json;

use self::deployment::Deployment;
use self::stored::Applied;
use super::bindings::Sets;
use super::load::{Item, Loaded};
use super::prepare::{Preparation, Prepared, describe};
use super::rebase::Rules;
use super::templates::{Fault, Named};
use crate::facts::{Config, Key, Piece, Resource};
use crate::grammar::Op;

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
    pub name: Arc<str>,
    /// Its namespace; empty for none.
    pub namespace: Arc<str>,
    pub(crate) set: Set,
    pub(crate) item: Item,
    /// Whether a controller made it: `kapp delete` leaves that to the cluster.
    pub(crate) left_to_cluster: bool,
    /// What kapp applies, where that is something else than what the manifest says: rebase rules keep what is
    /// there.
    pub(crate) rebased: Option<Arc<Piece>>,
}

impl Change {
    /// As all of kapp's messages name it.
    pub(crate) fn describe(&self, r: &Resource) -> String {
        describe(&r.kind.value, &self.name, &r.api_version.value, &self.namespace)
    }

    /// The resource as the graph sees it.
    pub(crate) fn seen<'a>(&'a self, written: &'a Resource) -> &'a Resource {
        let rebased = self.rebased.as_ref().and_then(|piece| piece.resources.first());
        rebased.unwrap_or(written)
    }
}

/// What hinders kapp from finding the changes out, and what it is about.
pub(crate) struct Blocked {
    pub(crate) fault: Fault,
    pub(crate) item: Option<Item>,
}

/// The changes of a deploy, and what hinders kapp from finding them out.
pub(crate) struct Deploy {
    pub(crate) changes: Vec<Change>,
    /// kapp's first error of its stage `diff`.
    pub(crate) blocked: Option<Blocked>,
    /// What cannot be known: rules that are not run.
    pub(crate) unknown: Vec<Blocked>,
    /// Whether something counts as unchanged only because all it says is there.
    pub(crate) lost: bool,
}

/// The changes of `kapp delete` after a deploy.
pub(crate) fn delete(sets: Sets<'_>, deployed: &[Change]) -> Vec<Change> {
    deployed
        .iter()
        .map(|change| {
            let owned = change.op != Op::Delete
                && !change.left_to_cluster
                && sets
                    .resource(change)
                    .map(|r| change.seen(r))
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

type Identity = (Arc<str>, Box<str>, Box<str>, Box<str>);

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
    /// The same as it is written, where labels can make a difference to the graph.
    written: Option<Json>,
}

impl Entry<'_> {
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
    /// The Configs in force.
    configs: Vec<&'a Config>,
    /// The app's label.
    label: &'p str,
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
                name: (&*resource.name.value).into(),
                namespace: p.namespace.clone(),
                set: self.set,
                item: p.item,
                left_to_cluster: false,
                rebased: None,
            },
            resource,
            loaded: self.loaded,
            object: Json::Null,
            written: None,
        })
    }
}

/// The app's label where nothing says another.
const LABEL: &str = "1";

/// The changes of a deploy over what is already applied, or onto an empty cluster: new versions, old versions,
/// everything else in input order, then what is no longer there.
pub(crate) fn deploy<'a>(
    new: (&'a Loaded, &'a Preparation<'a>),
    state: Option<(&'a Loaded, &'a Preparation<'a>)>,
) -> Deploy {
    let configs: Vec<&Config> = new.1.configs.iter().map(|(_, c)| *c).collect();
    let existing = state.map_or_else(Vec::new, |(loaded, preparation)| {
        let side = Side {
            loaded,
            prepared: &preparation.prepared,
            set: Set::State,
            configs: preparation.configs.iter().map(|(_, c)| *c).collect(),
            label: LABEL,
        };
        stored::applied(&side, &Rules::new(&configs).0)
    });
    let label = existing.iter().find_map(|s| stored::app_label(&s.entry.object));
    let label = label.unwrap_or(LABEL).to_owned();
    let side = Side {
        loaded: new.0,
        prepared: &new.1.prepared,
        set: Set::New,
        configs,
        label: &label,
    };
    let done = Deployment::of(&side, state.is_some()).calculate(&existing);
    Deploy {
        changes: done.changes,
        blocked: done.blocked,
        unknown: done.unknown,
        lost: existing.iter().any(|s| matches!(s.applied, Applied::Lost)),
    }
}
