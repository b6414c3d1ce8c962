//! Editing: what an edit does not touch is kept; completion, outline and hover on the way.

use std::sync::Arc;

use camino::Utf8Path;

use super::{project, shown, tree};
use crate::read::{Reading, TazunaFacts};
use applyorder_core::engine::{Engine, Operation, RunOptions, UnitIx};

const THREE: &str = "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n    # a word\n    - name: b\n      type: kustomize\n      path: .\n    - name: c\n      type: kustomize\n      path: .\n      dependsOn: [a, b]\n";

fn facts(analysis: &applyorder_analysis::workspace::Analysis) -> &TazunaFacts {
    let file = analysis.file(Utf8Path::new("/w/tazuna.yaml")).unwrap();
    analysis
        .facts_as(file, applyorder_core::engine::EngineIx(0))
        .unwrap()
}

#[test]
fn an_edit_reads_one_item_again() {
    let mut workspace = tree(THREE).workspace();
    let before = facts(&workspace.analysis()).view(&Reading::plain());
    let edited = THREE.replace("name: b\n", "name: bb\n");
    workspace.set_text(Utf8Path::new("/w/tazuna.yaml"), edited.as_str().into());
    workspace.refresh();
    let after = facts(&workspace.analysis()).view(&Reading::plain());
    let kept: Vec<bool> = (0..3)
        .map(|i| Arc::ptr_eq(before.item(i).unwrap(), after.item(i).unwrap()))
        .collect();
    assert_eq!(kept, [true, false, true]);
    assert!(
        shown(&workspace.analysis())
            .iter()
            .any(|f| f.starts_with("unknown-dependency tazuna.yaml «b»"))
    );
}

#[test]
fn nothing_is_left_of_a_workspace_that_is_gone() {
    let mut workspace = tree(THREE).workspace();
    let analysis = workspace.analysis();
    let memo = Arc::downgrade(project(&analysis).state.as_ref().unwrap());
    assert_eq!(project(&analysis).variants[0].units.len(), 3);
    drop((analysis, workspace));
    assert!(memo.upgrade().is_none());
}

#[test]
fn a_comment_changes_no_shape() {
    let mut workspace = tree(THREE).workspace();
    let before = workspace.analysis();
    let edited = THREE.replace("# a word", "# some more words\n    #");
    workspace.set_text(Utf8Path::new("/w/tazuna.yaml"), edited.as_str().into());
    workspace.refresh();
    let after = workspace.analysis();
    assert!(std::ptr::eq(
        Arc::as_ptr(before.projects().next().unwrap().1),
        Arc::as_ptr(after.projects().next().unwrap().1)
    ));
    assert_eq!(shown(&before), shown(&after));
}

#[test]
fn a_file_that_comes_is_noticed() {
    let text = "spec:\n  manifests:\n    - includes: [{path: a.yaml}]\n";
    let mut workspace = tree(text).workspace();
    assert!(shown(&workspace.analysis())[0].starts_with("missing-file"));
    let sound = "spec: {manifests: [{name: a, type: kustomize, path: .}]}\n";
    workspace.set_text(Utf8Path::new("/w/a.yaml"), sound.into());
    workspace.refresh();
    assert_eq!(shown(&workspace.analysis()), [""; 0]);
}

/// The text inserted by the first candidate.
fn inserted(marked: &str) -> String {
    let at = marked.find('|').unwrap() as u32;
    let analysis = tree(&marked.replacen('|', "", 1)).analysis();
    let file = analysis.file(Utf8Path::new("/w/tazuna.yaml")).unwrap();
    let found = crate::ENGINE.complete(&*analysis, applyorder_core::engine::EngineIx(0), file, at);
    let first = &found[0];
    first.insert.clone().unwrap_or_else(|| first.label.clone())
}

#[test]
fn what_is_completed_reads_as_it_should() {
    let head = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - name: b\n";
    for (tail, expected) in [
        ("      dependsOn: [|", "a"),
        ("      dependsOn: |\n", "[a]"),
        ("      dependsOn:|\n", " [a]"),
        ("      dependsOn:\n        - |\n", "a"),
        ("      dependsOn:\n        -|\n", " a"),
        ("      type:|\n", " kustomize"),
        ("      |\n", "description: "),
        ("      d|: x\n", "description"),
        ("      \"d|\": x\n", "description"),
        ("      dependsOn:\n        |\n", "- a"),
        ("      dependsOn:\n        - x\n        |\n", "- a"),
        ("    -|\n", " name: "),
        ("    |\n", "- name: "),
        ("      includes:\n        |\n", "- path: "),
        ("      includes:\n        - |\n", "path: "),
        ("      type: oras\n      |\n", "description: "),
    ] {
        assert_eq!(inserted(&format!("{head}{tail}")), expected, "{tail}");
    }
}

fn completions(marked: &str) -> Vec<String> {
    completions_among(marked, "")
}

