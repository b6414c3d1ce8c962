//! Disk events: collected, seen from the start, and not lost by opening and closing documents.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes};
use crate::stacks::{self, ROOT, STACKS};

#[test]
fn the_own_watcher_takes_them_together_too() {
    let folder = stacks::folder();
    let mut client = Client::start_with(&[&folder], &json!({}));
    client.settle();
    std::thread::sleep(Duration::from_millis(500));
    client.settle();
    client.take("textDocument/publishDiagnostics");
    for i in 0..STACKS {
        folder.write(&stacks::path(i), &stacks::text(i, "nowhere"));
    }
    let last = folder.uri(&stacks::path(STACKS - 1));
    let last = client.wait_for(|m| {
        m["params"]["uri"] == *last && m["params"]["diagnostics"].to_string().contains("nowhere")
    });
    std::thread::sleep(Duration::from_millis(200));
    client.settle();
    let mut told: Vec<String> = client
        .take("textDocument/publishDiagnostics")
        .iter()
        .chain([&last])
        .map(|m| m["params"]["uri"].as_str().unwrap().to_owned())
        .collect();
    let all = told.len();
    told.sort();
    told.dedup();
    assert_eq!(told.len(), all, "a file was told twice");
    let missing = (0..STACKS).map(|i| folder.uri(&stacks::path(i)));
    let missing: Vec<String> = missing.filter(|uri| !told.contains(uri)).collect();
    assert_eq!(missing, [""; 0]);
}

const BROKEN: &str = "\
apiVersion: v1
kind: ConfigMap
metadata:
  name: b
  annotations:
    kapp.k14s.io/change-rule: \"upsert aftr upserting g\"
";

/// Opens a document, changes it, and closes it without saving.
fn open_and_close(client: &mut Client, uri: &str, text: &str, texts: &[&str]) {
    client.open(uri, text);
    for (version, text) in (2..).zip(texts) {
        client.replace(uri, version, text);
        client.settle();
    }
    client.close(uri);
}

#[test]
fn findings_stay_when_a_document_is_emptied_and_closed() {
    for capabilities in [capabilities(), json!({})] {
        let folder = Folder::new(&[("app/b.yaml", BROKEN)]);
        let uri = folder.uri("app/b.yaml");
        let mut client = Client::start_with(&[&folder], &capabilities);
        client.comes_to(&uri, &["invalid-value"]);
        open_and_close(&mut client, &uri, BROKEN, &[""]);
        client.comes_to(&uri, &[]);
        client.comes_to(&uri, &["invalid-value"]);
    }
}

#[test]
fn findings_in_a_file_that_no_walk_finds_stay_too() {
    const STACK: &str = "stack {\n  id = \"old\"\n}\n";
    for text in ["", "\"\""] {
        let folder = Folder::new(&[("terramate.tm.hcl", ROOT), (".old/stack.tm.hcl", STACK)]);
        let uri = folder.uri(".old/stack.tm.hcl");
        let mut client = Client::start(&folder);
        client.comes_to(&uri, &["terramate/stack-unreachable"]);
        open_and_close(&mut client, &uri, STACK, &[text, STACK]);
        client.settle();
        assert_eq!(codes(&client.diagnostics(&uri)), ["terramate/stack-unreachable"]);
        open_and_close(&mut client, &uri, STACK, &[text]);
        client.settle();
        assert_eq!(codes(&client.diagnostics(&uri)), ["terramate/stack-unreachable"]);
    }
}

fn tazuna(depends_on: &str) -> String {
    format!(
        "kind: Tazuna\nspec:\n  manifests:\n    - {{name: a, type: kustomize, path: ., dependsOn: [{depends_on}]}}\n"
    )
}

#[test]
fn what_changed_before_the_first_watch_is_seen() {
    // The server's own watcher: files that are written while it is starting.
    let folder = Folder::new(&[("tazuna.yaml", &tazuna("gone"))]);
    let uri = folder.uri("tazuna.yaml");
    let new = folder.uri("new/tazuna.yaml");
    let mut client = Client::start_with(&[&folder], &json!({}));
    client.comes_to(&uri, &["unknown-dependency"]);
    folder.write("tazuna.yaml", &tazuna(""));
    folder.write("new/tazuna.yaml", &tazuna("gone"));
    client.comes_to(&uri, &[]);
    client.comes_to(&new, &["unknown-dependency"]);
}

#[test]
fn a_directory_that_comes_back_brings_its_configuration() {
    let folder = Folder::new(&[("a/tazuna.yaml", &tazuna("gone"))]);
    let (dir, uri) = (folder.path().join("a"), folder.uri("a/tazuna.yaml"));
    let mut client = Client::start(&folder);
    client.comes_to(&uri, &["unknown-dependency"]);
    let elsewhere = folder.path().join(".a");
    std::fs::rename(&dir, &elsewhere).unwrap();
    client.watched(&folder.uri("a"), 3);
    client.comes_to(&uri, &[]);
    folder.write(".a/applyorder.toml", "[rules]\nunknown-dependency = \"info\"\n");
    std::fs::rename(&elsewhere, &dir).unwrap();
    client.watched(&folder.uri("a"), 1);
    let told = client.wait_for(|m| m["method"] == "textDocument/publishDiagnostics");
    assert_eq!(told["params"]["diagnostics"][0]["severity"], 3, "{told}");
}

#[test]
fn what_changed_before_the_client_watched_is_seen_despite_typing() {
    let folder = Folder::new(&[("tazuna.yaml", &tazuna("gone")), ("b/tazuna.yaml", &tazuna(""))]);
    let uri = folder.uri("tazuna.yaml");
    let typed = folder.uri("b/tazuna.yaml");
    let mut client = Client::start(&folder);
    client.comes_to(&uri, &["unknown-dependency"]);
    folder.write("tazuna.yaml", &tazuna(""));
    client.open(&typed, &tazuna(""));
    let until = Instant::now() + Duration::from_secs(20);
    let mut version = 2;
    let registration = loop {
        client.replace(&typed, version, &format!("{}# {version}\n", tazuna("")));
        version += 1;
        std::thread::sleep(Duration::from_millis(30));
        client.settle();
        if let Some(asked) = client.take("client/registerCapability").pop() {
            break asked;
        }
        assert!(Instant::now() < until, "the client was never asked to watch");
    };
    client.send(&json!({ "jsonrpc": "2.0", "id": registration["id"], "result": null }));
    client.comes_to(&uri, &[]);
}

#[test]
fn what_acts_in_a_terminal_is_written_out() {
    let name = "\\e[31m\\u202Ex";
    let text = format!(
        "kind: Tazuna\nspec:\n  manifests:\n    - {{name: \"{name}\", type: kustomize, path: ., dependsOn: [\"{name}y\"]}}\n"
    );
    let folder = Folder::new(&[("tazuna.yaml", &text)]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, &text);
    let diagnostics = client.diagnostics(&uri);
    assert!(
        diagnostics
            .iter()
            .any(|d| d["message"].as_str().unwrap().contains("\\u{202e}x"))
    );
    let hover = client.at("hover", &uri, 3, 14).unwrap();
    let symbols = client
        .request("workspace/symbol", json!({ "query": "" }))
        .unwrap();
    let shown = json!([diagnostics, hover, symbols]);
    assert!(!hover.is_null() && !symbols.as_array().unwrap().is_empty());
    let mut open = vec![&shown];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let acts = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
                assert!(!text.contains(acts), "{text:?}");
            }
            Value::Array(items) => open.extend(items),
            Value::Object(fields) => open.extend(fields.values()),
            _ => {}
        }
    }
}
