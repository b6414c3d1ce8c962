//! `check`: whether the order is as the configuration expects it (`[[expect]]`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{self, Write};

use applyorder_analysis::config::Expect;
use applyorder_analysis::config::expect::{NoEdges, is_meant};
use applyorder_analysis::diagnostic::Place;
use applyorder_analysis::engine::{Engines, Operation, UnitIx, Variant};
use applyorder_analysis::files::Files as _;
use applyorder_analysis::graph::{COMPARE, NodeId};
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{Project, ProjectIx};
use camino::{Utf8Path, Utf8PathBuf};

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
use crate::selectors::did_you_mean;
use crate::session::{Session, disk_files};
use crate::units;

/// So many pairs are searched for a path.
const MOST_PAIRS: usize = 100_000;

/// An expectation in a project.
struct Answer {
    project: Option<ProjectIx>,
    expectation: String,
    file: Option<Utf8PathBuf>,
    /// The line of the file, from 1.
    line: Option<u32>,
    met: Result<(), Unmet>,
}

/// Why an expectation is not met.
enum Unmet {
    /// It is not, and perhaps what would meet it.
    No(String, Option<Suggestion>),
    /// Nobody can know.
    Unknown(String),
    /// The project has nothing that it speaks of.
    Elsewhere(String),
}

/// A line that would meet an expectation, and where the unit that it is for is written.
struct Suggestion {
    text: String,
    place: Place,
}

/// Runs the command.
///
/// # Errors
/// When it gives no answer at all.
pub fn run(engines: Engines, global: &Global, args: &ExpectArgs, out: &mut Output) -> Result<Exit, Failure> {
    let session = Session::open(engines, global, &args.run, out)?;
    if session.selected.is_empty() {
        // Nobody may take it for met.
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
    if answers.is_empty() && !session.selected.is_empty() && !session.failed {
        out.summary("no expectations: add `[[expect]]` to applyorder.toml");
    }
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
    let mut by_file: BTreeMap<Option<Utf8PathBuf>, Vec<(ProjectIx, &Project)>> = BTreeMap::new();
    for (ix, project) in session.projects() {
        let file = config_of(project).file.clone();
        by_file.entry(file).or_default().push((ix, &**project));
    }
    for (file, projects) in by_file {
        let Some((_, first)) = projects.first() else {
            continue;
        };
        let expectations = &config_of(first).expect;
        let lines = lines(file.as_deref(), expectations.len());
        for (expect, at) in expectations.iter().zip(0..) {
            let answer = |project, met| Answer {
                project,
                expectation: expect.to_string(),
                file: file.clone(),
                line: lines.get(at).copied(),
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
                answers.push(answer(None, Err(Unmet::No(why, None))));
            }
        }
    }
    answers
}

/// The lines of the expectations of a file, where it holds all of them itself.
fn lines(file: Option<&Utf8Path>, expectations: usize) -> Vec<u32> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct File {
        expect: Vec<toml::Spanned<serde::de::IgnoredAny>>,
    }
    let read = || {
        let bytes = disk_files().read(file?).ok()?;
        let text = String::from_utf8(bytes.to_vec()).ok()?;
        let found = toml::from_str::<File>(&text).ok()?.expect;
        let line = |start: usize| {
            let before = text.get(..start)?.bytes().filter(|b| *b == b'\n').count();
            u32::try_from(before + 1).ok()
        };
        let lines: Vec<u32> = found.iter().filter_map(|e| line(e.span().start)).collect();
        (lines.len() == expectations).then_some(lines)
    };
    read().unwrap_or_default()
}

