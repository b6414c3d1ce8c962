//! `environment` blocks.

use super::*;

#[test]
fn environments_are_evaluated_with_functions() {
    let root = |id: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\nenvironment {{\n  id = {id}\n  name = \"n\"\n}}\n"
        )
    };
    finds(&root("tm_lower(\"DEV\")"), &[]);
    for (id, words) in [
        (
            "tm_nope()",
            "eval expression: evaluating id: There is no function named \"tm_nope\"",
        ),
        (
            "global.x",
            "eval expression: evaluating id: There is no variable named \"global\"",
        ),
        (
            "tm_tobool(null)",
            "config has an invalid schema: id must be string, got bool",
        ),
        ("true ? null : \"\"", "panic: value is null"),
    ] {
        let found = project(&root(id)).findings();
        assert_eq!(
            found,
            [format!("wrong-type terramate.tm «{id}» error load: {words}")]
        );
    }
}

#[test]
fn environments_are_evaluated_with_what_terramate_knows_of_the_project() {
    let run = |id: &str| {
        let found = project(&format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\nenvironment {{\n  id = \"/b\"\n  name = \"n\"\n}}\nenvironment {{\n  id = {id}\n  name = \"n\"\n}}\n//- a/s.tm\nstack {{\n}}\n//- b/s.tm\nstack {{\n}}\n//- f.txt\n/b\n"
        ));
        let analysis = found.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let run = &project.resolution.verdicts[0];
        (run.ok, run.errors.first().map(|e| e.message.clone()))
    };
    let fails = |words: &str| (Some(false), Some(words.to_owned()));
    for id in [
        "terramate.version",
        "terramate.root.path.fs.basename",
        "\"${terramate.stacks.list[0]}\"",
        "tm_join(\"\", terramate.stacks.list)",
        "tm_file(\"f.txt\")",
    ] {
        assert_eq!(run(id), (Some(true), None), "{id}");
    }
    let again = fails("environment '/b' already defined");
    for id in ["terramate.stacks.list[1]", "tm_trimspace(tm_file(\"f.txt\"))"] {
        assert_eq!(run(id), again, "{id}");
    }
    assert_eq!(
        run("terramate.stacks.list"),
        fails("config has an invalid schema: id must be string, got list of string")
    );
    assert_eq!(
        run("terramate.stack.name"),
        fails("eval expression: evaluating id: This object does not have an attribute named \"stack\".")
    );
    assert_eq!(run("tm_timestamp()").0, None);
}

#[test]
fn environments_may_be_imported() {
    let block = |id: &str| format!("environment {{\n  id = \"{id}\"\n  name = \"n\"\n}}\n");
    let files = |id: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \">= 0.1\"\n}}\nimport {{\n  source = \"/i/e.txt\"\n}}\n{}//- i/e.txt\n{}",
            block("a"),
            block(id)
        )
    };
    finds(&files("b"), &[]);
    let twice = project(&files("a")).findings();
    assert_eq!(twice.len(), 1, "{twice:?}");
    assert!(twice[0].starts_with("duplicate-name terramate.tm"), "{twice:?}");
}
