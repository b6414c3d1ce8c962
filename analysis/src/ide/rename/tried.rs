//! Whether the order is unchanged after a rename: other effects of a name are found by resolving the edited
//! texts.

use std::collections::BTreeMap;

use super::super::FileSpan;
use super::super::written_name::place_text;
use crate::workspace::{Analysis, Project, ProjectIx, paired};
use applyorder_core::diagnostic::{FileId, Place, Severity};
use applyorder_core::engine::{OrderOf, Resolution, UnitIx, Variant, Verdict};
use applyorder_core::rules::syntax_error;
use applyorder_syntax::text::TextEdit;

/// The projects with the edits of a rename applied, if only names change.
///
/// # Errors
/// What else they would change.
pub(super) fn tried(
    analysis: &Analysis,
    edits: &[(FileId, Vec<TextEdit>)],
) -> Result<Vec<(ProjectIx, Resolution)>, String> {
    let mut resolved = Vec::new();
    for (ix, project) in analysis.projects() {
        if !edits.iter().any(|(file, _)| project.has_file(*file)) {
            continue;
        }
        let broken = project.findings().of_rule(&syntax_error::RULE);
        let broken = broken.filter(|d| d.severity == Severity::Error);
        let broken = broken.map(|d| place_text(analysis, FileSpan::of(analysis, d.place)));
        if let Some(place) = broken.min() {
            return Err(format!(
                "unreadable text may contain a reference: fix the syntax error at {place} first"
            ));
        }
        if let Some(after) = analysis
            .resolved_with(project, edits)
            .map(|tried| tried.resolution)
        {
            stays_accepted(project, &after)?;
            for (before, after) in project.resolution.variants.iter().zip(&*after.variants) {
                stays_ordered(analysis, before, after)?;
            }
            resolved.push((ix, after));
        }
    }
    Ok(resolved)
}

/// Whether the engine still accepts what it accepted before.
fn stays_accepted(project: &Project, after: &Resolution) -> Result<(), String> {
    for now in after.verdicts.iter().filter(|v| v.ok == Some(false)) {
        let same = |v: &&Verdict| v.command == now.command && v.environment == now.environment;
        let before = project.resolution.verdicts.iter().find(same);
        if before.is_none_or(|before| before.ok == Some(false)) {
            continue;
        }
        let command = project.engine().meta().command_line(now.command);
        let why = now.errors.first().map_or("", |error| &error.message);
        // Editors show it in one line.
        let why: Vec<&str> = why.split_whitespace().collect();
        let why = why.join(" ");
        return Err(format!("with this name, {command} would stop: {why}"));
    }
    Ok(())
}

fn stays_ordered(analysis: &Analysis, before: &Variant, after: &Variant) -> Result<(), String> {
    let pairs = paired(before, after);
    let name = |ix: usize| before.units.get(ix).map_or("", |unit| &*unit.name);
    if let Some(gone) = pairs.iter().position(Option::is_none) {
        return Err(format!("with this name, {} would not be found", name(gone)));
    }
    let now = |ix: UnitIx| pairs.get(ix.0 as usize).copied().flatten();
    let meant = |variant: &Variant, now: &dyn Fn(UnitIx) -> Option<UnitIx>| {
        let mut meant: BTreeMap<(Place, UnitIx), Vec<Option<UnitIx>>> = BTreeMap::new();
        for dependency in &variant.dependencies {
            let Some(unit) = now(dependency.unit) else {
                continue;
            };
            let targets = meant.entry((dependency.place, unit)).or_default();
            targets.extend(dependency.targets.iter().map(|target| now(*target)));
            targets.sort_unstable();
        }
        meant
    };
    let (then, still) = (meant(before, &now), meant(after, &Some));
    let others = then
        .iter()
        .filter(|(key, targets)| still.get(key) != Some(targets));
    // A dependency without a target may be a reference that an interrupted rename has already changed.
    let (unknown, others): (Vec<_>, Vec<_>) = others.partition(|(_, targets)| targets.is_empty());
    if let Some(((place, _), _)) = others.first() {
        return Err(format!(
            "with this name, the entry at {} would refer to something else",
            place_text(analysis, FileSpan::of(analysis, *place))
        ));
    }
    if !unknown.is_empty() {
        return Ok(());
    }
    for (then, still, what) in [
        (&before.apply, &after.apply, "order"),
        (&before.delete, &after.delete, "order of deletion"),
    ] {
        let (layers, new) = (layers(then), layers(still));
        let moves = |ix: &u32| layers.get(ix) != now(UnitIx(*ix)).and_then(|now| new.get(&now.0));
        let known = (0..).take(before.units.len());
        if let Some(moved) = known.into_iter().find(|ix| moves(ix)) {
            return Err(format!(
                "with this name, {} would change its position in the {what}, which depends on the name",
                name(moved as usize)
            ));
        }
    }
    Ok(())
}

