//! How long the language server takes, from outside. These tests have a separate program and run one at a time: on a
//! small machine they would otherwise measure each other.
#![allow(
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods
)]

use std::sync::{Mutex, MutexGuard, PoisonError};

#[path = "../lsp/client.rs"]
mod client;
mod leaving;
mod many;
#[path = "../support/stacks.rs"]
mod stacks;
#[path = "../support/temp.rs"]
mod temp;
mod waiting;

/// Held by each test from its first line.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}
