//! What `apply` says of the values of included manifests, once the list is expanded.

use super::Scene;
use super::slot::{Slot, rejected_secret, subject};
use crate::config::TazunaGeneration;
use crate::judge::{Stage, rejected};
use crate::model::Part;
use crate::read::{Manifest, placed};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;

/// Whether nothing is missing that has to be known of a manifest.
fn is_sound(manifest: &Manifest) -> bool {
    !manifest.broken && !manifest.exhausted
}

/// Adds it. Of a file that is included more than once, its first place in the list counts.
pub(super) fn check(scene: &Scene<'_>, number: u32, part: &Part, out: &mut Slot) {
    let quiet = part.piece.noisy.is_empty() && part.piece.secrets.is_empty();
    let Some(via) = part.via.filter(|_| !quiet && !part.again) else {
        return;
    };
    let strict = scene.setting.generation == TazunaGeneration::G5;
    for (at, (position, unit)) in (0u32..).zip(scene.expansion.placed(number)) {
        let Some((item, base)) = part.piece.item(unit) else {
            continue;
        };
        if unit.broken || !is_sound(&item.manifest) {
            continue;
        }
        let subject = subject(item.manifest.name(), position as usize);
        let wrap = |text: &str| {
            format!(
                "validation failed after include expansion: validation failed for manifest[{position}]: {text}"
            )
        };
        let found = |d: Diagnostic| {
            let d = d.related(via, "the file is included here");
            let mut d = if strict {
                d.note("`check` does not look at the values of included manifests; `apply` does")
            } else {
                d.severity(Severity::Warning)
                    .note("Tazuna says nothing before the manifest's turn has come")
            };
            d.units.push(unit.unit.name.clone());
            let found = if strict {
                rejected(Stage::Expanded, d, &subject)
            } else {
                Finding::new(d).about(&*subject)
            };
            found.at(at)
        };
        for draft in &item.manifest.invalid {
            let mut d = placed(&draft.diagnostic, base);
            d.engine_message = d.engine_message.as_deref().map(wrap);
            out.found.push(super::root::with_details(found(d), draft));
        }
        if let Some(bad) = scene.expansion.bad_secret(number, unit.item) {
            let d = rejected_secret(bad, &item.manifest, base, &wrap);
            out.found.push(found(d).detail("field", "uri"));
        }
    }
}
