//! The requests of an editor.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, range};

const ROOT: &str = "\
apiVersion: tazuna.pepabo.com/v1
kind: Tazuna
spec:
  manifests:
    - name: cni
      type: kustomize
      path: .
    - includes:
        - path: part.yaml
    - name: app
      type: kustomize
      path: .
      dependsOn: [cert-manager, ingress]
";

const PART: &str = "\
spec:
  manifests:
    - name: cert-manager
      type: helmfile
      path: .
      dependsOn: [cni]
    - name: ingress
      type: helmfile
      path: .
      dependsOn:
        - cni
";

fn opened() -> (Folder, Client, String, String) {
    let folder = Folder::new(&[("tazuna.yaml", ROOT), ("part.yaml", PART)]);
    let mut client = Client::start(&folder);
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("part.yaml"));
    client.open(&root, ROOT);
    client.open(&part, PART);
    (folder, client, root, part)
}

fn places(locations: &Value) -> Vec<(String, [u64; 4])> {
    locations
        .as_array()
        .unwrap()
        .iter()
        .map(|l| (l["uri"].as_str().unwrap().to_owned(), range(&l["range"])))
        .collect()
}

#[test]
fn hover_tells_the_order() {
    let (_folder, mut client, root, part) = opened();
    for (uri, line, column) in [(&part, 6, 14), (&root, 12, 36)] {
        let hover = client.at("hover", uri, line, column).unwrap();
        let text = hover["contents"]["value"].as_str().unwrap();
        for wanted in [
            "`ingress`",
            "layer 2 of 3",
            "`cert-manager`",
            "`cni`",
            "`app`",
            "tazuna.yaml:9",
        ] {
            assert!(text.contains(wanted), "{wanted} is not in:\n{text}");
        }
        assert_eq!(hover["contents"]["kind"], "markdown");
    }
    let key = client.at("hover", &root, 0, 0).unwrap();
    let text = key["contents"]["value"].as_str().unwrap();
    assert_eq!(text, "`apiVersion` of the file: always `tazuna.pepabo.com/v1`");
    assert_eq!(client.at("hover", &root, 0, 14), Ok(Value::Null));
}

#[test]
fn definition_leads_to_names_and_files() {
    let (_folder, mut client, root, part) = opened();
    let found = client.at("definition", &root, 12, 36).unwrap();
    assert_eq!(places(&found), [(part.clone(), [6, 12, 6, 19])]);
    let found = client.at("definition", &part, 10, 10).unwrap();
    assert_eq!(places(&found), [(root.clone(), [4, 12, 4, 15])]);
    let found = client.at("definition", &root, 8, 18).unwrap();
    assert_eq!(places(&found), [(part, [0, 0, 0, 0])]);
    assert_eq!(client.at("definition", &root, 5, 14), Ok(Value::Null));
}

#[test]
fn references_and_highlights() {
    let (_folder, mut client, root, part) = opened();
    let ask = |client: &mut Client, declaration: bool| {
        let found = client
            .request(
                "textDocument/references",
                json!({
                    "textDocument": { "uri": root },
                    "position": { "line": 4, "character": 13 },
                    "context": { "includeDeclaration": declaration },
                }),
            )
            .unwrap();
        places(&found)
    };
    let uses = [(part.clone(), [5, 18, 5, 21]), (part.clone(), [10, 10, 10, 13])];
    assert_eq!(ask(&mut client, false), uses);
    let with = ask(&mut client, true);
    assert_eq!(with.len(), 3);
    assert!(with.contains(&(root.clone(), [4, 12, 4, 15])));
    let found = client.at("documentHighlight", &part, 10, 10).unwrap();
    let kinds: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|h| h["kind"].as_u64())
        .collect();
    assert_eq!(kinds, [Some(2), Some(2)]);
}

