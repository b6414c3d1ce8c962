//! `check`: whether the order is as the configuration expects it (`[[expect]]`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, Write};

use applyorder_analysis::config::Expect;
use applyorder_analysis::config::expect::{NoEdges, is_meant};
use applyorder_analysis::engine::{Engines, Operation, Variant};
use applyorder_analysis::graph::NodeId;
use applyorder_analysis::workspace::{Project, ProjectIx};
use camino::Utf8PathBuf;

use super::lint::plural;
use crate::args::{AnswerFormat, ExpectArgs, Global};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::output::Output;
use crate::session::Session;
use crate::units;

/// So many pairs are searched for a path.
const MOST_PAIRS: usize = 100_000;

/// An expectation in a project.
struct Answer {
    project: Option<ProjectIx>,
    expectation: String,
    file: Option<Utf8PathBuf>,
    met: Result<(), Unmet>,
}

/// Why an expectation is not met.
enum Unmet {
    /// It is not.
    No(String),
    /// Nobody can know.
    Unknown(String),
    /// The project has nothing that it speaks of.
    Elsewhere(String),
}

/// Runs the command.
///
/// # Errors
/// When it gives no answer at all.
pub fn run(engines: Engines, global: &Global, args: &ExpectArgs, out: &mut Output) -> Result<Exit, Failure> {
    let session = Session::open(engines, global, &args.run, out)?;
    if session.selected.is_empty() {
        out.error("no project found");
        return Ok(Exit::Failed);
    }
    let answers = answers(&session, Operation::from(args.operation));
    for to in &args.format {
        out.answer(to, |w, _| match to.format {
            AnswerFormat::Human => write(w, &session, &answers),
            AnswerFormat::Json => json::write_value(w, &document(&session, &answers)),
        })?;
    }
    let unmet = answers.iter().filter(|a| a.met.is_err()).count();
    out.summary(&match (answers.len(), unmet) {
        (0, _) => "no expectations: add `[[expect]]` to applyorder.toml".to_owned(),
        (n, 0) => format!("{} met", plural(n, ["expectation", "expectations"])),
        (n, unmet) => format!(
            "{unmet} of {} not met",
            plural(n, ["expectation", "expectations"])
        ),
    });
    Ok(match (session.failed, unmet) {
        (true, _) => Exit::Failed,
        (false, 0) => Exit::Yes,
        (false, _) => Exit::No,
    })
}

/// The answers, by configuration and expectation. One that no project has anything of is unmet once.
fn answers(session: &Session, operation: Operation) -> Vec<Answer> {
    let mut answers = Vec::new();
    let config_of = |project: &Project| session.configs.of(&project.seed.root);
    let files: BTreeSet<Option<Utf8PathBuf>> = session
        .projects()
        .map(|(_, project)| config_of(project).file.clone())
        .collect();
    for file in files {
        let projects: Vec<(ProjectIx, &Project)> = session
            .projects()
            .filter(|(_, project)| config_of(project).file == file)
            .map(|(ix, project)| (ix, &**project))
            .collect();
        let Some((_, first)) = projects.first() else {
            continue;
        };
        for expect in &config_of(first).expect {
            let answer = |project, met| Answer {
                project,
                expectation: expect.to_string(),
                file: file.clone(),
                met,
            };
            let mut elsewhere = None;
            let before = answers.len();
            for (ix, project) in &projects {
                match met(project, operation, expect) {
                    Err(Unmet::Elsewhere(why)) => {
                        elsewhere.get_or_insert(why);
                    }
                    met => answers.push(answer(Some(*ix), met)),
                }
            }
            if let Some(why) = elsewhere.filter(|_| answers.len() == before) {
                answers.push(answer(None, Err(Unmet::No(why))));
            }
        }
    }
    answers
}

/// Whether an expectation is met in every environment of a project.
fn met(project: &Project, operation: Operation, expect: &Expect) -> Result<(), Unmet> {
    let mut known = Err(Unmet::Elsewhere("there are no units".to_owned()));
    for variant in &project.resolution.variants {
        match in_variant(project, variant, operation, expect) {
            Err(Unmet::Elsewhere(why)) if known.is_err() => known = Err(Unmet::Elsewhere(why)),
            Err(Unmet::Elsewhere(_)) => {}
            Err(Unmet::No(why)) => {
                let runs = units::environments(project, variant);
                let runs = runs.map_or_else(String::new, |e| format!(" (environments: {e})"));
                return Err(Unmet::No(format!("{why}{runs}")));
            }
            other => {
                other?;
                known = Ok(());
            }
        }
    }
    known
}

