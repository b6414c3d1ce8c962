//! What is wrong in an app: the rules that only kapp knows, one file each, and where the shared ones speak.

pub(crate) mod api_version_slashes;
pub(crate) mod binding_unmatched;
pub(crate) mod config_kind;
pub(crate) mod configmap;
mod configs;
pub(crate) mod cr_version;
pub(crate) mod crd_incomplete;
pub(crate) mod cross_namespace_target;
pub(crate) mod default_dropped;
pub(crate) mod empty_input;
pub(crate) mod empty_matcher;
mod files;
pub(crate) mod ignored_tail;
pub(crate) mod input_order_decides;
pub(crate) mod items_swallowed;
pub(crate) mod labels_shape;
pub(crate) mod list_item;
pub(crate) mod misplaced;
pub(crate) mod namespace_dropped;
pub(crate) mod no_delete_counterpart;
pub(crate) mod no_matchers;
pub(crate) mod nondeterministic;
pub(crate) mod not_used_by_delete;
mod opt_out;
mod orders;
pub(crate) mod placeholder_in_verb;
pub(crate) mod placeholder_lookalike;
pub(crate) mod rebase_rule;
mod resources;
pub(crate) mod several_matchers;
pub(crate) mod skipped_file;
pub(crate) mod stale_default_kind;
mod texts;
pub(crate) mod trailing_newline;
pub(crate) mod unmapped_namespace;
pub(crate) mod unused_group;
pub(crate) mod versioned_reference;
pub(crate) mod weak_wait;

use applyorder_core::diagnostic::{Certainty, Diagnostic, Place, Severity};
use applyorder_core::engine::Verdict;
use applyorder_core::rules::{self, Rule};

use super::facts::{Annotation, Config, Problem, RuleText};
use super::resolve::View;
use super::resolve::changes::Change;
use super::resolve::load::Item;
use super::resolve::uses::{ChangeUses, RuleUse, Source};
use super::verdict;

/// The rules that only kapp knows.
pub(super) const OWN: &[&Rule] = &[
    &api_version_slashes::RULE,
    &binding_unmatched::RULE,
    &config_kind::RULE,
    &configmap::RULE,
    &cr_version::RULE,
    &crd_incomplete::RULE,
    &cross_namespace_target::RULE,
    &default_dropped::RULE,
    &empty_input::RULE,
    &empty_matcher::RULE,
    &ignored_tail::RULE,
    &input_order_decides::RULE,
    &items_swallowed::RULE,
    &labels_shape::RULE,
    &list_item::RULE,
    &misplaced::RULE,
    &namespace_dropped::RULE,
    &no_delete_counterpart::RULE,
    &no_matchers::RULE,
    &nondeterministic::RULE,
    &not_used_by_delete::RULE,
    &placeholder_in_verb::RULE,
    &placeholder_lookalike::RULE,
    &rebase_rule::RULE,
    &several_matchers::RULE,
    &skipped_file::RULE,
    &stale_default_kind::RULE,
    &trailing_newline::RULE,
    &unmapped_namespace::RULE,
    &unused_group::RULE,
    &versioned_reference::RULE,
    &weak_wait::RULE,
];

/// The shared rules that are reported of apps.
pub(super) const SHARED: &[&Rule] = &[
    &rules::coerced_scalar::RULE,
    &rules::cycle::RULE,
    &rules::duplicate_key::RULE,
    &rules::duplicate_name::RULE,
    &rules::field_case::RULE,
    &rules::inert_dependency::RULE,
    &rules::invalid_name::RULE,
    &rules::invalid_value::RULE,
    &rules::limit_reached::RULE,
    &rules::missing_field::RULE,
    &rules::missing_file::RULE,
    &rules::redundant_dependency::RULE,
    &rules::self_dependency::RULE,
    &rules::syntax_error::RULE,
    &rules::unknown_dependency::RULE,
    &rules::unknown_field::RULE,
    &rules::unreadable_file::RULE,
    &rules::unresolved::RULE,
    &rules::unsupported_version::RULE,
    &rules::wrong_type::RULE,
];

