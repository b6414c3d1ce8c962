//! Verdicts, findings and orders agree: in random apps, in the recorded cases, in the examples, for every error
//! that kapp has, and in every app of the other tests.

#[path = "../../../../../tests/differential/kapp/generate/mod.rs"]
#[allow(dead_code, reason = "the differential tests use more of it")]
mod generate;

use std::path::Path;
use std::sync::Arc;

use crate::config::{INTO_NS, KappApp, KappConfig, MAP_NS, NAMESPACE, SECTION};
use crate::random::Random;
use applyorder_analysis::workspace::{Analysis, Workspace};
use applyorder_core::config::{Config, Configs};
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::{DiskFiles, Files, MemoryFiles};
use camino::{Utf8Path, Utf8PathBuf};

/// The contradictions between verdicts, findings and orders of the projects of a workspace.
pub(super) fn contradictions(analysis: &Analysis) -> Vec<String> {
    contradictions_with(&RunOptions::default(), analysis)
}

fn contradictions_with(options: &RunOptions, analysis: &Analysis) -> Vec<String> {
    let projects = analysis.projects();
    let of_one = projects.flat_map(|(_, project)| {
        let (seed, resolution) = (&project.seed, &project.resolution);
        applyorder_core::layer::contradictions(&crate::ENGINE, options, seed.inferred, resolution)
    });
    of_one.collect()
}

/// Flags that change namespaces, or none.
fn flags(random: &mut Random) -> RunOptions {
    let options = RunOptions::default();
    match random.below(8) {
        0 => options.with(&NAMESPACE, ["one"]),
        1 => options.with(&INTO_NS, ["two"]),
        2 => options.with(&MAP_NS, ["one=two", "default=one", "two=three"]),
        3 => options.with(&MAP_NS, ["one=two"]),
        _ => options,
    }
}

/// The contradictions in a declared app, by itself and over what was deployed before.
fn of_app(
    files: &Arc<dyn Files>,
    dir: &Utf8Path,
    given: &[String],
    state: Option<Utf8PathBuf>,
    flags: &RunOptions,
) -> Vec<String> {
    let mut out = Vec::new();
    let runs: Vec<Option<Utf8PathBuf>> = std::iter::once(None).chain(state.map(Some)).collect();
    for state in runs {
        let app = KappApp {
            name: "app".to_owned(),
            files: given.to_vec(),
            ..KappApp::default()
        };
        let section = KappConfig {
            app: vec![app],
            ..KappConfig::default()
        };
        let config = Config::default().at(dir).with(&SECTION, section);
        let options = RunOptions {
            state,
            ..flags.clone()
        };
        let mut workspace = Workspace::new(crate::ALONE, Arc::clone(files), options.clone());
        workspace.set_configs(Configs::fixed(config));
        workspace.refresh();
        assert!(workspace.analysis().projects().next().is_some());
        out.extend(contradictions_with(&options, &workspace.analysis()));
    }
    out
}

fn in_memory(files: &[(String, String)]) -> Arc<dyn Files> {
    let mut memory = MemoryFiles::new();
    for (path, text) in files {
        memory.insert(format!("/w/{path}"), text.as_str());
    }
    Arc::new(memory)
}

/// The findings in some files, with them.
fn told(name: &str, files: &[(String, String)], found: Vec<String>) -> Vec<String> {
    let shown = || files.iter().map(|(path, text)| format!("# {path}\n{text}"));
    let all = found.into_iter();
    all.map(|c| format!("{name}: {c}\n{}", shown().collect::<String>()))
        .collect()
}

fn hold(wrong: &[String]) {
    let shown = wrong[..wrong.len().min(8)].join("\n");
    assert!(wrong.is_empty(), "{} of them\n{shown}", wrong.len());
}

#[test]
fn in_random_apps() {
    let mut wrong = Vec::new();
    for seed in 0..1_500 {
        let flags = flags(&mut Random::new(seed));
        let input = generate::input(seed);
        let mut files = input.files.clone();
        let given: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let state = input.existing.map(|text| {
            files.push(("existing.yaml".to_owned(), text));
            Utf8PathBuf::from("/w/existing.yaml")
        });
        let memory = in_memory(&files);
        let mut found = of_app(&memory, "/w".into(), &given, state, &flags);
        // The same files as an undeclared app.
        let paths: Vec<Utf8PathBuf> = given.iter().map(|path| format!("/w/{path}").into()).collect();
        let mut workspace = Workspace::new(crate::ALONE, memory, RunOptions::default());
        workspace.offer(&paths, Offer::Found);
        workspace.refresh();
        found.extend(contradictions(&workspace.analysis()));
        wrong.extend(told(&format!("seed {seed}"), &files, found));
    }
    hold(&wrong);
}

