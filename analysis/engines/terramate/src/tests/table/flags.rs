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
