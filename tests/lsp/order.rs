//! The order in the editor: as a hierarchy, above a file, after names, next to proposals.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, range};

const ROOT: &str = "\
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
    - name: first
      type: kustomize
      path: ./x
    - includes:
        - path: part.yaml
    - name: last
      type: kustomize
      path: ./x
      dependsOn:
        - middle
        - second
";

const PART: &str = "\
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
    - name: second
      type: kustomize
      path: ./x
      dependsOn: [first]
    - name: middle
      type: kustomize
      path: ./x
      dependsOn: [first]
";

fn opened(capabilities: &Value) -> (Folder, Client) {
    let folder = Folder::new(&[
        ("tazuna.yaml", ROOT),
        ("part.yaml", PART),
        ("x/kustomization.yaml", "resources: []\n"),
    ]);
    let mut client = Client::start_with(&[&folder], capabilities);
    client.open(&folder.uri("tazuna.yaml"), ROOT);
    client.open(&folder.uri("part.yaml"), PART);
    (folder, client)
}

/// The units at the other ends, each with the ranges in which the relation is written.
fn calls(answer: &Value, end: &str) -> Vec<(String, Vec<[u64; 4]>)> {
    let call = |call: &Value| {
        let ranges = call["fromRanges"].as_array().unwrap().iter().map(range).collect();
        (call[end]["name"].as_str().unwrap().to_owned(), ranges)
    };
    answer.as_array().unwrap().iter().map(call).collect()
}

#[test]
fn a_unit_leads_to_what_it_runs_after_and_before() {
    let (folder, mut client) = opened(&capabilities());
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("part.yaml"));
    // At a reference: the unit that it refers to, wherever it is declared.
    let items = client.at("prepareCallHierarchy", &root, 13, 12).unwrap();
    let middle = &items[0];
    assert_eq!(items.as_array().unwrap().len(), 1);
    assert_eq!(middle["name"], "middle");
    assert_eq!(middle["detail"], "layer 2 · part.yaml:9");
    assert_eq!(middle["uri"], *part);
    assert_eq!(range(&middle["selectionRange"]), [8, 12, 8, 18]);
    assert_eq!(range(&middle["range"]), [8, 6, 11, 24]);
    let ask = |client: &mut Client, method: &str, item: &Value| {
        let method = format!("callHierarchy/{method}");
        client.request(&method, json!({ "item": item })).unwrap()
    };
    let after = ask(&mut client, "outgoingCalls", middle);
    assert_eq!(
        calls(&after, "to"),
        [("first".to_owned(), vec![[11, 18, 11, 23]])]
    );
    let before = ask(&mut client, "incomingCalls", middle);
    assert_eq!(
        calls(&before, "from"),
        [("last".to_owned(), vec![[13, 10, 13, 16]])]
    );
    assert_eq!(middle["data"], json!({ "unit": "middle" }));
    // Starting there.
    let last = before[0]["from"].clone();
    assert_eq!(last["uri"], *root);
    let after: Vec<String> = calls(&ask(&mut client, "outgoingCalls", &last), "to")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(after, ["second", "middle"]);
    assert_eq!(ask(&mut client, "incomingCalls", &last), json!([]));
    // Outside order references there is nothing.
    assert_eq!(client.at("prepareCallHierarchy", &root, 6, 14), Ok(Value::Null));
}

fn lens(client: &mut Client, uri: &str) -> Value {
    let params = json!({ "textDocument": { "uri": uri } });
    let mut found = client.request("textDocument/codeLens", params).unwrap();
    found
        .pointer_mut("/0/command/title")
        .map(Value::take)
        .unwrap_or_default()
}

fn hints(client: &mut Client, uri: &str) -> Value {
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": range });
    client.request("textDocument/inlayHint", params).unwrap()
}

#[test]
fn a_file_shows_its_part_of_the_order_unless_disabled() {
    let mut capabilities = capabilities();
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    let (folder, mut client) = opened(&capabilities);
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("part.yaml"));
    assert_eq!(
        lens(&mut client, &root),
        "2 of 4 manifests here · layers 1–3 of 3"
    );
    assert_eq!(lens(&mut client, &part), "2 of 4 manifests here · layer 2 of 3");
    let found = hints(&mut client, &part);
    assert_eq!(found[0]["label"], "layer 2 of 3");
    assert_eq!(
        found[0]["tooltip"],
        json!({ "kind": "markdown", "value": "after `first` · beside `middle` · before `last`" })
    );
    client.settle();
    client.take("workspace/codeLens/refresh");
    let off = json!({ "settings": { "applyorder": { "codeLens": false, "inlayHints": false } } });
    client.notify("workspace/didChangeConfiguration", off);
    // Requests of the server use another channel than its answers.
    client.wait_for(|m| m["method"] == "workspace/codeLens/refresh");
    assert_eq!(lens(&mut client, &root), Value::Null);
    assert_eq!(hints(&mut client, &part), Value::Null);
}

