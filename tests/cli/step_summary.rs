//! What `lint` appends to the summary of a step of GitHub Actions.

use std::fs;

use crate::support::{Tree, examples, run_in};

fn env(summary: &str) -> [(&str, &str); 5] {
    [
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_STEP_SUMMARY", summary),
        ("GITHUB_SERVER_URL", "https://github.com"),
        ("GITHUB_REPOSITORY", "o/r"),
        ("GITHUB_SHA", "abc"),
    ]
}

#[allow(clippy::disallowed_methods)]
fn read(tree: &Tree) -> Option<String> {
    fs::read_to_string(tree.path("summary.md")).ok()
}

#[test]
fn the_order_is_a_picture_with_the_findings_beneath() {
    let tree = Tree::new(&[]);
    let path = tree.path("summary.md");
    let summary = path.to_str().unwrap();
    for (engine, project) in [("tazuna", "broken"), ("tazuna", "shop"), ("ankaios", "broken")] {
        let _ = fs::remove_file(&path);
        run_in(&examples().join(engine), &["lint", project], None, &env(summary));
        insta::assert_snapshot!(format!("{engine}_{project}"), read(&tree).unwrap());
    }
    // A second run of the step does not remove what the first one wrote.
    let first = read(&tree).unwrap();
    run_in(&examples().join("tazuna"), &["lint", "shop"], None, &env(summary));
    assert!(read(&tree).unwrap().starts_with(&first));
}

#[test]
fn it_is_written_only_where_it_is_requested() {
    let tree = Tree::new(&[("tazuna.yaml", "spec:\n  manifests: []\n")]);
    let path = tree.path("summary.md");
    let summary = path.to_str().unwrap();
    tree.run_with(&["lint"], None, &[("GITHUB_STEP_SUMMARY", summary)]);
    tree.run_with(&["lint", "--config", "ci=off"], None, &env(summary));
    tree.run_with(&["lint", "--format", "json"], None, &env(summary));
    assert_eq!(read(&tree), None);
    tree.run_with(&["lint"], None, &env(summary));
    assert!(read(&tree).is_some());
    // If it cannot be written, that is reported, and no result changes.
    let answer = tree.run_with(&["lint"], None, &env("/no/such/directory/summary.md"));
    assert!(answer.stderr.contains("GITHUB_STEP_SUMMARY"), "{answer:?}");
    assert_eq!(answer.code, tree.run(&["lint"]).code);
}

#[test]
fn it_stays_below_what_github_takes_and_says_what_was_cut() {
    let name = "n".repeat(180);
    let manifest = |n: usize| {
        format!("    - {{name: m{n}, type: kustomize, path: ., dependsOn: [{name}{n}, {name}{n}x]}}\n")
    };
    let all: String = (0..4_000).map(manifest).collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{all}"))]);
    let path = tree.path("summary.md");
    fs::write(&path, "x".repeat(100_000)).unwrap();
    tree.run_with(&["lint"], None, &env(path.to_str().unwrap()));
    let summary = read(&tree).unwrap();
    assert!(summary.len() <= 1 << 20, "{}", summary.len());
    assert!(summary.len() > 1 << 19, "{}", summary.len());
    assert!(
        summary.contains(" findings more: GitHub shows no summary above 1 MiB"),
        "{}",
        &summary[summary.len() - 300..]
    );
}

#[test]
fn text_of_files_cannot_leave_its_cell_or_fence() {
    let evil = "a`|<b>\n```\n\n[x](javascript:y)\u{1b}[31m";
    let quoted = serde_json::to_string(evil).unwrap();
    let text = format!(
        "spec:\n  manifests:\n    - {{name: {quoted}, type: kustomize, path: ., dependsOn: [{quoted}]}}\n"
    );
    let tree = Tree::new(&[("tazuna.yaml", &text)]);
    let path = tree.path("summary.md");
    tree.run_with(&["lint", "--isolated"], None, &env(path.to_str().unwrap()));
    let summary = read(&tree).unwrap();
    assert_eq!(summary.matches("```").count(), 2, "{summary}");
    assert!(
        !summary.contains("<b>") && !summary.contains("[x](") && !summary.contains('\u{1b}'),
        "{summary}"
    );
    let rows: Vec<&str> = summary.lines().filter(|l| l.starts_with('|')).collect();
    let bars = |row: &&str| row.replace("\\|", "").matches('|').count() == 4;
    assert!(rows.len() > 2 && rows.iter().all(bars), "{summary}");
}
