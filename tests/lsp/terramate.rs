//! The requests of an editor about a Terramate project.

use serde_json::{Value, json};

use crate::client::{Client, Folder, codes, range};

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

/// The edits of an answer: path relative to the folder, range, text.
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

#[test]
fn a_stack_in_a_new_directory_counts_before_it_is_saved() {
    let waits = "stack {\n  after = [\"/new/deep\"]\n}\n";
    let (folder, mut client) = opened(&[("app/stack.tm", waits)]);
    let (app, new) = (folder.uri("app/stack.tm"), folder.uri("new/deep/stack.tm"));
    assert_eq!(codes(&client.diagnostics(&app)), ["unknown-dependency"]);
    client.open(&new, "stack {\n  after = [\"/gone\"]\n}\n");
    assert_eq!(codes(&client.diagnostics(&new)), ["unknown-dependency"]);
    assert!(codes(&client.diagnostics(&app)).is_empty());
    client.close(&new);
    assert_eq!(codes(&client.diagnostics(&app)), ["unknown-dependency"]);
}

/// Places of an answer: path relative to the folder, and range.
fn places(folder: &Folder, answer: &Value) -> Vec<(String, [u64; 4])> {
    let base = folder.uri("");
    let mut found: Vec<_> = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|l| {
            let uri = l["uri"].as_str().unwrap();
            let path = uri.strip_prefix(&base).unwrap_or(uri).trim_start_matches('/');
            (path.to_owned(), range(&l["range"]))
        })
        .collect();
    found.sort();
    found
}

fn at(path: &str, range: [u64; 4]) -> (String, [u64; 4]) {
    (path.to_owned(), range)
}

/// Two networks with tags, a database, an application that names all of them.
fn project() -> (Folder, Client) {
    opened(&[
        (
            "net/vpc/stack.tm",
            "stack {\n  id = \"vpc\"\n  tags = [\"net\", \"eu\"]\n}\n",
        ),
        ("net/dns/stack.tm", "stack {\n  tags = [\"net\"]\n}\n"),
        ("db/stack.tm", "stack {\n  tags = [\"eu\"]\n}\n"),
        (
            "app/stack.tm",
            "# größe\nstack {\n  after  = [\"/db\", \"../net\", \"tag:net:eu,db\"]\n  wants  = [\"tag:eu\"]\n}\n",
        ),
        (
            "app/input.tm",
            "import {\n  source = \"/shared/*.tm\"\n}\nimport {\n  source = \"/lib/globals.tm\"\n}\n\
             input \"id\" {\n  backend       = \"b\"\n  from_stack_id = \"vpc\"\n  value         = 1\n}\n",
        ),
        ("lib/globals.tm", "globals {\n}\n"),
        ("shared/a.tm", "globals {\n}\n"),
    ])
}

fn references(client: &mut Client, uri: &str, line: u32, character: u32) -> Value {
    client
        .request(
            "textDocument/references",
            json!({
                "textDocument": { "uri": uri },
                "position": { "line": line, "character": character },
                "context": { "includeDeclaration": true },
            }),
        )
        .unwrap()
}

fn rename(client: &mut Client, uri: &str, at: [u32; 2], name: &str) -> Result<Value, Value> {
    client.request(
        "textDocument/rename",
        json!({
            "textDocument": { "uri": uri },
            "position": { "line": at[0], "character": at[1] },
            "newName": name,
        }),
    )
}

#[test]
fn definitions_of_paths_directories_and_filters() {
    let (folder, mut client) = project();
    let app = folder.uri("app/stack.tm");
    let mut definition = |character: u32| {
        let found = client.at("definition", &app, 2, character).unwrap();
        places(&folder, &found)
    };
    let (vpc, dns, db) = (
        at("net/vpc/stack.tm", [0, 0, 0, 5]),
        at("net/dns/stack.tm", [0, 0, 0, 5]),
        at("db/stack.tm", [0, 0, 0, 5]),
    );
    assert_eq!(definition(14), [db], "an absolute path");
    assert_eq!(
        definition(21),
        [dns, vpc.clone()],
        "a relative path of a directory that holds stacks"
    );
    assert_eq!(
        definition(32),
        std::slice::from_ref(&vpc),
        "a filter, at its prefix"
    );
    assert_eq!(definition(36), [vpc], "a filter, at one of its tags");
}

#[test]
fn references_of_stacks_tags_and_ids() {
    let (folder, mut client) = project();
    let stack = references(&mut client, &folder.uri("db/stack.tm"), 0, 2);
    assert_eq!(
        places(&folder, &stack),
        [
            at("app/stack.tm", [2, 12, 2, 17]),
            at("app/stack.tm", [3, 12, 3, 20]),
            at("db/stack.tm", [0, 0, 0, 5]),
        ]
    );
    let tag = references(&mut client, &folder.uri("net/vpc/stack.tm"), 2, 20);
    assert_eq!(
        places(&folder, &tag),
        [
            at("app/stack.tm", [2, 38, 2, 40]),
            at("app/stack.tm", [3, 17, 3, 19]),
            at("db/stack.tm", [1, 10, 1, 14]),
            at("net/vpc/stack.tm", [2, 17, 2, 21]),
        ]
    );
    let id = references(&mut client, &folder.uri("app/input.tm"), 8, 20);
    assert_eq!(
        places(&folder, &id),
        [
            at("app/input.tm", [8, 18, 8, 23]),
            at("net/vpc/stack.tm", [1, 7, 1, 12]),
        ]
    );
}

