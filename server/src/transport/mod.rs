//! Standard input and output, in the form that the pump requires.

mod frames;
mod input;
mod output;

pub(crate) use frames::MALFORMED;
pub(crate) use input::{Closer, Ended, Ending, Input};
pub(crate) use output::{Output, write};
