//! Fixes that move something, or change several places together.

use super::*;

/// Every file that the first fix with these words in its title changes, after the change.
#[track_caller]
fn fixed_by(text: &str, rule: &str, title: &str) -> Vec<(String, String)> {
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, rule);
    let [d] = found.as_slice() else {
        panic!("{rule}: {:?}", super::super::shown(&analysis));
    };
    let fix = d.fixes.iter().find(|f| f.title.contains(title));
    let fix = fix.unwrap_or_else(|| panic!("{:?}", d.fixes));
    let edits = analysis.edits(fix).into_iter();
    edits
        .map(|(file, edits)| {
            let text = &analysis.source(file).unwrap().text;
            let path = analysis.path(file).file_name().unwrap().to_owned();
            (path, applyorder_syntax::text::apply_edits(text, &edits))
        })
        .collect()
}

#[test]
fn a_manifest_moves_after_what_it_waits_for() {
    let text = root(
        "    # the app\n    - name: app\n      type: kustomize\n      path: .\n      dependsOn: [db]\n    - {name: db, type: kustomize, path: .}\n",
    );
    let rule = "tazuna/order-contradicts-declaration";
    let moved = fixed(&text, rule, 0);
    assert_eq!(
        moved,
        root(
            "    - {name: db, type: kustomize, path: .}\n    # the app\n    - name: app\n      type: kustomize\n      path: .\n      dependsOn: [db]\n"
        )
    );
    assert!(of_rule(&tree(&moved).analysis(), rule).is_empty());
    // The order of two files is that of their includes.
    let two = "//- tazuna.yaml\nspec:\n  manifests:\n    - {name: app, type: kustomize, path: ., dependsOn: [db]}\n    - includes: [{path: a.yaml}]\n\
               //- a.yaml\nspec: {manifests: [{name: db, type: kustomize, path: .}]}\n";
    assert!(of_rule(&tree(two).analysis(), rule)[0].fixes.is_empty());
}

#[test]
fn a_merge_moves_above_what_it_replaces() {
    let text = "x-b: &b {name: b}\nspec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      <<: *b\n";
    let moved = fixed(text, "tazuna/merge-overrides", 0);
    assert_eq!(
        moved,
        "x-b: &b {name: b}\nspec:\n  manifests:\n    - <<: *b\n      name: a\n      type: kustomize\n      path: .\n"
    );
    finds(&moved, &[]);
}

#[test]
fn a_name_is_quoted_with_all_that_refers_to_it() {
    let manifests = |name: &str, entry: &str| {
        format!(
            "{name}, type: kustomize, path: .}}\n    - {{name: x, type: kustomize, path: ., dependsOn: [{entry}]}}\n"
        )
    };
    let text = root(&format!("    - {{name: {}", manifests("0x1f", "\"31\"")));
    let quoted = fixed(&text, "coerced-scalar", 1);
    assert_eq!(
        quoted,
        root(&format!("    - {{name: {}", manifests("\"0x1f\"", "\"0x1f\"")))
    );
    // Tazuna rejects both as a name.
    for name in ["0x1F", "1_000"] {
        let text = root(&format!("    - {{name: {}", manifests(name, "b")));
        let analysis = tree(&text).analysis();
        let found = analysis
            .files_with_findings()
            .into_iter()
            .flat_map(|f| analysis.findings_of(f));
        let titles: Vec<&str> = found
            .filter(|f| f.diagnostic.rule.id == "coerced-scalar")
            .flat_map(|f| f.diagnostic.fixes.iter().map(|fix| fix.title.as_str()))
            .collect();
        assert!(
            !titles.is_empty() && titles.iter().all(|title| title.starts_with("replace")),
            "{titles:?}"
        );
    }
    // Keeping the text as it is read has no effect on the other end.
    let kept = fixed(&text, "coerced-scalar", 0);
    assert_eq!(
        kept,
        root(&format!("    - {{name: {}", manifests("\"31\"", "\"31\"")))
    );
    let in_two = "//- tazuna.yaml\nspec:\n  manifests:\n    - {name: 'true', type: kustomize, path: .}\n    - includes: [{path: a.yaml}]\n\
                  //- a.yaml\nspec: {manifests: [{name: x, type: kustomize, path: ., dependsOn: [yes]}]}\n";
    let files = fixed_by(in_two, "coerced-scalar", "quote");
    assert_eq!(files.len(), 2);
    assert!(
        files
            .iter()
            .any(|(f, t)| f == "a.yaml" && t.contains("[\"yes\"]"))
    );
    assert!(
        files
            .iter()
            .any(|(f, t)| f == "tazuna.yaml" && t.contains("name: \"yes\""))
    );
}

#[test]
fn nested_includes_move_into_the_root() {
    let text = format!(
        "//- tazuna.yaml\n{}//- sub/mid.yaml\nspec:\n  manifests:\n    - includes:\n        - path: leaf.yaml\n        - path: other.yaml\n    - {{name: m, type: kustomize, path: .}}\n//- sub/leaf.yaml\n//- other.yaml\n",
        root("    - includes:\n        - path: sub/mid.yaml\n")
    );
    let files = fixed_by(&text, "tazuna/nested-include", "include the files");
    assert_eq!(
        files,
        [
            (
                "tazuna.yaml".to_owned(),
                root(
                    "    - includes:\n        - path: sub/mid.yaml\n        - path: ./sub/leaf.yaml\n        - path: other.yaml\n"
                )
            ),
            (
                "mid.yaml".to_owned(),
                "spec:\n  manifests:\n    - {name: m, type: kustomize, path: .}\n".to_owned()
            ),
        ]
    );
}

#[test]
fn what_a_group_waits_for_can_go_to_its_members() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - {name: z, type: kustomize, path: .}\n    - includes: [{path: a.yaml}]\n      dependsOn: [z]\n\
                //- a.yaml\nspec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n";
    let files = fixed_by(text, "tazuna/include-group-field-ignored", "move it");
    assert_eq!(
        files,
        [
            (
                "tazuna.yaml".to_owned(),
                "spec:\n  manifests:\n    - {name: z, type: kustomize, path: .}\n    - includes: [{path: a.yaml}]\n".to_owned()
            ),
            (
                "a.yaml".to_owned(),
                "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      path: .\n      dependsOn: [z]\n    - {name: b, type: kustomize, path: ., dependsOn: [a, z]}\n".to_owned()
            ),
        ]
    );
}
