//! Ankaios on 1,000, 10,000 and 100,000 workloads in one manifest: `cargo bench --bench ankaios`.
//!
//! A cold pass (reading, Ankaios' own search for cycles, the correct one, findings), the layers for start and removal,
//! and a pass after one condition changed. Ankaios' own check alone took 7 ms at 1,000 and 736 ms at 10,000 on the
//! chain.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Instant;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::Workspace;
use camino::Utf8PathBuf;

/// The dependencies of a workload by index, given the number of workloads.
type Shape = fn(usize, usize) -> Vec<usize>;

const SHAPES: [(&str, Shape); 4] = [
    ("chain, each on the next name", |n, all| {
        (n + 1 < all).then_some(n + 1).into_iter().collect()
    }),
    ("chain, each on the name before", |n, _| {
        n.checked_sub(1).into_iter().collect()
    }),
    ("two of the names before", |n, _| {
        if n < 2 {
            Vec::new()
        } else {
            vec![n / 2, n * 7 / 11]
        }
    }),
    ("star", |n, _| (n > 0).then_some(0).into_iter().collect()),
];

fn manifest(count: usize, shape: Shape, condition: &str) -> String {
    let mut text = String::from("apiVersion: v1\nworkloads:\n");
    for n in 0..count {
        write!(
            text,
            "  w{n:06}:\n    runtime: podman\n    agent: agent_A\n    runtimeConfig: 'image: x'\n"
        )
        .unwrap();
        let mut own = shape(n, count);
        own.dedup();
        if !own.is_empty() {
            text.push_str("    dependencies:\n");
        }
        for to in own {
            writeln!(text, "      w{to:06}: {condition}").unwrap();
        }
    }
    text
}

fn main() {
    println!(
        "{:>9} {:>32} {:>10} {:>10} {:>10}",
        "workloads", "shape", "cold, ms", "layers, ms", "edit, ms"
    );
    for count in [1_000, 10_000, 100_000] {
        for (name, shape) in SHAPES {
            let path = Utf8PathBuf::from("/manifest.yaml");
            let text = manifest(count, shape, "ADD_COND_RUNNING");
            let edited = text.replacen("ADD_COND_RUNNING", "ADD_COND_FAILED", 1);
            let mut files = MemoryFiles::new();
            files.insert(path.clone(), text);
            let mut workspace =
                Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
            let start = Instant::now();
            workspace.offer(std::slice::from_ref(&path), Offer::Found);
            workspace.refresh();
            let cold = start.elapsed();
            let (verdicts, layers) = {
                let analysis = workspace.analysis();
                let (_, project) = analysis.projects().next().expect("a manifest is a project");
                let start = Instant::now();
                let ordered = project.resolution.variants.first().expect("one variant");
                assert!(
                    ordered.apply.layers.is_some() && ordered.delete.layers.is_some(),
                    "{name}"
                );
                let layers = start.elapsed();
                let verdicts = project
                    .resolution
                    .verdicts
                    .iter()
                    .map(|v| v.ok)
                    .collect::<Vec<_>>();
                (verdicts, layers)
            };
            assert_eq!(verdicts, [Some(true), Some(true)], "{name}");
            let start = Instant::now();
            workspace.set_text(&path, edited.into());
            workspace.refresh();
            let edit = start.elapsed();
            let ms = |d: std::time::Duration| d.as_secs_f64() * 1e3;
            println!(
                "{count:>9} {name:>32} {:>10.2} {:>10.2} {:>10.2}",
                ms(cold),
                ms(layers),
                ms(edit)
            );
        }
    }
}
