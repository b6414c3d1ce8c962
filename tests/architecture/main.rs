//! Enforces the invariants of ARCHITECTURE.md that can be checked in the sources.
#![allow(clippy::disallowed_methods, clippy::indexing_slicing, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
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

/// The lines of code of a file with their numbers, without comments and without the tests at the end.
fn code(path: &Path) -> Vec<(usize, String)> {
    let text = std::fs::read_to_string(path).unwrap();
    let tests = text.match_indices("\n#[cfg(test)]\nmod ").find(|(at, found)| {
        text[at + found.len()..]
            .lines()
            .next()
            .is_some_and(|l| l.ends_with('{'))
    });
    let code = &text[..tests.map_or(text.len(), |(at, _)| at)];
    code.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .map(|(i, line)| (i + 1, line.to_owned()))
        .collect()
}

/// Whether a file contains only tests: it is in a directory for tests, or is declared under `cfg(test)`.
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
    applyorder_engines::all().ids().collect()
}

#[test]
fn no_code_outside_the_engines_names_one() {
    let ids = engine_ids();
    let dirs = [
        "analysis/syntax/src",
        "analysis/core/src",
        "analysis/src",
        "drawing/src",
        "lint/src",
        "server/src",
        "mcp/src",
        "src",
    ];
    let found = offences(&dirs, |_, line| {
        ids.iter()
            .any(|id| line.contains(&format!("applyorder_{id}")) || line.contains(&format!("\"{id}\"")))
    });
    assert!(
        found.is_empty(),
        "engines are named outside their crates:\n{}",
        found.join("\n")
    );
}

/// For each of our crates, the crates that it may use; `*` for those of engines.
const MAY_USE: [(&str, &[&str]); 11] = [
    ("analysis/syntax", &[]),
    ("analysis/core", &["syntax"]),
    ("analysis/engines/*", &["syntax", "core"]),
    ("analysis/engines", &["core", "*"]),
    ("analysis", &["syntax", "core"]),
    ("drawing", &["analysis"]),
    ("lint", &["analysis", "drawing"]),
    ("server", &["analysis", "drawing", "lint"]),
    ("mcp", &["analysis", "lint"]),
    (".", &["engines", "lint", "mcp", "server"]),
    // The page of flags is generated from the engines' declarations.
    ("xtask", &["analysis", "engines", "lint"]),
];

/// Our crates in a section of a manifest, without the prefix `applyorder-`.
fn used_crates(manifest: &Path, section: &str) -> Vec<String> {
    let text = std::fs::read_to_string(manifest).unwrap();
    let lines = text.lines().skip_while(|line| *line != section).skip(1);
    lines
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| {
            let name = line.strip_prefix("applyorder-")?;
            Some(name.split(['.', ' ', '=']).next()?.to_owned())
        })
        .collect()
}

#[test]
fn crates_use_only_what_is_below_them() {
    let ids = engine_ids();
    let check = |dir: &str, allowed: &[&str]| {
        let manifest = root().join(dir).join("Cargo.toml");
        assert!(manifest.exists(), "{dir} is no crate");
        for used in used_crates(&manifest, "[dependencies]") {
            let is_engine = ids.contains(&used.as_str());
            assert!(
                allowed.contains(&used.as_str()) || (is_engine && allowed.contains(&"*")),
                "{dir} uses {used}"
            );
        }
    };
    for (dir, allowed) in MAY_USE {
        match dir.strip_suffix('*') {
            Some(parent) => ids.iter().for_each(|id| check(&format!("{parent}{id}"), allowed)),
            None => check(dir, allowed),
        }
    }
    let all = used_crates(&root().join("analysis/engines/Cargo.toml"), "[dependencies]");
    assert!(ids.iter().all(|id| all.iter().any(|used| used == id)), "{all:?}");
}

#[test]
fn modules_do_not_use_each_other_in_a_cycle() {
    let engines = engine_ids()
        .into_iter()
        .map(|id| format!("analysis/engines/{id}"));
    let others = [
        "analysis/syntax",
        "analysis/core",
        "analysis",
        "drawing",
        "lint",
        "server",
        "mcp",
    ];
    let mut wrong = Vec::new();
    for dir in engines.chain(others.map(str::to_owned)) {
        let found = cycle(&uses(&dir));
        if !found.is_empty() {
            wrong.push(format!("{dir}: {}", found.join(", ")));
        }
    }
    assert!(wrong.is_empty(), "cycles of modules:\n{}", wrong.join("\n"));
}

