//! What Tazuna says of an included file, and what is worth knowing of it.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};

use super::Run;
use super::cache::Include;
use super::expand::shown;
use super::parts::{Expansion, Outcome, Part};
use super::root::{lints_of_item, with_details};
use super::slot::Slot;
use crate::facts::{Certainty, Draft, Item, TazunaFacts, Text, placed, rebased, with_path};
use crate::rules;
use crate::verdict::{Found, Rejected, Stage, Unknown};
use applyorder_core::diagnostic::{Diagnostic, Place};
use applyorder_core::files::{ReadError, join_clean};
use applyorder_core::rules::{limit_reached, unreadable_file};

/// Adds what is found of an include, in the order in which Tazuna comes to it: it stops at the first that it
/// cannot take in.
pub(super) fn check(
    run: &Run<'_, '_>,
    expansion: &Expansion,
    include: &Include,
    outcome: &Outcome,
    out: &mut Slot,
) {
    match outcome {
        Outcome::Read(part) => {
            if let Some(part) = expansion.parts.get(*part as usize) {
                own_findings(part, out);
                nesting(run, out, expansion, include, part);
            }
        }
        Outcome::Unreadable(error) => unreadable(run, out, include, error),
        Outcome::Missing | Outcome::Nowhere => {}
    }
}

fn unreadable(run: &Run<'_, '_>, out: &mut Slot, include: &Include, error: &ReadError) {
    let path = shown(&include.text);
    if let Some(what) = run.past_limit(&include.path, error) {
        let because = format!("`{path}` {what}");
        out.expand.push(Found::lint(Diagnostic::new(
            &limit_reached::RULE,
            include.place,
            because.clone(),
        )));
        out.unknown.push(Unknown {
            stage: Stage::Includes,
            because,
        });
        return;
    }
    if let ReadError::NotUtf8(at) = error
        && run.reads_otherwise(&include.path, *at)
    {
        out.unknown.push(Unknown {
            stage: Stage::Includes,
            because: format!("`{path}` is not UTF-8, and Tazuna may stop before it comes to that"),
        });
    }
    let d = Diagnostic::new(&unreadable_file::RULE, include.place, format!("`{path}` cannot be read: {error}"))
        .engine_message(match error {
            ReadError::NotUtf8(_) => format!(
                "failed to parse include file: {path}: error converting YAML to JSON: yaml: invalid leading UTF-8 \
                 octet"
            ),
            ReadError::IsDirectory => format!("failed to open include file: {path}: read {path}: {error}"),
            ReadError::NotDirectory => {
                format!("failed to open include file: {path}: open {path}: not a directory")
            }
            _ => format!("failed to open include file: {path}: open {path}: {error}"),
        });
    out.expand
        .push(Found::rejected(Rejected::both(Stage::Includes), d, path).detail(
            "reason",
            match error {
                ReadError::NotUtf8(_) => "not-utf8",
                _ => "unreadable",
            },
        ));
}

/// Findings in an included file: shown there, related to the include.
fn own_findings(part: &Part, out: &mut Slot) {
    let Part {
        view, path, units, ..
    } = part;
    let Some(via) = part.via.filter(|_| !part.again) else {
        return;
    };
    let base = view.head_base();
    let rejected = |draft: &Draft, base: u32| {
        let mut d = placed(&draft.diagnostic, base).related(via, "the file is included here");
        let own = d.engine_message.unwrap_or_default();
        d.engine_message = Some(match draft.stage {
            Some(Stage::Template) => with_path(&own, path),
            _ => format!("failed to parse include file: {path}: {own}"),
        });
        with_details(
            Found::rejected(Rejected::both(Stage::Includes), d, &**path),
            draft,
        )
    };
    match &view.certainty {
        Certainty::Certain => {}
        Certainty::Rejected(draft) => {
            out.expand.push(rejected(draft, base));
            return;
        }
        Certainty::Open(draft, because) => {
            let d = placed(&draft.diagnostic, base).related(via, "the file is included here");
            out.expand.push(Found::lint(d));
            out.unknown.push(Unknown {
                stage: Stage::Includes,
                because: format!("{path}: {because}"),
            });
            return;
        }
    }
    let head = &view.head;
    if let Some(because) = &head.open {
        out.unknown.push(Unknown {
            stage: Stage::Includes,
            because: format!("{path}: {because}"),
        });
    }
    let mut drafts: Vec<(&Draft, u32)> = head
        .syntax
        .iter()
        .chain(&head.errors[0])
        .map(|d| (d, base))
        .collect();
    let noisy: Vec<(usize, &Arc<Item>)> = units
        .noisy
        .iter()
        .filter_map(|i| Some((*i as usize, view.item(*i as usize)?)))
        .collect();
    for (index, item) in noisy.iter().filter(|(_, i)| !i.manifest.broken) {
        drafts.extend(item.manifest.errors.iter().map(|d| (d, view.base(*index))));
    }
    drafts.extend(head.errors[1].iter().map(|d| (d, base)));
    for (draft, base) in drafts {
        out.expand.push(rejected(draft, base));
    }
    for draft in &head.lints {
        out.expand.push(Found::lint(placed(&draft.diagnostic, base)));
    }
    for (key, place) in &head.own {
        let d = rules::included_header_ignored::diagnostic(rebased(*place, base), key, via);
        out.expand.push(Found::lint(d));
    }
    for (index, item) in noisy {
        lints_of_item(out, view, index, item);
    }
}

