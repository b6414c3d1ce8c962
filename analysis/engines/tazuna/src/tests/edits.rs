//! Edits of a user who knows the format lead to the same result as a new analysis of the texts.

#[path = "../../../../tests/incremental/picture.rs"]
mod picture;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use camino::Utf8PathBuf;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use self::picture::{findings, picture};
use applyorder_analysis::workspace::Workspace;
use applyorder_core::engine::{Offer, RunOptions};
use applyorder_core::files::MemoryFiles;

/// The root, and the files that it includes or may include.
const FILES: usize = 7;

/// One edit of one file. Numbers are modulo the available ones.
#[derive(Clone, Debug)]
enum Edit {
    /// Another value in a line.
    Value(usize, usize, usize),
    /// Adds or removes an entry of `dependsOn`.
    AddNeed(usize, usize, usize),
    RemoveNeed(usize, usize),
    /// Adds or removes a manifest.
    AddUnit(usize, usize, usize),
    RemoveUnit(usize, usize),
    /// Adds, removes or replaces an include of a file.
    AddInclude(usize, usize),
    RemoveInclude(usize),
    ChangeInclude(usize, usize),
    /// A line that is only in one environment, or in all again.
    Wrap(usize, usize, usize),
    Unwrap(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let n = || 0..400usize;
    let file = || 0..FILES;
    prop_oneof![
        6 => (file(), n(), n()).prop_map(|(f, line, word)| Edit::Value(f, line, word)),
        5 => (file(), n(), n()).prop_map(|(f, unit, name)| Edit::AddNeed(f, unit, name)),
        3 => (file(), n()).prop_map(|(f, need)| Edit::RemoveNeed(f, need)),
        2 => (file(), n(), n()).prop_map(|(f, unit, name)| Edit::AddUnit(f, unit, name)),
        2 => (file(), n()).prop_map(|(f, unit)| Edit::RemoveUnit(f, unit)),
        3 => (n(), n()).prop_map(|(at, to)| Edit::AddInclude(at, to)),
        2 => n().prop_map(Edit::RemoveInclude),
        2 => (n(), n()).prop_map(|(at, to)| Edit::ChangeInclude(at, to)),
        2 => (file(), n(), n()).prop_map(|(f, line, env)| Edit::Wrap(f, line, env)),
        1 => file().prop_map(Edit::Unwrap),
    ]
}

const NAMES: &[&str] = &[
    "r1", "r2", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "group", "nobody",
    "on", "1_0",
];

const WORDS: &[&str] = &[
    "a",
    "b",
    "c",
    "d",
    "e",
    "f",
    "k",
    "new",
    "Bad_",
    "helmfile",
    "[ops]",
    "[ops, net]",
    "./gone",
    "# note",
    "{{ .Environment }}",
    "a{{ .Environment }}",
    "{{ if eq .Environment \"p\" }}a{{ else }}b{{ end }}",
    "{{",
    "[a",
    "~",
    "on",
    "1_0",
];

const ENVIRONMENTS: &[&str] = &["p", "q", ""];

/// The numbers of the lines that start with a text.
fn starting(lines: &[String], with: &str) -> Vec<usize> {
    let numbered = lines.iter().enumerate();
    numbered
        .filter(|(_, l)| l.starts_with(with))
        .map(|(i, _)| i)
        .collect()
}

fn nth(of: &[usize], n: usize) -> Option<usize> {
    of.get(n % of.len().max(1)).copied()
}

impl Edit {
    fn file(&self) -> usize {
        match *self {
            Self::AddInclude(..) | Self::RemoveInclude(_) | Self::ChangeInclude(..) => 0,
            Self::Value(f, ..)
            | Self::AddNeed(f, ..)
            | Self::RemoveNeed(f, _)
            | Self::AddUnit(f, ..)
            | Self::RemoveUnit(f, _)
            | Self::Wrap(f, ..)
            | Self::Unwrap(f) => f,
        }
    }

