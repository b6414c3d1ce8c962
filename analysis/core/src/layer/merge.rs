//! From blocks of findings, slot by slot, to shown findings, file by file.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::finding::{Block, Finding};
use super::judge::{Command, Marks};
use super::most::Room;
use super::stages::Checked;
use crate::diagnostic::{Diagnostic, Enforced, FileId, Fix, FixStep, Safety, Severity};
use crate::engine::{Cx, FileFindings, Findings};
use crate::memo::{Fingerprint, Mix};
use crate::rules::{duplicate_key, keep_most_specific, syntax_error};
use applyorder_syntax::text::Span;

/// The findings of a file under the blocks, marks and environments that the fingerprint is of.
#[derive(PartialEq, Eq, Hash)]
struct MergedKey(FileId, Fingerprint);

/// A block of a variant that has findings in the file at hand.
#[derive(Clone, Copy)]
struct Part<'a> {
    variant: usize,
    block: &'a Arc<Block>,
    marks: &'a Marks,
    /// Fingerprint of what commands report first of the block.
    marked: Fingerprint,
    /// The only environment that it belongs to.
    own: Option<&'a Option<Arc<str>>>,
}

/// The shown findings of a project. A file whose blocks, marks and environments are the same as in the previous
/// pass keeps its findings.
pub(crate) fn merge(
    cx: &Cx<'_>,
    commands: &'static [Command],
    checked: &[Checked],
    marks: &[Marks],
) -> Findings {
    let none = Marks::default();
    let blocks = checked.iter().flat_map(|checked| &checked.blocks);
    let count = blocks.map(|block| block.files().len()).sum();
    let mut parts: Vec<(FileId, Part<'_>)> = Vec::with_capacity(count);
    let mut environments = Mix::default();
    for (variant, checked) in checked.iter().enumerate() {
        let marks = marks.get(variant).unwrap_or(&none);
        let names = checked.environments.iter().map(|e| e.name.as_deref());
        environments.add(&names.collect::<Vec<_>>());
        let own = checked.environments.iter();
        let own = own.filter_map(|e| Some((e.own.as_ref()?, Some(&e.name))));
        for (block, own) in own.chain(checked.blocks.iter().map(|block| (block, None))) {
            if block.files().is_empty() {
                continue;
            }
            let part = Part {
                variant,
                block,
                marks,
                marked: marked(block, marks),
                own,
            };
            parts.extend(block.files().iter().map(|file| (*file, part)));
        }
    }
    // Stable: blocks of one file stay in the engine's order.
    parts.sort_by_key(|(file, _)| *file);
    let environments = environments.finish();
    let table = cx.memo().table::<MergedKey, FileFindings>();
    let by_file = || parts.chunk_by(|(a, _), (b, _)| a == b);
    let asked = by_file().filter_map(|parts| {
        let (file, _) = parts.first()?;
        let mut mix = Mix::default();
        mix.add(&environments);
        for (_, part) in parts {
            mix.add(&(part.variant, part.block.id(), part.marked));
        }
        Some(((*file, parts), MergedKey(*file, mix.finish())))
    });
    let findings_of = table.get_each(asked, |(file, parts), _| {
        FileFindings::new(of_file(cx, commands, checked, file, parts))
    });
    let files = by_file().filter_map(|parts| parts.first().map(|(file, _)| *file));
    let findings_of = files.zip(findings_of);
    Findings::new(
        findings_of
            .filter(|(_, findings_of)| !findings_of.is_empty())
            .collect(),
    )
}

fn marked(block: &Block, marks: &Marks) -> Fingerprint {
    let mut mix = Mix::default();
    for mark in marks.of(block) {
        mix.add(&mark);
        mix.add(&marks.line(block, mark.0, mark.1));
    }
    mix.finish()
}

/// The key by which findings of two variants are merged: rule, place, text, and the commands that reject it
/// with their stages.
type MergeKey = (
    &'static str,
    Option<Span>,
    String,
    Vec<(&'static str, &'static str)>,
);

fn of_file(
    cx: &Cx<'_>,
    commands: &'static [Command],
    checked: &[Checked],
    file: FileId,
    parts: &[(FileId, Part<'_>)],
) -> Vec<Arc<Diagnostic>> {
    let mut all: Vec<Arc<Diagnostic>> = Vec::new();
    let mut known: FxHashMap<MergeKey, usize> = FxHashMap::default();
    let total: usize = checked.iter().map(|c| c.environments.len()).sum();
    for parts in parts.chunk_by(|(_, a), (_, b)| a.variant == b.variant) {
        for (part, name) in parts.iter().filter_map(|(_, part)| Some((part, part.own?))) {
            all.extend(findings_of(commands, file, *part).map(|mut d| {
                if total > 1 {
                    let environments = &mut Arc::make_mut(&mut d).environments;
                    environments.push(name.clone().unwrap_or_default());
                }
                d
            }));
        }
        let shared = || {
            parts
                .iter()
                .map(|(_, part)| *part)
                .filter(|part| part.own.is_none())
        };
        let mut room = Room::for_all(shared().flat_map(|part| {
            part.block
                .of_file(file)
                .map(move |(number, f)| (f, move || part.marks.has(part.block, number)))
        }));
        let mut found: Vec<Arc<Diagnostic>> = Vec::new();
        for part in shared() {
            let own = part.block.of_file(file);
            let own = own.filter(|(number, f)| room.takes(f, || part.marks.has(part.block, *number)));
            found.extend(own.map(|(number, finding)| diagnostic(commands, part, number, finding)));
        }
        found.extend(room.said().map(Arc::new));
        keep_most_specific(&mut found);
        if checked.len() == 1 {
            all.extend(found);
            continue;
        }
        let variant = parts.first().and_then(|(_, part)| checked.get(part.variant));
        let names = variant.map(names).unwrap_or_default();
        for mut d in found {
            let rejected = d.enforced.iter().map(|e| (e.command, e.stage));
            let key = (d.rule.id, cx.span(d.place), d.message.clone(), rejected.collect());
            let at = *known.entry(key).or_insert(all.len());
            match all.get_mut(at) {
                Some(known) => {
                    let more = names.iter().filter(|n| !known.environments.contains(n));
                    let more: Vec<Arc<str>> = more.cloned().collect();
                    let known = Arc::make_mut(known);
                    known.environments.extend(more);
                    for (known, other) in known.enforced.iter_mut().zip(&d.enforced) {
                        known.first |= other.first;
                    }
                }
                None => {
                    Arc::make_mut(&mut d).environments.clone_from(&names);
                    all.push(d);
                }
            }
        }
    }
    for d in all.iter_mut().filter(|d| d.environments.len() == total) {
        Arc::make_mut(d).environments.clear();
    }
    doubt_fixes(&mut all);
    let path = cx.path(file);
    let config = cx.config(&path);
    let engine = cx.engine().meta().id;
    all.into_iter()
        .filter_map(|mut d| {
            let severity = config.severity_of(&d, engine, Some(&path))?;
            if severity != d.severity {
                Arc::make_mut(&mut d).severity = severity;
            }
            Some(d)
        })
        .collect()
}

/// Makes the fixes of a file unsafe whose effect is uncertain because of other findings. If the text cannot be
/// parsed, the effect of a change on the rest is unknown; if a key is duplicated, removing one makes the other
/// effective.
fn doubt_fixes(found: &mut [Arc<Diagnostic>]) {
    let is_broken = found
        .iter()
        .any(|d| d.rule == &syntax_error::RULE && d.severity == Severity::Error);
    let is_doubled = found.iter().any(|d| d.rule == &duplicate_key::RULE);
    if !is_broken && !is_doubled {
        return;
    }
    for d in found {
        let breaks = is_broken && d.rule != &syntax_error::RULE;
        let uncovers = is_doubled && d.rule != &duplicate_key::RULE;
        let removes = |step: &FixStep| matches!(step, FixStep::RemoveKey(_));
        let is_doubtful = |fix: &Fix| breaks || uncovers && fix.steps.iter().any(removes);
        if !d.fixes.iter().any(is_doubtful) {
            continue;
        }
        for fix in Arc::make_mut(d).fixes.iter_mut().filter(|fix| is_doubtful(fix)) {
            fix.safety = Safety::Unsafe;
        }
    }
}

/// The names of a variant's environments; `""` is "no environment given".
fn names(variant: &Checked) -> Vec<Arc<str>> {
    let names = variant.environments.iter().map(|e| e.name.clone());
    names.map(Option::unwrap_or_default).collect()
}

/// The findings of a block in a file.
fn findings_of<'a>(
    commands: &'static [Command],
    file: FileId,
    part: Part<'a>,
) -> impl Iterator<Item = Arc<Diagnostic>> + 'a {
    let own = part.block.of_file(file);
    own.map(move |(number, finding)| diagnostic(commands, part, number, finding))
}

fn diagnostic(
    commands: &'static [Command],
    part: Part<'_>,
    number: u32,
    finding: &Finding,
) -> Arc<Diagnostic> {
    if finding.rejections.is_empty() {
        return finding.diagnostic.clone();
    }
    let mut d = (*finding.diagnostic).clone();
    if d.engine_message.is_none()
        && let Some(first) = finding.rejections.first()
    {
        let line = part.marks.line(part.block, number, first.command);
        d.engine_message = line.filter(|line| !line.is_empty()).map(ToString::to_string);
    }
    let rejected = commands.iter().flat_map(|c| {
        finding
            .rejections
            .iter()
            .filter(|r| r.command == c.name && !r.warns)
    });
    d.enforced.extend(rejected.map(|r| Enforced {
        command: r.command,
        stage: r.stage,
        first: part.marks.is_first(part.block, number, r.command),
    }));
    Arc::new(d)
}
