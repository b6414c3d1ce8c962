//! Every error that Terramate 0.17.2 has for a root, for the loading of files, for blocks, stacks, entries, cycles
//! and flags: where it is shown, and in which words Terramate refuses.

use super::{project, shown};
use crate::files::ReadError;

/// The findings of some files, or of the `stack.tm` of one stack.
#[track_caller]
fn finds(files: &str, expected: &[&str]) {
    assert_eq!(project(files).findings(), expected, "{files}");
}

/// The findings of a stack with one attribute.
#[track_caller]
fn attribute(line: &str, expected: &[&str]) {
    finds(&format!("stack {{\n  {line}\n}}\n"), expected);
}

mod root {
    use super::*;

    #[test]
    fn a_root_is_needed() {
        let found = project("//- a/stack.tm\nstack {\n}\n//- required_version.txt\n").findings();
        assert_eq!(
            found,
            [
                "terramate/root-missing a/stack.tm «stack {» error root: Terramate was unable to detect a project root."
            ]
        );
    }

    #[test]
    fn the_version_is_checked() {
        finds(
            "//- terramate.tm\nterramate {\n  required_version = \"soon\"\n}\n",
            &[
                "unsupported-version terramate.tm «\"soon\"» error version: version check error: version check failed",
            ],
        );
        finds(
            "//- terramate.tm\nterramate {\n  required_version = \"> 9\"\n}\n",
            &[
                "unsupported-version terramate.tm «\"> 9\"» error version: version check error: version check failed: version constraint \"> 9\" not satisfied by terramate version \"0.17.2\"",
            ],
        );
        // An empty one makes a root and demands nothing.
        finds(
            "//- terramate.tm\nterramate {\n  required_version = \"\"\n}\n",
            &[],
        );
    }

    #[test]
    fn a_version_below_the_root_is_warned_of() {
        let found = project(
            "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- a/x.tm\nterramate {\n  required_version = \">= 0.2\"\n}\n",
        );
        // Without git the nearest one is the root of what lies below it.
        let analysis = found.analysis();
        let roots: Vec<&str> = analysis.projects().map(|(_, p)| p.seed.root.as_str()).collect();
        assert_eq!(roots, ["/w", "/w/a"]);
        assert_eq!(
            shown(&analysis),
            ["terramate/root-nested-config a/x.tm «required_version» warning"]
        );
        let mut git = project(
            "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- a/x.tm\nterramate {\n  required_version = \">= 0.2\"\n  config {\n    experiments = []\n  }\n}\n",
        );
        git.files.set_vcs_root("/w");
        assert_eq!(
            git.findings(),
            [
                "terramate/root-nested-config a/x.tm «required_version» warning",
                "terramate/root-nested-config a/x.tm «experiments» warning",
            ]
        );
    }
}

mod files {
    use super::*;

    #[test]
    fn what_cannot_be_read_stops_terramate() {
        for (error, rule) in [
            (ReadError::PermissionDenied, "unreadable-file"),
            (ReadError::IsDirectory, "unreadable-file"),
            (ReadError::LinkLoop, "unreadable-file"),
        ] {
            let found = project("stack {\n}\n")
                .error("t/stack.tm", error.clone())
                .findings();
            assert_eq!(found, [format!("{rule} t/stack.tm «» error load")], "{error:?}");
        }
        let found = project("stack {\n}\n").error("t/stack.tm", ReadError::TooLarge(1 << 40));
        assert!(found.findings()[0].starts_with("limit-reached t/stack.tm «»"));
    }

    #[test]
    fn other_files_are_not_looked_at() {
        finds(
            "//- s/stack.tm\nstack {\n}\n//- s/.hidden.tm\nstack {{\n//- s/x.tm.json\n{\n//- s/main.tf\nbroken {\n//- .dir/x.tm\n{\n",
            &[],
        );
    }
}

mod syntax {
    use super::*;

    #[test]
    fn syntax_errors() {
        finds(
            "stack {\n  name = \"a\"\n  name = \"b\"\n}\n",
            &["syntax-error s/stack.tm «name» error load"],
        );
        attribute(
            "after = [\"a\" \"b\"]",
            &["syntax-error s/stack.tm «\"» error load"],
        );
        attribute("after =", &["syntax-error s/stack.tm «» error load"]);
        finds("stack {\n", &["syntax-error s/stack.tm «stack {» error load"]);
        // What stands beside it in the directory is checked all the same.
        finds(
            "//- s/a.tm\nglobals {\n//- s/b.tm\nnothing {\n}\n",
            &[
                "syntax-error s/a.tm «globals {» error load",
                "unknown-field s/b.tm «nothing» error load: unrecognized block \"nothing\"",
            ],
        );
    }
}

