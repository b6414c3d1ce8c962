//! Every error that Terramate 0.17.2 has for a root, for the loading of files, for blocks, stacks, entries,
//! cycles and flags: where it is shown, and Terramate's message.

mod blocks;
mod cycles;
mod entries;
mod environments;
mod files;
mod flags;
mod imports;
mod merged;
mod root;
mod rows;
mod settings;
mod sharing_backends;
mod stack;
mod syntax;
mod whole_project;

use super::{project, shown};
use applyorder_core::files::ReadError;

/// The findings of some files, or of the `stack.tm` of one stack.
#[track_caller]
fn finds(files: &str, expected: &[&str]) {
    assert_eq!(project(files).findings(), expected, "{files}");
}

/// The findings of a stack with one attribute.
#[track_caller]
fn attribute(line: &str, expected: &[&str]) {
    finds(&format!("stack {{\n  {line}\n}}\n"), expected);
}
