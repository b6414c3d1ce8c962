//! `redundant-dependency`: a dependency that others imply.

use super::{Rule, Status};
use crate::diagnostic::{Diagnostic, FixStep, Safety, Severity};
use crate::engines::{Dependency, Variant};
use crate::graph::{EdgeId, EdgeKind, OrderGraph};

/// The rule.
pub static RULE: Rule = Rule {
    id: "redundant-dependency",
    severity: Severity::Hint,
    summary: "A dependency that other dependencies imply",
    docs: "\
## What it does\n\
Reports a dependency without which the same order would hold, because another path leads to the same unit.\n\
\n\
## Why is this bad?\n\
It is noise, and it survives when the path that implies it is changed. A hint: some teams want it written\n\
out.\n\
\n\
## Example\n\
```yaml\n\
- name: cni\n\
- name: db\n\
  dependsOn: [cni]\n\
- name: app\n\
  dependsOn: [db, cni]\n\
```\n\
\n\
## Use instead\n\
```yaml\n\
- name: app\n\
  dependsOn: [db]\n\
```\n\
\n\
## What the engines say\n\
Nothing. It is not reported where a limited run (tags, changed units, a directory) needs the dependency.\n",
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// How many edges are looked at.
pub const BUDGET: u64 = 3_000_000;

/// One hint per written dependency all of whose edges are implied by others. `judged` says which
/// dependencies may be reported: those that no selection the engine offers needs.
#[must_use]
pub fn check(variant: &Variant, graph: &OrderGraph, judged: impl Fn(&Dependency) -> bool) -> Vec<Diagnostic> {
    let written = |edge: EdgeId| {
        let ix = graph.edge(edge)?.kind.dependency()?;
        variant.dependencies.get(ix as usize)
    };
    let components = graph.components();
    let redundancy = graph.redundant(
        &components,
        BUDGET,
        |edge| written(edge).is_some_and(|d| d.targets.len() == 1 && judged(d)),
        |edge| graph.edge(edge).is_some_and(|e| e.condition.is_none()),
    );
    let name = |ix: u32| variant.units.get(ix as usize).map_or("?", |u| &*u.name);
    redundancy
        .edges
        .iter()
        .filter_map(|redundant| {
            let dependency = written(redundant.edge)?;
            let unit = variant.units.get(dependency.unit.0 as usize)?;
            let mut d = Diagnostic::new(
                &RULE,
                dependency.place,
                format!("`{}` waits for `{}` already", unit.name, dependency.text),
            )
            .unit(unit.name.clone())
            .unit(dependency.text.clone());
            for step in redundant.path.steps() {
                let names =
                    [step.from, step.to].map(|n| graph.kind(n).and_then(|k| k.unit()).map_or("?", name));
                for edge in step.edges.iter().filter_map(|e| graph.edge(*e)) {
                    match edge.kind {
                        EdgeKind::Explicit { dependency } => {
                            if let Some(via) = variant.dependencies.get(dependency as usize) {
                                let text =
                                    format!("`{}` waits for `{}`: `{}`", names[0], names[1], via.attribute);
                                d = d.related(via.place, text);
                            }
                        }
                        EdgeKind::Implicit { reason } => {
                            let reason = variant
                                .reasons
                                .get(reason as usize)
                                .map_or("implicit", String::as_str);
                            d = d.note(format!(
                                "`{}` waits for `{}`: implicit, {reason}",
                                names[0], names[1]
                            ));
                        }
                    }
                }
            }
            Some(d.fix(
                "remove the entry",
                Safety::Unsafe,
                vec![FixStep::RemoveEntry(dependency.place)],
            ))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::fixture::told;

    #[test]
    fn implied_by_another() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
    - name: c
      type: kustomize
      path: .
      dependsOn: [b, a]
",
            ),
            "hint tazuna.yaml:13 «a»: `c` waits for `a` already
  tazuna.yaml:13 «b»: `c` waits for `b`: `dependsOn`
  tazuna.yaml:9 «a»: `b` waits for `a`: `dependsOn`
  unsafe fix: remove the entry
    tazuna.yaml:13 -      dependsOn: [b, a]
    tazuna.yaml:13 +      dependsOn: [b]
"
        );
    }

    #[test]
    fn a_tag_can_leave_out_what_implies_it() {
        assert_eq!(
            told(
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [t]
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
    - name: c
      type: kustomize
      path: .
      dependsOn: [b, a]
      tags: [t]
",
            ),
            "hint tazuna.yaml:14 «a»: `c` waits for `a` already
  tazuna.yaml:14 «b»: `c` waits for `b`: `dependsOn`
  tazuna.yaml:10 «a»: `b` waits for `a`: `dependsOn`
  unsafe fix: remove the entry
    tazuna.yaml:14 -      dependsOn: [b, a]
    tazuna.yaml:14 +      dependsOn: [b]
"
        );
    }
}
