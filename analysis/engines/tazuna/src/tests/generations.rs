//! Differences of older versions of Tazuna.

use super::{project, tree, verdict};
use crate::config::TazunaGeneration::{G1, G2, G3, G5};

const OLD_NAMES: &str = "spec:\n  manifests:\n    - {name: Up_per, type: kustomize, path: .}\n";

#[test]
fn names_were_wider() {
    assert_eq!(tree(OLD_NAMES).generation(G2).findings(), [""; 0]);
    assert_eq!(
        tree(OLD_NAMES).generation(G5).findings(),
        [
            "invalid-name tazuna.yaml «Up_per» error check:names!",
            "tazuna/apply-name-warning tazuna.yaml «Up_per» info",
        ]
    );
}

#[test]
fn g1_decodes_otherwise() {
    let case = "Spec: {manifests: [{name: a}]}\n";
    let found = tree(case).generation(G1).findings();
    assert!(
        found
            .iter()
            .any(|f| f.starts_with("unknown-field tazuna.yaml «Spec»")),
        "{found:?}"
    );
    let twice = "spec:\n  manifests:\n    - {name: a, name: b, type: kustomize, path: .}\n";
    assert_eq!(
        tree(twice).generation(G1).findings(),
        ["duplicate-key tazuna.yaml «name» error check:decode! apply:decode! destroy:decode!"]
    );
    assert_eq!(
        tree("").generation(G1).findings()[0],
        "syntax-error tazuna.yaml «» error check:decode! apply:decode! destroy:decode!"
    );
    let words = "spec:\n  manifests:\n    - {name: yes, type: kustomize, path: .}\n";
    let analysis = tree(words).generation(G1).analysis();
    assert_eq!(&*project(&analysis).variants[0].units[0].name, "yes");
    let merged = "x: &b {name: b}\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ., <<: *b}\n";
    let analysis = tree(merged).generation(G1).analysis();
    assert_eq!(&*project(&analysis).variants[0].units[0].name, "a");
}

#[test]
fn g1_has_boxes_and_no_depends_on() {
    let text = "spec:\n  manifests:\n    - {name: a, type: parallel, path: ., dependsOn: [gone]}\n";
    let analysis = tree(text).generation(G1).analysis();
    assert_eq!(
        verdict(project(&analysis), "check").ok,
        Some(true),
        "{:?}",
        super::shown(&analysis)
    );
}

#[test]
fn before_g4_braces_are_just_text() {
    let text = "# {{ .Values }}\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n";
    assert_eq!(tree(text).generation(G3).findings(), [""; 0]);
}

#[test]
fn before_g5_included_values_were_not_checked() {
    let text = "//- tazuna.yaml\nspec: {manifests: [{includes: [{path: a.yaml}]}]}\n\
                //- a.yaml\nspec: {manifests: [{name: a, type: helm, path: .}]}\n";
    let analysis = tree(text).generation(G3).analysis();
    assert_eq!(verdict(project(&analysis), "apply").ok, Some(true));
}
