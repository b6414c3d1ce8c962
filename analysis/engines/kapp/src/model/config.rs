//! The Configs in force.

use std::sync::Arc;

use super::error::KappError;
use super::inputs::{Inputs, Item};
use super::prepare::{config_fault, describe_written, labelled_fault};
use crate::read::{Config, LabelledConfig};
use applyorder_core::rules;

/// A Config in force, with the resource that is or holds it.
#[derive(Clone, Debug)]
pub(crate) struct InForce {
    pub(crate) item: Item,
    pub(crate) config: Arc<Config>,
}

/// The Configs among some resources.
#[derive(Default)]
pub(crate) struct Configs {
    pub(crate) in_force: Vec<InForce>,
    /// kapp's first error of its stage `config`.
    pub(crate) error: Option<KappError>,
    /// Whether groups or rules are unknown, because a Config cannot be read.
    pub(crate) incomplete: bool,
}

impl Configs {
    /// `kapp`: its version.
    pub(super) fn new(inputs: &Inputs, items: impl Iterator<Item = Item>, kapp: &str) -> Self {
        let mut out = Self::default();
        for item in items {
            out.take(inputs, item, kapp);
        }
        out
    }

    fn take(&mut self, inputs: &Inputs, item: Item, kapp: &str) {
        let Some(r) = inputs.resource(item) else { return };
        if let Some(config) = &r.config {
            let Some(fault) = config_fault(config, kapp) else {
                self.in_force.push(InForce {
                    item,
                    config: Arc::clone(config),
                });
                return;
            };
            let text = format!(
                "Parsing resource '{}' as kapp config: {fault}",
                describe_written(r)
            );
            self.fail("config", text, item);
        } else if let Some((_, labelled)) = &r.labelled {
            match labelled_fault(r, labelled, kapp) {
                Ok(None) => {
                    if let LabelledConfig::Config(config) = labelled {
                        self.in_force.push(InForce {
                            item,
                            config: Arc::clone(config),
                        });
                    }
                }
                Ok(Some(fault)) => {
                    let text = format!(
                        "Parsing resource '{}' labeled as kapp config: {fault}",
                        describe_written(r)
                    );
                    self.fail("config", text, item);
                }
                Err(panic) => self.fail("crash", panic, item),
            }
        }
    }

    fn fail(&mut self, stage: &'static str, text: String, item: Item) {
        self.incomplete = true;
        let error = KappError::new(stage, &rules::invalid_value::RULE, text).about(item);
        self.error.get_or_insert(error);
    }
}
