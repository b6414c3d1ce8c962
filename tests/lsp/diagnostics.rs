//! Diagnostics, pushed and pulled.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, range};

fn file(manifests: &str) -> String {
    format!("apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n{manifests}")
}

fn cycle() -> Folder {
    Folder::new(&[
        (
            "tazuna.yaml",
            &file("    - includes: [{path: one.yaml}, {path: two.yaml}]\n"),
        ),
        (
            "one.yaml",
            &file(
                "    - {name: a, type: kustomize, path: ., dependsOn: [b]}\n    - {name: b, type: kustomize, path: \
                 ., dependsOn: [c]}\n",
            ),
        ),
        (
            "two.yaml",
            &file("    - {name: c, type: kustomize, path: ., dependsOn: [a]}\n"),
        ),
    ])
}

#[test]
fn a_cycle_over_two_files_is_one_finding_with_its_entries_in_order() {
    let folder = cycle();
    let mut client = Client::start(&folder);
    client.settle();
    let mut found = Vec::new();
    for name in ["tazuna.yaml", "one.yaml", "two.yaml"] {
        let uri = folder.uri(name);
        if client.has_unread_diagnostics(&uri) {
            found.extend(client.diagnostics(&uri).into_iter().map(|d| (name, d)));
        }
    }
    // The other edges have hints.
    let is_finding = |d: &Value| d["code"] == "cycle" && d["severity"] == 1;
    let cycles: Vec<_> = found.iter().filter(|(_, d)| is_finding(d)).collect();
    assert_eq!(cycles.len(), 1, "{found:#?}");
    let related: Vec<(String, [u64; 4])> = cycles[0].1["relatedInformation"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            (
                r["location"]["uri"].as_str().unwrap().to_owned(),
                range(&r["location"]["range"]),
            )
        })
        .collect();
    let entry = |name: &str, line: u64| (folder.uri(name), [line, 54, line, 55]);
    let entries = [entry("one.yaml", 4), entry("one.yaml", 5), entry("two.yaml", 4)];
    for entry in &entries {
        assert!(
            related.contains(entry),
            "{entry:?} is not among the related places {related:#?}"
        );
    }
    let order: Vec<usize> = entries
        .iter()
        .map(|e| related.iter().position(|r| r == e).unwrap())
        .collect();
    // In the cycle's order, from any start.
    let start = order
        .iter()
        .position(|i| i == order.iter().min().unwrap())
        .unwrap();
    let turned: Vec<usize> = (0..3).map(|i| order[(start + i) % 3]).collect();
    assert!(turned.is_sorted(), "{related:#?}");
}

#[test]
fn every_edge_of_a_cycle_has_its_mark_and_the_cut_as_its_action() {
    let folder = cycle();
    let mut client = Client::start(&folder);
    let mut seen = Vec::new();
    for (name, line) in [("one.yaml", 4), ("one.yaml", 5), ("two.yaml", 4)] {
        let uri = folder.uri(name);
        let items = pull(&mut client, &uri, None)["items"].take();
        let at_edge = |d: &&Value| d["code"] == "cycle" && range(&d["range"]) == [line, 54, line, 55];
        let d = items.as_array().unwrap().iter().find(at_edge).unwrap().clone();
        let message = d["message"].as_str().unwrap().to_owned();
        if d["severity"] == 4 {
            let back = &d["relatedInformation"][0];
            assert_eq!(back["location"]["uri"], folder.uri("one.yaml"));
            assert_eq!(back["message"], "a waits for itself, through b and c");
        }
        let found = client
            .request(
                "textDocument/codeAction",
                json!({
                    "textDocument": { "uri": uri },
                    "range": d["range"],
                    "context": { "diagnostics": [d] },
                }),
            )
            .unwrap();
        let first = &found[0];
        let edit = &first["edit"]["documentChanges"][0];
        assert_eq!(edit["textDocument"]["uri"], uri, "{found:#}");
        assert_eq!(edit["edits"][0]["range"]["start"]["line"], line);
        seen.push((message, first["title"].as_str().unwrap().to_owned()));
    }
    let expected = [
        (
            "a waits for itself, through b and c",
            "Remove the dependency of a on b (breaks the cycle)",
        ),
        (
            "in the cycle of a, 2 of 3; b waits for c (dependsOn)",
            "Break the cycle here: remove the dependency of b on c",
        ),
        (
            "in the cycle of a, 3 of 3; c waits for a (dependsOn)",
            "Break the cycle here: remove the dependency of c on a",
        ),
    ];
    assert_eq!(seen, expected.map(|(a, b)| (a.to_owned(), b.to_owned())));
}

