//! Editor functions of kapp beyond what all engines have in common.

pub(super) mod complete;
pub(super) mod fields;
mod groups;
pub(super) mod hover;
pub(super) mod signature;
mod spot;
