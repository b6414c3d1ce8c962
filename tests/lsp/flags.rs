//! The flags of the command line that select the configuration.

use crate::client::{Client, Folder, capabilities, codes};

const ON_GONE: &str =
    "kind: Tazuna\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n";

fn found(folder: &Folder, flags: &[&str]) -> Vec<String> {
    let mut client = Client::spawn_with(flags);
    client.initialize(&[folder], &capabilities());
    let uri = folder.uri("tazuna.yaml");
    client.open(&uri, ON_GONE);
    let found = client.diagnostics(&uri);
    assert_eq!(client.shut_down().code(), Some(0));
    codes(&found).into_iter().map(str::to_owned).collect()
}

#[test]
fn flags_select_the_configuration() {
    let folder = Folder::new(&[
        ("tazuna.yaml", ON_GONE),
        ("applyorder.toml", "[rules]\nunknown-dependency = \"off\"\n"),
        ("elsewhere/other.toml", "[rules]\ncycle = \"off\"\n"),
    ]);
    let other = folder.path().join("elsewhere/other.toml");
    assert!(found(&folder, &[]).is_empty());
    assert_eq!(found(&folder, &["--isolated"]), ["unknown-dependency"]);
    assert_eq!(
        found(&folder, &["--config", other.to_str().unwrap()]),
        ["unknown-dependency"]
    );
    assert_eq!(
        found(&folder, &["--config", "rules.unknown-dependency=warning"]),
        ["unknown-dependency"]
    );
    let off = ["--isolated", "--config", "rules.unknown-dependency=off"];
    assert!(found(&folder, &off).is_empty());
}

#[test]
fn a_setting_of_a_flag_outlives_a_change_of_the_file() {
    let folder = Folder::new(&[("tazuna.yaml", ON_GONE)]);
    let mut client = Client::spawn_with(&["--config", "rules.unknown-dependency=off"]);
    client.initialize(&[&folder], &capabilities());
    let (uri, config) = (folder.uri("tazuna.yaml"), folder.uri("applyorder.toml"));
    client.open(&uri, ON_GONE);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    folder.write("applyorder.toml", "[rules]\nunknown-dependency = \"error\"\n");
    client.watched(&config, 1);
    client.settle();
    client.replace(&uri, 2, &format!("{ON_GONE}    - {{}}\n"));
    assert!(!codes(&client.diagnostics(&uri)).contains(&"unknown-dependency"));
}

#[test]
fn wrong_flags_end_the_server_before_it_starts() {
    for flags in [["--config", "nowhere.toml"], ["--config", "no.such=1"]] {
        let mut client = Client::spawn_with(&flags);
        assert_eq!(client.wait_for_exit().code(), Some(2), "{flags:?}");
    }
}
