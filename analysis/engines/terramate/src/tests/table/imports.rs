//! Imports.

use super::*;

#[track_caller]
fn import(source: &str, under: &str, rule: &str, words: &str) {
    let files = format!(
        "//- a/b/x.tm\nimport {{\n  source = {source}\n}}\n//- a/c/y.tm\nglobals {{\n}}\n//- a-b/z.tm\nglobals {{\n}}\n//- a/d/s.tm\nstack {{\n}}\n"
    );
    let expected = format!("{rule} a/b/x.tm «{under}» error load: {words}");
    finds(&files, &[&expected]);
}

#[test]
fn an_absolute_source_does_not_climb_above_the_root() {
    let files = |source: &str| {
        format!("//- a/x.tm\nimport {{\n  source = \"{source}\"\n}}\n//- b/y.tm\nglobals {{\n}}\n")
    };
    for source in ["/../b/y.tm", "/b/../../b/*.tm", "/../../b/./y.tm"] {
        finds(&files(source), &[]);
    }
    let relative = project(&files("../../b/y.tm")).findings();
    assert_eq!(relative.len(), 1, "{relative:?}");
}

#[test]
fn what_cannot_be_imported() {
    let rule = "terramate/import-invalid";
    let same_tree = "importing files in the same tree is not permitted";
    for (source, words) in [
        (
            "\"x.tm\"",
            "importing files in the same directory is not permitted",
        ),
        (
            "\"./x.tm\"",
            "importing files in the same directory is not permitted",
        ),
        ("\"../q.tm\"", same_tree),
        ("\"/q.tm\"", same_tree),
        (
            "\"/nowhere/q.tm\"",
            "import path \"/nowhere/q.tm\" returned no matches",
        ),
        ("\"/a-b/*.hcl\"", "import path \"/a-b/*.hcl\" returned no matches"),
        ("\"/a/c\"", same_tree),
        ("\"/a/*/[.tm\"", "failed to evaluate import.source"),
    ] {
        import(source, source, rule, words);
    }
    import(
        "\"../d/s.tm\"",
        "\"../d/s.tm\"",
        "terramate/stack-in-import",
        "import of stack block is not permitted",
    );
    import("global.x", "global.x", rule, "failed to evaluate import.source");
    import(
        "tm_upper(\"x\")",
        "tm_upper(\"x\")",
        rule,
        "failed to evaluate import.source",
    );
    import("1", "1", rule, "import.source must be a string");
    import("[\"x\"]", "[\"x\"]", rule, "import.source must be a string");
    import(
        "\"x${1}.tm\"",
        "\"x${1}.tm\"",
        rule,
        "importing files in the same directory is not permitted",
    );
    finds(
        "//- s/x.tm\nimport {\n}\n",
        &[
            "terramate/import-invalid s/x.tm «import» error load: The argument \"source\" is required, but no definition was found.",
        ],
    );
    finds(
        "//- s/x.tm\nimport {\n  source = \"/t/y.tm\"\n  other  = 1\n}\n//- t/y.tm\nglobals {\n}\n",
        &["unknown-field s/x.tm «other» error load: An argument named \"other\" is not expected here"],
    );
}

#[test]
fn a_directory_whose_path_has_the_same_prefix_cannot_be_imported_from() {
    finds(
        "//- stacks-dev/x/a.tm\nimport {\n  source = \"/stacks/y.tm\"\n}\n//- stacks/y.tm\nglobals {\n}\n",
        &[
            "terramate/import-invalid stacks-dev/x/a.tm «\"/stacks/y.tm\"» error load: importing files in the same tree is not permitted",
        ],
    );
}

