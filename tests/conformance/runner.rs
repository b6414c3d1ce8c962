//! The common part of the cases of all engines: folders with an `expected.json`, and the count at the end.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::skipped::skip;

/// One case.
pub(crate) struct Case {
    /// The folder's name.
    pub(crate) name: String,
    /// The folder, absolute.
    pub(crate) dir: PathBuf,
    /// What `expected.json` says.
    pub(crate) expected: Value,
}

fn folder() -> PathBuf {
    match std::env::var_os("APPLYORDER_CASES") {
        Some(dir) => PathBuf::from(dir),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/cases"),
    }
}

fn cases(engine: &str) -> Option<Vec<Case>> {
    let dir = std::path::absolute(folder().join(engine)).ok()?;
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&dir)
        .ok()?
        .flatten()
        .map(|e| e.path())
        .filter(|p| p.is_dir())
        // A folder whose name starts with an underscore is not a case.
        .filter(|p| {
            p.file_name()
                .is_some_and(|n| !n.to_string_lossy().starts_with('_'))
        })
        .collect();
    folders.sort();
    let read = |dir: PathBuf| {
        let file = dir.join("expected.json");
        let text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let expected = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        Case {
            name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            dir,
            expected,
        }
    };
    Some(folders.into_iter().map(read).collect())
}

/// Compares all cases of an engine. `compare` returns all differences of one case.
pub(crate) fn run(engine: &str, compare: fn(&Case) -> Vec<String>) {
    let Some(cases) = cases(engine).filter(|c| !c.is_empty()) else {
        let why = format!("no cases in {}", folder().join(engine).display());
        return skip(&format!("cases of {engine}"), &why);
    };
    let mut agree = 0;
    let mut differ = 0;
    for case in &cases {
        let differences = compare(case);
        if differences.is_empty() {
            agree += 1;
            continue;
        }
        differ += 1;
        println!("{engine}/{} differs:", case.name);
        for difference in differences {
            println!("  {difference}");
        }
    }
    say(&format!("{engine}: {agree} agree, {differ} differ"));
    assert_eq!(differ, 0, "{engine}: {differ} of {} cases differ", cases.len());
}

/// Compares the cases of a file with one JSON object that contains them in a list.
pub(crate) fn run_list(file: &str, key: &str, compare: fn(&Value) -> Vec<String>) {
    let path = folder().join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return skip(file, &format!("not in {}", folder().display()));
    };
    let all: Value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let cases = all[key]
        .as_array()
        .unwrap_or_else(|| panic!("{}: no list `{key}`", path.display()));
    let mut differ = 0;
    for (number, case) in cases.iter().enumerate() {
        let differences = compare(case);
        if differences.is_empty() {
            continue;
        }
        differ += 1;
        println!("{file} {number} differs: {}", case["label"]);
        for difference in differences {
            println!("  {difference}");
        }
    }
    say(&format!(
        "{file}: {} agree, {differ} differ",
        cases.len() - differ
    ));
    assert_eq!(differ, 0, "{file}: {differ} of {} cases differ", cases.len());
}

/// Compares the cases of a file with one JSON object per line, each with a key `id`.
pub(crate) fn run_lines(file: &str, compare: fn(&Value) -> Vec<String>) {
    let path = folder().join(file);
    let Ok(text) = std::fs::read_to_string(&path) else {
        return skip(file, &format!("not in {}", folder().display()));
    };
    let mut agree = 0;
    let mut differ = 0;
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let differences = compare(&case);
        if differences.is_empty() {
            agree += 1;
            continue;
        }
        differ += 1;
        println!("{file} {} differs:", case["id"]);
        for difference in differences {
            println!("  {difference}");
        }
    }
    say(&format!("{file}: {agree} agree, {differ} differ"));
    assert_eq!(differ, 0, "{file}: {differ} of {} cases differ", agree + differ);
}

/// Prints a line even if the test passes: the number of matching cases is useful in every run.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// A difference, if there is one.
pub(crate) fn differs<T: PartialEq + std::fmt::Debug>(what: &str, expected: &T, found: &T) -> Option<String> {
    (expected != found).then(|| format!("{what}: expected {expected:?}, found {found:?}"))
}