fn in_variant(
    project: &Project,
    variant: &Variant,
    operation: Operation,
    expect: &Expect,
) -> Result<(), Unmet> {
    let order = units::order_of(variant, operation);
    match expect {
        Expect::MaxLayers(most) => match &order.layers {
            Some(layers) if layers.len() <= *most => Ok(()),
            Some(layers) => Err(Unmet::No(format!(
                "there are {}",
                plural(layers.len(), ["layer", "layers"])
            ))),
            None => {
                let why = order
                    .because
                    .as_deref()
                    .unwrap_or("its units wait for each other");
                Err(Unmet::Unknown(format!("there are no layers: {why}")))
            }
        },
        Expect::Order { first, then } => {
            let (first, then) = (named(variant, first)?, named(variant, then)?);
            if first.len().saturating_mul(then.len()) > MOST_PAIRS {
                return Err(Unmet::Unknown(format!("more than {MOST_PAIRS} pairs of units")));
            }
            for (b, b_name) in &then {
                let waits = |a: &NodeId| a == b || order.graph.shortest_path(*b, *a).is_some();
                if let Some((_, a_name)) = first.iter().find(|(a, _)| !waits(a)) {
                    return Err(unordered(project, a_name, b_name));
                }
            }
            Ok(())
        }
        Expect::NoEdges(NoEdges { from, to }) => {
            let name = |node| json::node_name(variant, &order.graph, node);
            let wrong = json::all_edges(&order.graph)
                .map(|edge| (name(edge.from), name(edge.to)))
                .find(|(a, b)| is_meant(from, a) && is_meant(to, b));
            match wrong {
                Some((a, b)) => Err(Unmet::No(format!("`{a}` depends on `{b}`"))),
                None => Ok(()),
            }
        }
    }
}

/// Where something is unknown, there may be an edge that nobody sees.
fn unordered(project: &Project, a: &str, b: &str) -> Unmet {
    match project.unresolved().next() {
        Some((_, why)) => Unmet::Unknown(format!("it is not known whether `{b}` waits for `{a}`: {why}")),
        None => Unmet::No(format!("`{b}` does not wait for `{a}`")),
    }
}

/// The units that a pattern means.
fn named<'v>(variant: &'v Variant, pattern: &str) -> Result<Vec<(NodeId, &'v str)>, Unmet> {
    let units = (0u32..).zip(&variant.units);
    let found: Vec<(NodeId, &str)> = units
        .filter(|(_, unit)| is_meant(pattern, &unit.name))
        .map(|(ix, unit)| (NodeId(ix), &*unit.name))
        .collect();
    if found.is_empty() {
        return Err(Unmet::Elsewhere(format!("unknown unit `{pattern}`")));
    }
    Ok(found)
}

fn write(w: &mut dyn Write, session: &Session, answers: &[Answer]) -> io::Result<()> {
    for answer in answers {
        let word = match &answer.met {
            Ok(()) => "met",
            Err(Unmet::Unknown(_)) => "unknown",
            Err(_) => "not met",
        };
        let project = answer.project.map_or_else(String::new, |ix| {
            let key = session.key(ix);
            format!("  ({})", escape::line(&key))
        });
        writeln!(w, "{word:<7}  {}{project}", escape::line(&answer.expectation))?;
        if let Err(Unmet::No(why) | Unmet::Unknown(why) | Unmet::Elsewhere(why)) = &answer.met {
            writeln!(w, "         {}", escape::line(why))?;
        }
    }
    Ok(())
}

fn document<'a>(session: &Session, answers: &'a [Answer]) -> model::Check<'a> {
    let expectation = |answer: &'a Answer| model::Expectation {
        project: answer.project.map(|ix| session.key(ix)),
        expectation: answer.expectation.clone(),
        file: answer.file.as_ref().map(|file| session.paths.show(file)),
        met: match &answer.met {
            Ok(()) => Some(true),
            Err(Unmet::Unknown(_)) => None,
            Err(_) => Some(false),
        },
        because: match &answer.met {
            Ok(()) => None,
            Err(Unmet::No(why) | Unmet::Unknown(why) | Unmet::Elsewhere(why)) => {
                Some(Cow::Borrowed(why.as_str()))
            }
        },
    };
    model::Check {
        version: model::VERSION,
        met: answers.iter().all(|a| a.met.is_ok()),
        expectations: answers.iter().map(expectation).collect(),
    }
}
