//! `terraform show -json`: what a plan or state contains and the configuration alone does not.
//!
//! Both forms are read: `planned_values` of a plan, `values` of a state. What is known only after the apply is absent.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use applyorder_syntax::hcl::eval::Value;
use rustc_hash::FxHashMap;

use super::key::Key;
use super::module::Module;
use crate::schema::STACK;
use crate::types::from_json;

/// See the module.
#[derive(Default)]
pub(crate) struct Plan {
    variables: BTreeMap<String, Value>,
    /// Known string arguments, by address of the instance and name.
    values: FxHashMap<String, BTreeMap<String, String>>,
    /// The keys of resources and of calls, by their address without key.
    keys: BTreeMap<String, Vec<Key>>,
    /// Addresses of stacks by their ids.
    stacks: FxHashMap<String, Arc<str>>,
    /// What the root module declares, by the plan's own configuration, or by its resources if it contains none.
    own: BTreeSet<String>,
    /// Whether it contains the configuration it was made from.
    has_configuration: bool,
    /// Whether resources are missing: it was made for some only, or was not finished.
    is_partial: bool,
}

/// The largest plan that is read.
const MAX_TEXT: usize = 256 * 1024 * 1024;

impl Plan {
    /// Reads a plan.
    ///
    /// # Errors
    /// Why it is invalid.
    pub(crate) fn read(text: &str) -> Result<Self, String> {
        if text.len() > MAX_TEXT {
            return Err("it is larger than 256 MiB".to_owned());
        }
        let json: serde_json::Value = serde_json::from_str(text).map_err(|e| not_shown(&e.to_string()))?;
        check_form(&json)?;
        let mut plan = Self::default();
        if let Some(variables) = json.get("variables").and_then(|v| v.as_object()) {
            for (name, given) in variables {
                if let Some(value) = given.get("value") {
                    plan.variables.insert(name.clone(), from_json(value));
                }
            }
        }
        let mut roots = Vec::new();
        // What data sources returned is in the prior state.
        for path in [
            &["prior_state", "values", "root_module"][..],
            &["planned_values", "root_module"],
            &["values", "root_module"],
        ] {
            let found = path.iter().try_fold(&json, |at, name| at.get(name));
            roots.extend(found.map(|module| (module, path.len() == 3)));
        }
        for (root, prior) in roots {
            plan.module(root, prior);
        }
        for keys in plan.keys.values_mut() {
            keys.sort();
            keys.dedup();
        }
        plan.configuration(&json);
        Ok(plan)
    }

    /// Reads which module it was made from, and whether it is complete.
    fn configuration(&mut self, json: &serde_json::Value) {
        let says =
            |name: &str, answer: bool| json.get(name).and_then(serde_json::Value::as_bool) == Some(answer);
        self.is_partial = says("complete", false) || says("errored", true);
        let Some(root) = json.get("configuration").and_then(|c| c.get("root_module")) else {
            // Of what is in modules, only the calls belong to the root.
            self.own = self
                .keys
                .keys()
                .filter(|address| is_of_root(address))
                .cloned()
                .collect();
            return;
        };
        self.has_configuration = true;
        let calls = root.get("module_calls").and_then(|calls| calls.as_object());
        let calls = calls.into_iter().flatten();
        self.own = calls.map(|(name, _)| format!("module.{name}")).collect();
        for resource in root
            .get("resources")
            .and_then(|r| r.as_array())
            .into_iter()
            .flatten()
        {
            let Some(address) = resource.get("address").and_then(|a| a.as_str()) else {
                continue;
            };
            let has = |name: &str| resource.get(name).is_some();
            let is_managed = resource.get("mode").and_then(|m| m.as_str()) == Some("managed");
            let is_one = is_managed && !has("count_expression") && !has("for_each_expression");
            // Older versions do not show that they were limited to some resources.
            self.is_partial |= is_one && !self.keys.contains_key(address);
            self.own.insert(address.to_owned());
        }
    }

