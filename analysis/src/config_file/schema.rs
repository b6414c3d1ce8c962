//! The JSON Schema of `applyorder.toml`, per key.

use std::collections::VecDeque;

use applyorder_core::config::{Known, json_schema};
use serde_json::{Map, Value};

use super::outline::Step;

/// The maximum number of schemas behind references that are followed.
const MAX_SCHEMAS: usize = 64;

/// The schema.
pub struct ConfigSchema(Value);

/// The schema of one key or value: all schemas that apply to it.
pub struct Described<'a>(Vec<&'a Map<String, Value>>);

impl ConfigSchema {
    /// The schema with what engines declare.
    #[must_use]
    pub fn new(known: &Known) -> Self {
        Self(json_schema(known).to_value())
    }

    /// The schema at the end of a path; empty for a key that does not exist.
    #[must_use]
    pub fn at<'s>(&self, path: impl IntoIterator<Item = &'s Step>) -> Described<'_> {
        let mut at = self.described([&self.0]);
        for step in path {
            at = match step {
                Step::Root => at,
                Step::Element => self.described(at.each("items")),
                // `[kapp.app]` is a mistake for `[[kapp.app]]`; its keys are those of an element.
                Step::Key(key) => {
                    let elements = self.described(at.each("items"));
                    let tables = at.0.iter().chain(&elements.0);
                    let child = tables.filter_map(|table| {
                        let property = table.get("properties").and_then(|p| p.get(key));
                        property.or_else(|| table.get("additionalProperties"))
                    });
                    self.described(child.collect::<Vec<_>>())
                }
            };
        }
        at
    }

    /// The schemas that some schemas refer to.
    fn described<'a>(&'a self, schemas: impl IntoIterator<Item = &'a Value>) -> Described<'a> {
        let mut open: VecDeque<&Value> = schemas.into_iter().collect();
        let mut found = Vec::new();
        while let Some(schema) = open.pop_front() {
            let Some(schema) = schema.as_object().filter(|_| found.len() < MAX_SCHEMAS) else {
                continue;
            };
            found.push(schema);
            for list in ["oneOf", "anyOf", "allOf"] {
                open.extend(schema.get(list).and_then(Value::as_array).into_iter().flatten());
            }
            let target = schema.get("$ref").and_then(Value::as_str);
            open.extend(target.and_then(|target| self.0.pointer(target.strip_prefix('#')?)));
        }
        Described(found)
    }

    /// The keys that a table can have, each with its schema.
    #[must_use]
    pub fn keys<'a>(&'a self, table: &Described<'a>) -> Vec<(&'a str, Described<'a>)> {
        let elements = self.described(table.each("items"));
        let properties = table.0.iter().chain(&elements.0);
        let properties = properties.filter_map(|s| s.get("properties")?.as_object());
        let keys = properties.flatten();
        keys.map(|(key, schema)| (key.as_str(), self.described([schema])))
            .collect()
    }

    /// The schema of the elements of an array.
    #[must_use]
    pub fn elements<'a>(&'a self, array: &Described<'a>) -> Described<'a> {
        self.described(array.each("items"))
    }
}

impl<'a> Described<'a> {
    fn each(&self, name: &str) -> Vec<&'a Value> {
        self.0.iter().filter_map(|schema| schema.get(name)).collect()
    }

    fn has_type(&self, name: &str) -> bool {
        self.each("type").iter().any(|t| match t {
            Value::String(one) => one == name,
            Value::Array(all) => all.iter().any(|one| one == name),
            _ => false,
        })
    }

    /// Whether the path exists in the schema.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.0.iter().any(|schema| !schema.is_empty())
    }

    /// Whether it is a table.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.has_type("object")
    }

    /// Whether it is a table whose keys are not fixed.
    #[must_use]
    pub fn is_map(&self) -> bool {
        self.each("additionalProperties").iter().any(|of| of.is_object())
    }

    /// Whether it is a table or a list of tables, for which TOML has headers.
    #[must_use]
    pub fn has_header(&self, schema: &ConfigSchema) -> bool {
        self.is_table() || self.is_array() && schema.described(self.each("items")).is_table()
    }

    /// Whether it is an array.
    #[must_use]
    pub fn is_array(&self) -> bool {
        self.has_type("array")
    }

    /// Whether it is a path, or a list of paths, relative to the configuration.
    #[must_use]
    pub fn is_path(&self) -> bool {
        self.each("x-path").contains(&&Value::Bool(true))
    }

    /// Whether it is a pattern of paths below the configuration, or a list of them.
    #[must_use]
    pub fn is_pattern(&self) -> bool {
        self.each("x-pattern").contains(&&Value::Bool(true))
    }

    /// Whether it names units.
    #[must_use]
    pub fn is_unit(&self) -> bool {
        self.each("x-unit").contains(&&Value::Bool(true))
    }

    /// Whether it is `true` or `false`.
    #[must_use]
    pub fn is_boolean(&self) -> bool {
        self.has_type("boolean")
    }

    /// The description in the schema: that of the key itself, not of its type.
    #[must_use]
    pub fn description(&self) -> Option<&'a str> {
        self.0
            .first()?
            .get("description")
            .or_else(|| {
                // The description of a table that is a type of its own only describes the type.
                self.each("description").first().copied()
            })?
            .as_str()
    }

    /// The values it can have, each with its description, if they are a fixed set of words.
    #[must_use]
    pub fn words(&self) -> Vec<(&'a str, Option<&'a str>)> {
        let mut words: Vec<(&str, Option<&str>)> = Vec::new();
        for schema in &self.0 {
            let told = schema.get("description").and_then(Value::as_str);
            if let Some(word) = schema.get("const").and_then(Value::as_str) {
                words.push((word, told));
            }
            let listed = schema.get("enum").and_then(Value::as_array);
            let listed = listed.into_iter().flatten().filter_map(Value::as_str);
            words.extend(listed.map(|word| (word, None)));
        }
        words
    }

    /// The value that applies without the key, if it has one.
    #[must_use]
    pub fn default(&self) -> Option<String> {
        let default = self.0.first()?.get("default")?;
        match default {
            Value::String(text) if !text.is_empty() => Some(format!("\"{text}\"")),
            Value::Bool(_) | Value::Number(_) => Some(default.to_string()),
            _ => None,
        }
    }

    /// Its type as text.
    #[must_use]
    pub fn type_name(&self, schema: &'a ConfigSchema) -> String {
        if self.is_array() {
            let elements = schema.elements(self);
            return if elements.is_table() {
                "list of tables".to_owned()
            } else {
                "list of strings".to_owned()
            };
        }
        let words = self.words();
        if !words.is_empty() {
            let words: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
            return words.join(", ");
        }
        let names = [
            ("object", "table"),
            ("boolean", "true or false"),
            ("integer", "integer"),
            ("number", "number"),
            ("string", "string"),
        ];
        let name = names.iter().find(|(name, _)| self.has_type(name));
        name.map_or_else(String::new, |(_, word)| (*word).to_owned())
    }
}