/// An included file that has includes itself.
fn nesting(run: &Run<'_, '_>, out: &mut Slot, expansion: &Expansion, include: &Include, part: &Part) {
    let view = &part.view;
    let decodes = view.head.syntax.is_empty() && view.head.errors.iter().all(Vec::is_empty);
    if part.units.groups.is_empty() || view.certainty != Certainty::Certain || !decodes {
        return;
    }
    let mut inner = Vec::new();
    for index in &part.units.groups {
        if let Some(item) = view.item(*index as usize) {
            let base = view.base(*index as usize);
            let path = |text: &Text| {
                let place = rebased(text.place, base);
                (place, text.text.to_string(), inlined(run, include, &text.text))
            };
            inner.push(rules::nested_include::Inner {
                header: rebased(item.manifest.header, base),
                paths: item.manifest.includes.iter().map(path).collect(),
            });
        }
    }
    let hops = way_back(run, include, &part.facts);
    let (d, rule_is_cycle) = match hops {
        Some(hops) => (
            rules::include_cycle::diagnostic(include.place, &include.text, &hops, expansion.removal(include)),
            true,
        ),
        None => (
            rules::nested_include::diagnostic(include.place, &include.text, &inner),
            false,
        ),
    };
    let d = d.engine_message(format!(
        "nested includes are not allowed in include file: {}",
        shown(&include.text)
    ));
    let found = Found::rejected(Rejected::both(Stage::Includes), d, include.text.to_string());
    out.expand.push(if rule_is_cycle {
        found.detail("reason", "cycle")
    } else {
        found
    });
}

/// The path of an inner include as the root has to write it. Nobody follows these includes, so it is open
/// whether they count from the root's directory or from their own file's: where the file exists decides.
fn inlined(run: &Run<'_, '_>, include: &Include, path: &str) -> String {
    let exists = |path: &Utf8Path| run.cx.kind(path, true).is_some();
    if !exists(&join_clean(run.dir, path))
        && let Some(beside) = include.path.parent().map(|dir| join_clean(dir, path))
        && exists(&beside)
        && let Some(better) = super::lints::from_dir(run.dir, &beside)
    {
        return better;
    }
    path.to_owned()
}

/// The files looked at in the search for a way back.
const HOPS: usize = 64;

/// The includes by which an included file leads back to a file on the way to it, in order.
fn way_back(run: &Run<'_, '_>, include: &Include, facts: &Arc<TazunaFacts>) -> Option<Vec<(Place, String)>> {
    if include.path == *run.root {
        return Some(vec![(include.place, "the file includes itself".to_owned())]);
    }
    // Each step: a file, and the includes that lead to it from the root's include on.
    type Way = Vec<(Utf8PathBuf, Place, String)>;
    let mut open: Vec<(Utf8PathBuf, Arc<TazunaFacts>, Way)> =
        vec![(include.path.clone(), facts.clone(), Vec::new())];
    let mut looked = 0;
    while let Some((path, facts, way)) = open.pop() {
        looked += 1;
        if looked > HOPS {
            return None;
        }
        let view = facts.view(&run.included_reading());
        for (index, item) in view.items() {
            for text in &item.manifest.includes {
                let place = rebased(text.place, view.base(index));
                // Nobody follows these includes, so it is open from where their paths would count.
                let from = [Some(run.dir), path.parent()];
                let mut targets: Vec<Utf8PathBuf> = from
                    .into_iter()
                    .flatten()
                    .map(|d| join_clean(d, &text.text))
                    .collect();
                targets.dedup();
                for target in targets {
                    let mut way = way.clone();
                    way.push((target.clone(), place, format!("includes `{}`", text.text)));
                    let start = |p: &Utf8Path| *p == *run.root || *p == *include.path;
                    let met = start(&target) || way.iter().rev().skip(1).any(|(p, ..)| *p == target);
                    if met {
                        let mut hops = vec![(include.place, format!("includes `{}`", include.text))];
                        hops.extend(way.into_iter().map(|(_, place, text)| (place, text)));
                        return Some(hops);
                    }
                    if let Ok((_, next)) = run.cx.facts::<TazunaFacts>(&target).map(|r| (r.file, r.facts)) {
                        open.push((target, next, way));
                    }
                }
            }
        }
    }
    None
}
