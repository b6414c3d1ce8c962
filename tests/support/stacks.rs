//! A Terramate project with many stacks, each of which waits for a directory that does not exist.

use crate::client::Folder;

/// Without optimization, a pass over the larger number takes longer than a test may.
pub const STACKS: usize = if cfg!(debug_assertions) { 400 } else { 2_000 };

pub const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

pub fn path(i: usize) -> String {
    format!("s{i}/stack.tm.hcl")
}

pub fn text(i: usize, after: &str) -> String {
    format!("stack {{\n  name = \"s{i}\"\n  after = [\"/{after}\"]\n}}\n")
}

pub fn folder() -> Folder {
    let folder = Folder::new(&[("terramate.tm.hcl", ROOT)]);
    for i in 0..STACKS {
        folder.write(&path(i), &text(i, "gone"));
    }
    folder
}
