//! What Tazuna says of an included file, and what is worth knowing of it.

use std::sync::Arc;

use super::Scene;
use super::root::{lints_of_item, with_details};
use super::slot::Slot;
use crate::judge::{Stage, rejected};
use crate::load::{Include, Unreadable, shown};
use crate::model::{Got, Nested, Part};
use crate::read::{Certainty, Draft, Item, placed, rebased, with_path};
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::files::ReadError;
use applyorder_core::layer::Finding;
use applyorder_core::rules::{limit_reached, unreadable_file};

/// Adds what is found of an include, in the order in which Tazuna comes to it: it stops at the first that it
/// cannot take in.
pub(super) fn check(
    scene: &Scene<'_>,
    (include, got): (&Include, &Got),
    part: Option<(u32, &Part)>,
    out: &mut Slot,
) {
    match (got, part) {
        (Got::Read, Some((number, part))) => {
            own_findings(part, &include.shown, out);
            nesting(scene, out, include, number);
        }
        (Got::Unreadable(why), _) => unreadable(out, include, why),
        _ => {}
    }
}

fn unreadable(out: &mut Slot, include: &Include, why: &Unreadable) {
    let path = shown(&include.text);
    let error = &why.error;
    if let Some(what) = &why.limit {
        let because = format!("`{path}` {what}");
        let d = Diagnostic::new(&limit_reached::RULE, include.place, because.clone());
        out.found.push(Finding::new(d));
        out.unknown(Stage::Includes, because);
        return;
    }
    let message = match error {
        ReadError::NotUtf8(_) => format!(
            "failed to parse include file: {path}: error converting YAML to JSON: yaml: {}",
            why.octet
        ),
        ReadError::IsDirectory => format!("failed to open include file: {path}: read {path}: {error}"),
        ReadError::NotDirectory => {
            format!("failed to open include file: {path}: open {path}: not a directory")
        }
        _ => format!("failed to open include file: {path}: open {path}: {error}"),
    };
    let d = Diagnostic::new(
        &unreadable_file::RULE,
        include.place,
        format!("`{path}` cannot be read: {error}"),
    );
    if why.reads_otherwise {
        let because = format!("`{path}` is not UTF-8, and Tazuna may stop before it comes to that");
        out.unknown(Stage::Includes, because);
        out.found
            .push(Finding::new(d.severity(Severity::Warning)).about(&*path));
        return;
    }
    let d = d.engine_message(message);
    let reason = match error {
        ReadError::NotUtf8(_) => "not-utf8",
        _ => "unreadable",
    };
    out.found
        .push(rejected(Stage::Includes, d, &path).detail("reason", reason));
}

/// Findings in an included file: shown there, related to the include.
fn own_findings(part: &Part, path: &str, out: &mut Slot) {
    let (view, units) = (&part.piece.view, &part.piece);
    let Some(via) = part.via.filter(|_| !part.again) else {
        return;
    };
    let base = view.head_base();
    let found = |draft: &Draft, base: u32| {
        let mut d = placed(&draft.diagnostic, base).related(via, "the file is included here");
        let own = d.engine_message.unwrap_or_default();
        d.engine_message = Some(match draft.stage {
            Some(Stage::Template) => with_path(&own, path),
            _ => format!("failed to parse include file: {path}: {own}"),
        });
        with_details(rejected(Stage::Includes, d, path), draft)
    };
    match &view.certainty {
        Certainty::Certain => {}
        Certainty::Rejected(draft) => {
            out.found.push(found(draft, base));
            return;
        }
        Certainty::Open(draft, because) => {
            let d = placed(&draft.diagnostic, base).related(via, "the file is included here");
            out.found.push(Finding::new(d));
            out.unknown(Stage::Includes, format!("{path}: {because}"));
            return;
        }
    }
    let head = &view.head;
    if let Some(because) = &head.open {
        out.unknown(Stage::Includes, format!("{path}: {because}"));
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
        out.found.push(found(draft, base));
    }
    for draft in &head.lints {
        out.found.push(Finding::new(placed(&draft.diagnostic, base)));
    }
    for (key, place) in &head.own {
        let d = rules::included_header_ignored::diagnostic(rebased(*place, base), key, via);
        out.found.push(Finding::new(d));
    }
    for (index, item) in noisy {
        lints_of_item(out, view, index, item);
    }
}

/// An included file that has includes itself.
fn nesting(scene: &Scene<'_>, out: &mut Slot, include: &Include, part: u32) {
    let Some(nested) = scene.expansion.nested_in(part) else {
        return;
    };
    let d = match nested {
        Nested::Circle(hops) => {
            let removal = scene.expansion.removal(include.item, include.place);
            rules::include_cycle::diagnostic(include.place, &include.text, hops, removal)
        }
        Nested::Groups(inner) => rules::nested_include::diagnostic(include.place, &include.text, inner),
    };
    let d = d.engine_message(format!(
        "nested includes are not allowed in include file: {}",
        shown(&include.text)
    ));
    let found = rejected(Stage::Includes, d, &include.text);
    out.found.push(match nested {
        Nested::Circle(_) => found.detail("reason", "cycle"),
        Nested::Groups(_) => found,
    });
}
