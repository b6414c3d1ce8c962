//! The start and end of a session, and invalid messages.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities};

fn error_code(answer: Result<Value, Value>) -> i64 {
    answer.unwrap_err()["code"].as_i64().unwrap()
}

#[test]
fn a_session_ends_with_0_after_shutdown() {
    let folder = Folder::new(&[]);
    let client = Client::start(&folder);
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn exit_without_shutdown_is_1() {
    let mut client = Client::spawn();
    client.notify("exit", Value::Null);
    assert_eq!(client.wait_for_exit().code(), Some(1));
}

#[test]
fn the_server_ends_when_its_input_ends() {
    let folder = Folder::new(&[]);
    let mut client = Client::start(&folder);
    client.close_stdin();
    assert_eq!(client.wait_for_exit().code(), Some(1));
}

#[test]
fn requests_outside_the_session_are_refused() {
    let folder = Folder::new(&[]);
    let mut client = Client::spawn();
    assert_eq!(error_code(client.request("workspace/symbol", json!({}))), -32002);
    client.initialize(&[&folder], &capabilities());
    assert_eq!(error_code(client.request("initialize", json!({}))), -32600);
    assert_eq!(error_code(client.request("no/such/method", json!({}))), -32601);
    assert_eq!(
        error_code(client.request("textDocument/hover", json!({}))),
        -32602
    );
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    assert_eq!(error_code(client.request("workspace/symbol", json!({}))), -32600);
}

#[test]
fn null_and_absent_parameters_and_unknown_fields_are_taken() {
    let folder = Folder::new(&[]);
    let mut client = Client::spawn();
    client.send(&json!({
        "jsonrpc": "2.0", "id": 90, "method": "initialize", "unknown": [1],
        "params": {
            "processId": null, "clientInfo": 7, "rootPath": folder.path(), "trace": "compact",
            "capabilities": { "workspace": { "workspaceEdit": null }, "general": "odd" },
            "workspaceFolders": null,
        },
    }));
    assert!(client.answer(90).unwrap()["capabilities"]["hoverProvider"] == true);
    client.notify("initialized", Value::Null);
    client.notify("$/setTrace", json!({ "value": "verbose" }));
    client.notify("workspace/didChangeConfiguration", json!({ "settings": null }));
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": 3 } }));
    assert_eq!(client.request("workspace/symbol", Value::Null), Ok(json!([])));
    client.send(&json!({ "jsonrpc": "2.0", "id": "text", "method": "shutdown" }));
    client.wait_for(|m| m["id"] == "text" && m["result"].is_null());
}

#[test]
fn an_invalid_message_is_answered_and_the_session_continues() {
    use std::io::Write;
    let folder = Folder::new(&[]);
    let mut client = Client::start(&folder);
    client.send_raw(b"{ this is no json");
    client.wait_for(|m| m["error"]["code"] == -32700 && m["id"].is_null());
    client.send_raw(b"[]");
    client.wait_for(|m| m["error"]["code"] == -32700 && m["id"].is_null());
    client.send_raw(br#"{"jsonrpc":"2.0","id":77,"method":5}"#);
    client.wait_for(|m| m["error"]["code"] == -32600 && m["id"] == 77);
    client.send_raw(b"\xff\xfe");
    client.send_raw(b"");
    let body = r#"{"jsonrpc":"2.0","id":78,"method":"workspace/symbol","params":{"query":""}}"#;
    write!(
        client.stdin(),
        "garbage\r\nContent-Type: application/vscode-jsonrpc; charset=utf8\r\nX-Other: 1\r\nX-More: 2\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .unwrap();
    assert_eq!(client.answer(78), Ok(json!([])));
    // A reply to a request that was never sent.
    client.send(&json!({ "jsonrpc": "2.0", "id": 4711, "result": null }));
    client.send(&json!({ "jsonrpc": "2.0", "id": 4712, "error": { "code": 1, "message": "x" } }));
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn what_is_offered_is_answered() {
    let folder = Folder::new(&[]);
    let mut client = Client::spawn();
    let result = client.initialize(&[&folder], &capabilities());
    let offered = &result["capabilities"];
    assert_eq!(offered["positionEncoding"], "utf-16");
    assert_eq!(result["serverInfo"]["name"], "applyorder");
    let document = json!({ "uri": folder.uri("none.yaml") });
    let position = json!({ "line": 0, "character": 0 });
    let range = json!({ "start": position, "end": position });
    let params = json!({
        "textDocument": document, "position": position, "range": range, "newName": "x",
        "context": { "diagnostics": [], "includeDeclaration": true },
    });
    for (provider, method) in [
        ("hoverProvider", "hover"),
        ("definitionProvider", "definition"),
        ("referencesProvider", "references"),
        ("documentHighlightProvider", "documentHighlight"),
        ("renameProvider", "rename"),
        ("renameProvider", "prepareRename"),
        ("completionProvider", "completion"),
        ("documentSymbolProvider", "documentSymbol"),
        ("codeActionProvider", "codeAction"),
        ("documentLinkProvider", "documentLink"),
        ("foldingRangeProvider", "foldingRange"),
        ("inlayHintProvider", "inlayHint"),
        ("diagnosticProvider", "diagnostic"),
    ] {
        assert!(!offered[provider].is_null(), "{provider}");
        let answer = client.request(&format!("textDocument/{method}"), params.clone());
        assert!(answer.is_ok(), "{method}: {answer:?}");
    }
    assert_eq!(client.shut_down().code(), Some(0));
}
