//! A difference as rows, worst first: the content of the terminal output and of a comment.

use super::words;
use crate::commands::marks::Mark;
use crate::escape;
use crate::formats::json::diff::{CycleChange, Placed, ProjectDiff, RunDiff, WaitChange};
use crate::formats::json::model::Place;

/// Rows of one kind.
pub(super) struct Section {
    pub(super) mark: Mark,
    pub(super) title: &'static str,
    pub(super) rows: Vec<Row>,
}

/// One row: a subject, a statement about it, its place, and a remark.
#[derive(Default)]
pub(super) struct Row {
    pub(super) subject: String,
    /// Words and names alternate; the first is the verb.
    pub(super) text: Vec<Piece>,
    pub(super) place: Option<Place>,
    /// Whether the place is in the earlier state.
    pub(super) was: bool,
    /// Safe within a line.
    pub(super) remark: String,
}

/// A part of a sentence.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    /// Our own text, safe within a line.
    Word(String),
    /// A name from a linted file.
    Name(String),
}

fn word(text: impl Into<String>) -> Piece {
    Piece::Word(text.into())
}

fn name(text: &str) -> Piece {
    Piece::Name(text.to_owned())
}

/// Changed verdicts of the engine's commands.
pub(super) fn of_project(project: &ProjectDiff) -> Vec<Section> {
    let verdicts = |is_wanted: fn(Option<bool>) -> bool| -> Vec<Row> {
        let wanted = project.verdicts.iter().filter(|v| is_wanted(v.after));
        wanted
            .map(|v| {
                let environment = v.environment.as_ref().map(|e| format!("in {}", escape::line(e)));
                let message = v.message.as_ref().map(|m| escape::line(m).into_owned());
                let remark: Vec<String> = environment.into_iter().chain(message).collect();
                Row {
                    subject: v.command.clone(),
                    text: vec![word(words::verdict(v))],
                    remark: remark.join(": "),
                    ..Row::default()
                }
            })
            .collect()
    };
    let unknown = |texts: &[String], others: &[String], verb: &str| -> Vec<Row> {
        let new = texts.iter().filter(|t| others.binary_search(t).is_err());
        new.map(|text| Row {
            subject: text.clone(),
            text: vec![word(verb)],
            ..Row::default()
        })
        .collect()
    };
    let environments = |names: &[Option<String>], verb: &str| -> Vec<Row> {
        names
            .iter()
            .map(|e| Row {
                subject: crate::units::environment(e.as_deref().unwrap_or("")),
                text: vec![word(verb)],
                ..Row::default()
            })
            .collect()
    };
    let mut unknowns = unknown(&project.unknown_after, &project.unknown_before, "now unknown");
    unknowns.extend(unknown(
        &project.unknown_before,
        &project.unknown_after,
        "was unknown before",
    ));
    let mut changed = environments(&project.environments_removed, "no longer declared");
    changed.extend(environments(&project.environments_added, "now declared"));
    sections(vec![
        (Mark::Error, "the engine", verdicts(|after| after == Some(false))),
        (
            Mark::Unknown,
            "unknown verdicts",
            verdicts(|after| after.is_none()),
        ),
        (
            Mark::Ok,
            "the engine accepts",
            verdicts(|after| after == Some(true)),
        ),
        (Mark::Unknown, "unknown", unknowns),
        (Mark::Plain, "environments", changed),
    ])
}

