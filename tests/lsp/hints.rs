//! Hints wait for a pause in editing, and disappear with the files that they are about.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities};

const TEXT: &str = "\
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
    - name: a
      type: kustomize
      path: ./x
    - name: b
      type: kustomize
      path: ./x
      dependsOn: [a]
    - name: c
      type: kustomize
      path: ./x
      dependsOn: [a, b]
";

/// The findings of the file once hints have been searched.
const BOTH: [&str; 2] = ["tazuna/destroy-order", "redundant-dependency"];

/// The rules of some diagnostics, hints too.
fn rules(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|d| d["code"].as_str().unwrap()).collect()
}

/// Waits until a file has these rules.
fn comes_to_both(client: &mut Client, uri: &str) {
    client.wait_for(|m| {
        m["params"]["uri"] == uri && rules(m["params"]["diagnostics"].as_array().unwrap()) == BOTH
    });
}

fn folder() -> Folder {
    Folder::new(&[("tazuna.yaml", TEXT), ("x/kustomization.yaml", "resources: []\n")])
}

#[test]
fn a_hint_comes_later_goes_with_an_edit_and_comes_again() {
    let folder = folder();
    let mut client = Client::start(&folder);
    let uri = folder.uri("tazuna.yaml");
    client.open(&uri, TEXT);
    comes_to_both(&mut client, &uri);
    client.edit(&uri, 2, [7, 12, 7, 13], "bb");
    assert!(!rules(&client.diagnostics(&uri)).contains(&"redundant-dependency"));
    client.edit(&uri, 3, [7, 12, 7, 14], "b");
    assert_eq!(rules(&client.diagnostics(&uri)), ["tazuna/destroy-order"]);
    comes_to_both(&mut client, &uri);
}

#[test]
fn pulling_clients_are_asked_to_refresh() {
    let folder = folder();
    let mut can = capabilities();
    can["textDocument"]["diagnostic"] = json!({});
    can["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    let mut client = Client::start_with(&[&folder], &can);
    let uri = folder.uri("tazuna.yaml");
    client.open(&uri, TEXT);
    let ask = json!({ "textDocument": { "uri": uri } });
    client.request("textDocument/diagnostic", ask.clone()).unwrap();
    client.edit(&uri, 2, [7, 12, 7, 13], "bb");
    client.request("textDocument/diagnostic", ask.clone()).unwrap();
    client.edit(&uri, 3, [7, 12, 7, 14], "b");
    let before = client.request("textDocument/diagnostic", ask.clone()).unwrap();
    let found = |answer: &Value| rules(answer["items"].as_array().unwrap()).contains(&"redundant-dependency");
    assert!(!found(&before), "{before}");
    client.wait_for(|m| m["method"] == "workspace/diagnostic/refresh");
    let after = client.request("textDocument/diagnostic", ask).unwrap();
    assert!(found(&after), "{after}");
}
