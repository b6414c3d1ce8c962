//! Next to servers for YAML and Terraform on the same files: what they do is off unless it is enabled, and requests
//! outside order references get no answer.

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
    // `a`, `t`, `b`, `a`, and `gone`, which is unknown.
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

/// A text with marks `¦`, which are removed: their positions, as line and character.
fn marked(text: &str) -> (String, Vec<(u32, u32)>) {
    let mut out = String::new();
    let mut spots = Vec::new();
    for part in text.split_inclusive('¦') {
        out.push_str(part.trim_end_matches('¦'));
        if part.ends_with('¦') {
            let line = u32::try_from(out.matches('\n').count()).unwrap();
            let character = u32::try_from(out.rsplit('\n').next().unwrap().len()).unwrap();
            spots.push((line, character));
        }
    }
    (out, spots)
}

#[test]
fn outside_references_nothing_is_answered() {
    let terraform = "resource \"aws_vpc\" \"a\" {\n  ci¦dr = \"10.0¦.0.0/16\"\n}\nresource \"spacelift_stack\" \"s\" {\n  name = \
                     \"s\"\n  repository = \"r\"\n  branch = \"m¦\"\n}\n";
    let app = "apiVersion: apps/v1\nkind: Dep¦loyment\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-group: \
               g\n    other.io/note: no¦te\nspec:\n  rep¦licas: 1¦\n";
    let manifests = "spec:\n  manifests:\n    - name: a\n      type: kustomize\n      description: what¦ it is\n      path: .\n      \
                     helmfile:\n        vars:\n          own: {from: static, static: te¦xt}\n";
    let stack = "glo¦bals {\n  region = \"eu¦\"\n}\nstack {\n  description = \"so¦me words\"\n}\ngenerate_hcl \"_a.tf\" {\n  content \
                 {\n    a = glo¦bal.region\n  }\n}\n";
    let workloads = "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: |\n      image: \
                     doc¦ker.io/i\n      commandOptions: [\"-p¦\", \"80\"]\n";
    let files = [
        ("tf/main.tf", terraform),
        ("k/app.yaml", app),
        ("tz/tazuna.yaml", manifests),
        (
            "tm/terramate.tm.hcl",
            "terramate {\n  required_version = \">= 0.1\"\n}\n",
        ),
        ("tm/a/stack.tm.hcl", stack),
        ("ank/state.yaml", workloads),
        ("values.yaml", "a: b¦\nc¦: [1]\n"),
    ];
    let texts: Vec<_> = files.iter().map(|(name, text)| (*name, marked(text))).collect();
    let on_disk: Vec<(&str, &str)> = texts
        .iter()
        .map(|(name, (text, _))| (*name, text.as_str()))
        .collect();
    let folder = Folder::new(&on_disk);
    let mut client = Client::start(&folder);
    let mut asked = 0;
    for (name, (text, spots)) in &texts {
        let uri = folder.uri(name);
        client.open(&uri, text);
        for (line, character) in spots {
            for method in [
                "hover",
                "definition",
                "completion",
                "signatureHelp",
                "references",
                "documentHighlight",
                "prepareCallHierarchy",
            ] {
                let answer = client.at(method, &uri, *line, *character);
                assert!(
                    matches!(&answer, Ok(Value::Null)) || answer == Ok(json!([])),
                    "{method} at {line}:{character} of {name}: {answer:?}"
                );
                asked += 1;
            }
        }
        client.close(&uri);
    }
    assert_eq!(asked, 7 * 17);
}