mod blocks {
    use super::*;

    #[test]
    fn blocks_and_attributes_that_there_are_not() {
        finds(
            "stak {\n}\n",
            &["unknown-field s/stack.tm «stak» error load: unrecognized block \"stak\""],
        );
        finds(
            "name = \"x\"\n",
            &["unknown-field s/stack.tm «name» error load: unrecognized attribute \"name\""],
        );
    }

    #[test]
    fn labels() {
        for (text, header, words) in [
            (
                "terramate \"x\" {\n}\n",
                "terramate \"x\"",
                "block type \"terramate\" does not support labels",
            ),
            (
                "import \"x\" {\n  source = \"/x.tm\"\n}\n",
                "import \"x\"",
                "import must have no labels but got [x]",
            ),
            (
                "generate_hcl {\n  content {\n  }\n}\n",
                "generate_hcl",
                "generate_hcl must have single label instead got []",
            ),
            (
                "generate_file \"a\" \"b\" {\n  content = \"\"\n}\n",
                "generate_file \"a\" \"b\"",
                "generate_file must have single label instead got [a b]",
            ),
            (
                "assert \"x\" {\n  assertion = true\n  message = \"\"\n}\n",
                "assert \"x\"",
                "block assert has unexpected label x",
            ),
            (
                "vendor \"x\" {\n}\n",
                "vendor \"x\"",
                "block vendor has unexpected label x",
            ),
        ] {
            let found = project(text).findings();
            let expected = format!("missing-field s/stack.tm «{header}» error load: {words}");
            assert!(found.contains(&expected), "{text}: {found:?}");
        }
        // Of a stack nobody looks at it.
        finds(
            "stack \"x\" {\n}\n",
            &["terramate/stack-label s/stack.tm «\"x\"» warning"],
        );
    }

    #[test]
    fn what_blocks_need() {
        for (text, header, words) in [
            (
                "generate_hcl \"a\" {\n}\n",
                "generate_hcl \"a\"",
                "generate_hcl must have at least one 'content' block",
            ),
            (
                "generate_file \"a\" {\n}\n",
                "generate_file \"a\"",
                "The argument \"content\" is required, but no definition was found.",
            ),
            (
                "assert {\n  assertion = true\n}\n",
                "assert",
                "assert.message is required",
            ),
            (
                "assert {\n  message = \"\"\n}\n",
                "assert",
                "assert.assertion is required",
            ),
        ] {
            finds(
                text,
                &[&format!(
                    "missing-field s/stack.tm «{header}» error load: {words}"
                )],
            );
        }
        let needs = |what: &str, words: &str| format!("missing-field s/x.tm «{what}» error load: {words}");
        let required = |name: &str| format!("attribute \"input.{name}\" is required");
        for (text, expected) in [
            (
                "script \"a\" {\n}\n",
                needs("script \"a\"", "(script): missing or invalid job"),
            ),
            (
                "script \"a\" {\n  job {\n  }\n}\n",
                needs("job", "(script): missing command or commands"),
            ),
            (
                "script \"a\" {\n  job {\n    command = [\"x\"]\n    commands = [[\"x\"]]\n  }\n}\n",
                "invalid-value s/x.tm «commands» error load: (script): conflicting attribute already set"
                    .to_owned(),
            ),
            (
                "script {\n  job {\n    command = [\"x\"]\n  }\n}\n",
                needs("script", "(script): must provide at least one label"),
            ),
            (
                "input \"a\" {\n  backend = \"x\"\n  value = 1\n}\n",
                needs("input \"a\"", &required("from_stack_id")),
            ),
            (
                "output \"a\" {\n  backend = \"x\"\n}\n",
                needs("output \"a\"", &required("value")),
            ),
            (
                "output {\n  backend = \"x\"\n  value = 1\n}\n",
                needs("output", "expected a single label but 0 given"),
            ),
            (
                "sharing_backend \"a\" {\n  command = [\"x\"]\n  filename = \"x\"\n}\n",
                needs(
                    "sharing_backend \"a\"",
                    "attribute \"sharing_backend.type\" is required",
                ),
            ),
        ] {
            let files = format!(
                "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n  config {{\n    experiments = [\"scripts\", \"outputs-sharing\"]\n  }}\n}}\n//- s/x.tm\n{text}"
            );
            finds(&files, &[&expected]);
        }
    }