#[test]
fn rename_changes_every_file_and_says_when_it_cannot() {
    let (_folder, mut client, root, part) = opened();
    let prepared = client.at("prepareRename", &part, 5, 19).unwrap();
    assert_eq!(prepared["placeholder"], "cni");
    assert_eq!(range(&prepared["range"]), [5, 18, 5, 21]);
    let rename = |client: &mut Client, name: &str| {
        client.request(
            "textDocument/rename",
            json!({
                "textDocument": { "uri": root },
                "position": { "line": 4, "character": 12 },
                "newName": name,
            }),
        )
    };
    let edit = rename(&mut client, "network").unwrap();
    let mut changed = Vec::new();
    for document in edit["documentChanges"].as_array().unwrap() {
        assert_eq!(document["textDocument"]["version"], 1);
        for e in document["edits"].as_array().unwrap() {
            assert_eq!(e["newText"], "network");
            changed.push((
                document["textDocument"]["uri"].as_str().unwrap().to_owned(),
                range(&e["range"]),
            ));
        }
    }
    changed.sort();
    assert_eq!(
        changed,
        [
            (part.clone(), [5, 18, 5, 21]),
            (part, [10, 10, 10, 13]),
            (root.clone(), [4, 12, 4, 15])
        ]
    );
    let taken = rename(&mut client, "app").unwrap_err();
    assert!(taken["message"].as_str().unwrap().contains("already"), "{taken}");
    assert!(rename(&mut client, "Not A Name").is_err());
    assert!(client.at("prepareRename", &root, 0, 0).is_err());
}

#[test]
fn links_and_hints() {
    let (_folder, mut client, root, part) = opened();
    let links = client
        .request(
            "textDocument/documentLink",
            json!({ "textDocument": { "uri": root } }),
        )
        .unwrap();
    let links = links.as_array().unwrap();
    assert_eq!(links.len(), 1);
    assert_eq!(links[0]["target"], json!(part));
    assert_eq!(range(&links[0]["range"]), [8, 16, 8, 25]);
    let hints = client
        .request(
            "textDocument/inlayHint",
            json!({
                "textDocument": { "uri": part },
                "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } },
            }),
        )
        .unwrap();
    let hints = hints.as_array().unwrap();
    assert_eq!(hints.len(), 1);
    assert_eq!(hints[0]["label"], "layer 2 of 3");
    assert_eq!(hints[0]["position"], json!({ "line": 2, "character": 24 }));
}

fn actions(client: &mut Client, uri: &str, line: u32, only: &Value) -> Vec<Value> {
    let diagnostics = client
        .request(
            "textDocument/diagnostic",
            json!({ "textDocument": { "uri": uri } }),
        )
        .unwrap()["items"]
        .clone();
    client
        .request(
            "textDocument/codeAction",
            json!({
                "textDocument": { "uri": uri },
                "range": {
                    "start": { "line": line, "character": 0 },
                    "end": { "line": line, "character": 200 },
                },
                "context": { "diagnostics": diagnostics, "only": only },
            }),
        )
        .unwrap()
        .as_array()
        .unwrap()
        .clone()
}

#[test]
fn quick_fixes_resolve_the_findings_they_name() {
    let (_folder, mut client, root, _) = opened();
    client.edit(&root, 2, [12, 32, 12, 39], "ingres");
    let found = actions(&mut client, &root, 12, &Value::Null);
    let fix = found
        .iter()
        .find(|a| a["edit"].to_string().contains("\"ingress\""))
        .unwrap_or_else(|| panic!("{found:#?}"));
    assert_eq!(fix["kind"], "quickfix");
    assert_eq!(fix["diagnostics"][0]["code"], "unknown-dependency");
    let edit = &fix["edit"]["documentChanges"][0];
    assert_eq!(edit["textDocument"]["version"], 2);
    assert_eq!(range(&edit["edits"][0]["range"]), [12, 32, 12, 38]);
    assert!(actions(&mut client, &root, 12, &json!(["refactor"])).is_empty());
    assert!(actions(&mut client, &root, 0, &json!(["quickfix"])).is_empty());
}

