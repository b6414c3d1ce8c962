//! Texts with many repetitions of one mistake are checked in linear time.

#[path = "../../../../syntax/src/growth.rs"]
mod clock;

use std::sync::Arc;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;

use self::clock::Growth;

/// Resolves the project of a root.
fn resolve(files: MemoryFiles) {
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(files), RunOptions::default());
    workspace.offer(&["/w/terramate.tm".into()], Offer::Found);
    workspace.refresh();
    assert!(workspace.analysis().projects().next().is_some());
}

#[test]
fn projects_are_checked_in_linear_time() {
    // The work of all threads has to be visible.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut growth = Growth::of(|text: &str| {
            let mut files = MemoryFiles::new();
            files.insert("/w/terramate.tm", super::ROOT);
            files.insert("/w/s/stack.tm", text);
            resolve(files);
        });
        growth.check("stack blocks", 250, |n| "stack {}\n".repeat(n));
        growth.check("wrong stack blocks", 250, |n| {
            "stack {\n  nope = 1\n}\n".repeat(n)
        });
        // The lookup for each entry is cheap: only many entries show how often it happens.
        growth.check("unknown entries", 5000, |n| {
            let entries: String = (0..n).map(|i| format!("    \"/u{i}\",\n")).collect();
            format!("stack {{\n  after = [\n{entries}  ]\n}}\n")
        });
        growth.check("bad filters behind good ones", 5000, |n| {
            let entries: String = (0..n).map(|i| format!("    \"tag:t{i}\",\n")).collect();
            format!(
                "stack {{\n  after = [\n{entries}{}  ]\n}}\n",
                "    \"tag:~\",\n".repeat(n)
            )
        });
        growth.check("names set twice", 250, |n| {
            format!("stack {{\n{}}}\n", "  name = \"a\"\n".repeat(n))
        });
        growth.check("incomplete metadata", 250, |n| {
            let complete: String = (0..n).map(|i| format!("  a{i} = 1\n")).collect();
            let incomplete = "define bundle {\n  metadata {\n  }\n}\n".repeat(n);
            format!("{incomplete}define bundle metadata {{\n{complete}}}\n")
        });
        growth.finish();
    });
}

#[test]
fn imports_of_many_files_take_time_as_they_are_many() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut growth = Growth::of(|source: &str| {
            let mut files = MemoryFiles::new();
            files.insert("/w/terramate.tm", super::ROOT);
            for (i, source) in source.lines().enumerate() {
                files.insert(
                    format!("/w/s/f{i}.tm"),
                    format!("import {{\n  source = \"{source}\"\n}}\n"),
                );
            }
            files.insert("/w/m/x.tm", "globals {\n}\n");
            resolve(files);
        });
        for source in ["/m/x.tm", "/m/nope.tm"] {
            growth.check(source, 500, |n| format!("{source}\n").repeat(n));
        }
        growth.finish();
    });
}