    #[test]
    fn experiments() {
        let off = "(script is an experimental feature, it must be enabled before usage with `terramate.config.experiments = [\"scripts\"]`)";
        let script = "script \"a\" {\n  job {\n    command = [\"x\"]\n  }\n}\n";
        finds(
            script,
            &[&format!(
                "terramate/experiment-off s/stack.tm «script \"a\"» error load: unrecognized block \"script\" {off}"
            )],
        );
        let on = "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n  config {\n    experiments = [\"scripts\"]\n  }\n}\n";
        finds(&format!("{on}//- s/x.tm\n{script}"), &[]);
        finds(
            &format!("{on}//- s/x.tm\n{script}//- s/y.tm\n{script}"),
            &["duplicate-name s/y.tm «script \"a\"» error load"],
        );
    }

    #[test]
    fn one_of_a_kind() {
        finds(
            "//- s/a.tm\nvendor {\n}\n//- s/b.tm\nvendor {\n}\n",
            &["duplicate-key s/b.tm «vendor» error load"],
        );
        finds(
            "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- z.tm\nterramate {\n  required_version = \">= 0.2\"\n}\n",
            &["duplicate-key z.tm «required_version» error load"],
        );
        finds(
            "//- s/a.tm\nstack {\n}\n//- s/b.tm\nstack {\n}\n",
            &["terramate/stack-duplicate s/b.tm «stack» error load: duplicated stack blocks across configs"],
        );
    }
}

mod imports {
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
            &[
                "terramate/import-invalid s/x.tm «\"../t/y.tm\"» error load: file \"/w/t/y.tm\" already parsed",
            ],
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
}

mod stack {
    use super::*;

    #[test]
    fn attributes_and_blocks_that_there_are_not() {
        attribute(
            "depends_on = []",
            &[
                "unknown-field s/stack.tm «depends_on» error load: unrecognized attribute stack.\"depends_on\"",
            ],
        );
        finds(
            "stack {\n  config {\n  }\n}\n",
            &["terramate/stack-nested-block s/stack.tm «config» error load: unrecognized block \"config\""],
        );
    }

    #[test]
    fn variables_and_functions() {
        let failed = "failed to evaluate \"after\" attribute: eval expression:";
        attribute(
            "after = [global.x]",
            &[&format!(
                "terramate/stack-variable s/stack.tm «global.x» error load: {failed} There is no variable named \"global\"."
            )],
        );
        let function = project("stack {\n  after = concat([], [])\n}\n").findings();
        assert_eq!(function.len(), 1);
        assert!(
            function[0].starts_with("terramate/stack-function s/stack.tm «concat» error load: "),
            "{function:?}"
        );
        attribute("after = tm_try(global.x, [])", &[]);
        attribute("after = [for x in [] : x]", &[]);
    }

    #[test]
    fn scalars_are_strings() {
        for (name, value, found) in [
            ("name", "1", "number"),
            ("name", "true", "bool"),
            ("name", "[]", "tuple"),
            ("name", "null", "dynamic"),
        ] {
            attribute(
                &format!("{name} = {value}"),
                &[&format!(
                    "wrong-type s/stack.tm «{value}» error load: field stack.{name} must be a string but given \"{found}\""
                )],
            );
        }
        attribute(
            "description = 1",
            &[
                "wrong-type s/stack.tm «1» error load: field stack.\"description\" must be a \"string\" but given \"number\"",
            ],
        );
        for name in ["id", "from_bundle_file", "from_bundle_label"] {
            attribute(
                &format!("{name} = 1"),
                &[&format!(
                    "wrong-type s/stack.tm «1» error load: field stack.{name} must be a string but is \"number\""
                )],
            );
        }
    }

    #[test]
    fn lists_are_lists_of_strings() {
        for name in ["after", "before", "wants", "wanted_by", "tags", "watch"] {
            for (value, found) in [
                ("\"x\"", "string"),
                ("{}", "object"),
                ("1", "number"),
                ("tm_toset([\"x\"])", "set of string"),
            ] {
                attribute(
                    &format!("{name} = {value}"),
                    &[&format!(
                        "wrong-type s/stack.tm «{value}» error load: field \"{name}\" must be a set(string) but found a \"{found}\""
                    )],
                );
            }
            for (value, found) in [("1", "number"), ("null", "dynamic"), ("[]", "tuple")] {
                attribute(
                    &format!("{name} = [{value}]"),
                    &[&format!(
                        "wrong-type s/stack.tm «{value}» error load: field \"{name}\" must be a set(string) but element 0 has type \"{found}\""
                    )],
                );
            }
            attribute(&format!("{name} = null"), &[]);
        }
        attribute(
            "tags = [\"x\", \"x\"]",
            &[
                "duplicate-dependency s/stack.tm «\"x\"» error load: duplicated entry \"x\" in the index 1 of field \"tags\" of type set(string)",
            ],
        );
    }