#[test]
fn fix_all_applies_what_is_safe() {
    let (_folder, mut client, root, _) = opened();
    client.edit(&root, 2, [12, 17, 12, 40], "[ingress, ingress]");
    let found = actions(&mut client, &root, 12, &json!(["source.fixAll"]));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["kind"], "source.fixAll.applyorder");
    assert!(!found[0]["edit"]["documentChanges"].as_array().unwrap().is_empty());
}

#[test]
fn a_cancelled_request_is_answered_so_and_the_server_goes_on() {
    let (_folder, mut client, root, _) = opened();
    let ids: Vec<i64> = (0..50)
        .map(|_| {
            let id = client.ask("workspace/symbol", json!({ "query": "" }));
            client.notify("$/cancelRequest", json!({ "id": id }));
            id
        })
        .collect();
    client.notify("$/cancelRequest", json!({ "id": "never asked" }));
    client.notify("$/cancelRequest", Value::Null);
    for id in ids {
        match client.answer(id) {
            Ok(result) => assert!(result.is_array()),
            Err(error) => assert_eq!(error["code"], -32800, "{error}"),
        }
    }
    assert!(client.at("hover", &root, 4, 13).unwrap().is_object());
}

#[test]
fn an_answer_is_of_the_text_at_its_place_in_the_queue() {
    let (_folder, mut client, root, _) = opened();
    let ask = json!({ "textDocument": { "uri": root }, "position": { "line": 4, "character": 13 } });
    for round in 0..30 {
        let version = 2 + round * 2;
        client.edit(&root, version, [4, 12, 4, 15], "xyz");
        let id = client.ask("textDocument/hover", ask.clone());
        client.edit(&root, version + 1, [4, 12, 4, 15], "cni");
        match client.answer(id) {
            Ok(hover) => {
                let text = hover["contents"]["value"].as_str().unwrap();
                assert!(text.contains("`xyz`"), "{text}");
            }
            Err(error) => assert_eq!(error["code"], -32801, "{error}"),
        }
    }
}

#[test]
fn completion_proposes_names() {
    let (_folder, mut client, root, _) = opened();
    client.edit(&root, 2, [12, 17, 12, 40], "[");
    client.edit(&root, 3, [12, 18, 12, 18], "c");
    let found = client.at("completion", &root, 12, 19).unwrap();
    let items = found["items"].as_array().unwrap();
    let cni = items.iter().find(|i| i["label"] == "cni");
    let edit = &cni.unwrap_or_else(|| panic!("{items:#?}"))["textEdit"];
    assert_eq!(edit["newText"], "cni");
    assert_eq!(range(&edit["range"]), [12, 18, 12, 19]);
    assert!(!items.iter().any(|i| i["label"] == "app"), "not itself");
}

#[test]
fn a_proposal_says_what_would_move_and_what_closes_a_cycle_is_marked_and_last() {
    let text = ROOT.replace("[cert-manager, ingress]", "[ingress]")
        + "    - name: late\n      type: kustomize\n      \
                path: .\n      dependsOn: [app]\n";
    let folder = Folder::new(&[("tazuna.yaml", &text), ("part.yaml", PART)]);
    let mut able = capabilities();
    able["textDocument"]["completion"] = json!({ "completionItem": {
        "tagSupport": { "valueSet": [1] }, "labelDetailsSupport": true
    } });
    let mut client = Client::start_with(&[&folder], &able);
    let root = folder.uri("tazuna.yaml");
    client.open(&root, &text);
    client.edit(&root, 2, [12, 25, 12, 25], ", ");
    let found = client.at("completion", &root, 12, 27).unwrap();
    let shown: Vec<String> = found["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|i| {
            let mark = if i["tags"] == json!([1]) { "x " } else { "" };
            format!(
                "{mark}{}: {} | {}",
                i["label"].as_str().unwrap(),
                i["detail"].as_str().unwrap(),
                i["labelDetails"]["description"].as_str().unwrap()
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            "cert-manager: manifest, layer 2 · app stays in 3 | layer 2 · app stays in 3",
            "cni: manifest, layer 1 · already before it | layer 1 · already before it",
            "x late: would close a cycle | would close a cycle",
        ]
    );
}

