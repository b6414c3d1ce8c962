//! The disk, folders and configuration.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, uri_of};

fn file(manifests: &str) -> String {
    format!("apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n{manifests}")
}

const A: &str = "    - {name: a, type: kustomize, path: .}\n";
const ON_GONE: &str = "    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";

#[test]
fn an_include_that_comes_and_goes_changes_its_root() {
    let folder = Folder::new(&[(
        "tazuna.yaml",
        &file(&format!("{A}    - includes: [{{path: part.yaml}}]\n")),
    )]);
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("part.yaml"));
    let mut client = Client::start(&folder);
    assert_eq!(codes(&client.diagnostics(&root)), ["missing-file"]);
    folder.write(
        "part.yaml",
        &file("    - {name: b, type: kustomize, path: ., dependsOn: [c]}\n"),
    );
    client.watched(&part, 1);
    assert!(codes(&client.diagnostics(&root)).is_empty());
    assert_eq!(codes(&client.diagnostics(&part)), ["unknown-dependency"]);
    folder.write("part.yaml", &file("    - {name: b, type: kustomize, path: .}\n"));
    client.watched(&part, 2);
    assert!(codes(&client.diagnostics(&part)).is_empty());
    folder.remove("part.yaml");
    client.watched(&part, 3);
    assert_eq!(codes(&client.diagnostics(&root)), ["missing-file"]);
}

#[test]
fn an_unsaved_include_counts_before_it_is_on_the_disk() {
    let folder = Folder::new(&[(
        "tazuna.yaml",
        &file(&format!("{A}    - includes: [{{path: part.yaml}}]\n")),
    )]);
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("part.yaml"));
    let mut client = Client::start(&folder);
    assert_eq!(codes(&client.diagnostics(&root)), ["missing-file"]);
    client.open(&part, &file("    - {name: b, type: kustomize, path: .}\n"));
    assert!(codes(&client.diagnostics(&root)).is_empty());
    client.close(&part);
    assert_eq!(codes(&client.diagnostics(&root)), ["missing-file"]);
}

#[test]
fn roots_that_come_and_go_are_found_and_forgotten() {
    let folder = Folder::new(&[(".gitignore", "/ignored/\n"), (".git/HEAD", "")]);
    let uri = folder.uri("new/tazuna.yaml");
    let mut client = Client::start(&folder);
    client.settle();
    folder.write("new/tazuna.yaml", &file(ON_GONE));
    client.watched(&uri, 1);
    assert_eq!(codes(&client.diagnostics(&uri)), ["unknown-dependency"]);
    folder.remove("new/tazuna.yaml");
    client.watched(&uri, 3);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    // A whole directory.
    folder.write("new/tazuna.yaml", &file(ON_GONE));
    client.watched(&folder.uri("new"), 1);
    assert_eq!(codes(&client.diagnostics(&uri)), ["unknown-dependency"]);
    std::fs::remove_dir_all(folder.path().join("new")).unwrap();
    client.watched(&folder.uri("new"), 3);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    // Paths that git ignores are ignored, until a file is opened.
    folder.write("ignored/tazuna.yaml", &file(ON_GONE));
    let ignored = folder.uri("ignored/tazuna.yaml");
    client.watched(&ignored, 1);
    client.settle();
    assert!(!client.has_unread_diagnostics(&ignored));
    client.open(&ignored, &file(ON_GONE));
    assert_eq!(codes(&client.diagnostics(&ignored)), ["unknown-dependency"]);
}

#[test]
fn several_folders_come_and_go() {
    let one = Folder::new(&[("tazuna.yaml", &file(ON_GONE))]);
    let two = Folder::new(&[("a b/ü/tazuna.yaml", &file(ON_GONE))]);
    let mut client = Client::start_with(&[&one, &two], &capabilities());
    let uris = [one.uri("tazuna.yaml"), two.uri("a b/ü/tazuna.yaml")];
    for uri in &uris {
        assert_eq!(codes(&client.diagnostics(uri)), ["unknown-dependency"]);
    }
    let folder = |f: &Folder| json!([{ "uri": uri_of(&f.path()), "name": "x" }]);
    let change = |added: Value, removed: Value| json!({ "event": { "added": added, "removed": removed } });
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(json!([]), folder(&two)),
    );
    assert!(codes(&client.diagnostics(&uris[1])).is_empty());
    assert!(!client.has_unread_diagnostics(&uris[0]));
    client.notify(
        "workspace/didChangeWorkspaceFolders",
        change(folder(&two), json!(null)),
    );
    assert_eq!(codes(&client.diagnostics(&uris[1])), ["unknown-dependency"]);
}