#[test]
fn lesser_findings_keep_off_the_range_of_an_error() {
    let folder = Folder::new(&[]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    // `a` runs after units that are listed below it, which is worth reporting ...
    let listed = |last: &str| {
        file(&format!(
            "    - {{name: a, type: kustomize, path: ., dependsOn: [b]}}\n    - {{name: b, type: kustomize, path: \
             ., dependsOn: [{last}]}}\n"
        ))
    };
    let rules_at_first_entry = |client: &mut Client| -> Vec<String> {
        let items = pull(client, &uri, None)["items"].take();
        let here = |d: &&Value| range(&d["range"]) == [4, 54, 4, 55];
        let found = items.as_array().unwrap().iter().filter(here);
        found.map(|d| d["code"].as_str().unwrap().to_owned()).collect()
    };
    client.open(&uri, &listed(""));
    assert_eq!(
        rules_at_first_entry(&mut client),
        ["tazuna/order-contradicts-declaration"]
    );
    // ... but not if there is no order at all.
    client.replace(&uri, 2, &listed("a"));
    assert_eq!(rules_at_first_entry(&mut client), ["cycle"]);
}

#[test]
fn a_finding_says_where_its_rule_is_explained() {
    let folder = Folder::new(&[(
        "tazuna.yaml",
        &file("    - {name: a, type: kustomize, path: ., dependsOn: [gone]}\n"),
    )]);
    let uri = folder.uri("tazuna.yaml");
    let mut client = Client::start(&folder);
    let diagnostics = client.diagnostics(&uri);
    assert_eq!(codes(&diagnostics), ["unknown-dependency"]);
    let d = diagnostics
        .iter()
        .find(|d| d["code"] == "unknown-dependency")
        .unwrap();
    assert_eq!(d["source"], "applyorder");
    assert_eq!(d["severity"], 1);
    assert_eq!(range(&d["range"]), [4, 54, 4, 58]);
    assert_eq!(
        d["codeDescription"]["href"],
        "https://github.com/applyorder/applyorder/blob/main/docs/rules/unknown-dependency.md"
    );
    assert_eq!(d["data"]["rule"], "unknown-dependency");
    assert_eq!(d["data"]["enforced"][0]["command"], "check");
}

#[test]
fn only_files_whose_findings_changed_are_sent() {
    let folder = cycle();
    let mut client = Client::start(&folder);
    client.settle();
    let uri = folder.uri("two.yaml");
    client.open(
        &uri,
        &file("    - {name: c, type: kustomize, path: ., dependsOn: [a]}\n"),
    );
    client.settle();
    for name in ["tazuna.yaml", "one.yaml", "two.yaml"] {
        let uri = folder.uri(name);
        if client.has_unread_diagnostics(&uri) {
            client.diagnostics(&uri);
        }
    }
    // A comment changes only the version of the edited document.
    client.edit(&uri, 2, [5, 0, 5, 0], "# a comment\n");
    assert_eq!(client.published(&uri)["version"], 2);
    assert!(!client.has_unread_diagnostics(&folder.uri("one.yaml")));
    assert!(!client.has_unread_diagnostics(&folder.uri("tazuna.yaml")));
    // The cycle is cut in one file: the other one is updated.
    client.edit(&uri, 3, [4, 54, 4, 55], "");
    let mut left = Vec::new();
    for name in ["one.yaml", "two.yaml"] {
        let uri = folder.uri(name);
        if client.has_unread_diagnostics(&uri) {
            left.extend(client.diagnostics(&uri));
        }
    }
    assert!(!codes(&left).contains(&"cycle"), "{left:#?}");
}

pub fn pulling() -> Value {
    let mut capabilities = capabilities();
    capabilities["textDocument"]["diagnostic"] = json!({ "dynamicRegistration": false });
    capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    capabilities
}

pub fn pull(client: &mut Client, uri: &str, previous: Option<&str>) -> Value {
    client
        .request(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": uri }, "previousResultId": previous }),
        )
        .unwrap()
}

#[test]
fn what_is_asked_for_is_what_is_sent() {
    let folder = cycle();
    let mut client = Client::start(&folder);
    client.settle();
    let mut any = false;
    for name in ["tazuna.yaml", "one.yaml", "two.yaml"] {
        let uri = folder.uri(name);
        let sent = if client.has_unread_diagnostics(&uri) {
            client.diagnostics(&uri)
        } else {
            Vec::new()
        };
        any |= !sent.is_empty();
        let report = pull(&mut client, &uri, None);
        assert_eq!(report["kind"], "full");
        assert_eq!(report["items"], json!(sent));
        let id = report["resultId"].as_str().unwrap();
        assert_eq!(
            pull(&mut client, &uri, Some(id)),
            json!({ "kind": "unchanged", "resultId": id })
        );
    }
    assert!(any);
}

#[test]
fn a_client_that_pulls_is_not_sent_the_same_as_well() {
    let folder = cycle();
    let uri = folder.uri("two.yaml");
    let other = folder.uri("one.yaml");
    let text = file("    - {name: c, type: kustomize, path: ., dependsOn: [gone]}\n");
    let mut client = Client::start_with(&[&folder], &pulling());
    client.open(&uri, &text);
    client.open(
        &other,
        &std::fs::read_to_string(folder.path().join("one.yaml")).unwrap(),
    );
    client.comes_to(&uri, &["unknown-dependency"]);
    // From the first pull on, pushed diagnostics are withdrawn.
    let report = pull(&mut client, &uri, None);
    assert_eq!(codes(report["items"].as_array().unwrap()), ["unknown-dependency"]);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    client.edit(&uri, 2, [4, 54, 4, 58], "a");
    client.settle();
    assert!(!client.has_unread_diagnostics(&uri));
    // The edit changed what another open document shows: the client is asked to refresh.
    client.wait_for(|m| m["method"] == "workspace/diagnostic/refresh");
    let id = report["resultId"].as_str().unwrap();
    assert_eq!(pull(&mut client, &uri, Some(id))["kind"], "full");
}

#[test]
fn the_whole_workspace_can_be_asked_for() {
    let folder = cycle();
    let mut client = Client::start_with(&[&folder], &pulling());
    let ask = |client: &mut Client, previous: &Value| {
        client
            .request("workspace/diagnostic", json!({ "previousResultIds": previous }))
            .unwrap()["items"]
            .as_array()
            .unwrap()
            .clone()
    };
    let first = ask(&mut client, &Value::Null);
    assert!(first.iter().any(|i| {
        i["items"]
            .as_array()
            .is_some_and(|items| items.iter().any(|d| d["code"] == "cycle"))
    }));
    let previous: Vec<Value> = first
        .iter()
        .map(|i| json!({ "uri": i["uri"], "value": i["resultId"] }))
        .collect();
    let second = ask(&mut client, &json!(previous));
    assert!(second.iter().all(|i| i["kind"] == "unchanged"), "{second:#?}");
    // Cut the cycle: a file without findings any more is reported once more.
    let uri = folder.uri("two.yaml");
    client.open(&uri, &file("    - {name: c, type: kustomize, path: .}\n"));
    let third = ask(&mut client, &json!(previous));
    assert!(
        !third
            .iter()
            .filter_map(|i| i["items"].as_array())
            .flatten()
            .any(|d| d["code"] == "cycle")
    );
    for known in &previous {
        assert!(third.iter().any(|i| i["uri"] == known["uri"]), "{known}");
    }
}

#[test]
fn a_client_without_related_information_reads_it_in_the_message() {
    let folder = cycle();
    let mut capabilities = capabilities();
    capabilities["textDocument"]["publishDiagnostics"] = json!({});
    let mut client = Client::start_with(&[&folder], &capabilities);
    client.settle();
    let uri = ["tazuna.yaml", "one.yaml", "two.yaml"]
        .map(|n| folder.uri(n))
        .into_iter()
        .find(|uri| client.has_unread_diagnostics(uri))
        .unwrap();
    let diagnostics = client.diagnostics(&uri);
    let cycle = diagnostics.iter().find(|d| d["code"] == "cycle").unwrap();
    assert!(cycle.get("relatedInformation").is_none());
    assert!(
        cycle["message"].as_str().unwrap().contains("two.yaml:5"),
        "{cycle:#}"
    );
}

#[test]
fn files_of_no_project_have_no_findings() {
    let folder = Folder::new(&[("values.yaml", "a: [\n")]);
    let uri = folder.uri("values.yaml");
    let mut client = Client::start(&folder);
    client.open(&uri, "a: [\nb: }\n");
    client.settle();
    if client.has_unread_diagnostics(&uri) {
        assert!(codes(&client.diagnostics(&uri)).is_empty());
    }
    assert_eq!(pull(&mut client, &uri, None)["items"], json!([]));
}

#[test]
fn a_comment_that_ignores_nothing_is_reported_as_on_the_command_line() {
    let text = file(
        "    - {name: a, type: kustomize, path: ., dependsOn: [b]} # applyorder: ignore[cycle]\n    - {name: b, type: kustomize, path: .}\n",
    );
    let folder = Folder::new(&[("tazuna.yaml", &text)]);
    let mut client = Client::start(&folder);
    let uri = folder.uri("tazuna.yaml");
    let open = |client: &mut Client| {
        let found = client.diagnostics(&uri);
        let is_it = |d: &&Value| d["code"] == "unused-ignore";
        found.iter().filter(is_it).count()
    };
    assert_eq!(open(&mut client), 1);
    client.open(
        &uri,
        &text.replace(
            "name: b, type: kustomize, path: .",
            "name: b, type: kustomize, path: ., dependsOn: [a]",
        ),
    );
    assert_eq!(open(&mut client), 0);
}
