//! `unknown-dependency`: a reference that leads to nothing.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engines::{Dependency, Unit};

/// The rule.
pub static RULE: Rule = Rule {
    id: "unknown-dependency",
    severity: Severity::Error,
    summary: "A dependency on something that does not exist",
    docs: "\
## What it does\n\
Reports a dependency that leads to nothing: a name that no unit has, a path without a unit, a group or tag\n\
without members. The nearest name that exists is offered.\n\
\n\
## Why is this bad?\n\
Where the engine rejects it, nothing runs. Where it does not, two things that were meant to be ordered are\n\
not.\n\
\n\
## Example\n\
```yaml\n\
- name: cert-manager\n\
- name: app\n\
  dependsOn: [certmanager]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: cert-manager\n\
- name: app\n\
  dependsOn: [cert-manager]\n\
```\n\
\n\
## What the engines say\n\
Tazuna rejects it. Terramate warns and goes on without it. kapp and Ankaios say nothing, and Ankaios then\n\
waits for ever.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &["duplicate-dependency"],
};

/// The finding for a dependency of `unit` that leads to nothing. `known` are the names it could have meant.
#[must_use]
pub fn diagnostic(unit_word: &str, unit: &Unit, written: &Dependency, near: Option<&str>) -> Diagnostic {
    let message = if written.text.is_empty() {
        format!(
            "{unit_word} `{}` depends on a {unit_word} without a name",
            unit.name
        )
    } else {
        format!(
            "{unit_word} `{}` depends on `{}`, which does not exist",
            unit.name, written.text
        )
    };
    let mut d = Diagnostic::new(&RULE, written.place, message)
        .unit(unit.name.clone())
        .unit(written.text.clone());
    if let Some(near) = near {
        d = d.label(format!("did you mean `{near}`?")).fix(
            format!("replace by `{near}`"),
            Safety::Unsafe,
            vec![FixStep::SetValue(written.place, near.to_owned())],
        );
    }
    d.fix(
        "remove the entry",
        Safety::Unsafe,
        vec![FixStep::RemoveEntry(written.place)],
    )
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn the_nearest_name_is_its_own() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: web
      type: kustomize
      path: .
      dependsOn: [wep]
",
            ),
            r#"error tazuna.yaml:6 «wep»: manifest `web` depends on `wep`, which does not exist
  check dependsOn first, apply dependsOn first: manifest "web" dependsOn references unknown manifest "wep"
  unsafe fix: remove the entry
    tazuna.yaml:6 -      dependsOn: [wep]
    tazuna.yaml:6 +      dependsOn: []
"#
        );
    }

    #[test]
    fn a_name_like_another() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: gateway
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [Gateway, gatewey, ~]
",
            ),
            r#"error tazuna.yaml:9 «Gateway»: manifest `b` depends on `Gateway`, which does not exist
  label: did you mean `gateway`?
  check dependsOn first, apply dependsOn first: manifest "b" dependsOn references unknown manifest "Gateway"
  unsafe fix: replace by `gateway`
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [gateway, gatewey, ~]
  unsafe fix: remove the entry
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [gatewey, ~]
error tazuna.yaml:9 «gatewey»: manifest `b` depends on `gatewey`, which does not exist
  label: did you mean `gateway`?
  check dependsOn first, apply dependsOn: manifest "b" dependsOn references unknown manifest "gatewey"
  unsafe fix: replace by `gateway`
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [Gateway, gateway, ~]
  unsafe fix: remove the entry
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [Gateway, ~]
error tazuna.yaml:9 «~»: manifest `b` depends on a manifest without a name
  check dependsOn first, apply dependsOn: manifest "b" dependsOn references unknown manifest ""
  unsafe fix: remove the entry
    tazuna.yaml:9 -      dependsOn: [Gateway, gatewey, ~]
    tazuna.yaml:9 +      dependsOn: [Gateway, gatewey]
"#
        );
    }

    #[test]
    fn a_group_of_includes() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
      name: infra
    - name: b
      type: kustomize
      path: .
      dependsOn: [infra]
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: c
      type: kustomize
      path: .
",
            ),
            r#"error tazuna.yaml:9 «infra»: manifest `b` depends on `infra`, which is a group of includes and no manifest
  check dependsOn first, apply dependsOn first: manifest "b" dependsOn references unknown manifest "infra"
  tazuna.yaml:5 «infra»: the group: it is replaced by the manifests of its files
  a.yaml:3 «a»: `a` is one of its manifests
  a.yaml:6 «c»: `c` is one of its manifests
  unsafe fix: depend on the group's manifests
    tazuna.yaml:9 -      dependsOn: [infra]
    tazuna.yaml:9 +      dependsOn: [a, c]
  unsafe fix: remove the entry
    tazuna.yaml:9 -      dependsOn: [infra]
    tazuna.yaml:9 +      dependsOn: []
"#
        );
    }
}
