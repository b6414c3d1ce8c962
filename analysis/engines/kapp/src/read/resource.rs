//! A resource as kapp's accessors see it: lenient, a value of a wrong type reads as empty.

use std::sync::Arc;

use super::annotation::{Annotation, Key, PREFIX};
use super::config::{self, Config};
use super::configmap;
use super::content::{LabelError, label_fault};
use super::crd::{self, Crd};
use super::decode::json_kind;
use super::document::{Problem, ProblemKind, not_an_object, refusal};
use super::places::Places;
use super::{Text, text_of};
use crate::grammar;
use crate::matcher::api_group;
use applyorder_syntax::text::Span;
use applyorder_syntax::yaml::dialect::goyaml::{self, Value};
use applyorder_syntax::yaml::{self, Node};

/// A field that should be a string.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Field {
    /// Its value; empty if it is missing or something else.
    pub(crate) value: Box<str>,
    /// Where the value is, if it is written.
    pub(crate) place: Option<u32>,
    /// Its kind if it is not a string.
    pub(crate) not_a_string: Option<&'static str>,
    /// The source of what is not a string, for a quoted replacement.
    pub(crate) source: Box<str>,
}

/// A ConfigMap, or another resource labeled as one, that is labeled as Config.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum LabeledConfig {
    /// A Config.
    Config(Arc<Config>),
    /// The key `config.yml` is missing.
    NoKey,
    /// A field of the ConfigMap has a wrong type: kapp's message, and where it is.
    Unconverted(Text),
    /// The document is empty: kapp panics.
    Empty,
    /// The document cannot be read: kapp's message.
    Broken(Box<str>),
}

/// A duplicate key, of which kapp uses the last.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Doubled {
    /// The last one.
    pub(crate) key: Text,
    /// The one before it.
    pub(crate) earlier: u32,
    /// Whether it is a key of the resource itself: another resource may begin there.
    pub(crate) of_resource: bool,
}

/// A resource.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Resource {
    /// The number of the entry, if it is in a list.
    pub(crate) item: Option<u32>,
    /// Its first key.
    pub(crate) header: u32,
    /// `kind`.
    pub(crate) kind: Field,
    /// `apiVersion`.
    pub(crate) api_version: Field,
    /// `metadata.name`, else `metadata.generateName` with a star.
    pub(crate) name: Field,
    /// Whether the name comes from `generateName`.
    pub(crate) generated: bool,
    /// `metadata.namespace` as it is written.
    pub(crate) namespace: Field,
    /// The key `metadata.namespace`.
    pub(crate) namespace_key: Option<u32>,
    /// The key `metadata`, for what is missing in it.
    pub(crate) metadata: Option<u32>,
    annotations: Box<[Annotation]>,
    /// Whether a value that is not a string hides all annotations.
    pub(crate) hidden: bool,
    /// Duplicate keys of the resource and of its metadata.
    pub(crate) doubled: Vec<Doubled>,
    /// Keys of kapp where they are ignored: the key, and where it is.
    pub(crate) misplaced: Vec<(Text, &'static str)>,
    /// kapp's view of a definition of a custom resource.
    pub(crate) crd: Option<Box<Crd>>,
    /// What prevents kapp from writing its labels.
    pub(crate) label_fault: Option<Box<LabelError>>,
    /// The Config that the resource is.
    pub(crate) config: Option<Arc<Config>>,
    /// The Config that it contains, by its label, and the label's place.
    pub(crate) labeled: Option<(u32, LabeledConfig)>,
    /// Whether a rule has to check the resource itself.
    pub(crate) notable: bool,
}

/// The API version of kapp's own resources.
pub(crate) const CONFIG_VERSION: &str = "kapp.k14s.io/v1alpha1";
const CONFIG_LABEL: &str = "kapp.k14s.io/config";
const CONFIG_KEY: &str = "config.yml";

impl Resource {
    /// The annotations as kapp sees them.
    pub(crate) fn annotations(&self) -> &[Annotation] {
        if self.hidden { &[] } else { &self.annotations }
    }

    /// The length of the longest value of a placeholder.
    pub(crate) fn longest_value(&self) -> usize {
        let crd = self.crd.iter().flat_map(|crd| [&*crd.kind, &*crd.group]);
        let own = [&self.api_version, &self.kind, &self.name, &self.namespace];
        let own = own.into_iter().map(|field| &*field.value);
        own.chain(crd).map(str::len).max().unwrap_or(0)
    }

