//! `$/setTrace` and `$/logTrace`: the server's reports on its own work.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, uri_of};

const TEXT: &str = "kind: Tazuna\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: .}\n";

fn of(method: &'static str) -> impl Fn(&Value) -> bool {
    move |m| {
        let message = m["params"]["message"].as_str().unwrap_or("");
        m["method"] == "$/logTrace" && message.starts_with(method)
    }
}

fn set(client: &mut Client, value: &str) {
    client.notify("$/setTrace", json!({ "value": value }));
}

#[test]
fn each_message_is_traced_with_its_time_at_the_requested_level() {
    let folder = Folder::new(&[("tazuna.yaml", TEXT)]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, TEXT);
    client.settle();
    assert_eq!(
        client.take("$/logTrace"),
        Vec::<Value>::new(),
        "nothing was asked for"
    );

    set(&mut client, "verbose");
    client.replace(&uri, 2, &TEXT.replace("name: a", "name: b"));
    let told = client.wait_for(of("textDocument/didChange: "));
    let time = told["params"]["message"]
        .as_str()
        .unwrap()
        .rsplit(' ')
        .next()
        .unwrap();
    assert!(
        time.ends_with('s') && time.starts_with(|c: char| c.is_ascii_digit()),
        "{told}"
    );
    let steps = told["params"]["verbose"].as_str().unwrap();
    assert!(steps.contains("  resolve engine=tazuna root="), "{told}");
    assert!(client.at("hover", &uri, 3, 15).is_ok());
    client.wait_for(of("textDocument/hover: "));

    set(&mut client, "messages");
    client.replace(&uri, 3, TEXT);
    let told = client.wait_for(of("textDocument/didChange: "));
    assert!(told["params"].get("verbose").is_none(), "{told}");
    set(&mut client, "loud");
    client.replace(&uri, 4, &TEXT.replace("name: a", "name: c"));
    client.wait_for(of("textDocument/didChange: "));

    set(&mut client, "off");
    client.settle();
    client.take("$/logTrace");
    client.replace(&uri, 5, TEXT);
    client.diagnostics(&uri);
    client.settle();
    assert_eq!(client.take("$/logTrace"), Vec::<Value>::new());
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn it_can_be_asked_for_from_the_start() {
    let folder = Folder::new(&[("tazuna.yaml", TEXT)]);
    let mut client = Client::spawn();
    let params = json!({
        "processId": null, "rootUri": uri_of(&folder.path()), "capabilities": capabilities(), "trace": "messages",
    });
    client.request("initialize", params).unwrap();
    client.notify("initialized", json!({}));
    client.wait_for(of("initialized: "));
    assert_eq!(client.shut_down().code(), Some(0));
}

#[test]
fn a_log_goes_to_standard_error_and_not_to_the_client() {
    let folder = Folder::new(&[("tazuna.yaml", TEXT)]);
    let mut client = Client::spawn_with(&["--log", "applyorder=debug"]);
    client.initialize(&[&folder], &capabilities());
    client.open(&folder.uri("tazuna.yaml"), TEXT);
    client.settle();
    assert_eq!(client.take("$/logTrace"), Vec::<Value>::new());
    let log = client.shut_down_and_read_log();
    let has = |words: [&str; 2]| {
        log.lines()
            .any(|line| words.iter().all(|word| line.contains(word)))
    };
    assert!(
        has(["method=\"textDocument/didOpen\"", "close time.busy="]),
        "{log}"
    );
    assert!(has(["method=\"workspace/symbol\"", "close time.busy="]), "{log}");
    assert!(has(["resolve{engine=\"tazuna\"", "close time.busy="]), "{log}");
}
