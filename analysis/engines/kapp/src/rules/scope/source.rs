//! One file of an app, with how the rest of the app relates to it.

use std::sync::Arc;

use super::{By, Leads, Named, Origin, Project, Unit, Written};
use crate::grammar::{Op, Order};
use crate::judge;
use crate::load::Settings;
use crate::model::error::{KappError, What};
use crate::model::inputs::{Input, Item};
use crate::model::piece::Bound;
use crate::model::uses::{RuleUse, UseError};
use crate::model::{Placed, Set};
use crate::read::{Annotation, Config, Problem, Resource, RuleText};
use crate::relate::bound;
use crate::relate::groups::Group;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place};
use applyorder_core::layer::{Finding, Fingerprint, Mix, Sym};

/// The maximum number of units that a finding names.
const NAMED: usize = 5;

/// One file of the app, or of the snapshot of what is applied.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a> {
    project: Project<'a>,
    input: &'a Input,
    set: Set,
    number: u32,
    units: &'a [u32],
    /// What stops a deploy before there is a graph, if it is about something in the file.
    failed: Option<&'a KappError>,
}

/// Resources of a file that kapp rejects.
#[derive(Default)]
pub(crate) struct Refused {
    /// Their nonce is not left to kapp.
    pub(crate) nonces: Vec<Item>,
    /// Their renewal duration cannot be parsed by kapp.
    pub(crate) renewals: Vec<Item>,
    /// kapp cannot ask the cluster for them.
    pub(crate) pathless: Vec<(Item, Arc<str>)>,
    /// Their namespace is not mapped.
    pub(crate) unmapped: Vec<(Item, Arc<str>)>,
}

