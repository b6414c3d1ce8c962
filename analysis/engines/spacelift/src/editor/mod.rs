//! What only Spacelift's editor functions know.

pub(crate) mod complete;
pub(crate) mod hover;
pub(crate) mod names;
pub(crate) mod paths;
