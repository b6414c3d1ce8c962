//! Rules: checks with a stable ID. Rules that several engines share have a file each in this folder; those that
//! only one engine has are in `rules/` of its crate.
//!
//! A rule's file holds its [`Rule`] (id, severity, documentation) as `RULE`, the check or the building
//! of its diagnostic, its fixes, and its tests.

pub mod coerced_scalar;
pub mod cycle;
pub mod duplicate_dependency;
pub mod duplicate_key;
pub mod duplicate_name;
pub mod field_case;
pub mod inert_dependency;
pub mod invalid_name;
pub mod invalid_value;
pub mod limit_reached;
pub mod missing_field;
pub mod missing_file;
pub mod redundant_dependency;
pub mod self_dependency;
pub mod syntax_error;
pub mod unknown_dependency;
pub mod unknown_field;
pub mod unreadable_file;
pub mod unresolved;
pub mod unsupported_version;
pub mod wrong_type;

pub use crate::diagnostic::{Rule, Status, keep_most_specific};
pub use crate::nearest::{Signature, nearest, nearest_of, nearest_within, question};
