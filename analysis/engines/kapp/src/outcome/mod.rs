//! What users query of an app besides findings and verdicts.

mod symbols;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::judge;
use crate::model::Model;
use crate::relate::{Operation, Related, TAKEN_FOR_GRANTED};
use applyorder_core::engine::{Lazy, Member, ProjectSeed, Verdict};
use applyorder_core::layer::{Outcome, Pass};

/// kapp's view of an app, operation by operation: kept with the resolution, for callers that need more than all
/// engines have in common.
pub struct Plan {
    /// The deploy.
    pub deploy: Operation,
    /// `kapp delete` of its result.
    pub delete: Operation,
    /// A deploy that removes everything again, if Configs make it differ from `kapp delete`.
    pub removal: Option<Operation>,
    /// Which app its resources were assigned to and why, as a paragraph.
    pub counted_to: String,
    model: Arc<Model>,
}

impl Plan {
    /// Why the snapshot of what is applied cannot be read, or not completely.
    pub(crate) fn state_error(&self) -> Option<String> {
        let state = self.model.state.as_ref()?;
        if let Some((error, _)) = crate::relate::snapshot_fault(state) {
            return Some(error);
        }
        let (_, kind) = state.inputs.unrendered.first()?;
        Some(format!("it is {}", kind.title()))
    }

    /// The changes of the deploy as messages name them.
    #[must_use]
    pub fn descriptions(&self) -> Vec<String> {
        let changes = self.deploy.changes.iter();
        changes
            .map(|c| self.model.resource(c).map(|r| c.describe(r)).unwrap_or_default())
            .collect()
    }
}

fn counted_to(seed: &ProjectSeed) -> String {
    let app = match &seed.name {
        Some(name) => format!("`{name}`"),
        None => format!("of `{}`", seed.root),
    };
    let declare = if seed.inferred {
        "; declare it with `[[kapp.app]]` in applyorder.toml"
    } else {
        ""
    };
    // The name is already printed.
    let why = seed.why.replacen(&format!(" as app {app}"), "", 1);
    format!("part of app {app}: {why}{declare}")
}

/// What a printed snapshot leaves open, as a sentence.
const NO_NOTES: &str = "the snapshot lacks kapp's record of what it applied last: a resource is assumed unchanged if the \
                        cluster has all of its fields, so removed fields are not detected";

pub(crate) fn outcome(
    pass: &Pass<'_>,
    model: &Arc<Model>,
    related: &Arc<Related>,
    verdicts: &[Verdict],
) -> Outcome {
    let mut unresolved = judge::unresolved(model, related);
    if !pass.options.failed.is_empty() {
        unresolved.push((None, TAKEN_FOR_GRANTED.to_owned()));
    }
    unresolved.extend(related.snapshot.iter().map(|(words, _)| (None, words.clone())));
    if related.lost {
        unresolved.push((None, NO_NOTES.to_owned()));
    }
    if let Some(rendered) = &model.rendered {
        for (place, _) in &mut unresolved {
            if let Some(place) = place {
                rendered.lead(place);
            }
        }
    }
    // What cannot be known of a verdict cannot be known of its order.
    let open = |command: &str| {
        let mut own = verdicts.iter().filter(|v| v.command == command);
        own.find(|v| v.ok.is_none())?.because.clone()
    };
    let open = [open(judge::DEPLOY), open(judge::DELETE)];
    let of_variant = Arc::clone(related);
    let of_symbols = Arc::clone(related);
    Outcome {
        members: members(model).into(),
        variants: Lazy::new(move || {
            let mut variant = of_variant.variant().clone();
            let orders = [&mut variant.apply, &mut variant.delete];
            for (order, because) in orders.into_iter().zip(open) {
                order.guaranteed &= because.is_none();
                order.because = because.or(order.because.take());
            }
            if let Some(rendered) = &of_variant.model.rendered {
                rendered.lead_variant(&mut variant);
            }
            vec![variant]
        }),
        links: Arc::default(),
        symbols: Lazy::new(move || {
            let mut symbols = symbols::symbols(&of_symbols);
            if let Some(rendered) = &of_symbols.model.rendered {
                symbols.iter_mut().for_each(|symbol| rendered.lead_symbol(symbol));
            }
            symbols
        }),
        unresolved,
        engine_version: model.settings().version.clone(),
        state: Some(Arc::new(Plan {
            deploy: related.deploy.clone(),
            delete: related.delete.clone(),
            removal: related.removal.clone(),
            counted_to: counted_to(pass.seed),
            model: Arc::clone(model),
        })),
        hints: None,
    }
}

fn members(model: &Model) -> Vec<Member> {
    let mut seen = FxHashSet::default();
    let state = model.state.as_ref().map(|state| &state.inputs);
    let inputs = std::iter::once(&model.app.inputs)
        .chain(&model.sources)
        .chain(state);
    let members = inputs.flat_map(|inputs| inputs.members());
    members.filter(|member| seen.insert(member.file)).collect()
}
