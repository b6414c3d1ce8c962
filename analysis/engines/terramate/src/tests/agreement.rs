//! Verdicts, findings and orders of random projects, and of all examples and cases, agree.

#![allow(
    clippy::disallowed_methods,
    reason = "cases and examples are read from the disk"
)]

use super::ROOT;
use applyorder_analysis::workspace::Workspace;
use applyorder_core::config::Configs;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;
use applyorder_core::layer::contradictions;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A generator of numbers that always returns the same sequence.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn often(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const DIRS: [&str; 8] = ["", "a/", "a/b/", "a/b/c/", "a.b/", "d/", "d/e/", ".h/"];

const ENTRIES: [&str; 16] = [
    "/a", "/a/b", "/d", "/d/e", "/a.b", "..", ".", "../d", "tag:x", "tag:y", "tag:x:y", "tag:~x", "/nowhere",
    "/", "../../..", "tag:A",
];

/// Possible contents of a stack, valid and invalid.
const LINES: [&str; 16] = [
    "id = \"one\"",
    "id = \"ONE\"",
    "id = \"no id\"",
    "name = tm_file(\"x\")",
    "name = tm_uuid()",
    "name = 1",
    "tags = [\"x\"]",
    "tags = [\"x\", \"y\"]",
    "tags = [\"X\"]",
    "tags = [tm_file(\"x\")]",
    "watch = tm_timestamp()",
    "watch = [\"/a\"]",
    "x = 1",
    "description = global.x",
    "before = concat([])",
    "wants = [\"tag:~\"]",
];

/// Other possible contents of a file.
const BLOCKS: [&str; 22] = [
    "globals {\n  x = 1\n}\n",
    "globals {\n  y = global.nope\n}\n",
    "globals \"o\" {\n  z = terramate.stack.name\n}\n",
    "globals {\n  map \"m\" {\n    for_each = []\n    key = \"k\"\n  }\n}\n",
    "import {\n  source = \"/lib/sound.txt\"\n}\n",
    "import {\n  source = \"/lib/broken.txt\"\n}\n",
    "import {\n  source = \"/lib/wrong.txt\"\n}\n",
    "import {\n  source = \"/lib/stack.txt\"\n}\n",
    "import {\n  source = \"/lib/round.txt\"\n}\n",
    "import {\n  source = \"/nowhere/x.txt\"\n}\n",
    "import {\n  source = global.x\n}\n",
    "terramate {\n  config {\n    run {\n      env {\n        A = global.x\n      }\n    }\n  }\n}\n",
    "terramate {\n  config {\n    run {\n      env {\n        B = 1\n      }\n    }\n  }\n}\n",
    "script \"x\" {\n  job {\n    command = [\"y\"]\n  }\n}\n",
    "stack {\n}\n",
    "vendor {\n}\nvendor {\n}\n",
    "foo {\n}\n",
    "bar = 1\n",
    "stack {\n",
    "environment {\n  id = \"dev\"\n}\n",
    "bundle \"b\" {\n  source = \"/b\"\n}\n",
    "generate_hcl \"x\" {\n}\n",
];

const LIBRARY: &[(&str, &str)] = &[
    ("lib/sound.txt", "globals {\n  w = 1\n}\n"),
    ("lib/broken.txt", "globals {\n"),
    ("lib/wrong.txt", "foo {\n}\ngenerate_file \"x\" {\n}\n"),
    ("lib/stack.txt", "stack {\n}\n"),
    ("lib/round.txt", "import {\n  source = \"/lib2/round.txt\"\n}\n"),
    ("lib2/round.txt", "import {\n  source = \"/lib/round.txt\"\n}\n"),
];

const OTHERS: [(&str, &str); 5] = [
    ("d/e/.tmskip", ""),
    (".h/i.tm.yml", "a: 1\n"),
    ("d/i.tm.yml", "a: 1\n"),
    ("a/x.tmgen", "{\n"),
    (
        "a/tm.tm",
        "terramate {\n  config {\n    experiments = [\"tmgen\", \"scripts\"]\n  }\n}\n",
    ),
];

fn stack(random: &mut Random) -> String {
    let mut text = String::from("stack {\n");
    for list in ["after", "before", "wants", "wanted_by"] {
        if random.often(30) {
            let (one, two) = (random.one(&ENTRIES), random.one(&ENTRIES));
            let entries = if one == two {
                format!("\"{one}\"")
            } else {
                format!("\"{one}\", \"{two}\"")
            };
            text.push_str(&format!("  {list} = [{entries}]\n"));
        }
    }
    if random.often(40) {
        let line = random.one(&LINES);
        let name = line.split(' ').next().unwrap();
        if !text.contains(&format!("  {name} ")) {
            text.push_str(&format!("  {line}\n"));
        }
    }
    text + "}\n"
}

fn project(random: &mut Random) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    let root = match random.below(12) {
        0 => "terramate {\n  required_version = \"> 9\"\n}\n".to_owned(),
        1 => "terramate {\n  required_version = \"soon\"\n}\n".to_owned(),
        2 => "globals {\n}\n".to_owned(),
        3 => ROOT.replace("}\n", "  config {\n    experiments = [\"tmgen\"]\n  }\n}\n"),
        _ => ROOT.to_owned(),
    };
    files.push(("terramate.tm".to_owned(), root));
    let is_odd = random.often(60);
    for dir in DIRS {
        if random.often(65) {
            let mut text = stack(random);
            if is_odd && random.often(25) {
                text.push_str(random.one(&BLOCKS));
            }
            files.push((format!("{dir}stack.tm"), text));
        }
        if is_odd && random.often(10) {
            files.push((format!("{dir}more.tm"), random.one(&BLOCKS).to_owned()));
        }
    }
    let library = LIBRARY.iter();
    files.extend(library.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let others = OTHERS.iter().filter(|_| is_odd && random.often(8));
    files.extend(others.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    files
}

fn options(random: &mut Random) -> RunOptions {
    let mut options = RunOptions::default();
    match random.below(10) {
        0 => options.tags = vec!["x".to_owned()],
        1 => options.tags = vec!["~x".to_owned()],
        2 => options.no_tags = vec!["y".to_owned()],
        3 => options.cwd = Some("/w/a".into()),
        4 => options.cwd = Some("/w/d/e".into()),
        5 => options.command = Some("list".to_owned()),
        6 => options.changed = Some(vec!["/a".to_owned(), "/d/e".to_owned()]),
        _ => {}
    }
    options
}

/// The result of `run`: its stage if it is rejected.
type Outcome = (Option<bool>, Option<&'static str>);

/// Whether a project agrees; with the result of its `run`.
#[track_caller]
fn agree(files: &[(String, String)], options: &RunOptions) -> Vec<Outcome> {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(format!("/w/{path}"), text.as_str());
    }
    let paths: Vec<_> = memory.paths().map(camino::Utf8Path::to_owned).collect();
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(memory), options.clone());
    workspace.set_configs(Configs::new());
    workspace.offer(&paths, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let mut outcomes = Vec::new();
    for (_, project) in analysis.projects() {
        let verdicts = project.resolution.verdicts.iter();
        outcomes.extend(verdicts.filter(|v| v.command == "run").map(|v| (v.ok, v.stage)));
        let found = contradictions(
            &crate::ENGINE,
            options,
            project.seed.inferred,
            &project.resolution,
        );
        let shown = || {
            let texts = files.iter().map(|(path, text)| format!("//- {path}\n{text}"));
            texts.collect::<String>()
        };
        assert!(found.is_empty(), "{found:#?}\n{options:?}\n{}", shown());
    }
    outcomes
}

#[test]
fn random_projects_agree() {
    let mut random = Random(1);
    let mut seen: BTreeSet<Outcome> = BTreeSet::new();
    for _ in 0..3_000 {
        let (files, options) = (project(&mut random), options(&mut random));
        seen.extend(agree(&files, &options));
    }
    // All possible results of a run are among them.
    let stages = [
        "root",
        "load",
        "version",
        "flags",
        "stacks",
        "wants",
        "order",
        "environment",
    ];
    let mut all: BTreeSet<Outcome> = stages
        .into_iter()
        .map(|stage| (Some(false), Some(stage)))
        .collect();
    all.extend([(Some(true), None), (None, None)]);
    assert_eq!(seen, all);
}

#[test]
fn cases_and_examples_agree() {
    let root = camino::Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut count = 0;
    for parent in ["tests/conformance/cases/terramate", "examples/terramate"] {
        for dir in root.join(parent).read_dir_utf8().unwrap() {
            let dir = dir.unwrap();
            if !dir.file_type().unwrap().is_dir() {
                continue;
            }
            let mut files = Vec::new();
            let mut open = vec![dir.path().to_owned()];
            while let Some(at) = open.pop() {
                for entry in at.read_dir_utf8().unwrap() {
                    let path = entry.unwrap().path().to_owned();
                    match path.is_dir() {
                        true => open.push(path),
                        false => {
                            let below = path.strip_prefix(dir.path()).unwrap().to_string();
                            files.extend(std::fs::read_to_string(&path).ok().map(|text| (below, text)));
                        }
                    }
                }
            }
            agree(&files, &RunOptions::default());
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}
