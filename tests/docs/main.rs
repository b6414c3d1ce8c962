//! Runs the commands in README and `docs/`, and compares their output with what the page shows.
//!
//! A `console` block has commands after `$ ` and their output, in which a line `...` matches any lines; an `sh` block
//! is a script. Both run in a copy of `examples/` under git, one for each page, from top to bottom. A block that cannot
//! be run says so after its language: `sh no-run: REASON`. `INSTA_UPDATE=always` writes the current output, as for
//! snapshots.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    clippy::indexing_slicing
)]

mod links;
mod page;
mod recording;
#[path = "../support/skipped.rs"]
mod skipped;
#[path = "../support/temp.rs"]
mod temp;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use page::{Block, Page, Run};

/// The path of the copied examples as shown on pages.
const SHOWN_ROOT: &str = "/home/me/infra";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn is_update() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}

fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    for dir in ["docs", "docs/engines"] {
        let entries = fs::read_dir(root().join(dir)).unwrap();
        pages.extend(
            entries
                .map(|e| e.unwrap().path())
                .filter(|p| p.extension().is_some_and(|e| e == "md")),
        );
    }
    pages.sort();
    pages
}

/// A copy of the examples, committed, and a home without any configuration.
struct World {
    temp: tempfile::TempDir,
}

impl World {
    /// `None` without git.
    fn new() -> Option<Self> {
        let world = Self {
            temp: temp::temporary(),
        };
        fs::create_dir_all(world.temp.path().join("home")).unwrap();
        let tree = world.tree();
        copy(&root().join("examples"), &tree.join("examples"));
        let commit = "git init -q -b main && git add -A && git -c user.name=me -c user.email=me@example.com \
                      -c commit.gpgsign=false commit -qm examples";
        let output = world.command(commit).output().unwrap();
        output.status.success().then_some(world)
    }

    fn tree(&self) -> PathBuf {
        self.temp.path().canonicalize().unwrap().join("infra")
    }

    fn command(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        command
            .args(["-c", script])
            .current_dir(self.tree())
            .stdin(Stdio::null());
        for (name, _) in std::env::vars() {
            if name.starts_with("APPLYORDER_")
                || matches!(&*name, "NO_COLOR" | "FORCE_COLOR" | "GITHUB_ACTIONS")
            {
                command.env_remove(name);
            }
        }
        let binary = Path::new(env!("CARGO_BIN_EXE_applyorder")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(binary.to_owned()).chain(std::env::split_paths(&path));
        let home = self.temp.path().join("home");
        command
            .env("PATH", std::env::join_paths(paths).unwrap())
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", &home)
            .env("COLUMNS", "100")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    /// What a terminal would show for a script, and its exit code.
    fn run(&self, script: &str) -> (String, Option<i32>) {
        let output = self.command(&format!("exec 2>&1\n{script}")).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        (
            text.replace(self.tree().to_str().unwrap(), SHOWN_ROOT),
            output.status.code(),
        )
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Whether a script did not finish: an unknown command, or one that could not do its work.
fn has_failed(code: Option<i32>) -> bool {
    !matches!(code, Some(0 | 1 | 125))
}

#[test]
fn what_pages_show_is_what_is_printed() {
    let mut wrong = Vec::new();
    for path in pages() {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let mut page =
            Page::parse(&fs::read_to_string(&path).unwrap()).unwrap_or_else(|e| panic!("{name}: {e}"));
        if !page.blocks().any(|block| !matches!(block.run, Run::Not)) {
            continue;
        }
        let Some(world) = World::new() else {
            skipped::skip("git", "it cannot be run");
            return;
        };
        let before = page.text();
        for block in page.blocks_mut() {
            wrong.extend(check(&world, block).into_iter().map(|e| format!("{name}: {e}")));
        }
        if page.text() != before {
            fs::write(&path, page.text()).unwrap();
        }
    }
    assert!(
        wrong.is_empty(),
        "INSTA_UPDATE=always writes what is printed now\n{}",
        wrong.join("\n")
    );
}

fn check(world: &World, block: &mut Block) -> Vec<String> {
    let mut wrong = Vec::new();
    match &mut block.run {
        Run::Not => {}
        Run::Script(script) => {
            let (text, code) = world.run(script);
            if has_failed(code) {
                wrong.push(format!("exit code {code:?} of\n{script}\n{text}"));
            }
        }
        Run::Console(steps) => {
            for step in steps {
                let (text, code) = world.run(&step.command);
                if has_failed(code) {
                    wrong.push(format!("exit code {code:?}: $ {}\n{text}", step.command));
                } else if !step.shows(&text) {
                    if is_update() {
                        step.set(&text);
                    } else {
                        wrong.push(format!(
                            "$ {}\n{text}--- the page has\n{}",
                            step.command,
                            step.output.join("\n")
                        ));
                    }
                }
            }
        }
    }
    wrong
}

#[test]
fn every_command_is_shown_somewhere() {
    let Some(world) = World::new() else {
        skipped::skip("git", "it cannot be run");
        return;
    };
    let (help, _) = world.run("applyorder --help");
    let listed = help
        .split_once("Commands:\n")
        .unwrap()
        .1
        .split_once("\n\n")
        .unwrap()
        .0;
    let commands: Vec<&str> = listed
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(
        commands.contains(&"lint") && commands.contains(&"help"),
        "{commands:?}"
    );
    let shown: Vec<String> = pages()
        .iter()
        .flat_map(|path| {
            let page = Page::parse(&fs::read_to_string(path).unwrap()).unwrap();
            page.blocks().map(Block::commands).collect::<Vec<_>>()
        })
        .collect();
    let is_shown = |command: &&str| {
        let call = format!("applyorder {command}");
        shown.iter().any(|text| {
            text.lines().any(|line| {
                let mut found = line.match_indices(&call);
                found.any(|(at, _)| {
                    !line[at + call.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '-')
                })
            })
        })
    };
    let missing: Vec<&&str> = commands.iter().filter(|command| !is_shown(command)).collect();
    assert!(
        missing.is_empty(),
        "commands that no `sh` or `console` block shows: {missing:?}"
    );
}
