//! The problems of an app: the rules that only kapp has, one file each, and where the shared ones are checked.

pub(crate) mod api_version_slashes;
pub(crate) mod binding_unmatched;
pub(crate) mod config_kind;
pub(crate) mod configmap;
pub(crate) mod cr_version;
pub(crate) mod crd_incomplete;
pub(crate) mod cross_namespace_target;
mod cycle;
pub(crate) mod default_dropped;
mod duplicate_key;
mod duplicate_name;
pub(crate) mod empty_input;
pub(crate) mod empty_matcher;
pub(crate) mod ignored_tail;
pub(crate) mod input_order_decides;
mod invalid_name;
mod invalid_value;
pub(crate) mod items_swallowed;
pub(crate) mod labels_shape;
mod limit_reached;
pub(crate) mod list_item;
pub(crate) mod misplaced;
mod missing_field;
pub(crate) mod namespace_dropped;
pub(crate) mod no_delete_counterpart;
pub(crate) mod no_matchers;
pub(crate) mod nondeterministic;
pub(crate) mod not_used_by_delete;
mod operations;
mod opt_out;
pub(crate) mod placeholder_in_verb;
pub(crate) mod placeholder_lookalike;
pub(crate) mod rebase_rule;
mod redundant_dependency;
mod reports;
pub(crate) mod scope;
mod self_dependency;
pub(crate) mod several_matchers;
pub(crate) mod skipped_file;
pub(crate) mod stale_default_kind;
mod syntax_error;
pub(crate) mod trailing_newline;
mod unknown_dependency;
mod unknown_field;
pub(crate) mod unmapped_namespace;
mod unreadable_file;
mod unresolved;
mod unsupported_version;
pub(crate) mod unused_group;
mod uses;
pub(crate) mod versioned_reference;
pub(crate) mod weak_wait;
mod wrong_type;

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use self::scope::{By, Kapp, Project, Source};
pub(crate) use self::uses::group_fault;
use crate::model::Set;
use applyorder_core::diagnostic::{Diagnostic, FileId, Place, Reaction, Severity};
use applyorder_core::layer::{
    Block, Finding, Fingerprint, Listed, check_project, check_source, count_rules, rules_listed,
};
use applyorder_core::rules::{self, Rule};

/// A rule of an app as it is listed.
type Look = Listed<Kapp>;

