//! The command line and the editor report the same for every example.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, capabilities, range, uri_of};

/// A finding: its place, its rule, its severity, the first sentence, and the related places.
type Finding = (PathBuf, [u64; 4], String, u64, String, Vec<(PathBuf, [u64; 4])>);

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples")
}

fn place(value: &Value) -> (PathBuf, [u64; 4]) {
    let number = |pointer: &str| value.pointer(pointer).and_then(Value::as_u64).unwrap() - 1;
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(value["path"].as_str().unwrap());
    let range = [
        number("/start/line"),
        number("/start/column_utf16"),
        number("/end/line"),
        number("/end/column_utf16"),
    ];
    (path, range)
}

fn first_line(message: &Value) -> String {
    message.as_str().unwrap().lines().next().unwrap_or("").to_owned()
}

/// The sentence of a finding in the editor, which shows it in one short line and without Markdown.
fn sentence(d: &Value) -> String {
    let (shown, sentence) = (d["message"].as_str().unwrap(), first_line(&d["data"]["message"]));
    assert!(
        !shown.contains(['`', '\n']) && shown.chars().count() <= 80,
        "{shown}"
    );
    assert!(shown.starts_with(&sentence.replace('`', "")), "{shown}");
    sentence
}

fn of_the_command_line(dir: &Path) -> BTreeSet<Finding> {
    let output = Command::new(env!("CARGO_BIN_EXE_applyorder"))
        .args(["lint", "--format", "json", "--min-severity", "hint"])
        .arg(dir)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let of_projects = report["projects"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|p| p["diagnostics"].as_array().unwrap());
    of_projects
        .chain(report["diagnostics"].as_array().unwrap())
        .map(|d| {
            let (path, range) = place(&d["place"]);
            let severity = ["error", "warning", "info", "hint"]
                .iter()
                .position(|s| d["severity"] == *s)
                .unwrap();
            let related = d["related"].as_array().unwrap();
            (
                path,
                range,
                d["rule"].as_str().unwrap().to_owned(),
                severity as u64 + 1,
                first_line(&d["message"]),
                related.iter().map(|r| place(&r["place"])).collect(),
            )
        })
        .collect()
}

fn of_the_editor(dir: &Path) -> BTreeSet<Finding> {
    let mut client = Client::spawn();
    client
        .request(
            "initialize",
            json!({ "rootUri": uri_of(dir), "capabilities": capabilities() }),
        )
        .unwrap();
    client.notify("initialized", json!({}));
    // Hints arrive after a while without edits.
    let mut ask = || {
        client
            .request("workspace/diagnostic", json!({ "previousResultIds": [] }))
            .unwrap()["items"]
            .take()
    };
    let has_hints = |items: &Value| items.to_string().contains("redundant-dependency");
    let until = Instant::now() + Duration::from_secs(20);
    let mut items = ask();
    while !has_hints(&items) && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(50));
        items = ask();
    }
    // All projects of one search arrive together.
    let path_of = |uri: &Value| PathBuf::from(uri.as_str().unwrap().strip_prefix("file://").unwrap());
    let mut found = BTreeSet::new();
    for item in items.as_array().unwrap() {
        for d in item["items"].as_array().unwrap() {
            let related = d["relatedInformation"].as_array().cloned().unwrap_or_default();
            found.insert((
                path_of(&item["uri"]),
                range(&d["range"]),
                d["code"].as_str().unwrap().to_owned(),
                d["severity"].as_u64().unwrap(),
                sentence(d),
                related
                    .iter()
                    .map(|r| (path_of(&r["location"]["uri"]), range(&r["location"]["range"])))
                    .collect(),
            ));
        }
    }
    found
}

#[test]
fn command_line_and_editor_agree_on_all_examples() {
    let (cli, editor) = (of_the_command_line(&examples()), of_the_editor(&examples()));
    assert!(!cli.is_empty());
    let only_cli: Vec<_> = cli.difference(&editor).collect();
    let only_editor: Vec<_> = editor.difference(&cli).collect();
    assert!(
        only_cli.is_empty() && only_editor.is_empty(),
        "only on the command line: {only_cli:#?}\nonly in the editor: {only_editor:#?}"
    );
}

#[test]
fn each_edge_of_a_cycle_is_cut_where_it_is_written() {
    for (engine, marks) in [
        ("tazuna", 2),
        ("terramate", 1),
        ("kapp", 2),
        ("ankaios", 1),
        ("spacelift", 2),
    ] {
        let mut client = Client::spawn();
        let folder = examples().join(engine).join("broken");
        let folders = json!([{ "uri": uri_of(&folder), "name": engine }]);
        let params =
            json!({ "processId": null, "workspaceFolders": folders, "capabilities": capabilities() });
        client.request("initialize", params).unwrap();
        client.notify("initialized", json!({}));
        client.settle();
        let mut cut = 0;
        for message in client.take("textDocument/publishDiagnostics") {
            let uri = &message["params"]["uri"];
            let found = message["params"]["diagnostics"].as_array().unwrap().iter();
            let written = found.filter(|d| {
                let text = d["message"].as_str().unwrap();
                d["code"] == "cycle" && text.starts_with("in the cycle of") && text.contains(" of ")
            });
            for mark in written {
                let context = json!({ "diagnostics": [mark], "only": ["quickfix"] });
                let asked =
                    json!({ "textDocument": { "uri": uri }, "range": mark["range"], "context": context });
                let actions = client.request("textDocument/codeAction", asked).unwrap();
                let title = |action: &Value| action["title"].as_str().unwrap().to_owned();
                let titles: Vec<String> = actions.as_array().unwrap().iter().map(title).collect();
                cut += usize::from(titles.iter().any(|t| t.starts_with("Break the cycle here: ")));
            }
        }
        assert_eq!(cut, marks, "{engine}");
    }
}