/// The differences in an order, except for units in other layers.
pub(super) fn of_run(run: &RunDiff) -> Vec<Section> {
    let conditions = run.conditions.iter().map(|c| {
        let [before, after] = words::condition(c);
        Row {
            subject: c.from.clone(),
            text: vec![word("waits for"), name(&c.to)],
            place: c.place.clone(),
            was: false,
            remark: format!("until {after}, before until {before}"),
        }
    });
    let properties = run.properties.iter().map(|p| {
        let value = |v: &Option<String>| {
            v.as_deref()
                .map_or_else(|| "(none)".to_owned(), |v| escape::line(v).into_owned())
        };
        Row {
            subject: p.name.clone(),
            text: vec![word(format!(
                "now {}, before {}",
                value(&p.after),
                value(&p.before)
            ))],
            ..Row::default()
        }
    });
    let resequenced = run.resequenced.iter().map(|unit| Row {
        subject: unit.clone(),
        text: vec![word("at another position of the sequence")],
        ..Row::default()
    });
    let renamed = run.renamed.iter().map(|r| Row {
        subject: r.after.clone(),
        text: vec![word("was named"), name(&r.before)],
        ..Row::default()
    });
    let uncompared = (run.uncompared > 0).then(|| Row {
        subject: run.uncompared.to_string(),
        text: vec![word("not compared: the limit of applyorder was reached")],
        ..Row::default()
    });
    sections(vec![
        (Mark::Cycle, "new cycle", cycles(&run.cycles, false)),
        (Mark::Lost, "lost", waits(&run.lost, true, run.barrier)),
        (Mark::Changed, "conditions", conditions.collect()),
        (Mark::Unknown, "not compared", uncompared.into_iter().collect()),
        (Mark::Gained, "gained", waits(&run.gained, false, run.barrier)),
        (Mark::Changed, "the run", properties.collect()),
        (Mark::Ok, "cycle gone", cycles(&run.cycles_gone, true)),
        (Mark::Plain, "sequence", resequenced.collect()),
        (Mark::Plain, "removed", placed(&run.removed, true)),
        (Mark::Plain, "added", placed(&run.added, false)),
        (Mark::Plain, "renamed", renamed.collect()),
    ])
}

fn sections(all: Vec<(Mark, &'static str, Vec<Row>)>) -> Vec<Section> {
    let filled = all.into_iter().filter(|(_, _, rows)| !rows.is_empty());
    filled
        .map(|(mark, title, rows)| Section { mark, title, rows })
        .collect()
}

fn cycles(cycles: &[CycleChange], was: bool) -> Vec<Row> {
    let row = |cycle: &CycleChange| {
        let mut text = vec![word(if was {
            "no longer waits for itself"
        } else {
            "waits for itself"
        })];
        match cycle.units.get(1..).unwrap_or_default() {
            [] => {}
            [one] => text.extend([word("through"), name(one)]),
            [one, two] => text.extend([word("through"), name(one), word("and"), name(two)]),
            [one, rest @ ..] => {
                text.extend([
                    word("through"),
                    name(one),
                    word(format!("and {} more", rest.len())),
                ]);
            }
        }
        Row {
            subject: cycle.units.first().cloned().unwrap_or_default(),
            text,
            place: cycle.place.clone(),
            was,
            remark: String::new(),
        }
    };
    cycles.iter().map(row).collect()
}

fn waits(changes: &[WaitChange], lost: bool, barrier: bool) -> Vec<Row> {
    let row = |change: &WaitChange| {
        let why = change.reason.as_deref().filter(|_| change.place.is_none());
        let why = why.map_or_else(String::new, |why| escape::line(why).into_owned());
        let remark = [why, words::otherwise(change, lost, barrier)];
        let remark: Vec<String> = remark.into_iter().filter(|t| !t.is_empty()).collect();
        Row {
            subject: change.from.clone(),
            text: vec![
                word(if lost {
                    "no longer waits for"
                } else {
                    "now waits for"
                }),
                name(&change.to),
            ],
            place: change.place.clone(),
            was: lost,
            remark: remark.join("; "),
        }
    };
    changes.iter().map(row).collect()
}

fn placed(units: &[Placed], was: bool) -> Vec<Row> {
    let row = |placed: &Placed| Row {
        subject: placed.unit.clone(),
        text: placed
            .layer
            .map(|layer| word(format!("layer {layer}")))
            .into_iter()
            .collect(),
        place: Some(placed.place.clone()),
        was,
        remark: String::new(),
    };
    units.iter().map(row).collect()
}
