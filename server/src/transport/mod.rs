//! Standard input and output, as the pump wants them.

mod frames;
mod input;
mod output;

pub(crate) use frames::MALFORMED;
pub(crate) use input::{Closer, Ended, Ending, Input};
pub(crate) use output::{Output, write};
