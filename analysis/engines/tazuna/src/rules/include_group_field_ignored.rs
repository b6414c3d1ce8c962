//! `tazuna/include-group-field-ignored`: field without effect on an include group.

use rustc_hash::FxHashSet;

use crate::model::Expansion;
use crate::read::{Manifest, rebased};
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Fix, FixStep, Place, Safety, Severity};
use applyorder_core::layer::Finding;
use applyorder_core::rules::{Rule, Status};
use applyorder_syntax::yaml::edit::quoted_if_needed;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/include-group-field-ignored",
    severity: Severity::Warning,
    summary: "Field without effect on an include group",
    docs: include_str!("../../../../../docs/rules/tazuna/include-group-field-ignored.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// The maximum number of steps of a fix.
const MOST_STEPS: usize = 1_000;

/// At the field's key.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let Some((_, part)) = source.part.filter(|(_, part)| part.brief.has_ignored) else {
        return;
    };
    let view = &part.piece.view;
    if !view.is_certain() || !source.context.related.root_is_certain || part.again {
        return;
    }
    for item in &part.piece.noisy {
        let Some(entry) = view.item(*item as usize).filter(|i| !i.manifest.broken) else {
            continue;
        };
        let (group, base) = (&entry.manifest, view.base(*item as usize));
        for (field, place) in &group.ignored {
            let place = rebased(*place, base);
            let mut d = diagnostic(place, field);
            let key = group.needs_key.map(|key| rebased(key, base));
            if source.is_root() && key == Some(place) && !group.needs.is_empty() {
                d.fixes
                    .extend(onto_members(source.context.expansion, *item, group, place));
            }
            found.push(Finding::new(d));
        }
    }
}

fn diagnostic(place: Place, field: &str) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        place,
        format!("`{field}` is ignored: an include group has none"),
    )
    .note("the manifests of its files replace the group")
    .fix(
        format!("remove `{field}`"),
        Safety::Safe,
        vec![FixStep::RemoveKey(place)],
    )
}

/// The entries of a group's `dependsOn` can be moved to its members.
fn onto_members(expansion: &Expansion, item: u32, group: &Manifest, place: Place) -> Option<Fix> {
    let entries: Vec<&str> = group.needs.iter().map(|n| &*n.text).collect();
    let mut steps = vec![FixStep::RemoveKey(place)];
    let members = expansion.parts_of_group(item).flat_map(|part| {
        let part = expansion.parts.get(part as usize);
        part.into_iter()
            .flat_map(|part| part.piece.units.iter().map(move |unit| (unit, part)))
    });
    for (unit, part) in members {
        let (item, base) = part.piece.item(unit).filter(|_| !unit.broken)?;
        let manifest = &item.manifest;
        match manifest.needs_list {
            Some(list) if !manifest.needs.is_empty() => {
                let known: FxHashSet<&str> = manifest.needs.iter().map(|n| &*n.text).collect();
                let missing = entries.iter().filter(|e| !known.contains(*e));
                steps.extend(missing.map(|e| FixStep::AppendEntry(rebased(list, base), (*e).to_owned())));
            }
            // `[]` and null look the same here.
            Some(_) => return None,
            None => steps.push(FixStep::InsertKeyAfter(
                rebased(manifest.last_key, base),
                "dependsOn".to_owned(),
                listed(&entries),
            )),
        }
        if steps.len().saturating_mul(entries.len()) > MOST_STEPS {
            return None;
        }
    }
    (steps.len() > 1).then(|| Fix {
        title: "move it to the manifests of the group".to_owned(),
        safety: Safety::Unsafe,
        steps,
    })
}

fn listed(entries: &[&str]) -> String {
    let entries: Vec<String> = entries.iter().map(|e| quoted_if_needed(e)).collect();
    format!("[{}]", entries.join(", "))
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn tags_and_dependencies_of_a_group() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - name: z
      type: kustomize
      path: .
    - includes:
        - path: a.yaml
      tags: [t]
      dependsOn: [z]
//- /w/a.yaml
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
",
            ),
            "warning tazuna.yaml:8 «tags»: `tags` is ignored: an include group has none
  note: the manifests of its files replace the group
  safe fix: remove `tags`
    tazuna.yaml:8 -      tags: [t]
warning tazuna.yaml:9 «dependsOn»: `dependsOn` is ignored: an include group has none
  note: the manifests of its files replace the group
  safe fix: remove `dependsOn`
    tazuna.yaml:9 -      dependsOn: [z]
  unsafe fix: move it to the manifests of the group
    tazuna.yaml:9 -      dependsOn: [z]
    a.yaml:6 +      dependsOn: [z]
"
        );
    }

    #[test]
    fn a_name_says_what_the_group_is() {
        assert_eq!(
            told(
                crate::ALONE,
                &RULE,
                "//- /w/tazuna.yaml
spec:
  manifests:
    - includes:
        - path: a.yaml
      name: infra
      description: x
//- /w/a.yaml
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
