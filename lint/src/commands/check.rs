//! `check`: whether the order is as the configuration expects (`[[expect]]`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::engine::{Engines, Operation};
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{Answers, Project, ProjectIx, Unmet};
use camino::Utf8PathBuf;

use super::lint::plural;
use super::marks::Mark;
use super::nothing_found;
use crate::args::{AnswerFormat, ExpectArgs, Global};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::look::Look;
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;

/// The answer to an expectation in a project.
struct Answer {
    project: Option<ProjectIx>,
    expectation: String,
    file: Option<Utf8PathBuf>,
    /// The line of the file, from 1.
    line: Option<u32>,
    met: Result<(), Unmet>,
}

/// Runs the command.
///
/// # Errors
/// When no answer can be given.
pub fn run(engines: Engines, global: &Global, args: &ExpectArgs, out: &mut Output) -> Result<Exit, Failure> {
    let session = Session::open(engines, global, &args.run, out)?;
    if session.selected.is_empty() {
        // Unchecked expectations must not pass as met.
        if !session.configs.of(&session.paths.cwd).expect.is_empty() {
            out.error("no project found for the expectations of applyorder.toml");
            return Ok(Exit::Failed);
        }
        nothing_found::say(engines, &session, &args.run, out);
    }
    let answers = answers(&session, Operation::from(args.operation));
    let whole = out.is_verbose();
    for to in &args.format {
        out.answer_looking(to, |w, look| match to.format {
            AnswerFormat::Human => write(w, &session, &answers, look, whole),
            AnswerFormat::Json => json::write_value(w, &document(&session, &answers)),
        })?;
    }
    let unmet = answers.iter().filter(|a| a.met.is_err()).count();
    if answers.is_empty() && !session.selected.is_empty() && !session.failed() {
        out.summary("no expectations: add `[[expect]]` to applyorder.toml");
    }
    Ok(match (session.failed(), unmet) {
        (true, _) => Exit::Failed,
        (false, 0) => Exit::Yes,
        (false, _) => Exit::No,
    })
}

/// The answers, by configuration and expectation. An expectation about units that no project has is unmet once.
fn answers(session: &Session, operation: Operation) -> Vec<Answer> {
    let mut answers = Vec::new();
    let config_of = |project: &Project| session.configs.of(&project.seed.root);
    let mut by_file: BTreeMap<Option<Utf8PathBuf>, Vec<(ProjectIx, &Project)>> = BTreeMap::new();
    for (ix, project) in session.projects() {
        let file = config_of(project).file.clone();
        by_file.entry(file).or_default().push((ix, &**project));
    }
    for (file, projects) in by_file {
        let Some((_, first)) = projects.first() else {
            continue;
        };
        let config = config_of(first);
        let expectations = &config.expect;
        let analysis = &session.analysis;
        let written = analysis.expectations_of(&config);
        let place = |at: usize| {
            let (file, places) = written.as_ref()?;
            let start = places.get(at)?.whole.start;
            let line = analysis.source(*file)?.lines().line(start) + 1;
            Some((analysis.path(*file).to_owned(), line))
        };
        let answered =
            |(ix, project): &(ProjectIx, &Project)| (*ix, project.answers_to(expectations, operation));
        let answered: Vec<(ProjectIx, Answers)> = projects.iter().map(answered).collect();
        for (at, expect) in expectations.iter().enumerate() {
            let written = place(at);
            let answer = |project, met| Answer {
                project,
                expectation: expect.to_string(),
                file: written
                    .as_ref()
                    .map_or_else(|| file.clone(), |(file, _)| Some(file.clone())),
                line: written.as_ref().map(|(_, line)| *line),
                met,
            };
            let mut elsewhere = None;
            let before = answers.len();
            for (ix, all) in &answered {
                match all.get(at) {
                    Some(Err(Unmet::Elsewhere { why, .. })) => {
                        elsewhere.get_or_insert(why);
                    }
                    Some(met) => answers.push(answer(Some(*ix), met.clone())),
                    None => {}
                }
            }
            if let Some(why) = elsewhere.filter(|_| answers.len() == before) {
                answers.push(answer(None, Err(Unmet::No(why.clone(), None))));
            }
        }
    }
    answers
}

