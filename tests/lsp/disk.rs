//! Changes on the disk that no client reports: the server watches on its own.

use serde_json::json;

use crate::client::{Client, Folder, codes};

fn file(manifests: &str) -> String {
    format!("kind: Tazuna\nspec:\n  manifests:\n{manifests}")
}

const A: &str = "    - {name: a, type: kustomize, path: .}\n";
const ON_GONE: &str = "    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";

/// A client that cannot watch files.
fn start(folder: &Folder) -> Client {
    let mut client = Client::start_with(&[folder], &json!({}));
    // The watcher is ready once the server has nothing else to do.
    client.settle();
    std::thread::sleep(std::time::Duration::from_millis(300));
    client
}

#[test]
fn an_include_comes_changes_and_goes() {
    let folder = Folder::new(&[(
        "tazuna.yaml",
        &file(&format!("{A}    - includes: [{{path: sub/part.yaml}}]\n")),
    )]);
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("sub/part.yaml"));
    let mut client = start(&folder);
    client.comes_to(&root, &["missing-file"]);
    folder.write(
        "sub/part.yaml",
        &file("    - {name: b, type: kustomize, path: ., dependsOn: [c]}\n"),
    );
    client.comes_to(&root, &[]);
    client.comes_to(&part, &["unknown-dependency"]);
    folder.write(
        "sub/part.yaml",
        &file("    - {name: b, type: kustomize, path: .}\n"),
    );
    client.comes_to(&part, &[]);
    std::fs::remove_dir_all(folder.path().join("sub")).unwrap();
    client.comes_to(&root, &["missing-file"]);
    // Another directory with the same name is seen as well.
    folder.write(
        "sub/part.yaml",
        &file("    - {name: b, type: kustomize, path: .}\n"),
    );
    client.comes_to(&root, &[]);
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn a_root_comes_with_its_directory_and_moves() {
    let folder = Folder::new(&[("keep", "")]);
    let mut client = start(&folder);
    folder.write("new/deep/tazuna.yaml", &file(ON_GONE));
    client.comes_to(&folder.uri("new/deep/tazuna.yaml"), &["unknown-dependency"]);
    std::fs::rename(folder.path().join("new"), folder.path().join("other")).unwrap();
    client.comes_to(&folder.uri("new/deep/tazuna.yaml"), &[]);
    client.comes_to(&folder.uri("other/deep/tazuna.yaml"), &["unknown-dependency"]);
}

/// A watch ends when the directory moves, even if it is back before the server checks.
#[test]
fn a_directory_that_moves_away_and_back_is_watched() {
    let part = file("    - {name: b, type: kustomize, path: .}\n");
    let folder = Folder::new(&[
        (
            "tazuna.yaml",
            &file(&format!("{A}    - includes: [{{path: sub/part.yaml}}]\n")),
        ),
        ("sub/part.yaml", &part),
    ]);
    let uri = folder.uri("sub/part.yaml");
    let mut client = start(&folder);
    let (here, away) = (folder.path().join("sub"), folder.path().join("away"));
    std::fs::rename(&here, &away).unwrap();
    std::fs::rename(&away, &here).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    client.settle();
    folder.write(
        "sub/part.yaml",
        &file("    - {name: b, type: kustomize, path: ., dependsOn: [c]}\n"),
    );
    client.comes_to(&uri, &["unknown-dependency"]);
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn what_is_unsaved_wins_all_the_same() {
    let folder = Folder::new(&[("tazuna.yaml", &file(A))]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = start(&folder);
    client.open(&uri, &file(ON_GONE));
    assert_eq!(codes(&client.diagnostics(&uri)), ["unknown-dependency"]);
    folder.write("tazuna.yaml", &file(&format!("{A}{A}")));
    std::thread::sleep(std::time::Duration::from_millis(500));
    client.settle();
    client.close(&uri);
    client.comes_to(&uri, &["duplicate-name"]);
}

#[test]
fn configuration_on_the_disk_is_read_again() {
    let folder = Folder::new(&[("tazuna.yaml", &file(ON_GONE))]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = start(&folder);
    client.comes_to(&uri, &["unknown-dependency"]);
    folder.write("applyorder.toml", "[rules]\nunknown-dependency = \"off\"\n");
    client.comes_to(&uri, &[]);
}

/// A declared app need not contain a marker of its engine.
#[test]
fn a_declared_app_is_found_by_its_configuration() {
    let app = "[[kapp.app]]\nname = \"a\"\nfiles = [\".\"]\n";
    let bad = "apiVersion: a/b/c\nkind: Job\nmetadata:\n  name: a\n";
    let good = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n";
    let expected = ["kapp/api-version-slashes"];
    let folder = Folder::new(&[
        ("there/applyorder.toml", app),
        ("there/a.yaml", bad),
        ("hidden/.applyorder.toml", app),
        ("hidden/a.yaml", bad),
        ("later/a.yaml", bad),
    ]);
    let uri = |dir: &str| folder.uri(&format!("{dir}/a.yaml"));
    let mut client = start(&folder);
    client.comes_to(&uri("there"), &expected);
    client.comes_to(&uri("hidden"), &expected);
    folder.write("there/a.yaml", good);
    client.comes_to(&uri("there"), &[]);
    // Its configuration is created, and then a whole directory.
    folder.write("later/applyorder.toml", app);
    client.comes_to(&uri("later"), &expected);
    std::fs::rename(folder.path().join("later"), folder.path().join("moved")).unwrap();
    client.comes_to(&uri("moved"), &expected);
    client.comes_to(&uri("later"), &[]);
    std::fs::remove_file(folder.path().join("moved/applyorder.toml")).unwrap();
    client.comes_to(&uri("moved"), &[]);
    assert_eq!(client.shut_down().code(), Some(0));
}
