//! Where the root is, and which version it requires.

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
fn what_is_broken_above_comes_before_a_missing_root() {
    let verdicts = |files: &str| {
        let project = project(&format!(
            "//- a/b/stack.tm\nstack {{\n}}\n//- required_version.txt\n{files}"
        ));
        let analysis = project.with(|o| o.cwd = Some("/w/a/b".into())).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let verdicts = &project.resolution.verdicts;
        assert!(
            verdicts
                .iter()
                .all(|v| v.ok == Some(false) && v.stage == verdicts[0].stage)
        );
        let first = &verdicts[0].errors[0];
        (verdicts[0].stage.unwrap(), first.rule, first.subject.clone())
    };
    let missing = ("root", "terramate/root-missing", "/".to_owned());
    assert_eq!(verdicts(""), missing);
    assert_eq!(
        verdicts("//- a/x.tm\nfoo {\n}\n"),
        ("load", "unknown-field", "/".to_owned())
    );
    assert_eq!(
        verdicts("//- a/x.tm\nfoo {\n"),
        ("load", "syntax-error", "/".to_owned())
    );
    // The nearest directory comes first.
    let both = "//- a/x.tm\nfoo {\n}\n//- x.tm\nfoo {\n";
    assert_eq!(verdicts(both), ("load", "unknown-field", "/a".to_owned()));
    // What is checked only in a project, and directories next to the path.
    for files in [
        "//- a/x.tm\nstack {\n  nope = 1\n}\n",
        "//- c/x.tm\nfoo {\n",
        "//- a/b/c/x.tm\nfoo {\n",
    ] {
        assert_eq!(verdicts(files), missing, "{files}");
    }
}

#[test]
fn the_version_is_checked() {
    finds(
        "//- terramate.tm\nterramate {\n  required_version = \"soon\"\n}\n",
        &[
            "unsupported-version terramate.tm «\"soon\"» error version: version check error: version check failed: invalid constraint: malformed constraint: soon",
        ],
    );
    // No file specifies the version in use.
    finds(
        "//- terramate.tm\nterramate {\n  required_version = \"> 9\"\n}\n",
        &[
            "unsupported-version terramate.tm «\"> 9\"» warning version: version check error: version check failed: version constraint \"> 9\" not satisfied by terramate version \"0.17.2\"",
        ],
    );
    // An empty one makes a root and requires nothing.
    finds(
        "//- terramate.tm\nterramate {\n  required_version = \"\"\n}\n",
        &[],
    );
}

#[test]
fn tool_versions_files_name_the_version() {
    let root = "//- terramate.tm\nterramate {\n  required_version = \"~> 0.11\"\n}\n";
    let of = |file: &str| project(&format!("{root}{file}")).findings();
    assert_eq!(of("//- .tool-versions\nterramate 0.11.1\n"), [""; 0]);
    assert_eq!(of("//- mise.toml\n[tools]\nterramate = \"0.11.1\"\n"), [""; 0]);
    let with = |version: &str, severity: &str| {
        format!(
            "unsupported-version terramate.tm «\"~> 0.11\"» {severity} version: version check error: version check \
             failed: version constraint \"~> 0.11\" not satisfied by terramate version \"{version}\""
        )
    };
    assert_eq!(
        of("//- .tool-versions\nterramate 1.10.0\n"),
        [with("1.10.0", "error")]
    );
    // The version of the run has precedence.
    let mut told = project(&format!("{root}//- .tool-versions\nterramate 0.11.1\n"));
    told.options.engine_version = Some("1.9.0".to_owned());
    assert_eq!(told.findings(), [with("1.9.0", "error")]);
    // Without an exact version, or with another tool, the newest known version is assumed.
    for file in ["terramate latest", "terramate-catalyst 1.0.0"] {
        assert_eq!(of(&format!("//- .tool-versions\n{file}\n")), [""; 0]);
    }
}

/// An attribute of Terramate 0.2.
#[test]
fn another_version_may_know_what_is_unknown() {
    let root = |version: &str| {
        format!(
            "//- terramate.tm\nterramate {{\n  required_version = \"{version}\"\n  config {{\n    git {{\n      \
             default_branch_base_ref = \"main\"\n    }}\n  }}\n}}\n"
        )
    };
    let unknown = |files: &str| -> Vec<String> {
        let mut found = project(files).findings();
        found.retain(|f| f.starts_with("unknown-field"));
        found
    };
    let with = |severity: &str| {
        format!(
            "unknown-field terramate.tm «default_branch_base_ref» {severity} load: unrecognized attribute \
             terramate.config.git.default_branch_base_ref"
        )
    };
    assert_eq!(unknown(&root(">= 0.1")), [with("error")]);
    assert_eq!(unknown(&root("~> 0.2.0")), [with("warning")]);
    let named = |version: &str| format!("{}//- .tool-versions\nterramate {version}\n", root(">= 0.1"));
    assert_eq!(unknown(&named("0.17.0")), [with("error")]);
    assert_eq!(unknown(&named("0.2.18")), [with("warning")]);
    // In imported files as well.
    let imports = format!(
        "{}//- a/x.tm\nimport {{\n  source = \"/lib/y.hcl\"\n}}\n//- lib/y.hcl\nterramate {{\n  odd = 1\n}}\n",
        "//- terramate.tm\nterramate {\n  required_version = \"~> 0.2.0\"\n}\n"
    );
    let found = project(&imports).findings();
    let import = found.iter().find(|f| f.starts_with("terramate/import-invalid"));
    assert!(import.is_some_and(|f| f.contains(" warning ")), "{found:?}");
}

#[test]
fn a_version_below_the_root_is_warned_of() {
    let found = project(
        "//- terramate.tm\nterramate {\n  required_version = \">= 0.1\"\n}\n//- a/x.tm\nterramate {\n  required_version = \">= 0.2\"\n}\n",
    );
    // Without git the nearest one is the root of what is nested in it.
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

#[test]
fn a_root_may_have_any_bytes_in_comments() {
    let mut own = project("stack {\n}\n");
    own.files.insert(
        "/w/terramate.tm",
        b"# \xff\nterramate {\n  required_version = \">= 0.1\"\n}\n",
    );
    let analysis = own.analysis();
    let found: Vec<_> = analysis
        .projects()
        .flat_map(|(_, p)| p.resolution.verdicts.iter().map(|v| v.ok))
        .collect();
    assert!(
        !found.is_empty() && found.iter().all(Option::is_none),
        "{found:?}"
    );
}
