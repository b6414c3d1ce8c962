//! No text makes an engine panic, and the result after an edit is that of a fresh start.
#![no_main]

use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::Workspace;
use camino::{Utf8Path, Utf8PathBuf};
use libfuzzer_sys::fuzz_target;

/// One file name per dialect.
const NAMES: [&str; 3] = ["/w/tazuna.yaml", "/w/stack.tm.hcl", "/w/app.yaml"];

fn findings(workspace: &mut Workspace) -> Vec<String> {
    workspace.refresh();
    let analysis = workspace.analysis();
    analysis.findings().into_iter().map(|f| f.diagnostic.message.clone()).collect()
}

fuzz_target!(|input: (u8, &str, &str)| {
    let (which, before, after) = input;
    let Some(name) = NAMES.get(which as usize % NAMES.len()) else { return };
    let path = Utf8Path::new(name);
    let workspace = |text: &str| {
        let mut files = MemoryFiles::new();
        files.insert("/w/terramate.tm.hcl", "terramate {\n  required_version = \"> 0.0.0\"\n}\n");
        files.insert(path, text);
        let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
        workspace.offer(&[Utf8PathBuf::from(name)], Offer::Explicit);
        workspace
    };
    let mut edited = workspace(before);
    edited.refresh();
    edited.set_text(path, after.into());
    let mut fresh = workspace(after);
    assert_eq!(findings(&mut edited), findings(&mut fresh));
});
