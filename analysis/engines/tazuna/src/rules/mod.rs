//! Rules that only Tazuna needs, one file each, and how the shared ones are worded for its files.

pub(super) mod apply_name_warning;
pub(super) mod destroy_order;
pub(super) mod extra_document;
pub(super) mod fields;
pub(super) mod implicit_order_lost;
pub(super) mod include_cycle;
pub(super) mod include_group_field_ignored;
pub(super) mod include_path_empty;
pub(super) mod included_header_ignored;
pub(super) mod included_path_base;
pub(super) mod merge_overrides;
pub(super) mod nested_include;
pub(super) mod no_manifests;
pub(super) mod null_list_entry;
pub(super) mod order_contradicts_declaration;
pub(super) mod removed_parallel;
pub(super) mod tag_splits_dependency;
pub(super) mod undeclared_environment;
pub(super) mod unknown_test_type;

pub(super) use fields::{is_private, key_case, repeated_key, two_spellings, unknown_field};

use applyorder_core::rules::{self as shared, Rule};

/// The rules that only Tazuna needs.
pub(super) static OWN: [&Rule; 18] = [
    &apply_name_warning::RULE,
    &destroy_order::RULE,
    &extra_document::RULE,
    &implicit_order_lost::RULE,
    &include_cycle::RULE,
    &include_group_field_ignored::RULE,
    &include_path_empty::RULE,
    &included_header_ignored::RULE,
    &included_path_base::RULE,
    &merge_overrides::RULE,
    &nested_include::RULE,
    &no_manifests::RULE,
    &null_list_entry::RULE,
    &order_contradicts_declaration::RULE,
    &removed_parallel::RULE,
    &tag_splits_dependency::RULE,
    &undeclared_environment::RULE,
    &unknown_test_type::RULE,
];

/// The shared rules that Tazuna's files can break.
pub(super) static SHARED: [&Rule; 20] = [
    &shared::coerced_scalar::RULE,
    &shared::cycle::RULE,
    &shared::duplicate_dependency::RULE,
    &shared::duplicate_key::RULE,
    &shared::duplicate_name::RULE,
    &shared::field_case::RULE,
    &shared::invalid_name::RULE,
    &shared::invalid_value::RULE,
    &shared::limit_reached::RULE,
    &shared::missing_field::RULE,
    &shared::missing_file::RULE,
    &shared::redundant_dependency::RULE,
    &shared::self_dependency::RULE,
    &shared::syntax_error::RULE,
    &shared::unknown_dependency::RULE,
    &shared::unknown_field::RULE,
    &shared::unreadable_file::RULE,
    &shared::unresolved::RULE,
    &shared::unsupported_version::RULE,
    &shared::wrong_type::RULE,
];
