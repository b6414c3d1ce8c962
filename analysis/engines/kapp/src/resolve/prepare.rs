//! What kapp does to resources before it orders them: Config is taken out, fields are checked, duplicates
//! dropped, namespaces decided, labels written (kapp, stages `config`, `prepare` and `label`).

use std::collections::hash_map::Entry;
use std::hash::BuildHasher as _;
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Failure;
use super::load::{Item, Loaded};
use super::{labels, object};
use crate::facts::{Config, Key, LabelledConfig, Resource};
use crate::rules::unmapped_namespace;
use crate::scope::{Known, Scopes};
use crate::version;
use applyorder_core::rules;

/// A resource on its way into the graph.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub(crate) item: Item,
    /// Its namespace; empty for none.
    pub(crate) namespace: Arc<str>,
    /// How its scope is known.
    pub(crate) known: Known,
}

/// Resources with the same identity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Duplicate {
    pub(crate) first: Item,
    pub(crate) later: Item,
    /// Whether the contents are equal.
    pub(crate) same: bool,
}

/// The outcome of the stages before the graph.
#[derive(Default)]
pub(crate) struct Preparation<'a> {
    /// The Configs in force, in order, with the resource that is or holds each.
    pub(crate) configs: Vec<(Item, &'a Config)>,
    /// The resources that are ordered.
    pub(crate) prepared: Vec<Prepared>,
    /// Those of them that rules have to look at.
    pub(crate) notable: Vec<Item>,
    /// Resources that cannot be ordered: a field is missing.
    pub(crate) duplicates: Vec<Duplicate>,
    /// Resources with a nonce that is not left to kapp.
    pub(crate) nonces: Vec<Item>,
    /// Resources whose namespace is not mapped to another, where some are.
    pub(crate) unmapped: Vec<(Item, Arc<str>)>,
    /// The first error.
    pub(crate) failure: Option<Failure>,
    /// Whether groups or rules are unknown, because a Config cannot be read.
    pub(crate) incomplete: bool,
}

/// What the user set for the app.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) namespace: Option<String>,
    pub(crate) into_namespace: Option<String>,
    /// Entries of `--map-ns`: `from=to`.
    pub(crate) map_namespaces: Vec<String>,
    pub(crate) scopes: Vec<(String, bool)>,
    pub(crate) version: String,
    /// The steps that dropping optional edges may take.
    pub(crate) optional_steps: u64,
}

/// `<kind>/<name> (<apiVersion>) namespace: <ns>`, as all of kapp's messages name a resource.
pub(crate) fn describe(kind: &str, name: &str, api_version: &str, namespace: &str) -> String {
    let kind = kind.to_lowercase();
    if namespace.is_empty() {
        format!("{kind}/{name} ({api_version}) cluster")
    } else {
        format!("{kind}/{name} ({api_version}) namespace: {namespace}")
    }
}

/// The description with the namespace as it is written.
pub(crate) fn describe_written(r: &Resource) -> String {
    describe(
        &r.kind.value,
        &r.name.value,
        &r.api_version.value,
        &r.namespace.value,
    )
}

/// What kapp reports of a Config.
pub(crate) fn config_fault(config: &Config, kapp: &str) -> Option<String> {
    if &*config.api_version.value != "kapp.k14s.io/v1alpha1" {
        return Some(format!(
            "Expected kapp config to have apiVersion 'kapp.k14s.io/v1alpha1', but was '{}'",
            config.api_version.value
        ));
    }
    if &*config.kind.value != "Config" {
        return Some(format!(
            "Expected kapp config to have kind 'Config', but was '{}'",
            config.kind.value
        ));
    }
    if let Some(fault) = &config.type_fault {
        let description = describe("config", &config.name, &config.api_version.value, "");
        return Some(format!(
            "Unmarshaling {description}: error unmarshaling JSON: while decoding JSON: {}",
            fault.value
        ));
    }
    let minimum = config.minimum.as_ref().map_or("", |m| &m.value);
    if let Some(fault) = version::minimum_fault(minimum, kapp) {
        return Some(format!("Validating config: {fault}"));
    }
    config
        .rebase_fault
        .as_ref()
        .map(|fault| format!("Validating config: {}", fault.value))
}