/// Which top-level modules of a crate each of them uses.
fn uses(dir: &str) -> BTreeMap<String, BTreeSet<String>> {
    let src = root().join(dir).join("src");
    let mut files = Vec::new();
    sources(&src, &mut files);
    let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in &files {
        let within = file.strip_prefix(&src).unwrap();
        if is_test(file.strip_prefix(root()).unwrap()) || within == Path::new("lib.rs") {
            continue;
        }
        let mut path: Vec<String> = within
            .with_extension("")
            .components()
            .map(|c| c.as_os_str().to_str().unwrap().to_owned())
            .collect();
        if path.last().is_some_and(|last| last == "mod") {
            path.pop();
        }
        let text: String = code(file).into_iter().map(|(_, line)| line + "\n").collect();
        let own = uses.entry(path[0].clone()).or_default();
        let up = "super::".repeat(path.len());
        own.extend(tops(&text, "crate::"));
        own.extend(tops(&text, &up));
    }
    let known: BTreeSet<String> = uses.keys().cloned().collect();
    for (module, used) in &mut uses {
        used.retain(|name| known.contains(name) && name != module);
    }
    uses
}

/// What follows each occurrence of a prefix: one name, or several in braces.
fn tops(text: &str, prefix: &str) -> Vec<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let name = |text: &str| {
        text.trim_start()
            .split(|c| !is_name(c))
            .next()
            .unwrap_or("")
            .to_owned()
    };
    let mut found = Vec::new();
    for (at, _) in text.match_indices(prefix) {
        let before = text[..at].chars().next_back().unwrap_or(' ');
        if is_name(before) || before == ':' || before == '$' {
            continue;
        }
        let behind = &text[at + prefix.len()..];
        match behind.strip_prefix('{') {
            None => found.push(name(behind)),
            Some(list) => {
                let mut depth = 0;
                let mut start = true;
                for (i, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        c if start && is_name(c) => {
                            found.push(name(&list[i..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
        }
    }
    found
}

/// The modules that remain after repeatedly removing those that use no remaining module, or are used by none.
fn cycle(uses: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut left: BTreeSet<&String> = uses.keys().collect();
    loop {
        let ends: Vec<&String> = left
            .iter()
            .filter(|module| {
                let uses_some = uses[**module].iter().any(|used| left.contains(used));
                let used = left.iter().any(|other| uses[*other].contains(**module));
                !uses_some || !used
            })
            .copied()
            .collect();
        if ends.is_empty() {
            return left.into_iter().cloned().collect();
        }
        left.retain(|module| !ends.contains(module));
    }
}

#[test]
fn what_a_text_uses_is_read_out_of_it() {
    let text = "use crate::a::b;\nuse crate::{c, d::{e, f}};\nlet x = crate::g::h(); applyorder_crate::i";
    assert_eq!(tops(text, "crate::"), ["a", "c", "d", "g"]);
    let of = |pairs: &[(&str, &[&str])]| -> BTreeMap<String, BTreeSet<String>> {
        let own = |(module, used): &(&str, &[&str])| {
            let used = used.iter().map(|u| (*u).to_owned()).collect();
            ((*module).to_owned(), used)
        };
        pairs.iter().map(own).collect()
    };
    assert!(cycle(&of(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])).is_empty());
    let tied = of(&[("a", &["b"]), ("b", &["c"]), ("c", &["b"]), ("d", &["a"])]);
    assert_eq!(cycle(&tied), ["b", "c"]);
}

/// The directories of everything except the faces.
const ANALYSIS: [&str; 4] = [
    "analysis/src",
    "analysis/core/src",
    "analysis/engines",
    "analysis/syntax/src",
];

#[test]
fn only_the_disk_room_of_the_analysis_touches_the_file_system() {
    let found = offences(&ANALYSIS, |file, line| {
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
    let found = offences(&ANALYSIS, |_, line| {
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
    let rules = applyorder_engines::all().rules();
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
                applyorder_engines::all()
                    .rules()
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
        let dir = root().join("analysis/engines").join(id).join("src");
        for room in [
            "lib.rs",
            "discover",
            "read",
            "load",
            "model",
            "relate",
            "rules",
            "judge",
            "invocation",
            "editor",
        ] {
            let exists = dir.join(room).exists() || dir.join(format!("{room}.rs")).exists();
            assert!(exists, "{id} has no room `{room}`");
        }
    }
}

#[test]
fn every_library_is_accounted_for() {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let reasons = std::fs::read_to_string(root().join("docs/internals/libraries.md")).unwrap();
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap();
    let names: Vec<&str> = section
        .lines()
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| Some(line.split_once('=')?.0.trim()))
        .filter(|name| !name.starts_with("applyorder"))
        .collect();
    assert!(names.len() > 20, "{names:?}");
    // The second column of the table, as whole names: `serde_json` does not account for `serde`.
    let is_of_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let accounted: Vec<&str> = reasons
        .lines()
        .filter_map(|line| line.strip_prefix('|')?.split('|').nth(1))
        .flat_map(|libraries| libraries.split(|c| !is_of_name(c)))
        .collect();
    let missing: Vec<&&str> = names.iter().filter(|name| !accounted.contains(name)).collect();
    assert_eq!(
        missing,
        Vec::<&&str>::new(),
        "no reason in docs/internals/libraries.md"
    );
}
