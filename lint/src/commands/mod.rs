//! The commands, one file each.

pub mod apply;
pub mod check;
pub mod completions;
pub mod config;
pub mod deps;
pub mod diff;
pub mod exec;
pub mod explain;
mod fix;
pub mod graph;
mod ignore;
pub mod init;
pub mod lint;
pub mod man;
mod marks;
pub mod mv;
mod nothing_found;
pub mod order;
pub mod rules;
pub mod simulate;
mod since;
mod step_summary;
pub mod trust;
pub mod why;
mod why_selected;
