//! What the examples of the rules' pages contain, repeated: findings and their fixes take time as the text is long.

#![allow(clippy::indexing_slicing, clippy::unwrap_used)]

#[path = "../../syntax/src/growth.rs"]
mod clock;
#[allow(dead_code)]
#[path = "../../../tests/differential/random.rs"]
mod random;

use std::sync::Arc;

use applyorder_analysis::fixture::{block, terraform_tree};
use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use camino::Utf8PathBuf;

use self::clock::Growth;
use self::random::Random;

const TERRAMATE: &str = "//- /w/terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n  config {\n    \
    experiments = [\"scripts\", \"outputs-sharing\", \"toml-functions\"]\n  }\n}\n//- /w/a/stack.tm\n";

/// How many places of each example are repeated, each by itself.
const PLACES: usize = 4;

/// A tree of files that ends in an example.
fn tree(engine: &str, text: &str) -> String {
    let below = |head: &str, by: &str| {
        let lines = text.lines().map(|line| format!("{by}{line}\n"));
        format!(
            "//- /w/tazuna.yaml\nspec:\n  manifests:\n{head}{}",
            lines.collect::<String>()
        )
    };
    match engine {
        "terramate" => format!("{TERRAMATE}{text}"),
        "spacelift" => terraform_tree(text),
        "tazuna" if text.starts_with("- ") => below("", "    "),
        "tazuna" if !text.starts_with("spec:") => below("    - name: app\n", "      "),
        "tazuna" => format!("//- /w/tazuna.yaml\n{text}"),
        _ => format!("//- /w/a.yaml\n{text}"),
    }
}

/// The lines of a block or an entry, from the line with its start.
fn extent(lines: &[&str], from: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let own = indent(lines[from]);
    let mut end = from + 1;
    while end < lines.len() && (lines[end].trim().is_empty() || indent(lines[end]) > own) {
        end += 1;
    }
    let closes = |line: &str| line.trim_start().starts_with(['}', ']']) && indent(line) == own;
    end + usize::from(end < lines.len() && closes(lines[end]))
}

/// A tree in which some lines are there `n` times, with a number in place of one of their words.
fn repeated(tree: &str, (from, to): (usize, usize), word: Option<&str>, n: usize) -> String {
    let lines: Vec<&str> = tree.lines().collect();
    let mut out: Vec<String> = lines[..from].iter().map(|line| (*line).to_owned()).collect();
    let part = lines[from..to].join("\n");
    out.extend((0..n).map(|i| match word {
        Some(word) => part.replace(word, &format!("{word}{i}")),
        None => part.clone(),
    }));
    out.extend(lines[to..].iter().map(|line| (*line).to_owned()));
    out.join("\n") + "\n"
}

/// Resolves a tree, and makes the edits of each fix.
fn resolve(tree: &str) {
    let mut files = MemoryFiles::new();
    let mut paths = Vec::new();
    for part in tree.split("//- ").skip(1) {
        let (path, body) = part.split_once('\n').unwrap();
        let path = Utf8PathBuf::from(path);
        files.insert(path.clone(), body);
        paths.push(path);
    }
    let mut workspace = Workspace::new(applyorder_engines::all(), Arc::new(files), RunOptions::default());
    workspace.offer(&paths, Offer::Explicit);
    workspace.refresh();
    let analysis = workspace.analysis();
    for finding in analysis.findings() {
        for fix in &finding.diagnostic.fixes {
            drop(analysis.edits(fix));
        }
    }
}

#[test]
fn what_is_repeated_takes_time_as_it_is_long() {
    let seed = std::env::var("APPLYORDER_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or_else(|| u64::from(std::process::id()));
    println!("APPLYORDER_SEED={seed}");
    let mut random = Random::new(seed);
    let mut shapes = Vec::new();
    for rule in applyorder_engines::all().rules() {
        let Some((engine, (_, text))) = rule.engine().zip(block(rule.docs, "Example")) else {
            continue;
        };
        let tree = tree(engine, text);
        let lines: Vec<&str> = tree.lines().collect();
        let example = lines.len() - text.lines().count().min(lines.len() - 1);
        for _ in 0..PLACES {
            let from = example + random.below(lines.len() - example);
            if lines[from].trim().is_empty() || lines[from].starts_with("//-") {
                continue;
            }
            let to = extent(&lines, from);
            let part = lines[from..to].join("\n");
            let words: Vec<&str> = part
                .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                .filter(|word| word.len() > 1 && word.starts_with(|c: char| c.is_ascii_alphabetic()))
                .collect();
            let word = (!words.is_empty() && !random.one_in(4)).then(|| (*random.pick(&words)).to_owned());
            shapes.push((rule.id, tree.clone(), (from, to), word));
        }
    }
    assert!(shapes.len() > 100, "{}", shapes.len());
    // One thread, so that the work of all threads is measured.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        let mut growth = Growth::of(resolve);
        for (rule, tree, range, word) in &shapes {
            let name = format!(
                "{rule}, {word:?} in\n{}",
                repeated(tree, *range, word.as_deref(), 2)
            );
            growth.check(&name, 200, |n| repeated(tree, *range, word.as_deref(), n));
        }
        growth.finish();
    });
}