#[test]
fn a_lens_of_another_file_is_asked_for_again_when_the_order_changes() {
    let mut capabilities = capabilities();
    capabilities["workspace"]["codeLens"] = json!({ "refreshSupport": true });
    let (folder, mut client) = opened(&capabilities);
    let root = folder.uri("tazuna.yaml");
    client.settle();
    client.take("workspace/codeLens/refresh");
    // A cycle across both files.
    client.replace(
        &root,
        2,
        &ROOT.replacen("path: ./x\n", "path: ./x\n      dependsOn: [last]\n", 1),
    );
    client.settle();
    assert_eq!(
        lens(&mut client, &folder.uri("part.yaml")),
        "2 of 4 manifests here · no order"
    );
    assert!(!client.take("workspace/codeLens/refresh").is_empty());
}

#[test]
fn a_proposal_is_documented_by_what_is_known_of_its_unit() {
    for markdown in [true, false] {
        let mut capabilities = capabilities();
        let formats = if markdown { vec!["markdown"] } else { vec![] };
        capabilities["textDocument"]["completion"] =
            json!({ "completionItem": { "documentationFormat": formats } });
        let (folder, mut client) = opened(&capabilities);
        let root = folder.uri("tazuna.yaml");
        client.edit(&root, 2, [14, 10, 14, 16], "");
        let found = client.at("completion", &root, 14, 10).unwrap();
        let items = found["items"].as_array().unwrap();
        let first = items.iter().find(|item| item["label"] == "first").unwrap();
        assert!(first.get("documentation").is_none());
        let resolved = client.request("completionItem/resolve", first.clone()).unwrap();
        assert_eq!(resolved["textEdit"], first["textEdit"]);
        let told = &resolved["documentation"];
        let kind = if markdown { "markdown" } else { "plaintext" };
        assert_eq!(told["kind"], kind);
        assert!(told["value"].as_str().unwrap().contains("layer 1 of 3"), "{told}");
        // An item that is not ours is returned unchanged.
        let other = json!({ "label": "x" });
        assert_eq!(client.request("completionItem/resolve", other.clone()), Ok(other));
    }
}

#[test]
fn the_order_state_includes_what_runs_around_a_unit() {
    let manifest = |name: &str, after: &str| {
        format!("    - {{name: {name}, type: kustomize, path: ., dependsOn: [{after}]}}\n")
    };
    let text = |first: &str| {
        format!(
            "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n{}{}{}{}",
            manifest("a", first),
            manifest("b", "a"),
            manifest("c", "a"),
            manifest("d", "b, c"),
        )
    };
    let folder = Folder::new(&[("tazuna.yaml", &text("")), ("other.yaml", "a: 1\n")]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, &text(""));
    let ask = |client: &mut Client, uri: &str, position: serde_json::Value| {
        client
            .request(
                "applyorder/order",
                json!({ "textDocument": { "uri": uri }, "position": position }),
            )
            .unwrap()
    };
    let told = ask(&mut client, &uri, json!({ "line": 5, "character": 13 }));
    let names = |list: &str| -> Vec<&str> {
        let list = told[list].as_array().unwrap();
        list.iter().map(|item| item["name"].as_str().unwrap()).collect()
    };
    assert_eq!(
        (&told["standing"], &told["layers"]),
        (&json!("layers"), &json!(3))
    );
    assert_eq!((&told["units"], &told["word"]), (&json!(4), &json!("manifests")));
    assert_eq!((names("at"), names("after")), (vec!["b"], vec!["a"]));
    assert_eq!((names("beside"), names("before")), (vec!["c"], vec!["d"]));
    assert_eq!(told["before"][0]["uri"], uri);
    assert_eq!(told["before"][0]["range"]["start"]["line"], 7);
    assert_eq!(told["more"], json!({}));
    let told = ask(&mut client, &uri, json!(null));
    assert!(told.get("after").is_none());
    assert_eq!(told["mayBeMore"], false);
    client.replace(&uri, 2, &text("d"));
    assert_eq!(ask(&mut client, &uri, json!(null))["standing"], "cycle");
    client.replace(&uri, 3, &text("{x: y}"));
    let told = ask(&mut client, &uri, json!(null));
    assert_eq!((&told["layers"], &told["mayBeMore"]), (&json!(3), &json!(true)));
    let wide: String = (0..300).map(|n| manifest(&format!("w{n}"), "a")).collect();
    client.replace(&uri, 4, &(text("") + &wide));
    let told = ask(&mut client, &uri, json!({ "line": 5, "character": 13 }));
    assert_eq!(told["beside"].as_array().unwrap().len(), 200);
    assert_eq!(told["more"], json!({ "beside": 101 }));
    let other = folder.uri("other.yaml");
    client.open(&other, "a: 1\n");
    assert_eq!(ask(&mut client, &other, json!(null)), json!(null));
}
