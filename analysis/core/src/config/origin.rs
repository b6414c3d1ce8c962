//! Where each value of a configuration comes from.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;

/// Where a value was set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// In a configuration file.
    File(Utf8PathBuf),
    /// On the command line.
    CommandLine,
}

/// The origins of values, by their keys from the outermost on. A list has one origin: it is replaced as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Origins(BTreeMap<Vec<String>, Origin>);

impl Origins {
    /// Notes where everything in a table was set.
    pub(super) fn set(&mut self, table: &toml::Table, origin: &Origin) {
        let mut left: Vec<(Vec<String>, &toml::Table)> = vec![(Vec::new(), table)];
        while let Some((path, table)) = left.pop() {
            for (key, value) in table {
                let mut path = path.clone();
                path.push(key.clone());
                match value {
                    toml::Value::Table(inner) => left.push((path, inner)),
                    _ => drop(self.0.insert(path, origin.clone())),
                }
            }
        }
    }

    pub(super) fn of(&self, key: &[String]) -> Option<&Origin> {
        self.0.get(key)
    }
}