/// All findings of an app, most specific only.
pub(crate) fn check(view: &View<'_>, verdicts: &[Verdict]) -> Vec<Diagnostic> {
    let mut found = files::check(view);
    found.extend(texts::check(view));
    found.extend(resources::check(view));
    found.extend(configs::check(view));
    found.extend(orders::check(view, verdicts));
    found.extend(api_version_slashes::check(view));
    found.extend(binding_unmatched::check(view));
    found.extend(config_kind::check(view));
    found.extend(configmap::check(view));
    found.extend(cr_version::check(view));
    found.extend(crd_incomplete::check(view));
    found.extend(cross_namespace_target::check(view));
    found.extend(default_dropped::check(view));
    found.extend(empty_input::check(view));
    found.extend(empty_matcher::check(view));
    found.extend(ignored_tail::check(view));
    found.extend(input_order_decides::check(view));
    found.extend(items_swallowed::check(view));
    found.extend(labels_shape::check(view));
    found.extend(list_item::check(view));
    found.extend(misplaced::check(view));
    found.extend(namespace_dropped::check(view));
    found.extend(no_delete_counterpart::check(view));
    found.extend(no_matchers::check(view));
    found.extend(nondeterministic::check(view));
    found.extend(not_used_by_delete::check(view));
    found.extend(placeholder_in_verb::check(view));
    found.extend(several_matchers::check(view));
    found.extend(skipped_file::check(view));
    found.extend(stale_default_kind::check(view));
    found.extend(unused_group::check(view));
    found.extend(versioned_reference::check(view));
    found.extend(rebase_rule::check(view));
    found.extend(unmapped_namespace::check(view));
    found.extend(weak_wait::check(view));
    rules::keep_most_specific(&mut found);
    if view.seed.inferred {
        found.iter_mut().for_each(mildened);
    }
    found
}

/// Where the extent of the app was inferred, what needs two files is no error.
fn mildened(d: &mut Diagnostic) {
    if d.related.iter().any(|r| r.place.file != d.place.file) {
        d.severity = d.severity.min(Severity::Warning);
        d.notes.push(
            "these files were taken as one app by where they are; `[[kapp.app]]` in applyorder.toml declares it"
                .to_owned(),
        );
    }
    if d.certainty == Certainty::Heuristic {
        d.severity = d.severity.min(Severity::Warning);
    }
}

impl<'a> View<'a> {
    /// Every resource that was read and has something about it, Configs included.
    pub(crate) fn notable(&self) -> impl Iterator<Item = Item> + use<'a> {
        self.loaded.notable.iter().copied()
    }

    /// Every Config that can be read as one, wherever it stands.
    pub(crate) fn configs(&self) -> impl Iterator<Item = (Item, &'a Config)> + use<'a> {
        let loaded = self.loaded;
        loaded.notable.iter().filter_map(move |item| {
            let r = loaded.resource(*item)?;
            match (&r.config, &r.labelled) {
                (Some(config), _) => Some((*item, &**config)),
                (None, Some((_, super::facts::LabelledConfig::Config(config)))) => Some((*item, &**config)),
                _ => None,
            }
        })
    }

    /// A place of a resource.
    pub(crate) fn at(&self, item: Item, local: u32) -> Place {
        match self.loaded.place(item, local) {
            Some((file, index)) => self.cx.place(file, index),
            None => Place::file(applyorder_core::diagnostic::FileId(0)),
        }
    }

    /// A place of a change's resource.
    pub(crate) fn of_change(&self, change: &Change, local: u32) -> Place {
        super::resolve::units::place(self.cx, self.sets, change, local)
            .unwrap_or_else(|| self.at(change.item, local))
    }

    /// What is wrong with the texts of files.
    pub(crate) fn problems(&self) -> Vec<(Place, &'a Problem)> {
        let mut found = Vec::new();
        for input in self.loaded.inputs.iter().filter(|i| !self.is_unrendered(i.file)) {
            for (number, placed) in input.facts.pieces.iter().enumerate() {
                for problem in &placed.piece.problems {
                    let place = input.facts.place(number, problem.text.place);
                    found.push((self.cx.place(input.file, place), problem));
                }
            }
        }
        found
    }

    /// Whether a file is the source of what is read, and not read itself.
    pub(crate) fn is_unrendered(&self, file: applyorder_core::diagnostic::FileId) -> bool {
        self.loaded.unrendered.iter().any(|(f, _)| *f == file)
    }

    /// The members of each group, by change.
    pub(crate) fn members(&self) -> Vec<Vec<u32>> {
        let uses = &self.deploy.uses;
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); uses.names.len()];
        for (unit, own) in (0u32..).zip(&uses.changes) {
            for group in &own.groups {
                if let Some(list) = members.get_mut(group.group as usize)
                    && list.last() != Some(&unit)
                {
                    list.push(unit);
                }
            }
        }
        members
    }

    /// Says which of kapp's commands reject what a finding names.
    pub(crate) fn enforced(
        &self,
        d: Diagnostic,
        stage: &'static str,
        item: Option<Item>,
        change: Option<u32>,
    ) -> Diagnostic {
        let failure = self.failed.or(self.deploy.built.failure.as_ref());
        let first = failure.is_some_and(|f| {
            let same_item = f.item.is_none() || item.is_none() || f.item == item;
            let same_change = f.change.is_none() || change.is_none() || f.change == change;
            f.stage == stage && same_item && same_change
        });
        let message = failure
            .filter(|f| first && !f.unforeseen)
            .map(|f| f.message.clone());
        let d = d.enforced(verdict::DEPLOY, stage, first);
        match message {
            Some(text) if !text.is_empty() => d.engine_message(text),
            _ => d,
        }
    }
}