    /// The written annotations.
    pub(crate) fn all_annotations(&self) -> &[Annotation] {
        &self.annotations
    }

    /// Whether kapp sees an annotation.
    pub(crate) fn has(&self, key: Key) -> bool {
        self.annotations().iter().any(|a| a.key == key)
    }

    /// Whether kapp sees an annotation of this name.
    pub(crate) fn has_annotation(&self, name: &str) -> bool {
        self.annotations().iter().any(|a| *a.name.value == *name)
    }

    /// The API group.
    pub(crate) fn group(&self) -> &str {
        api_group(&self.api_version.value)
    }

    /// Where its name is, or the closest place.
    pub(crate) fn name_place(&self) -> u32 {
        self.name.place.or(self.metadata).unwrap_or(self.header)
    }

    /// The Config that it is or contains, if it is valid.
    pub(crate) fn config(&self) -> Option<&Config> {
        match (&self.config, &self.labeled) {
            (Some(config), _) | (None, Some((_, LabeledConfig::Config(config)))) => Some(config),
            _ => None,
        }
    }

    /// Kind and name.
    pub(crate) fn title(&self) -> String {
        format!("{}/{}", self.kind.value, self.name.value)
    }

    /// Whether kapp finds a required field empty.
    pub(crate) fn lacks_a_field(&self) -> bool {
        let fields = [&self.kind, &self.api_version, &self.name];
        fields.iter().any(|field| field.value.is_empty())
    }

    /// Whether kapp panics at its API version.
    pub(crate) fn panics(&self) -> bool {
        self.api_version.value.matches('/').count() > 1
    }

    /// kapp's annotations on a list: they are lost with it.
    pub(super) fn lost_in_wrapper(&self) -> impl Iterator<Item = Problem> + '_ {
        self.annotations
            .iter()
            .filter(|a| matches!(a.key, Key::Group | Key::Rule))
            .map(|a| Problem {
                kind: ProblemKind::InWrapper,
                text: a.name.clone(),
            })
    }
}

fn what(value: &Value<'_>) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Int(_) | Value::Uint(_) | Value::Float(_) => "a number",
        Value::Seq(_) => "a list",
        Value::Map(_) => "a mapping",
        Value::Str(_) => "a string",
    }
}

fn string_field(field: &goyaml::Field<'_>, places: &mut Places<'_>) -> Field {
    let place = Some(places.add(field.place()));
    match field.decoded() {
        Value::Str(text) => Field {
            value: text.into(),
            place,
            ..Field::default()
        },
        other => Field {
            place,
            not_a_string: Some(what(&other)),
            source: match other {
                Value::Seq(_) | Value::Map(_) | Value::Null => "".into(),
                _ => field.value.source().into(),
            },
            ..Field::default()
        },
    }
}

