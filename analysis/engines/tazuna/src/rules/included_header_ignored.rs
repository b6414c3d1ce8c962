//! `tazuna/included-header-ignored`: setting without effect in an included file.

use crate::read::rebased;
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/included-header-ignored",
    severity: Severity::Warning,
    summary: "Setting without effect in an included file",
    docs: include_str!("../../../../../docs/rules/tazuna/included-header-ignored.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// At the setting's key in the included file.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let Some((_, part)) = source.part.filter(|(_, part)| !part.again) else {
        return;
    };
    let view = &part.piece.view;
    let Some(via) = part
        .via
        .filter(|_| view.is_certain() && source.context.related.root_is_certain)
    else {
        return;
    };
    for (field, place) in &view.head.own {
        let text = format!("`{field}` is ignored: the file is included");
        let d = Diagnostic::new(&RULE, rebased(*place, view.head_base()), text)
            .related(via, "included here")
            .note("Tazuna reads only `spec.manifests` of an included file");
        found.push(Finding::new(d));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn patterns_and_providers() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
//- /w/a.yaml
spec:
  context_matches: [x]
  providers: []
  manifests: []
",
            ),
            "warning a.yaml:2 «context_matches»: `context_matches` is ignored: the file is included
  tazuna.yaml:4 «a.yaml»: included here
  note: Tazuna reads only `spec.manifests` of an included file
warning a.yaml:3 «providers»: `providers` is ignored: the file is included
  tazuna.yaml:4 «a.yaml»: included here
  note: Tazuna reads only `spec.manifests` of an included file
"
        );
    }

    #[test]
    fn a_header_alone() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
//- /w/a.yaml
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            ""
        );
    }
}
