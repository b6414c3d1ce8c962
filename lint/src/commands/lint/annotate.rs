//! Annotations in a step of GitHub Actions, in addition to the human-readable report.

use std::fs::OpenOptions;
use std::io::Write as _;

use camino::Utf8PathBuf;

use super::summary::plural;
use crate::fingerprint::Reported;
use crate::formats::github::Spent;
use crate::formats::{Report, github};
use crate::output::Output;
use crate::repository::Repository;
use crate::session::Session;
use crate::write;

/// Whether this is a step of GitHub Actions.
pub(super) fn is_github() -> bool {
    std::env::var("GITHUB_ACTIONS").is_ok_and(|value| value == "true")
}

/// Writes annotations in addition to the human-readable report.
pub(super) fn annotate(
    session: &Session,
    repository: &Repository,
    findings: &[Reported<'_>],
    out: &mut Output,
) {
    let report = Report {
        session,
        repository,
        findings,
        links: None,
        verbose: false,
    };
    let ledger = Ledger::of_this_job(&|name| std::env::var(name).ok());
    let spent = ledger.as_ref().map_or_else(Spent::default, Ledger::spent);
    let (annotations, counts) = github::taken(report, spent);
    annotations.iter().for_each(|line| out.annotate(line));
    if let Some(ledger) = ledger {
        ledger.add(counts);
    }
    let without = findings.len() - annotations.len();
    if without > 0 {
        let what = plural(without, ["finding has", "findings have"]);
        let (step, job) = (github::MOST_OF_A_STEP, github::MOST_OF_A_JOB);
        out.annotate(&format!(
            "{what} no annotation: GitHub shows {step} of each severity in a step, and {job} in a job"
        ));
    }
}

/// What the steps of a job have annotated, in a file that exists as long as the job: a line for each run, with its step
/// and the numbers of errors, warnings and notices. If it cannot be read or written, only this run is counted; GitHub
/// then drops the excess.
struct Ledger {
    path: Utf8PathBuf,
    step: String,
}

impl Ledger {
    fn of_this_job(env: &dyn Fn(&str) -> Option<String>) -> Option<Self> {
        let mut name = "applyorder-annotations".to_owned();
        for part in ["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT", "GITHUB_JOB"] {
            let value = env(part).unwrap_or_default();
            let plain = value
                .chars()
                .filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
            name.push('-');
            name.extend(plain);
        }
        let dir = env("RUNNER_TEMP").filter(|dir| !dir.is_empty())?;
        let step = env("GITHUB_ACTION").unwrap_or_default();
        Some(Self {
            path: Utf8PathBuf::from(dir).join(name),
            step: step.split_whitespace().collect(),
        })
    }

    fn spent(&self) -> Spent {
        let mut spent = Spent::default();
        let text = write::read(&self.path).map_or_else(|_| Vec::new(), |(text, _)| text);
        let text = String::from_utf8_lossy(&text);
        for line in text.lines() {
            let (step, counts) = line.split_once(' ').unwrap_or(("", ""));
            let counts: Vec<usize> = counts.split(' ').filter_map(|n| n.parse().ok()).collect();
            spent.job += counts.iter().sum::<usize>();
            if step == self.step {
                spent.step.iter_mut().zip(counts).for_each(|(all, n)| *all += n);
            }
        }
        spent
    }

    fn add(&self, [errors, warnings, notices]: [usize; 3]) {
        let line = format!("{} {errors} {warnings} {notices}\n", self.step);
        let file = OpenOptions::new().create(true).append(true).open(&self.path);
        drop(file.and_then(|mut file| file.write_all(line.as_bytes())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_job_share_what_there_is() {
        let temp = crate::temp::temporary();
        let dir = temp.path().to_str().unwrap().to_owned();
        let of = |job: &'static str, step: &'static str| {
            let dir = dir.clone();
            let env = move |name: &str| match name {
                "RUNNER_TEMP" => Some(dir.clone()),
                "GITHUB_JOB" => Some(job.to_owned()),
                "GITHUB_ACTION" => Some(step.to_owned()),
                _ => None,
            };
            Ledger::of_this_job(&env).unwrap()
        };
        assert_eq!(of("build", "a").spent(), Spent::default());
        of("build", "a").add([3, 1, 0]);
        of("build", "a").add([2, 0, 0]);
        of("build", "b c").add([4, 4, 0]);
        let spent = of("build", "a").spent();
        assert_eq!((spent.step, spent.job), ([5, 1, 0], 14));
        assert_eq!(of("build", "b c").spent().step, [4, 4, 0]);
        assert_eq!(of("other", "a").spent(), Spent::default());
        assert!(Ledger::of_this_job(&|_| None).is_none());
    }
}
