//! Commands that the server executes.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, range};

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
fn why_one_runs_before_another_is_answered_with_places() {
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
    let status = client.wait_for(|m| m["method"] == "applyorder/status");
    assert_eq!(status["params"]["selection"], json!({ "tags": ["early"] }));
    assert_eq!(layers(&mut client), "**manifest `b`** · not in this run");
    assert!(execute(&mut client, "applyorder.select", &json!({ "tags": [] })).is_ok());
    assert_eq!(layers(&mut client), "**manifest `b`** · layer 2 of 3");
}

#[test]
fn wrong_arguments_are_rejected_with_a_readable_message() {
    let (folder, mut client) = opened();
    let uri = folder.uri("part.yaml");
    let why = "invalid arguments of applyorder.why: ";
    let list = "invalid arguments of applyorder.list: ";
    let graph = "invalid arguments of applyorder.graph: ";
    let select = "invalid arguments of applyorder.select: ";
    for (command, argument, begin) in [
        (
            "applyorder.why",
            json!({ "uri": uri, "from": "a", "to": "b" }),
            format!("{why}unknown field `from`; expected {{ uri, a, b }}"),
        ),
        (
            "applyorder.why",
            json!({ "uri": uri, "a": "a" }),
            format!("{why}missing field `b`; expected"),
        ),
        (
            "applyorder.why",
            json!({ "uri": uri, "a": 1, "b": "b" }),
            format!("{why}invalid field `a`: expected a string; "),
        ),
        (
            "applyorder.list",
            json!({ "uri": uri, "unit": "a" }),
            format!("{list}missing field `of`; "),
        ),
        (
            "applyorder.list",
            json!({ "uri": uri, "unit": "a", "of": "x" }),
            format!("{list}invalid field `of`: expected `layer`, "),
        ),
        (
            "applyorder.list",
            json!({ "uri": uri, "here": "yes" }),
            format!("{list}invalid field `here`: expected a boolean; "),
        ),
        (
            "applyorder.graph",
            json!(null),
            format!("{graph}not one object; expected {{ uri, format?, "),
        ),
        (
            "applyorder.graph",
            json!({}),
            format!("{graph}missing field `uri`; "),
        ),
        (
            "applyorder.graph",
            json!({ "uri": uri, "depth": -1 }),
            format!("{graph}invalid field `depth`: expected a non-negative integer; "),
        ),
        (
            "applyorder.select",
            json!({ "uri": uri, "env": "prod" }),
            format!("{select}unknown field `"),
        ),
        (
            "applyorder.select",
            json!({ "tags": ["early"], "uri": uri }),
            format!("{select}unknown field `uri`; expected {{ "),
        ),
        (
            "applyorder.select",
            json!({ "tags": 1 }),
            format!("{select}invalid field `tags`: expected a string or a list of strings; "),
        ),
        ("applyorder.select", json!({}), format!("{select}missing field; ")),
        (
            "applyorder.unknown",
            json!({}),
            "unknown command `applyorder.unknown`".to_owned(),
        ),
    ] {
        let error = execute(&mut client, command, &argument).unwrap_err();
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&begin), "{command} {argument}: {message}");
        assert_eq!(error["code"], -32602, "{message}");
    }
    for command in [
        "applyorder.graph",
        "applyorder.list",
        "applyorder.why",
        "applyorder.select",
    ] {
        let error = client.request("workspace/executeCommand", json!({ "command": command }));
        let error = error.unwrap_err();
        let begin = format!("invalid arguments of {command}: missing argument; expected {{ ");
        assert!(error["message"].as_str().unwrap().starts_with(&begin), "{error}");
        assert_eq!(error["code"], -32602);
    }
    // A rejected command changes nothing.
    let hover = client.at("hover", &uri, 2, 12).unwrap();
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("layer 2 of 3"),
        "{hover}"
    );
}

