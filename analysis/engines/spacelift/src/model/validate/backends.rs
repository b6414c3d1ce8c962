//! Backends: what they take, and what they check without a network.
//!
//! Source: Terraform 1.11 and OpenTofu 1.10, their schemas and `PrepareConfig`.

use std::collections::BTreeMap;
use std::sync::Arc;

use applyorder_core::rules::nearest;
use applyorder_syntax::hcl::eval::{Type, Value, convert};

/// By line: a backend, and its arguments.
const BACKENDS: &str = include_str!("../../schema/backends.txt");

/// The same of OpenTofu.
const BACKENDS_OF_OPENTOFU: &str = include_str!("../../schema/backends-opentofu.txt");

/// Backends that only later versions of OpenTofu may have.
const LATER_OF_OPENTOFU: &[&str] = &["oci"];

/// Backends of other versions, from 1.0 to 1.16.
const OTHER_BACKENDS: &[&str] = &["artifactory", "azure", "etcd", "etcdv3", "manta", "oci", "swift"];

/// Arguments of backends in these versions.
const OTHER_ARGUMENTS: &[(&str, &str)] = &[
    ("oss", "tablestore_instance_name"),
    ("s3", "assume_role_duration_seconds"),
    ("s3", "assume_role_policy"),
    ("s3", "assume_role_policy_arns"),
    ("s3", "assume_role_tags"),
    ("s3", "assume_role_transitive_tag_keys"),
    ("s3", "external_id"),
    ("s3", "role_arn"),
    ("s3", "session_name"),
];

/// What Terraform rejects or may reject.
pub(in super::super) enum Fault {
    /// An argument, and why it is invalid.
    Invalid(&'static str, String),
    /// That depends on the version.
    Open(&'static str, String),
}

/// An argument of a backend.
pub(super) struct Argument<'t> {
    name: &'t str,
    ty: &'t str,
    is_required: bool,
}

impl<'t> Argument<'t> {
    fn read(word: &'t str) -> Self {
        let (word, is_required) = word.strip_suffix('!').map_or((word, false), |word| (word, true));
        let (name, ty) = word.split_once(':').unwrap_or((word, "string"));
        Self {
            name,
            ty,
            is_required,
        }
    }

    /// Whether there is at most one block of it.
    pub(super) fn is_single(&self) -> bool {
        self.ty == "object"
    }

    /// Why it does not take a value.
    pub(super) fn refuses(&self, value: &Value) -> Option<String> {
        let text = || Arc::new(Type::String);
        let wanted = match self.ty {
            "bool" => Type::Bool,
            "number" => Type::Number,
            "strings" => Type::List(text()),
            "map" => Type::Map(text()),
            // What is in them is not followed.
            "object" => return not_an_object(value),
            "any" => return None,
            "objects" => {
                let is_list = value.is_null() || value.ty().may_be_sequence();
                return (!is_list).then(|| "a list is required".to_owned());
            }
            _ => Type::String,
        };
        convert(value, &wanted).err()
    }
}

/// Why a value is not an object; null is one that is not given.
pub(super) fn not_an_object(value: &Value) -> Option<String> {
    let is_object = value.is_null() || value.ty().may_be_mapping();
    (!is_object).then(|| "an object is required".to_owned())
}

/// The arguments of a backend in a table.
fn listed<'t>(table: &'t str, kind: &str) -> Option<impl Iterator<Item = Argument<'t>> + use<'t>> {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let found = lines.find_map(|line| line.strip_prefix(kind)?.strip_prefix(' '))?;
    Some(found.split(' ').map(Argument::read))
}

/// The arguments of a backend.
pub(super) fn arguments(kind: &str, is_tofu: bool) -> Result<Vec<Argument<'static>>, Fault> {
    let (table, others) = match is_tofu {
        true => (BACKENDS_OF_OPENTOFU, LATER_OF_OPENTOFU),
        false => (BACKENDS, OTHER_BACKENDS),
    };
    listed(table, kind)
        .map(Iterator::collect)
        .ok_or_else(|| match others.contains(&kind) {
            true => {
                let why = format!("whether backend `{kind}` exists depends on the version");
                Fault::Open("backend", why)
            }
            false => Fault::Invalid("backend", format!("unknown backend `{kind}`")),
        })
}

