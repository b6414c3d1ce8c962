//! Rules that only Terramate has: one file each.

#[cfg(test)]
pub(super) mod fixture;

pub(super) mod experiment_off;
pub(super) mod exponential_run;
pub(super) mod id_missing;
pub(super) mod import_invalid;
pub(super) mod order_cycle_partial;
pub(super) mod output_without_order;
pub(super) mod ref_above_root;
pub(super) mod ref_broad;
pub(super) mod ref_glob;
pub(super) mod ref_tag_prefix;
pub(super) mod root_missing;
pub(super) mod root_nested_config;
pub(super) mod root_stack_order;
pub(super) mod run_environment;
pub(super) mod stack_duplicate;
pub(super) mod stack_function;
pub(super) mod stack_in_import;
pub(super) mod stack_label;
pub(super) mod stack_nested_block;
pub(super) mod stack_unreachable;
pub(super) mod stack_variable;
pub(super) mod tag_empty;
pub(super) mod wants_cycle;
