//! `tazuna/extra-document`: only the first document of the file is read.

use crate::read::FaultKind;
use crate::scope::{Source, Wording};
use applyorder_core::diagnostic::{Diagnostic, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/extra-document",
    severity: Severity::Warning,
    summary: "Only the first document of the file is read",
    docs: include_str!("../../../../../docs/rules/tazuna/extra-document.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    source.tell(found, |place, kind| {
        let FaultKind::ExtraDocument { first_is_empty } = kind else {
            return None;
        };
        let text = if *first_is_empty {
            "Tazuna reads only the first document, which is empty; the rest is ignored"
        } else {
            "Tazuna reads only the first document; the rest is ignored"
        };
        let d = Diagnostic::new(&RULE, place, text).note("Tazuna does not parse the rest");
        Some(Wording::silent(d))
    });
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_second_document() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
---
spec: {}
",
            ),
            "warning tazuna.yaml:6 «---»: Tazuna reads only the first document; the rest is ignored
  note: Tazuna does not parse the rest
"
        );
    }

    #[test]
    fn an_empty_first_document() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
---
---
spec: {}
",
            ),
            "warning tazuna.yaml:2 «---»: Tazuna reads only the first document, which is empty; the rest is ignored
  note: Tazuna does not parse the rest
"
        );
    }

    #[test]
    fn text_after_the_end() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
{spec: {}}
x: y
",
            ),
            "warning tazuna.yaml:2 «x»: Tazuna reads only the first document; the rest is ignored
  note: Tazuna does not parse the rest
"
        );
    }

    #[test]
    fn only_comments_after() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
---
# the end
",
            ),
            ""
        );
    }
}
