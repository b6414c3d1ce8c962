//! Events of the disk: taken together, seen from the start, and forgotten by nobody who opens and closes.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, uri_of};

const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

fn stack_path(i: usize) -> String {
    format!("s{i}/stack.tm.hcl")
}

fn stack(i: usize, after: &str) -> String {
    format!("stack {{\n  name = \"s{i}\"\n  after = [\"/{after}\"]\n}}\n")
}

const STACKS: usize = 2_000;

/// The clock runs for other programs too: what holds, holds in one of a few attempts.
const ATTEMPTS: usize = 3;

fn stacks() -> Folder {
    let folder = Folder::new(&[("terramate.tm.hcl", ROOT)]);
    for i in 0..STACKS {
        folder.write(&stack_path(i), &stack(i, "gone"));
    }
    folder
}

/// Changes all stacks so that each has another finding, tells of it, and waits until the last is told: how long that
/// took, and how often each was told.
fn changed(folder: &Folder, client: &mut Client, after: &str, one_by_one: bool) -> (Duration, Vec<usize>) {
    let uris: Vec<String> = (0..STACKS).map(|i| folder.uri(&stack_path(i))).collect();
    for i in 0..STACKS {
        folder.write(&stack_path(i), &stack(i, after));
    }
    client.settle();
    client.take("textDocument/publishDiagnostics");
    let change = |uri: &String| json!({ "uri": uri, "type": 2 });
    let since = Instant::now();
    if one_by_one {
        for uri in &uris {
            client.watched(uri, 2);
        }
    } else {
        let changes: Vec<Value> = uris.iter().map(change).collect();
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    }
    let mut told = vec![0; STACKS];
    while told.contains(&0) {
        let message = client.wait_for(|m| m["method"] == "textDocument/publishDiagnostics");
        if let Some(at) = uris.iter().position(|uri| message["params"]["uri"] == **uri) {
            told[at] += 1;
        }
    }
    let took = since.elapsed();
    client.settle();
    for message in client.take("textDocument/publishDiagnostics") {
        if let Some(at) = uris.iter().position(|uri| message["params"]["uri"] == **uri) {
            told[at] += 1;
        }
    }
    (took, told)
}

#[test]
fn many_files_that_change_are_taken_together_and_told_once() {
    let folder = stacks();
    let mut client = Client::start(&folder);
    client.settle();
    let mut seen = Vec::new();
    for attempt in 0..ATTEMPTS {
        let (at_once, told) = changed(&folder, &mut client, &format!("nowhere{attempt}"), false);
        assert_eq!(told, [1; STACKS]);
        let (one_by_one, told) = changed(&folder, &mut client, &format!("lost{attempt}"), true);
        assert_eq!(told, [1; STACKS]);
        if one_by_one <= 2 * at_once {
            return;
        }
        seen.push((one_by_one, at_once));
    }
    panic!("{seen:?}");
}

#[test]
fn the_own_watcher_takes_them_together_too() {
    let folder = stacks();
    let mut client = Client::start_with(&[&folder], &json!({}));
    client.settle();
    std::thread::sleep(Duration::from_millis(500));
    client.settle();
    client.take("textDocument/publishDiagnostics");
    for i in 0..STACKS {
        folder.write(&stack_path(i), &stack(i, "nowhere"));
    }
    let last = folder.uri(&stack_path(STACKS - 1));
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
    let missing = (0..STACKS).map(|i| folder.uri(&stack_path(i)));
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
    // The server's own watcher: what is written while it only just starts.
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
fn what_changed_before_the_client_watched_is_seen_though_somebody_types() {
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
fn opening_and_closing_many_documents_takes_as_long_for_each() {
    let took = |count: usize| {
        let folder = Folder::new(&[]);
        for i in 0..count {
            folder.write(&format!("d{i}/tazuna.yaml"), &tazuna("gone"));
        }
        let mut client = Client::start(&folder);
        client.settle();
        let since = Instant::now();
        let uris: Vec<String> = (0..count)
            .map(|i| uri_of(&folder.path().join(format!("d{i}/tazuna.yaml"))))
            .collect();
        for uri in &uris {
            client.open(uri, &tazuna("gone"));
        }
        client.settle();
        for uri in &uris {
            client.close(uri);
        }
        client.settle();
        since.elapsed()
    };
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let (few, many) = (took(1_000), took(5_000));
        // Five times as many; twenty-five times as long, if each looked at all others.
        if many < 10 * few {
            return;
        }
        seen.push((few, many));
    }
    panic!("{seen:?}");
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
