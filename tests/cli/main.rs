//! The command line from outside: the real binary in real directories.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::print_stderr
)]

mod answers;
mod bad_input;
mod check;
mod choosing;
mod comment;
mod completions;
mod config;
mod diff;
mod escaping;
#[cfg(unix)]
mod exec;
mod fix;
mod fix_keeps_order;
mod formats;
mod graph;
mod ignores;
mod init;
mod json;
mod kapp;
mod lint;
mod log;
mod mcp;
mod mv;
mod order;
mod selection;
mod since;
#[path = "../support/skipped.rs"]
mod skipped;
mod spacelift;
mod step_summary;
mod support;
#[path = "../support/temp.rs"]
mod temp;
mod terramate;
mod watch;
