//! The findings of the shared rules in the files of each engine.

mod coerced_scalar;
mod cycle;
mod duplicate_dependency;
mod duplicate_key;
mod duplicate_name;
mod field_case;
mod invalid_name;
mod invalid_value;
mod limit_reached;
mod missing_field;
mod missing_file;
mod redundant_dependency;
mod self_dependency;
mod syntax_error;
mod unknown_dependency;
mod unknown_field;
mod unreadable_file;
mod unresolved;
mod unsupported_version;
mod wrong_type;
