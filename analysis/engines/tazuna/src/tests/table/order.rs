//! Findings about names, references and the order.

use super::super::{project, verdict};
use super::*;

#[test]
fn names() {
    let sequential = "error check:names!";
    entry(
        "    - {type: kustomize, path: ./apps/My_App}\n",
        &[
            &format!("missing-field tazuna.yaml «type» {sequential}"),
            "tazuna/apply-name-warning tazuna.yaml «type» info",
            "missing-file tazuna.yaml «./apps/My_App» warning",
        ],
    );
    for (name, rule) in [
        ("Up", "invalid-name"),
        ("_metadata", "invalid-name"),
        ("a_b", "invalid-name"),
    ] {
        entry(
            &format!("    - {{name: {name}, type: kustomize, path: .}}\n"),
            &[
                &format!("{rule} tazuna.yaml «{name}» {sequential}"),
                &format!("tazuna/apply-name-warning tazuna.yaml «{name}» info"),
            ],
        );
    }
    entry(
        "    - {name: Up, type: kustomize, path: ., dependsOn: [ok]}\n",
        &[
            "invalid-name tazuna.yaml «Up» error check:names! apply:names!",
            "tazuna/order-contradicts-declaration tazuna.yaml «ok» info",
        ],
    );
    entry(
        "    - {name: ok, type: kustomize, path: .}\n",
        &[
            &format!("duplicate-name tazuna.yaml «ok» {sequential}"),
            "tazuna/apply-name-warning tazuna.yaml «ok» info",
        ],
    );
}

#[test]
fn name_fixes() {
    let missing = root("    - type: kustomize\n      path: ./apps/My_App\n");
    assert!(
        fixed(&missing, "missing-field", 0).contains("    - name: kustomize-my-app\n      type: kustomize\n")
    );
    let upper = root(
        "    - {name: Up, type: kustomize, path: .}\n    - {name: x, type: kustomize, path: ., dependsOn: [Up]}\n",
    );
    let renamed = fixed(&upper, "invalid-name", 0);
    assert!(
        renamed.contains("name: up,") && renamed.contains("dependsOn: [up]"),
        "{renamed}"
    );
    let twice = root(OK);
    assert!(fixed(&twice, "duplicate-name", 0).ends_with("{name: ok-2, type: kustomize, path: .}\n"));
    let included_twice = format!(
        "//- tazuna.yaml\n{}//- a.yaml\nspec: {{manifests: [{{name: a, type: kustomize, path: .}}]}}\n",
        root("    - includes:\n        - path: a.yaml\n        - path: ./a.yaml\n")
    );
    assert!(!fixed(&included_twice, "duplicate-name", 0).contains("./a.yaml"));
}

#[test]
fn references() {
    let refs = "error check:dependsOn! apply:dependsOn!";
    entry(
        "    - {name: a, type: kustomize, path: ., dependsOn: [a]}\n",
        &[&format!("self-dependency tazuna.yaml «a» {refs}")],
    );
    entry(
        "    - {name: a, type: kustomize, path: ., dependsOn: [OK, ~]}\n",
        &[
            &format!("unknown-dependency tazuna.yaml «OK» {refs}"),
            "unknown-dependency tazuna.yaml «~» error check:dependsOn! apply:dependsOn",
        ],
    );
    let text = root("    - {name: a, type: kustomize, path: ., dependsOn: [OK]}\n");
    assert!(fixed(&text, "unknown-dependency", 0).contains("dependsOn: [ok]"));
}

#[test]
fn a_group_is_not_a_manifest() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - name: infra\n      includes: [{path: a.yaml}]\n    \
                - {name: x, type: kustomize, path: ., dependsOn: [infra]}\n\
                //- a.yaml\nspec: {manifests: [{name: a, type: kustomize, path: .}, {name: b, type: kustomize, path: .}]}\n";
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, "unknown-dependency");
    assert!(found[0].message.contains("include group"), "{found:?}");
    assert!(fixed(text, "unknown-dependency", 0).contains("dependsOn: [a, b]"));
}

