//! kapp's checks of single resources and Configs (kapp, stages `config` and `prepare`).

use crate::read::{CONFIG_VERSION, Config, Key, LabeledConfig, Resource};
use crate::version;
use applyorder_syntax::go::{case, duration, quote};

/// `<kind>/<name> (<apiVersion>) namespace: <ns>`, as all of kapp's messages name a resource.
pub(crate) fn describe(kind: &str, name: &str, api_version: &str, namespace: &str) -> String {
    let kind: String = kind.chars().map(case::lower).collect();
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

/// kapp's error about a Config, and the place.
pub(crate) fn config_error(config: &Config, kapp: &str) -> Option<(u32, String)> {
    if &*config.api_version.value != CONFIG_VERSION {
        let text = format!(
            "Expected kapp config to have apiVersion '{CONFIG_VERSION}', but was '{}'",
            config.api_version.value
        );
        return Some((config.api_version.place, text));
    }
    if &*config.kind.value != "Config" {
        let text = format!(
            "Expected kapp config to have kind 'Config', but was '{}'",
            config.kind.value
        );
        return Some((config.kind.place, text));
    }
    if let Some(fault) = &config.type_fault {
        let description = describe("config", &config.name, &config.api_version.value, "");
        let text = format!(
            "Unmarshaling {description}: error unmarshaling JSON: while decoding JSON: {}",
            fault.value
        );
        return Some((fault.place, text));
    }
    if let Some(fault) = &config.head_fault {
        return Some((fault.place, format!("Validating config: {}", fault.value)));
    }
    if let Some(minimum) = &config.minimum
        && let Some(fault) = version::minimum_fault(&minimum.value, kapp)
    {
        return Some((minimum.place, format!("Validating config: {}", fault.text)));
    }
    let fault = config.rebase_fault.as_ref()?;
    Some((fault.place, format!("Validating config: {}", fault.value)))
}

/// kapp's error about a resource that is labeled as Config.
pub(crate) struct LabeledError {
    pub(crate) place: u32,
    pub(crate) text: String,
    pub(crate) panics: bool,
}

/// kapp's error about a resource with the label at a place.
pub(crate) fn labeled_error(
    r: &Resource,
    label: u32,
    labeled: &LabeledConfig,
    kapp: &str,
) -> Option<LabeledError> {
    let fault = |place: u32, text: String| LabeledError {
        place,
        text,
        panics: false,
    };
    if &*r.api_version.value != "v1" || &*r.kind.value != "ConfigMap" {
        let described = describe_written(r);
        let text = format!(
            "Expected kapp config to be within v1/ConfigMap but apiVersion or kind do not match%!(EXTRA string={described})"
        );
        return Some(fault(label, text));
    }
    Some(match labeled {
        LabeledConfig::Config(config) => {
            let (place, text) = config_error(config, kapp)?;
            fault(place, text)
        }
        LabeledConfig::NoKey => fault(
            label,
            "Expected to find field 'data.\"config.yml\"', but did not".to_owned(),
        ),
        LabeledConfig::Unconverted(reason) => fault(
            reason.place,
            format!(
                "Converting resource to ConfigMap: unable to convert unstructured object to /v1, Kind=ConfigMap: {}",
                reason.value
            ),
        ),
        LabeledConfig::Empty => LabeledError {
            place: label,
            text: "panic: runtime error: invalid memory address or nil pointer dereference".to_owned(),
            panics: true,
        },
        LabeledConfig::Broken(text) => fault(label, format!("Parsing kapp config as resource: {text}")),
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

/// Whether kapp continues with a resource.
pub(super) fn is_valid(r: &Resource) -> bool {
    !r.lacks_a_field() && !r.panics()
}

/// kapp writes the time into an annotation that requests it, which must be empty.
pub(super) fn has_own_nonce(r: &Resource) -> bool {
    let mut own = r.annotations().iter().filter(|a| a.key == Key::OtherOfKapp);
    own.any(|a| *a.name.value == *NONCE && !a.value.value.is_empty())
}

/// Why kapp cannot parse after which time a resource must be renewed.
pub(crate) fn unreadable_duration(r: &Resource) -> Option<String> {
    let written = r.annotations().iter().find(|a| a.key == Key::RenewDuration)?;
    duration::parse(&written.value.value).err()
}

/// Why the cluster cannot be asked for an object: its name or namespace is not a part of a path.
///
/// Source: client-go 0.29, `dynamic/simple.go`, and apimachinery 0.29, `IsValidPathSegmentName`.
pub(crate) fn no_path(name: &str, namespace: &str) -> Option<String> {
    let fault = |what: &str, text: &str| {
        let why = match text {
            "." | ".." => format!("may not be '{text}'"),
            _ => {
                let odd = ["/", "%"].into_iter().filter(|odd| text.contains(odd));
                let all: Vec<String> = odd.map(|odd| format!("may not contain '{odd}'")).collect();
                all.join(" ")
            }
        };
        (!why.is_empty()).then(|| format!("invalid {what} {}: [{why}]", quote(text.as_bytes())))
    };
    fault("namespace", namespace).or_else(|| fault("resource name", name))
}

/// After how many nanoseconds a resource must be renewed.
pub(crate) fn renewed_after(r: &Resource) -> Option<i64> {
    let written = r.annotations().iter().find(|a| a.key == Key::RenewDuration)?;
    duration::parse(&written.value.value).ok()
}

/// The annotation whose value differs on every run.
pub(crate) const NONCE: &str = "kapp.k14s.io/nonce";
