//! Runs over what is already applied, in part, and beyond what is worked out.

use super::{app, app_with};
use crate::engines::RunOptions;

fn update(text: &str) -> Vec<String> {
    let options = RunOptions {
        state: Some("/w/state.yaml".into()),
        ..RunOptions::default()
    };
    let analysis = app(text, options);
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    let one = |unit: &crate::engines::UnitIx| {
        let i = unit.0 as usize;
        let action = variant.actions.get(i).copied().unwrap_or("all");
        format!("{action} {}", variant.units[i].name)
    };
    let layers = variant.apply.layers.as_ref().unwrap();
    layers
        .iter()
        .map(|layer| layer.iter().map(one).collect::<Vec<_>>().join(", "))
        .collect()
}

fn map(name: &str, extra: &str) -> String {
    format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n{extra}---\n")
}

#[test]
fn what_is_gone_is_deleted_and_what_is_the_same_is_left_alone() {
    let text = format!(
        "//- a.yaml\n{}{}//- state.yaml\n{}{}{}",
        map("same", ""),
        map("other", "data: {a: new}\n"),
        map("same", ""),
        map("other", "data: {a: old}\n"),
        map("gone", "")
    );
    assert_eq!(update(&text), ["upsert ConfigMap/other, delete ConfigMap/gone"]);
}

#[test]
fn of_two_entries_for_one_object_the_later_is_what_is_there() {
    let volume = |space: &str, extra: &str| {
        format!(
            "apiVersion: v1\nkind: PersistentVolume\nmetadata:\n  name: one\n  namespace: {space}\n{extra}---\n"
        )
    };
    let text = format!(
        "//- a.yaml\n{}//- state.yaml\n{}{}",
        volume("a", "spec: {x: 1}\n"),
        volume("a", "spec: {x: 1}\n"),
        volume("b", "spec: {x: 2}\n")
    );
    assert_eq!(update(&text), ["all PersistentVolume/one"]);
}

#[test]
fn a_new_version_changes_who_refers_to_it() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  volumes:\n  - {name: v, configMap: {name: cfg}}\n---\n";
    let versioned = |data: &str| {
        map(
            "cfg",
            &format!("  annotations: {{kapp.k14s.io/versioned: \"\"}}\ndata: {{a: {data}}}\n"),
        )
    };
    let text = format!(
        "//- a.yaml\n{}{pod}//- state.yaml\n{}{pod}",
        versioned("new"),
        versioned("old")
    );
    assert_eq!(update(&text), ["upsert ConfigMap/cfg-ver-2", "upsert Pod/p"]);
}

#[test]
fn only_what_changes_is_ordered() {
    let rule = "  annotations: {kapp.k14s.io/change-rule: upsert after upserting g}\n";
    let group = "  annotations: {kapp.k14s.io/change-group: g}\n";
    let text = format!("{}{}{}", map("a", group), map("b", group), map("c", rule));
    let options = RunOptions {
        changed: Some(vec!["ConfigMap/b".to_owned(), "ConfigMap/c".to_owned()]),
        ..RunOptions::default()
    };
    let analysis = app(&text, options);
    let (_, project) = analysis.projects().next().unwrap();
    let variant = &project.resolution.variants[0];
    let layers: Vec<Vec<u32>> = variant
        .apply
        .layers
        .as_ref()
        .unwrap()
        .iter()
        .map(|l| l.iter().map(|u| u.0).collect())
        .collect();
    assert_eq!(layers, [[1], [2]]);
    assert_eq!(variant.selected.as_ref().map(Vec::len), Some(2));
}

#[test]
fn past_the_limit_optional_edges_are_not_resolved_and_there_are_no_layers() {
    let every = "resourceMatchers: [{allMatcher: {}}]";
    let mut text = format!(
        "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nchangeGroupBindings: [{{name: g, {every}}}]\n\
         changeRuleBindings: [{{rules: [upsert after upserting g], ignoreIfCyclical: true, {every}}}]\n---\n"
    );
    for i in 0..20 {
        text += &map(&format!("m{i}"), "");
    }
    let order = |steps| {
        let analysis = app_with(&text, RunOptions::default(), steps);
        let (_, project) = analysis.projects().next().unwrap();
        let apply = &project.resolution.variants[0].apply;
        let said = project.resolution.unresolved.iter().map(|(_, s)| s.clone());
        (
            apply.layers.as_ref().map(|l| l.len()),
            apply.because.clone(),
            said.collect::<Vec<_>>(),
        )
    };
    assert_eq!(order(None), (Some(20), None, Vec::new()));
    let because = "optional edges were not resolved: there are too many that could close cycles".to_owned();
    assert_eq!(order(Some(100)), (None, Some(because.clone()), vec![because]));
}
