//! Our answer, in the vocabulary of the comparison.

use super::oracle::sort;
use super::{Answer, Outcome, Question};
use crate::terramate_support::project_at;
use applyorder_analysis::engine::{EngineError, RunOptions};
use camino::Utf8PathBuf;
use std::path::Path;

pub(crate) fn answer(root: &Path, question: &Question) -> Answer {
    let top = Utf8PathBuf::from_path_buf(root.to_owned()).unwrap();
    let root = top.join(question.root.trim_start_matches('/'));
    let root = Utf8PathBuf::from(root.as_str().trim_end_matches('/'));
    let options = RunOptions {
        tags: question.tags.clone(),
        no_tags: question.no_tags.clone(),
        cwd: (question.cwd != "/").then(|| top.join(question.cwd.trim_start_matches('/'))),
        command: (!question.run).then(|| "list".to_owned()),
        ..RunOptions::default()
    };
    let Some(project) = project_at(&root, options) else {
        return Answer {
            outcome: Outcome::Refused([(String::new(), "no project")].into()),
            warnings: Vec::new(),
        };
    };
    let resolution = &project.resolution;
    let command = if question.run { "run" } else { "list --run-order" };
    let verdict = resolution.verdicts.iter().find(|v| v.command == command).unwrap();
    let mut warnings: Vec<[String; 3]> = verdict.warnings.iter().filter_map(warning).collect();
    warnings.sort();
    let outcome = match (verdict.ok, verdict.errors.first()) {
        (None, _) => return Answer::default(),
        (Some(true), _) => {
            let variant = &resolution.variants[0];
            let sequence = variant.apply.sequence.as_deref().unwrap_or_default();
            Outcome::Order(
                sequence
                    .iter()
                    .map(|u| variant.units[u.0 as usize].name.to_string())
                    .collect(),
            )
        }
        (_, Some(error)) => refused(error, &verdict.errors),
        (_, None) => Outcome::Refused([(String::new(), "no error")].into()),
    };
    Answer { outcome, warnings }
}

fn warning(error: &EngineError) -> Option<[String; 3]> {
    let detail = |key: &str| Some(error.details.get(key)?.as_str()?.to_owned());
    Some([error.subject.clone(), detail("attribute")?, detail("value")?])
}

fn refused(error: &EngineError, all: &[EngineError]) -> Outcome {
    let message = &error.message;
    if let Some(path) = error.details.get("path").and_then(|p| p.as_array()) {
        let names: Vec<&str> = path.iter().filter_map(|p| p.as_str()).collect();
        return Outcome::Cycle(names.join(" -> "));
    }
    if let Some((_, rest)) = message.split_once("invalid order entry \"") {
        return Outcome::Filter(rest.split("\": ").next().unwrap_or_default().to_owned());
    }
    let sort_of = |e: &EngineError| {
        if e.rule == "syntax-error" {
            "syntax"
        } else {
            sort(&e.message)
        }
    };
    Outcome::Refused(all.iter().map(|e| (e.subject.clone(), sort_of(e))).collect())
}
