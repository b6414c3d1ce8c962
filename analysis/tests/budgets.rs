//! If a limit of ours ends something, the answer is the same whatever the number of threads, and whether the
//! workspace is new or was edited.
#![allow(missing_docs, clippy::indexing_slicing, clippy::unwrap_used)]

#[path = "incremental/picture.rs"]
#[allow(dead_code)]
mod picture;

use std::fmt::Write;
use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};

use picture::picture;

/// Directories of Terramate whose imports are each within their own limit but together exceed that of the
/// project.
fn imports(files: &mut MemoryFiles) {
    let both = |level: usize| {
        let import = |name| format!("import {{\n  source = \"/m{level}/{name}.hcl\"\n}}\n");
        import("a") + &import("b")
    };
    files.insert(
        "/w/tm/terramate.tm",
        "terramate {\n  required_version = \">= 0.1\"\n}\n",
    );
    for level in 0..13 {
        let text = if level == 12 {
            "globals {\n}\n".to_owned()
        } else {
            both(level + 1)
        };
        for name in ["a", "b"] {
            files.insert(format!("/w/tm/m{level}/{name}.hcl"), text.as_str());
        }
    }
    for stack in 0..260 {
        let text = format!("stack {{\n}}\n{}", both(0));
        files.insert(format!("/w/tm/s{stack:03}/stack.tm"), text.as_str());
    }
}

/// A Config of kapp's with more matchers than are compared with this many resources.
fn matchers(files: &mut MemoryFiles) {
    let fields = ["{emptyFieldMatcher: {path: [a]}}"; 50].join(", ");
    let again = ["*m"; 50].join(", ");
    let config = format!(
        "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\nx: &m {{andMatcher: {{matchers: \
         [{fields}]}}}}\nchangeRuleBindings:\n- {{rules: [upsert after upserting g], resourceMatchers: [{again}]}}\n"
    );
    files.insert("/w/kapp/config.yaml", config.as_str());
    let mut maps = String::new();
    for number in 0..400 {
        writeln!(
            maps,
            "---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m{number}"
        )
        .unwrap();
    }
    files.insert("/w/kapp/maps.yaml", maps.as_str());
}

/// More findings of one rule than are listed.
fn unknown_names(files: &mut MemoryFiles) {
    let mut text =
        "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      dependsOn:\n"
            .to_owned();
    for name in 0..10_050 {
        writeln!(text, "        - u{name}").unwrap();
    }
    files.insert("/w/tz/tazuna.yaml", text.as_str());
}

fn workspace(files: &MemoryFiles) -> Workspace {
    let engines = applyorder_engines::all();
    let mut workspace = Workspace::new(engines, Arc::new(files.clone()), RunOptions::default());
    let paths: Vec<Utf8PathBuf> = files.paths().map(Utf8Path::to_owned).collect();
    workspace.offer(&paths, Offer::Found);
    workspace
}

#[test]
fn a_limit_ends_the_same_whatever_the_threads_and_after_edits() {
    let mut files = MemoryFiles::new();
    imports(&mut files);
    matchers(&mut files);
    unknown_names(&mut files);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut workspace = workspace(&files);
            workspace.refresh();
            picture(&workspace.analysis())
        })
    };
    let one = with(1);
    let limits: Vec<&str> = one
        .lines()
        .filter(|line| line.contains(": limit-reached "))
        .collect();
    let of = |dir: &str| limits.iter().filter(|line| line.starts_with(dir)).count();
    // Among the directories, and not at the first of them.
    assert!((1..260).contains(&of("/w/tm/s")), "{}", of("/w/tm/s"));
    assert_eq!((of("/w/tm/s000"), of("/w/tm/s259")), (0, 1));
    assert_eq!((of("/w/kapp"), of("/w/tz")), (1, 1), "{limits:#?}");
    for threads in [2, 8] {
        assert!(with(threads) == one, "{threads} threads differ from one");
    }
    let mut edited = workspace(&files);
    edited.refresh();
    for (path, text) in [
        ("/w/tm/s001/stack.tm", "stack {\n}\n"),
        ("/w/kapp/config.yaml", ""),
        ("/w/tz/tazuna.yaml", "spec:\n  manifests: []\n"),
    ] {
        edited.set_text(Utf8Path::new(path), text.into());
        edited.refresh();
        edited.close(Utf8Path::new(path));
        edited.refresh();
    }
    assert!(
        picture(&edited.analysis()) == one,
        "an edited workspace differs from a new one"
    );
}
