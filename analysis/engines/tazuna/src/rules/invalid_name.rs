//! `invalid-name`: names of manifests that Tazuna rejects (Tazuna G5, names).

use rustc_hash::FxHashSet;

use super::traced;
use crate::config::TazunaGeneration;
use crate::names::{Problem, Words};
use crate::read::Text;
use crate::scope::{NameError, Whole, of_names, related_include, subject};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Related, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::invalid_name::RULE;

/// The number of references that are shown.
const SHOWN: usize = 20;

pub(crate) fn check(whole: &Whole<'_>, found: &mut Vec<Finding>) {
    let bad = whole
        .bad_names
        .iter()
        .filter(|bad| bad.problem != Problem::Missing);
    found.extend(bad.filter_map(|bad| invalid(whole, bad)));
}

fn invalid(whole: &Whole<'_>, bad: &NameError) -> Option<Finding> {
    let context = whole.context;
    let (file_unit, part) = context.expansion.at(bad.position as usize)?;
    let unit = &file_unit.unit;
    let name = &*unit.name;
    let (item, base) = part.piece.item(file_unit)?;
    let written = item.manifest.name.as_ref().map(|n| n.rebased(base));
    let place = written.as_ref().map_or(unit.header, Text::shown);
    let text = match bad.problem {
        Problem::Reserved => format!("invalid manifest name `{name}`: it is reserved"),
        Problem::TooLong => format!("name is too long: {} bytes, maximum 240", name.len()),
        _ if context.setting.generation == TazunaGeneration::G5 => format!(
            "invalid manifest name `{}`: use lowercase letters, digits and inner `-`",
            name.escape_debug()
        ),
        _ => format!(
            "invalid manifest name `{}`: use only letters, digits, `-` and `_`",
            name.escape_debug()
        ),
    };
    let mut d = Diagnostic::new(&RULE, place, text);
    // Of several units with one name, references refer to the first.
    let is_meant = context.related.index.owner(file_unit.name) == bad.position;
    let references = if is_meant {
        context.related.referring(file_unit.name)
    } else {
        &[]
    };
    d.related
        .extend(references.iter().take(SHOWN).map(|place| Related {
            place: *place,
            message: "referenced here".to_owned(),
            waits: None,
        }));
    if let Some(better) = &bad.better {
        let mut seen = FxHashSet::default();
        seen.insert(place);
        let mut steps = vec![FixStep::SetValue(place, better.clone())];
        let others = references.iter().copied().filter(|p| seen.insert(*p));
        steps.extend(others.map(|other| FixStep::SetValue(other, better.clone())));
        d = d.fix(format!("rename it to `{better}`"), Safety::Unsafe, steps);
    }
    if let Some(written) = &written {
        d = traced(written, d);
    }
    let words = Words(bad.problem, name, context.setting.generation);
    let d = related_include(part, d)
        .engine_message(format!("manifest[{}]: {words}", bad.position))
        .unit(unit.name.clone());
    let told = of_names(context, d, &subject(name, bad.position as usize));
    Some(told.detail("reason", bad.problem.reason()).at(bad.position))
}
