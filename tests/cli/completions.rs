//! Completions: real shells ask for them.

use std::process::Command;

use crate::support::Tree;

fn tree() -> Tree {
    let manifests = "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  environments:\n    production:\n      context_matches: [p]\n    staging:\n      context_matches: [s]\n  manifests:\n    \
        - {name: database, type: kustomize, path: .}\n    \
        - {name: dashboard, type: kustomize, path: ., dependsOn: [database]}\n";
    Tree::new(&[("tazuna.yaml", manifests)])
}

/// What the shell offers after some words, the last of which is being typed.
fn offered(tree: &Tree, words: &[&str]) -> Vec<String> {
    let index = (words.len() - 1).to_string();
    let env = [
        ("_APPLYORDER_COMPLETE", "bash"),
        ("_CLAP_COMPLETE_INDEX", &*index),
        ("_CLAP_IFS", "\n"),
        ("_CLAP_COMPLETE_COMP_TYPE", "9"),
    ];
    let answer = tree.run_with(&[&["--"], words].concat(), None, &env);
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""), "{answer:?}");
    answer.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn values_are_offered() {
    let tree = tree();
    let offered = |words: &[&str]| offered(&tree, &[&["applyorder"], words].concat());
    assert_eq!(offered(&["li"]), ["lint"]);
    assert_eq!(offered(&["explain", "self-"]), ["self-dependency"]);
    assert_eq!(
        offered(&["lint", "--select", "cycle,self-"]),
        ["cycle,self-dependency"]
    );
    assert!(offered(&["lint", "--ignore", "kapp/"]).contains(&"kapp/*".to_owned()));
    assert_eq!(offered(&["lint", "--engine", "te"]), ["terramate"]);
    assert_eq!(offered(&["lint", "--format", "sa"]), ["sarif"]);
    assert_eq!(offered(&["order", "--format", "js"]), ["json"]);
    assert_eq!(offered(&["lint", "--fail-on", "w"]), ["warning"]);
    assert_eq!(offered(&["why", "da"]), ["dashboard", "database"]);
    assert_eq!(offered(&["deps", "dat"]), ["database"]);
    assert_eq!(offered(&["order", "--env", "pr"]), ["production"]);
}

#[test]
fn nothing_that_is_broken_is_in_the_way() {
    let tree = Tree::new(&[("tazuna.yaml", "spec: ["), ("applyorder.toml", "ruels = 1\n")]);
    assert_eq!(offered(&tree, &["applyorder", "why", "a"]), [""; 0]);
    assert_eq!(
        offered(&tree, &["applyorder", "lint", "--engine", "ka"]),
        ["kapp"]
    );
}

#[test]
fn a_real_bash_completes() {
    let tree = tree();
    let script = tree.run(&["completions", "bash"]).stdout;
    // What bash does when a key is pressed, with the words and the cursor position.
    let session = format!(
        "{script}\nCOMP_WORDS=(applyorder why dash)\nCOMP_CWORD=2\nCOMP_TYPE=9\n\
         _clap_complete_applyorder applyorder dash why\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    );
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_applyorder"));
    let path = std::env::join_paths(std::iter::once(binary.parent().unwrap().to_owned()).chain(
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()),
    ));
    let output = Command::new("bash")
        .args(["--norc", "-c", &session])
        .env("PATH", path.unwrap())
        .current_dir(tree.root())
        .output();
    let output = match output {
        Ok(output) => output,
        Err(e) => return crate::skipped::skip("bash", &e.to_string()),
    };
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "dashboard",
        "{output:?}"
    );
}

#[test]
fn scripts_are_read_by_their_shells() {
    let tree = tree();
    for (shell, check) in [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")] {
        let script = tree.run(&["completions", shell]);
        tree.write("script", &script.stdout);
        match Command::new(shell)
            .args([check, "script"])
            .current_dir(tree.root())
            .output()
        {
            Ok(output) => assert!(output.status.success(), "{shell}: {output:?}"),
            Err(e) => crate::skipped::skip(shell, &e.to_string()),
        }
    }
}
