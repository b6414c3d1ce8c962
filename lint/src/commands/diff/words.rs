//! The wording of a difference, the same in the terminal and in a comment.

use std::collections::HashMap;

use crate::commands::lint::plural;
use crate::escape;
use crate::formats::json::diff::{
    ConditionChange, Otherwise, ProjectDiff, Revision, RunDiff, There, VerdictChange, WaitChange,
};

/// A state by its revision.
pub(super) fn revision(revision: &Revision) -> String {
    let name = revision.revision.as_deref();
    name.map_or_else(|| "working tree".to_owned(), |r| escape::line(r).into_owned())
}

/// How the two units of a lost or gained pair relate on the other side.
pub(super) fn otherwise(change: &WaitChange, lost: bool, barrier: bool) -> String {
    let word = if lost { "now" } else { "before" };
    let mut text = match (change.otherwise, change.layers) {
        (Otherwise::Reversed, _) => format!("{word} the other way around"),
        (Otherwise::Beside, _) => format!("{word} beside it"),
        (Otherwise::Earlier, _) if lost => "now ahead of it".to_owned(),
        (Otherwise::Earlier, _) => "ran ahead of it before".to_owned(),
        (Otherwise::Later, _) if barrier && lost => "only layers keep them apart".to_owned(),
        (Otherwise::Later, _) if barrier => "only layers kept them apart".to_owned(),
        (Otherwise::Later, Some([from, to])) => format!("no order {word}, layers {to} and {from}"),
        _ => String::new(),
    };
    if let Some(via) = &change.via {
        let text_of = if lost { "through" } else { "now through" };
        let via = format!("{text_of} {}", escape::line(via));
        text = [text, via]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
    }
    if !change.certain {
        let unknown = if lost {
            "unless the unknown parts say so"
        } else {
            "as far as known"
        };
        text = [text, unknown.to_owned()]
            .into_iter()
            .filter(|t| !t.is_empty())
            .collect::<Vec<_>>()
            .join("; ");
    }
    text
}

/// The current result of a command.
pub(super) fn verdict(change: &VerdictChange) -> &'static str {
    match (change.before, change.after) {
        (_, Some(false)) => "now stops",
        (_, Some(true)) => "no longer stops",
        (_, None) => "can no longer be known",
    }
}

/// A condition.
pub(super) fn condition(change: &ConditionChange) -> [String; 2] {
    [&change.before, &change.after].map(|c| {
        c.as_deref()
            .map_or_else(|| "(none)".to_owned(), |c| escape::line(c).into_owned())
    })
}

/// Environments by name.
pub(super) fn environments(names: &[Option<String>]) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|e| crate::units::environment(e.as_deref().unwrap_or("")))
        .collect();
    names.join(", ")
}

/// `6 → 7 layers`, or the number if it did not change.
pub(super) fn layers(run: &RunDiff, arrow: &str) -> String {
    let layers = |n: Option<usize>| n.map_or_else(|| "no order".to_owned(), |n| n.to_string());
    let word = |n: Option<usize>| match n {
        Some(1) => " layer",
        Some(_) => " layers",
        None => "",
    };
    match (&run.before, &run.after) {
        (Some(before), Some(after)) if before.layers != after.layers => {
            format!(
                "{} {arrow} {}{}",
                layers(before.layers),
                layers(after.layers),
                word(after.layers)
            )
        }
        (_, Some(extent)) | (Some(extent), None) => {
            format!("{}{}", layers(extent.layers), word(extent.layers))
        }
        (None, None) => String::new(),
    }
}

/// `4 of 10 manifests move`; `None` if none does.
pub(super) fn moves(project: &ProjectDiff, run: &RunDiff) -> Option<String> {
    let all = run.after.as_ref().map_or(0, |e| e.units);
    let [one, many] = project.words;
    let moved = run.moved.len();
    let verb = if moved == 1 { "moves" } else { "move" };
    (moved > 0).then(|| format!("{moved} of {} {verb}", plural(all, [one, many])))
}

/// Whether the project itself was added or removed.
pub(super) fn there(project: &ProjectDiff) -> Option<&'static str> {
    match project.there {
        There::Both => None,
        There::Before => Some("project removed"),
        There::After => Some("new project"),
    }
}

/// The headings of the projects: name or root; with the engine if that is ambiguous.
pub(super) fn labels(all: &[ProjectDiff]) -> Vec<String> {
    let short = |p: &ProjectDiff| p.name.clone().unwrap_or_else(|| p.root.clone());
    let mut known: HashMap<String, usize> = HashMap::new();
    for project in all {
        *known.entry(short(project)).or_default() += 1;
    }
    let label = |project: &ProjectDiff| {
        let own = short(project);
        if own == "." || known.get(&own).is_some_and(|n| *n > 1) {
            project.key.clone()
        } else {
            escape::line(&own).into_owned()
        }
    };
    all.iter().map(label).collect()
}

/// The most informative counts of a difference, worst first.
pub(super) fn counts(project: &ProjectDiff) -> Vec<String> {
    let sum = |of: fn(&RunDiff) -> usize| project.runs.iter().map(of).sum::<usize>();
    let mut parts = Vec::new();
    let mut add = |n: usize, words: [&str; 2], verb: &str| {
        if n > 0 {
            parts.push(format!("{}{verb}", plural(n, words)));
        }
    };
    add(sum(|r| r.cycles.len()), ["new cycle", "new cycles"], "");
    let stops = project.verdicts.iter().filter(|v| v.after == Some(false)).count();
    add(
        stops,
        ["command", "commands"],
        if stops == 1 { " now stops" } else { " now stop" },
    );
    add(sum(|r| r.lost.len()), ["dependency", "dependencies"], " lost");
    add(
        sum(|r| r.conditions.len()),
        ["condition", "conditions"],
        " changed",
    );
    add(sum(|r| r.gained.len()), ["dependency", "dependencies"], " gained");
    add(sum(|r| r.cycles_gone.len()), ["cycle", "cycles"], " gone");
    parts.extend(project.runs.iter().filter_map(|r| moves(project, r)).take(1));
    let mut add = |n: usize, verb: &str| {
        if n > 0 {
            parts.push(format!("{} {verb}", plural(n, project.words)));
        }
    };
    add(sum(|r| r.resequenced.len()), "in another sequence");
    add(sum(|r| r.added.len()), "added");
    add(sum(|r| r.removed.len()), "removed");
    add(sum(|r| r.renamed.len()), "renamed");
    parts
}
