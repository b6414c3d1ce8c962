//! Flags that Terramate rejects.

use applyorder_core::engine::RunOptions;

#[track_caller]
fn rejected(change: impl FnOnce(&mut RunOptions), flag: &str, words: &str) {
    let analysis = crate::tests::project("stack {\n}\n").with(change).analysis();
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
fn the_directory_of_the_run_exists() {
    for (cwd, why) in [
        ("/w/nope", "no such file or directory"),
        ("/w/s/stack.tm", "not a directory"),
    ] {
        // Terramate does not load anything then.
        let project = crate::tests::project("//- s/stack.tm\nstack {\n  nope = 1\n}\n");
        let analysis = project.with(|o| o.cwd = Some(cwd.into())).analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let verdict = &project.resolution.verdicts[0];
        assert_eq!((verdict.ok, verdict.stage), (Some(false), Some("root")));
        let words = format!("changing working dir to {cwd}: chdir {cwd}: {why}");
        assert_eq!(verdict.errors[0].message, words);
    }
}

#[test]
fn from_elsewhere_terramate_runs_another_project() {
    let root = "terramate {\n  required_version = \">= 0.1\"\n}\n";
    let files = format!(
        "//- terramate.tm\n{root}//- s/stack.tm\nstack {{\n  nope = 1\n}}\n//- n/t.tm\n{root}//- n/s/stack.tm\nstack {{\n}}\n"
    );
    for (cwd, because) in [
        (
            "/",
            "`/` is outside the project, where Terramate searches for another root",
        ),
        ("/w/n", "Terramate finds the root `/w/n` from `/w/n`"),
        ("/w/n/s", "Terramate finds the root `/w/n` from `/w/n/s`"),
    ] {
        let project = crate::tests::project(&files).with(|o| o.cwd = Some(cwd.into()));
        let analysis = project.analysis();
        let mut projects = analysis.projects().map(|(_, project)| project);
        let outer = projects.find(|p| p.seed.root == "/w").unwrap();
        let verdict = &outer.resolution.verdicts[0];
        assert_eq!((verdict.ok, verdict.because.as_deref()), (None, Some(because)));
    }
    let project = crate::tests::project(&files).with(|o| o.cwd = Some("/w/s".into()));
    let analysis = project.analysis();
    let (_, outer) = analysis.projects().find(|(_, p)| p.seed.root == "/w").unwrap();
    assert_eq!(outer.resolution.verdicts[0].ok, Some(false));
}

#[test]
fn invalid_tags() {
    rejected(
        |o| o.tags.push("~x".to_owned()),
        "--tags",
        "unable to parse tag clauses: \"~x\": tags must start with lowercase alphanumeric ([0-9a-z])",
    );
    rejected(
        |o| o.no_tags.push("a,B".to_owned()),
        "--no-tags",
        "unable validate tag: \"B\": tags must start with lowercase alphanumeric ([0-9a-z])",
    );
}

#[test]
fn a_comma_at_the_end_excludes_no_empty_tag() {
    let excluded = |flag: &str| {
        let files = "//- a/x.tm\nstack {\n  tags = [\"\"]\n}\n//- b/x.tm\nstack {\n  tags = [\"b\"]\n}\n";
        let project = crate::tests::project(files).with(|o| o.no_tags.push(flag.to_owned()));
        let analysis = project.analysis();
        let (_, project) = analysis.projects().next().unwrap();
        let variant = &project.resolution.variants[0];
        let all = (0u32..).zip(&variant.units);
        let is_selected = |ix: u32| {
            variant
                .selected
                .as_ref()
                .is_none_or(|s| s.iter().any(|u| u.0 == ix))
        };
        all.filter(|(ix, _)| !is_selected(*ix))
            .map(|(_, unit)| unit.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(excluded(""), [""; 0]);
    assert_eq!(excluded("b,"), ["/b"]);
    assert_eq!(excluded(","), ["/a"]);
    assert_eq!(excluded(",b"), ["/a", "/b"]);
}
