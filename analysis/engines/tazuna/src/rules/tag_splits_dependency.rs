//! `tazuna/tag-splits-dependency`: a tag selects a manifest without its dependency.

use std::sync::Arc;

use super::Limited;
use crate::model::{FileUnit, Part};
use crate::scope::Source;
use applyorder_core::diagnostic::{Diagnostic, Place, Severity};
use applyorder_core::engine::Unit;
use applyorder_core::layer::{Finding, Sym};
use applyorder_core::rules::{Rule, Status};
use rustc_hash::{FxHashMap, FxHashSet};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "tazuna/tag-splits-dependency",
    severity: Severity::Info,
    summary: "A tag selects a manifest without its dependency",
    docs: include_str!("../../../../../docs/rules/tazuna/tag-splits-dependency.md"),
    since: "0.1.0",
    status: Status::Stable,
    replaces: &[],
};

/// Up to this many tags are compared one by one.
const LONG: usize = 16;

/// At the entry.
pub(crate) fn check(source: &Source<'_>, found: &mut Vec<Finding>) {
    let mut told = Limited::new(found);
    // The long lists of tags of dependencies.
    let mut sets: FxHashMap<Sym, FxHashSet<&str>> = FxHashMap::default();
    for entry in super::entries(source) {
        let (unit, to) = (entry.unit, entry.to);
        if unit.unit.tags.is_empty() || unit.tag_list == to.tag_list {
            continue;
        }
        let long = (to.unit.tags.len() > LONG).then(|| {
            let known = sets.entry(to.tag_list);
            &*known.or_insert_with(|| to.unit.tags.iter().map(|tag| &**tag).collect())
        });
        let has = |tag: &Arc<str>| match &long {
            Some(set) => set.contains(&**tag),
            None => to.unit.tags.contains(tag),
        };
        let lacking = |tag: &&Arc<str>| !tag.is_empty() && !has(tag);
        if let Some(tag) = unit.unit.tags.iter().find(lacking) {
            told.tell(entry.need.place, || {
                let tags = first_tag(entry.to_part, to);
                diagnostic(entry.need.place, &unit.unit, &to.unit, tag, tags)
            });
        }
    }
    told.finish();
}

/// Where a unit's tags begin, if it has some.
fn first_tag(part: &Part, unit: &FileUnit) -> Option<Place> {
    let tags = part.piece.tags.get(unit.tags.start as usize);
    let (_, place) = tags.filter(|_| !unit.tags.is_empty())?;
    Some(*place)
}

fn diagnostic(place: Place, unit: &Unit, target: &Unit, tag: &str, tags: Option<Place>) -> Diagnostic {
    Diagnostic::new(
        &RULE,
        place,
        format!("`--tags {tag}` runs `{}` without `{}`", unit.name, target.name),
    )
    .related(
        tags.or(target.name_place).unwrap_or(target.header),
        format!("`{}` lacks the tag `{tag}`", target.name),
    )
    .note("excluded manifests are neither run nor waited for")
    .unit(unit.name.clone())
    .unit(target.name.clone())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use applyorder_analysis::fixture::told;

    #[test]
    fn a_tag_that_selects_one_end() {
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
      tags: [net]
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
      tags: [net, app]
",
            ),
            "info tazuna.yaml:10 «a»: `--tags app` runs `b` without `a`
  tazuna.yaml:6 «net»: `a` lacks the tag `app`
  note: excluded manifests are neither run nor waited for
"
        );
    }

    #[test]
    fn the_same_tags() {
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
      tags: [net]
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
      tags: [net]
",
            ),
            ""
        );
    }

    #[test]
    fn long_lists_of_tags_are_compared_as_short_ones() {
        let tags = |with: &str| {
            let many: Vec<String> = (0..40).map(|i| format!("t{i}")).collect();
            format!("[{}{with}]", many.join(", "))
        };
        let text = |own: &str| {
            format!(
                "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {{name: a, type: kustomize, path: ., tags: {}}}\n\
                 \u{20}   - {{name: b, type: kustomize, path: ., tags: {own}, dependsOn: [a]}}\n",
                tags(", net")
            )
        };
        assert_eq!(told(crate::ALONE, &RULE, &text("[t39, net, t0]")), "");
        let found = told(crate::ALONE, &RULE, &text(&tags(", app")));
        assert!(found.contains("`--tags app` runs `b` without `a`"), "{found}");
    }
}
