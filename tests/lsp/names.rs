//! One file under several names: URIs as clients write them, and links.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, uri_of};

fn file(manifests: &str) -> String {
    format!("apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n{manifests}")
}

const A: &str = "    - {name: a, type: kustomize, path: .}\n";
const ON_GONE: &str = "    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";
const B_ON_A: &str = "    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n";

fn root_and_part() -> Folder {
    Folder::new(&[
        (
            "real/tazuna.yaml",
            &file(&format!("{A}    - includes: [{{path: part.yaml}}]\n")),
        ),
        ("real/part.yaml", &file(B_ON_A)),
    ])
}

fn client_in(folder: PathBuf) -> Client {
    let mut client = Client::spawn();
    client
        .request(
            "initialize",
            json!({
                "processId": null,
                "rootUri": uri_of(&folder),
                "capabilities": capabilities(),
            }),
        )
        .unwrap();
    client.notify("initialized", json!({}));
    client
}

/// The newest diagnostics of each URI, omitting empty ones.
fn shown(client: &mut Client) -> Vec<(String, Vec<String>)> {
    client.settle();
    let mut shown: Vec<(String, Vec<String>)> = Vec::new();
    for message in client.take("textDocument/publishDiagnostics") {
        let uri = message["params"]["uri"].as_str().unwrap().to_owned();
        shown.retain(|(known, _)| *known != uri);
        let found = message["params"]["diagnostics"].as_array().unwrap();
        let found: Vec<String> = codes(found).into_iter().map(str::to_owned).collect();
        if !found.is_empty() {
            shown.push((uri, found));
        }
    }
    shown
}

fn defined_in(client: &mut Client, part: &str) -> Value {
    let column = u32::try_from(B_ON_A.find("[a]").unwrap()).unwrap() + 1;
    client.at("definition", part, 4, column).unwrap()[0]["uri"].clone()
}

#[test]
fn uris_are_given_back_as_the_client_writes_them() {
    let folder = Folder::new(&[("a b/ümlaut+/tazuna.yaml", &file(ON_GONE))]);
    let ours = folder.uri("a b/ümlaut+/tazuna.yaml");
    // As VS Code writes it, and as a client without encoding.
    let root = folder.uri("");
    for theirs in [
        format!("{root}a%20b/%C3%BCmlaut%2B/tazuna.yaml"),
        format!("{root}a%20b/%c3%bcmlaut+/tazuna.yaml"),
        format!("{root}a b/ümlaut+/tazuna.yaml"),
    ] {
        let mut client = Client::start(&folder);
        client.comes_to(&ours, &["unknown-dependency"]);
        client.open(&theirs, &file(ON_GONE));
        let known = if theirs.contains(' ') { &ours } else { &theirs };
        assert_eq!(
            shown(&mut client),
            [(known.clone(), vec!["unknown-dependency".to_owned()])]
        );
        client.edit(&theirs, 2, [4, 0, 5, 0], A);
        assert_eq!(shown(&mut client), []);
        client.close(&theirs);
        assert_eq!(
            shown(&mut client),
            [(ours.clone(), vec!["unknown-dependency".to_owned()])]
        );
    }
}

#[test]
fn a_linked_folder_is_its_target() {
    let folder = root_and_part();
    symlink(folder.path().join("real"), folder.path().join("link")).unwrap();
    let (real, link) = (folder.path().join("real"), folder.path().join("link"));
    for (workspace, opened) in [(&link, &real), (&real, &link)] {
        let mut client = client_in(workspace.clone());
        assert_eq!(shown(&mut client), []);
        let (root, part) = (
            uri_of(&opened.join("tazuna.yaml")),
            uri_of(&opened.join("part.yaml")),
        );
        client.open(&part, &file(B_ON_A));
        client.open(
            &root,
            &file(&format!("{A}    - includes: [{{path: part.yaml}}]\n")),
        );
        assert_eq!(shown(&mut client), [], "{workspace:?}");
        assert_eq!(defined_in(&mut client, &part), root);
        // An unsaved text is used in the project of the folder.
        client.replace(&root, 2, &file("    - includes: [{path: part.yaml}]\n"));
        assert_eq!(
            shown(&mut client),
            [(part.clone(), vec!["unknown-dependency".to_owned()])]
        );
        client.close(&root);
        assert_eq!(shown(&mut client), []);
        client.close(&part);
        assert_eq!(client.shut_down().code(), Some(0));
    }
}

