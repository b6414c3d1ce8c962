//! `kapp/placeholder-lookalike`: a text that looks like a placeholder but is not one.

use rustc_hash::FxHashSet;

use super::scope::Source;
use crate::grammar;
use crate::read::Key;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "kapp/placeholder-lookalike",
    severity: Severity::Warning,
    summary: "Text that looks like a placeholder",
    docs: include_str!("../../../../../docs/rules/kapp/placeholder-lookalike.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Texts that kapp accepts but that were probably meant otherwise.
pub(super) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let failed: FxHashSet<Place> = found.iter().map(|f| f.diagnostic.place).collect();
    for (item, annotation, text) in source.texts() {
        let place = source.at(item, text.place);
        let told = |local| failed.contains(&source.at(item, local));
        if told(text.place)
            || text.odd_part.is_some_and(told)
            || !matches!(annotation.key, Key::Group | Key::Rule)
        {
            continue;
        }
        let odd = text.odd_part.map_or(place, |odd| source.at(item, odd));
        if let Some(d) = diagnostic(place, odd, &text.value)
            && text.placeholders.is_empty()
        {
            found.push(Finding::new(d));
        }
    }
}

/// The finding for the text of a group or rule; `value` is all of it and is at `whole`, the odd part at
/// `place`.
pub(crate) fn diagnostic(whole: Place, place: Place, value: &str) -> Option<Diagnostic> {
    let (range, meant) = grammar::lookalike(value)?;
    let odd = value.get(range.clone())?;
    let fixed = format!("{}{meant}{}", value.get(..range.start)?, value.get(range.end..)?);
    Some(
        Diagnostic::new(
            &RULE,
            place,
            format!("unknown placeholder `{odd}`; did you mean `{meant}`?"),
        )
        .replace_with(&meant, FixStep::SetValue(whole, fixed)),
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::tests::speaks;
    use applyorder_core::diagnostic::Severity;

    #[test]
    fn it_speaks_where_it_should_and_only_there() {
        speaks(
            &RULE,
            Severity::Error,
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: 'upsert after upserting g-{{name}}'}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
            &["{{name}}"],
            "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: owner
  annotations: {kapp.k14s.io/change-rule: 'upsert after upserting g-{name}'}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: member
  annotations: {kapp.k14s.io/change-group: g}
",
        );
    }
}
