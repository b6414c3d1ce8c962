//! What checks see: one file with what the rest of the app is to it, or the app as a whole.

use std::sync::Arc;

use crate::compare::Change;
use crate::grammar::{Op, Order};
use crate::load::Settings;
use crate::model::inputs::{Input, Item};
use crate::model::piece::Bound;
use crate::model::uses::{ChangeUses, RuleUse, Source as Origin};
use crate::model::{Model, Set};
use crate::read::{Annotation, Config, LabelledConfig, Problem, Resource, RuleText};
use crate::relate::Related;
use crate::relate::groups::{Group, weakness};
use applyorder_core::diagnostic::{FileId, Place};
use applyorder_core::engine::Cx;
use applyorder_core::engine::ProjectSeed;
use applyorder_core::layer::{Fingerprint, Mix, Scopes, Sym};
use applyorder_core::nearest::nearest;

/// What the checks of kapp's rules look at.
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
    /// Of the names of all groups that have members.
    pub(crate) populated: Fingerprint,
}

/// A change with its groups and rules.
#[derive(Clone, Copy)]
pub(crate) struct Unit<'a> {
    pub(crate) number: u32,
    pub(crate) change: &'a Change,
    pub(crate) own: &'a ChangeUses,
}

/// A rule that stands in an annotation, on a change of the deploy.
#[derive(Clone, Copy)]
pub(crate) struct Written<'a> {
    pub(crate) unit: Unit<'a>,
    pub(crate) rule: &'a RuleUse,
    pub(crate) text: &'a RuleText,
}

/// Where a rule leads.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Leads {
    /// To members of its group.
    Somewhere,
    /// Nowhere: the group has no member; the name of one that has, if it is like it.
    Nowhere(Option<Arc<str>>),
    /// To members that kapp leaves alone.
    Idle,
    /// To members whose operation never meets that of its resource.
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

/// The most units that a finding names.
const NAMED: usize = 5;