    /// Whether it is that of a root module: most of what it has is declared there. For a state, which may be older, it
    /// is enough that it has most of what is declared.
    pub(crate) fn is_of(&self, root: &Module<'_>) -> bool {
        if root.has_gap || self.own.is_empty() {
            return true;
        }
        let is_declared = |address: &&String| {
            let (first, rest) = address.split_once('.').unwrap_or((address, ""));
            match (first, rest.split_once('.')) {
                ("module", _) => root.call(rest).is_some(),
                ("data", Some((ty, name))) => root.resource(true, ty, name).is_some(),
                _ => root.resource(false, first, rest).is_some(),
            }
        };
        let common = self.own.iter().filter(is_declared).count() * 2;
        let declared = root.resources.len() + root.calls.len();
        common > self.own.len() || !self.has_configuration && common > declared
    }

    /// Why it is not used for the root module of another project.
    pub(crate) fn of_another(&self) -> String {
        let shown = self.own.first().map_or("", String::as_str);
        let more = match self.own.len() {
            0 | 1 => String::new(),
            count => format!(" and {} more", count - 1),
        };
        format!("no root module declares what it has (`{shown}`{more})")
    }

    fn module(&mut self, root: &serde_json::Value, only_data: bool) {
        let mut open = vec![root];
        while let Some(module) = open.pop() {
            let list = |name: &str| module.get(name).and_then(|m| m.as_array()).into_iter().flatten();
            for child in list("child_modules") {
                if let Some(address) = child
                    .get("address")
                    .and_then(|a| a.as_str())
                    .filter(|_| !only_data)
                {
                    let (base, key) = split(address);
                    self.keys.entry(base.to_owned()).or_default().push(key);
                }
                open.push(child);
            }
            for resource in list("resources") {
                let is_data = resource.get("mode").and_then(|m| m.as_str()) == Some("data");
                if only_data && !is_data {
                    continue;
                }
                self.resource(resource);
            }
        }
    }

    fn resource(&mut self, resource: &serde_json::Value) {
        let Some(address) = resource.get("address").and_then(|a| a.as_str()) else {
            return;
        };
        let (base, key) = split(address);
        self.keys.entry(base.to_owned()).or_default().push(key);
        let known = resource.get("values").and_then(|v| v.as_object());
        let texts: BTreeMap<String, String> = known
            .into_iter()
            .flatten()
            .filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect();
        let is_stack = resource.get("type").and_then(|t| t.as_str()) == Some(STACK)
            && resource.get("mode").and_then(|m| m.as_str()) == Some("managed");
        if let (true, Some(id)) = (is_stack, texts.get("id")) {
            self.stacks.insert(id.clone(), address.into());
        }
        self.values.insert(address.to_owned(), texts);
    }

    pub(crate) fn variable(&self, name: &str) -> Option<Value> {
        self.variables.get(name).cloned()
    }

    /// Whether it contains everything that was planned, so that Terraform rejected nothing.
    pub(crate) const fn is_whole(&self) -> bool {
        !self.is_partial
    }

    /// The keys that a resource or call has, if none can be missing.
    pub(crate) fn keys(&self, address: &str) -> Option<&[Key]> {
        let keys = self.keys.get(address).filter(|_| self.is_whole())?;
        Some(keys)
    }

    /// A string argument of an instance.
    pub(crate) fn text(&self, address: &str, name: &str) -> Option<&str> {
        self.values.get(address)?.get(name).map(String::as_str)
    }

    /// The stack that has an id.
    pub(crate) fn stack(&self, id: &str) -> Option<&Arc<str>> {
        self.stacks.get(id)
    }
}

/// The message that a text is not the expected output, and why.
pub(super) fn not_shown(why: &str) -> String {
    format!("not the output of `terraform show -json`: {why}")
}

/// Whether a value has the form of a plan or a state. Terraform's own reader of both (terraform-json) takes the versions
/// before 2.0 of either; other commands print a `format_version` of their own.
fn check_form(json: &serde_json::Value) -> Result<(), String> {
    let Some(fields) = json.as_object() else {
        return Err(not_shown("expected an object"));
    };
    let Some(version) = fields.get("format_version") else {
        let is_raw = fields.contains_key("serial") && fields.contains_key("lineage");
        return Err(not_shown(if is_raw {
            "it is the state file itself"
        } else {
            "missing field `format_version`"
        }));
    };
    let major = version
        .as_str()
        .and_then(|v| v.split('.').next()?.parse::<u32>().ok());
    match major {
        None => return Err(not_shown("invalid `format_version`")),
        Some(2..) => {
            let version = version.as_str().unwrap_or_default();
            return Err(format!(
                "its format version {version} is not supported: expected 0 or 1"
            ));
        }
        Some(_) => {}
    }
    let parts = ["planned_values", "values"].map(|name| fields.get(name));
    // Without a state Terraform prints only its version.
    let is_empty = || {
        let mut names = fields.keys().map(String::as_str);
        names.all(|name| matches!(name, "format_version" | "terraform_version"))
    };
    if parts.iter().flatten().any(|part| !part.is_object()) {
        return Err(not_shown("its values are not an object"));
    }
    if parts.iter().all(Option::is_none) && !is_empty() {
        return Err(not_shown("it has neither `planned_values` nor `values`"));
    }
    Ok(())
}

