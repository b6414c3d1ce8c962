//! Commands that the server executes.

use serde_json::{Value, json};

use crate::client::{Client, Folder, range};

const ROOT: &str = "\
spec:
  environments: {prod: {}}
  manifests:
    - name: a
      type: kustomize
      path: .
      tags: [early]
    - includes:
        - path: part.yaml
";

const PART: &str = "\
spec:
  manifests:
    - name: b
      type: kustomize
      path: .
      dependsOn: [a]
    - name: c
      type: kustomize
      path: .
      dependsOn: [b]
";

fn opened() -> (Folder, Client) {
    let folder = Folder::new(&[("tazuna.yaml", ROOT), ("part.yaml", PART)]);
    let client = Client::start(&folder);
    (folder, client)
}

fn execute(client: &mut Client, command: &str, argument: &Value) -> Result<Value, Value> {
    client.request(
        "workspace/executeCommand",
        json!({ "command": command, "arguments": [argument] }),
    )
}

#[test]
fn units_are_listed_by_their_layers() {
    let (folder, mut client) = opened();
    let mut names = |argument: Value| -> Vec<String> {
        let found = execute(&mut client, "applyorder.list", &argument).unwrap();
        let items = found["items"].as_array().unwrap().iter();
        let one = |i: &Value| format!("{} {}", i["layer"], i["name"].as_str().unwrap());
        items.map(one).collect()
    };
    let uri = folder.uri("part.yaml");
    assert_eq!(names(json!({ "uri": uri })), ["1 a", "2 b", "3 c"]);
    assert_eq!(names(json!({ "uri": uri, "here": true })), ["2 b", "3 c"]);
    let none = execute(
        &mut client,
        "applyorder.list",
        &json!({ "uri": folder.uri("none.yaml") }),
    );
    assert_eq!(none.unwrap_err()["message"], "the document belongs to no project");
}

#[test]
fn why_one_runs_before_another_is_told_with_its_places() {
    let (folder, mut client) = opened();
    let uri = folder.uri("part.yaml");
    let ask = json!({ "uri": uri, "a": "a", "b": "c" });
    let found = execute(&mut client, "applyorder.why", &ask).unwrap();
    assert_eq!(found["message"], "c runs after a, 2 steps");
    let first = &found["steps"][0];
    assert_eq!(first["name"], "c waits for b");
    assert_eq!(first["location"]["uri"], uri);
    assert_eq!(range(&first["location"]["range"]), [9, 18, 9, 19]);
    let wrong = json!({ "uri": uri, "a": "a", "b": "gone" });
    let error = execute(&mut client, "applyorder.why", &wrong).unwrap_err();
    assert_eq!(error["message"], "no project of the document has both a and gone");
    assert!(execute(&mut client, "applyorder.unknown", &Value::Null).is_err());
}

#[test]
fn what_runs_are_limited_to_is_chosen_from_the_editor() {
    let (folder, mut client) = opened();
    let layers = |client: &mut Client| {
        let found = client.at("hover", &folder.uri("part.yaml"), 2, 12).unwrap();
        let text = found["contents"]["value"].as_str().unwrap().to_owned();
        text.lines().next().unwrap().to_owned()
    };
    assert_eq!(layers(&mut client), "**manifest `b`** · layer 2 of 3");
    assert!(execute(&mut client, "applyorder.select", &json!({ "tags": ["early"] })).is_ok());
    assert_eq!(layers(&mut client), "**manifest `b`** · not in this run");
    assert!(execute(&mut client, "applyorder.select", &json!({ "tags": [] })).is_ok());
    assert_eq!(layers(&mut client), "**manifest `b`** · layer 2 of 3");
}
