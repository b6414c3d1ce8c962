//! `coerced-scalar` in Tazuna's files.

use crate::names;
use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Safety};
use applyorder_core::layer::Finding;
use applyorder_core::rules::coerced_scalar::RULE;

/// The maximum number of places that a fix changes besides its own.
const MOST_PLACES: usize = 1_000;

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let word = |place, kind: &FaultKind| {
        let FaultKind::Coerced { field, written, seen } = kind else {
            return None;
        };
        let text = format!("`{field}: {written}` is read as `{seen}`");
        let d = Diagnostic::new(&RULE, place, text)
            .note("Tazuna reads plain scalars as YAML 1.1 and converts them to strings")
            .fix(
                format!("replace with `\"{seen}\"`"),
                Safety::Safe,
                vec![FixStep::Replace(place, format!("\"{seen}\""))],
            );
        // Tazuna rejects some common spellings, such as `0x1F`, as a name.
        let is_name = matches!(*field, "name" | "dependsOn");
        if is_name && names::problem(written, source.context.setting.generation).is_some() {
            return Some(Wording::silent(d));
        }
        Some(Wording::silent(d.fix(
            format!("quote `{written}`"),
            Safety::Unsafe,
            vec![FixStep::Replace(place, format!("\"{written}\""))],
        )))
    };
    source.tell_with(found, word, |_, d| with_others(source, d));
}

/// A name that is quoted becomes another name: all references must change with it, and from a reference the
/// name.
fn with_others(source: &Source<'_>, mut d: Diagnostic) -> Diagnostic {
    let others = || source.context.occurrences.others(d.place);
    if others().next().is_none() {
        return d;
    }
    if others().nth(MOST_PLACES).is_some() {
        // A partial change would break references.
        d.fixes.retain(|fix| fix.safety == Safety::Safe);
        return d;
    }
    let others: Vec<_> = others().collect();
    for fix in d.fixes.iter_mut().filter(|fix| fix.safety == Safety::Unsafe) {
        let Some(FixStep::Replace(_, text)) = fix.steps.first().cloned() else {
            continue;
        };
        fix.title.push_str(" here and in all references");
        let others = others.iter().map(|p| FixStep::Replace(*p, text.clone()));
        fix.steps.extend(others);
    }
    d
}