/// What kapp reports of a resource that is labelled as Config; `Err` where it panics.
pub(crate) fn labelled_fault(
    r: &Resource,
    labelled: &LabelledConfig,
    kapp: &str,
) -> Result<Option<String>, String> {
    if &*r.api_version.value != "v1" || &*r.kind.value != "ConfigMap" {
        return Ok(Some(format!(
            "Expected kapp config to be within v1/ConfigMap but apiVersion or kind do not match%!(EXTRA string={})",
            describe_written(r)
        )));
    }
    Ok(match labelled {
        LabelledConfig::Config(config) => config_fault(config, kapp),
        LabelledConfig::NoKey => {
            Some("Expected to find field 'data.\"config.yml\"', but did not".to_owned())
        }
        LabelledConfig::NotText(_) => Some(
            "Converting resource to ConfigMap: unable to convert unstructured object to /v1, Kind=ConfigMap: unrecognized type: string"
                .to_owned(),
        ),
        LabelledConfig::Empty => {
            return Err("panic: runtime error: invalid memory address or nil pointer dereference".to_owned());
        }
        LabelledConfig::Broken(text) => Some(format!("Parsing kapp config as resource: {text}")),
    })
}

pub(crate) fn prepare<'a>(loaded: &'a Loaded, settings: &'a Settings) -> Preparation<'a> {
    let mut out = Preparation::default();
    let rest = take_configs(loaded, settings, &mut out);
    let rest = validate(loaded, rest, &mut out);
    let rest = without_duplicates(loaded, rest, &mut out);
    place(loaded, rest, settings, &mut out);
    label(loaded, &mut out);
    if out.prepared.is_empty() && !loaded.incomplete && !out.incomplete {
        out.fail(Failure::new(
            "prepare",
            &super::super::rules::empty_input::RULE,
            "Trying to apply empty set of resources will result in deletion of resources on cluster. Refusing to continue \
             unless --dangerous-allow-empty-list-of-resources is specified.",
        ));
    }
    out
}

fn take_configs<'a>(loaded: &'a Loaded, settings: &Settings, out: &mut Preparation<'a>) -> Vec<Item> {
    let holds = |item: &Item| {
        let r = loaded.resource(*item);
        r.is_some_and(|r| r.config.is_some() || r.labelled.is_some())
    };
    if !loaded.notable.iter().any(holds) {
        return loaded.items.clone();
    }
    let mut rest = Vec::with_capacity(loaded.items.len());
    for item in &loaded.items {
        let Some(r) = loaded.resource(*item) else { continue };
        if let Some(config) = &r.config {
            match config_fault(config, &settings.version) {
                None => out.configs.push((*item, config)),
                Some(fault) => {
                    out.incomplete = true;
                    out.fail(
                        Failure::new(
                            "config",
                            &rules::invalid_value::RULE,
                            format!(
                                "Parsing resource '{}' as kapp config: {fault}",
                                describe_written(r)
                            ),
                        )
                        .about(*item),
                    );
                }
            }
            continue;
        }
        if let Some((_, labelled)) = &r.labelled {
            match labelled_fault(r, labelled, &settings.version) {
                Ok(None) => {
                    if let LabelledConfig::Config(config) = labelled {
                        out.configs.push((*item, config));
                    }
                }
                Ok(Some(fault)) => {
                    out.incomplete = true;
                    let text = format!(
                        "Parsing resource '{}' labeled as kapp config: {fault}",
                        describe_written(r)
                    );
                    out.fail(Failure::new("config", &rules::invalid_value::RULE, text).about(*item));
                }
                Err(panic) => {
                    out.incomplete = true;
                    out.fail(Failure::new("crash", &rules::invalid_value::RULE, panic).about(*item));
                }
            }
        }
        rest.push(*item);
    }
    rest
}

/// The fields that kapp finds empty in a resource, in its order.
pub(crate) fn missing_fields(r: &Resource) -> Vec<&'static str> {
    let mut missing = Vec::new();
    if r.kind.value.is_empty() {
        missing.push("kind");
    }
    if r.api_version.value.is_empty() {
        missing.push("apiVersion");
    }
    if r.name.value.is_empty() {
        missing.push("metadata.name");
    }
    missing
}

