//! Shared by the benches: workspaces to measure on, and a way to compare whole commands pair by pair.
#![allow(
    dead_code,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Writes a Tazuna root that includes `files` files of `per_file` manifests each. Every manifest except the first of
/// its file depends on its predecessor, and the first of every file on the previous file, so that the graph is both
/// deep and wide.
pub(crate) fn write_tazuna(dir: &Path, files: usize, per_file: usize) {
    let mut root = String::from(
        "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n    - includes:\n",
    );
    for f in 0..files {
        writeln!(root, "        - path: parts/part-{f:05}.yaml").expect("a string");
        write(
            &dir.join(format!("parts/part-{f:05}.yaml")),
            &tazuna_part(f, per_file),
        );
    }
    write(&dir.join("tazuna.yaml"), &root);
    std::fs::create_dir_all(dir.join("units")).expect("a directory");
}

/// One included file of [`write_tazuna`].
pub(crate) fn tazuna_part(file: usize, per_file: usize) -> String {
    let mut text = String::from("apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n");
    for m in 0..per_file {
        let at = file * per_file + m;
        write!(
            text,
            "    - name: unit-{at:06}\n      type: kustomize\n      path: ./units\n"
        )
        .expect("a string");
        match (m, file) {
            (0, 0) => {}
            (0, _) => {
                writeln!(text, "      dependsOn: [unit-{:06}]", (file / 2) * per_file).expect("a string")
            }
            (1, _) => writeln!(text, "      dependsOn: [unit-{:06}]", at - 1).expect("a string"),
            _ => writeln!(
                text,
                "      dependsOn:\n        - unit-{:06}\n        - unit-{:06}",
                at - 1,
                at - 2
            )
            .expect("a string"),
        }
    }
    text
}

/// Writes `count` YAML files that belong to no engine, a hundred per directory.
pub(crate) fn write_foreign(dir: &Path, count: usize) {
    for i in 0..count {
        let text = format!(
            "# values of service {i}\nreplicas: {}\nimage:\n  repository: registry.example.com/team/service-{i}\n  tag: \"1.{}\"\nenv:\n  - name: LOG_LEVEL\n    value: info\n  - name: REGION\n    value: eu-{}\n",
            i % 7,
            i % 31,
            i % 5
        );
        write(&dir.join(format!("values/{:04}/{i}.yaml", i / 100)), &text);
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a parent")).expect("a directory");
    std::fs::write(path, text).expect("a file");
}

/// Runs a command to completion with its output discarded, and returns the time it took.
pub(crate) fn time(command: &mut Command) -> Duration {
    let started = Instant::now();
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    let took = started.elapsed();
    assert!(
        status.is_ok_and(|s| s.code().is_some_and(|c| c < 2)),
        "the command failed: {command:?}"
    );
    took
}

/// Runs two commands in turn and returns the medians of their times and of the ratio pair by pair.
pub(crate) fn compare(
    rounds: usize,
    mut a: impl FnMut() -> Duration,
    mut b: impl FnMut() -> Duration,
) -> (Duration, Duration, f64) {
    a();
    b();
    let pairs: Vec<(Duration, Duration)> = (0..rounds).map(|_| (a(), b())).collect();
    let ratio = median(pairs.iter().map(|(a, b)| a.as_secs_f64() / b.as_secs_f64()));
    let of = |times: Vec<f64>| Duration::from_secs_f64(median(times.into_iter()));
    (
        of(pairs.iter().map(|p| p.0.as_secs_f64()).collect()),
        of(pairs.iter().map(|p| p.1.as_secs_f64()).collect()),
        ratio,
    )
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
