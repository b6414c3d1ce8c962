//! `lint --watch`: changes are reported, and Ctrl-C ends it with the last exit code.
#![cfg(unix)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use crate::support::{Tree, command};

/// The time limit on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

struct Watching {
    child: Child,
    lines: Receiver<String>,
}

impl Watching {
    fn start(tree: &Tree, args: &[&str]) -> Self {
        Self::start_in(tree, args, &[])
    }

    fn start_in(tree: &Tree, args: &[&str], env: &[(&str, &str)]) -> Self {
        let mut child = command(&tree.root())
            .envs(env.iter().copied())
            .args(["lint", "--watch", "--format", "concise"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (send, lines) = mpsc::channel();
        let streams: [Box<dyn BufRead + Send>; 2] = [
            Box::new(BufReader::new(child.stdout.take().unwrap())),
            Box::new(BufReader::new(child.stderr.take().unwrap())),
        ];
        for stream in streams {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in stream.lines().map_while(Result::ok) {
                    drop(send.send(line));
                }
            });
        }
        Self { child, lines }
    }

    /// The next line that contains some text.
    #[track_caller]
    fn line_with(&self, part: &str) -> String {
        let mut seen = Vec::new();
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) if line.contains(part) => return line,
                Ok(line) => seen.push(line),
                Err(e) => panic!("{part}: {e}: {seen:?}"),
            }
        }
    }

    fn interrupted(mut self) -> i32 {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, Signal::INT).unwrap();
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        // A process that was not interrupted would continue watching.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_missing_directory_fixes_nothing_and_is_seen_when_it_is_back() {
    let tree = Tree::new(&[("w/tazuna.yaml", &manifests(&[("a", "gone")]))]);
    let watching = Watching::start(&tree, &["w"]);
    watching.line_with("watching");
    std::fs::rename(tree.path("w"), tree.path("away")).unwrap();
    let line = watching.line_with("──");
    assert!(line.contains("no change") && line.contains("1 error"), "{line}");
    tree.write("away/tazuna.yaml", manifests(&[("a", "")]));
    std::fs::rename(tree.path("away"), tree.path("w")).unwrap();
    let line = watching.line_with("fixed");
    assert!(line.contains("1 → 0 errors"), "{line}");
    assert_eq!(watching.interrupted(), 0);
}

fn manifests(entries: &[(&str, &str)]) -> String {
    let entry = |(name, on): &(&str, &str)| {
        format!("    - {{name: {name}, type: kustomize, path: ., dependsOn: [{on}]}}\n")
    };
    format!(
        "spec:\n  manifests:\n{}",
        entries.iter().map(entry).collect::<String>()
    )
}

#[test]
fn changes_are_reported_and_ctrl_c_ends_with_the_last_exit_code() {
    let (ring, line) = ([("db", "app"), ("app", "db")], [("db", ""), ("app", "db")]);
    let tree = Tree::new(&[("tazuna.yaml", &manifests(&ring))]);
    let watching = Watching::start(&tree, &[]);
    watching.line_with("error[cycle]");
    watching.line_with("watching ");
    tree.write("tazuna.yaml", manifests(&line));
    let fixed = watching.line_with("✓ fixed: cycle (");
    assert!(
        fixed.starts_with("── ") && fixed.contains(" tazuna.yaml ── "),
        "{fixed}"
    );
    assert!(fixed.ends_with(" ── 1 → 0 errors"), "{fixed}");
    // A new file, a file in a new directory, and a deleted file.
    tree.write("new/tazuna.yaml", manifests(&[("a", "gone")]));
    let new = watching.line_with("✗ new: unknown-dependency (a)");
    assert!(new.ends_with(" ── 0 → 1 error"), "{new}");
    watching.line_with("new/tazuna.yaml:3:");
    // A configuration that is created, becomes invalid, and is deleted.
    tree.write("applyorder.toml", "rules.unknown-dependency = \"off\"\n");
    watching.line_with("✓ fixed: unknown-dependency (a)");
    tree.write("applyorder.toml", "ruels = 1\n");
    watching.line_with("✗ new: invalid-config (applyorder.toml), unknown-dependency (a)");
    std::fs::remove_file(tree.path("applyorder.toml")).unwrap();
    watching.line_with("✓ fixed: invalid-config");
    assert_eq!(watching.interrupted(), 1);
}

#[test]
fn a_terminal_without_utf_8_gets_ascii() {
    let tree = Tree::new(&[("tazuna.yaml", &manifests(&[("a", "gone")]))]);
    let watching = Watching::start_in(&tree, &[], &[("LC_ALL", "C")]);
    watching.line_with("watching ");
    tree.write("tazuna.yaml", manifests(&[("a", "")]));
    let line = watching.line_with("ok fixed: unknown-dependency (a)");
    assert!(
        line.starts_with("-- ") && line.ends_with(" -- 1 -> 0 errors"),
        "{line}"
    );
    assert!(line.is_ascii(), "{line}");
}

#[test]
fn a_replaced_directory_is_still_watched_and_reports_are_not_changes() {
    let tree = Tree::new(&[("d/tazuna.yaml", &manifests(&[("a", "")]))]);
    let watching = Watching::start(&tree, &["--format", "json=out.json"]);
    watching.line_with("watching ");
    std::fs::remove_dir_all(tree.path("d")).unwrap();
    watching.line_with("── ");
    tree.write("d/tazuna.yaml", manifests(&[("a", "")]));
    watching.line_with("── ");
    tree.write("d/tazuna.yaml", manifests(&[("a", "gone")]));
    watching.line_with("✗ new: unknown-dependency (a)");
    let report = std::fs::read_to_string(tree.path("out.json")).unwrap();
    assert!(report.contains("unknown-dependency"), "{report}");
    tree.write("d/tazuna.yaml", manifests(&[("a", "")]));
    watching.line_with("✓ fixed: unknown-dependency (a)");
    std::thread::sleep(Duration::from_millis(500));
    let more: Vec<String> = watching
        .lines
        .try_iter()
        .filter(|l| l.contains("out.json"))
        .collect();
    assert_eq!(more, [""; 0]);
    assert_eq!(watching.interrupted(), 0);
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let tree = Tree::new(&[("tazuna.yaml", "spec: {}\n")]);
    for (args, why) in [
        (&["lint", "--watch", "--format", "json"][..], "--format json=FILE"),
        (
            &["lint", "--watch", "--stdin-filename", "tazuna.yaml", "-"],
            "standard input",
        ),
        (&["lint", "--watch", "--diff"], "cannot be used with"),
    ] {
        let answer = tree.run_with(args, Some(b""), &[]);
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.stderr.contains(why), "{answer:?}");
    }
}
