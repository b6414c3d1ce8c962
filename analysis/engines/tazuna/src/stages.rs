//! The stages as the shared layer runs them.

use std::sync::Arc;

use applyorder_core::engine::Verdict;
use applyorder_core::layer::{Checked, Command, Outcome, Pass, Stages};

use super::Tazuna;
use super::load::Loaded;
use super::model::Model;
use super::relate::Related;

impl Stages for Tazuna {
    type Loaded = Loaded;
    type Model = Model;
    type Related = Vec<Arc<Related>>;

    fn load(&self, pass: &Pass<'_>) -> Loaded {
        super::load::load(pass)
    }

    fn model(&self, pass: &Pass<'_>, loaded: &Arc<Loaded>) -> Model {
        super::model::model(pass, loaded)
    }

    fn relate(&self, pass: &Pass<'_>, model: &Arc<Model>) -> Self::Related {
        super::relate::relate(pass.cx.memo().names(), model)
    }

    fn check(&self, pass: &Pass<'_>, model: &Arc<Model>, related: &Arc<Self::Related>) -> Vec<Checked> {
        super::rules::check(pass, model, related)
    }

    fn commands(&self) -> &'static [Command] {
        &super::judge::COMMANDS
    }

    fn rank(
        &self,
        related: &Self::Related,
        variant: usize,
        stage: &'static str,
        block: usize,
        at: u32,
    ) -> u64 {
        let related = related.get(variant);
        related.map_or(0, |related| super::rules::rank(related, stage, block, at))
    }

    fn outcome(
        &self,
        pass: &Pass<'_>,
        model: &Arc<Model>,
        related: &Arc<Self::Related>,
        checked: &[Checked],
        _: &[Verdict],
    ) -> Outcome {
        super::outcome::outcome(pass, model, related, checked)
    }
}
