//! Beside servers for YAML and Terraform on the same files: what those do is off unless it is switched on, and where
//! nothing is said of order, nothing is answered.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities};

const MANIFESTS: &str = "\
spec:
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [t]
    - name: b
      type: kustomize
      path: .
      dependsOn: [a, gone]
";

fn of_document(uri: &str) -> Value {
    json!({ "textDocument": { "uri": uri } })
}

#[test]
fn what_neighbours_do_is_off_by_default() {
    let folder = Folder::new(&[("tazuna.yaml", MANIFESTS)]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::spawn();
    let result = client.initialize(&[&folder], &capabilities());
    let offered = &result["capabilities"];
    assert_eq!(offered["foldingRangeProvider"], false);
    assert_eq!(offered["selectionRangeProvider"], false);
    assert_eq!(offered.get("semanticTokensProvider"), None);
    client.open(&uri, MANIFESTS);
    for method in ["foldingRange", "selectionRange", "semanticTokens/full"] {
        let mut params = of_document(&uri);
        params["positions"] = json!([{ "line": 2, "character": 12 }]);
        let answer = client.request(&format!("textDocument/{method}"), params);
        assert_eq!(answer, Ok(Value::Null), "{method}");
    }
}

#[test]
fn what_is_switched_on_is_there() {
    let folder = Folder::new(&[("tazuna.yaml", MANIFESTS)]);
    let uri = folder.uri("tazuna.yaml");
    let on = json!({ "applyorder": { "folding": true, "selectionRanges": true, "semanticTokens": true } });
    let mut client = Client::start_with_settings(&folder, &on);
    client.open(&uri, MANIFESTS);
    let folds = client
        .request("textDocument/foldingRange", of_document(&uri))
        .unwrap();
    assert_eq!(folds[0]["startLine"], 2);
    let mut params = of_document(&uri);
    params["positions"] = json!([{ "line": 9, "character": 18 }, { "line": 2, "character": 12 }]);
    let found = client.request("textDocument/selectionRange", params).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 2);
    let columns = |range: &Value| {
        (
            range["start"]["character"].as_u64(),
            range["end"]["character"].as_u64(),
        )
    };
    assert_eq!(columns(&found[0]["range"]), (Some(18), Some(19)));
    assert_eq!(columns(&found[0]["parent"]["range"]), (Some(17), Some(26)));
    let tokens = client
        .request("textDocument/semanticTokens/full", of_document(&uri))
        .unwrap();
    // `a`, `t`, `b`, `a`, and `gone`, which leads nowhere.
    let expected = [
        [2, 12, 1, 0, 1],
        [3, 13, 1, 1, 0],
        [1, 12, 1, 0, 1],
        [3, 18, 1, 0, 0],
        [0, 3, 4, 2, 2],
    ];
    assert_eq!(tokens["data"], json!(expected.concat()));
    let mut params = of_document(&uri);
    params["range"] = json!({ "start": { "line": 6, "character": 0 }, "end": { "line": 7, "character": 0 } });
    let some = client
        .request("textDocument/semanticTokens/range", params)
        .unwrap();
    assert_eq!(some["data"], json!([6, 12, 1, 0, 1]));
}

#[test]
fn outside_of_references_nothing_is_answered() {
    let terraform = "resource \"aws_vpc\" \"a\" {\n  cidr = \"10.0.0.0/16\"\n}\nresource \"spacelift_stack\" \"s\" {\n  name = \
                     \"s\"\n  repository = \"r\"\n  branch = \"m\"\n}\n";
    let app = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-group: \
               g\nspec:\n  replicas: 1\n";
    let folder = Folder::new(&[
        ("main.tf", terraform),
        ("app.yaml", app),
        ("values.yaml", "a: b\n"),
    ]);
    let mut client = Client::start(&folder);
    for (name, text, line, character) in [
        ("main.tf", terraform, 1, 4),
        ("main.tf", terraform, 1, 12),
        ("app.yaml", app, 7, 4),
        ("app.yaml", app, 7, 13),
        ("values.yaml", "a: b\n", 0, 3),
    ] {
        let uri = folder.uri(name);
        client.open(&uri, text);
        for method in ["hover", "definition", "completion", "signatureHelp"] {
            let answer = client.at(method, &uri, line, character);
            assert_eq!(
                answer,
                Ok(Value::Null),
                "{method} at {line}:{character} of {name}"
            );
        }
        client.close(&uri);
    }
}