/// Reads a resource from its mapping and the mapping's fields.
pub(super) fn read(
    node: Node<'_>,
    fields: &[goyaml::Field<'_>],
    item: Option<u32>,
    places: &mut Places<'_>,
) -> Resource {
    let header = fields.first().map_or_else(|| node.span(), |f| f.key.span());
    let mut resource = Resource {
        item,
        header: places.add(header),
        kind: Field::default(),
        api_version: Field::default(),
        name: Field::default(),
        generated: false,
        namespace: Field::default(),
        namespace_key: None,
        metadata: None,
        annotations: Box::default(),
        hidden: false,
        doubled: Vec::new(),
        misplaced: Vec::new(),
        crd: None,
        label_fault: None,
        config: None,
        labeled: None,
        notable: false,
    };
    let (mut config_label, mut labels_fit) = (None, true);
    for field in fields {
        doubled(field, true, &mut resource, places);
        match &*field.name {
            "kind" => resource.kind = string_field(field, places),
            "apiVersion" => resource.api_version = string_field(field, places),
            "metadata" => {
                resource.metadata = Some(places.add(field.key.span()));
                match field.decoded() {
                    Value::Map(map) => {
                        (config_label, labels_fit) = read_metadata(map, &mut resource, places);
                    }
                    other => labels_fit = other == Value::Null,
                }
            }
            _ => {}
        }
    }
    let kind = &*resource.kind.value;
    if kind == "CustomResourceDefinition" && resource.group() == "apiextensions.k8s.io" {
        resource.crd = Some(Box::new(crd::read(node, fields, resource.header, places)));
    }
    if *resource.api_version.value == *CONFIG_VERSION {
        resource.config = Some(Arc::new(named(config::read(node, places), &resource)));
    } else if let Some(label) = config_label {
        let label = places.add(label);
        resource.labeled = Some((label, labeled(fields, places)));
    }
    resource.label_fault = label_fault(fields, labels_fit, &resource, places).map(Box::new);
    if has_template(kind) {
        read_template(fields, &mut resource, places);
    }
    resource.notable = is_notable(&resource);
    if !places.spend(expansion(&resource).saturating_mul(EXPANSION_STEPS)) {
        // The document exceeds the limit, and the texts must not be expanded.
        resource.annotations = Box::default();
    }
    resource
}

/// The steps per byte that placeholders insert: a small text must not become a large one in memory.
const EXPANSION_STEPS: u64 = 4;

/// The maximum number of bytes that placeholders insert into the groups and rules written on a resource.
fn expansion(r: &Resource) -> u64 {
    let texts = r.annotations.iter().filter(|a| a.key.orders());
    let count: usize = texts.map(|a| grammar::placeholders(&a.value.value).count()).sum();
    if count == 0 {
        return 0;
    }
    (count as u64).saturating_mul(r.longest_value() as u64)
}

/// Kinds that are in no default group in one of their versions.
const CHANGED_KINDS: [&str; 3] = ["PodDisruptionBudget", "RuntimeClass", "StorageClass"];

fn is_notable(r: &Resource) -> bool {
    let is_config = r.config.is_some() || r.labeled.is_some() || r.group() == "kapp.k14s.io";
    let odd =
        r.lacks_a_field() || r.panics() || r.namespace.not_a_string.is_some() || r.label_fault.is_some();
    is_config
        || odd
        || r.crd.is_some()
        || !r.misplaced.is_empty()
        || !r.doubled.is_empty()
        || CHANGED_KINDS.contains(&&*r.kind.value)
        || r.all_annotations().iter().any(Annotation::is_notable)
}

fn named(config: Config, resource: &Resource) -> Config {
    Config {
        name: resource.name.value.clone(),
        ..config
    }
}

/// Reads the metadata; returns the place of the label of a Config, if kapp sees one, and whether kapp can write
/// labels.
fn read_metadata(map: Node<'_>, resource: &mut Resource, places: &mut Places<'_>) -> (Option<Span>, bool) {
    let (mut config_label, mut labels_fit) = (None, true);
    let mut generate = None;
    for field in &goyaml::fields(map) {
        doubled(field, false, resource, places);
        match &*field.name {
            "name" => resource.name = string_field(field, places),
            "generateName" => generate = Some(field.clone()),
            "namespace" => {
                resource.namespace_key = Some(places.add(field.key.span()));
                resource.namespace = string_field(field, places);
            }
            "annotations" => {
                if let Value::Map(map) = field.decoded() {
                    let fields = goyaml::fields(map);
                    places.spend(fields.len() as u64);
                    resource.annotations = fields.iter().map(|f| Annotation::read(f, places)).collect();
                    resource.hidden = resource.annotations.iter().any(|a| a.not_a_string.is_some());
                }
            }
            "labels" => {
                let map = match field.decoded() {
                    Value::Map(map) => map,
                    other => {
                        labels_fit = other == Value::Null;
                        continue;
                    }
                };
                let labels = goyaml::fields(map);
                places.spend(labels.len() as u64);
                let texts = labels.iter().all(|f| matches!(f.decoded(), Value::Str(_)));
                for label in &labels {
                    misplaced(label, "labels are not read", resource, places);
                    if label.name == CONFIG_LABEL && texts {
                        config_label = Some(label.key.span());
                    }
                }
            }
            _ => {}
        }
    }
    if resource.name.value.is_empty()
        && let Some(field) = generate
    {
        let generated = string_field(&field, places);
        if !generated.value.is_empty() {
            resource.generated = true;
            resource.name = Field {
                value: format!("{}*", generated.value).into(),
                ..generated
            };
        }
    }
    (config_label, labels_fit)
}

/// Records a duplicate key. What comes through a merge may be replaced on purpose.
fn doubled(field: &goyaml::Field<'_>, of_resource: bool, resource: &mut Resource, places: &mut Places<'_>) {
    let earlier = field.losers.iter().rfind(|loser| loser.via.is_none());
    if let Some(earlier) = earlier.filter(|_| field.via.is_none()) {
        resource.doubled.push(Doubled {
            key: text_of(&field.name, places.add(field.key.span())),
            earlier: places.add(earlier.key.span()),
            of_resource,
        });
    }
}

fn misplaced(
    field: &goyaml::Field<'_>,
    place: &'static str,
    resource: &mut Resource,
    places: &mut Places<'_>,
) {
    if field.name.starts_with(PREFIX) && matches!(Key::of(&field.name), Key::Group | Key::Rule) {
        let key = text_of(&field.name, places.add(field.key.span()));
        resource.misplaced.push((key, place));
    }
}

fn has_template(kind: &str) -> bool {
    matches!(
        kind,
        "Deployment" | "StatefulSet" | "DaemonSet" | "ReplicaSet" | "Job" | "CronJob"
    )
}

fn get<'t>(node: Node<'t>, key: &str) -> Option<Node<'t>> {
    let found = goyaml::fields(node);
    found.iter().find(|f| f.name == key).map(|f| f.value)
}