#[test]
fn cycles() {
    let text = "//- tazuna.yaml\nspec:\n  manifests:\n    - includes: [{path: a.yaml}, {path: b.yaml}]\n    - {name: c, type: kustomize, path: ., dependsOn: [a]}\n\
                //- a.yaml\nspec: {manifests: [{name: a, type: kustomize, path: ., dependsOn: [b]}]}\n\
                //- b.yaml\nspec: {manifests: [{name: b, type: kustomize, path: ., dependsOn: [c]}]}\n";
    let analysis = tree(text).analysis();
    let found = of_rule(&analysis, "cycle");
    assert_eq!(found.len(), 1);
    let files: Vec<&str> = found[0]
        .related
        .iter()
        .map(|r| analysis.path(r.place.file).file_name().unwrap())
        .collect();
    assert_eq!(files, ["a.yaml", "b.yaml", "tazuna.yaml"]);
    assert!(found[0].enforced.iter().all(|e| e.first && e.stage == "cycle"));
}

#[test]
fn order() {
    let text = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - name: b\n      type: kustomize\n      path: .\n\
                \u{20}   - {name: c, type: kustomize, path: ., dependsOn: [a, a]}\n    - {name: d, type: kustomize, path: ., dependsOn: []}\n    \
                - {name: e, type: kustomize, path: ., tags: [t], dependsOn: [c, a, f]}\n    - {name: f, type: kustomize, path: ., dependsOn: []}\n";
    finds(
        text,
        &[
            "tazuna/implicit-order-lost tazuna.yaml «b» warning",
            "tazuna/destroy-order tazuna.yaml «dependsOn» hint",
            "duplicate-dependency tazuna.yaml «a» warning",
            "tazuna/tag-splits-dependency tazuna.yaml «c» info",
            "tazuna/tag-splits-dependency tazuna.yaml «a» info",
            "redundant-dependency tazuna.yaml «a» hint",
            "tazuna/order-contradicts-declaration tazuna.yaml «f» info",
            "tazuna/tag-splits-dependency tazuna.yaml «f» info",
        ],
    );
    let waits = fixed(text, "tazuna/implicit-order-lost", 0);
    assert!(waits.contains("      path: .\n      dependsOn: [a]\n"), "{waits}");
    let nothing = fixed(text, "tazuna/implicit-order-lost", 1);
    assert!(
        nothing.contains("      path: .\n      dependsOn: []\n"),
        "{nothing}"
    );
}

#[test]
fn a_file_included_twice_gives_a_hint_once() {
    let root = "//- tazuna.yaml\nspec:\n  environments: {p: {}, q: {}}\n  manifests:\n    - includes: [{path: a.yaml}, {path: \
                a.yaml}]\n";
    let part = "//- a.yaml\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    - {name: b, type: kustomize, path: ., \
                dependsOn: [a]}\n";
    let last = "    - {name: c, type: kustomize, path: ., dependsOn: [a, b]}\n";
    for (last, environments) in [
        (last.to_owned(), &[][..]),
        (
            format!("{{{{ if eq .Environment \"p\" }}}}\n{last}{{{{ end }}}}\n"),
            &["p"],
        ),
    ] {
        let analysis = tree(&format!("{root}{part}{last}")).analysis();
        let found = of_rule(&analysis, "redundant-dependency");
        let told: Vec<Vec<&str>> = found
            .iter()
            .map(|d| d.environments.iter().map(|e| &**e).collect())
            .collect();
        assert_eq!(told, [environments], "{last}");
    }
}

#[test]
fn destroy_stops_at_values_and_not_at_names_or_references() {
    let said = |text: &str| {
        let analysis = tree(text).analysis();
        let verdict = verdict(project(&analysis), "destroy").clone();
        let warned = verdict.warnings.len();
        (verdict.ok, verdict.stage, warned)
    };
    let entry = |more: &str| root(&format!("    - {{name: x, path: p, type: kustomize, {more}}}\n"));
    assert_eq!(said(&entry("dependsOn: [x, nobody]")), (Some(true), None, 0));
    let unnamed = "    - {path: p, type: kustomize, dependsOn: [x]}\n";
    assert_eq!(said(&root(unnamed)), (Some(true), None, 1));
    let wrong = "    - {name: x, path: p, type: nothing}\n";
    assert_eq!(said(&root(wrong)), (Some(false), Some("spec"), 0));
}
