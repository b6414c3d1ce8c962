//! Terramate on 10,000 stacks, nested and cross-linked: `cargo bench --bench terramate`.
//!
//! A cold `applyorder order` against the real `terramate list --run-order` on the same project (aim: 20 times faster),
//! if the tool is given in `APPLYORDER_TERRAMATE` or was built for the tests. The bench `project` measures what the
//! server takes for an edit.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::unwrap_used
)]

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Regions, environments in each, groups in each, stacks in each; groups are stacks themselves.
const SHAPE: [usize; 4] = [10, 10, 10, 9];
/// How often the slow tool is run.
const PAIRS: usize = 3;

fn main() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().canonicalize().expect("a path");
    let stacks = write_project(&folder);
    println!("{stacks} stacks:");
    cold(&folder);
}

/// A stack per group and below it; a stack in a group follows the group's stack implicitly. Most name two earlier ones,
/// a near one by its relative path and a distant one by its absolute path. Named stacks always come earlier, so there
/// is no cycle.
fn write_project(folder: &Path) -> usize {
    let mut stacks: Vec<String> = Vec::new();
    let [regions, environments, groups, leaves] = SHAPE;
    for r in 0..regions {
        for e in 0..environments {
            for g in 0..groups {
                let group = format!("/region-{r:02}/env-{e:02}/group-{g:02}");
                stacks.push(group.clone());
                stacks.extend((0..leaves).map(|l| format!("{group}/stack-{l:02}")));
            }
        }
    }
    let root = "terramate {\n  required_version = \">= 0.1.0\"\n}\n";
    std::fs::write(folder.join("terramate.tm.hcl"), root).expect("a file");
    for (at, path) in stacks.iter().enumerate() {
        let (name, tag) = (path.rsplit('/').next().unwrap(), at % 50);
        let mut text = format!(
            "# {name}\nstack {{\n  name        = \"{name}\"\n  description = \"stack {at} of the project\"\n  id          = \"id-{at:05}\"\n  tags        = [\"tag-{tag:02}\", \"region\"]\n"
        );
        let mut after: Vec<String> = Vec::new();
        let is_group = at % (leaves + 1) == 0;
        if !is_group && at % (leaves + 1) > 1 {
            after.push(format!("../{}", stacks[at - 1].rsplit('/').next().unwrap()));
        }
        if is_group && at > leaves {
            // A leaf of an earlier group.
            let before = at / (leaves + 1) * 7 % (at / (leaves + 1));
            after.push(stacks[before * (leaves + 1) + 1 + at % leaves].clone());
        }
        if !is_group && at > 2_000 {
            let before = (at * 31) % (at / (leaves + 1)) * (leaves + 1) + 1 + at % leaves;
            after.push(stacks[before].clone());
        }
        if !after.is_empty() {
            text.push_str("  after = [\n");
            for entry in after {
                writeln!(text, "    \"{entry}\",").expect("a string");
            }
            text.push_str("  ]\n");
        }
        text.push_str("}\n");
        let file = folder.join(&path[1..]).join("stack.tm.hcl");
        std::fs::create_dir_all(file.parent().unwrap()).expect("a directory");
        std::fs::write(&file, text).expect("a file");
    }
    stacks.len()
}

fn terramate() -> Option<PathBuf> {
    let given = std::env::var_os("APPLYORDER_TERRAMATE").map(PathBuf::from);
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/differential/terramate");
    given.or_else(|| built.is_file().then_some(built))
}

fn cold(folder: &Path) {
    let ours = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_applyorder"));
        command.args(["order", "--isolated", "--as", "list", "--format", "plain"]);
        support::time(command.arg(folder))
    };
    let Some(program) = terramate() else {
        println!("SKIPPED: the comparison with terramate (APPLYORDER_TERRAMATE names no program)");
        return;
    };
    let theirs = || {
        let mut command = Command::new(&program);
        command.args(["list", "--run-order"]).current_dir(folder);
        command
            .env("GIT_CEILING_DIRECTORIES", "/")
            .env("CHECKPOINT_DISABLE", "1");
        support::time(&mut command)
    };
    let (theirs, ours, ratio) = support::compare(PAIRS, theirs, ours);
    println!("  cold order {ours:.1?}, terramate list --run-order {theirs:.1?}: {ratio:.1} times faster");
}
