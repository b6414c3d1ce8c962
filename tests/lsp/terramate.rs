//! What an editor asks of a Terramate project.

use serde_json::{Value, json};

use crate::client::{Client, Folder, range};

const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

/// A server with some files, all of them opened.
fn opened(files: &[(&str, &str)]) -> (Folder, Client) {
    let mut all = vec![("terramate.tm", ROOT)];
    all.extend(files);
    let folder = Folder::new(&all);
    let mut client = Client::start(&folder);
    for (path, text) in all {
        client.open(&folder.uri(path), text);
    }
    (folder, client)
}

/// The edits of an answer: path below the folder, range, text.
fn edits(folder: &Folder, answer: &Value) -> Vec<(String, [u64; 4], String)> {
    let mut found = Vec::new();
    for document in answer["documentChanges"].as_array().unwrap() {
        let uri = document["textDocument"]["uri"].as_str().unwrap();
        let path = uri.strip_prefix(&format!("{}/", folder.uri(""))).unwrap_or(uri);
        let path = path.strip_prefix(&folder.uri("")).unwrap_or(path);
        for edit in document["edits"].as_array().unwrap() {
            found.push((
                path.trim_start_matches('/').to_owned(),
                range(&edit["range"]),
                edit["newText"].as_str().unwrap().to_owned(),
            ));
        }
    }
    found.sort();
    found
}

fn will_rename(folder: &Folder, client: &mut Client, old: &str, new: &str) -> Value {
    client
        .request(
            "workspace/willRenameFiles",
            json!({ "files": [{ "oldUri": folder.uri(old), "newUri": folder.uri(new) }] }),
        )
        .unwrap()
}

#[test]
fn a_directory_that_is_renamed_takes_its_paths_along() {
    let (folder, mut client) = opened(&[
        ("net/vpc/stack.tm", "stack {\n  before = [\"../../app\"]\n}\n"),
        (
            "app/stack.tm",
            "stack {\n  wants = [\"/net\"]\n  watch = [\"/net/vpc/main.tf\"]\n}\n",
        ),
        ("db/stack.tm", "# größe\nstack {\n  after = [\"../net/vpc\"]\n}\n"),
    ]);
    let answer = will_rename(&folder, &mut client, "net", "infra/network");
    assert_eq!(
        edits(&folder, &answer),
        [
            (
                "app/stack.tm".to_owned(),
                [1, 11, 1, 17],
                "\"/infra/network\"".to_owned()
            ),
            (
                "app/stack.tm".to_owned(),
                [2, 11, 2, 29],
                "\"/infra/network/vpc/main.tf\"".to_owned()
            ),
            (
                "db/stack.tm".to_owned(),
                [2, 11, 2, 23],
                "\"../infra/network/vpc\"".to_owned()
            ),
            (
                "net/vpc/stack.tm".to_owned(),
                [1, 12, 1, 23],
                "\"../../../app\"".to_owned()
            ),
        ]
    );
    assert_eq!(
        will_rename(&folder, &mut client, "elsewhere", "there"),
        Value::Null
    );
}

#[test]
fn unsaved_text_counts_when_a_directory_is_renamed() {
    let (folder, mut client) = opened(&[("net/stack.tm", "stack {\n}\n"), ("app/stack.tm", "stack {\n}\n")]);
    client.replace(
        &folder.uri("app/stack.tm"),
        2,
        "stack {\n  after = [\"/net\"]\n}\n",
    );
    let answer = will_rename(&folder, &mut client, "net", "new");
    assert_eq!(
        edits(&folder, &answer),
        [("app/stack.tm".to_owned(), [1, 11, 1, 17], "\"/new\"".to_owned())]
    );
}