#[test]
fn tags_and_ids_are_renamed_everywhere_and_nothing_else() {
    let (folder, mut client) = project();
    let answer = rename(&mut client, &folder.uri("app/stack.tm"), [2, 39], "europe").unwrap();
    assert_eq!(
        edits(&folder, &answer),
        [
            ("app/stack.tm".to_owned(), [2, 38, 2, 40], "europe".to_owned()),
            ("app/stack.tm".to_owned(), [3, 17, 3, 19], "europe".to_owned()),
            ("db/stack.tm".to_owned(), [1, 10, 1, 14], "\"europe\"".to_owned()),
            (
                "net/vpc/stack.tm".to_owned(),
                [2, 17, 2, 21],
                "\"europe\"".to_owned()
            ),
        ]
    );
    let answer = rename(&mut client, &folder.uri("net/vpc/stack.tm"), [1, 9], "network").unwrap();
    assert_eq!(
        edits(&folder, &answer),
        [
            (
                "app/input.tm".to_owned(),
                [8, 18, 8, 23],
                "\"network\"".to_owned()
            ),
            (
                "net/vpc/stack.tm".to_owned(),
                [1, 7, 1, 12],
                "\"network\"".to_owned()
            ),
        ]
    );
    let app = folder.uri("app/stack.tm");
    for (name, why) in [
        ("net", "already"),
        ("No Tag", "tags must start with"),
        ("", "empty"),
    ] {
        let refused = rename(&mut client, &app, [2, 39], name).unwrap_err();
        assert!(refused["message"].as_str().unwrap().contains(why), "{refused}");
    }
    let refused = rename(&mut client, &app, [1, 2], "x").unwrap_err();
    assert!(
        refused["message"]
            .as_str()
            .unwrap()
            .contains("the path of its file"),
        "{refused}"
    );
}

#[test]
fn completion_offers_paths_and_tags() {
    let (folder, mut client) = project();
    let app = folder.uri("app/stack.tm");
    let mut labels = |text: &str, line: u32, character: u32, version: i32| {
        client.replace(&app, version, text);
        let found = client.at("completion", &app, line, character).unwrap();
        let items = found.get("items").unwrap_or(&found).clone();
        let items = items.as_array().unwrap().clone();
        items
            .iter()
            .map(|i| i["label"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        labels("stack {\n  after = [\"/\"]\n}\n", 1, 13, 2),
        ["/db", "/net", "/net/dns", "/net/vpc"]
    );
    assert_eq!(
        labels("stack {\n  before = [\".\n}\n", 1, 14, 3),
        ["../db", "../net", "../net/dns", "../net/vpc"]
    );
    assert_eq!(labels("stack {\n  wants = [\"tag:net:\"]\n}\n", 1, 20, 4), ["eu"]);
    assert_eq!(labels("stack {\n  tags = [\"\"]\n}\n", 1, 11, 5), ["eu", "net"]);
}

#[test]
fn a_hover_tells_the_turn_and_what_nesting_adds() {
    let (folder, mut client) = opened(&[
        ("a/stack.tm", "stack {\n}\n"),
        ("a/b/stack.tm", "stack {\n}\n"),
        ("c/stack.tm", "stack {\n  after = [\"/a\"]\n}\n"),
        ("d/stack.tm", "stack {\n  after = [\"/a/b\"]\n}\n"),
        ("e/stack.tm", "stack {\n  after = [\"/c\"]\n}\n"),
        ("f/stack.tm", "stack {\n  after = [\"/c\"]\n}\n"),
    ]);
    let mut hover = |path: &str, line: u32, character: u32| {
        let found = client.at("hover", &folder.uri(path), line, character).unwrap();
        found["contents"]["value"].as_str().unwrap().to_owned()
    };
    let text = hover("d/stack.tm", 0, 2);
    assert!(text.contains("· layer 3 of 4"), "{text}");
    assert!(text.contains("Without `--parallel` it runs 4th of 6."), "{text}");
    let text = hover("a/b/stack.tm", 0, 2);
    assert!(text.contains("it runs 2nd of 6"), "{text}");
    assert!(text.contains("**after** `/a` (nesting)"), "{text}");
    let text = hover("a/stack.tm", 0, 2);
    assert!(text.contains("it runs 1st of 6"), "{text}");
    assert!(text.contains("**before** `/a/b` (nesting)"), "{text}");
    let text = hover("c/stack.tm", 1, 13);
    assert!(
        text.contains("**`/c`** waits for **2 stacks** · layers 1–2, then 3"),
        "{text}"
    );
    assert!(
        text.contains("- `/a` · layer 1 of 4 · **after** nothing")
            && text.contains("\n- `/a/b` · layer 2 of 4 · "),
        "{text}"
    );
}

#[test]
fn imports_are_links() {
    let (folder, mut client) = project();
    let links = client
        .request(
            "textDocument/documentLink",
            json!({ "textDocument": { "uri": folder.uri("app/input.tm") } }),
        )
        .unwrap();
    let links: Vec<_> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|l| (range(&l["range"]), l["target"].as_str().unwrap().to_owned()))
        .collect();
    assert_eq!(links.len(), 1, "a pattern is no link: {links:?}");
    assert_eq!(links[0].1, folder.uri("lib/globals.tm"));
    let found = client
        .at("definition", &folder.uri("app/input.tm"), 4, 16)
        .unwrap();
    assert_eq!(places(&folder, &found), [at("lib/globals.tm", [0, 0, 0, 0])]);
}
