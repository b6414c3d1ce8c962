//! The real `terramate` against our verdict, on random projects.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `APPLYORDER_TERRAMATE` | a `terramate` binary, v0.17.2 | built by `tests/engines/build.sh terramate` |
//! | `APPLYORDER_TREES` | how many projects | 500 |
//! | `APPLYORDER_SEED` | the seed, printed by each run | the time |

mod generate;
mod oracle;
mod ours;
mod schema;

use crate::random::Random;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// How many differences are printed.
const SHOWN: usize = 8;

/// What both sides say, in words that can be compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// `ok`, or the sort of error.
    pub(crate) outcome: Outcome,
    /// `[stack, attribute, entry]` of every warning about a path.
    pub(crate) warnings: Vec<[String; 3]>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The order, as project paths.
    Order(Vec<String>),
    /// The path as it is printed.
    Cycle(String),
    /// A tag filter that is none, in `after`, `before`, `wants` or `wanted_by`: the entry.
    Filter(String),
    /// The project is not loaded: the sorts of what Terramate complains of.
    Refused(BTreeSet<&'static str>),
    /// It can't be known.
    #[default]
    Unknown,
}

/// One way to ask.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// `run`, or `list --run-order`.
    pub(crate) run: bool,
    pub(crate) cwd: String,
    pub(crate) tags: Option<String>,
    pub(crate) no_tags: Option<String>,
}

#[test]
fn random_projects_get_the_order_of_terramate() {
    let Some(oracle) = oracle::find() else {
        println!("SKIPPED: the real terramate, which cannot be built here (is Go installed?)");
        return;
    };
    let setting = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let projects = setting("APPLYORDER_TREES").unwrap_or(500);
    let seed = setting("APPLYORDER_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |d| d.as_secs())
    });
    println!("terramate: seed {seed}, {projects} projects");
    let results: Vec<(&'static str, Option<String>)> = (0..projects)
        .into_par_iter()
        .flat_map_iter(|i| compare(&oracle, seed.wrapping_add(i)))
        .collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (sort, _) in &results {
        *counts.entry(sort).or_default() += 1;
    }
    println!("terramate: {counts:?}");
    let differences: Vec<&String> = results.iter().filter_map(|(_, d)| d.as_ref()).collect();
    for difference in differences.iter().take(SHOWN) {
        println!("\n=== {difference}");
    }
    println!(
        "terramate: {} agree, {} differ",
        results.len() - differences.len(),
        differences.len()
    );
    assert!(
        differences.is_empty(),
        "answers differ; APPLYORDER_SEED={seed} shows them again"
    );
    for sort in ["order", "cycle", "refused"] {
        assert!(
            projects < 100 || counts.contains_key(sort),
            "no project met `{sort}`"
        );
    }
}

fn compare(oracle: &oracle::Oracle, seed: u64) -> Vec<(&'static str, Option<String>)> {
    let mut random = Random::new(seed);
    let project = generate::project(&mut random);
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    project.write(&root);
    let selection = project.question(&mut random);
    [false, true]
        .into_iter()
        .map(|run| {
            let question = Question {
                run,
                ..selection.clone()
            };
            let (theirs, text) = oracle.ask(&root, &question);
            let ours = ours::answer(&root, &question);
            let sort = match &theirs.outcome {
                _ if ours.outcome == Outcome::Unknown => "not told",
                Outcome::Order(_) => "order",
                Outcome::Cycle(_) => "cycle",
                Outcome::Filter(_) => "filter",
                _ => "refused",
            };
            // In a directory below the root, Terramate reads the files on the way up before all others, and
            // complains of those first.
            let refused = |a: &Answer| matches!(a.outcome, Outcome::Refused(_));
            let other_first = question.cwd != "/" && refused(&ours) && refused(&theirs);
            let differs = ours.outcome != Outcome::Unknown && ours != theirs && !other_first;
            let shown = differs.then(|| {
                format!(
                    "seed {seed}, {question:?}\n{}\ntheirs {theirs:?}\n{text}\nours   {ours:?}",
                    project.shown()
                )
            });
            (sort, shown)
        })
        .collect()
}
