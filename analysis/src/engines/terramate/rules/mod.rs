//! Rules that only Terramate has: one file each.

pub mod experiment_off;
pub mod exponential_run;
pub mod id_missing;
pub mod import_invalid;
pub mod order_cycle_partial;
pub mod output_without_order;
pub mod ref_above_root;
pub mod ref_broad;
pub mod ref_glob;
pub mod ref_tag_prefix;
pub mod root_missing;
pub mod root_nested_config;
pub mod root_stack_order;
pub mod stack_duplicate;
pub mod stack_function;
pub mod stack_in_import;
pub mod stack_label;
pub mod stack_nested_block;
pub mod stack_unreachable;
pub mod stack_variable;
pub mod tag_empty;
pub mod wants_cycle;

use crate::rules::Rule;

/// All of them.
pub static ALL: [&Rule; 22] = [
    &experiment_off::RULE,
    &exponential_run::RULE,
    &id_missing::RULE,
    &import_invalid::RULE,
    &order_cycle_partial::RULE,
    &output_without_order::RULE,
    &ref_above_root::RULE,
    &ref_broad::RULE,
    &ref_glob::RULE,
    &ref_tag_prefix::RULE,
    &root_missing::RULE,
    &root_nested_config::RULE,
    &root_stack_order::RULE,
    &stack_duplicate::RULE,
    &stack_function::RULE,
    &stack_in_import::RULE,
    &stack_label::RULE,
    &stack_nested_block::RULE,
    &stack_unreachable::RULE,
    &stack_variable::RULE,
    &tag_empty::RULE,
    &wants_cycle::RULE,
];
