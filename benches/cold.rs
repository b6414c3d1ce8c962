//! Cold `applyorder lint` against its floors, each on all processors: reading the same files and scanning their YAML
//! events with the same parser (and, for comparison, with another one); and only reading them.
//!
//! `cargo bench --bench cold`. Compare ratios, not single times: the machine may be noisy.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use rayon::prelude::*;

/// How many YAML files without an engine there are, unless `APPLYORDER_BENCH_FOREIGN` is set.
const FOREIGN: usize = 100_000;

fn main() {
    let mut args = std::env::args().skip(1);
    if let (Some(floor), Some(dir)) = (args.next(), args.next()) {
        match floor.as_str() {
            "--read" => return floor_of(Path::new(&dir), |_| 0),
            "--events" => return floor_of(Path::new(&dir), events),
            "--granit" => return floor_of(Path::new(&dir), events_of_granit),
            _ => {}
        }
    }
    let dir = tempfile::tempdir().expect("a directory");
    let ours = dir.path().join("ours");
    support::write_tazuna(&ours, 1_000, 10);
    report("10,000 manifests in 1,000 files", &ours, 11);

    let foreign = dir.path().join("foreign");
    let count = std::env::var("APPLYORDER_BENCH_FOREIGN")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(FOREIGN);
    support::write_foreign(&foreign, count);
    report(&format!("{count} YAML files that are nobody's"), &foreign, 5);
}

fn report(what: &str, dir: &Path, rounds: usize) {
    let lint = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_applyorder"));
        support::time(command.arg("lint").arg("--isolated").arg(dir))
    };
    let floor = |mode: &'static str| {
        move || {
            support::time(
                Command::new(std::env::current_exe().expect("our own path"))
                    .arg(mode)
                    .arg(dir),
            )
        }
    };
    println!("{what}:");
    for (mode, name) in [
        ("--events", "reading and scanning YAML events"),
        ("--granit", "the same with granit"),
        ("--read", "only reading"),
    ] {
        let (a, b, ratio) = support::compare(rounds, lint, floor(mode));
        println!("  lint {a:>8.1?}, {name} {b:>8.1?}: ratio {ratio:.2}");
    }
}

fn floor_of(dir: &Path, work: impl Fn(&str) -> usize + Sync) {
    let paths: Vec<PathBuf> = ignore::WalkBuilder::new(dir)
        .build()
        .filter_map(Result::ok)
        .filter(|e| e.file_type().is_some_and(|t| t.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect();
    let sum: usize = paths
        .par_iter()
        .map(|p| {
            std::fs::read(p)
                .map(|b| b.len() + work(std::str::from_utf8(&b).unwrap_or("")))
                .unwrap_or(0)
        })
        .sum();
    println!("{sum}");
}

fn events(text: &str) -> usize {
    applyorder_analysis::syntax::yaml::parse(text).documents().count()
}

fn events_of_granit(text: &str) -> usize {
    granit_parser::Parser::new_from_str(text)
        .take_while(Result::is_ok)
        .count()
}