#[test]
fn a_file_is_imported_once_and_never_a_directory() {
    finds(
        "//- s/x.tm\nimport {\n  source = \"/t/y.tm\"\n}\nimport {\n  source = \"../t/y.tm\"\n}\n//- t/y.tm\nglobals {\n}\n",
        &["terramate/import-invalid s/x.tm «\"../t/y.tm\"» error load: file \"/w/t/y.tm\" already parsed"],
    );
    finds(
        "//- s/x.tm\nimport {\n  source = \"/t/y\"\n}\n//- t/y/z.tm\nglobals {\n}\n",
        &["terramate/import-invalid s/x.tm «\"/t/y\"» error load: import directory is not allowed: /t/y"],
    );
    // A cycle comes back to a file that is parsed.
    finds(
        "//- s/x.tm\nimport {\n  source = \"/t/y.tm\"\n}\n//- t/y.tm\nimport {\n  source = \"/s/x.tm\"\n}\n",
        &[
            "terramate/import-invalid s/x.tm «\"/t/y.tm\"» error load: file \"/w/t/y.tm\" already parsed",
            "terramate/import-invalid t/y.tm «\"/s/x.tm\"» error load: file \"/w/s/x.tm\" already parsed",
        ],
    );
}

#[test]
fn what_is_wrong_in_an_imported_file() {
    let found =
        project("//- s/x.tm\nimport {\n  source = \"/t/y.hcl\"\n}\n//- t/y.hcl\nglobals {\n").findings();
    // As the verdict names it.
    assert_eq!(found, ["syntax-error s/x.tm «\"/t/y.hcl\"» error load"]);
}

/// What Terramate reports for a directory `s` with imports, and what users see.
#[track_caller]
fn says(files: &str, words: &[&str], told: usize) {
    let analysis = project(files).analysis();
    let (_, resolved) = analysis.projects().next().unwrap();
    let verdicts = &resolved.resolution.verdicts;
    let errors = &verdicts.iter().find(|v| v.command == "run").unwrap().errors;
    let mut said: Vec<&str> = errors.iter().map(|e| e.message.as_str()).collect();
    said.sort_unstable();
    assert_eq!(said, words);
    assert!(
        errors.iter().all(|e| e.subject == "/s"),
        "said of the directory that imports"
    );
    assert_eq!(shown(&analysis).len(), told, "{:?}", shown(&analysis));
}

const OF: &str = "//- s/x.tm\nimport {\n  source = \"/m/";

#[test]
fn what_is_wrong_inside_is_said_of_the_directory_that_imports() {
    says(
        &format!("{OF}a.txt\"\n}}\n//- m/a.txt\ngenerate_hcl \"x\" {{\n  foo = 1\n}}\n"),
        &[
            "An argument named \"foo\" is not expected here",
            "generate_hcl must have at least one 'content' block",
        ],
        1,
    );
    says(
        &format!("{OF}a.txt\"\n}}\n//- m/a.txt\nscript \"x\" {{\n  job {{\n    command = []\n  }}\n}}\n"),
        &[
            "unrecognized block \"script\" (script is an experimental feature, it must be enabled before usage with \
           `terramate.config.experiments = [\"scripts\"]`)",
        ],
        1,
    );
}

#[test]
fn an_invalid_import_stops_all_imports_of_the_directory() {
    says(
        &format!(
            "{OF}nowhere.txt\"\n}}\nimport {{\n  source = \"/m/a.txt\"\n  more = 1\n}}\n//- m/a.txt\nfoo {{\n}}\n"
        ),
        &["An argument named \"more\" is not expected here"],
        1,
    );
}

#[test]
fn what_two_imported_files_of_a_directory_set_is_set_twice() {
    says(
        &format!(
            "{OF}*.txt\"\n}}\n//- m/a.txt\nglobals {{\n  x = 1\n}}\n//- m/b.txt\nglobals {{\n  x = 2\n}}\n"
        ),
        &["attribute \"x\" redeclared in file \"/m/b.txt\" (first defined in \"/m/a.txt\")"],
        1,
    );
    let other = format!("{OF}a.txt\"\n}}\nglobals {{\n  x = 2\n}}\n//- m/a.txt\nglobals {{\n  x = 1\n}}\n");
    says(&other, &[], 0);
}