/// The layer of each unit that has one.
fn layers(order: &OrderOf) -> BTreeMap<u32, u32> {
    let layers = order.layers.iter().flat_map(|layers| layers.iter());
    (0u32..)
        .zip(layers)
        .flat_map(|(number, layer)| layer.iter().map(move |unit| (unit.0, number)))
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::fixture::Fixture;
    use crate::ide::rename::rename;

    fn refusal(text: &str, new_name: &str) -> String {
        let fixture = Fixture::new(applyorder_engines::all(), text);
        match rename(&fixture.analysis, fixture.file, fixture.offset, new_name) {
            Ok(edits) => panic!("{}", fixture.edited(&edits)),
            Err(why) => why,
        }
    }

    const APP: &str = "\
//- /w/app.yaml
apiVersion: v1
kind: Namespace
metadata:
  name: shop
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: db
  namespace: shop
  annotations:
    kapp.k14s.io/change-group: shop/databases
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  namespace: shop
  annotations:
    kapp.k14s.io/change-group: users-of-{name}
    kapp.k14s.io/change-rule: upsert after upserting shop/databases
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: last
  namespace: shop
  annotations:
    kapp.k14s.io/change-rule: upsert after upserting users-of-web
";

    #[test]
    fn a_name_that_the_engine_rejects_is_refused() {
        for name in ["zz new", "a: 'b # c"] {
            let why = refusal(&APP.replacen("shop/databases", "$0shop/databases", 1), name);
            assert!(why.starts_with("invalid change group name "), "{why}");
        }
    }

    #[test]
    fn other_uses_of_a_name_keep_it() {
        let why = refusal(&APP.replace("name: shop\n---", "name: $0shop\n---"), "shop2");
        assert!(why.contains("its position in the order"), "{why}");
        let why = refusal(&APP.replace("name: web", "name: $0web"), "web2");
        assert!(
            why.contains("the entry at app.yaml:29 would refer to something else"),
            "{why}"
        );
    }

    #[test]
    fn references_in_broken_text_are_not_lost() {
        let text = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: $0a, type: kustomize, path: ./x}\n    - {name: b, type: \
                    kustomize, path: ./x, dependsOn: [a, , c]}\n";
        let why = refusal(text, "zz");
        assert!(
            why.ends_with("fix the syntax error at tazuna.yaml:4 first"),
            "{why}"
        );
    }

    #[test]
    fn an_error_of_several_lines_is_told_in_one() {
        let text = "//- /w/app.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: $0a\n---\napiVersion: v1\n\
                    kind: ConfigMap\nmetadata:\n  name: b\n  annotations:\n    kapp.k14s.io/change-group: x\n";
        let why = refusal(text, "b");
        let error = "Uniqueness errors: - Found resource 'configmap/b (v1) cluster' multiple times";
        assert!(why.contains(error), "{why}");
    }

    #[test]
    fn a_part_of_a_number_is_not_a_name() {
        let text = "//- /w/tazuna.yaml\nspec:\n  manifests:\n    - {name: $01, type: kustomize, path: ./x}\n    - {name: b, type: \
                    kustomize, path: ./x, dependsOn: [1.0]}\n//- /w/x/kustomization.yaml\nresources: []\n";
        let why = refusal(text, "zz");
        assert!(why.starts_with("with this name, "), "{why}");
    }
}
