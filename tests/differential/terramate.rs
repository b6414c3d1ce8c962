//! The real `terramate` against our verdict, on random projects.
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `APPLYORDER_TERRAMATE` | a `terramate` binary, v0.17.2 | built by `tests/differential/build.sh terramate` |
//! | `APPLYORDER_TREES` | how many projects | 500 |
//! | `APPLYORDER_SHOWN` | how many differences are printed | 8 |
//! | `APPLYORDER_SEED` | the seed, printed by each run | the time |

mod changed;
mod generate;
mod odd;
pub(crate) mod oracle;
mod ours;
mod schema;

use crate::random::Random;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// The answer of either side, in a common vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// `ok`, or the kind of error.
    pub(crate) outcome: Outcome,
    /// `[stack, attribute, entry]` of every warning about a path.
    pub(crate) warnings: Vec<[String; 3]>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The order, as project paths.
    Order(Vec<String>),
    /// The path as printed.
    Cycle(String),
    /// An invalid tag filter in `after`, `before`, `wants` or `wanted_by`: the entry.
    Filter(String),
    /// The project is not loaded: the directory and the kind of Terramate's error.
    Refused(BTreeSet<(String, &'static str)>),
    /// It can't be known.
    #[default]
    Unknown,
}

impl Answer {
    /// The same answer without the directories of errors that the other answer lacks.
    fn as_far_as(&self, other: &Self) -> Self {
        let mut answer = self.clone();
        if let (Outcome::Refused(own), Outcome::Refused(theirs)) = (&mut answer.outcome, &other.outcome)
            && theirs.iter().all(|(dir, _)| dir.is_empty())
        {
            *own = std::mem::take(own)
                .into_iter()
                .map(|(_, sort)| (String::new(), sort))
                .collect();
        }
        answer
    }
}

/// One way to ask.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    /// `run`, or `list --run-order`.
    pub(crate) run: bool,
    pub(crate) cwd: String,
    /// The root that is found from there, relative to the project's directory.
    pub(crate) root: String,
    pub(crate) tags: Vec<String>,
    pub(crate) no_tags: Vec<String>,
}

impl Question {
    /// About all stacks of a project.
    pub(crate) fn whole() -> Self {
        Self {
            run: false,
            cwd: "/".to_owned(),
            root: "/".to_owned(),
            tags: Vec::new(),
            no_tags: Vec::new(),
        }
    }
}

#[test]
fn random_projects_get_the_order_of_terramate() {
    let Some(oracle) = oracle::find() else { return };
    let setting = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let projects = setting("APPLYORDER_TREES").unwrap_or(500);
    let seed = setting("APPLYORDER_SEED").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(1, |d| d.as_secs())
    });
    let shown = usize::try_from(setting("APPLYORDER_SHOWN").unwrap_or(8)).unwrap();
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
    for difference in differences.iter().take(shown) {
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
    let dir = crate::temp::temporary();
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
            let differs = ours.outcome != Outcome::Unknown && ours.as_far_as(&theirs) != theirs;
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