/// Rejects the name of a block of a backend where that of a backend is required.
pub(super) fn backend_name(kind: &str) -> Result<(), Fault> {
    match kind.contains('.') {
        true => Err(Fault::Invalid("backend", format!("unknown backend `{kind}`"))),
        false => Ok(()),
    }
}

/// A backend, or a block of one, whose name is behind that of the backend.
fn title(kind: &str) -> String {
    match kind.rsplit_once('.') {
        Some((_, block)) => format!("`{block}`"),
        None => format!("backend `{kind}`"),
    }
}

/// The argument of a backend that a name means.
pub(super) fn named<'t>(
    kind: &str,
    all: &'t [Argument<'static>],
    name: &str,
    is_tofu: bool,
) -> Result<&'t Argument<'static>, Fault> {
    if let Some(argument) = all.iter().find(|argument| argument.name == name) {
        return Ok(argument);
    }
    // Later versions of OpenTofu add what Terraform has.
    let is_later = match is_tofu {
        true => listed(BACKENDS, kind).is_some_and(|mut all| all.any(|argument| argument.name == name)),
        false => OTHER_ARGUMENTS.contains(&(kind, name)),
    };
    if is_later {
        let why = format!("whether backend `{kind}` takes `{name}` depends on the version");
        return Err(Fault::Open("config", why));
    }
    let mut why = format!("{} takes no argument `{name}`", title(kind));
    if let Some(near) = nearest(name, all.iter().map(|argument| argument.name)) {
        why += &format!("; did you mean `{near}`?");
    }
    Err(Fault::Invalid("config", why))
}

/// Checks a value that a block of a backend has: an object, or several.
fn of_block(kind: &str, name: &str, value: &Value, is_tofu: bool) -> Result<(), Fault> {
    let block = format!("{kind}.{name}");
    let Ok(all) = arguments(&block, is_tofu) else {
        return Ok(());
    };
    let blocks = value.elements().unwrap_or(std::slice::from_ref(value));
    for given in blocks.iter().filter_map(Value::members) {
        for (argument, value) in given {
            if let Some(why) = named(&block, &all, argument, is_tofu)?.refuses(value) {
                return Err(Fault::Invalid("config", format!("`{name}.{argument}`: {why}")));
            }
        }
        missing(&block, &all, |name| {
            given.get(name).is_some_and(|value| !value.is_null())
        })?;
    }
    Ok(())
}

/// What is wrong with the configuration of a backend.
pub(super) fn of_backend(kind: &str, config: Option<&Value>, is_tofu: bool) -> Result<(), Fault> {
    let kind = if kind == "_local" { "local" } else { kind };
    backend_name(kind)?;
    let all = arguments(kind, is_tofu)?;
    let given = config.and_then(Value::members);
    for (name, value) in given.into_iter().flatten() {
        if let Some(why) = named(kind, &all, name, is_tofu)?.refuses(value) {
            return Err(Fault::Invalid("config", format!("`{name}`: {why}")));
        }
        of_block(kind, name, value, is_tofu)?;
    }
    let is_given = |name: &str| {
        let value = given.and_then(|given| given.get(name));
        value.is_some_and(|value| !value.is_null())
    };
    missing(kind, &all, is_given)?;
    given.map_or(Ok(()), |given| values(kind, given, false))
}

