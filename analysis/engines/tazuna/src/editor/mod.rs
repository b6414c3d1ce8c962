//! Data for editors only: completion, the outline of a file, lines of a hover.

mod complete;
mod outline;
mod paths;

pub(super) use complete::{complete, field};
pub(super) use outline::{hover, outline, runs_in, stands_for};
pub(super) use paths::paths;
