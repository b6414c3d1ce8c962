//! The functions that HCL users share, as OpenTofu and Terraform define them, and a few that only some engines
//! add. Functions that are not computed here (time, randomness, remote access, rare encodings) are known by
//! name, so that their results are unknown and not errors.

mod args;
mod call;
mod collections;
mod convert_to;
mod csv;
mod digests;
mod encoding;
mod files;
mod format;
mod function;
mod lazy;
mod maps;
mod marks;
mod nets;
mod numbers;
mod results;
mod sets;
mod strings;
mod table;
mod templates;
mod times;
mod versions;
mod yaml;
mod yaml_encode;
mod yaml_scalar;

use args::{Args, Fault, Given};
pub(super) use call::call;
pub use function::Function;
pub use table::{OTHER, extra_names, lookup, lookup_extra, names};

/// The number of bytes of text that cost one step.
pub(super) const BYTES_OF_STEP: usize = 32;
