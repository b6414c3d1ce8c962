//! The language server from outside: the real binary, the real protocol.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods
)]

mod agreement;
// Another test program uses it too, and more of it.
#[allow(dead_code)]
mod client;
mod commands;
mod config_file;
mod diagnostics;
mod disk;
mod events;
mod features;
mod files;
mod flags;
mod hints;
mod kapp;
mod lifecycle;
mod memory;
mod names;
mod neighbours;
mod order;
mod paths;
mod setups;
mod sight;
#[path = "../support/stacks.rs"]
mod stacks;
mod sync;
#[path = "../support/temp.rs"]
mod temp;
mod terramate;
mod terramate_ls;
mod trace;
mod untitled;
