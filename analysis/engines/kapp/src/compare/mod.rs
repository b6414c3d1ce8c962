//! The changes of a deploy where they do not follow from its manifests alone: resources with versions, labels
//! and rules of Configs, and what is already applied (kapp, from resources to changes). The changes are in
//! kapp's order.

mod default_rebase;
mod default_templates;
mod deployment;
mod explicit;
mod fields;
mod labels;
mod object;
mod rebase;
mod references;
mod snapshot;
mod subset;
mod templates;
mod versions;

use std::sync::Arc;

use serde_json::Value as Json;

use self::deployment::Deployment;
use self::rebase::Rules;
use self::snapshot::Applied;
use self::templates::Named;
use crate::grammar::Op;
use crate::model::error::{KappError, What};
use crate::model::inputs::{Inputs, Item};
use crate::model::prepare::describe;
use crate::model::{Model, Prepared, Set};
use crate::read::{Config, Document, Key, Resource};

pub(crate) use self::templates::DiffError;

/// One change.
#[derive(Clone, Debug)]
pub struct Change {
    /// What happens.
    pub op: Op,
    /// Its name when the graph is built, versions included.
    pub name: Arc<str>,
    /// Its namespace; empty for none.
    pub namespace: Arc<str>,
    pub(crate) set: Set,
    pub(crate) item: Item,
    /// Whether a controller created it: `kapp delete` leaves that to the cluster.
    pub(crate) left_to_cluster: bool,
    /// What kapp applies, if that differs from the manifest: rebase rules keep existing values.
    pub(crate) rebased: Option<Arc<Document>>,
}

impl Change {
    /// As all of kapp's messages name it.
    pub(crate) fn describe(&self, r: &Resource) -> String {
        describe(&r.kind.value, &self.name, &r.api_version.value, &self.namespace)
    }

    /// The resource as the graph sees it.
    pub(crate) fn seen<'a>(&'a self, written: &'a Resource) -> &'a Resource {
        let rebased = self
            .rebased
            .as_ref()
            .and_then(|document| document.resources.first());
        rebased.unwrap_or(written)
    }
}

/// What prevents kapp from computing the changes, and its subject.
pub(crate) struct LocatedError {
    pub(crate) fault: DiffError,
    pub(crate) item: Option<Item>,
}

/// The changes of a deploy, and what prevents kapp from computing them.
pub(crate) struct Deploy {
    pub(crate) changes: Vec<Change>,
    /// kapp's first error in its stage `diff`.
    pub(crate) blocked: Option<LocatedError>,
    /// What cannot be known: rules that are not run.
    pub(crate) unknown: Vec<LocatedError>,
    /// Whether something counts as unchanged only because all of its content exists.
    pub(crate) lost: bool,
}

/// What separates the name and the version of a versioned resource.
const VERSION_MARK: &str = "-ver-";

/// A versioned name split into its parts; the version is empty if there is none.
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
    inputs: &'a Inputs,
    /// Its object, if it is needed.
    object: Json,
    /// The same as it is written, if more of it than names and annotations can affect the graph.
    written: Option<Json>,
    asks_for_fields: bool,
}