/// How each rule is checked, in the order in which findings are reported.
const LISTED: &[Look] = &[
    Look::project(&rules::unreadable_file::RULE, unreadable_file::check),
    Look::source(&rules::syntax_error::RULE, syntax_error::check),
    Look::project(&rules::unresolved::RULE, unresolved::unrendered),
    Look::source(&rules::invalid_name::RULE, uses::errors),
    Look::source(&rules::invalid_name::RULE, uses::hidden),
    Look::source(&rules::invalid_name::RULE, invalid_name::check),
    Look::project(&rules::invalid_value::RULE, uses::config_errors),
    Look::source(&rules::unknown_field::RULE, unknown_field::check_annotations),
    Look::source(&rules::duplicate_key::RULE, duplicate_key::check),
    Look::source(&rules::wrong_type::RULE, wrong_type::check_annotations),
    Look::source(&placeholder_lookalike::RULE, placeholder_lookalike::check),
    Look::source(&rules::invalid_value::RULE, invalid_value::check_nonces),
    Look::source(&rules::invalid_value::RULE, invalid_value::check_durations),
    Look::source(&rules::invalid_value::RULE, invalid_value::check_strategies),
    Look::source(&rules::missing_field::RULE, missing_field::check),
    Look::project(&rules::duplicate_name::RULE, duplicate_name::check),
    Look::project(&rules::unresolved::RULE, unresolved::unknown_scopes),
    Look::source(&rules::unsupported_version::RULE, unsupported_version::check),
    Look::source(&rules::wrong_type::RULE, wrong_type::check),
    Look::source(&rules::unknown_field::RULE, unknown_field::check),
    Look::source(
        &rules::unsupported_version::RULE,
        unsupported_version::check_others,
    ),
    Look::project(&rules::invalid_value::RULE, invalid_value::check_unused_rules),
    Look::project(&rules::cycle::RULE, cycle::check),
    Look::project(&rules::self_dependency::RULE, self_dependency::check),
    Look::source(&rules::unknown_dependency::RULE, unknown_dependency::check),
    Look::project(
        &rules::unknown_dependency::RULE,
        unknown_dependency::check_configs,
    ),
    Look::source(&rules::redundant_dependency::RULE, redundant_dependency::check),
    Look::source(&api_version_slashes::RULE, api_version_slashes::check),
    Look::project(&binding_unmatched::RULE, binding_unmatched::check),
    Look::source(&config_kind::RULE, config_kind::check),
    Look::source(&configmap::RULE, configmap::check),
    Look::project(&cr_version::RULE, cr_version::check),
    Look::source(&crd_incomplete::RULE, crd_incomplete::check),
    Look::source(&cross_namespace_target::RULE, cross_namespace_target::check),
    Look::project(&default_dropped::RULE, default_dropped::check),
    Look::project(&empty_input::RULE, empty_input::check),
    Look::project(&empty_matcher::RULE, empty_matcher::check),
    Look::source(&ignored_tail::RULE, ignored_tail::check),
    Look::project(&input_order_decides::RULE, input_order_decides::check),
    Look::source(&items_swallowed::RULE, items_swallowed::check),
    Look::source(&labels_shape::RULE, labels_shape::check),
    Look::project(&labels_shape::RULE, labels_shape::check_configs),
    Look::source(&list_item::RULE, list_item::check),
    Look::source(&misplaced::RULE, misplaced::check),
    Look::source(&namespace_dropped::RULE, namespace_dropped::check),
    Look::source(&no_delete_counterpart::RULE, no_delete_counterpart::check),
    Look::source(&no_matchers::RULE, no_matchers::check),
    Look::project(&nondeterministic::RULE, nondeterministic::check),
    Look::source(&not_used_by_delete::RULE, not_used_by_delete::check),
    Look::project(&not_used_by_delete::RULE, not_used_by_delete::check_configs),
    Look::source(&placeholder_in_verb::RULE, placeholder_in_verb::check),
    Look::source(&several_matchers::RULE, several_matchers::check),
    Look::project(&skipped_file::RULE, skipped_file::check),
    Look::source(&stale_default_kind::RULE, stale_default_kind::check),
    Look::source(&unused_group::RULE, unused_group::check),
    Look::project(&versioned_reference::RULE, versioned_reference::check),
    Look::project(&rebase_rule::RULE, rebase_rule::check),
    Look::source(&unmapped_namespace::RULE, unmapped_namespace::check),
    Look::project(&unmapped_namespace::RULE, unmapped_namespace::check_entries),
    Look::source(&weak_wait::RULE, weak_wait::check),
    Look::elsewhere(&trailing_newline::RULE),
    Look::elsewhere(&rules::coerced_scalar::RULE),
    Look::elsewhere(&rules::field_case::RULE),
    Look::elsewhere(&rules::inert_dependency::RULE),
    Look::project(&rules::limit_reached::RULE, limit_reached::check),
    Look::elsewhere(&rules::missing_file::RULE),
];

/// The rules that only kapp has.
pub(super) static OWN: [&Rule; count_rules(LISTED, true)] = rules_listed(LISTED, true);

/// The shared rules that are reported of apps.
pub(super) static SHARED: [&Rule; count_rules(LISTED, false)] = rules_listed(LISTED, false);

/// The findings in a file of the app or of the snapshot; the fingerprint is that of everything that its checks
/// see.
#[derive(PartialEq, Eq, Hash)]
struct SourceKey(FileId, u32, Fingerprint, bool);

/// The files of the app and of the snapshot, each with the changes that its resources make.
fn sources(project: &Project<'_>, units: &[(Set, u32, u32)]) -> Vec<(Set, u32, Range<usize>)> {
    let mut out = Vec::new();
    let mut at = 0;
    for set in [Set::New, Set::State] {
        let inputs = project
            .model
            .of(set)
            .map_or(0, |prepared| prepared.inputs.inputs.len());
        for input in 0..u32::try_from(inputs).unwrap_or(u32::MAX) {
            let start = at;
            while units.get(at).is_some_and(|(s, i, _)| *s == set && *i == input) {
                at += 1;
            }
            out.push((set, input, start..at));
        }
    }
    out
}

