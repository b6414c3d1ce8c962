//! `duplicate-dependency`: the same dependency written twice.

use rustc_hash::FxHashMap;

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engines::Variant;

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-dependency",
    severity: Severity::Warning,
    summary: "The same dependency is written twice",
    docs: "\
## What it does\n\
Reports an entry that repeats an earlier one of the same list.\n\
\n\
## Why is this bad?\n\
It has no effect, or the engine rejects it; often the second was meant to be another name.\n\
\n\
## Example\n\
```yaml\n\
dependsOn: [cni, db, cni]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
dependsOn: [cni, db]\n\
```\n\
\n\
## What the engines say\n\
Terramate rejects identical entries of one list; the others say nothing.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["redundant-dependency"],
};

/// One finding per entry that repeats the text of an earlier entry of the same unit and attribute. The
/// dependencies of one unit must stand together, as they are written.
#[must_use]
pub fn check(variant: &Variant) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut seen: FxHashMap<(&str, &str), usize> = FxHashMap::default();
    for run in variant.dependencies.chunk_by(|a, b| a.unit == b.unit) {
        match run {
            [] | [_] => continue,
            [a, b] if a.text != b.text => continue,
            _ => {}
        }
        seen.clear();
        for (i, written) in run.iter().enumerate() {
            let first = *seen.entry((written.attribute, &written.text)).or_insert(i);
            let (Some(first), Some(unit)) = (
                run.get(first).filter(|_| first != i),
                variant.units.get(written.unit.0 as usize),
            ) else {
                continue;
            };
            found.push(
                Diagnostic::new(
                    &RULE,
                    written.place,
                    format!("`{}` is listed twice", written.text),
                )
                .related(first.place, "it is listed here already")
                .unit(unit.name.clone())
                .unit(written.text.clone())
                .fix(
                    "remove the entry",
                    Safety::Safe,
                    vec![FixStep::RemoveEntry(written.place)],
                ),
            );
        }
    }
    found
}