impl Entry<'_> {
    fn describe(&self) -> String {
        self.change.describe(self.resource)
    }

    fn base_identity(&self) -> Identity {
        let (base, _) = base_and_version(&self.change.name);
        // An empty text before the mark is not a name.
        let name = if base.is_empty() { &*self.change.name } else { base };
        identity(&self.change, self.resource, name)
    }

    fn version(&self) -> Result<i64, DiffError> {
        let (_, version) = base_and_version(&self.change.name);
        version.parse().map_err(|_| {
            DiffError::panic(format!(
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

/// A resource with its final namespace.
#[derive(Clone)]
struct Wanted {
    item: Item,
    namespace: Arc<str>,
}

fn wanted(prepared: &Prepared) -> Vec<Wanted> {
    let resources = prepared.resources();
    let wanted = resources.map(|(item, bound, _)| Wanted {
        item,
        namespace: bound.namespace.clone(),
    });
    wanted.collect()
}

fn configs(prepared: &Prepared) -> Vec<&Config> {
    prepared.configs.in_force.iter().map(|c| &*c.config).collect()
}

/// A deployed set of resources.
struct Side<'a, 'p> {
    inputs: &'a Inputs,
    wanted: &'p [Wanted],
    set: Set,
    /// The Configs in force.
    configs: Vec<&'a Config>,
    /// Whether a matcher of the app queries the content of a resource, labels and namespace included.
    asks_for_fields: bool,
    /// The app's label.
    label: &'p str,
}

impl<'a> Side<'a, '_> {
    fn entry(&self, p: &Wanted) -> Option<Entry<'a>> {
        let resource = self.inputs.resource(p.item)?;
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
            inputs: self.inputs,
            object: Json::Null,
            written: None,
            asks_for_fields: self.asks_for_fields,
        })
    }
}

/// The app's label unless another is set.
const LABEL: &str = "1";

/// Whether a deploy changes anything other than each resource as its manifest says.
pub(crate) fn is_needed(model: &Model) -> bool {
    let asks =
        |c: &Config| c.diff.labels_anything() || c.asks_for_fields() || !c.diff.not_in_existing.is_empty();
    model.state.is_some()
        || model.app.pieces.iter().any(|piece| piece.has_versions)
        || configs(&model.app).into_iter().any(asks)
}

/// What stops kapp before it compares anything.
pub(crate) fn stops_at(model: &Model) -> Option<LocatedError> {
    let (_, panic) = Rules::new(&configs(&model.app));
    panic.map(|fault| LocatedError { fault, item: None })
}

/// The changes of a deploy over what is already applied, or onto an empty cluster: new versions, old versions,
/// everything else in input order, then what no longer exists.
pub(crate) fn deploy(model: &Model) -> Deploy {
    let configs_in_force = configs(&model.app);
    let asks_for_fields = configs_in_force.iter().any(|c| c.asks_for_fields());
    let applied = model.state.as_ref().map(wanted);
    let existing = match (&model.state, &applied) {
        (Some(state), Some(applied)) => {
            let side = Side {
                inputs: &state.inputs,
                wanted: applied,
                set: Set::State,
                configs: configs(state),
                asks_for_fields,
                label: LABEL,
            };
            snapshot::applied(&side, &Rules::new(&configs_in_force).0)
        }
        _ => Vec::new(),
    };
    let label = existing.iter().find_map(|s| snapshot::app_label(&s.entry.object));
    let label = label.unwrap_or(LABEL).to_owned();
    let side = Side {
        inputs: &model.app.inputs,
        wanted: &wanted(&model.app),
        set: Set::New,
        configs: configs_in_force,
        asks_for_fields,
        label: &label,
    };
    let done = Deployment::of(&side, model.state.is_some()).calculate(&existing);
    Deploy {
        changes: done.changes,
        blocked: done.blocked,
        unknown: done.unknown,
        lost: existing.iter().any(|s| matches!(s.applied, Applied::Lost)),
    }
}

/// kapp's error in its stage `label`.
pub(crate) fn label_error(app: &Prepared) -> Option<KappError> {
    let configs = configs(app);
    if configs.iter().any(|c| c.diff.labels_anything()) {
        return app.resources().find_map(|(item, bound, _)| {
            let mut object = object::of(&app.inputs, item);
            object::set_namespace(&mut object, &bound.namespace);
            let fault = labels::write(&mut object, &configs, "").err()?;
            let stage = if fault.panics { "crash" } else { "label" };
            let place = fault.matcher.and_then(|at| app.in_config(at));
            let what = fault.matcher.map_or(What::Labels, |_| What::Matcher);
            Some(KappError::new(stage, what, fault.message).about(item).at(place))
        });
    }
    app.notable().find_map(|item| {
        let fault = app.inputs.resource(item)?.label_fault.as_ref()?;
        let text = format!(
            "StringMapAppendMod for path '{}' on resource '{}': {}",
            fault.path,
            app.describe(item)?,
            fault.message
        );
        Some(KappError::new("label", What::Labels, text).about(item))
    })
}