fn completions_among(marked: &str, others: &str) -> Vec<String> {
    let at = marked.find('|').unwrap() as u32;
    let root = marked.replacen('|', "", 1);
    let analysis = tree(&format!("//- tazuna.yaml\n{root}{others}")).analysis();
    let file = analysis.file(Utf8Path::new("/w/tazuna.yaml")).unwrap();
    let found = crate::ENGINE.complete(&*analysis, applyorder_core::engine::EngineIx(0), file, at);
    found.into_iter().map(|c| c.label).collect()
}

#[test]
fn names_are_completed_while_they_are_typed() {
    for typed in [
        "[a, |",
        "[a, |]",
        "[a, x|",
        "\n        - a\n        - |",
        "\n      - a\n      - b|",
    ] {
        let text = THREE.replace("[a, b]", typed);
        assert_eq!(completions(&text), ["b"], "{typed}");
    }
}

#[test]
fn words_and_fields_are_completed() {
    let types = completions(&THREE.replace("- name: b\n      type: kustomize", "- name: b\n      type: |"));
    assert_eq!(types, ["kustomize", "helmfile", "genesissecret", "oras"]);
    let fields = completions(&THREE.replace("    # a word", "      d|"));
    assert!(fields.contains(&"dependsOn".to_owned()) && fields.contains(&"description".to_owned()));
    assert!(completions(&format!("{THREE}  con|")).contains(&"context_matches".to_owned()));
    let paths = completions("spec:\n  manifests:\n    - includes:\n        - path: |\n");
    assert_eq!(paths, [""; 0]);
    let typed = |field: &str, typed: &str| {
        let text = match field {
            "include" => format!("spec:\n  manifests:\n    - includes:\n        - path: {typed}|\n"),
            _ => THREE.replacen("path: .", &format!("path: {typed}|"), 1),
        };
        completions_among(
            &text,
            "//- apps/api/kustomization.yaml\n//- apps/x.txt\n//- apps.yaml\n",
        )
    };
    assert_eq!(typed("manifest", "./"), ["./apps", "./apps.yaml"]);
    assert_eq!(typed("manifest", "./apps/a"), ["./apps/api", "./apps/x.txt"]);
    assert_eq!(typed("include", "./apps/"), ["./apps/api/"]);
    assert_eq!(typed("include", "./nowhere/"), [""; 0]);
}

#[test]
fn the_outline_names_manifests() {
    let text = format!("{THREE}    - includes: [{{path: x.yaml}}]\n");
    let analysis = tree(&text).analysis();
    let items = crate::ENGINE.outline(facts(&analysis));
    let shown: Vec<(&str, &str)> = items
        .iter()
        .map(|i| (i.name.as_str(), i.selection.slice(&text)))
        .collect();
    assert_eq!(
        shown,
        [("a", "a"), ("b", "b"), ("c", "c"), ("includes", "includes")]
    );
    assert_eq!(items[3].children[0].name, "x.yaml");
    assert!(items.iter().all(|i| i.span.contains(i.selection)));
}

#[test]
fn the_outline_has_the_manifests_of_all_environments() {
    let text = "spec:\n  environments: {p: {}}\n  manifests:\n    - {name: a, type: oras, path: .}\n{{ if .Environment }}\n    \
                - {name: b, type: oras, path: .}\n{{ else }}\n    - {name: c, type: oras, path: .}\n{{ end }}\n    \
                - {name: 'd{{ .Environment }}', type: oras, path: .}\n";
    let analysis = tree(text).analysis();
    let items = crate::ENGINE.outline(facts(&analysis));
    let names: Vec<&str> = items.iter().map(|i| i.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d"]);
}

#[test]
fn a_hover_says_what_it_is() {
    let text = THREE.replace("- name: b\n", "- name: b\n      description: the *second*\n");
    let analysis = tree(&text).analysis();
    let resolution = project(&analysis);
    let hover = crate::ENGINE.hover(resolution, &resolution.variants[0], UnitIx(1));
    assert_eq!(hover[0], "the \\*second\\*");
    assert_eq!(hover[1], "`kustomize` at `.`");
}

#[test]
fn tags_limit_a_run_and_keep_the_layers() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: ., tags: [x]}\n    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n    - {name: c, type: kustomize, path: ., tags: [y, x], dependsOn: [b]}\n";
    let analysis = tree(text).tags("x, y").analysis();
    let resolution = project(&analysis);
    assert_eq!(super::layers(resolution, 0), [["a"], ["c"]]);
    // A blank after the comma is part of the tag.
    let analysis = tree(text).tags("z, y").analysis();
    assert!(super::layers(project(&analysis), 0).is_empty());
}

#[test]
fn a_project_is_handed_on() {
    let analysis = tree(THREE).analysis();
    let seed = &analysis.projects().next().unwrap().1.seed;
    let handoff = crate::ENGINE
        .handoff(seed, Operation::Delete, &RunOptions::default())
        .unwrap();
    assert_eq!(handoff.argv, ["tazuna", "destroy"]);
}
