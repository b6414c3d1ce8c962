//! `tazuna/included-path-base`: path relative to the included file.

use super::{later, traced};
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, FixStep, Place, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/included-path-base",
    severity: Severity::Warning,
    summary: "Path relative to the included file",
    docs: include_str!("../../../../../docs/rules/tazuna/included-path-base.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["missing-file"],
};

/// At the path.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let root = Place::file(source.context.setting.root_file);
    for (path, better) in super::missing_paths(source) {
        let Some(better) = better else { continue };
        let text = format!("`{}` is relative to the root file, not this file", path.text);
        let d = Diagnostic::new(&RULE, path.shown(), text)
            .related(root, "paths are relative to this file")
            .note(later("that paths exist"))
            .replace_with(better, FixStep::SetValue(path.shown(), better.to_owned()));
        found.push(Finding::new(traced(&path, d)));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_path_that_exists_next_to_the_included_file() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: sub/a.yaml
//- /w/sub/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: ./web
//- /w/sub/web/x
",
            ),
            "warning a.yaml:5 «./web»: `./web` is relative to the root file, not this file
  tazuna.yaml:1 «spec:»: paths are relative to this file
  note: `check` does not verify that paths exist; `apply` fails when it reaches the manifest
  unsafe fix: replace with `./sub/web`
    a.yaml:5 -      path: ./web
    a.yaml:5 +      path: ./sub/web
"
        );
    }

    #[test]
    fn a_path_from_the_root() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: sub/a.yaml
//- /w/sub/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: ./sub/web
//- /w/sub/web/x
",
            ),
            ""
        );
    }
}
