//! A table of `applyorder.toml` that belongs to one engine, as the engine declares it.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeOwned, DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde::{Deserializer, Serialize};
use toml::de::ValueDeserializer;

/// What an engine's table of the configuration says.
pub(super) type Value = Arc<dyn Any + Send + Sync>;

/// A table of the configuration that belongs to an engine: `[kapp]`.
pub struct Section {
    name: &'static str,
    read: fn(toml::Table) -> Result<Value, toml::de::Error>,
    check: fn(&'static str, ValueDeserializer<'_>) -> Result<(), toml::de::Error>,
    show: fn(&Value) -> Option<toml::Value>,
    schema: fn(&mut SchemaGenerator) -> Schema,
}

/// A type that the table of an engine is read as.
pub trait Settings:
    DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static
{
}

impl<T: DeserializeOwned + Serialize + JsonSchema + Default + Clone + Send + Sync + 'static> Settings for T {}

impl Section {
    /// The table `name`, read as a `T`, which reports unknown keys and wrong types.
    #[must_use]
    pub const fn of<T: Settings>(name: &'static str) -> Self {
        Self {
            name,
            read: |table| Ok(Arc::new(table.try_into::<T>()?)),
            check: |name, table| Only::<T>(name, PhantomData).deserialize(table),
            show: |value| toml::Value::try_from(value.downcast_ref::<T>()?).ok(),
            schema: |generator| generator.subschema_for::<T>(),
        }
    }

    /// The name of the table.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// The schema of the table.
    pub fn schema(&self, generator: &mut SchemaGenerator) -> Schema {
        (self.schema)(generator)
    }

    pub(super) fn read(&self, table: toml::Table) -> Result<Value, toml::de::Error> {
        (self.read)(table)
    }

    /// Reads the table within its parent table, so that an error has its place in the file.
    pub(super) fn check(&self, around: ValueDeserializer<'_>) -> Result<(), toml::de::Error> {
        (self.check)(self.name, around)
    }

    pub(super) fn show(&self, value: &Value) -> Option<toml::Value> {
        (self.show)(value)
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.name)
    }
}

/// One table of a file, read as a `T` and dropped; the others are skipped.
struct Only<T>(&'static str, PhantomData<T>);

impl<'de, T: Settings> DeserializeSeed<'de> for Only<T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, T: Settings> Visitor<'de> for Only<T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == self.0 {
                map.next_value::<T>()?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{Config, Configs, Known};
    use crate::files::MemoryFiles;
    use crate::store::Store;
    use serde::Deserialize;

    #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
    #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
    struct Toy {
        speed: Option<u32>,
        roots: Vec<String>,
    }

    static TOY: Section = Section::of::<Toy>("toy");

    fn known() -> Known {
        Known {
            sections: vec![&TOY],
            ..Known::default()
        }
    }

    fn read(files: &[(&str, &str)]) -> (Configs, Vec<(String, String)>) {
        let mut memory = MemoryFiles::new();
        for (path, text) in files {
            memory.insert(*path, text);
        }
        let store = Store::default();
        let configs = Configs::discover(&["/w".into()], &memory, &store, &known());
        let problem = |d: &crate::diagnostic::Diagnostic| {
            let source = store.source(d.place.file, &memory).unwrap();
            let crate::diagnostic::At::Span(span) = d.place.at else {
                panic!("{:?}", d.place);
            };
            (span.slice(&source.text).to_owned(), d.message.clone())
        };
        let problems = configs.diagnostics().iter().map(problem).collect();
        (configs, problems)
    }

    #[test]
    fn a_table_is_read_by_its_engine() {
        let (configs, problems) = read(&[
            (
                "/w/applyorder.toml",
                "extend = \"base.toml\"\ntoy.roots = [\"a\"]\n",
            ),
            ("/w/base.toml", "[toy]\nspeed = 3\nroots = [\"b\", \"c\"]\n"),
        ]);
        assert_eq!(problems, []);
        let toy = configs.of("/w/x".into()).section::<Toy>();
        assert_eq!((toy.speed, &toy.roots[..]), (Some(3), &["a".to_owned()][..]));
        let over = configs.of("/w".into()).with_override("toy.speed", "5", &known());
        assert_eq!(over.unwrap().section::<Toy>().speed, Some(5));
        let show = configs.of("/w".into()).show(&known());
        assert_eq!(show["toy"]["speed"].as_integer(), Some(3));
    }

    #[test]
    fn mistakes_have_their_place() {
        let (_, problems) = read(&[("/w/applyorder.toml", "tyo = 1\n[toy]\nspeed = \"x\"\n")]);
        assert_eq!(
            problems,
            [
                (
                    "tyo".to_owned(),
                    "invalid configuration: unknown key `tyo`; did you mean `toy`?".to_owned()
                ),
                (
                    "\"x\"".to_owned(),
                    "invalid configuration: invalid speed: expected an integer of 0 or more, found a string"
                        .to_owned()
                )
            ]
        );
        let (_, problems) = read(&[("/w/applyorder.toml", "toy = 1\n")]);
        assert_eq!(problems[0].0, "1");
        assert_eq!(Config::default().section::<Toy>().speed, None);
    }
}