#[test]
fn the_client_is_asked_to_watch_what_matters() {
    let folder = Folder::new(&[(
        "sub/tazuna.yaml",
        &file("    - {name: a, type: kustomize, path: ../elsewhere}\n"),
    )]);
    let mut client = Client::start_with(&[&folder], &capabilities());
    let asked = client.wait_for(|m| m["method"] == "client/registerCapability");
    assert!(!asked["id"].is_null());
    let registration = &asked["params"]["registrations"][0];
    assert_eq!(registration["method"], "workspace/didChangeWatchedFiles");
    let watchers = registration["registerOptions"]["watchers"].as_array().unwrap();
    assert!(
        watchers
            .iter()
            .any(|w| w["globPattern"]["baseUri"] == uri_of(&folder.path())),
        "{watchers:#?}"
    );
    assert!(
        watchers
            .iter()
            .any(|w| w["globPattern"]["pattern"] == "elsewhere"),
        "{watchers:#?}"
    );
    client.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": null }));
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn a_client_that_does_not_watch_is_not_asked() {
    let folder = Folder::new(&[("tazuna.yaml", &file(A))]);
    let mut client = Client::start_with(&[&folder], &json!({}));
    client.settle();
    client.settle();
    assert!(client.nothing_asked());
}

#[test]
fn configuration_is_read_again() {
    let folder = Folder::new(&[("tazuna.yaml", &file(ON_GONE))]);
    let (root, config) = (folder.uri("tazuna.yaml"), folder.uri("applyorder.toml"));
    let mut client = Client::start(&folder);
    assert_eq!(codes(&client.diagnostics(&root)), ["unknown-dependency"]);
    folder.write("applyorder.toml", "[rules]\nunknown-dependency = \"off\"\n");
    client.watched(&config, 1);
    assert!(codes(&client.diagnostics(&root)).is_empty());
    // Unsaved, and wrong: the file itself has the finding, and the defaults apply.
    client.open(&config, "[ruels]\n");
    let found = client.diagnostics(&config);
    assert_eq!(codes(&found), ["invalid-config"]);
    assert!(
        found[0]["message"].as_str().unwrap().contains("rules"),
        "{found:?}"
    );
    assert_eq!(codes(&client.diagnostics(&root)), ["unknown-dependency"]);
    client.close(&config);
    assert!(codes(&client.diagnostics(&config)).is_empty());
    assert!(codes(&client.diagnostics(&root)).is_empty());
    folder.remove("applyorder.toml");
    client.watched(&config, 3);
    assert_eq!(codes(&client.diagnostics(&root)), ["unknown-dependency"]);
}

#[test]
fn what_is_not_as_expected_follows_edits_of_the_project_and_of_the_configuration() {
    let expected = "[[expect]]\nfirst = \"b\"\nthen = \"a\"\n";
    let on = |dependency: &str| {
        file(&format!(
            "    - {{name: a, type: kustomize, path: ., dependsOn: [{dependency}]}}\n    - {{name: b, type: kustomize, path: .}}\n    - {{name: c, type: kustomize, path: .}}\n"
        ))
    };
    let folder = Folder::new(&[("tazuna.yaml", &on("c")), ("applyorder.toml", expected)]);
    let (root, config) = (folder.uri("tazuna.yaml"), folder.uri("applyorder.toml"));
    let mut client = Client::start(&folder);
    let found = client.diagnostics(&config);
    assert_eq!(codes(&found), ["unmet-expectation"]);
    assert_eq!(found[0]["range"]["start"], json!({ "line": 2, "character": 7 }));
    assert_eq!(found[0]["relatedInformation"][0]["location"]["uri"], json!(root));
    client.open(&root, &on("b"));
    assert!(codes(&client.diagnostics(&config)).is_empty());
    client.open(&config, &expected.replace("\"a\"", "\"d\""));
    let found = client.diagnostics(&config);
    let said = found[0]["message"].as_str().unwrap();
    assert!(said.contains("unknown unit d"), "{found:?}");
    client.close(&config);
    assert!(codes(&client.diagnostics(&config)).is_empty());
    client.close(&root);
    assert_eq!(codes(&client.diagnostics(&config)), ["unmet-expectation"]);
}

#[test]
fn what_is_excluded_has_no_findings_and_overrides_hold() {
    let files = [
        ("tazuna.yaml", file(ON_GONE)),
        ("vendor/x/tazuna.yaml", file(ON_GONE)),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, &**text)).collect();
    let folder = Folder::new(&files);
    let (own, vendored, config) = (
        folder.uri("tazuna.yaml"),
        folder.uri("vendor/x/tazuna.yaml"),
        folder.uri("applyorder.toml"),
    );
    folder.write("applyorder.toml", "exclude = [\"vendor/**\"]\n");
    let mut client = Client::start(&folder);
    client.open(&vendored, &file(ON_GONE));
    assert_eq!(codes(&client.diagnostics(&own)), ["unknown-dependency"]);
    assert!(codes(&client.diagnostics(&vendored)).is_empty());
    folder.write("applyorder.toml", "exclude = [\"/tazuna.yaml\"]\n");
    client.watched(&config, 2);
    assert!(codes(&client.diagnostics(&own)).is_empty());
    assert_eq!(codes(&client.diagnostics(&vendored)), ["unknown-dependency"]);
    folder.write(
        "applyorder.toml",
        "[[overrides]]\nfiles = [\"vendor\"]\nrules = { unknown-dependency = \"off\" }\n",
    );
    client.watched(&config, 2);
    assert_eq!(codes(&client.diagnostics(&own)), ["unknown-dependency"]);
    assert!(codes(&client.diagnostics(&vendored)).is_empty());
}

