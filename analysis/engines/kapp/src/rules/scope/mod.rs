//! The scopes of checks: one file with how the rest of the app relates to it, or the app as a whole.

mod source;

use std::sync::Arc;

use crate::compare::Change;
use crate::grammar::Op;
use crate::judge;
use crate::model::error::What;
use crate::model::inputs::Item;
use crate::model::uses::{ChangeUses, RuleUse, Source as Origin, UseError};
use crate::model::{Model, Set};
use crate::read::{Annotation, RuleText};
use crate::relate::Related;
use crate::relate::groups::Group;
use crate::rules::no_delete_counterpart;
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Cx;
use applyorder_core::engine::ProjectSeed;
use applyorder_core::layer::{Fingerprint, Mix, Scopes, Sym};
use applyorder_core::nearest::nearest;

pub(crate) use self::source::Source;

/// The scopes of the checks of kapp's rules.
pub(crate) struct Kapp;

impl Scopes for Kapp {
    type Source<'a> = Source<'a>;
    type Project<'a> = Project<'a>;
}

/// The app as a whole.
#[derive(Clone, Copy)]
pub(crate) struct Project<'a> {
    pub(crate) cx: &'a Cx<'a>,
    pub(crate) seed: &'a ProjectSeed,
    pub(crate) model: &'a Model,
    pub(crate) related: &'a Related,
    /// Fingerprint of the names of all groups with members.
    pub(crate) populated: Fingerprint,
    /// Whether the findings about missing deletion order are used.
    pub(crate) wants_counterparts: bool,
}

/// A change with its groups and rules.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub(crate) number: u32,
    pub(crate) change: &'a Change,
    pub(crate) own: &'a ChangeUses,
}

/// A rule that is in an annotation, on a change of the deploy.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub(crate) unit: Unit<'a>,
    pub(crate) rule: &'a RuleUse,
    pub(crate) text: &'a RuleText,
}

/// The targets of a rule.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Leads {
    /// Members of its group.
    Somewhere,
    /// None: the group has no members; the similar name of one that has, if any.
    Nowhere(Option<Arc<str>>),
    /// Members that kapp leaves unchanged.
    Idle,
    /// Members whose operation never matches that of its resource.
    Inert,
}

/// A unit that a finding names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Named {
    pub(crate) name: Arc<str>,
    pub(crate) place: Place,
    /// Why it is named.
    pub(crate) why: &'static str,
}

/// How a command reacts to a finding: the command, its stage, and the subject of kapp's report, if that report
/// is the finding.
pub(crate) type By = (&'static str, &'static str, Option<Arc<str>>);

/// The name of a group, among the names that the fingerprint covers.
#[derive(PartialEq, Eq, Hash)]
struct NearKey(Sym, Fingerprint);

impl<'a> Project<'a> {
    pub(crate) fn new(cx: &'a Cx<'a>, seed: &'a ProjectSeed, model: &'a Model, related: &'a Related) -> Self {
        let uses = &related.deploy.uses;
        let mut mix = Mix::default();
        for (name, group) in uses.groups().iter().zip(related.groups.all()) {
            if !group.members.is_empty() {
                mix.add(name);
            }
        }
        Self {
            cx,
            seed,
            model,
            related,
            populated: mix.finish(),
            wants_counterparts: cx.is_wanted(&no_delete_counterpart::RULE),
        }
    }

    /// A place of a resource of the app.
    pub(crate) fn at(&self, item: Item, local: u32) -> Place {
        let place = self.model.place(Set::New, item, local);
        place.unwrap_or(Place::file(FileId(0)))
    }

    /// A place of a change's resource.
    pub(crate) fn of_change(&self, change: &Change, local: u32) -> Place {
        let place = self.model.place(change.set, change.item, local);
        place.unwrap_or_else(|| self.at(change.item, local))
    }

    /// The changes of the deploy.
    pub(crate) fn units(&self) -> impl Iterator<Item = Unit<'a>> + use<'a> {
        let deploy = &self.related.deploy;
        let changes = (0u32..).zip(deploy.changes.iter()).zip(&deploy.uses.changes);
        changes.map(|((number, change), own)| Unit { number, change, own })
    }

