//! What Tazuna says of the root file itself, and what is worth knowing of it.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::Run;
use super::cache::Include;
use super::expand::shown;
use super::parts::{Expansion, Outcome, Part};
use super::slot::{Slot, subject};
use crate::facts::{Certainty, Draft, Item, View, placed, rebased, with_path};
use crate::rules;
use crate::verdict::{Found, Rejected, Stage, Unknown};
use applyorder_core::config::TazunaGeneration;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::files::FileKind;
use applyorder_core::rules::{missing_file, nearest};

/// Adds the findings of the root file, in the order in which Tazuna comes to them.
pub(super) fn check(run: &Run<'_, '_>, expansion: &Expansion, root: &Part, out: &mut Slot) {
    let view = &root.view;
    let base = view.head_base();
    let subject = run.root.file_name().unwrap_or("").to_owned();
    let keep = |out: &mut Slot, draft: &Draft, base: u32, subject: &str, wrap: &dyn Fn(&str) -> String| {
        out.expand.push(found_at_root(draft, base, subject, wrap));
    };
    let plain = |text: &str| text.to_owned();
    match &view.certainty {
        Certainty::Certain => {}
        Certainty::Rejected(draft) => {
            keep(out, draft, base, &subject, &|words| with_path(words, &subject));
            return;
        }
        Certainty::Open(draft, because) => {
            keep(out, draft, base, &subject, &plain);
            out.unknown.push(Unknown {
                stage: Stage::Template,
                because: because.clone(),
            });
            return;
        }
    }
    let head = &view.head;
    if let Some(because) = &head.open {
        out.unknown.push(Unknown {
            stage: Stage::Decode,
            because: because.clone(),
        });
    }
    let at_head = head.syntax.iter().chain(&head.errors[0]);
    at_head.for_each(|d| keep(out, d, base, &subject, &plain));
    let noisy = |f: &mut dyn FnMut(usize, &Arc<Item>)| {
        for index in &root.units.noisy {
            if let Some(item) = view.item(*index as usize) {
                f(*index as usize, item);
            }
        }
    };
    noisy(&mut |index, item| {
        for draft in item.manifest.errors.iter().filter(|_| !item.manifest.broken) {
            keep(out, draft, view.base(index), &subject, &plain);
        }
        if item.manifest.exhausted {
            out.unknown.push(Unknown {
                stage: Stage::Decode,
                because: "more is reached through aliases than applyorder reads".to_owned(),
            });
        }
    });
    let behind = head.errors[1].iter().chain(&head.header);
    behind.for_each(|d| keep(out, d, base, &subject, &plain));
    version_unmet(run, out, view);
    head.spec[0]
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    spec_of_items(run, expansion, root, out);
    head.spec[1]
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    head.lints
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    noisy(&mut |index, item| lints_of_item(out, view, index, item));
}

fn found_at_root(draft: &Draft, base: u32, subject: &str, wrap: &dyn Fn(&str) -> String) -> Found {
    let mut d = placed(&draft.diagnostic, base);
    d.engine_message = d.engine_message.as_deref().map(wrap);
    let rejected = draft.stage.map_or(Rejected::default(), Rejected::both);
    with_details(Found::rejected(rejected, d, subject), draft)
}

pub(super) fn with_details(mut found: Found, draft: &Draft) -> Found {
    for (key, value) in &draft.details {
        found = found.detail(key, value.clone());
    }
    found
}

pub(super) fn lints_of_item(out: &mut Slot, view: &View, index: usize, item: &Item) {
    let (manifest, base) = (&item.manifest, view.base(index));
    if manifest.broken {
        return;
    }
    for draft in &manifest.lints {
        out.expand.push(Found::lint(placed(&draft.diagnostic, base)));
    }
    for (field, place) in &manifest.ignored {
        let d = rules::include_group_field_ignored::diagnostic(rebased(*place, base), field);
        out.expand.push(Found::lint(d));
    }
}