    fn apply(&self, lines: &mut Vec<String>, names: &[String]) -> Option<()> {
        let units = starting(lines, "    - ");
        let needs = starting(lines, "        - ");
        let needs: Vec<usize> = needs
            .into_iter()
            .filter(|l| !lines[*l].contains("path:"))
            .collect();
        let includes = starting(lines, "        - path: ");
        match *self {
            Self::Value(_, line, word) => {
                let first = lines.iter().position(|l| l.contains("manifests:"))? + 1;
                let at = first + line % (lines.len() - first).max(1);
                let line = lines.get_mut(at)?;
                let value = line.rfind(": ").map(|i| i + 2).or(line.find("- ").map(|i| i + 2));
                line.replace_range(value.unwrap_or(line.len()).., WORDS[word % WORDS.len()]);
            }
            Self::AddNeed(_, unit, name) => {
                let start = nth(&units, unit)?;
                let end = units.iter().find(|u| **u > start).copied().unwrap_or(lines.len());
                let key = (start..end).find(|l| lines[*l].starts_with("      dependsOn:"));
                let at = key.unwrap_or(end);
                if key.is_none() {
                    lines.insert(at, "      dependsOn:".to_owned());
                }
                lines.insert(at + 1, format!("        - {}", names[name % names.len()]));
            }
            Self::RemoveNeed(_, need) => drop(lines.remove(nth(&needs, need)?)),
            Self::AddUnit(_, unit, name) => {
                let at = nth(&units, unit).unwrap_or(lines.len());
                let name = &names[name % names.len()];
                let text = [
                    format!("    - name: {name}"),
                    "      type: kustomize".into(),
                    "      path: ./x".into(),
                ];
                lines.splice(at..at, text);
            }
            Self::RemoveUnit(_, unit) => {
                let start = nth(&units, unit)?;
                let end = units.iter().find(|u| **u > start).copied().unwrap_or(lines.len());
                lines.drain(start..end);
            }
            Self::AddInclude(at, to) => {
                let at = nth(&includes, at)? + at % 2;
                lines.insert(at, format!("        - path: {}.yaml", 1 + to % FILES));
            }
            Self::RemoveInclude(at) => drop(lines.remove(nth(&includes, at)?)),
            Self::ChangeInclude(at, to) => {
                lines[nth(&includes, at)?] = format!("        - path: {}.yaml", 1 + to % FILES);
            }
            Self::Wrap(_, line, environment) => {
                let at = 3 + line % lines.len().saturating_sub(3).max(1);
                let text = lines.get(at)?.clone();
                let name = ENVIRONMENTS[environment % 3];
                lines[at] = format!("{{{{ if eq .Environment \"{name}\" }}}}");
                lines.splice(at + 1..at + 1, [text, "{{ end }}".to_owned()]);
            }
            Self::Unwrap(_) => lines.retain(|l| !l.starts_with("{{ ")),
        }
        Some(())
    }
}

fn path(file: usize) -> Utf8PathBuf {
    match file {
        0 => "/w/tazuna.yaml".into(),
        n => format!("/w/{n}.yaml").into(),
    }
}

/// The initial state of the edits.
#[derive(Clone, Copy, Debug)]
enum Start {
    /// A dozen of manifests.
    Small,
    /// The same, and environments that read a file differently.
    Templates,
    /// Six dozens, which wait for others before them; the number is a seed.
    Large(u64),
}

impl Start {
    fn names(self) -> Vec<String> {
        match self {
            Self::Small | Self::Templates => NAMES.iter().map(|n| (*n).to_owned()).collect(),
            Self::Large(_) => (0..72)
                .map(|n| format!("u{n}"))
                .chain(["r1".to_owned()])
                .collect(),
        }
    }

    fn texts(self) -> BTreeMap<Utf8PathBuf, String> {
        let Self::Large(mut state) = self else {
            return texts(matches!(self, Self::Templates));
        };
        let mut next = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) as usize % end.max(1)
        };
        let mut texts = texts(false);
        for file in 1..FILES {
            let mut text = "spec:\n  manifests:\n".to_owned();
            for unit in (file - 1) * 12..file * 12 {
                writeln!(
                    text,
                    "    - name: u{unit}\n      type: kustomize\n      path: ./x"
                )
                .unwrap();
                let needs: Vec<usize> = (0..next(4)).map(|_| unit.saturating_sub(1 + next(20))).collect();
                if unit > 0 && !needs.is_empty() {
                    writeln!(text, "      dependsOn:").unwrap();
                }
                for need in needs.iter().filter(|_| unit > 0) {
                    writeln!(text, "        - u{need}").unwrap();
                }
            }
            texts.insert(path(file), text);
        }
        texts
    }
}

fn start() -> impl Strategy<Value = Start> {
    prop_oneof![
        Just(Start::Small),
        Just(Start::Templates),
        any::<u64>().prop_map(Start::Large)
    ]
}

