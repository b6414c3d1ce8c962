//! What `apply` says of the values of included manifests, once the list is expanded.

use super::parts::Part;
use super::slot::{Scene, Slot, placed as units_of, subject};
use crate::facts::{Manifest, placed};
use crate::verdict::{Found, Rejected, Stage};
use applyorder_core::config::TazunaGeneration;

/// Whether nothing is missing that has to be known of a manifest.
fn is_sound(manifest: &Manifest) -> bool {
    !manifest.broken && !manifest.exhausted
}

/// Adds it. Of a file that is included more than once, its first place in the list counts.
pub(super) fn check(scene: &Scene<'_, '_, '_>, part: &Part, positions: &[u32], out: &mut Slot) {
    let run = scene.run;
    let quiet = part.units.noisy.is_empty() && part.units.secrets.is_empty();
    let Some(via) = part.via.filter(|_| !quiet && !part.again) else {
        return;
    };
    for (position, unit) in units_of(part, positions) {
        let Some(item) = part.view.item(unit.item as usize) else {
            continue;
        };
        if unit.broken || !is_sound(&item.manifest) {
            continue;
        }
        let base = part.view.base(unit.item as usize);
        let subject = subject(item.manifest.name(), position as usize);
        let wrap = |text: &str| {
            format!(
                "validation failed after include expansion: validation failed for manifest[{position}]: {text}"
            )
        };
        let strict = run.generation == TazunaGeneration::G5;
        let rejected = Rejected {
            check: None,
            apply: strict.then_some(Stage::Expanded),
        };
        let mut add = |mut f: Found| {
            f.rejected = rejected;
            let d = f.diagnostic.related(via, "the file is included here");
            f.diagnostic = if strict {
                d.note("`check` does not look at the values of included manifests; `apply` does")
            } else {
                d.severity(applyorder_core::diagnostic::Severity::Warning)
                    .note("Tazuna says nothing before the manifest's turn has come")
            };
            f.diagnostic.units.push(unit.unit.name.clone());
            out.values.push((position, f));
        };
        for draft in &item.manifest.invalid {
            let mut d = placed(&draft.diagnostic, base);
            d.engine_message = d.engine_message.as_deref().map(wrap);
            let mut f = Found::rejected(rejected, d, &*subject);
            for (key, value) in &draft.details {
                f = f.detail(key, value.clone());
            }
            add(f);
        }
        if let Some(f) = super::secrets::check(run, &item.manifest, base, &subject, &wrap) {
            add(f);
        }
    }
}
