//! The values that the root's variables are given.
//!
//! What the user names with `--var` and `--var-file` is certain; what lies beside the module may be another's, so that
//! it is only likely. Just before Terraform is started all of it is what Terraform reads, and the environment as well.

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
    /// Whether what lies beside the module, and what the environment says, is certain too.
    pub(crate) is_certain: bool,
}

enum Given {
    Value(Value),
    /// As written on the command line: what it means depends on the variable's type.
    Text(String),
}

impl Inputs {
    pub(crate) fn read(pass: &Pass<'_>, loaded: &Loaded) -> Self {
        let mut inputs = Self {
            is_certain: crate::invocation::is_handed_over(pass) && !is_remote(pass, loaded),
            ..Self::default()
        };
        for (name, text) in crate::invocation::environment(pass.options) {
            let from = Some(format!("`TF_VAR_{name}`"));
            let given = (Given::Text(text.to_owned()), from);
            inputs.values.insert(name.to_owned(), given);
        }
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

/// Whether a service runs the root module, which has values of its own for variables.
fn is_remote(pass: &Pass<'_>, loaded: &Loaded) -> bool {
    let files = loaded.modules.first().into_iter().flat_map(|m| &m.files);
    let mut facts = files.filter_map(|file| pass.cx.read::<TfFacts>(file.file).ok());
    facts.any(|read| {
        let all = read.facts.tree.body().blocks();
        let mut inner = all
            .filter(|b| b.kind() == "terraform")
            .flat_map(|b| b.body().blocks().collect::<Vec<_>>());
        inner.any(|b| {
            let is_backend = b.kind() == "backend" && b.labels().any(|l| l.text == "remote");
            b.kind() == "cloud" || is_backend
        })
    })
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