#[test]
fn a_hover_has_links_where_the_client_follows_them() {
    let folder = Folder::new(&[("tazuna.yaml", ROOT), ("part.yaml", PART)]);
    let mut able = capabilities();
    able["general"]["markdown"] = json!({ "parser": "marked" });
    let mut client = Client::start_with(&[&folder], &able);
    let hover = client.at("hover", &folder.uri("part.yaml"), 6, 14).unwrap();
    let text = hover["contents"]["value"].as_str().unwrap();
    let cni = format!("**after** [`cni`]({}#L5,13)", folder.uri("tazuna.yaml"));
    assert!(text.contains(&cni), "{text}");
    // Its own answer comes first.
    assert!(
        text.starts_with("**manifest `ingress`** · layer 2 of 3\n\n**after** "),
        "{text}"
    );
}

#[test]
fn a_finding_can_be_ignored_where_it_is() {
    let (_folder, mut client, root, _) = opened();
    client.edit(&root, 2, [12, 18, 12, 30], "gone");
    let found = actions(&mut client, &root, 12, &json!(["quickfix"]));
    let ignore = found
        .iter()
        .find(|a| a["title"] == "Ignore unknown-dependency here")
        .unwrap();
    let edit = &ignore["edit"]["documentChanges"][0]["edits"][0];
    assert_eq!(edit["newText"], " # applyorder: ignore[unknown-dependency]");
    let version = 3;
    let at = range(&edit["range"]).map(|n| u32::try_from(n).unwrap());
    client.edit(&root, version, at, edit["newText"].as_str().unwrap());
    let left = client.diagnostics(&root);
    assert!(!codes(&left).contains(&"unknown-dependency"), "{left:#?}");
}

#[test]
fn symbols_of_a_document_and_of_the_workspace() {
    let (_folder, mut client, _, part) = opened();
    let ask = json!({ "textDocument": { "uri": part } });
    let outline = client
        .request("textDocument/documentSymbol", ask.clone())
        .unwrap();
    let mut names = Vec::new();
    let mut open = outline.as_array().unwrap().clone();
    while let Some(item) = open.pop() {
        names.push(item["name"].as_str().unwrap().to_owned());
        open.extend(item["children"].as_array().cloned().unwrap_or_default());
        assert!(item["selectionRange"]["start"]["line"].is_u64());
    }
    assert!(names.contains(&"ingress".to_owned()), "{names:?}");
    let found = client
        .request("workspace/symbol", json!({ "query": "crtmgr" }))
        .unwrap();
    let names: Vec<_> = found
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str())
        .collect();
    assert_eq!(names, [Some("cert-manager")]);
    // Servers for YAML fold the same files.
    let folds = client.request("textDocument/foldingRange", ask).unwrap();
    assert_eq!(folds, Value::Null);
}

#[test]
fn a_definition_has_the_ranges_of_its_reference_and_of_the_whole_definition() {
    let folder = Folder::new(&[("tazuna.yaml", ROOT), ("part.yaml", PART)]);
    let mut capabilities = capabilities();
    capabilities["textDocument"]["definition"] = json!({ "linkSupport": true });
    let mut client = Client::start_with(&[&folder], &capabilities);
    let (root, part) = (folder.uri("tazuna.yaml"), folder.uri("part.yaml"));
    client.open(&root, ROOT);
    let found = client.at("definition", &root, 12, 22).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 1);
    let link = &found[0];
    assert_eq!(link["targetUri"], part);
    assert_eq!(range(&link["originSelectionRange"]), [12, 18, 12, 30]);
    assert_eq!(range(&link["targetSelectionRange"]), [2, 12, 2, 24]);
    assert_eq!(range(&link["targetRange"]), [2, 6, 5, 22]);
    // The definition is a whole file.
    let found = client.at("definition", &root, 8, 18).unwrap();
    assert_eq!(range(&found[0]["originSelectionRange"]), [8, 16, 8, 25]);
    assert_eq!(range(&found[0]["targetRange"]), [0, 0, 0, 0]);
}