/// Stage 6 over the list of the root: values, includes, secrets, manifest by manifest.
fn spec_of_items(run: &Run<'_, '_>, expansion: &Expansion, root: &Part, out: &mut Slot) {
    let (view, units) = (&root.view, &root.units);
    let mut todo: Vec<u32> = [&units.noisy, &units.groups, &units.secrets]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    todo.sort_unstable();
    todo.dedup();
    for index in todo {
        let Some(item) = view.item(index as usize).filter(|i| !i.manifest.broken) else {
            continue;
        };
        let (manifest, base) = (&item.manifest, view.base(index as usize));
        let subject = subject(manifest.name(), index as usize);
        let wrap = |text: &str| format!("validation failed for manifest[{index}]: {text}");
        if manifest.is_group() {
            let all = expansion.includes.all.iter().zip(expansion.outcomes.iter());
            let of_group = all.filter(|(i, _)| i.item == index);
            for (include, outcome) in of_group {
                missing(run, out, expansion, include, outcome, &wrap);
            }
            continue;
        }
        let g1_box = |d: &Draft| {
            run.generation == TazunaGeneration::G1 && d.diagnostic.rule == &rules::removed_parallel::RULE
        };
        for draft in manifest.invalid.iter().filter(|d| !g1_box(d)) {
            out.expand.push(found_at_root(draft, base, &subject, &wrap));
        }
        if let Some(found) = super::secrets::check(run, manifest, base, &subject, &wrap) {
            out.expand.push(Found {
                rejected: Rejected::both(Stage::Spec),
                ..found
            });
        }
    }
}

fn missing(
    run: &Run<'_, '_>,
    out: &mut Slot,
    expansion: &Expansion,
    include: &Include,
    outcome: &Outcome,
    wrap: &dyn Fn(&str) -> String,
) {
    if include.text.is_empty() {
        let message = wrap(&format!("include[{}].path is required", include.index));
        let d = rules::include_path_empty::diagnostic(include.place, expansion.removal(include))
            .engine_message(message);
        let subject = include.text.to_string();
        out.expand
            .push(Found::rejected(Rejected::both(Stage::Spec), d, subject).detail("field", "includes"));
        return;
    }
    if !matches!(outcome, Outcome::Missing) {
        return;
    }
    let path = shown(&include.text);
    let mut d = Diagnostic::new(
        &missing_file::RULE,
        include.place,
        format!("the included file `{}` does not exist", include.text),
    )
    .engine_message(wrap(&format!("include file not found: {path}")));
    if let Some(near) = near_file(run, expansion, include) {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(include.place, near)],
        );
    }
    d = d.fix(
        "remove the include",
        Safety::Unsafe,
        vec![expansion.removal(include)],
    );
    let found = Found::rejected(Rejected::both(Stage::Spec), d, include.text.to_string());
    out.expand.push(found.detail("path", path));
}

/// The path with the nearest name of an existing file in its directory that is not included yet.
fn near_file(run: &Run<'_, '_>, expansion: &Expansion, include: &Include) -> Option<String> {
    let (path, text) = (&include.path, &*include.text);
    let parent = path.parent()?;
    let entries = run.cx.list(parent).ok()?;
    let beside = expansion
        .includes
        .all
        .iter()
        .filter(|i| i.path.parent() == Some(parent));
    let taken: FxHashSet<&str> = beside.filter_map(|i| i.path.file_name()).collect();
    let yaml = |name: &str| name.ends_with(".yaml") || name.ends_with(".yml");
    let files = entries
        .iter()
        .filter(|e| e.kind != FileKind::Directory && yaml(&e.name) && !taken.contains(&*e.name));
    let near = nearest(path.file_name()?, files.map(|e| &*e.name))?;
    let dir = text.rfind('/').map_or("", |i| text.get(..=i).unwrap_or(""));
    Some(format!("{dir}{near}"))
}

fn version_unmet(run: &Run<'_, '_>, out: &mut Slot, view: &View) {
    let (Some(minimum), Some(running)) = (&view.head.minimum, &run.version) else {
        return;
    };
    if run.generation < TazunaGeneration::G3 {
        return;
    }
    let parse = super::super::facts::loose_version;
    let (Ok(wanted), Ok(has)) = (parse(&minimum.text), parse(running)) else {
        return;
    };
    if has >= wanted {
        return;
    }
    let text = format!(
        "this tazuna.yaml requires tazuna >= {}, but the running tazuna is {running}; please upgrade tazuna",
        minimum.text
    );
    let d = Diagnostic::new(
        &applyorder_core::rules::unsupported_version::RULE,
        rebased(minimum.place, view.head_base()),
        format!(
            "this file wants Tazuna {} or newer, and {running} is configured",
            minimum.text
        ),
    )
    .severity(Severity::Warning)
    .engine_message(text);
    let found = Found::rejected(Rejected::both(Stage::Version), d, "minimumSupportedTazunaVersion");
    out.expand.push(found);
}
