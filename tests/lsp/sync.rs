//! Texts: edits in order, encodings, unsaved text instead of the disk.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, range};

const HEAD: &str = "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n";

fn manifest(name: &str, depends_on: &str) -> String {
    format!("    - {{name: {name}, type: kustomize, path: ., dependsOn: [{depends_on}]}}\n")
}

#[test]
fn a_burst_of_edits_is_applied_in_order() {
    let folder = Folder::new(&[]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    let text = format!("{HEAD}{}", manifest("a", ""));
    client.open(&uri, &text);
    // One letter after the other into the comment, each after the previous one.
    let line = text.lines().count() as u32;
    let typed: String = (0..200u8).map(|i| char::from(b'a' + i % 26)).collect();
    client.edit(&uri, 2, [line, 0, line, 0], "# ");
    for (i, c) in (0u32..).zip(typed.chars()) {
        client.edit(
            &uri,
            3 + i as i32,
            [line, 2 + i, line, 2 + i],
            c.to_string().as_str(),
        );
    }
    // The current text of the server determines where a range of the last line may end.
    client.edit(
        &uri,
        300,
        [line, 202, line, 999],
        "\n    - {name: a, type: kustomize, path: .}\n",
    );
    client.settle();
    let published = client.published(&uri);
    assert_eq!(published["version"], 300);
    let diagnostics = published["diagnostics"].as_array().unwrap();
    let duplicate: Vec<&Value> = diagnostics
        .iter()
        .filter(|d| d["code"] == "duplicate-name")
        .collect();
    assert_eq!(
        range(&duplicate[0]["range"]),
        [u64::from(line) + 1, 13, u64::from(line) + 1, 14]
    );
    // The comment contains all letters in order: cutting them as one text leaves nothing behind.
    client.edit(&uri, 301, [line, 0, line + 2, 0], "");
    assert!(codes(&client.diagnostics(&uri)).is_empty());
}

#[test]
fn positions_are_counted_as_negotiated() {
    let text = format!(
        "{HEAD}{}",
        manifest("a", "").replace("a,", "a, description: \"ä🙂\",") + &manifest("b", "\"ä🙂\", gone")
    );
    for (encoding, column) in [("utf-8", 54 + 10), ("utf-16", 54 + 7), ("utf-32", 54 + 6)] {
        let folder = Folder::new(&[]);
        let uri = folder.uri("tazuna.yaml");
        let mut capabilities = capabilities();
        capabilities["general"]["positionEncodings"] = json!([encoding]);
        let mut client = Client::spawn();
        let result = client.initialize(&[&folder], &capabilities);
        assert_eq!(result["capabilities"]["positionEncoding"], encoding);
        client.open(&uri, &text);
        let diagnostics = client.diagnostics(&uri);
        let gone = diagnostics
            .iter()
            .find(|d| d["message"].as_str().unwrap().contains("gone"))
            .unwrap();
        let [line, start, _, end] = range(&gone["range"]);
        assert_eq!((line, end - start), (5, 4), "{encoding}");
        assert_eq!(start, column, "{encoding}");
        // The same positions in the other direction: the name is replaced with one that exists.
        client.edit(&uri, 2, [5, start as u32, 5, end as u32], "a");
        let diagnostics = client.diagnostics(&uri);
        assert!(
            !diagnostics
                .iter()
                .any(|d| d["message"].as_str().unwrap().contains("gone"))
        );
    }
}

#[test]
fn edits_outside_the_text_are_clamped() {
    let folder = Folder::new(&[]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, "");
    client.edit(&uri, 2, [9, 9, 99, 99], HEAD);
    client.edit(&uri, 3, [4, 0, u32::MAX, u32::MAX], &manifest("a", "gone"));
    assert_eq!(codes(&client.diagnostics(&uri)), ["unknown-dependency"]);
    client.edit(&uri, 4, [u32::MAX, 0, 0, 0], "");
    assert_eq!(client.published(&uri)["version"], 4);
    // A document that was never opened, a URI that is not a file, no range at all.
    client.edit(&folder.uri("other.yaml"), 1, [0, 0, 0, 0], "x");
    client.edit("untitled:Untitled-1", 1, [0, 0, 0, 0], "x");
    client.open("git:/w/tazuna.yaml", "kind: Tazuna\n");
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": uri } }),
    );
    client.replace(&uri, 6, &(HEAD.to_owned() + &manifest("a", "gone")));
    assert_eq!(codes(&client.diagnostics(&uri)), ["unknown-dependency"]);
}

#[test]
fn unsaved_text_wins_over_the_disk_until_it_is_closed() {
    let good = format!("{HEAD}{}", manifest("a", ""));
    let bad = format!("{HEAD}{}", manifest("a", "gone"));
    let folder = Folder::new(&[("tazuna.yaml", &good)]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, &bad);
    assert_eq!(codes(&client.diagnostics(&uri)), ["unknown-dependency"]);
    // Another program writes to the disk meanwhile: the document is used.
    folder.write("tazuna.yaml", &good);
    client.watched(&uri, 2);
    client.settle();
    assert!(!client.has_unread_diagnostics(&uri));
    client.close(&uri);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
}

#[test]
fn broken_text_keeps_the_rest_alive() {
    let text = format!("{HEAD}{}{}", manifest("a", ""), manifest("b", "a"));
    let folder = Folder::new(&[("tazuna.yaml", &text)]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, &text);
    client.edit(&uri, 2, [4, 6, 4, 7], "");
    let diagnostics = client.diagnostics(&uri);
    assert!(codes(&diagnostics).contains(&"syntax-error"), "{diagnostics:?}");
    let hover = client.at("hover", &uri, 5, 13).unwrap();
    assert!(
        hover["contents"]["value"].as_str().unwrap().contains("`b`"),
        "{hover}"
    );
    client.edit(&uri, 3, [4, 6, 4, 6], "{");
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    for odd in [
        "\u{0}",
        "\t- x",
        "{{{{{{",
        "]]]]",
        "\u{feff}",
        "- ".repeat(10_000).as_str(),
    ] {
        client.replace(&uri, 4, odd);
        client.settle();
        client.at("hover", &uri, 0, 1).unwrap();
        client.at("completion", &uri, 0, 1).unwrap();
    }
    client.replace(&uri, 9, &text);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
}
