//! What kapp says of resources and Configs by themselves (kapp, stages `config` and `prepare`).

use crate::read::{Config, Key, LabelledConfig, Resource};
use crate::version;

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

/// Whether kapp goes on with a resource.
pub(super) fn is_valid(r: &Resource) -> bool {
    let fields = [&r.kind, &r.api_version, &r.name];
    fields.iter().all(|field| !field.value.is_empty()) && !r.panics()
}

/// kapp writes the time into an annotation that asks for it, which has to be empty.
pub(super) fn has_own_nonce(r: &Resource) -> bool {
    let mut own = r.annotations().iter().filter(|a| a.key == Key::OtherOfKapp);
    own.any(|a| *a.name.value == *NONCE && !a.value.value.is_empty())
}

/// The annotation whose value is another on every run.
pub(crate) const NONCE: &str = "kapp.k14s.io/nonce";
