//! Time grows at most linearly with the number of projects in a tree and of blocks in a module.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

#[path = "../../syntax/src/growth.rs"]
mod clock;

use std::fmt::Write;
use std::sync::Arc;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use camino::Utf8PathBuf;

use self::clock::Growth;

const TAZUNA: &str = "kind: Tazuna\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    \
    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n";

const KAPP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
    kapp.k14s.io/change-group: g\n";

/// A rule that names a group which no app declares.
const KAPP_NOWHERE: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    \
    kapp.k14s.io/change-group: g\n    kapp.k14s.io/change-rule: upsert after upserting none\n";

const ANKAIOS: &str = "apiVersion: v1\nworkloads:\n  a: {runtime: podman, agent: a, runtimeConfig: 'image: x'}\n  \
    b: {runtime: podman, agent: a, runtimeConfig: 'image: x', dependencies: {a: ADD_COND_RUNNING}}\n";

const SPACELIFT: &str =
    "resource \"spacelift_stack\" \"a\" {\n  name = \"a\"\n  repository = \"r\"\n  branch = \"m\"\n}\n";

/// A root of a project and its only stack.
const TERRAMATE: &str = "terramate {\n  required_version = \">= 0.1\"\n}\nstack {\n  name = \"a\"\n}\n";

/// A stack whose root is not found.
const STACK: &str = "stack {\n  name = \"a\"\n}\n";

/// This many directories, each with the same file.
fn directories(n: usize, file: &str, text: &str) -> String {
    let mut out = String::new();
    for i in 0..n {
        writeln!(out, "//- p{i}/{file}\n{text}").unwrap();
    }
    out
}

/// Resolves all projects of a tree of files, as many as files.
fn resolve(tree: &str, is_versioned: bool) {
    let mut files = MemoryFiles::new();
    let mut paths = Vec::new();
    for part in tree.split("//- ").skip(1) {
        let (path, body) = part.split_once('\n').unwrap();
        let path = Utf8PathBuf::from(format!("/w/{path}"));
        files.insert(path.clone(), body);
        paths.push(path);
    }
    if is_versioned {
        files.set_vcs_root("/w");
    }
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    assert_eq!(workspace.analysis().projects().count(), paths.len());
}

/// Checks trees of directories with the same file each.
fn check(cases: &[(&str, &str, &str)], is_versioned: bool) {
    // One thread, so that the work of all threads is measured.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut growth = Growth::of(|tree: &str| resolve(tree, is_versioned));
        for (name, file, text) in cases {
            growth.check(name, 250, |n| directories(n, file, text));
        }
        growth.finish();
    });
}

#[test]
fn what_a_module_declares_takes_time_as_it_is_much() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut growth = Growth::of(|text: &str| {
            let mut files = MemoryFiles::new();
            let (text, values) = text.split_once("//- values\n").unwrap_or((text, ""));
            files.insert("/w/terraform.tfvars", values);
            let name = if text.starts_with('{') { "main.tf.json" } else { "main.tf" };
            let path = Utf8PathBuf::from("/w").join(name);
            files.insert(path.clone(), text);
            let mut workspace =
                Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
            workspace.offer(&[path], Offer::Found);
            workspace.refresh();
            assert_eq!(workspace.analysis().projects().count(), 1);
        });
        growth.check("spacelift", 200, |n| {
            let mut text = SPACELIFT.to_owned();
            for i in 0..n {
                writeln!(
                    text,
                    "variable \"v{i}\" {{\n  default = []\n  validation {{\n    condition = length(var.v{i}) < 9\n    \
                     error_message = \"Too many.\"\n  }}\n}}"
                )
                .unwrap();
            }
            text
        });
        growth.check("spacelift, local values", 500, |n| {
            let mut text = format!("{SPACELIFT}locals {{\n  v0 = \"\"\n");
            for i in 1..n {
                writeln!(text, "  v{i} = local.v{}", i - 1).unwrap();
            }
            text + "}\n"
        });
        growth.check("spacelift, values that are rejected", 2000, |n| {
            let values: String = (0..n).map(|i| format!("v{i} = upper(\"x\")\n")).collect();
            format!("{SPACELIFT}//- values\n{values}")
        });
        growth.check("spacelift, a long template in JSON", 5000, |n| {
            let words = "é ${var.x} ".repeat(n);
            format!("{{\"resource\": {{\"spacelift_stack\": {{\"a\": {{\"name\": \"{words}\"}}}}}}}}\n")
        });
        growth.finish();
    });
}

#[test]
fn many_projects_take_time_as_they_are_many() {
    let cases = [
        ("tazuna", "tazuna.yaml", TAZUNA),
        ("kapp", "a.yaml", KAPP),
        ("ankaios", "a.yaml", ANKAIOS),
        ("spacelift", "a.tf", SPACELIFT),
        ("terramate", "a.tm.hcl", TERRAMATE),
        ("terramate without roots", "a.tm.hcl", STACK),
    ];
    check(&cases, false);
}

#[test]
fn what_no_project_declares_is_not_looked_for_in_each() {
    check(&[("kapp", "a.yaml", KAPP_NOWHERE)], true);
}