fn write(
    w: &mut dyn Write,
    session: &Session,
    answers: &[Answer],
    look: Look,
    whole: bool,
) -> io::Result<()> {
    let unmet = answers.iter().filter(|a| a.met.is_err()).count();
    let all = plural(answers.len(), ["expectation", "expectations"]);
    let head = match (answers.len(), unmet) {
        (0, _) => return Ok(()),
        (1, 0) => (Mark::Ok, format!("{all} is met")),
        (_, 0) => (Mark::Ok, format!("{all} are met")),
        (_, 1) => (Mark::Error, format!("1 of {all} is not met")),
        (_, n) => (Mark::Error, format!("{n} of {all} are not met")),
    };
    writeln!(w, "{} {}", head.0.shown(look), head.1)?;
    let several = session.selected.len() > 1;
    for answer in answers {
        let mark = match &answer.met {
            Ok(()) if !whole => continue,
            Ok(()) => Mark::Ok,
            Err(Unmet::Unknown(_)) => Mark::Unknown,
            Err(_) => Mark::Error,
        };
        let place = answer.file.as_ref().map(|file| {
            let line = answer.line.map_or_else(String::new, |line| format!(":{line}"));
            format!("{}{line}", escape::line(&session.paths.show(file)))
        });
        let project = answer
            .project
            .filter(|_| several)
            .map(|ix| format!("({})", session.key(ix)));
        let mut parts = vec![escape::line(&answer.expectation).into_owned()];
        parts.extend(place.into_iter().chain(project));
        writeln!(w, "{} {}", mark.shown(look), parts.join("   "))?;
        let (why, suggestion) = match &answer.met {
            Ok(()) => continue,
            Err(Unmet::No(why, suggestion)) => (why, suggestion.as_ref()),
            Err(Unmet::Unknown(why) | Unmet::Elsewhere { why, .. }) => (why, None),
        };
        write!(w, "    {}", escape::line(why))?;
        if let Some(suggestion) = suggestion {
            let at = Position::of(&session.analysis, suggestion.place);
            let line = u64::from(at.start(Encoding::Utf32).line) + 1;
            let path = escape::line(&session.paths.show(at.path)).into_owned();
            write!(
                w,
                "; to meet it: {}   {path}:{line}",
                escape::line(&suggestion.text)
            )?;
        }
        writeln!(w)?;
    }
    let met = answers.len() - unmet;
    if met > 0 && unmet > 0 && !whole {
        let others = plural(met, ["other", "others"]);
        writeln!(w, "{} {others} (--verbose)", Mark::Ok.shown(look))?;
    }
    Ok(())
}

fn document<'a>(session: &Session, answers: &'a [Answer]) -> model::Check<'a> {
    let expectation = |answer: &'a Answer| model::Expectation {
        project: answer.project.map(|ix| session.key(ix)),
        expectation: answer.expectation.clone(),
        file: answer.file.as_ref().map(|file| session.paths.show(file)),
        line: answer.line,
        met: match &answer.met {
            Ok(()) => Some(true),
            Err(Unmet::Unknown(_)) => None,
            Err(_) => Some(false),
        },
        because: match &answer.met {
            Ok(()) => None,
            Err(Unmet::No(why, _) | Unmet::Unknown(why) | Unmet::Elsewhere { why, .. }) => {
                Some(Cow::Borrowed(why.as_str()))
            }
        },
        suggestion: match &answer.met {
            Err(Unmet::No(_, Some(suggestion))) => Some(model::Suggestion {
                text: Cow::Borrowed(&suggestion.text),
                place: json::place(session, suggestion.place),
            }),
            _ => None,
        },
    };
    model::Check {
        version: model::VERSION,
        met: !session.failed() && answers.iter().all(|a| a.met.is_ok()),
        expectations: answers.iter().map(expectation).collect(),
    }
}
