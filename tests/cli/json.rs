//! Validates the JSON documents against the published schema.

use std::path::Path;

use serde_json::Value;

use crate::support::{Tree, examples, run_in};

fn validator() -> jsonschema::Validator {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema/applyorder-1.json");
    let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    jsonschema::validator_for(&schema).unwrap()
}

#[test]
fn every_document_is_valid() {
    let validator = validator();
    for args in [
        &["lint", "--format", "json"][..],
        &["lint", "--format", "json", "--min-severity", "hint"],
        &["lint", "--format", "json", "--show-files"],
        &["order", "--format", "json"],
        &["order", "--format", "json", "--for", "delete"],
        &["rules", "--format", "json"],
        &["explain", "cycle", "--format", "json"],
        &["lint", "--statistics", "--format", "json"],
    ] {
        let answer = run_in(&examples(), args, None, &[]);
        let document = answer.json();
        let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{args:?}: {errors:?}");
    }
    let expectations = "[[expect]]\nmax-layers = 2\n[[expect]]\nfirst = \"a\"\nthen = \"c\"\n";
    let tree = Tree::new(&[("tazuna.yaml", CHAIN), ("applyorder.toml", expectations)]);
    for args in [
        &["why", "c", "a", "--format", "json"][..],
        &["why", "a", "d", "--format", "json"],
        &["check", "--format", "json"],
        &["deps", "c", "--format", "json"],
        &["deps", "a", "--reverse", "--format", "json"],
    ] {
        let document = tree.run(args).json();
        assert!(validator.is_valid(&document), "{args:?}: {document}");
    }
    assert!(!validator.is_valid(&serde_json::json!({"version": 1, "projects": [{}], "diagnostics": []})));
}

const CHAIN: &str = "spec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n    \
    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n    \
    - {name: c, type: kustomize, path: ., dependsOn: [b]}\n    \
    - {name: d, type: kustomize, path: .}\n";

#[test]
fn the_report_says_what_the_commands_say() {
    let tree = Tree::new(&[("tazuna.yaml", CHAIN)]);
    let report = tree.run(&["lint", "--format", "json"]).json();
    assert_eq!(report["version"], 1);
    let project = &report["projects"][0];
    assert_eq!(project["engine"], "tazuna");
    assert_eq!(project["key"], "tazuna:tazuna.yaml");
    assert_eq!(project["units"].as_array().unwrap().len(), 4);
    let layers = serde_json::json!([["a", "d"], ["b"], ["c"]]);
    assert_eq!(project["order"]["apply"]["layers"], layers);
    assert_eq!(project["order"]["apply"]["guaranteed"], true);
    let edge = &project["edges"][0];
    assert_eq!((&edge["from"], &edge["to"]), (&"b".into(), &"a".into()));
    assert_eq!(
        (&edge["kind"], &edge["reason"]),
        (&"explicit".into(), &"dependsOn".into())
    );
    assert_eq!(project["verdicts"][0]["ok"], true);
}

#[test]
fn places_count_bytes_and_utf16_units() {
    let text = "spec:\n  manifests:\n    - {name: \"ä🙂\", type: kustomize, path: ., dependsOn: [gone]}\n";
    let tree = Tree::new(&[("tazuna.yaml", text)]);
    let report = tree.run(&["lint", "--format", "json"]).json();
    let found = report["projects"][0]["diagnostics"].as_array().unwrap();
    let place = &found.iter().find(|d| d["rule"] == "unknown-dependency").unwrap()["place"];
    let byte = text.find("gone").unwrap();
    let line = text.lines().nth(2).unwrap();
    let column = line.find("gone").unwrap();
    let utf16 = line[..column].encode_utf16().count();
    assert_eq!(place["start"]["byte"], byte);
    assert_eq!(place["start"]["line"], 3);
    assert_eq!(place["start"]["column_utf8"], column + 1);
    assert_eq!(place["start"]["column_utf16"], utf16 + 1);
    assert_eq!(place["end"]["byte"], byte + 4);
}

#[test]
fn what_no_unit_has_is_named_as_it_is_written() {
    let tree = Tree::new(&[(
        "m.ank.yaml",
        "apiVersion: v1\nworkloads:\n  a: {runtime: podman, agent: A, runtimeConfig: x, dependencies: {gone: ADD_COND_RUNNING}}\n",
    )]);
    let answer = tree.run(&["order", "--format", "json"]).json();
    let edges = answer["projects"][0]["edges"].as_array().unwrap();
    let ends: Vec<[&str; 2]> = edges
        .iter()
        .map(|edge| ["from", "to"].map(|end| edge[end].as_str().unwrap()))
        .collect();
    assert_eq!(ends, [["a", "gone"]]);
}