fn validate(loaded: &Loaded, items: Vec<Item>, out: &mut Preparation<'_>) -> Vec<Item> {
    let wrong = |item: &Item| {
        let r = loaded.resource(*item);
        r.is_some_and(|r| r.panics() || !missing_fields(r).is_empty())
    };
    if !loaded.notable.iter().any(wrong) {
        return items;
    }
    let mut lines = String::new();
    let mut first = None;
    let mut panics = None;
    let rest = items
        .into_iter()
        .filter(|item| {
            let Some(r) = loaded.resource(*item) else {
                return false;
            };
            let missing = missing_fields(r);
            let origin = loaded.input(*item).map_or("", |i| i.origin.as_str());
            for field in &missing {
                first.get_or_insert(*item);
                lines.push_str(&format!(
                    "\n- Expected '{field}' on resource '{}' to be non-empty ({origin} doc {})",
                    describe_written(r),
                    item.piece + 1
                ));
            }
            if r.panics() {
                panics.get_or_insert(*item);
            }
            missing.is_empty() && !r.panics()
        })
        .collect();
    if let Some(first) = first {
        let failure = Failure::new(
            "prepare",
            &rules::missing_field::RULE,
            format!("Validation errors:{lines}"),
        );
        out.fail(failure.about(first));
    }
    if let Some(item) = panics {
        let version = loaded.resource(item).map_or("", |r| &r.api_version.value);
        let text = format!("panic: Expected version to be of format group/version: was {version}");
        out.fail(Failure::new("crash", &super::super::rules::api_version_slashes::RULE, text).about(item));
    }
    rest
}

fn without_duplicates(loaded: &Loaded, items: Vec<Item>, out: &mut Preparation<'_>) -> Vec<Item> {
    let identity = |item: Item| {
        let r = loaded.resource(item)?;
        Some((&*r.namespace.value, r.group(), &*r.kind.value, &*r.name.value))
    };
    let mut seen: FxHashMap<u64, Item> = FxHashMap::default();
    seen.reserve(items.len());
    let mut lines = String::new();
    let mut failed = None;
    let mut rest = Vec::with_capacity(items.len());
    for item in items {
        let Some(r) = loaded.resource(item) else { continue };
        let own = identity(item);
        let mut key = FxBuildHasher.hash_one(own);
        // Others with the same hash stand at the next free number.
        while seen.get(&key).is_some_and(|first| identity(*first) != own) {
            key = key.wrapping_add(1);
        }
        let first = match seen.entry(key) {
            Entry::Occupied(first) => *first.get(),
            Entry::Vacant(free) => {
                free.insert(item);
                rest.push(item);
                continue;
            }
        };
        let same = digest(loaded, first) == digest(loaded, item);
        if !same {
            failed.get_or_insert(item);
            lines.push_str(&format!(
                "\n- Found resource '{}' multiple times with different content",
                describe_written(r)
            ));
        }
        out.duplicates.push(Duplicate {
            first,
            later: item,
            same,
        });
    }
    if let Some(item) = failed {
        let failure = Failure::new(
            "prepare",
            &rules::duplicate_name::RULE,
            format!("Uniqueness errors:{lines}"),
        );
        out.fail(failure.about(item));
    }
    rest
}

fn digest(loaded: &Loaded, item: Item) -> Option<[u64; 2]> {
    let piece = &loaded.input(item)?.facts.pieces.get(item.piece as usize)?.piece;
    Some(piece.content(item.resource as usize).digest())
}

/// Namespaces, each kept once.
#[derive(Default)]
struct Spaces<'a> {
    known: FxHashMap<&'a str, Arc<str>>,
    last: Option<Arc<str>>,
}

impl<'a> Spaces<'a> {
    fn of(&mut self, name: &'a str) -> Arc<str> {
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *name) {
            return Arc::clone(last);
        }
        let found = self.known.entry(name).or_insert_with(|| name.into());
        self.last = Some(Arc::clone(found));
        Arc::clone(found)
    }
}

