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
        ("\"/a/*/[.tm\"", "syntax error in pattern"),
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
fn a_directory_whose_path_begins_alike_cannot_be_imported_from() {
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
    assert_eq!(
        found,
        ["terramate/import-invalid s/x.tm «\"/t/y.hcl\"» error load"]
    );
}
