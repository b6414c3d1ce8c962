//! What counts as changed: random changes of small repositories, `terramate list --changed` against our `--changed-since`.

use super::{Question, oracle};
use crate::random::Random;
use crate::skipped::skip;
use rayon::prelude::*;
use std::path::Path;
use std::process::Command;

/// Terramate overlooks changes of files whose names git quotes (beyond ASCII, with spaces).
const DIRS: [&str; 8] = ["a", "a/b", "a/b/c", "d", "d/e", "f-g", "f", "g.h"];
const WATCHED: [&str; 4] = ["/shared/x", "../shared/y", "/a/main.tf", "gone"];

fn git(root: &Path, args: &[&str]) -> bool {
    Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=a@example.com"])
        .args(["-c", "commit.gpgsign=false"])
        .args(args)
        .current_dir(root)
        .output()
        .is_ok_and(|o| o.status.success())
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A repository of some stacks with one commit.
fn repository(r: &mut Random, root: &Path) {
    write(root, "terramate.tm", "terramate {\n}\n");
    write(root, "shared/x", "1");
    write(root, "shared/y", "1");
    write(root, ".gitignore", "*.log\n");
    for dir in DIRS {
        write(root, &format!("{dir}/main.txt"), "1");
        if r.one_in(4) {
            continue;
        }
        let watch = match r.below(3) {
            0 => format!("  watch = [\"{}\"]\n", r.text(&WATCHED)),
            _ => String::new(),
        };
        write(
            root,
            &format!("{dir}/stack.tm"),
            &format!("stack {{\n{watch}}}\n"),
        );
    }
    modules(r, root);
    assert!(git(root, &["init", "-q", "-b", "main"]));
    assert!(git(root, &["add", "-A"]) && git(root, &["commit", "-q", "-m", "one"]));
}

/// Terraform modules, some of which call others, including cycles, and stacks that call them.
fn modules(r: &mut Random, root: &Path) {
    let call = |source: &str| format!("module \"m\" {{\n  source = \"{source}\"\n}}\n");
    for module in ["one", "two", "three"] {
        let mut text = String::from("locals {}\n");
        for _ in 0..r.below(3) {
            text += &call(r.text(&["../one", "../two", "./in", "../../mods/three", "registry/x/y"]));
        }
        write(root, &format!("mods/{module}/main.tf"), &text);
        write(root, &format!("mods/{module}/in/main.tf"), "locals {}\n");
    }
    for dir in DIRS {
        let up = "../".repeat(dir.split('/').count());
        if r.one_in(3) {
            let module = r.text(&["one", "two", "two/in", "three"]);
            write(root, &format!("{dir}/m.tf"), &call(&format!("{up}mods/{module}")));
        }
    }
}

/// Changes some files. What Terramate overlooks until it is committed (deleted and staged files) is committed.
fn change(r: &mut Random, root: &Path, committed: bool) {
    for _ in 0..1 + r.below(4) {
        let dir = r.text(&DIRS);
        let module = r.text(&["one", "two/in", "three/in/deep"]);
        match r.below(if committed { 11 } else { 8 }) {
            0 | 1 => write(root, &format!("{dir}/main.txt"), &r.below(1 << 30).to_string()),
            2 => write(root, &format!("{dir}/new/file.txt"), "new"),
            3 => write(root, "shared/x", "2"),
            4 => write(root, "shared/y", "2"),
            5 => write(root, &format!("{dir}/a.log"), "ignored"),
            6 | 7 => write(
                root,
                &format!("mods/{module}/x.txt"),
                &r.below(1 << 30).to_string(),
            ),
            8 => drop(std::fs::remove_file(root.join(dir).join("main.txt"))),
            9 => trigger(root, dir, "changed"),
            _ => trigger(root, dir, "ignore-change"),
        }
    }
}

fn trigger(root: &Path, dir: &str, kind: &str) {
    write(
        root,
        &format!(".tmtriggers/{dir}/{kind}-1.tm.hcl"),
        &format!("trigger {{\n  ctime = 1\n  reason = \"r\"\n  type = {kind}\n  context = stack\n}}\n"),
    );
}

fn listed(command: &mut Command) -> (bool, Vec<String>, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut lines: Vec<String> = text(&output.stdout)
        .lines()
        .map(|l| l.trim_start_matches('/').to_owned())
        .collect();
    lines.sort();
    (output.status.success(), lines, text(&output.stderr))
}

#[test]
fn changed_stacks_are_those_of_terramate() {
    let Some(oracle) = oracle::find() else { return };
    if !git(Path::new("."), &["--version"]) {
        return skip("git", "it cannot be run");
    }
    let setting = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let seed = setting("APPLYORDER_SEED").unwrap_or(1);
    let count = setting("APPLYORDER_TREES").unwrap_or(500) / 5;
    let differ: Vec<String> = (0..count)
        .into_par_iter()
        .filter_map(|i| {
            let mut r = Random::new(seed.wrapping_add(i));
            let dir = crate::temp::temporary();
            let root = dir.path().canonicalize().unwrap();
            repository(&mut r, &root);
            change(&mut r, &root, true);
            assert!(
                git(&root, &["add", "-A"]) && git(&root, &["commit", "-q", "--allow-empty", "-m", "two"])
            );
            if r.one_in(2) {
                change(&mut r, &root, false);
            }
            let (ok, theirs, said) =
                listed(
                    oracle
                        .command(&root, &Question::whole())
                        .args(["list", "--changed", "-B", "HEAD~1"]),
                );
            let ours = listed(
                Command::new(env!("CARGO_BIN_EXE_applyorder"))
                    .args(["order", "--isolated", "--format", "plain", "--as", "list"])
                    .args(["--changed-since", "HEAD~1"])
                    .current_dir(&root),
            );
            let differs = !ok || !ours.0 || theirs != ours.1;
            differs.then(|| {
                let shown = Command::new("git")
                    .args(["-c", "core.quotepath=off", "diff", "--stat", "HEAD~1"])
                    .current_dir(&root)
                    .output()
                    .unwrap();
                let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
                format!(
                    "seed {}\n{shown}\ntheirs {theirs:?}\n{said}\nours {ours:?}",
                    seed.wrapping_add(i)
                )
            })
        })
        .collect();
    println!("terramate: {count} changes, {} differ", differ.len());
    assert!(differ.is_empty(), "{}", differ.join("\n\n"));
}
