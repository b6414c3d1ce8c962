//! What is reported about an open file before the rest of its project is read.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities};
use crate::diagnostics::{pull, pulling};

/// So many that reading them takes long on any machine.
const STACKS: u32 = if cfg!(debug_assertions) { 1_000 } else { 3_000 };

/// Names a directory that does not exist, and a tag; whether a stack has the tag is known only after reading the whole
/// project.
const OPEN: &str = "stack {\n  id = \"s0\"\n  after = [\"/gone\", \"tag:none\"]\n}\n";

fn folder() -> Folder {
    let folder = Folder::new(&[(
        "terramate.tm.hcl",
        "terramate {\n  required_version = \">= 0.1\"\n}\n",
    )]);
    for i in 0..STACKS {
        folder.write(
            &format!("s{i}/stack.tm.hcl"),
            &format!("stack {{\n  id = \"s{i}\"\n}}\n"),
        );
    }
    folder
}

/// Which unknown names are reported: the directory, and the tag.
fn unknown(diagnostics: &Value) -> [bool; 2] {
    ["/gone", "tag:none"].map(|name| {
        let mut all = diagnostics.as_array().unwrap().iter();
        all.any(|d| d["code"] == "unknown-dependency" && d["message"].as_str().unwrap().contains(name))
    })
}

#[test]
fn a_client_is_sent_what_is_certain_first() {
    let folder = folder();
    let uri = folder.uri("s0/stack.tm.hcl");
    let mut client = Client::start(&folder);
    client.open(&uri, OPEN);
    let is_told = |m: &Value| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == *uri;
    let first = client.wait_for(is_told);
    assert_eq!(unknown(&first["params"]["diagnostics"]), [true, false]);
    // What was reported stays, and the rest is added.
    let second = client.wait_for(is_told);
    assert_eq!(unknown(&second["params"]["diagnostics"]), [true, true]);
}

#[test]
fn a_client_that_asks_gets_what_is_certain_and_asks_again() {
    let folder = folder();
    let uri = folder.uri("s0/stack.tm.hcl");
    let mut client = Client::start_with(&[&folder], &pulling());
    client.open(&uri, OPEN);
    let first = pull(&mut client, &uri, None);
    assert_eq!(unknown(&first["items"]), [true, false]);
    client.wait_for(|m| m["method"] == "workspace/diagnostic/refresh");
    let second = pull(&mut client, &uri, first["resultId"].as_str());
    assert_eq!(second["kind"], "full");
    assert_eq!(unknown(&second["items"]), [true, true]);
}

#[test]
fn a_client_without_refresh_support_gets_everything_at_once() {
    let mut once = capabilities();
    once["textDocument"]["diagnostic"] = json!({ "dynamicRegistration": false });
    let folder = folder();
    let uri = folder.uri("s0/stack.tm.hcl");
    let mut client = Client::start_with(&[&folder], &once);
    client.open(&uri, OPEN);
    assert_eq!(unknown(&pull(&mut client, &uri, None)["items"]), [true, true]);
}
