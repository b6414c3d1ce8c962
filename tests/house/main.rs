//! Holds the invariants of ARCHITECTURE.md that a reader of the sources can check.
#![allow(clippy::disallowed_methods, clippy::unwrap_used)]

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The lines of code of a file with their numbers: without comments, and without the tests beneath.
fn code(path: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text
        .split("\n#[cfg(test)]\nmod ")
        .next()
        .unwrap_or(&text)
        .to_owned();
    code.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(i, line)| (i + 1, line.to_owned()))
        .collect()
}

/// Whether a file holds nothing but tests: it lies in a room for tests, or is declared under `cfg(test)`.
fn is_test(path: &Path) -> bool {
    let name = path.file_stem().and_then(|s| s.to_str()).unwrap_or("");
    let room = path.parent().unwrap_or(Path::new(""));
    let declared = ["mod.rs", "lib.rs", "main.rs"].iter().any(|parent| {
        std::fs::read_to_string(root().join(room).join(parent))
            .is_ok_and(|text| text.contains(&format!("#[cfg(test)]\nmod {name};")))
    });
    declared || name == "tests" || path.components().any(|c| c.as_os_str() == "tests")
}

/// Offending lines as `file:line: text`.
fn offences(dirs: &[&str], wrong: impl Fn(&Path, &str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = 0;
    for dir in dirs {
        let mut files = Vec::new();
        sources(&root().join(dir), &mut files);
        for file in files.iter().filter(|f| !is_test(f.strip_prefix(root()).unwrap())) {
            seen += 1;
            for (line, text) in code(file) {
                if wrong(file, &text) {
                    found.push(format!("{}:{line}: {}", file.display(), text.trim()));
                }
            }
        }
    }
    assert!(seen > 0, "no source was looked at");
    found
}

fn engine_ids() -> Vec<&'static str> {
    applyorder_analysis::engines::all()
        .iter()
        .map(|e| e.meta().id)
        .collect()
}

#[test]
fn no_code_outside_an_engines_folder_names_it() {
    let ids = engine_ids();
    let dirs = [
        "analysis/src/syntax",
        "analysis/src/graph",
        "analysis/src/ide",
        "analysis/src/files",
        "analysis/src/workspace",
        "lint/src",
        "server/src",
        "src",
    ];
    let found = offences(&dirs, |_, line| {
        ids.iter()
            .any(|id| line.contains(&format!("engines::{id}")) || line.contains(&format!("\"{id}\"")))
    });
    assert!(
        found.is_empty(),
        "engines are named outside their folders:\n{}",
        found.join("\n")
    );
}

#[test]
fn engines_do_not_know_each_other() {
    let ids = engine_ids();
    for id in &ids {
        let found = offences(&[&format!("analysis/src/engines/{id}")], |_, line| {
            ids.iter().any(|other| {
                other != id
                    && (line.contains(&format!("engines::{other}"))
                        || line.contains(&format!("super::{other}::")))
            })
        });
        assert!(
            found.is_empty(),
            "{id} uses another engine:\n{}",
            found.join("\n")
        );
    }
}

#[test]
fn only_the_disk_room_of_the_analysis_touches_the_file_system() {
    let found = offences(&["analysis/src"], |file, line| {
        !file.ends_with("files/disk.rs") && (line.contains("std::fs") || line.contains("std::process"))
    });
    assert!(
        found.is_empty(),
        "the analysis is not pure:\n{}",
        found.join("\n")
    );
}

#[test]
fn the_analysis_knows_no_protocol_and_no_terminal() {
    let found = offences(&["analysis/src"], |_, line| {
        [
            "ls_types",
            "lsp_types",
            "tower_lsp",
            "codespan",
            "println!",
            "eprintln!",
        ]
        .iter()
        .any(|w| line.contains(w))
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_rule_has_a_page_with_all_its_sections_and_an_id_in_kebab_case() {
    let rules = applyorder_analysis::engines::all_rules();
    assert!(!rules.is_empty());
    for rule in rules {
        for section in [
            "## What it does",
            "## Why is this bad?",
            "## Example",
            "## Use instead",
        ] {
            assert!(
                rule.docs.contains(section),
                "{} has no section `{section}`",
                rule.id
            );
        }
        assert!(
            rule.id
                .chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '/'),
            "{}",
            rule.id
        );
        for replaced in rule.replaces {
            assert!(
                applyorder_analysis::engines::all_rules()
                    .iter()
                    .any(|r| r.id == *replaced),
                "{} replaces the unknown rule {replaced}",
                rule.id
            );
        }
    }
}

#[test]
fn every_engine_folder_has_the_same_rooms() {
    for id in engine_ids() {
        let dir = root().join("analysis/src/engines").join(id);
        for room in [
            "mod.rs", "discover", "facts", "resolve", "verdict", "handoff", "rules",
        ] {
            let exists = dir.join(room).exists() || dir.join(format!("{room}.rs")).exists();
            assert!(exists, "{id} has no room `{room}`");
        }
    }
}

#[test]
fn every_library_is_accounted_for() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let reasons = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let names: Vec<&str> = section
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| Some(line.split_once('=')?.0.trim()))
        .filter(|name| !name.starts_with("applyorder"))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    // The second column of the table, in whole names: `serde` is not accounted for by `serde_json`.
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let accounted: Vec<&str> = reasons
        .split("\n## Libraries")
        .nth(1)
        .unwrap()
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').nth(1))
        .flat_map(|libraries| libraries.split(|c| !is_of_name(c)))
        .collect();
    let missing: Vec<&&str> = names.iter().filter(|name| !accounted.contains(name)).collect();
    assert_eq!(missing, Vec::<&&str>::new(), "no reason in ARCHITECTURE.md");
}
