//! Editor functions that only Ankaios has.

pub(crate) mod complete;
pub(crate) mod field;
pub(crate) mod hover;
pub(crate) mod names;
pub(crate) mod symbols;