/// All findings of an app: a block per file, and one for the app as a whole.
pub(crate) fn check(project: &Project<'_>) -> Vec<Arc<Block>> {
    let changes = (0u32..).zip(project.related.deploy.changes.iter());
    let mut units: Vec<(Set, u32, u32)> = changes.map(|(unit, c)| (c.set, c.item.input, unit)).collect();
    if project.related.is_compared {
        units.sort_by_key(|(set, input, _)| (*set == Set::State, *input));
    }
    let numbers: Vec<u32> = units.iter().map(|(_, _, unit)| *unit).collect();
    let sources: Vec<Source<'_>> = sources(project, &units)
        .into_iter()
        .filter_map(|(set, input, range)| {
            Source::new(*project, set, input, numbers.get(range).unwrap_or_default())
        })
        .collect();
    let inferred = project.seed.inferred;
    let scattered = project.model.app.scattered.is_some();
    let inputs = project.model.app.inputs.inputs.iter();
    let doubtful: FxHashSet<FileId> = inputs.filter(|i| i.is_doubtful).map(|i| i.file).collect();
    let lead = |found: Vec<Finding>| {
        let is_told = |finding: &Finding| !doubtful.contains(&finding.diagnostic.place.file);
        let found = found.into_iter().filter(is_told).map(|mut finding| {
            if inferred {
                cap_severity(finding.diagnostic_mut(), scattered);
            }
            if let Some(rendered) = &project.model.rendered {
                rendered.lead_finding(finding.diagnostic_mut());
            }
            finding
        });
        Block::new(found.collect())
    };
    let own = |source: &Source<'_>| lead(check_source(LISTED, source));
    let mut blocks: Vec<Arc<Block>> = if project.model.rendered.is_some() {
        sources.iter().map(|source| Arc::new(own(source))).collect()
    } else {
        let keys = (0u32..).zip(&sources);
        let keys = keys.map(|(at, source)| SourceKey(source.file(), at, source.fingerprint(), scattered));
        let table = project.cx.memo().table::<SourceKey, Block>();
        table.get_all(keys.collect(), |at, _| {
            sources.get(at).map_or_else(|| Block::new(Vec::new()), own)
        })
    };
    blocks.push(Arc::new(lead(match project.model.app.scattered {
        Some((count, item)) => duplicate_name::scattered(project, count, item)
            .into_iter()
            .collect(),
        None => check_project(LISTED, project),
    })));
    blocks.push(Arc::new(lead(reports::reports(project, &blocks))));
    blocks.retain(|block| !block.is_empty());
    blocks
}

/// A subject that never occurs, for a finding that is not part of any report.
const NOT_REPORTED: &str = "\0";

/// A finding that some commands reject; if none does, it is only a warning.
pub(crate) fn rejected(d: Diagnostic, by: Vec<By>) -> Finding {
    let severity = d.severity;
    let d = if by.is_empty() {
        d.severity(severity.min(Severity::Warning))
            .note("kapp rejects this once a run evaluates it")
            .reaction(Reaction::FailsLater)
    } else {
        d
    };
    let finding = Finding::new(d).repeats();
    by.into_iter().fold(finding, |finding, (command, stage, about)| {
        let about = about.unwrap_or_else(|| NOT_REPORTED.into());
        finding.rejected(command, stage).about_in(command, about)
    })
}

/// Adds how commands react to the same finding again.
fn join(all: &mut Vec<By>, more: Vec<By>) {
    for by in more {
        match all.iter_mut().find(|known| known.0 == by.0) {
            Some(known) => known.2 = known.2.take().or(by.2),
            None => all.push(by),
        }
    }
}

/// Findings that some commands reject, one per place.
#[derive(Default)]
struct Told {
    at: FxHashMap<Place, usize>,
    found: Vec<(Diagnostic, Vec<By>)>,
}

impl Told {
    fn add(&mut self, place: Place, by: Vec<By>, make: impl FnOnce() -> Diagnostic) {
        match self.at.get(&place).and_then(|at| self.found.get_mut(*at)) {
            Some((_, known)) => join(known, by),
            None => {
                self.at.insert(place, self.found.len());
                self.found.push((make(), by));
            }
        }
    }

    fn findings(self) -> impl Iterator<Item = Finding> {
        let found = self.found.into_iter();
        found.map(|(d, by)| rejected(d, by))
    }
}

/// If the extent of the app was inferred, a finding that needs two files is not an error; if the files are
/// probably `scattered` over several apps, nothing is, as none of them need be deployed.
fn cap_severity(d: &mut Diagnostic, scattered: bool) {
    if scattered {
        d.severity = d.severity.min(Severity::Warning);
    }
    if d.related.iter().any(|r| r.place.file != d.place.file) {
        d.severity = d.severity.min(Severity::Warning);
        d.notes.push(
            "app inferred from file locations; declare it with `[[kapp.app]]` in applyorder.toml".to_owned(),
        );
    }
}
