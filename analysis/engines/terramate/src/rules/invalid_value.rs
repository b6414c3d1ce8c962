//! `invalid-value` in Terramate's files: of attributes and blocks, watched files, tag filters, environments, instances
//! of bundles, and flags of the run.

use crate::judge::{FLAGS, ROOT, rejected};
use crate::model::environments::EnvironmentFaultKind;
use crate::model::flags::CWD;
use crate::model::refs::Meaning;
use crate::model::stacks::{Node, StackIx};
use crate::names::better_tag;
use crate::problems::{Fault, Problem};
use crate::read::instance::InstanceFaultKind;
use crate::relate::entries::Entry;
use crate::scope::{Directory, InFile, Scope, StackTurn, Whole, commands, detailed, replace};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::files::FileKind;
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_value::RULE;
use applyorder_syntax::go;
use rustc_hash::FxHashSet;

pub(super) fn check(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    dir.tell_of_files(found, worded);
    check_watched(dir, found);
    // A bad filter terminates its own list.
    let mut ended = FxHashSet::default();
    for (stack, node, entry) in dir.entries() {
        if let Meaning::BadFilter(words) = &entry.meaning {
            let is_first = ended.insert((stack, entry.attribute));
            found.push(bad_filter(dir.scope, (stack, node, entry), words, is_first));
        }
    }
}

pub(super) fn worded(problem: &Problem, file: InFile) -> Option<Diagnostic> {
    let new = |message: String| Diagnostic::new(&RULE, file.place(problem.at), message);
    Some(match &problem.fault {
        Fault::Labels { block, ways, words } => new(format!("invalid labels of `{block}`"))
            .note(format!("expected {}", ways.join(", ")))
            .engine_message(words.clone()),
        Fault::DuplicateBlock { block, words } => {
            new(format!("duplicate block `{block}`")).engine_message(words.clone())
        }
        // Terramate's message names the file.
        Fault::Redeclared { name } => new(format!("`{name}` conflicts with the `lets` above")),
        Fault::Conflict { name, with, words } => {
            new(format!("`{name}` conflicts with {with}")).engine_message(words.clone())
        }
        Fault::Value {
            name,
            wanted,
            found,
            is_type: false,
            words,
        } => new(format!("expected {wanted} as `{name}`, found {found}")).engine_message(words.clone()),
        _ => return None,
    })
}

/// Entries of `watch` that are not files of the project.
fn check_watched(dir: &Directory<'_>, found: &mut Vec<Finding>) {
    for (turn, watched) in dir.watched() {
        let written = watched.written;
        let of_kind = |what: &str| format!("stack.watch must be a list of regular files but {what}");
        let (message, words) = match watched.kind {
            _ if !watched.is_inside => (
                format!("`{written}` is outside the project root"),
                format!("path {written} is outside project root"),
            ),
            None | Some(FileKind::File) => continue,
            Some(FileKind::Directory) => (
                format!("`{written}` is a directory: expected a regular file"),
                of_kind(&format!("directory {written:?} was provided")),
            ),
            Some(_) => (
                format!("`{written}` is not a regular file"),
                of_kind(&format!("file {written:?} has another mode")),
            ),
        };
        let d = Diagnostic::new(&RULE, watched.place, message)
            .engine_message(words)
            .fix("remove the entry", Safety::Unsafe, remove(watched.place));
        let turn = StackTurn::Watch(turn);
        found.push(dir.rejected(turn, d).detail("value", written.to_owned()));
    }
}

fn remove(place: Place) -> Vec<FixStep> {
    vec![FixStep::RemoveEntry(place)]
}

/// An entry that is not a filter.
fn bad_filter(
    scope: Scope<'_>,
    (stack, node, entry): (StackIx, &Node, Entry<'_>),
    words: &str,
    is_first: bool,
) -> Finding {
    let path = &node.path;
    let place = scope.place(node, entry);
    let message = format!("invalid tag filter `{}`: {words}", entry.text);
    let mut d = Diagnostic::new(&RULE, place, message)
        .unit(path.clone())
        .engine_message(format!(
            "invalid order entry {}: {words}",
            go::quote(entry.text.as_bytes())
        ));
    if entry.text.contains('~') {
        d = d.note("tag filters cannot exclude tags");
    } else {
        d.fixes
            .extend(better_filter(&entry.text).map(|better| replace(place, &better)));
    }
    d = d.fix("remove the entry", Safety::Unsafe, remove(place));
    let is_order = entry.attribute.orders();
    if scope.related.turn(stack, is_order).is_none() {
        // The run does not reach it.
        return Finding::new(d);
    }
    let (stage, commands) = commands(is_order);
    if !is_first {
        let all = commands.iter();
        return Finding::new(all.fold(d, |d, command| d.enforced(command, stage, false)));
    }
    let finding = Finding::new(d)
        .about(path.clone())
        .at(entry.number.saturating_sub(scope.entries.first(stack)));
    let finding = detailed(finding, entry, "invalid-tag-filter");
    commands
        .iter()
        .fold(finding, |f, command| f.rejected(command, stage))
}

/// A filter with every invalid tag changed to a valid one.
fn better_filter(entry: &str) -> Option<String> {
    let filter = entry.strip_prefix("tag:")?;
    let any: Option<Vec<String>> = filter
        .split(',')
        .filter(|part| !part.is_empty())
        .map(|part| {
            let all: Option<Vec<String>> = part.split(':').map(|tag| better_tag(tag.trim())).collect();
            Some(all?.join(":"))
        })
        .collect();
    let better = any?.join(",");
    (!better.is_empty()).then(|| format!("tag:{better}"))
}

/// In environments, in instances of bundles, and of flags.
pub(super) fn check_whole(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    whole.tell_of_environments(found, |place, kind| match kind {
        EnvironmentFaultKind::Unknown(from) => {
            let message = format!("unknown environment `{from}`: none above has this id");
            let words = format!("environment.promote_from '{from}' does not exist");
            Some(Diagnostic::new(&RULE, place, message).engine_message(words))
        }
        _ => None,
    });
    whole.tell_of_instances(&RULE, found, |kind| match kind {
        InstanceFaultKind::Other { name, wanted, found } => {
            Some(format!("invalid {name} `{found}`: expected `{wanted}`"))
        }
        InstanceFaultKind::NoUuid(uuid) => Some(format!("invalid UUID `{uuid}`")),
        _ => None,
    });
    whole.tell_of_bundles(found, |place, fault| {
        let d = Diagnostic::new(
            &RULE,
            place,
            format!("invalid source of a bundle: {}", fault.message),
        );
        d.engine_message(fault.words.clone())
    });
    check_flags(whole, found);
}

fn check_flags(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let model = whole.scope.model;
    let Err((flag, words)) = &*model.flags else { return };
    let file = model.root_files().next().map(|(file, _)| file.file);
    let place = Place::file(file.unwrap_or(model.loaded.root_file));
    let message = format!("invalid `{flag}`: {words}");
    let d = Diagnostic::new(&RULE, place, message).engine_message(words.clone());
    let stage = if *flag == CWD { ROOT } else { FLAGS };
    found.push(rejected(stage, d.severity(Severity::Error), &(*flag).into()));
}
