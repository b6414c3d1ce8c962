//! Many disk events, and many documents: related events are handled together, and no work is done for each pair.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Folder};
use crate::stacks::{self, STACKS};

/// The clock also runs for other programs: it is enough if one of a few attempts meets the limit.
const ATTEMPTS: usize = 3;

/// A project of many files, and the text of each with another name in it.
struct Files {
    folder: Folder,
    path: fn(usize) -> String,
    text: fn(usize, &str) -> String,
}

fn terramate() -> Files {
    Files {
        folder: stacks::folder(),
        path: stacks::path,
        text: stacks::text,
    }
}

fn tazuna() -> Files {
    let path: fn(usize) -> String = |i| format!("part{i}.yaml");
    let text: fn(usize, &str) -> String = |i, on| {
        format!(
            "kind: Tazuna\nspec:\n  manifests:\n    - {{name: m{i}, type: kustomize, path: ., dependsOn: [{on}]}}\n"
        )
    };
    let mut root = "kind: Tazuna\nspec:\n  manifests:\n    - includes:\n".to_owned();
    let folder = Folder::new(&[]);
    for i in 0..STACKS {
        writeln!(root, "        - path: {}", path(i)).unwrap();
        folder.write(&path(i), &text(i, "gone"));
    }
    folder.write("tazuna.yaml", &root);
    Files { folder, path, text }
}

/// Changes all files so that each has another finding, reports it, and waits until the last one is published: how long
/// that took, and how often each was published.
fn changed(files: &Files, client: &mut Client, after: &str, one_by_one: bool) -> (Duration, Vec<usize>) {
    let uris: Vec<String> = (0..STACKS).map(|i| files.folder.uri(&(files.path)(i))).collect();
    let numbers: HashMap<&str, usize> = uris.iter().map(String::as_str).zip(0..).collect();
    for i in 0..STACKS {
        files.folder.write(&(files.path)(i), &(files.text)(i, after));
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
    let mut left = STACKS;
    let mut is_told = |message: &Value| {
        if let Some(&i) = message["params"]["uri"].as_str().and_then(|uri| numbers.get(uri)) {
            left -= usize::from(told[i] == 0);
            told[i] += 1;
        }
        left == 0
    };
    while !is_told(&client.wait_for(|m| m["method"] == "textDocument/publishDiagnostics")) {}
    let took = since.elapsed();
    client.settle();
    for message in client.take("textDocument/publishDiagnostics") {
        is_told(&message);
    }
    (took, told)
}

#[test]
fn many_changed_files_are_batched_and_reported_once() {
    let _turn = crate::turn();
    taken_together(&terramate());
}

#[test]
fn many_changed_includes_are_batched_and_reported_once() {
    let _turn = crate::turn();
    taken_together(&tazuna());
}

fn taken_together(files: &Files) {
    let mut client = Client::start(&files.folder);
    client.settle();
    let mut seen = Vec::new();
    for attempt in 0..ATTEMPTS {
        let (at_once, told) = changed(files, &mut client, &format!("nowhere{attempt}"), false);
        assert_eq!(told, [1; STACKS]);
        let (one_by_one, told) = changed(files, &mut client, &format!("lost{attempt}"), true);
        assert_eq!(told, [1; STACKS]);
        if one_by_one <= 2 * at_once {
            return;
        }
        seen.push((one_by_one, at_once));
    }
    panic!("{seen:?}");
}

/// How many documents are opened and closed.
const MANY: usize = if cfg!(debug_assertions) { 1_000 } else { 5_000 };

#[test]
fn opening_and_closing_many_documents_takes_as_long_for_each() {
    let _turn = crate::turn();
    let text =
        "kind: Tazuna\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";
    let took = |count: usize| {
        let folder = Folder::new(&[]);
        for i in 0..count {
            folder.write(&format!("d{i}/tazuna.yaml"), text);
        }
        let mut client = Client::start(&folder);
        client.settle();
        let since = Instant::now();
        let uris: Vec<String> = (0..count)
            .map(|i| folder.uri(&format!("d{i}/tazuna.yaml")))
            .collect();
        // Half of them with another text than on the disk, which closing discards.
        let other = text.replace("gone", "lost");
        for (i, uri) in uris.iter().enumerate() {
            client.open(uri, [text, &other][i % 2]);
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
        let (few, many) = (took(MANY / 5), took(MANY));
        // Five times as many documents would take twenty-five times as long if each were compared with all others.
        if many < 10 * few {
            return;
        }
        seen.push((few, many));
    }
    panic!("{seen:?}");
}