/// A root of two manifests between includes; the files after it wait for each other across them. With
/// templates, environments read one of them differently.
fn texts(templates: bool) -> BTreeMap<Utf8PathBuf, String> {
    let file = |units: &[(&str, &str)]| {
        let mut text = "spec:\n  manifests:\n".to_owned();
        for (name, needs) in units {
            writeln!(text, "    - name: {name}\n      type: kustomize\n      path: ./x").unwrap();
            if !needs.is_empty() {
                writeln!(text, "      dependsOn:").unwrap();
            }
            for need in needs.split_whitespace() {
                writeln!(text, "        - {need}").unwrap();
            }
        }
        text
    };
    let environments = if templates {
        "  environments:\n    p: {}\n    q: {}\n"
    } else {
        ""
    };
    let root = format!(
        "kind: Tazuna\nspec:\n{environments}  manifests:\n    - name: r1\n      type: kustomize\n      path: ./x\n    - \
         includes:\n        - path: 1.yaml\n        - path: 2.yaml\n    - name: r2\n      type: kustomize\n      path: \
         ./x\n      dependsOn:\n        - a\n        - r1\n    - name: group\n      includes:\n        - path: 3.yaml\n        - path: 4.yaml\n"
    );
    let mut texts = BTreeMap::from([
        (path(0), root),
        (path(1), file(&[("a", "r1"), ("b", "a r1"), ("c", "b a r1")])),
        (path(2), file(&[("d", "c b"), ("e", ""), ("f", "d a")])),
        (path(3), file(&[("g", "f d"), ("h", "g f e"), ("i", "")])),
        (path(4), file(&[("j", "i h a"), ("k", "j")])),
        (path(5), file(&[("l", "k j"), ("m", "l k")])),
        (path(6), file(&[("n", ""), ("o", "n a")])),
    ]);
    if templates {
        let wrapped = texts[&path(3)].replace(
            "        - f\n        - e\n",
            "        - f\n{{ if eq .Environment \"p\" }}\n        - e\n{{ end }}\n",
        );
        texts.insert(path(3), wrapped);
    }
    texts
}

fn workspace(files: &MemoryFiles, unsaved: &BTreeMap<Utf8PathBuf, String>) -> Workspace {
    let mut workspace = Workspace::new(crate::ALONE, Arc::new(files.clone()), RunOptions::default());
    workspace.offer(&[path(0)], Offer::Found);
    for (path, text) in unsaved {
        workspace.set_text(path, text.as_str().into());
    }
    workspace.refresh();
    workspace.search_hints();
    workspace
}

/// Makes the edits one after the other and compares most of them with a new analysis; returns how many were
/// compared.
fn check(start: Start, edits: &[(Edit, bool)]) -> Result<usize, TestCaseError> {
    let mut files = MemoryFiles::new();
    files.insert("/w/x/kustomization.yaml", "");
    for (path, text) in start.texts() {
        files.insert(path, text);
    }
    let mut unsaved: BTreeMap<Utf8PathBuf, String> = start.texts();
    let names = start.names();
    let mut workspace_of_edits = workspace(&files, &unsaved);
    let mut shown = findings(&workspace_of_edits.analysis());
    let mut all = 0;
    for (edit, look) in edits {
        let path = path(edit.file());
        let mut lines: Vec<String> = unsaved[&path].lines().map(str::to_owned).collect();
        if edit.apply(&mut lines, &names).is_none() {
            continue;
        }
        let text = lines.join("\n") + "\n";
        workspace_of_edits.set_text(&path, text.as_str().into());
        unsaved.insert(path, text);
        if !look {
            continue;
        }
        let mut changes = workspace_of_edits.refresh();
        changes.files.extend(workspace_of_edits.search_hints().files);
        all += 1;
        let analysis = workspace_of_edits.analysis();
        let [old, new] = [
            picture(&analysis),
            picture(&workspace(&files, &unsaved).analysis()),
        ];
        prop_assert!(old == new, "{}", differences(&old, &new));
        let now = findings(&analysis);
        let named: Vec<&camino::Utf8Path> = changes.files.iter().map(|f| analysis.path(*f)).collect();
        for path in shown.keys().chain(now.keys()) {
            if shown.get(path) != now.get(path) {
                prop_assert!(named.contains(&path.as_path()), "{path} is not named");
            }
        }
        shown = now;
    }
    Ok(all)
}

/// The lines in which two texts differ.
fn differences(followed: &str, anew: &str) -> String {
    let mut out = String::new();
    for (sign, these, others) in [('-', followed, anew), ('+', anew, followed)] {
        let others: Vec<&str> = others.lines().collect();
        for line in these.lines().filter(|l| !others.contains(l)) {
            let line: String = line.chars().take(400).collect();
            writeln!(out, "{sign} {line}").unwrap();
        }
    }
    out
}

#[test]
fn edits_lead_to_what_a_new_look_finds() {
    let cases = std::env::var("PROPTEST_CASES").map_or(100, |n| n.parse().unwrap());
    let mut runner = TestRunner::new(ProptestConfig {
        cases,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let total = std::cell::Cell::new(0usize);
    let edits = (
        start(),
        proptest::collection::vec((edit(), proptest::bool::weighted(0.85)), 1..14),
    );
    let outcome = runner.run(&edits, |(start, edits)| {
        total.set(total.get() + check(start, &edits)?);
        Ok(())
    });
    outcome.unwrap_or_else(|e| panic!("{e}"));
    assert!(total.get() > cases as usize, "{} edits", total.get());
}
