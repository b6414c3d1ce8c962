//! The arguments of tools, and the command lines they become.

use std::collections::BTreeMap;

use applyorder_analysis::engine::{Engines, RunOption, Takes};
use camino::Utf8Path;
use rmcp::model::JsonObject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::call::{Cx, ToolError};

/// One value, or several.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub(crate) enum Values {
    One(String),
    Many(Vec<String>),
}

impl Values {
    fn as_slice(&self) -> &[String] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::Many(values) => values,
        }
    }
}

/// What the engine does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Operation {
    /// Create and update.
    #[default]
    Apply,
    /// Remove.
    Delete,
}

impl Operation {
    fn flag(self) -> &'static str {
        match self {
            Self::Apply => "--for=apply",
            Self::Delete => "--for=delete",
        }
    }
}

/// Arguments that name files and a run, as commands do.
pub(crate) trait Params: DeserializeOwned + JsonSchema {
    fn paths(&self) -> &[String];
    fn engine(&self) -> Option<&str>;
    fn options(&self) -> &BTreeMap<String, Values>;
}

/// Defines a struct with the fields common to all tools about projects, and its own fields.
macro_rules! params {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct $name {
            /// Directories (the projects below them) or files (the projects they belong to), relative to the server's
            /// first directory. Default: all directories of the server.
            #[serde(default)]
            pub(crate) paths: Vec<String>,
            /// Only this engine.
            #[serde(default)]
            pub(crate) engine: Option<String>,
            /// Options of the engine's run.
            #[serde(default)]
            pub(crate) options: BTreeMap<String, Values>,
            $($(#[$field_doc])* pub(crate) $field: $type,)*
        }

        impl Params for $name {
            fn paths(&self) -> &[String] {
                &self.paths
            }

            fn engine(&self) -> Option<&str> {
                self.engine.as_deref()
            }

            fn options(&self) -> &BTreeMap<String, Values> {
                &self.options
            }
        }
    };
}

params!(
    /// `lint`
    Lint {
        /// The lowest severity to report: hint, info, warning (the default) or error.
        #[serde(default)]
        min_severity: Option<String>,
        /// Rules to report: rule IDs, `ENGINE`, `ENGINE/*`, severities.
        #[serde(default)]
        select: Vec<String>,
        /// Rules not to report: rule IDs, `ENGINE`, `ENGINE/*`, severities.
        #[serde(default)]
        ignore: Vec<String>,
        /// If `paths` names files: report the whole projects they belong to.
        #[serde(default)]
        whole: bool,
        /// The maximum number of findings, the worst first.
        #[serde(default = "hundred")]
        limit: usize,
    }
);

params!(
    /// `order`
    Order {
        /// The operation.
        #[serde(default)]
        operation: Operation,
        /// The maximum number of units listed with their declaration; the order itself has all units.
        #[serde(default = "hundred")]
        limit: usize,
    }
);

params!(
    /// `why`
    Why {
        /// The first unit.
        from: String,
        /// The second unit.
        to: String,
        /// The operation.
        #[serde(default)]
        operation: Operation,
    }
);

params!(
    /// `deps`
    Deps {
        /// The unit.
        unit: String,
        /// List dependents instead of dependencies.
        #[serde(default)]
        reverse: bool,
        /// The maximum number of steps; 1 for direct ones only.
        #[serde(default)]
        depth: Option<u32>,
        /// The operation.
        #[serde(default)]
        operation: Operation,
        /// The maximum number of units, the nearest first.
        #[serde(default = "hundred")]
        limit: usize,
    }
);

params!(
    /// `simulate`
    Simulate {
        /// The units that changed.
        #[serde(default)]
        changed: Vec<String>,
        /// The units that failed in the previous run.
        #[serde(default)]
        failed: Vec<String>,
        /// The operation.
        #[serde(default)]
        operation: Operation,
        /// The maximum number of units listed with their declaration and action; the order itself has all units.
        #[serde(default = "hundred")]
        limit: usize,
    }
);

params!(
    /// `diff`
    Diff {
        /// A git revision: its merge base with HEAD is compared with the current files. `REV..REV2` compares exactly
        /// these two.
        revision: String,
        /// The operation.
        #[serde(default)]
        operation: Operation,
    }
);

params!(
    /// `graph`
    Graph {
        /// Only this unit and what runs before and after it.
        #[serde(default)]
        focus: Option<String>,
        /// With `focus`: the maximum number of steps.
        #[serde(default)]
        depth: Option<u32>,
        /// The operation.
        #[serde(default)]
        operation: Operation,
    }
);

/// `explain`
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Explain {
    /// The rule's ID, as in findings.
    pub(crate) rule: String,
}

fn hundred() -> usize {
    100
}

/// Parses arguments.
///
/// # Errors
/// The error in the arguments, as a sentence.
pub(crate) fn read<P: DeserializeOwned>(arguments: JsonObject) -> Result<P, ToolError> {
    serde_json::from_value(Value::Object(arguments)).map_err(|e| format!("invalid arguments: {e}").into())
}

/// The JSON schema of arguments.
pub(crate) fn schema<P: JsonSchema>() -> JsonObject {
    let schema = schemars::generate::SchemaSettings::draft2020_12()
        .into_generator()
        .into_root_schema_for::<P>();
    match schema.to_value() {
        Value::Object(schema) => schema,
        _ => JsonObject::new(),
    }
}

/// The same with the options of the engines.
pub(crate) fn schema_of_run<P: Params>(engines: Engines) -> JsonObject {
    let mut schema = schema::<P>();
    let property = |option: &'static RunOption| {
        let titles = engines
            .iter()
            .filter(|(_, e)| e.meta().has_option(option.name))
            .map(|(_, e)| e.meta().title);
        let help = format!("{} [{}]", option.help, titles.collect::<Vec<_>>().join(", "));
        let shape = if option.takes.is_single() {
            json!({ "type": "string", "description": help })
        } else {
            let one = json!({ "type": "string" });
            json!({ "description": help, "anyOf": [one, { "type": "array", "items": one }] })
        };
        (option.name.to_owned(), shape)
    };
    let properties: JsonObject = flags(engines).map(property).collect();
    let of = |schema: &'_ mut JsonObject, key: &str, value: Value| {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        if let Some(Value::Object(property)) = properties.and_then(|all| all.get_mut(key)) {
            property.remove("additionalProperties");
            property.insert("additionalProperties".to_owned(), Value::Bool(false));
            property.insert("properties".to_owned(), value);
        }
    };
    of(&mut schema, "options", Value::Object(properties));
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        let ids: Vec<&str> = engines.ids().collect();
        if let Some(Value::Object(engine)) = properties.get_mut("engine") {
            engine.insert(
                "enum".to_owned(),
                ids.into_iter().map(Value::from).chain([Value::Null]).collect(),
            );
        }
    }
    schema
}