fn place(loaded: &Loaded, items: Vec<Item>, settings: &Settings, out: &mut Preparation<'_>) {
    let mut scopes = Scopes::default();
    for (key, namespaced) in &settings.scopes {
        scopes.set(key, *namespaced);
    }
    let mut definition_fault = None;
    for item in &items {
        let Some(r) = loaded.resource(*item) else { continue };
        if let Some(crd) = &r.crd {
            match &crd.type_fault {
                Some(fault) => {
                    definition_fault.get_or_insert((*item, fault));
                }
                None => scopes.define(&crd.group, &crd.versions, &crd.kind, crd.namespaced),
            }
        }
        if !r.namespace.value.is_empty() {
            scopes.written(&r.api_version.value, &r.kind.value);
        }
    }
    if let Some((item, fault)) = definition_fault {
        let text = format!(
            "error unmarshaling JSON: while decoding JSON: json: {}",
            fault.value
        );
        out.fail(Failure::new("prepare", &rules::wrong_type::RULE, text).about(item));
    }
    let mut mapped: FxHashMap<&str, &str> = FxHashMap::default();
    for entry in &settings.map_namespaces {
        match entry.split_once('=') {
            Some((from, to)) => {
                mapped.insert(from, to);
            }
            None => out.fail(Failure::new(
                "prepare",
                &unmapped_namespace::RULE,
                format!("Expected map namespace '{entry}' to be in 'src-ns=dst-ns' format"),
            )),
        }
    }
    let default = settings.namespace.as_deref().unwrap_or("default");
    out.prepared.reserve(items.len());
    let mut nonces = Vec::new();
    let mut spaces = Spaces::default();
    let mut memo: FxHashMap<(&str, &str), (bool, Known)> = FxHashMap::default();
    for item in items {
        let Some(r) = loaded.resource(item) else { continue };
        let (version, kind) = (&*r.api_version.value, &*r.kind.value);
        let (namespaced, known) = *memo
            .entry((version, kind))
            .or_insert_with(|| scopes.of(version, kind));
        let namespace = spaces.of(match (&settings.into_namespace, namespaced) {
            (_, false) => "",
            (Some(into), true) => into.as_str(),
            (None, true) if r.namespace.value.is_empty() => default,
            (None, true) => &r.namespace.value,
        });
        let namespace = match mapped.get(&*namespace) {
            Some(to) if namespaced => spaces.of(to),
            None if namespaced && !mapped.is_empty() => {
                let text = format!("Expected to find mapped namespace for '{namespace}'");
                out.fail(Failure::new("prepare", &unmapped_namespace::RULE, text).about(item));
                out.unmapped.push((item, namespace.clone()));
                namespace
            }
            _ => namespace,
        };
        if r.notable {
            out.notable.push(item);
        }
        if has_own_nonce(r) {
            let described = describe(kind, &r.name.value, version, &namespace);
            let text = format!("Expected annotation '{NONCE}' on resource '{described}' to have value ''");
            let failure = Failure::new("prepare", &rules::invalid_value::RULE, text);
            nonces.push(failure.about(item));
            out.nonces.push(item);
        }
        out.prepared.push(Prepared {
            item,
            namespace,
            known,
        });
    }
    // kapp looks at these once every namespace is decided.
    for failure in nonces {
        out.fail(failure);
    }
}

/// kapp writes the time into an annotation that asks for it, which has to be empty.
fn has_own_nonce(r: &Resource) -> bool {
    let mut own = r.annotations().iter().filter(|a| a.key == Key::OtherOfKapp);
    own.any(|a| *a.name.value == *NONCE && !a.value.value.is_empty())
}

/// The annotation whose value is another on every run.
pub(crate) const NONCE: &str = "kapp.k14s.io/nonce";

fn label(loaded: &Loaded, out: &mut Preparation<'_>) {
    let configs: Vec<&Config> = out.configs.iter().map(|(_, c)| *c).collect();
    if configs.iter().any(|c| c.diff.labels_anything()) {
        let fault = out.prepared.iter().find_map(|p| {
            let mut object = object::of(loaded, p.item);
            object::set_namespace(&mut object, &p.namespace);
            let fault = labels::write(&mut object, &configs, "").err()?;
            Some((fault, p.item))
        });
        if let Some((fault, item)) = fault {
            let stage = if fault.panics { "crash" } else { "label" };
            let rule = &super::super::rules::labels_shape::RULE;
            out.fail(Failure::new(stage, rule, fault.message).about(item));
        }
        return;
    }
    let fault = out.notable.iter().find_map(|item| {
        let r = loaded.resource(*item)?;
        let fault = r.label_fault.as_ref()?;
        Some((out.prepared.iter().find(|p| p.item == *item)?, r, fault))
    });
    if let Some((p, r, fault)) = fault {
        let text = format!(
            "StringMapAppendMod for path '{}' on resource '{}': {}",
            fault.path,
            describe(&r.kind.value, &r.name.value, &r.api_version.value, &p.namespace),
            fault.message
        );
        let failure = Failure::new("label", &super::super::rules::labels_shape::RULE, text).about(p.item);
        out.fail(failure);
    }
}

impl Preparation<'_> {
    fn fail(&mut self, failure: Failure) {
        self.failure.get_or_insert(failure);
    }
}
