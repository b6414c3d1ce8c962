//! `tazuna/nested-include`: nested include.

use crate::judge::{Stage, rejected};
use crate::load::{Include, shown};
use crate::model::{Inner, Nested};
use crate::scope::{Source, behind};
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::yaml::edit::quoted_if_needed;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/nested-include",
    severity: Severity::Error,
    summary: "Nested include",
    docs: include_str!("../../../../../docs/rules/tazuna/nested-include.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the include of the root.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    if let Some((include, Nested::Groups(groups))) = super::nested_of(source) {
        let d = diagnostic(include.place, &include.text, groups);
        found.push(rejected_nesting(include, d));
    }
}

/// Tazuna's rejection of an include of a file that includes files itself.
pub(crate) fn rejected_nesting(include: &Include, d: Diagnostic) -> Finding {
    const LAST: usize = usize::MAX;
    let d = d.engine_message(format!(
        "nested includes are not allowed in include file: {}",
        shown(&include.text)
    ));
    rejected(Stage::Includes, d, &include.text).at(behind(LAST))
}

fn diagnostic(place: Place, file: &str, groups: &[Inner]) -> Diagnostic {
    let mut d = Diagnostic::new(
        &RULE,
        place,
        format!("nested include: `{file}` includes other files"),
    );
    let mut steps = Vec::new();
    for (place, path, _) in groups.iter().flat_map(|g| &g.paths) {
        d = d.related(*place, format!("includes `{path}`"));
    }
    for group in groups {
        let paths = group.paths.iter().filter(|(_, path, _)| !path.is_empty());
        steps.extend(paths.map(|(_, _, path)| {
            FixStep::InsertEntryAfter(place, format!("path: {}", quoted_if_needed(path)))
        }));
        steps.push(FixStep::RemoveEntry(group.header));
    }
    d.fix(
        format!("include the files of `{file}` here"),
        Safety::Unsafe,
        steps,
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn an_included_file_with_includes() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: sub/mid.yaml
//- /w/sub/mid.yaml
spec:
  manifests:
    - includes:
        - path: leaf.yaml
    - name: m
      type: kustomize
      path: .
//- /w/sub/leaf.yaml
",
            ),
            "error tazuna.yaml:4 «sub/mid.yaml»: nested include: `sub/mid.yaml` includes other files
  check includes first, apply includes first, destroy includes first: nested includes are not allowed in include file: sub/mid.yaml
  mid.yaml:4 «leaf.yaml»: includes `leaf.yaml`
  unsafe fix: include the files of `sub/mid.yaml` here
    tazuna.yaml:5 +        - path: ./sub/leaf.yaml
    mid.yaml:3 -    - includes:
    mid.yaml:4 -        - path: leaf.yaml
"
        );
    }
}
