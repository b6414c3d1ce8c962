//! The rules, listed once: how each is looked for.

use super::{Directory, Whole, environments, version};
use crate::judge::{LOAD, VERSION};
use crate::rules;
use applyorder_core::layer::{Listed, Scopes, count_rules, rules_listed};
use applyorder_core::rules::{self as shared, Rule};

/// What the checks of Terramate's rules look at.
pub(super) enum Checks {}

impl Scopes for Checks {
    type Source<'a> = Directory<'a>;
    type Project<'a> = Whole<'a>;
}

/// How each rule is looked for, in the order in which findings are told.
pub(super) const LISTED: &[Listed<Checks>] = &[
    Listed::source(&shared::syntax_error::RULE, |dir, found| dir.loading(found)),
    Listed::source(&shared::invalid_name::RULE, |dir, found| dir.stack(found)),
    Listed::source(&shared::unknown_dependency::RULE, |dir, found| dir.entries(found)),
    Listed::source(&rules::id_missing::RULE, |dir, found| dir.root_and_id(found)),
    Listed::project(&shared::missing_field::RULE, |whole, found| {
        if let Some(one) = environments::check(&whole.scope, whole.is_rejected) {
            one.told(LOAD, &"/".into(), u32::MAX, found);
        }
    }),
    Listed::project(&shared::wrong_type::RULE, |whole, found| whole.instances(found)),
    Listed::project(&rules::run_environment::RULE, |whole, found| {
        whole.run_environment(found)
    }),
    Listed::project(&shared::unsupported_version::RULE, |whole, found| {
        if let Some(one) = version::check(&whole.scope) {
            one.told(VERSION, &"/".into(), 0, found);
        }
    }),
    Listed::project(&shared::invalid_value::RULE, |whole, found| whole.flags(found)),
    Listed::project(&rules::output_without_order::RULE, |whole, found| {
        whole.scope.outputs(whole.cx.memo().names(), found)
    }),
    Listed::project(&rules::exponential_run::RULE, |whole, found| {
        whole.scope.path_counts(found)
    }),
    Listed::project(&shared::inert_dependency::RULE, |whole, found| {
        whole.scope.wants(found)
    }),
    Listed::project(&rules::stack_unreachable::RULE, |whole, found| {
        whole.scope.unreachable(whole.cx, found)
    }),
    Listed::idle(&shared::redundant_dependency::RULE),
    // In the blocks of the sets of stacks that wait for each other.
    Listed::elsewhere(&shared::cycle::RULE),
    Listed::elsewhere(&rules::order_cycle_partial::RULE),
    Listed::elsewhere(&rules::wants_cycle::RULE),
    // With what else is wrong with a file or a directory, in the order in which Terramate comes to it.
    Listed::elsewhere(&shared::duplicate_dependency::RULE),
    Listed::elsewhere(&shared::duplicate_key::RULE),
    Listed::elsewhere(&shared::duplicate_name::RULE),
    Listed::elsewhere(&shared::limit_reached::RULE),
    Listed::elsewhere(&shared::missing_file::RULE),
    Listed::elsewhere(&shared::self_dependency::RULE),
    Listed::elsewhere(&shared::unknown_field::RULE),
    Listed::elsewhere(&shared::unreadable_file::RULE),
    Listed::elsewhere(&shared::unresolved::RULE),
    Listed::elsewhere(&rules::experiment_off::RULE),
    Listed::elsewhere(&rules::import_invalid::RULE),
    Listed::elsewhere(&rules::ref_above_root::RULE),
    Listed::elsewhere(&rules::ref_broad::RULE),
    Listed::elsewhere(&rules::ref_glob::RULE),
    Listed::elsewhere(&rules::ref_tag_prefix::RULE),
    Listed::elsewhere(&rules::root_missing::RULE),
    Listed::elsewhere(&rules::root_nested_config::RULE),
    Listed::elsewhere(&rules::root_stack_order::RULE),
    Listed::elsewhere(&rules::stack_duplicate::RULE),
    Listed::elsewhere(&rules::stack_function::RULE),
    Listed::elsewhere(&rules::stack_in_import::RULE),
    Listed::elsewhere(&rules::stack_label::RULE),
    Listed::elsewhere(&rules::stack_nested_block::RULE),
    Listed::elsewhere(&rules::stack_variable::RULE),
    Listed::elsewhere(&rules::tag_empty::RULE),
];

/// The rules that only Terramate knows.
pub(crate) static OWN: [&Rule; count_rules(LISTED, true)] = rules_listed(LISTED, true);

/// The shared rules that Terramate's files can break.
pub(crate) static SHARED: [&Rule; count_rules(LISTED, false)] = rules_listed(LISTED, false);
