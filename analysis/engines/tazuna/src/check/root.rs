//! What Tazuna says of the root file itself, and what is worth knowing of it.

use std::sync::Arc;

use super::Scene;
use super::slot::{Slot, rejected_secret, subject};
use crate::config::TazunaGeneration;
use crate::judge::{Stage, rejected};
use crate::load::{Include, shown};
use crate::model::{Got, Part};
use crate::read::{Certainty, Draft, Item, View, loose_version, placed, rebased, with_path};
use crate::rules;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{missing_file, unsupported_version};

/// Adds the findings of the root file, in the order in which Tazuna comes to them.
pub(super) fn check(scene: &Scene<'_>, root: &Part, out: &mut Slot) {
    let view = &root.piece.view;
    let base = view.head_base();
    let subject = scene.setting.name().to_owned();
    let keep = |out: &mut Slot, draft: &Draft, base: u32, subject: &str, wrap: &dyn Fn(&str) -> String| {
        out.found.push(found_at_root(draft, base, subject, wrap));
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
            out.unknown(Stage::Template, because.clone());
            return;
        }
    }
    let head = &view.head;
    if let Some(because) = &head.open {
        out.unknown(Stage::Decode, because.clone());
    }
    let at_head = head.syntax.iter().chain(&head.errors[0]);
    at_head.for_each(|d| keep(out, d, base, &subject, &plain));
    let noisy = |f: &mut dyn FnMut(usize, &Arc<Item>)| {
        for index in &root.piece.noisy {
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
            let because = "more is reached through aliases than applyorder reads";
            out.unknown(Stage::Decode, because.to_owned());
        }
    });
    let behind = head.errors[1].iter().chain(&head.header);
    behind.for_each(|d| keep(out, d, base, &subject, &plain));
    version_unmet(scene, out, view);
    head.spec[0]
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    spec_of_items(scene, root, out);
    head.spec[1]
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    head.lints
        .iter()
        .for_each(|d| keep(out, d, base, &subject, &plain));
    noisy(&mut |index, item| lints_of_item(out, view, index, item));
}

fn found_at_root(draft: &Draft, base: u32, subject: &str, wrap: &dyn Fn(&str) -> String) -> Finding {
    let mut d = placed(&draft.diagnostic, base);
    d.engine_message = d.engine_message.as_deref().map(wrap);
    let found = match draft.stage {
        Some(stage) => rejected(stage, d, subject),
        None => Finding::new(d).about(subject),
    };
    with_details(found, draft)
}

pub(super) fn with_details(mut found: Finding, draft: &Draft) -> Finding {
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
        out.found.push(Finding::new(placed(&draft.diagnostic, base)));
    }
    for (field, place) in &manifest.ignored {
        let d = rules::include_group_field_ignored::diagnostic(rebased(*place, base), field);
        out.found.push(Finding::new(d));
    }
}

/// Stage 6 over the list of the root: values, includes, secrets, manifest by manifest.
fn spec_of_items(scene: &Scene<'_>, root: &Part, out: &mut Slot) {
    let (view, units) = (&root.piece.view, &root.piece);
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
            let all = &scene.expansion.includes.all;
            let from = all.partition_point(|i| i.item < index);
            let of_group = all.iter().zip(&*scene.expansion.got).skip(from);
            for (include, got) in of_group.take_while(|(i, _)| i.item == index) {
                missing(scene, out, include, got, &wrap);
            }
            continue;
        }
        let g1_box = |d: &Draft| {
            scene.setting.generation == TazunaGeneration::G1
                && d.diagnostic.rule == &rules::removed_parallel::RULE
        };
        for draft in manifest.invalid.iter().filter(|d| !g1_box(d)) {
            out.found.push(found_at_root(draft, base, &subject, &wrap));
        }
        if let Some(bad) = scene.expansion.bad_secret(0, index) {
            let found = rejected_secret(bad, manifest, base, &wrap);
            out.found
                .push(rejected(Stage::Spec, found, &subject).detail("field", "uri"));
        }
    }
}

fn missing(scene: &Scene<'_>, out: &mut Slot, include: &Include, got: &Got, wrap: &dyn Fn(&str) -> String) {
    let removal = scene.expansion.removal(include.item, include.place);
    if include.text.is_empty() {
        let message = wrap(&format!("include[{}].path is required", include.index));
        let d = rules::include_path_empty::diagnostic(include.place, removal).engine_message(message);
        let found = rejected(Stage::Spec, d, &include.text);
        out.found.push(found.detail("field", "includes"));
        return;
    }
    let Got::Missing(near) = got else {
        return;
    };
    let path = shown(&include.text);
    let mut d = Diagnostic::new(
        &missing_file::RULE,
        include.place,
        format!("the included file `{}` does not exist", include.text),
    )
    .engine_message(wrap(&format!("include file not found: {path}")));
    if let Some(near) = &**near {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(include.place, near.clone())],
        );
    }
    d = d.fix("remove the include", Safety::Unsafe, vec![removal]);
    let found = rejected(Stage::Spec, d, &include.text);
    out.found.push(found.detail("path", path));
}

fn version_unmet(scene: &Scene<'_>, out: &mut Slot, view: &View) {
    let (Some(minimum), Some(running)) = (&view.head.minimum, &scene.setting.version) else {
        return;
    };
    if scene.setting.generation < TazunaGeneration::G3 {
        return;
    }
    let (Ok(wanted), Ok(has)) = (loose_version(&minimum.text), loose_version(running)) else {
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
        &unsupported_version::RULE,
        rebased(minimum.place, view.head_base()),
        format!(
            "this file wants Tazuna {} or newer, and {running} is configured",
            minimum.text
        ),
    )
    .severity(Severity::Error)
    .engine_message(text);
    out.found
        .push(rejected(Stage::Version, d, "minimumSupportedTazunaVersion"));
}