const ERRORS: [&str; 7] = [
    include_str!("../../../../../tests/differential/kapp/errors/reading.txt"),
    include_str!("../../../../../tests/differential/kapp/errors/preparing.txt"),
    include_str!("../../../../../tests/differential/kapp/errors/annotations.txt"),
    include_str!("../../../../../tests/differential/kapp/errors/configs.txt"),
    include_str!("../../../../../tests/differential/kapp/errors/comparing.txt"),
    include_str!("../../../../../tests/differential/kapp/errors/versions.txt"),
    include_str!("../../../../../tests/differential/kapp/errors/cycles.txt"),
];

#[test]
fn in_every_error_of_kapp() {
    let mut wrong = Vec::new();
    let rows = ERRORS.iter().flat_map(|file| file.split("\n\n=== ").skip(1));
    for row in rows {
        let (_, body) = row.split_once('\n').unwrap();
        let (manifests, _) = body.split_once("=== says\n").unwrap();
        let (text, existing) = manifests.split_once("=== existing\n").unwrap_or((manifests, ""));
        let files = [
            ("a.yaml".to_owned(), text.to_owned()),
            ("existing.yaml".to_owned(), existing.to_owned()),
        ];
        let state = (!existing.is_empty()).then(|| Utf8PathBuf::from("/w/existing.yaml"));
        let memory = in_memory(&files);
        let given = ["a.yaml".to_owned()];
        let found = of_app(&memory, "/w".into(), &given, state, &RunOptions::default());
        wrong.extend(found.into_iter().map(|c| format!("{c}\n{row}")));
    }
    hold(&wrong);
}

/// Inputs of errors, and random ones, as one app: of several errors at several stages kapp reports the first.
#[test]
fn in_several_errors_at_once() {
    let rows = ERRORS.iter().flat_map(|file| file.split("\n\n=== ").skip(1));
    let manifests = rows.filter_map(|row| row.split_once('\n')?.1.split_once("=== says\n"));
    let texts: Vec<(&str, &str)> = manifests
        .map(|(text, _)| text.split_once("=== existing\n").unwrap_or((text, "")))
        .collect();
    let mut random = Random::new(0x00a9_91e5);
    let mut wrong = Vec::new();
    for round in 0..1_500 {
        let mut files = Vec::new();
        let mut existing = String::new();
        for number in 0..2 + random.below(2) {
            let (text, before) = texts[random.below(texts.len())];
            files.push((format!("{number}.yaml"), text.to_owned()));
            if !before.is_empty() {
                existing = before.to_owned();
            }
        }
        if random.below(2) == 0 {
            let others = generate::input(random.below(1 << 30) as u64).files.into_iter();
            files.extend(others.map(|(path, text)| (format!("random/{path}"), text)));
        }
        let given: Vec<String> = files.iter().map(|(path, _)| path.clone()).collect();
        let state = (!existing.is_empty()).then(|| Utf8PathBuf::from("/w/existing.yaml"));
        files.push(("existing.yaml".to_owned(), existing));
        let flags = flags(&mut random);
        let found = of_app(&in_memory(&files), "/w".into(), &given, state, &flags);
        wrong.extend(told(&format!("round {round}"), &files, found));
    }
    hold(&wrong);
}

#[test]
fn in_cases_and_examples() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let mut wrong = Vec::new();
    let mut apps = 0;
    for entry in root.join("tests/conformance/cases/kapp").read_dir().unwrap() {
        let dir = entry.unwrap().path().canonicalize().unwrap();
        let dir = Utf8PathBuf::from_path_buf(dir).unwrap();
        let Ok(expected) = DiskFiles::default().read(&dir.join("expected.json")) else {
            continue;
        };
        let expected: serde_json::Value = serde_json::from_slice(&expected).unwrap();
        let (mut given, mut state) = (Vec::new(), None);
        let args = expected["args"].as_array().cloned().unwrap_or_default();
        for pair in args.chunks(2) {
            let value = pair[1].as_str().unwrap();
            if pair[0] == "-f" {
                given.extend(value.split(',').map(str::to_owned));
            } else {
                state = Some(dir.join(value));
            }
        }
        apps += 1;
        let files: Arc<dyn Files> = Arc::new(DiskFiles::default());
        let found = of_app(&files, &dir, &given, state, &RunOptions::default());
        wrong.extend(found.into_iter().map(|c| format!("{dir} {c}")));
    }
    for example in ["broken", "shop"] {
        let dir = root.join("examples/kapp").join(example).canonicalize().unwrap();
        let dir = Utf8PathBuf::from_path_buf(dir).unwrap();
        let files: Arc<dyn Files> = Arc::new(DiskFiles::default());
        let given = ["config".to_owned()];
        let found = of_app(&files, &dir, &given, None, &RunOptions::default());
        wrong.extend(found.into_iter().map(|c| format!("{dir} {c}")));
    }
    assert!(apps > 25, "{apps}");
    hold(&wrong);
}
