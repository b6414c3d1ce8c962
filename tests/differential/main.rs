//! Our verdicts against the real engines, on random inputs. One module per engine.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::panic
)]

mod ankaios;
#[cfg(unix)]
mod exec;
#[cfg(unix)]
mod flags;
mod go;
mod kapp;
#[path = "../support/kapp.rs"]
mod kapp_support;
mod random;
#[path = "../support/skipped.rs"]
mod skipped;
#[cfg(unix)]
mod spacelift;
mod tazuna;
#[path = "../support/temp.rs"]
mod temp;
mod terramate;
#[path = "../support/terramate.rs"]
mod terramate_support;
