//! `duplicate-name`: two units of one name.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, Severity};
use crate::engines::Unit;

/// The rule.
pub static RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    summary: "Two units have the same name",
    docs: "\
## What it does\n\
Reports every unit whose name, id or identity an earlier unit of the project has already.\n\
\n\
## Why is this bad?\n\
A dependency on the name could mean either. The engine rejects it, or takes the last one.\n\
\n\
## Example\n\
```yaml\n\
- name: app\n\
  path: ./app\n\
- name: app\n\
  path: ./worker\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
  path: ./app\n\
- name: worker\n\
  path: ./worker\n\
```\n\
\n\
## What the engines say\n\
They reject it, some of them only in some of their commands; the finding says in which. Ankaios notices it\n\
inside one file only, and lets the later file win.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The finding at `later`, whose name `first` has already.
#[must_use]
pub fn diagnostic(unit_word: &str, later: &Unit, first: &Unit) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        later.name_place.unwrap_or(later.header),
        format!("{unit_word} name `{}` is taken already", later.name),
    )
    .related(
        first.name_place.unwrap_or(first.header),
        format!("the first `{}`", first.name),
    )
    .unit(later.name.clone())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn nothing_refers_to_it() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: a
      type: kustomize
      path: .
",
            ),
            r#"error tazuna.yaml:6 «a»: manifest name `a` is taken already
  check names first: manifest name "a" is duplicated (2 times)
  tazuna.yaml:3 «a»: the first `a`
  note: `apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given
  unsafe fix: rename it to `a-2`
    tazuna.yaml:6 -    - name: a
    tazuna.yaml:6 +    - name: a-2
"#
        );
    }

    #[test]
    fn something_does() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: a
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
",
            ),
            r#"error tazuna.yaml:6 «a»: manifest name `a` is taken already
  check names first, apply names first: manifest name "a" is duplicated (2 times)
  tazuna.yaml:3 «a»: the first `a`
"#
        );
    }

    #[test]
    fn a_file_included_twice() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
        - path: ./a.yaml
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            r#"error a.yaml:3 «a»: manifest name `a` is taken already: the file is included twice
  check names first: manifest name "a" is duplicated (2 times)
  tazuna.yaml:4 «a.yaml»: included here
  tazuna.yaml:5 «./a.yaml»: and included here again
  note: `apply` only warns, as long as no manifest has `dependsOn` and `--sync` is not given
  unsafe fix: remove the second include
    tazuna.yaml:5 -        - path: ./a.yaml
"#
        );
    }
}
