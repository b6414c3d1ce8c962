//! Every finding: its place, its severity, the commands that reject it and at which stage.

mod aliases;
mod decoding;
mod fixes;
mod includes;
mod order;
mod spec;

use super::{fixed, of_rule, tree};

const OK: &str = "    - {name: ok, type: kustomize, path: .}\n";

/// A root file with these entries of `manifests`, followed by a valid one.
fn root(entries: &str) -> String {
    format!("spec:\n  manifests:\n{entries}{OK}")
}

/// Checks that a text has exactly these findings.
#[track_caller]
fn finds(text: &str, expected: &[&str]) {
    assert_eq!(tree(text).findings(), expected, "{text}");
}

/// The findings of one entry of `manifests`.
#[track_caller]
fn entry(entry: &str, expected: &[&str]) {
    finds(&root(entry), expected);
}

#[test]
fn a_sound_file_has_none() {
    entry("", &[]);
    finds("", &["tazuna/no-manifests tazuna.yaml «» info"]);
    finds(
        "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec: {manifests: []}\n",
        &["tazuna/no-manifests tazuna.yaml «manifests» info"],
    );
}