/// The annotation that a source names, where it has parts.
fn own_text<'a>(view: &View<'a>, change: &Change, source: Source) -> Option<(&'a Annotation, &'a RuleText)> {
    let Source::Annotation(number) = source else {
        return None;
    };
    let annotation = view.sets.resource(change)?.annotations().get(number as usize)?;
    Some((annotation, annotation.text.as_deref()?))
}

/// A rule that stands in an annotation, on a change of the deploy.
struct Written<'a> {
    unit: u32,
    change: &'a Change,
    own: &'a ChangeUses,
    rule: &'a RuleUse,
    text: &'a RuleText,
}

/// Every rule of annotations, change by change.
fn written_rules<'a>(view: &View<'a>) -> impl Iterator<Item = Written<'a>> + use<'a> {
    let (deploy, sets) = (view.deploy, view.sets);
    let changes = (0u32..).zip(deploy.changes.iter()).zip(&deploy.uses.changes);
    changes.flat_map(move |((unit, change), own)| {
        own.rules.iter().filter_map(move |rule| {
            let Source::Annotation(number) = rule.source else {
                return None;
            };
            let annotation = sets.resource(change)?.annotations().get(number as usize)?;
            Some(Written {
                unit,
                change,
                own,
                rule,
                text: annotation.text.as_deref()?,
            })
        })
    })
}

/// Every group and rule of annotations that kapp sees, of resources that have something about them.
fn own_texts<'a>(view: &View<'a>) -> impl Iterator<Item = (Item, &'a Annotation, &'a RuleText)> + use<'a> {
    let loaded = view.loaded;
    loaded
        .notable
        .iter()
        .filter_map(move |item| Some((*item, loaded.resource(*item)?)))
        .flat_map(|(item, r)| {
            r.annotations()
                .iter()
                .filter_map(move |a| Some((item, a, a.text.as_deref()?)))
        })
}

/// The text of a rule of a Config.
fn config_rule<'a>(view: &View<'a>, source: Source) -> Option<(Item, &'a RuleText)> {
    let Source::Config(config, binding, number) = source else {
        return None;
    };
    let (item, config) = view.preparation.configs.get(config as usize)?;
    let text = config.rules.get(binding as usize)?.rules.get(number as usize)?;
    Some((*item, text))
}

/// Where the group of a written rule stands.
fn group_place(view: &View<'_>, change: &Change, source: Source) -> Option<Place> {
    if let Some((_, text)) = own_text(view, change, source) {
        return Some(view.of_change(change, text.words.map_or(text.place, |w| w[3])));
    }
    let (item, text) = config_rule(view, source)?;
    Some(view.at(item, text.words.map_or(text.place, |w| w[3])))
}