/// Whether an expectation is met in every environment of a project.
fn met(project: &Project, operation: Operation, expect: &Expect) -> Result<(), Unmet> {
    let mut known = Err(Unmet::Elsewhere("there are no units".to_owned()));
    for variant in &project.resolution.variants {
        match in_variant(project, variant, operation, expect) {
            Err(Unmet::Elsewhere(why)) if known.is_err() => known = Err(Unmet::Elsewhere(why)),
            Err(Unmet::Elsewhere(_)) => {}
            Err(Unmet::No(why, suggestion)) => {
                // One that holds in all environments needs no list of them.
                let is_some_of_many = project.resolution.variants.len() > 1;
                let runs = units::environments(project, variant).filter(|_| is_some_of_many);
                let runs = runs.map_or_else(String::new, |e| format!(" (environments: {e})"));
                return Err(Unmet::No(format!("{why}{runs}"), suggestion));
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
            Some(layers) => {
                let count = plural(layers.len(), ["layer", "layers"]);
                Err(Unmet::No(format!("there are {count}"), None))
            }
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
            let pairs: Vec<(NodeId, NodeId)> = then
                .iter()
                .flat_map(|b| first.iter().map(|a| (*b, *a)))
                .filter(|(b, a)| a != b)
                .collect();
            if pairs.is_empty() {
                return Err(Unmet::No("no unit runs after itself".to_owned(), None));
            }
            let components = order.graph.components();
            let waits = order.graph.reaches_all(&components, &pairs, &mut { COMPARE });
            for ((b, a), waits) in pairs.iter().zip(waits) {
                match waits {
                    Some(true) => {}
                    Some(false) => return Err(unordered(project, variant, operation, [*a, *b])),
                    None => return Err(Unmet::Unknown("too many pairs of units to compare".to_owned())),
                }
            }
            Ok(())
        }
        Expect::NoEdges(NoEdges { from, to }) => {
            let name = |node| json::node_name(variant, &order.graph, node);
            for pattern in [from, to] {
                if !order.graph.nodes().any(|node| is_meant(pattern, &name(node))) {
                    named(variant, pattern)?;
                }
            }
            let wrong = json::all_edges(&order.graph)
                .map(|edge| (name(edge.from), name(edge.to)))
                .find(|(a, b)| is_meant(from, a) && is_meant(to, b));
            match wrong {
                Some((a, b)) => Err(Unmet::No(format!("`{a}` depends on `{b}`"), None)),
                None => Ok(()),
            }
        }
    }
}

/// Where something is unknown, there may be an edge that nobody sees.
fn unordered(project: &Project, variant: &Variant, operation: Operation, [a, b]: [NodeId; 2]) -> Unmet {
    let graph = &*units::order_of(variant, operation).graph;
    let name = |node: NodeId| json::node_name(variant, graph, node);
    if let Some((_, why)) = project.unresolved().next() {
        let (a, b) = (name(a), name(b));
        return Unmet::Unknown(format!("it is not known whether `{b}` waits for `{a}`: {why}"));
    }
    if graph.shortest_path(a, b).is_some() {
        return Unmet::No(
            format!("`{}` waits for `{}`: the other way round", name(a), name(b)),
            None,
        );
    }
    let ends = [UnitIx(a.0), UnitIx(b.0)];
    let engine = project.engine();
    let line = match operation {
        Operation::Apply => engine.to_order(&project.resolution, variant, ends),
        Operation::Delete => engine.to_order_deletion(&project.resolution, variant, ends),
    };
    let suggestion = line.map(|(text, place)| Suggestion { text, place });
    Unmet::No(
        format!("`{}` does not wait for `{}`", name(b), name(a)),
        suggestion,
    )
}

/// The units that a pattern means.
fn named(variant: &Variant, pattern: &str) -> Result<Vec<NodeId>, Unmet> {
    let units = (0u32..).zip(&variant.units);
    let found: Vec<NodeId> = units
        .filter(|(_, unit)| is_meant(pattern, &unit.name))
        .map(|(ix, _)| NodeId(ix))
        .collect();
    if found.is_empty() {
        let near = did_you_mean(pattern, variant.units.iter().map(|unit| &*unit.name));
        return Err(Unmet::Elsewhere(format!("unknown unit `{pattern}`{near}")));
    }
    Ok(found)
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
            Err(Unmet::Unknown(why) | Unmet::Elsewhere(why)) => (why, None),
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
            Err(Unmet::No(why, _) | Unmet::Unknown(why) | Unmet::Elsewhere(why)) => {
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
        met: !session.failed && answers.iter().all(|a| a.met.is_ok()),
        expectations: answers.iter().map(expectation).collect(),
    }
}