/// Whether an address without key is that of a resource or call of the root module.
fn is_of_root(address: &str) -> bool {
    match address.strip_prefix("module.") {
        Some(call) => !call.contains(['.', '[']),
        None => true,
    }
}

/// An address without the key at its end, and the key.
fn split(address: &str) -> (&str, Key) {
    let Some((base, key)) = address.strip_suffix(']').and_then(|a| {
        // A key in quotes may hold brackets.
        let at = if a.ends_with('"') {
            a.rfind("[\"")
        } else {
            a.rfind('[')
        };
        a.split_at_checked(at?)
    }) else {
        return (address, Key::None);
    };
    let key = key.strip_prefix('[').unwrap_or(key);
    match serde_json::from_str::<serde_json::Value>(key) {
        Ok(serde_json::Value::String(text)) => (base, Key::Str(text.into())),
        Ok(serde_json::Value::Number(n)) => match n.as_u64() {
            Some(n) => (base, Key::Int(n)),
            None => (address, Key::None),
        },
        _ => (address, Key::None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_split_at_their_last_key() {
        assert_eq!(split("a.b"), ("a.b", Key::None));
        assert_eq!(split("a.b[2]"), ("a.b", Key::Int(2)));
        assert_eq!(split("module.m[\"x\"].a.b"), ("module.m[\"x\"].a.b", Key::None));
        assert_eq!(split("a.b[\"k\"]"), ("a.b", Key::Str("k".into())));
    }

    #[test]
    fn a_plan_knows_ids_keys_and_variables() {
        let text = r#"{"format_version":"1.2","variables":{"x":{"value":["a"]}},"planned_values":{"root_module":{
            "resources":[{"address":"spacelift_stack.s[\"a\"]","mode":"managed","type":"spacelift_stack","values":{"id":"s-a"}}],
            "child_modules":[{"address":"module.m[0]","resources":[]}]}}}"#;
        let plan = Plan::read(text).unwrap();
        assert_eq!(plan.keys("spacelift_stack.s"), Some(&[Key::Str("a".into())][..]));
        assert_eq!(plan.keys("module.m"), Some(&[Key::Int(0)][..]));
        assert_eq!(plan.stack("s-a").map(|s| &**s), Some("spacelift_stack.s[\"a\"]"));
        assert_eq!(plan.text("spacelift_stack.s[\"a\"]", "id"), Some("s-a"));
        assert_eq!(plan.variable("x").unwrap().elements().unwrap().len(), 1);
    }

    #[test]
    fn what_is_no_plan_is_rejected_with_the_reason() {
        for (text, why) in [
            ("no", "not the output of `terraform show -json`: expected ident"),
            ("", "EOF"),
            ("[]", "expected an object"),
            ("{}", "missing field `format_version`"),
            (
                r#"{"version":4,"serial":1,"lineage":"x","resources":[]}"#,
                "it is the state file itself",
            ),
            (r#"{"format_version":1}"#, "invalid `format_version`"),
            (
                r#"{"format_version":"2.0","planned_values":{}}"#,
                "its format version 2.0 is not supported",
            ),
            (
                r#"{"format_version":"1.0","valid":true}"#,
                "neither `planned_values` nor `values`",
            ),
            (r#"{"format_version":"1.0","values":[]}"#, "not an object"),
        ] {
            let error = Plan::read(text).err().unwrap_or_default();
            assert!(error.contains(why), "{text}: {error}");
        }
        for text in [
            r#"{"format_version":"1.0"}"#,
            r#"{"format_version":"0.2","terraform_version":"1.0.0","values":{"root_module":{}}}"#,
            r#"{"format_version":"1.9","planned_values":{},"new":1}"#,
        ] {
            assert!(Plan::read(text).is_ok(), "{text}");
        }
    }
}