impl<'a> Source<'a> {
    /// `units`: the changes of the deploy that the file's resources make.
    pub(crate) fn new(project: Project<'a>, set: Set, number: u32, units: &'a [u32]) -> Option<Self> {
        let input = project.model.of(set)?.inputs.inputs.get(number as usize)?;
        let failed = project.related.failed.as_ref();
        let failed = failed.filter(|error| match (error.place, error.item) {
            _ if set == Set::State => false,
            (Some(place), _) => place.file == input.file,
            (None, Some(item)) => error.what.names_all() || item.input == number,
            (None, None) => false,
        });
        Some(Self {
            project,
            input,
            set,
            number,
            units,
            failed,
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

    /// Separators that kapp rejects: the place, and what follows the dashes.
    pub(crate) fn bad_separators(&self) -> impl Iterator<Item = (Place, &'a str)> + use<'a> {
        let source = *self;
        let bad = self
            .input
            .facts
            .bad_separators
            .iter()
            .filter(move |_| source.is_of_app() && source.is_read());
        bad.map(move |bad| (source.place(bad.place), &*bad.value))
    }

    fn is_of_app(&self) -> bool {
        self.set == Set::New
    }

    /// The errors in the text.
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

    /// Every resource that needs a check, Configs included.
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

    /// Every valid Config, wherever it is.
    pub(crate) fn configs(&self) -> impl Iterator<Item = (Item, &'a Config)> + use<'a> {
        self.notable().filter_map(|(item, r)| Some((item, r.config()?)))
    }

    /// The places of the ordered resources of the file.
    fn placed(&self) -> &'a [Placed] {
        let prepared = self.project.model.of(self.set).filter(|_| self.is_of_app());
        prepared.map_or(&[], |prepared| {
            let all = &prepared.placed;
            let start = all.partition_point(|p| p.input < self.number);
            let end = all.partition_point(|p| p.input <= self.number);
            all.get(start..end).unwrap_or_default()
        })
    }

    /// The resources of the file that are ordered.
    pub(crate) fn ordered(&self) -> impl Iterator<Item = (Item, &'a Bound, &'a Resource)> + use<'a> {
        let source = *self;
        let prepared = source.project.model.of(self.set);
        self.placed().iter().filter_map(move |placed| {
            let prepared = prepared?;
            let item = prepared.item(*placed)?;
            Some((item, prepared.bound(*placed)?, prepared.inputs.resource(item)?))
        })
    }

    /// Whether a resource is repeated with the same content.
    pub(crate) fn is_repeated(&self, item: Item) -> bool {
        let prepared = self.project.model.of(self.set);
        prepared.is_some_and(|prepared| prepared.repeated.contains(&item))
    }

    /// Those of them that need a check.
    pub(crate) fn notable_ordered(&self) -> impl Iterator<Item = (Item, &'a Resource)> + use<'a> {
        let notable = self.ordered().filter(|(_, bound, _)| bound.notable);
        notable.map(|(item, _, r)| (item, r))
    }

    /// The resources that kapp rejects before it compares anything.
    pub(crate) fn refused(&self) -> Refused {
        let piece = self.project.model.of(self.set).filter(|_| self.is_of_app());
        let piece = piece.and_then(|prepared| prepared.pieces.get(self.number as usize));
        let Some(piece) = piece else {
            return Refused::default();
        };
        let item = |bound: &Bound| Item {
            input: self.number,
            document: bound.document,
            resource: bound.resource,
        };
        let of = |numbers: &'a [u32]| numbers.iter().filter_map(|n| piece.bound.get(*n as usize));
        let unmapped = of(&piece.unmapped).map(|bound| (item(bound), bound.namespace.clone()));
        Refused {
            nonces: of(&piece.nonces).map(item).collect(),
            renewals: of(&piece.renewals).map(item).collect(),
            pathless: of(&piece.pathless)
                .map(|bound| (item(bound), bound.namespace.clone()))
                .collect(),
            unmapped: unmapped.collect(),
        }
    }

    /// Every group and rule of annotations that kapp sees, of resources that need a check.
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

    /// The name of a unit of the file in outputs.
    pub(crate) fn name(&self, unit: &Unit<'_>) -> Arc<str> {
        self.project.name(unit.number)
    }

    /// The resource of a unit of the file, as it is written.
    pub(crate) fn resource_of(&self, unit: &Unit<'_>) -> Option<&'a Resource> {
        self.project.model.resource(unit.change)
    }

    /// The faulty text with placeholders of kapp's own binding.
    pub(crate) fn default_text(&self, error: &UseError) -> &'a str {
        self.project.model.bindings.default_text(error)
    }

    /// A place of a unit's resource.
    pub(crate) fn of_change(&self, unit: &Unit<'_>, local: u32) -> Place {
        self.project.of_change(unit.change, local)
    }

    /// The annotation that an origin names, if it has parts.
    pub(crate) fn own_text(&self, unit: &Unit<'a>, origin: Origin) -> Option<(&'a Annotation, &'a RuleText)> {
        self.project.own_text(unit.change, origin)
    }

    /// Every rule of annotations, change by change.
    pub(crate) fn written_rules(&self) -> impl Iterator<Item = Written<'a>> + use<'a> {
        let source = *self;
        self.units().flat_map(move |unit| {
            unit.own.own_rules.iter().filter_map(move |rule| {
                let (_, text) = source.own_text(&unit, rule.source)?;
                Some(Written { unit, rule, text })
            })
        })
    }

    /// Where the group of a rule is.
    pub(crate) fn group_place(&self, written: &Written<'_>) -> Place {
        let text = written.text;
        self.of_change(&written.unit, text.words.map_or(text.place, |w| w[3]))
    }

    /// The name of a group.
    pub(crate) fn group_name(&self, group: Sym) -> &'a str {
        self.project.group_name(group)
    }

    /// The targets of a rule.
    pub(crate) fn leads(&self, written: &Written<'_>) -> Leads {
        self.project.leads(written.unit.change, written.rule)
    }

    /// Whether a rule refers to a group, or probably means to; assumed if not everything is known.
    pub(crate) fn is_used(&self, group: Sym) -> bool {
        self.project.model.is_open()
            || self.project.group(group).is_none_or(|g| g.is_used)
            || self.project.is_meant(group)
    }

    /// Some of those that a rule makes its resource or its group wait for, if they count as done once they are
    /// applied.
    pub(crate) fn weak(&self, written: &Written<'_>) -> Vec<Named> {
        self.weak_of(
            &written.unit,
            written.rule,
            self.project.group(written.rule.group),
        )
    }

    fn weak_of(&self, unit: &Unit<'_>, rule: &RuleUse, group: Option<&Group>) -> Vec<Named> {
        let own = [unit.number];
        if rule.action != Op::Upsert || rule.target != Op::Upsert {
            return Vec::new();
        }
        let awaited = match (rule.order, group) {
            (Order::After, Some(group)) if group.is_weak() => &group.members,
            (Order::Before, _) => &own[..],
            _ => return Vec::new(),
        };
        let named = awaited.iter().take(NAMED).filter_map(|unit| {
            let change = self.project.related.deploy.changes.get(*unit as usize)?;
            self.project
                .named(*unit, bound(self.project.model, change)?.weakness?)
        });
        named.collect()
    }

    /// Some of a rule's targets, if all of them are in other namespaces than its resource.
    pub(crate) fn elsewhere(&self, written: &Written<'_>) -> Vec<Named> {
        self.elsewhere_of(&written.unit, self.project.group(written.rule.group))
    }

    fn elsewhere_of(&self, unit: &Unit<'_>, group: Option<&Group>) -> Vec<Named> {
        let namespace = &unit.change.namespace;
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
        self.orders_deletion_of(
            &written.unit,
            written.rule,
            self.project.group(written.rule.group),
        )
    }

    fn orders_deletion_of(&self, unit: &Unit<'_>, rule: &RuleUse, group: Option<&Group>) -> bool {
        let (groups, uses) = (&self.project.related.groups, &self.project.related.deploy.uses);
        group.is_none_or(|g| g.members.is_empty()) || groups.orders_deletion(uses, unit.own, rule.group)
    }

    /// Whether only Configs give members to the group of a rule.
    pub(crate) fn is_of_configs(&self, written: &Written<'_>) -> bool {
        self.project
            .group(written.rule.group)
            .is_some_and(Group::is_of_configs)
    }

    /// A finding that a deploy rejects before it builds a graph.
    pub(crate) fn rejected(
        &self,
        d: Diagnostic,
        stage: &'static str,
        what: What,
        item: Option<Item>,
    ) -> Finding {
        let failed = self.failed.filter(|error| error.tells(what, item, d.place));
        let about = failed.map(|error| judge::about(self.project.model, self.project.related, error));
        crate::rules::rejected(d, vec![(judge::DEPLOY, stage, about)])
    }

    /// The commands that reach the error in a group or rule of a unit.
    pub(crate) fn rejecting(&self, unit: &Unit<'_>, error: &UseError) -> Vec<By> {
        self.project.rejecting(unit.number, error)
    }

    /// Whether the findings about missing deletion order are used.
    pub(crate) fn wants_counterparts(&self) -> bool {
        self.project.wants_counterparts
    }

    /// Fingerprint of everything that checks of the file see.
    pub(crate) fn fingerprint(&self) -> Fingerprint {
        let mut mix = Mix::default();
        let model = self.project.model;
        let reading = model
            .of(self.set)
            .and_then(|p| p.readings.get(self.number as usize));
        mix.add(&(self.input.shape, reading, self.set, self.project.seed.inferred));
        let failed = self.failed;
        mix.add(&failed.map(|e| {
            (
                e.what,
                e.item,
                e.place,
                judge::about(model, self.project.related, e),
            )
        }));
        let prepared = self.project.model.of(self.set);
        let with_repeated = prepared.filter(|prepared| !prepared.repeated.is_empty());
        for placed in self.placed() {
            mix.add(&placed.number);
            let item = with_repeated.and_then(|prepared| prepared.item(*placed));
            mix.add(&item.filter(|item| self.is_repeated(*item)));
        }
        for unit in self.units() {
            if self.project.related.is_compared {
                let change = unit.change;
                mix.add(&(change.item, &change.name, &change.namespace, unit.own.fingerprint));
            }
            if !unit.own.errors.is_empty() {
                mix.add(&self.name(&unit));
                for error in &unit.own.errors {
                    mix.add(&(&error.message, error.source, self.rejecting(&unit, error)));
                }
            }
            // Mostly a few bits; exceptional data comes after them.
            let mut bits = Bits::default();
            for group in &unit.own.groups {
                if matches!(group.source, Origin::Annotation(_)) {
                    bits.add(&mut mix, self.is_used(group.group));
                }
            }
            for rule in &unit.own.own_rules {
                if matches!(rule.source, Origin::Annotation(_)) {
                    self.mix_rule(&mut mix, &mut bits, &unit, rule);
                }
            }
            bits.end(&mut mix);
        }
        mix.finish()
    }

    /// Mixes in what checks see of a rule's group; mostly that is not exceptional.
    fn mix_rule(&self, mix: &mut Mix, bits: &mut Bits, unit: &Unit<'_>, rule: &RuleUse) {
        let group = self.project.group(rule.group);
        let leads = self.project.leads_into(unit.change, rule, group);
        let weak = self.weak_of(unit, rule, group);
        let elsewhere = self.elsewhere_of(unit, group);
        let wants = self.project.wants_counterparts;
        let flags = [
            leads != Leads::Somewhere,
            !weak.is_empty(),
            !elsewhere.is_empty(),
            group.is_some_and(Group::is_of_configs),
            wants && self.orders_deletion_of(unit, rule, group),
        ];
        flags.iter().for_each(|flag| bits.add(mix, *flag));
        let [extra @ .., _, _] = flags;
        if extra.contains(&true) {
            bits.end(mix);
        }
        if leads != Leads::Somewhere {
            mix.add(&leads);
        }
        for named in [weak, elsewhere].iter().filter(|named| !named.is_empty()) {
            mix.add(named);
        }
    }
}

/// Flags to be mixed into a fingerprint, with a mark above them.
struct Bits(u64);

impl Default for Bits {
    fn default() -> Self {
        Self(1)
    }
}

impl Bits {
    fn add(&mut self, mix: &mut Mix, flag: bool) {
        if self.0.leading_zeros() == 0 {
            self.end(mix);
        }
        self.0 = self.0 << 1 | u64::from(flag);
    }

    fn end(&mut self, mix: &mut Mix) {
        mix.add(&std::mem::take(self).0);
    }
}