#[test]
fn settings_of_the_client_limit_the_runs() {
    let text = file(
        "    - {name: a, type: kustomize, path: ., tags: [x]}\n    - {name: b, type: kustomize, path: .}\n",
    );
    let folder = Folder::new(&[("tazuna.yaml", &text)]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    let hover = |client: &mut Client| {
        client.at("hover", &uri, 5, 13).unwrap()["contents"]["value"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(hover(&mut client).contains("layer 2 of 2"));
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "applyorder": { "tags": ["x"] } } }),
    );
    assert!(
        !hover(&mut client).contains("layer 2 of 2"),
        "{}",
        hover(&mut client)
    );
    client.notify(
        "workspace/didChangeConfiguration",
        json!({ "settings": { "applyorder": {} } }),
    );
    assert!(hover(&mut client).contains("layer 2 of 2"));
}

#[test]
fn a_file_outside_all_folders_is_seen_with_its_surroundings() {
    let folder = Folder::new(&[]);
    let other = Folder::new(&[
        (".git/HEAD", ""),
        (
            "tazuna.yaml",
            &file(&format!("{A}    - includes: [{{path: parts/p.yaml}}]\n")),
        ),
        (
            "parts/p.yaml",
            &file("    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n"),
        ),
    ]);
    let uri = other.uri("parts/p.yaml");
    let mut client = Client::start(&folder);
    client.open(
        &uri,
        &file("    - {name: b, type: kustomize, path: ., dependsOn: [a]}\n"),
    );
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    let found = client.at("definition", &uri, 4, 54).unwrap();
    assert_eq!(found[0]["uri"], other.uri("tazuna.yaml"));
}

#[test]
fn a_project_outside_the_folders_is_dropped_with_its_last_document() {
    let (folder, other) = (
        Folder::new(&[("tazuna.yaml", &file(A))]),
        Folder::new(&[
            (
                "tazuna.yaml",
                &file(&format!("{ON_GONE}    - includes: [{{path: part.yaml}}]\n")),
            ),
            (
                "part.yaml",
                &file("    - {name: b, type: kustomize, path: ., dependsOn: [lost]}\n"),
            ),
        ]),
    );
    let (root, part) = (other.uri("tazuna.yaml"), other.uri("part.yaml"));
    let mut client = Client::start(&folder);
    client.open(
        &part,
        &file("    - {name: b, type: kustomize, path: ., dependsOn: [lost]}\n"),
    );
    client.comes_to(&root, &["unknown-dependency"]);
    client.comes_to(&part, &["unknown-dependency"]);
    client.open(&root, &file("    - includes: [{path: part.yaml}]\n"));
    client.comes_to(&root, &[]);
    client.close(&root);
    client.comes_to(&root, &["unknown-dependency"]);
    client.close(&part);
    client.comes_to(&root, &[]);
    client.comes_to(&part, &[]);
}

#[test]
fn projects_of_a_configuration_outside_the_folders_end_with_its_last_document() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-rule: upsert \
               after upserting gone\n";
    let (folder, other) = (
        Folder::new(&[("tazuna.yaml", &file(A))]),
        Folder::new(&[
            (".git/HEAD", ""),
            (
                "applyorder.toml",
                "[[kapp.app]]\nname = \"a\"\npaths = [\"config\"]\n",
            ),
            ("config/job.yaml", job),
            ("config/other.yaml", &job.replace("name: a", "name: b")),
        ]),
    );
    let (one, two) = (other.uri("config/job.yaml"), other.uri("config/other.yaml"));
    let mut client = Client::start(&folder);
    client.open(&one, job);
    client.comes_to(&one, &["unknown-dependency"]);
    client.comes_to(&two, &["unknown-dependency"]);
    client.close(&one);
    client.comes_to(&one, &[]);
    client.comes_to(&two, &[]);
}