/// What is required and not given.
fn missing(kind: &str, all: &[Argument<'_>], is_given: impl Fn(&str) -> bool) -> Result<(), Fault> {
    let missing = all
        .iter()
        .find(|argument| argument.is_required && !is_given(argument.name));
    missing.map_or(Ok(()), |missing| {
        let why = format!("{} requires `{}`", title(kind), missing.name);
        Err(Fault::Invalid("config", why))
    })
}

/// The values of the arguments of a backend.
pub(super) type Given = BTreeMap<Arc<str>, Value>;

/// Arguments of `s3` with values that it checks and that are not followed.
const CHECKED: &[&str] = &[
    "allowed_account_ids",
    "assume_role",
    "assume_role_with_web_identity",
    "ec2_metadata_service_endpoint_mode",
    "forbidden_account_ids",
    "kms_key_id",
    "retry_mode",
    "sse_customer_key",
];

/// What a backend checks of values whose types are right. `is_own`: the module keeps its own state there, and what is missing
/// may be given elsewhere.
pub(super) fn values(kind: &str, given: &Given, is_own: bool) -> Result<(), Fault> {
    let member = |name: &str| given.get(name).filter(|value| !value.is_null());
    let text = |name: &str| member(name).and_then(Value::as_str);
    let invalid = |name: &str, why: &str| Err(Fault::Invalid("config", format!("`{name}`: {why}")));
    let open = |why: String| Err(Fault::Open("config", why));
    let in_workspaces = |name: &str| {
        let value = given.get("workspaces")?.members()?.get(name)?;
        Some(value).filter(|value| !value.is_null() && value.as_str() != Some(""))
    };
    let has_outer_slash = |key: &str| key.starts_with('/') || key.ends_with('/');
    match kind {
        "local" => match ["path", "workspace_dir"]
            .into_iter()
            .find(|name| text(name) == Some(""))
        {
            Some(name) => invalid(name, "it must not be empty"),
            None => Ok(()),
        },
        "remote" if text("organization") == Some("") => invalid("organization", "it must not be empty"),
        "remote" => match (in_workspaces("name"), in_workspaces("prefix")) {
            (None, None) if !is_own => invalid("workspaces", "it requires `name` or `prefix`"),
            (Some(_), Some(_)) => invalid("workspaces", "`name` conflicts with `prefix`"),
            _ => Ok(()),
        },
        // In a data source Terraform looks at them only when it reads the state.
        "cloud" if is_own && in_workspaces("tags").is_some_and(are_no_tags) => {
            invalid("workspaces.tags", "a set or an object is required")
        }
        "cloud" if in_workspaces("name").is_some() && in_workspaces("tags").is_some() => {
            invalid("workspaces", "`name` conflicts with `tags`")
        }
        "s3" => {
            let is_blank = |name: &&str| text(name).is_some_and(|text| text.trim().is_empty());
            if let Some(name) = ["bucket", "key"].into_iter().find(is_blank) {
                return invalid(name, "it must not be empty");
            }
            if text("key").is_some_and(has_outer_slash) {
                return invalid("key", "it must not start or end with `/`");
            }
            if is_own {
                return Ok(());
            }
            if text("region").is_none_or(str::is_empty) {
                return open("whether the environment has a region is unknown".to_owned());
            }
            let checked = CHECKED.iter().find(|name| member(name).is_some());
            checked.map_or(Ok(()), |name| {
                open(format!("what backend `s3` checks of `{name}` is not followed"))
            })
        }
        "cos" | "oss" => {
            let acl = text("acl").filter(|acl| !matches!(*acl, "" | "private" | "public-read"));
            match text("key") {
                Some(key) if has_outer_slash(key) => invalid("key", "it must not start or end with `/`"),
                _ if is_own => Ok(()),
                _ => ["assume_role", "prefix"]
                    .into_iter()
                    .find(|name| member(name).is_some())
                    .or(acl.map(|_| "acl"))
                    .map_or(Ok(()), |name| {
                        open(format!(
                            "what backend `{kind}` checks of `{name}` is not followed"
                        ))
                    }),
            }
        }
        _ => Ok(()),
    }
}

/// Whether a value is not what `cloud` takes as tags.
fn are_no_tags(value: &Value) -> bool {
    !value.ty().may_be_sequence() && !value.ty().may_be_mapping()
}