    #[test]
    fn all_errors_of_a_block_are_told() {
        finds(
            "stack {\n  name  = 1\n  after = 2\n  x     = 3\n}\n",
            &[
                "wrong-type s/stack.tm «1» error load: field stack.name must be a string but given \"number\"",
                "wrong-type s/stack.tm «2» error load: field \"after\" must be a set(string) but found a \"number\"",
                "unknown-field s/stack.tm «x» error load: unrecognized attribute stack.\"x\"",
            ],
        );
    }
}

mod whole_project {
    use super::*;

    #[test]
    fn watched_files() {
        let rule = "invalid-value s/stack.tm";
        finds(
            "//- s/stack.tm\nstack {\n  watch = [\"../..\", \"/d\", \"gone\", \"/f\"]\n}\n//- d/x\n//- f\n",
            &[
                &format!("{rule} «\"../..\"» error stacks: path ../.. is outside project root"),
                &format!(
                    "{rule} «\"/d\"» error stacks: stack.watch must be a list of regular files but directory \"/d\" was provided"
                ),
            ],
        );
    }

    #[test]
    fn ids() {
        for id in ["a b", "ü", "a/b"] {
            attribute(
                &format!("id = \"{id}\""),
                &[&format!(
                    "invalid-name s/stack.tm «\"{id}\"» error stacks: \"stack.id\" \"{id}\" doesn't match \"^[a-zA-Z0-9_-]{{1,64}}$\""
                )],
            );
        }
        let long = "x".repeat(65);
        assert_eq!(
            project(&format!("stack {{\n  id = \"{long}\"\n}}\n"))
                .findings()
                .len(),
            1
        );
        finds(
            "//- a/x.tm\nstack {\n  id = \"One\"\n}\n//- b/x.tm\nstack {\n  id = \"one\"\n}\n",
            &[
                "duplicate-name b/x.tm «\"one\"» error stacks: duplicated ID found on stacks: stack \"/b\" and \"/a\" have same ID \"one\"",
            ],
        );
    }

    #[test]
    fn tags() {
        for (tag, words) in [
            ("A", "tags must start with lowercase alphanumeric ([0-9a-z])"),
            ("-a", "tags must start with lowercase alphanumeric ([0-9a-z])"),
            ("a-", "tags must end with lowercase alphanumeric ([0-9a-z])"),
            ("a b", "[a-z._-/] are the only permitted characters in tags"),
            ("aüb", "[a-z._-/] are the only permitted characters in tags"),
        ] {
            attribute(
                &format!("tags = [\"{tag}\"]"),
                &[&format!(
                    "invalid-name s/stack.tm «\"{tag}\"» error stacks: \"{tag}\": {words}"
                )],
            );
        }
        attribute("tags = [\"a.b_c/d-e\", \"0\"]", &[]);
        attribute(
            "tags = [\"\"]",
            &["terramate/tag-empty s/stack.tm «\"\"» warning"],
        );
    }
}

mod entries {
    use super::*;

    #[test]
    fn paths_that_lead_nowhere() {
        for name in ["after", "before", "wants", "wanted_by"] {
            finds(
                &format!("//- s/stack.tm\nstack {{\n  {name} = [\"gone\", \"/f\"]\n}}\n//- f\n"),
                &[
                    &format!(
                        "unknown-dependency s/stack.tm «\"gone\"» warning: Stack /s references an invalid path (gone) in the '{name}' attribute"
                    ),
                    "unknown-dependency s/stack.tm «\"/f\"» warning",
                ],
            );
        }
    }

    #[test]
    fn directories_that_are_not_loaded_or_hold_nothing() {
        finds(
            "//- s/stack.tm\nstack {\n  after = [\"/.dot\", \"/skipped/x\", \"/empty\"]\n}\n//- .dot/x\n//- skipped/.tmskip\n//- skipped/x/stack.tm\nstack {\n}\n//- empty/x.txt\n",
            &[
                "unknown-dependency s/stack.tm «\"/.dot\"» warning",
                "unknown-dependency s/stack.tm «\"/skipped/x\"» warning",
                "unknown-dependency s/stack.tm «\"/empty\"» warning",
            ],
        );
    }

