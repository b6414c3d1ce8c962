//! `missing-field` in Tazuna's files: names, paths, types, providers, settings of `oras`.

use crate::judge::Stage;
use crate::names::{Problem, Words};
use crate::read::{FaultKind, OrasError, ProviderError, rebased};
use crate::scope::{NameError, Source, Whole, Wording, of_names, related_include, subject};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::missing_field::RULE;
use applyorder_syntax::template::quote;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| match kind {
        FaultKind::Missing { field, manifest } => {
            let of = if manifest.is_empty() {
                "a manifest".to_owned()
            } else {
                format!("manifest `{manifest}`")
            };
            let d = Diagnostic::new(&RULE, place, format!("missing field `{field}` in {of}"));
            let theirs = format!("manifest {field} is required");
            Some(Wording::rejected(Stage::Spec, d, theirs).detail("field", *field))
        }
        FaultKind::Provider { index, name, fault } => {
            let (ours, theirs) = provider(fault)?;
            let of = match fault {
                ProviderError::NoName => String::new(),
                _ => format!(" ({})", quote(name)),
            };
            let theirs = format!("providers[{index}]{of}: {theirs}");
            let d = Diagnostic::new(&RULE, place, ours);
            Some(Wording::rejected(Stage::Spec, d, theirs).detail("field", "providers"))
        }
        FaultKind::Oras { path, fault } => {
            let (field, ours, theirs) = match fault {
                OrasError::Missing => (
                    "oras",
                    "missing field `oras`: the type is `oras`",
                    "oras spec is required for oras manifest",
                ),
                OrasError::NoReference => (
                    "reference",
                    "missing field `reference` in `oras`",
                    "oras.reference is required",
                ),
                OrasError::Delegate { .. } => return None,
            };
            let theirs = format!("oras validation failed for manifest {path}: {theirs}");
            let d = Diagnostic::new(&RULE, place, ours);
            Some(Wording::rejected(Stage::Spec, d, theirs).detail("field", field))
        }
        _ => None,
    });
}

const fn provider(fault: &ProviderError) -> Option<(&'static str, &'static str)> {
    Some(match fault {
        ProviderError::NoName => ("missing field `name` in a provider", "name is required"),
        ProviderError::NoType => ("missing field `type` in a provider", "type is required"),
        ProviderError::NoEnvfile => (
            "missing field `envfile`: the type is `envfile`",
            "envfile config is required for envfile type",
        ),
        ProviderError::NoEnvfilePath => ("missing field `path` in `envfile`", "envfile.path is required"),
        _ => return None,
    })
}

/// Manifests without a name.
pub(crate) fn check_names(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let missing = whole
        .bad_names
        .iter()
        .filter(|bad| bad.problem == Problem::Missing);
    found.extend(missing.filter_map(|bad| nameless(whole, bad)));
}

fn nameless(whole: &Whole<'_>, bad: &NameError) -> Option<Finding> {
    let context = whole.context;
    let (file_unit, part) = context.expansion.at(bad.position as usize)?;
    let unit = &file_unit.unit;
    let (item, base) = part.piece.item(file_unit)?;
    let mut d = Diagnostic::new(&RULE, unit.header, "missing field `name` in a manifest");
    if let Some(better) = &bad.better {
        // Null or an empty text may be written.
        let written = item.manifest.name.as_ref().map(|name| rebased(name.place, base));
        let step = match unit.name_place.or(written) {
            Some(place) => FixStep::SetValue(place, better.clone()),
            None => FixStep::InsertKeyBefore(unit.header, "name".to_owned(), better.clone()),
        };
        let title = format!("add `name: {better}`, as `tazuna check --fix` does");
        d = d.fix(title, Safety::Unsafe, vec![step]);
    }
    let words = Words(bad.problem, &unit.name, context.setting.generation);
    let d = related_include(part, d)
        .engine_message(format!("manifest[{}]: {words}", bad.position))
        .unit(unit.name.clone());
    let told = of_names(context, d, &subject(&unit.name, bad.position as usize));
    Some(told.detail("field", "name").at(bad.position))
}
