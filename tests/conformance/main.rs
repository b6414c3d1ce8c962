//! The verdicts of the engines, case by case: `cargo test --release --test conformance`.
//!
//! `APPLYORDER_CASES=DIR` reads another folder with the layout of `tests/conformance/cases`; an engine without a folder
//! there is skipped with a message, and fails in CI. Each engine has a test named after it, and a file with the code
//! that reads and compares its cases.
//! its cases are read and compared.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    missing_docs,
    clippy::print_stdout
)]

mod ankaios;
#[path = "../support/ankaios.rs"]
mod ankaios_support;
mod kapp;
#[path = "../support/kapp.rs"]
mod kapp_support;
mod runner;
#[path = "../support/skipped.rs"]
mod skipped;
mod spacelift;
#[path = "../support/spacelift.rs"]
mod spacelift_support;
mod tazuna;
#[path = "../support/temp.rs"]
mod temp;
mod terramate;
#[path = "../support/terramate.rs"]
mod terramate_support;

#[test]
fn tazuna() {
    runner::run("tazuna", tazuna::compare);
}

#[test]
fn terramate() {
    runner::run("terramate", terramate::compare);
}

#[test]
fn kapp() {
    runner::run("kapp", kapp::compare);
}

#[test]
fn kapp_fuzz() {
    runner::run_lines("kapp-fuzz.jsonl", kapp::compare_line);
}

#[test]
fn ankaios() {
    runner::run("ankaios", ankaios::compare);
}

#[test]
fn ankaios_probes() {
    runner::run_list("ankaios-probes.json", "probes", ankaios::compare_probe);
}

#[test]
fn ankaios_cycle_vectors() {
    runner::run_list("ankaios-cycle-vectors.json", "vectors", ankaios::compare_vector);
}

#[test]
fn spacelift() {
    runner::run("spacelift", spacelift::compare);
}
