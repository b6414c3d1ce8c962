//! The Configs in force.

use std::sync::Arc;

use super::error::{KappError, What};
use super::inputs::{Inputs, Item};
use super::prepare::{LabeledError, config_error, describe_written, labeled_error};
use crate::read::{Config, LabeledConfig};
use applyorder_core::diagnostic::Place;
use applyorder_core::layer::Budget;

/// The steps that matching all resources against all Configs may take: about a second.
const STEPS: u64 = 20_000_000;

/// The number of bytes that placeholders of Configs may insert, over all resources.
const EXPANSION: u64 = 256 << 20;

/// A Config in force, with the resource that is or contains it.
#[derive(Clone, Debug)]
pub(crate) struct InForce {
    pub(crate) item: Item,
    pub(crate) config: Arc<Config>,
}

/// The Configs among some resources.
#[derive(Default)]
pub(crate) struct Configs {
    pub(crate) in_force: Vec<InForce>,
    /// kapp's first error in its stage `config`.
    pub(crate) error: Option<KappError>,
    /// Whether groups or rules are unknown, because a Config cannot be read.
    pub(crate) incomplete: bool,
}

impl Configs {
    /// `kapp`: its version; `resources`: how many there are; `values`: the maximum number of bytes of a
    /// placeholder's value, summed over all of them.
    pub(super) fn new(
        inputs: &Inputs,
        items: impl Iterator<Item = Item>,
        kapp: &str,
        resources: u64,
        values: u64,
    ) -> Self {
        let mut out = Self::default();
        for item in items {
            out.take(inputs, item, kapp);
        }
        let (mut budget, mut expansion) = (Budget::new(STEPS), Budget::new(EXPANSION));
        let mut configs = out.in_force.iter();
        let spent = configs.find(|c| {
            let put_in = c.config.placeholders().saturating_mul(values);
            !budget.spend(c.config.cost().saturating_mul(resources)) || !expansion.spend(put_in)
        });
        if let Some(item) = spent.map(|c| c.item) {
            out.in_force.clear();
            out.incomplete = true;
            let place = inputs.resource(item).map_or(0, |r| r.header);
            let error = KappError::new("config", What::Limit, "").about(item);
            out.error.get_or_insert(error.at(inputs.at(item, place)));
        }
        out
    }

    fn take(&mut self, inputs: &Inputs, item: Item, kapp: &str) {
        let Some(r) = inputs.resource(item) else { return };
        let described = describe_written(r);
        if let Some(config) = &r.config {
            match config_error(config, kapp) {
                None => self.take_config(item, config),
                Some((place, fault)) => {
                    let text = format!("Parsing resource '{described}' as kapp config: {fault}");
                    self.fail("config", text, item, inputs.at(item, place));
                }
            }
        } else if let Some((label, labeled)) = &r.labeled {
            match (labeled_error(r, *label, labeled, kapp), labeled) {
                (None, LabeledConfig::Config(config)) => self.take_config(item, config),
                (None, _) => {}
                (Some(LabeledError { place, text, panics }), _) => {
                    let place = inputs.at(item, place);
                    if panics {
                        self.fail("crash", text, item, place);
                    } else {
                        let text = format!("Parsing resource '{described}' labeled as kapp config: {text}");
                        self.fail("config", text, item, place);
                    }
                }
            }
        }
    }

    fn take_config(&mut self, item: Item, config: &Arc<Config>) {
        self.in_force.push(InForce {
            item,
            config: Arc::clone(config),
        });
    }

    fn fail(&mut self, stage: &'static str, text: String, item: Item, place: Option<Place>) {
        self.incomplete = true;
        let error = KappError::new(stage, What::Config, text).about(item).at(place);
        self.error.get_or_insert(error);
    }
}