fn flags(engines: Engines) -> impl Iterator<Item = &'static RunOption> {
    engines.options().into_iter().filter(|option| option.flag)
}

/// The command line of a command about a run: its own arguments, flags first, followed by those of the run.
///
/// # Errors
/// When a path is out of reach, or an option is unknown.
pub(crate) fn command_line<P: Params>(
    cx: &Cx,
    command: &str,
    flags_: &[String],
    units: &[&str],
    params: &P,
) -> Result<Vec<String>, ToolError> {
    let mut line = vec![command.to_owned()];
    line.extend_from_slice(flags_);
    if !flags_.iter().any(|flag| flag.starts_with("--format=")) {
        line.push("--format=json".to_owned());
    }
    line.extend(params.engine().map(|engine| format!("--engine={engine}")));
    for (name, values) in params.options() {
        let Some(option) = flags(cx.engines).find(|option| option.name == name) else {
            let known: Vec<&str> = flags(cx.engines).map(|option| option.name).collect();
            return Err(format!("unknown option {name}; expected one of {}", known.join(", ")).into());
        };
        line.extend(flag_values(cx, option, values.as_slice())?);
    }
    line.push("--".to_owned());
    line.extend(units.iter().map(|unit| (*unit).to_owned()));
    if params.paths().is_empty() {
        line.extend(cx.reach.dirs().iter().map(|dir| dir.as_str().to_owned()));
    }
    for path in params.paths() {
        line.push(within(cx, path)?);
    }
    Ok(line)
}

fn flag_values(cx: &Cx, option: &RunOption, values: &[String]) -> Result<Vec<String>, ToolError> {
    if option.takes.is_single() && values.len() != 1 {
        return Err(format!("option {}: expected one value", option.name).into());
    }
    let value = |value: &String| {
        let value = match option.takes {
            takes if takes.is_path() => within(cx, value)?,
            Takes::Pairs if !value.contains('=') => {
                return Err(format!("option {}: expected KEY=VALUE", option.name).into());
            }
            _ => value.clone(),
        };
        Ok(format!("--{}={value}", option.name))
    };
    values.iter().map(value).collect()
}

/// A path for a command: absolute, so that it can be neither a flag nor standard input.
fn within(cx: &Cx, path: &str) -> Result<String, ToolError> {
    let base = cx
        .reach
        .dirs()
        .first()
        .map_or(Utf8Path::new("/"), |dir| dir.as_path());
    Ok(cx.reach.path(base, path)?.into_string())
}

impl Lint {
    pub(crate) fn flags(&self) -> Vec<String> {
        // All findings are requested, so that those beyond the limit can be counted.
        let mut flags = vec!["--max-findings=0".to_owned()];
        flags.extend(
            self.min_severity
                .as_ref()
                .map(|least| format!("--min-severity={least}")),
        );
        flags.extend(self.select.iter().map(|rule| format!("--select={rule}")));
        flags.extend(self.ignore.iter().map(|rule| format!("--ignore={rule}")));
        flags.extend(self.whole.then(|| "--whole".to_owned()));
        flags
    }
}

impl Order {
    pub(crate) fn flags(&self) -> Vec<String> {
        vec![self.operation.flag().to_owned()]
    }
}

impl Why {
    pub(crate) fn flags(&self) -> Vec<String> {
        vec![self.operation.flag().to_owned()]
    }
}

impl Deps {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec![self.operation.flag().to_owned()];
        flags.extend(self.reverse.then(|| "--reverse".to_owned()));
        flags.extend(self.depth.map(|depth| format!("--depth={depth}")));
        flags
    }
}

impl Simulate {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec![self.operation.flag().to_owned()];
        flags.extend(self.changed.iter().map(|unit| format!("--changed={unit}")));
        flags.extend(self.failed.iter().map(|unit| format!("--failed={unit}")));
        flags
    }
}

impl Diff {
    pub(crate) fn flags(&self) -> Vec<String> {
        vec![self.operation.flag().to_owned()]
    }
}

impl Graph {
    pub(crate) fn flags(&self) -> Vec<String> {
        let mut flags = vec![
            "--format=mermaid".to_owned(),
            "--source-url=off".to_owned(),
            self.operation.flag().to_owned(),
        ];
        flags.extend(self.focus.iter().map(|unit| format!("--focus={unit}")));
        flags.extend(self.depth.map(|depth| format!("--depth={depth}")));
        flags
    }
}
