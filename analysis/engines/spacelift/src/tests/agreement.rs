//! Verdicts, findings and orders agree: in random modules, in the recorded cases, in the examples, and in every module of
//! the other tests.

#[path = "../../../../../tests/differential/spacelift/generate.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod generate;

use std::path::Path;
use std::sync::Arc;

use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::{DiskFiles, Files, MemoryFiles};
use camino::{Utf8Path, Utf8PathBuf};

/// How many verdicts there are in some files, how many of them are not ok, and where verdicts, findings and orders
/// contradict each other.
fn contradictions(
    files: Arc<dyn Files>,
    offered: &[Utf8PathBuf],
    options: &RunOptions,
) -> (usize, usize, Vec<String>) {
    let mut workspace = Workspace::new(crate::ALONE, files, options.clone());
    workspace.offer(offered, Offer::Found);
    workspace.refresh();
    let analysis = workspace.analysis();
    let of_one = analysis.projects().flat_map(|(_, project)| {
        let (seed, resolution) = (&project.seed, &project.resolution);
        applyorder_core::layer::contradictions(&crate::ENGINE, options, seed.inferred, resolution)
    });
    let verdicts = || analysis.projects().flat_map(|(_, p)| &p.resolution.verdicts);
    let rejected = verdicts().filter(|v| v.ok == Some(false));
    (verdicts().count(), rejected.count(), of_one.collect())
}

/// Without values of variables, and with some.
fn runs() -> [RunOptions; 2] {
    let given = ["text=t", "list=[\"m\"]", "on=true", "any=1"].map(str::to_owned);
    let mut with = RunOptions::default();
    with.set(&crate::config::VAR, given.into());
    [RunOptions::default(), with]
}

/// What was found in the files of many modules.
#[derive(Default)]
struct Tally {
    wrong: Vec<String>,
    /// Verdicts.
    all: usize,
    /// Those that are not ok.
    rejected: usize,
}

impl Tally {
    /// Every run of some files; how many verdicts there are.
    fn add(&mut self, name: &str, memory: MemoryFiles, paths: &[Utf8PathBuf]) -> usize {
        let memory: Arc<dyn Files> = Arc::new(memory);
        let before = self.all;
        for options in runs() {
            let (verdicts, rejected, found) = contradictions(memory.clone(), paths, &options);
            self.all += verdicts;
            self.rejected += rejected;
            self.wrong
                .extend(found.into_iter().map(|c| format!("{name}: {c}")));
        }
        self.all - before
    }

    fn hold(&self) {
        let shown = self.wrong[..self.wrong.len().min(8)].join("\n");
        assert!(self.wrong.is_empty(), "{} of them\n{shown}", self.wrong.len());
    }
}

fn below(dir: &Path) -> Vec<Utf8PathBuf> {
    let mut open = vec![dir.canonicalize().unwrap()];
    let mut found = Vec::new();
    while let Some(dir) = open.pop() {
        for entry in dir.read_dir().unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                found.extend(Utf8PathBuf::from_path_buf(path));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn in_random_modules() {
    let mut tally = Tally::default();
    for seed in 0..600 {
        let module = generate::module(seed);
        let mut memory = MemoryFiles::new();
        let mut paths = Vec::new();
        for (name, text) in &module.files {
            let path = Utf8Path::new("/w").join(name);
            memory.insert(path.clone(), text.as_str());
            paths.push(path);
        }
        assert!(
            tally.add(&format!("seed {seed}"), memory, &paths) > 0,
            "seed {seed}"
        );
    }
    tally.hold();
    let Tally { all, rejected, .. } = tally;
    assert!(rejected > 300 && rejected < all - 300, "{rejected} of {all}");
}

/// The files of two random modules as one: what one declares, the other may declare too, or refer to.
#[test]
fn in_modules_put_together_at_random() {
    let mut tally = Tally::default();
    for seed in 0..400 {
        let mut memory = MemoryFiles::new();
        let mut paths = Vec::new();
        for (number, module) in [seed, 7_919 * (seed + 1)]
            .map(generate::module)
            .iter()
            .enumerate()
        {
            for (name, text) in &module.files {
                let name = match name.split_once('/') {
                    None => format!("{number}{name}"),
                    Some(_) => (*name).to_owned(),
                };
                let path = Utf8Path::new("/w").join(name);
                memory.insert(path.clone(), text.as_str());
                paths.push(path);
            }
        }
        tally.add(&format!("seed {seed}"), memory, &paths);
    }
    tally.hold();
    let Tally { all, rejected, .. } = tally;
    assert!(rejected > 300, "{rejected} of {all}");
}

#[test]
fn in_cases_and_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut wrong = Vec::new();
    let mut all = 0;
    for dir in ["tests/conformance/cases/spacelift", "examples/spacelift"] {
        for entry in root.join(dir).read_dir().unwrap() {
            let case = entry.unwrap().path();
            if !case.is_dir() {
                continue;
            }
            for options in runs() {
                let files: Arc<dyn Files> = Arc::new(DiskFiles::default());
                let (verdicts, _, found) = contradictions(files, &below(&case), &options);
                all += verdicts;
                wrong.extend(found.into_iter().map(|c| format!("{}: {c}", case.display())));
            }
        }
    }
    assert!(all > 30, "{all}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
