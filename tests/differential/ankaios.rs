//! `ank-server -m` against our startup verdict, on the probes and on random graphs, if the real programs are on PATH.
//! They are not in any package registry: programs with the same names there are different ones.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::files::MemoryFiles;
use applyorder_analysis::workspace::Workspace;
use camino::Utf8PathBuf;

use crate::random::Random;
use crate::skipped::skip;

/// The number of random graphs.
const GRAPHS: u64 = 200;

#[test]
fn random_graphs_get_the_verdict_of_the_server() {
    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !is_there("ank-server") || !is_there("ank") {
        return skip(
            "real ankaios",
            "`ank-server` and `ank` of Ankaios are not on PATH",
        );
    }
    let mut differ = 0;
    for seed in 0..GRAPHS {
        let text = graph(seed);
        let (ours, theirs) = (ours(&text), theirs(&text));
        if ours != theirs {
            differ += 1;
            println!("graph {seed}: ours {ours:?}, the server {theirs:?}\n{text}");
        }
    }
    assert_eq!(differ, 0, "{differ} of {GRAPHS} graphs differ");
}

fn graph(seed: u64) -> String {
    let mut random = Random::new(seed);
    let count = 2 + random.below(10);
    let mut text = String::from("apiVersion: v1\nworkloads:\n");
    for node in 0..count {
        text.push_str(&format!(
            "  n{node}:\n    runtime: podman\n    agent: ''\n    runtimeConfig: 'image: x'\n"
        ));
        let own: BTreeSet<_> = (0..random.below(4)).map(|_| random.below(count)).collect();
        text.push_str(if own.is_empty() { "" } else { "    dependencies:\n" });
        for to in own {
            text.push_str(&format!("      n{to}: ADD_COND_RUNNING\n"));
        }
    }
    text
}

fn ours(text: &str) -> Option<String> {
    let path = Utf8PathBuf::from("/m.yaml");
    let mut files = MemoryFiles::new();
    files.insert(path.clone(), text);
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    workspace.offer(&[path], Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let (_, project) = analysis.projects().next().expect("a manifest is a project");
    let verdict = project
        .resolution
        .verdicts
        .iter()
        .find(|v| v.command == "startup")
        .expect("a verdict");
    verdict.errors.first().map(|e| e.message.clone())
}

/// The message of the server before it is ready, if it rejects the manifest.
fn theirs(text: &str) -> Option<String> {
    let dir = crate::temp::temporary();
    let file = dir.path().join("m.yaml");
    std::fs::write(&file, text).expect("a file");
    let mut server = Command::new("ank-server")
        .args(["-k", "-a", "127.0.0.1:0", "-m"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a server");
    let output = BufReader::new(server.stderr.take().expect("its output"));
    let mut said = None;
    for line in output.lines().map_while(Result::ok) {
        if line.contains("Starting...") || line.contains("No initial workloads") {
            break;
        }
        if let Some(at) = line.find("server error: '") {
            said = Some(line[at..].trim_end_matches("\u{1b}[0m").to_owned());
            break;
        }
    }
    server.kill().expect("the server can be stopped");
    server.wait().expect("the server ends");
    said
}