#[test]
fn each_part_of_the_lens_opens_its_list_where_the_client_shows_it() {
    let folder = Folder::new(&[("tazuna.yaml", ROOT), ("part.yaml", PART)]);
    let mut client = Client::start_with_settings(&folder, &json!({ "commands": true }));
    let uri = folder.uri("part.yaml");
    let params = json!({ "textDocument": { "uri": uri } });
    let found = client.request("textDocument/codeLens", params).unwrap();
    let commands: Vec<(&str, &str)> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| {
            let text = |field: &str| lens["command"][field].as_str().unwrap();
            (text("title"), text("command"))
        })
        .collect();
    assert_eq!(
        commands,
        [
            ("2 of 3 manifests here", "applyorder.list"),
            ("layers 2–3 of 3", "applyorder.list"),
            ("Show graph", "applyorder.graph"),
        ]
    );
    for lens in found.as_array().unwrap() {
        let command = json!({
            "command": lens["command"]["command"], "arguments": lens["command"]["arguments"],
        });
        let answer = client.request("workspace/executeCommand", command).unwrap();
        assert!(
            answer["items"].is_array() || answer["text"].is_string(),
            "{answer}"
        );
    }
}

#[test]
fn the_graph_of_a_document_is_drawn_and_changes_are_notified() {
    let (folder, mut client) = opened();
    let uri = folder.uri("part.yaml");
    client.open(&uri, PART);
    let mut asked = json!({ "textDocument": { "uri": uri } });
    let svg = client.request("applyorder/graph", asked.clone()).unwrap();
    assert_eq!(svg["root"], folder.uri("tazuna.yaml"));
    assert_eq!(svg["environments"], json!([null, "prod"]));
    let text = svg["text"].as_str().unwrap();
    assert!(
        text.contains("<svg") && text.contains(&format!("{uri}#L3,7")),
        "{text}"
    );
    asked["format"] = "html".into();
    let html = client.request("applyorder/graph", asked.clone()).unwrap();
    assert!(html["text"].as_str().unwrap().starts_with("<!"));
    asked["format"] = "json".into();
    assert!(client.request("applyorder/graph", asked.clone()).unwrap()["data"].is_object());
    asked["format"] = "page".into();
    let page = client.request("applyorder/graph", asked.clone()).unwrap();
    assert_eq!(page["text"], svg["text"]);
    let places: Vec<&str> = page["data"]["pictures"][0]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|node| node["place"]["link"].as_str())
        .collect();
    assert!(places.contains(&format!("{uri}#L3,7").as_str()), "{places:?}");
    asked["format"] = "gif".into();
    assert!(client.request("applyorder/graph", asked.clone()).is_err());
    asked["format"] = "svg".into();
    asked["environment"] = "nowhere".into();
    assert!(client.request("applyorder/graph", asked).is_err());
    client.settle();
    client.take("applyorder/graphChanged");
    client.edit(&uri, 2, [9, 18, 9, 19], "a");
    client.settle();
    assert_eq!(client.take("applyorder/graphChanged").len(), 1);
    // A comment does not change the order.
    client.edit(&uri, 3, [0, 0, 0, 0], "# x\n");
    client.settle();
    assert!(client.take("applyorder/graphChanged").is_empty());
}

#[test]
fn a_client_that_supports_it_gets_the_progress_of_the_first_reading() {
    let root = "terramate {\n  required_version = \">= 0.1\"\n}\n";
    let folder = Folder::new(&[("terramate.tm.hcl", root)]);
    // So many that reading them takes longer than the minimum time for reporting progress.
    for i in 0..20_000 {
        let text = format!(
            "stack {{\n  name = \"s{i}\"\n  tags = [\"t{}\"]\n  after = [\"tag:t{}\"]\n}}\n",
            i / 50,
            i / 50 + 1
        );
        folder.write(&format!("s{i}/stack.tm.hcl"), &text);
    }
    let mut able = capabilities();
    able["window"] = json!({ "workDoneProgress": true });
    let mut client = Client::start_with(&[&folder], &able);
    let is = |kind: &'static str| {
        move |m: &Value| m["method"] == "$/progress" && m["params"]["value"]["kind"] == kind
    };
    client.wait_for(|m| m["method"] == "window/workDoneProgress/create");
    let begin = client.wait_for(is("begin"));
    assert_eq!(begin["params"]["value"]["title"], "applyorder");
    let report = client.wait_for(is("report"));
    let message = report["params"]["value"]["message"].as_str().unwrap();
    assert!(
        message.ends_with(" files") && message.contains(" of "),
        "{message}"
    );
    let end = client.wait_for(is("end"));
    assert_eq!(end["params"]["value"]["message"], "20001 files in 1 project");
    assert_eq!(end["params"]["token"], begin["params"]["token"]);
}