/// kapp's keys in the annotations of pods: they are not read.
fn read_template(fields: &[goyaml::Field<'_>], resource: &mut Resource, places: &mut Places<'_>) {
    let Some(spec) = fields.iter().find(|f| f.name == "spec").map(|f| f.value) else {
        return;
    };
    let spec = match &*resource.kind.value {
        "CronJob" => get(spec, "jobTemplate").and_then(|t| get(t, "spec")),
        _ => Some(spec),
    };
    let annotations = spec
        .and_then(|s| get(s, "template"))
        .and_then(|t| get(t, "metadata"))
        .and_then(|m| get(m, "annotations"));
    if let Some(annotations) = annotations {
        let fields = goyaml::fields(annotations);
        places.spend(fields.len() as u64);
        for field in &fields {
            misplaced(field, "annotations of pods are not read", resource, places);
        }
    }
}

fn labeled(fields: &[goyaml::Field<'_>], places: &mut Places<'_>) -> LabeledConfig {
    if let Some((words, node)) = configmap::fault(fields, places) {
        return LabeledConfig::Unconverted(text_of(&words, places.add(node.span())));
    }
    let data = fields
        .iter()
        .find(|f| f.name == "data")
        .map(goyaml::Field::decoded);
    let Some(Value::Map(data)) = data else {
        return LabeledConfig::NoKey;
    };
    let entries = goyaml::fields(data);
    let Some(entry) = entries.iter().find(|f| f.name == CONFIG_KEY) else {
        return LabeledConfig::NoKey;
    };
    let Value::Str(text) = entry.decoded() else {
        return LabeledConfig::Empty;
    };
    let tree = yaml::parse(text.as_ref());
    let Some(document) = tree.first_document() else {
        return LabeledConfig::Empty;
    };
    if let Some(message) = refusal(&tree) {
        return LabeledConfig::Broken(message.into());
    }
    match document.root().map(|root| (root, goyaml::value(root))) {
        None | Some((_, Value::Null)) => LabeledConfig::Empty,
        Some((_, Value::Map(map))) if goyaml::fields(map).is_empty() => LabeledConfig::Empty,
        Some((_, Value::Map(map))) => {
            let scalar = entry.value.resolve().unwrap_or(entry.value);
            let mut inner = places.inside(scalar);
            let name = get(map, "metadata")
                .and_then(|m| get(m, "name"))
                .and_then(|n| match goyaml::value(n) {
                    Value::Str(text) => Some(text.into()),
                    _ => None,
                })
                .unwrap_or_default();
            LabeledConfig::Config(Arc::new(Config {
                name,
                ..config::read(map, &mut inner)
            }))
        }
        Some((_, other)) => LabeledConfig::Broken(not_an_object(json_kind(&other)).into()),
    }
}
