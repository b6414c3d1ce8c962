//! The hover of a resource or a rule, as far as it is specific to kapp.

use crate::grammar::{Op, Order};
use crate::model::uses::{RuleUse, Source};
use crate::outcome::Plan;
use crate::read::{KappFacts, RuleText};
use applyorder_core::diagnostic::{FixStep, Place};
use applyorder_core::engine::{DependencyIx, Facts, ProjectView, Resolution, UnitIx, Variant, View};
use applyorder_core::layer::Sym;
use applyorder_core::markdown::code;
use applyorder_syntax::text::Span;
use rustc_hash::FxHashSet;

/// The verbs of a rule, and the keys of rules and groups, have a meaning only together with the group.
pub(crate) fn stands_for(facts: &KappFacts, offset: u32) -> Option<(Span, u32)> {
    for (document, _, r) in facts.resources() {
        let span = |local: u32| facts.span(facts.place(document, local));
        let touches = |local: u32| span(local).filter(|s| s.touches(offset));
        let of_text = |text: &RuleText, key: Option<u32>| {
            let group = text.words.map_or(text.place, |w| w[3]);
            let here = key.and_then(touches).or_else(|| touches(text.place))?;
            let word = text.words.into_iter().flatten().find_map(touches);
            Some((word.unwrap_or(here), facts.place(document, group)))
        };
        let annotations = r.annotations().iter();
        let found = annotations
            .filter_map(|a| of_text(a.text.as_ref()?, Some(a.name.place)))
            .next();
        let configs = r.config.iter().flat_map(|c| &c.rules);
        let found = found.or_else(|| {
            configs
                .flat_map(|b| &b.rules)
                .find_map(|text| of_text(text, None))
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

pub(super) fn plan(resolution: &Resolution) -> Option<&Plan> {
    resolution.state.as_ref()?.downcast_ref()
}

/// A rule as a sentence: its row of the truth table.
fn sentence(rule: &RuleUse, owner: &str, group: &str) -> String {
    let (owner, group) = (code(owner), code(group));
    let (when, then) = match (rule.action, rule.target) {
        (Op::Upsert, Op::Upsert) => ("is applied", "are applied"),
        (Op::Upsert, _) => ("is applied", "are deleted"),
        (_, Op::Upsert) => ("is deleted", "are applied"),
        _ => ("is deleted", "are deleted"),
    };
    let who = match rule.order {
        Order::After => format!("it waits for the members of {group} that {then} in the same run"),
        Order::Before => format!("the members of {group} that {then} in the same run wait for it"),
    };
    let seen = match (rule.action, rule.target) {
        (Op::Upsert, Op::Upsert) => "Applies to the first deploy and every later one, not to `kapp delete`.",
        (Op::Delete, Op::Delete) => {
            "Applies to `kapp delete` and to deploys that remove resources, not to a first deploy."
        }
        _ => "Applies only to a deploy that applies some resources and removes others.",
    };
    format!("When {owner} {when}, {who}. {seen}")
}

/// The meaning of a written rule.
pub(crate) fn of_dependency(resolution: &Resolution, variant: &Variant, ix: DependencyIx) -> Option<String> {
    let dependency = variant.dependencies.get(ix.0 as usize)?;
    let before = variant.dependencies.get(..ix.0 as usize)?;
    // The dependencies of one unit are adjacent, in the order of its rules.
    let number = before
        .iter()
        .rev()
        .take_while(|d| d.unit == dependency.unit)
        .count();
    let uses = &plan(resolution)?.deploy.uses;
    let own = uses.changes.get(dependency.unit.0 as usize)?;
    let rule = own
        .rules()
        .filter(|r| !matches!(r.source, Source::Default(..)))
        .nth(number)?;
    let owner = &variant.units.get(dependency.unit.0 as usize)?.name;
    Some(sentence(rule, owner, uses.name(rule.group)))
}

/// The groups of a resource and the default rules that order it and other resources.
pub(crate) fn of_unit(resolution: &Resolution, unit: UnitIx) -> Vec<String> {
    let Some(plan) = plan(resolution) else {
        return Vec::new();
    };
    let uses = &plan.deploy.uses;
    let Some(own) = uses.changes.get(unit.0 as usize) else {
        return Vec::new();
    };
    let mut out = vec![plan.counted_to.clone()];
    let list = |names: Vec<String>| names.join(", ");
    if !own.groups.is_empty() {
        let groups = own.groups.iter().map(|g| code(uses.name(g.group)));
        out.push(format!("change groups: {}", list(groups.collect())));
    }
    // A default rule whose group has no other member orders nothing.
    let others = uses.changes.iter().enumerate();
    let others = others.filter(|(ix, _)| *ix != unit.0 as usize);
    let members: FxHashSet<Sym> = others
        .flat_map(|(_, change)| &change.groups)
        .map(|g| g.group)
        .collect();
    let defaults = |optional: bool| -> Vec<String> {
        let rules = own.rules().filter(|r| matches!(r.source, Source::Default(..)));
        let rules = rules.filter(|r| r.optional == optional && members.contains(&r.group));
        let written = rules.map(|r| {
            let target = if r.target == Op::Upsert {
                "upserting"
            } else {
                "deleting"
            };
            let (action, order) = (r.action.as_str(), r.order.as_str());
            code(&format!("{action} {order} {target} {}", uses.name(r.group)))
        });
        written.collect()
    };
    let (kept, dropped) = (defaults(false), defaults(true));
    if !kept.is_empty() {
        out.push(format!("kapp's default rules: {}", list(kept)));
    }
    if !dropped.is_empty() {
        out.push(format!(
            "kapp's default rules that are dropped where they would close a cycle: {}",
            list(dropped)
        ));
    }
    out
}

/// The step that removes a written rule: its annotation is removed. A rule of a Config orders more than one
/// resource.
pub(crate) fn removal(
    analysis: &dyn View,
    project: ProjectView<'_>,
    variant: &Variant,
    dependency: DependencyIx,
) -> Option<FixStep> {
    let written = variant.dependencies.get(dependency.0 as usize)?.place;
    let (file, engine) = (written.file, project.seed.engine);
    let facts = analysis.facts_as::<KappFacts>(file, engine)?;
    facts.resources().find_map(|(document, _, resource)| {
        let mut annotations = resource.annotations().iter();
        let place = |local| Place::anchor(file, engine, facts.place(document, local));
        let annotation = annotations.find(|annotation| {
            let text = annotation.text.as_ref();
            let group = text.map(|text| text.words.map_or(text.place, |words| words[3]));
            group.is_some_and(|group| place(group) == written)
        })?;
        Some(FixStep::RemoveKey(place(annotation.name.place)))
    })
}