    #[test]
    fn tag_filters() {
        let refused = |entry: &str, words: &str| {
            format!(
                "invalid-value s/stack.tm «\"{entry}\"» error order: invalid order entry \"{entry}\": {words}"
            )
        };
        for (entry, words) in [
            (
                "tag:_x",
                "\"_x\": tags must start with lowercase alphanumeric ([0-9a-z])",
            ),
            (
                "tag:~x",
                "\"~x\": tags must start with lowercase alphanumeric ([0-9a-z])",
            ),
            (
                "tag:x,y-",
                "\"y-\": tags must end with lowercase alphanumeric ([0-9a-z])",
            ),
            (
                "tag:x y",
                "\"x y\": [a-z._-/] are the only permitted characters in tags",
            ),
        ] {
            attribute(&format!("after = [\"{entry}\"]"), &[&refused(entry, words)]);
        }
        attribute(
            "wants = [\"tag:_x\"]",
            &[&refused(
                "tag:_x",
                "\"_x\": tags must start with lowercase alphanumeric ([0-9a-z])",
            )
            .replace("order: ", "wants: ")],
        );
        attribute(
            "after = [\"tag:nobody\"]",
            &["unknown-dependency s/stack.tm «\"tag:nobody\"» warning"],
        );
    }
}

mod cycles {
    use super::*;

    fn words(path: &str, start: &str) -> String {
        format!("cycle detected: {path}: checking node id \"{start}\"")
    }

    #[test]
    fn a_stack_that_waits_for_itself() {
        for entry in [".", "", "/s", "../s", "../s/"] {
            attribute(
                &format!("after = [\"{entry}\"]"),
                &[&format!(
                    "self-dependency s/stack.tm «\"{entry}\"» error order: {}",
                    words("/s -> /s", "/s")
                )],
            );
        }
        attribute(
            "before = [\"..\"]",
            &[&format!(
                "cycle s/stack.tm «\"..\"» error order: {}",
                words("/s -> /s", "/s")
            )],
        );
        finds(
            "stack {\n  tags   = [\"x\"]\n  before = [\"tag:x\"]\n}\n",
            &[&format!(
                "self-dependency s/stack.tm «\"tag:x\"» error order: {}",
                words("/s -> /s", "/s")
            )],
        );
    }

    #[test]
    fn stacks_that_wait_for_each_other() {
        finds(
            "//- a/x.tm\nstack {\n  after = [\"/b\"]\n}\n//- b/x.tm\nstack {\n  after = [\"/a\"]\n}\n",
            &[&format!(
                "cycle a/x.tm «\"/b\"» error order: {}",
                words("/a -> /b -> /a", "/a")
            )],
        );
    }

    #[test]
    fn nesting_is_an_edge_too() {
        finds(
            "//- p/x.tm\nstack {\n  after = [\"/p/c\"]\n}\n//- p/c/x.tm\nstack {\n}\n",
            &[&format!(
                "cycle p/x.tm «\"/p/c\"» error order: {}",
                words("/p -> /p/c -> /p", "/p")
            )],
        );
    }

    #[test]
    fn wants_may_have_cycles() {
        finds(
            "//- a/x.tm\nstack {\n  wants = [\"/b\"]\n}\n//- b/x.tm\nstack {\n  wants = [\"/a\"]\n}\n",
            &[&format!(
                "terramate/wants-cycle a/x.tm «\"/b\"» warning: {}",
                words("/a -> /b -> /a", "/a")
            )],
        );
    }
}

mod flags {
    use crate::engines::RunOptions;

    #[track_caller]
    fn refused(change: impl FnOnce(&mut RunOptions), flag: &str, words: &str) {
        let analysis = super::project("stack {\n}\n").with(change).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let verdict = &project.resolution.verdicts[0];
        assert_eq!((verdict.ok, verdict.stage), (Some(false), Some("flags")));
        assert_eq!(
            (
                verdict.errors[0].subject.as_str(),
                verdict.errors[0].message.as_str()
            ),
            (flag, words)
        );
    }

    #[test]
    fn tags_that_are_none() {
        refused(
            |o| o.tags.push("~x".to_owned()),
            "--tags",
            "unable to parse tag clauses: \"~x\": tags must start with lowercase alphanumeric ([0-9a-z])",
        );
        refused(
            |o| o.no_tags.push("a,B".to_owned()),
            "--no-tags",
            "unable validate tag: \"B\": tags must start with lowercase alphanumeric ([0-9a-z])",
        );
    }
}