#[test]
fn a_linked_directory_in_the_folder_is_one_project() {
    let folder = root_and_part();
    symlink(folder.path().join("real"), folder.path().join("link")).unwrap();
    let mut client = Client::start(&folder);
    let (linked, real) = (folder.uri("link/part.yaml"), folder.uri("real/part.yaml"));
    client.open(&linked, &file(&B_ON_A.replace("[a]", "[gone]")));
    assert_eq!(
        shown(&mut client),
        [(linked.clone(), vec!["unknown-dependency".to_owned()])]
    );
    client.replace(&linked, 2, &file(B_ON_A));
    assert_eq!(defined_in(&mut client, &linked), folder.uri("real/tazuna.yaml"));
    // Both names are open: the one that was opened last is used.
    client.open(&real, &file(&B_ON_A.replace("[a]", "[lost]")));
    assert_eq!(
        shown(&mut client),
        [(real.clone(), vec!["unknown-dependency".to_owned()])]
    );
    client.replace(&linked, 3, &file(&B_ON_A.replace("[a]", "[gone]")));
    client.close(&linked);
    client.replace(&real, 2, &file(B_ON_A));
    assert_eq!(shown(&mut client), []);
    assert_eq!(defined_in(&mut client, &real), folder.uri("real/tazuna.yaml"));
}

#[test]
fn a_link_to_a_file_is_a_file_of_its_own_where_it_is() {
    let folder = Folder::new(&[
        ("shared/part.yaml", &file(B_ON_A)),
        (
            "one/tazuna.yaml",
            &file(&format!("{A}    - includes: [{{path: part.yaml}}]\n")),
        ),
    ]);
    symlink(
        folder.path().join("shared/part.yaml"),
        folder.path().join("one/part.yaml"),
    )
    .unwrap();
    let mut client = Client::start(&folder);
    assert_eq!(shown(&mut client), []);
    let linked = folder.uri("one/part.yaml");
    client.open(&linked, &file(B_ON_A));
    assert_eq!(shown(&mut client), []);
    assert_eq!(defined_in(&mut client, &linked), folder.uri("one/tazuna.yaml"));
    client.replace(&linked, 2, &file(&B_ON_A.replace("[a]", "[gone]")));
    assert_eq!(
        shown(&mut client),
        [(linked.clone(), vec!["unknown-dependency".to_owned()])]
    );
    client.close(&linked);
    assert_eq!(shown(&mut client), []);
    // Its target changes on the disk, under its own name.
    folder.write("shared/part.yaml", &file(&B_ON_A.replace("[a]", "[lost]")));
    client.watched(&folder.uri("shared/part.yaml"), 2);
    client.watched(&linked, 2);
    assert_eq!(
        shown(&mut client),
        [(linked.clone(), vec!["unknown-dependency".to_owned()])]
    );
}

/// Three projects that include one file by three names: its own, a link to it, and through a link to its directory.
fn of_three_names() -> Folder {
    let root = file(&format!("{A}    - includes: [{{path: part.yaml}}]\n"));
    let through = root.replace("part.yaml", "link/part.yaml");
    let folder = Folder::new(&[
        ("shared/tazuna.yaml", &root),
        ("shared/part.yaml", &file(B_ON_A)),
        ("one/tazuna.yaml", &root),
        ("two/tazuna.yaml", &through),
    ]);
    symlink("../shared/part.yaml", folder.path().join("one/part.yaml")).unwrap();
    symlink("../shared", folder.path().join("two/link")).unwrap();
    folder
}

#[test]
fn what_is_unsaved_by_one_name_is_seen_by_the_others() {
    let folder = of_three_names();
    let names = ["one/part.yaml", "shared/part.yaml", "two/link/part.yaml"].map(|name| folder.uri(name));
    let all = |names: &[String]| -> Vec<(String, Vec<String>)> {
        let found = vec!["unknown-dependency".to_owned()];
        names.iter().map(|name| (name.clone(), found.clone())).collect()
    };
    for (opened, others) in [(0, [1, 2]), (1, [0, 2])] {
        let mut client = Client::start(&folder);
        let told = |client: &mut Client| {
            let mut told = shown(client);
            told.sort();
            told
        };
        assert_eq!(told(&mut client), []);
        client.open(&names[opened], &file(B_ON_A));
        assert_eq!(told(&mut client), []);
        client.replace(&names[opened], 2, &file(&B_ON_A.replace("[a]", "[gone]")));
        assert_eq!(told(&mut client), all(&names));
        // A name that is open itself has the text that the editor shows for it; a name that is not uses the newest.
        client.open(&names[others[0]], &file(B_ON_A));
        assert_eq!(told(&mut client), []);
        client.close(&names[others[0]]);
        assert_eq!(told(&mut client), all(&others.map(|other| names[other].clone())));
        client.close(&names[opened]);
        assert_eq!(told(&mut client), []);
    }
}