/// The name of a group, among the names that the fingerprint is of.
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

    /// What outputs call a unit.
    pub(crate) fn name(&self, unit: u32) -> Arc<str> {
        self.related.name(unit).cloned().unwrap_or_default()
    }

    /// Where a unit's name stands, or the unit.
    pub(crate) fn name_place(&self, unit: u32) -> Option<Place> {
        let change = self.related.deploy.changes.get(unit as usize)?;
        let r = self.model.resource(change)?;
        self.model
            .place(change.set, change.item, r.name.place.unwrap_or(r.header))
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

    /// The annotation that an origin names, where it has parts.
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

    /// Where the group of a written rule stands.
    pub(crate) fn group_place(&self, change: &Change, origin: Origin) -> Option<Place> {
        if let Some((_, text)) = self.own_text(change, origin) {
            return Some(self.of_change(change, text.words.map_or(text.place, |w| w[3])));
        }
        let (item, text) = self.config_rule(origin)?;
        Some(self.at(item, text.words.map_or(text.place, |w| w[3])))
    }

    /// Where a rule of a change leads.
    pub(crate) fn leads(&self, change: &Change, rule: &RuleUse) -> Leads {
        let group = self.group(rule.group);
        // What is to be deleted need not be among the files any more.
        let removed = rule.target == Op::Delete && rule.action == Op::Upsert;
        if group.is_none_or(|group| group.members.is_empty()) {
            if self.model.is_open() || removed {
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

    /// The group with members whose name is like that of another.
    fn near(&self, group: Sym) -> Option<Arc<str>> {
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

/// One file of the app, or of the snapshot of what is applied.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    project: Project<'a>,
    input: &'a Input,
    set: Set,
    number: u32,
    units: &'a [u32],
}

impl<'a> Source<'a> {
    /// `units`: the changes of the deploy that the file's resources make.
    pub(crate) fn new(project: Project<'a>, set: Set, number: u32, units: &'a [u32]) -> Option<Self> {
        let input = project.model.of(set)?.inputs.inputs.get(number as usize)?;
        Some(Self {
            project,
            input,
            set,
            number,
            units,
        })
    }

    pub(crate) fn file(&self) -> FileId {
        self.input.file
    }

    /// Whether it is read, and not only a source of what is read.
    pub(crate) fn is_read(&self) -> bool {
        !self.input.is_source
    }

    pub(crate) fn settings(&self) -> &'a Settings {
        self.project.model.settings()
    }

    /// A place of the file's own table.
    pub(crate) fn place(&self, index: u32) -> Place {
        Place::anchor(self.input.file, self.project.model.engine, index)
    }

    /// A place of a resource in the file.
    pub(crate) fn at(&self, item: Item, local: u32) -> Place {
        self.place(self.input.facts.place(item.document as usize, local))
    }

    /// A resource of the file.
    pub(crate) fn resource(&self, item: Item) -> Option<&'a Resource> {
        let document = self.input.facts.documents.get(item.document as usize)?;
        document.document.resources.get(item.resource as usize)
    }

    /// Separators that kapp refuses: the place, and what stands behind the dashes.
    pub(crate) fn bad_separators(&self) -> impl Iterator<Item = (Place, &'a str)> + use<'a> {
        let source = *self;
        let bad = self
            .input
            .facts
            .bad_separators
            .iter()
            .filter(move |_| source.is_of_app());
        bad.map(move |bad| (source.place(bad.place), &*bad.value))
    }

    fn is_of_app(&self) -> bool {
        self.set == Set::New
    }

    /// What is wrong with the text.
    pub(crate) fn problems(&self) -> impl Iterator<Item = (Place, &'a Problem)> + use<'a> {
        let source = *self;
        let documents = self.input.facts.documents.iter().enumerate();
        let documents = documents.filter(move |_| source.is_of_app() && source.is_read());
        documents.flat_map(move |(number, placed)| {
            let problems = placed.document.problems.iter();
            problems.map(move |problem| {
                let index = source.input.facts.place(number, problem.text.place);
                (source.place(index), problem)
            })
        })
    }

    /// Every resource that has something about it, Configs included.
    pub(crate) fn notable(&self) -> impl Iterator<Item = (Item, &'a Resource)> + use<'a> {
        let source = *self;
        let documents = (0u32..).zip(&self.input.facts.documents);
        let documents = documents.filter(move |_| source.is_of_app() && source.is_read());
        documents.flat_map(move |(document, placed)| {
            let resources = (0u32..).zip(&placed.document.resources);
            resources.filter(|(_, r)| r.notable).map(move |(resource, r)| {
                let item = Item {
                    input: source.number,
                    document,
                    resource,
                };
                (item, r)
            })
        })
    }

    /// Every Config that can be read as one, wherever it stands.
    pub(crate) fn configs(&self) -> impl Iterator<Item = (Item, &'a Config)> + use<'a> {
        self.notable()
            .filter_map(|(item, r)| match (&r.config, &r.labelled) {
                (Some(config), _) | (None, Some((_, LabelledConfig::Config(config)))) => {
                    Some((item, &**config))
                }
                _ => None,
            })
    }

    /// The resources of the file that are ordered.
    pub(crate) fn ordered(&self) -> impl Iterator<Item = (Item, &'a Bound, &'a Resource)> + use<'a> {
        let source = *self;
        let prepared = source.project.model.of(self.set).filter(|_| source.is_of_app());
        let placed = prepared.map_or(&[][..], |prepared| {
            let all = &prepared.placed;
            let start = all.partition_point(|p| p.input < source.number);
            let end = all.partition_point(|p| p.input <= source.number);
            all.get(start..end).unwrap_or_default()
        });
        placed.iter().filter_map(move |placed| {
            let prepared = prepared?;
            let item = prepared.item(*placed)?;
            Some((item, prepared.bound(*placed)?, prepared.inputs.resource(item)?))
        })
    }

    /// Those of them that have something about them.
    pub(crate) fn notable_ordered(&self) -> impl Iterator<Item = (Item, &'a Resource)> + use<'a> {
        let notable = self.ordered().filter(|(_, bound, _)| bound.notable);
        notable.map(|(item, _, r)| (item, r))
    }

    /// The resources whose nonce is not left to kapp, and those whose namespace is not mapped, with it.
    pub(crate) fn refused(&self) -> (Vec<Item>, Vec<(Item, Arc<str>)>) {
        let piece = self.project.model.of(self.set).filter(|_| self.is_of_app());
        let piece = piece.and_then(|prepared| prepared.pieces.get(self.number as usize));
        let Some(piece) = piece else {
            return (Vec::new(), Vec::new());
        };
        let item = |bound: &Bound| Item {
            input: self.number,
            document: bound.document,
            resource: bound.resource,
        };
        let of = |numbers: &'a [u32]| numbers.iter().filter_map(|n| piece.bound.get(*n as usize));
        let unmapped = of(&piece.unmapped).map(|bound| (item(bound), bound.namespace.clone()));
        (of(&piece.nonces).map(item).collect(), unmapped.collect())
    }

    /// Every group and rule of annotations that kapp sees, of resources that have something about them.
    pub(crate) fn texts(&self) -> impl Iterator<Item = (Item, &'a Annotation, &'a RuleText)> + use<'a> {
        self.notable().flat_map(|(item, r)| {
            let annotations = r.annotations().iter();
            annotations.filter_map(move |a| Some((item, a, a.text.as_deref()?)))
        })
    }

    /// The changes that the file's resources make.
    pub(crate) fn units(&self) -> impl Iterator<Item = Unit<'a>> + use<'a> {
        let project = self.project;
        self.units.iter().filter_map(move |unit| project.unit(*unit))
    }

    /// What outputs call a unit of the file.
    pub(crate) fn name(&self, unit: &Unit<'_>) -> Arc<str> {
        self.project.name(unit.number)
    }

    /// A place of a unit's resource.
    pub(crate) fn of_change(&self, unit: &Unit<'_>, local: u32) -> Place {
        self.project.of_change(unit.change, local)
    }

    /// The annotation that an origin names, where it has parts.
    pub(crate) fn own_text(&self, unit: &Unit<'a>, origin: Origin) -> Option<(&'a Annotation, &'a RuleText)> {
        self.project.own_text(unit.change, origin)
    }

    /// Every rule of annotations, change by change.
    pub(crate) fn written_rules(&self) -> impl Iterator<Item = Written<'a>> + use<'a> {
        let source = *self;
        self.units().flat_map(move |unit| {
            unit.own.rules.iter().filter_map(move |rule| {
                let (_, text) = source.own_text(&unit, rule.source)?;
                Some(Written { unit, rule, text })
            })
        })
    }

    /// Where the group of a rule stands.
    pub(crate) fn group_place(&self, written: &Written<'_>) -> Place {
        let text = written.text;
        self.of_change(&written.unit, text.words.map_or(text.place, |w| w[3]))
    }

    /// The name of a group.
    pub(crate) fn group_name(&self, group: Sym) -> &'a str {
        self.project.group_name(group)
    }

    /// Where a rule leads.
    pub(crate) fn leads(&self, written: &Written<'_>) -> Leads {
        self.project.leads(written.unit.change, written.rule)
    }

    /// Whether a rule refers to a group; taken for granted where not all is known.
    pub(crate) fn is_used(&self, group: Sym) -> bool {
        self.project.model.is_open() || self.project.group(group).is_none_or(|g| g.is_used)
    }

    /// Some of those that a rule has its resource or its group wait for, where they count as done as soon as they are
    /// applied.
    pub(crate) fn weak(&self, written: &Written<'_>) -> Vec<Named> {
        let (rule, own) = (written.rule, [written.unit.number]);
        if rule.action != Op::Upsert || rule.target != Op::Upsert {
            return Vec::new();
        }
        let awaited = match (rule.order, self.project.group(rule.group)) {
            (Order::After, Some(group)) if group.is_weak() => &group.members,
            (Order::Before, _) => &own[..],
            _ => return Vec::new(),
        };
        let named = awaited.iter().take(NAMED).filter_map(|unit| {
            let change = self.project.related.deploy.changes.get(*unit as usize)?;
            self.project.named(*unit, weakness(self.project.model, change)?)
        });
        named.collect()
    }

    /// Some of a rule's targets, where all of them are in other namespaces than its resource.
    pub(crate) fn elsewhere(&self, written: &Written<'_>) -> Vec<Named> {
        let namespace = &written.unit.change.namespace;
        let group = self.project.group(written.rule.group);
        match group.filter(|group| !namespace.is_empty() && group.is_elsewhere(namespace)) {
            Some(group) => {
                let members = group.members.iter().take(NAMED);
                members.filter_map(|unit| self.project.named(*unit, "")).collect()
            }
            None => Vec::new(),
        }
    }

    /// Whether deletion is ordered against the group of a rule that orders creation.
    pub(crate) fn orders_deletion(&self, written: &Written<'_>) -> bool {
        let (groups, uses) = (&self.project.related.groups, &self.project.related.deploy.uses);
        self.project
            .group(written.rule.group)
            .is_none_or(|g| g.members.is_empty())
            || groups.orders_deletion(uses, written.unit.own, written.rule.group)
    }

    /// Whether only Configs give members to the group of a rule.
    pub(crate) fn is_of_configs(&self, written: &Written<'_>) -> bool {
        self.project
            .group(written.rule.group)
            .is_some_and(Group::is_of_configs)
    }

    /// Whether somebody looks at what a rule reports.
    pub(crate) fn is_wanted(&self, rule: &'static applyorder_core::rules::Rule) -> bool {
        self.project.cx.is_wanted(rule)
    }

    /// Of everything that checks of the file see.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut mix = Mix::default();
        let model = self.project.model;
        let reading = model
            .of(self.set)
            .and_then(|p| p.readings.get(self.number as usize));
        mix.add(&(self.input.shape, reading, self.set, self.project.seed.inferred));
        for (_, bound, _) in self.ordered() {
            mix.add(&(bound.document, bound.resource));
        }
        let counterparts = self.is_wanted(&super::no_delete_counterpart::RULE);
        for unit in self.units() {
            if self.project.related.is_compared {
                let change = unit.change;
                mix.add(&(change.item, &change.name, &change.namespace, unit.own.fingerprint));
            }
            if !unit.own.errors.is_empty() {
                mix.add(&self.name(&unit));
                for error in &unit.own.errors {
                    mix.add(&(&error.message, error.source));
                }
            }
            for group in &unit.own.groups {
                if matches!(group.source, Origin::Annotation(_)) {
                    mix.add(&self.is_used(group.group));
                }
            }
        }
        for written in self.written_rules() {
            mix.add(&self.leads(&written));
            mix.add(&self.weak(&written));
            mix.add(&self.elsewhere(&written));
            mix.add(&self.is_of_configs(&written));
            if counterparts {
                mix.add(&self.orders_deletion(&written));
            }
        }
        mix.finish()
    }
}