    pub(crate) fn unit(&self, number: u32) -> Option<Unit<'a>> {
        let deploy = &self.related.deploy;
        Some(Unit {
            number,
            change: deploy.changes.get(number as usize)?,
            own: deploy.uses.changes.get(number as usize)?,
        })
    }

    /// The name of a unit in outputs.
    pub(crate) fn name(&self, unit: u32) -> Arc<str> {
        self.related.name(unit).cloned().unwrap_or_default()
    }

    /// Where a unit's name is, or the unit.
    pub(crate) fn name_place(&self, unit: u32) -> Option<Place> {
        let change = self.related.deploy.changes.get(unit as usize)?;
        let r = self.model.resource(change)?;
        self.model
            .place(change.set, change.item, r.name.place.unwrap_or(r.header))
    }

    /// The subject of kapp's report with which a deploy stops before there is a graph, if it is of a kind: of a
    /// resource, at a place.
    pub(crate) fn reported(&self, what: What, item: Option<Item>, place: Place) -> Option<Arc<str>> {
        let failed = self.related.failed.as_ref();
        let failed = failed.filter(|error| error.tells(what, item, place))?;
        Some(judge::about(self.model, self.related, failed))
    }

    /// The commands that reach the error in a group or rule of a unit.
    pub(crate) fn rejecting(&self, unit: u32, error: &UseError) -> Vec<By> {
        let stage = if error.panics { "crash" } else { "graph" };
        let operations = judge::operations(self.related).into_iter();
        operations
            .filter(|(_, operation)| operation.rejects(unit, error))
            .map(|(command, operation)| {
                let is_reported = self.related.failed.is_none() && operation.reports(unit, error);
                (command, stage, is_reported.then(|| self.name(unit)))
            })
            .collect()
    }

    fn named(&self, unit: u32, why: &'static str) -> Option<Named> {
        Some(Named {
            name: self.related.name(unit)?.clone(),
            place: self.name_place(unit)?,
            why,
        })
    }

    pub(crate) fn group(&self, group: Sym) -> Option<&'a Group> {
        self.related.groups.get(&self.related.deploy.uses, group)
    }

    pub(crate) fn group_name(&self, group: Sym) -> &'a str {
        self.related.deploy.uses.name(group)
    }

    /// The annotation that an origin names, if it has parts.
    pub(crate) fn own_text(&self, change: &Change, origin: Origin) -> Option<(&'a Annotation, &'a RuleText)> {
        let Origin::Annotation(number) = origin else {
            return None;
        };
        let annotation = self.model.resource(change)?.annotations().get(number as usize)?;
        Some((annotation, annotation.text.as_deref()?))
    }

    /// The text of a rule of a Config.
    pub(crate) fn config_rule(&self, origin: Origin) -> Option<(Item, &'a RuleText)> {
        let Origin::Config(config, binding, number) = origin else {
            return None;
        };
        let in_force = self.model.bindings.configs.get(config as usize)?;
        let binding = in_force.config.rules.get(binding as usize)?;
        Some((in_force.item, binding.rules.get(number as usize)?))
    }

    /// Where the group of a written rule is.
    pub(crate) fn group_place(&self, change: &Change, origin: Origin) -> Option<Place> {
        if let Some((_, text)) = self.own_text(change, origin) {
            return Some(self.of_change(change, text.words.map_or(text.place, |w| w[3])));
        }
        let (item, text) = self.config_rule(origin)?;
        Some(self.at(item, text.words.map_or(text.place, |w| w[3])))
    }

    /// Where a change is made a member of a group, if that is written.
    pub(crate) fn member_place(&self, change: &Change, origin: Origin) -> Option<Place> {
        if let Some((_, text)) = self.own_text(change, origin) {
            return Some(self.of_change(change, text.place));
        }
        let Origin::Config(config, binding, _) = origin else {
            return None;
        };
        let in_force = self.model.bindings.configs.get(config as usize)?;
        let name = &in_force.config.groups.get(binding as usize)?.name;
        Some(self.at(in_force.item, name.place))
    }

    /// A rule of a default binding.
    pub(crate) fn default_rule(&self, binding: u32, number: u32) -> &'static str {
        let rules = &self.model.bindings.defaults.rules;
        let rule = rules
            .get(binding as usize)
            .and_then(|r| r.rules.get(number as usize));
        rule.copied().unwrap_or("")
    }

    /// The targets of a rule of a change.
    pub(crate) fn leads(&self, change: &Change, rule: &RuleUse) -> Leads {
        self.leads_into(change, rule, self.group(rule.group))
    }

    /// The same with the group that the rule names.
    fn leads_into(&self, change: &Change, rule: &RuleUse, group: Option<&Group>) -> Leads {
        // A resource that is to be deleted need not be among the files any more.
        let removed = rule.target == Op::Delete && rule.action == Op::Upsert;
        if group.is_none_or(|group| group.members.is_empty()) {
            if self.model.is_open() || removed || group.is_some_and(|group| !group.is_unknown()) {
                return Leads::Somewhere;
            }
            let plain = self.own_text(change, rule.source);
            let plain = plain.is_some_and(|(_, text)| text.placeholders.is_empty());
            return Leads::Nowhere(plain.then(|| self.near(rule.group)).flatten());
        }
        if group.is_some_and(Group::is_idle) {
            Leads::Idle
        } else if rule.action != rule.target && self.model.state.is_none() {
            Leads::Inert
        } else {
            Leads::Somewhere
        }
    }

    /// Whether a rule names a group without members, and probably means this one.
    pub(crate) fn is_meant(&self, group: Sym) -> bool {
        let uses = &self.related.deploy.uses;
        let near = |group| self.cx.memo().names().find(&self.near(group)?);
        self.related.groups.is_meant(uses, group, near)
    }

    /// The group with members whose name is similar to that of another.
    fn near(&self, group: Sym) -> Option<Arc<str>> {
        if self.related.groups.has_many_unknown {
            return None;
        }
        let near = self.cx.memo().get(NearKey(group, self.populated), || {
            let uses = &self.related.deploy.uses;
            let groups = uses.names.iter().zip(self.related.groups.all());
            let populated = groups.filter(|(_, group)| !group.members.is_empty());
            let known = populated.map(|(name, _)| &**name);
            nearest(uses.name(group), known).map(Arc::from)
        });
        Option::<Arc<str>>::clone(&near)
    }
}
