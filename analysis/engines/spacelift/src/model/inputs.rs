//! The values that the root's variables are given.
//!
//! What the user names with `--var` and `--var-file` is certain; what lies beside the module may be another's, so that
//! it is only likely.

use std::collections::BTreeMap;

use applyorder_core::layer::Pass;
use applyorder_syntax::hcl::eval::{self, Budget, NoVariables, Value};
use applyorder_syntax::hcl::{self, Item, Tree};
use camino::{Utf8Path, Utf8PathBuf};

use super::types::Spec;
use crate::load::Loaded;
use crate::read::TfFacts;

/// See the module.
#[derive(Default)]
pub(crate) struct Inputs {
    /// By name: the value and, where it is only likely, what it rests on.
    values: BTreeMap<String, (Given, Option<String>)>,
}

enum Given {
    Value(Value),
    /// As written on the command line: what it means hangs on the variable's type.
    Text(String),
}

impl Inputs {
    pub(crate) fn read(pass: &Pass<'_>, loaded: &Loaded) -> Self {
        let mut inputs = Self::default();
        for path in &loaded.automatic {
            let name = path.file_name().unwrap_or_default().to_owned();
            inputs.file(pass, path, Some(&format!("`{name}`")));
        }
        for path in crate::invocation::var_files(pass) {
            inputs.file(pass, &path, None);
        }
        for (name, text) in crate::invocation::vars(pass.options) {
            let given = (Given::Text(text.to_owned()), None);
            inputs.values.insert(name.to_owned(), given);
        }
        inputs
    }

    fn file(&mut self, pass: &Pass<'_>, path: &Utf8Path, from: Option<&str>) {
        if let Ok(read) = pass.cx.facts::<TfFacts>(path) {
            self.add(&read.facts.tree, from);
        }
    }

    fn add(&mut self, tree: &Tree, from: Option<&str>) {
        let budget = Budget::default();
        for item in tree.body().items() {
            let Item::Attribute(attribute) = item else {
                continue;
            };
            let outcome = eval::evaluate(attribute.value(), u32::MAX, &NoVariables::default(), &budget);
            let given = (Given::Value(placeless(outcome.value)), from.map(str::to_owned));
            self.values.insert(attribute.name().to_owned(), given);
        }
    }

    /// The value of a variable, and what it rests on where it is only likely.
    pub(crate) fn value(&self, name: &str, spec: &Spec) -> Option<(Value, Option<&str>)> {
        let (given, from) = self.values.get(name)?;
        let value = match given {
            Given::Value(value) => value.clone(),
            Given::Text(text) => match spec {
                // Without a type, and with a plain one, the text is taken as it is.
                Spec::Any | Spec::Plain(_) => Value::string(text),
                _ => expression(text),
            },
        };
        Some((value, from.as_deref()))
    }
}

/// Where a value stands in a file of values is no place in the configuration.
fn placeless(mut value: Value) -> Value {
    value.place = None;
    value
}

fn expression(text: &str) -> Value {
    let tree = hcl::parse(&format!("value = {text}\n"));
    let Some(attribute) = tree.body().attribute("value").filter(|_| tree.is_clean()) else {
        return Value::unknown("its value on the command line can't be read");
    };
    let value = eval::evaluate(
        attribute.value(),
        u32::MAX,
        &NoVariables::default(),
        &Budget::default(),
    )
    .value;
    placeless(value)
}

/// The files that values are read from.
pub(crate) fn files(pass: &Pass<'_>, loaded: &Loaded) -> Vec<Utf8PathBuf> {
    let mut files = loaded.automatic.clone();
    files.extend(crate::invocation::var_files(pass));
    files
}
