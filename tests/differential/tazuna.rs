//! `tazuna check` against our verdict, on random trees.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `APPLYORDER_TAZUNA` | a `tazuna` binary | built by `tests/differential/build.sh tazuna` |
//! | `APPLYORDER_TREES` | how many trees | 600 |
//! | `APPLYORDER_SEED` | the seed, printed by each run | the time |

mod generate;
mod nodes;
mod oracle;
mod ours;

mod templates;

use crate::random::Random;
use crate::skipped::skip;
use generate::Tree;
use oracle::{Oracle, Verdict};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// How many kinds of disagreement are minimized and printed.
const SHOWN: usize = 12;

#[test]
fn random_trees_get_the_verdict_of_tazuna() {
    let oracles = oracle::find();
    if oracles.is_empty() {
        return skip(
            "model of tazuna",
            "nor can tazuna itself be built (is Go installed?)",
        );
    }
    let trees: u64 = setting("APPLYORDER_TREES").unwrap_or(600);
    let seed: u64 = setting("APPLYORDER_SEED").unwrap_or_else(now);
    println!("seed {seed}, {trees} trees");
    let differing: usize = oracles
        .iter()
        .map(|oracle| compare_with(oracle, seed, trees))
        .sum();
    assert_eq!(
        differing, 0,
        "verdicts differ; APPLYORDER_SEED={seed} shows them again"
    );
}

/// Kinds of errors that a run must encounter to be meaningful.
const KINDS: [&str; 13] = [
    "cycle",
    "duplicate-name",
    "invalid-name",
    "invalid-type",
    "missing-include",
    "missing-name",
    "nested-include",
    "schema",
    "self-dependency",
    "template-error",
    "unknown-dependency",
    "unreadable-include",
    "yaml-error",
];

#[test]
fn the_trees_meet_every_kind_of_error() {
    let oracles = oracle::find();
    let Some(oracle) = oracles.last() else {
        return skip(
            "model of tazuna",
            "nor can tazuna itself be built (is Go installed?)",
        );
    };
    let mut met: BTreeMap<&str, usize> = BTreeMap::new();
    let verdicts: Vec<Verdict> = (0..600u64)
        .into_par_iter()
        .map(|seed| {
            let tree = generate::tree(&mut Random::new(seed));
            let dir = crate::temp::temporary();
            tree.write(dir.path());
            oracle.run("check", dir.path(), None)
        })
        .collect();
    for verdict in &verdicts {
        *met.entry(verdict.complaints.first().map_or("ok", |c| c.kind))
            .or_default() += 1;
    }
    println!("{met:?}");
    for kind in KINDS {
        assert!(met.contains_key(kind), "{kind} was not met");
    }
    assert!(
        met["ok"] > 100 && met["ok"] < 400,
        "{} trees are valid",
        met["ok"]
    );
}

#[test]
fn the_shared_cases_agree_with_the_oracle() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/cases/tazuna");
    let Ok(entries) = std::fs::read_dir(&cases) else {
        return skip("cases of tazuna", &format!("none in {}", cases.display()));
    };
    let dirs: Vec<_> = entries
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.join("expected.json").is_file())
        .collect();
    for oracle in oracle::find() {
        for dir in &dirs {
            let text = std::fs::read_to_string(dir.join("expected.json")).unwrap();
            let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
            let verdict = oracle.run("check", dir, None);
            assert_eq!(
                Some(verdict.ok),
                expected["ok"].as_bool(),
                "{oracle}: {}: {verdict:?}",
                dir.display()
            );
        }
        println!("{oracle}: {} cases agree", dirs.len());
    }
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(1, |d| d.as_secs())
}

struct Difference {
    tree: Tree,
    command: &'static str,
    environment: Option<String>,
    /// The kinds of errors that the two sides report: differences with the same kinds most likely have the same cause.
    sort: String,
}

/// The result of one question.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Answer {
    Agrees,
    AgreesOnErrors,
    NotTold,
    Differs,
}

fn compare_with(oracle: &Oracle, seed: u64, trees: u64) -> usize {
    let results: Vec<(Answer, Option<Difference>)> = (0..trees)
        .into_par_iter()
        .flat_map_iter(|i| {
            let tree = generate::tree(&mut Random::new(seed.wrapping_add(i)));
            let mut results = Vec::new();
            for command in oracle.commands() {
                for environment in &tree.environments {
                    let (answer, theirs, ours) = ask(oracle, &tree, command, environment.as_deref());
                    let difference = (answer == Answer::Differs).then(|| Difference {
                        tree: tree.clone(),
                        command,
                        environment: environment.clone(),
                        sort: sort(&theirs, &ours),
                    });
                    results.push((answer, difference));
                }
            }
            results
        })
        .collect();
    let mut counts: BTreeMap<Answer, usize> = BTreeMap::new();
    for (answer, _) in &results {
        *counts.entry(*answer).or_default() += 1;
    }
    println!("{oracle}: {counts:?}");
    let not_told = counts.get(&Answer::NotTold).copied().unwrap_or(0);
    assert!(
        not_told * 20 < results.len().max(20),
        "{not_told} verdicts are not told"
    );
    let mut sorts: BTreeMap<String, Vec<Difference>> = BTreeMap::new();
    for difference in results.into_iter().filter_map(|(_, d)| d) {
        sorts.entry(difference.sort.clone()).or_default().push(difference);
    }
    for differences in sorts.values().take(SHOWN) {
        println!("\n=== {} times", differences.len());
        show(oracle, &differences[0]);
    }
    sorts.values().map(Vec::len).sum()
}

fn sort(theirs: &Verdict, ours: &ours::Verdict) -> String {
    format!("{:?} / {:?}", kinds(&theirs.complaints), kinds(&ours.complaints))
}

fn kinds(complaints: &[oracle::Complaint]) -> Vec<&'static str> {
    let mut kinds: Vec<_> = complaints.iter().map(|c| c.kind).collect();
    kinds.dedup();
    kinds
}

/// Writes a tree to the disk and asks both sides.
fn ask(
    oracle: &Oracle,
    tree: &Tree,
    command: &str,
    environment: Option<&str>,
) -> (Answer, Verdict, ours::Verdict) {
    let dir = crate::temp::temporary();
    let dir = dir.path().canonicalize().unwrap();
    tree.write(&dir);
    let theirs = oracle.run(command, &dir, environment);
    let ours = ours::verdict(command, &dir, environment);
    let answer = match ours.ok {
        None => Answer::NotTold,
        // Rejected for certain, by an error that cannot be known.
        Some(false) if !theirs.ok && ours.complaints.is_empty() => Answer::NotTold,
        Some(ok) if ok != theirs.ok || ours.complaints != theirs.complaints => Answer::Differs,
        Some(true) => Answer::Agrees,
        Some(false) => Answer::AgreesOnErrors,
    };
    (answer, theirs, ours)
}

fn show(oracle: &Oracle, difference: &Difference) {
    let environment = difference.environment.as_deref();
    let differs = |tree: &Tree| {
        let (answer, theirs, ours) = ask(oracle, tree, difference.command, environment);
        answer == Answer::Differs && sort(&theirs, &ours) == difference.sort
    };
    let small = difference.tree.shrunk(differs);
    let (_, theirs, ours) = ask(oracle, &small, difference.command, environment);
    println!("{} -e {environment:?}", difference.command);
    println!("{small}");
    println!("{oracle}: {}", theirs.text.trim_end());
    println!("  {:?}", theirs.complaints);
    println!("ours: {}", ours.text.trim_end());
    println!("  {:?}", ours.complaints);
}
