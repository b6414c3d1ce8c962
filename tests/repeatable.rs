//! Checks that the tests are repeatable: everything random has a fixed seed, and nothing depends on the contents of the
//! machine's temporary directory. The differential tests look for new cases on purpose, and print their seed.
#![allow(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs
)]

use std::path::{Path, PathBuf};

use proptest::test_runner::{Config, RngSeed};

#[test]
fn property_tests_have_a_fixed_seed() {
    // Set in `.cargo/config.toml` for everything that cargo starts.
    let seed = Config::default().rng_seed;
    assert!(matches!(seed, RngSeed::Fixed(_)), "the seed is {seed}");
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn lines_with(words: &[&str], allowed: &[&str]) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for dir in ["tests", "analysis", "lint", "server", "xtask"] {
        sources(&root.join(dir), &mut files);
    }
    assert!(files.len() > 100, "{} files", files.len());
    let own = |path: &Path| {
        let path = path.strip_prefix(root).unwrap();
        allowed.iter().any(|a| path.starts_with(a)) || path.ends_with(file!())
    };
    files.retain(|path| !own(path));
    let mut found = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let lines = text.lines().enumerate();
        let wrong = lines.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        found.extend(wrong.map(|(i, line)| format!("{}:{}: {}", file.display(), i + 1, line.trim())));
    }
    found
}

#[test]
fn no_seed_comes_from_the_clock_or_the_system() {
    let random = [
        "SystemTime::now",
        "RngSeed::Random",
        "thread_rng",
        "from_os_rng",
        "RandomState",
    ];
    // Exceptions: the hashes that detect changed inputs of a command must be unpredictable from outside, and the times
    // of a directory are compared with the current time.
    let found = lines_with(
        &random,
        &[
            "tests/differential",
            "lint/src/commands/exec/witness.rs",
            "analysis/core/src/files/large_lists.rs",
        ],
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn temporary_directories_have_no_influential_parent() {
    let makers = ["tempfile::tempdir", "TempDir::new", "env::temp_dir"];
    let found = lines_with(&makers, &["tests/support/temp.rs"]);
    assert!(found.is_empty(), "{}", found.join("\n"));
}