#[test]
fn a_stack_that_is_imported_is_a_second_one() {
    says(
        &format!("{OF}a.txt\"\n}}\nstack {{\n}}\n//- m/a.txt\nstack {{\n}}\n"),
        &[
            "duplicated stack blocks across configs",
            "import of stack block is not permitted",
        ],
        1,
    );
}

#[test]
fn files_that_import_each_other_end() {
    let files = format!(
        "{OF}a.txt\"\n}}\n//- m/a.txt\nimport {{\n  source = \"/n/b.txt\"\n}}\n//- n/b.txt\nimport {{\n  source = \"/o/c.txt\"\n}}\n//- o/c.txt\nimport {{\n  source = \"/m/a.txt\"\n}}\n"
    );
    says(&files, &["import cycle"], 1);
}

#[test]
fn the_root_takes_its_experiments_from_an_import() {
    let files = "//- r.tm\nimport {\n  source = \"/m/a.txt\"\n}\n//- m/a.txt\nterramate {\n  config {\n    experiments = [\"scripts\"]\n  }\n}\n//- s/x.tm\nscript \"x\" {\n  job {\n    command = []\n  }\n}\n";
    says(files, &[], 0);
}

/// Files that import two of the next level each.
fn doubling(levels: usize) -> String {
    let two = |level: usize| {
        format!(
            "import {{\n  source = \"/m{level}/a.hcl\"\n}}\nimport {{\n  source = \"/m{level}/b.hcl\"\n}}\n"
        )
    };
    let mut files = format!("//- s/x.tm\n{}", two(0));
    for level in 0..levels {
        for name in ["a", "b"] {
            let next = if level + 1 == levels {
                "globals {\n}\n".to_owned()
            } else {
                two(level + 1)
            };
            files.push_str(&format!("//- m{level}/{name}.hcl\n{next}"));
        }
    }
    files
}

#[test]
fn exponentially_many_imports_meet_a_limit() {
    let verdict = |levels: usize| {
        let analysis = project(&doubling(levels)).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let limits = project
            .findings()
            .iter()
            .filter(|d| d.rule.id == "limit-reached")
            .count();
        (project.resolution.verdicts[0].ok, limits)
    };
    assert_eq!(verdict(6), (Some(true), 0));
    assert_eq!(verdict(40), (None, 1));
}

#[test]
fn a_path_that_leads_out_of_the_project_is_looked_up() {
    let out = |source: &str| {
        let mut found = project(&format!("//- s/x.tm\nimport {{\n  source = \"{source}\"\n}}\n"));
        found.files.insert("/other/globals.hcl", "globals {\n}\n");
        found.findings()
    };
    let says = |source: &str, words: &str| {
        [format!(
            "terramate/import-invalid s/x.tm «\"{source}\"» error load: {words}"
        )]
    };
    let there = "../../other/globals.hcl";
    assert_eq!(out(there), says(there, "directory \"/other\" is not inside root"));
    for nowhere in [
        "../../other/nope.hcl",
        "../../nope/globals.hcl",
        "../../other/*.tf",
    ] {
        let words = format!("import path \"{nowhere}\" returned no matches");
        assert_eq!(out(nowhere), says(nowhere, &words));
    }
}

#[test]
fn an_imported_file_that_we_do_not_read_leaves_the_verdict_open() {
    let files = "//- s/x.tm\nimport {\n  source = \"/t/y.txt\"\n}\nstack {\n}\n";
    let of = |error: ReadError| {
        let analysis = project(files).error("t/y.txt", error).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        (shown(&analysis), project.resolution.verdicts[0].ok)
    };
    let (found, ok) = of(ReadError::TooLarge(1 << 40));
    assert_eq!(ok, None);
    assert!(
        found[0].starts_with("limit-reached s/x.tm «\"/t/y.txt\"»"),
        "{found:?}"
    );
    let (found, ok) = of(ReadError::PermissionDenied);
    assert_eq!(ok, Some(false));
    assert!(
        found[0].starts_with("terramate/import-invalid s/x.tm"),
        "{found:?}"
    );
}
