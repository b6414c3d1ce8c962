//! `applyorder.toml` in the editor.

use std::process::Command;

use serde_json::{Value, json};

use crate::client::{Client, Folder, range};

fn labels(answer: &Value) -> Vec<&str> {
    let items = answer["items"].as_array().unwrap();
    items.iter().map(|item| item["label"].as_str().unwrap()).collect()
}

/// Opens a text with a mark `|`, which is removed, and sends a request about its position.
fn asked(method: &str, marked: &str) -> Value {
    asked_in(&Folder::new(&[]), method, marked)
}

fn asked_in(folder: &Folder, method: &str, marked: &str) -> Value {
    let uri = folder.uri("applyorder.toml");
    let mut client = Client::start(folder);
    let before = marked.split('|').next().unwrap();
    let line = u32::try_from(before.matches('\n').count()).unwrap();
    let character = before.rsplit('\n').next().unwrap().encode_utf16().count();
    client.open(&uri, &marked.replacen('|', "", 1));
    client
        .at(method, &uri, line, u32::try_from(character).unwrap())
        .unwrap()
}

fn hover(marked: &str) -> Option<String> {
    let hover = asked("hover", marked);
    Some(hover["contents"]["value"].as_str()?.to_owned())
}

#[test]
fn a_unit_is_found_and_renamed_from_an_expectation() {
    let config = "[[expect]]\nfirst = \"db\"\nthen = \"web\"\n[[expect]]\nno-edges = { from = \"w*\", to = \"web\" }\n";
    let folder = Folder::new(&[
        (
            "tazuna.yaml",
            "spec:\n  manifests:\n    - {name: db, type: kustomize, path: ./x}\n    - {name: web, type: kustomize, \
             path: ./x, dependsOn: [db]}\n",
        ),
        ("x/kustomization.yaml", "resources: []\n"),
        ("applyorder.toml", config),
    ]);
    let (uri, root) = (folder.uri("applyorder.toml"), folder.uri("tazuna.yaml"));
    let mut client = Client::start(&folder);
    client.open(&uri, config);
    let places = |found: &Value| -> Vec<(String, u64)> {
        let found = found.as_array().unwrap().iter();
        let place = |l: &Value| {
            let name = l["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            (name.to_owned(), l["range"]["start"]["line"].as_u64().unwrap())
        };
        found.map(place).collect()
    };
    let all = [("applyorder.toml", 1), ("tazuna.yaml", 2), ("tazuna.yaml", 3)];
    let all = all.map(|(name, line)| (name.to_owned(), line));
    for (uri, line, character) in [(&uri, 1, 10), (&root, 2, 13)] {
        let params = json!({
            "textDocument": { "uri": uri }, "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true }
        });
        let found = client.request("textDocument/references", params).unwrap();
        assert_eq!(places(&found), all, "{uri}");
    }
    let lit = client.at("documentHighlight", &uri, 2, 9).unwrap();
    let lines: Vec<_> = lit
        .as_array()
        .unwrap()
        .iter()
        .map(|h| range(&h["range"]))
        .collect();
    assert_eq!(lines, [[2, 8, 2, 11], [4, 32, 4, 35]]);
    let prepared = client.at("prepareRename", &uri, 1, 10).unwrap();
    assert_eq!(
        (range(&prepared["range"]), prepared["placeholder"].as_str()),
        ([1, 9, 1, 11], Some("db"))
    );
    let params = json!({
        "textDocument": { "uri": uri }, "position": { "line": 1, "character": 10 }, "newName": "base"
    });
    let edits = client.request("textDocument/rename", params).unwrap().to_string();
    assert_eq!(edits.matches("\"base\"").count(), 3, "{edits}");
    let refused = client
        .request(
            "textDocument/prepareRename",
            json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 23 } }),
        )
        .unwrap_err();
    assert!(
        refused.to_string().contains("a pattern can match any units"),
        "{refused}"
    );
}

#[test]
fn units_that_an_expectation_names_are_proposed_explained_and_found() {
    let folder = Folder::new(&[
        (
            "tazuna.yaml",
            "spec:\n  manifests:\n    - {name: db, type: kustomize, path: ./x}\n    - {name: web, type: kustomize, \
             path: ./x, dependsOn: [db]}\n",
        ),
        ("x/kustomization.yaml", "resources: []\n"),
        ("base.toml", ""),
    ]);
    let uri = folder.uri("applyorder.toml");
    let mut client = Client::start(&folder);
    client.open(
        &uri,
        "extend = \"base.toml\"\n[[expect]]\nfirst = \"db\"\nthen = \"\"\n[[expect]]\nno-edges = { from = \"*\", to = \
         \"web\" }\n",
    );
    let completed = client.at("completion", &uri, 3, 8).unwrap();
    assert_eq!(labels(&completed), ["db", "web"]);
    let item = &completed["items"][1];
    assert_eq!(
        (item["textEdit"]["newText"].as_str(), item["detail"].as_str()),
        (Some("\"web\""), Some("manifest, layer 2"))
    );
    let mut told = |line, character| {
        let hover = client.at("hover", &uri, line, character).unwrap();
        hover["contents"]["value"].as_str().map(str::to_owned)
    };
    let one = told(2, 10).unwrap();
    assert!(
        one.starts_with("**manifest `db`** · layer 1 of 2\n\n**after** nothing"),
        "{one}"
    );
    assert_eq!(
        told(5, 21).as_deref(),
        Some("2 manifests\n- db · layer 1\n- web · layer 2")
    );
    let mut lines = |line, character| -> Vec<(String, u64)> {
        let found = client.at("definition", &uri, line, character).unwrap();
        let places = found.as_array().cloned().unwrap_or_default();
        let place = |p: &Value| {
            let file = p["uri"].as_str().unwrap().rsplit('/').next().unwrap();
            (file.to_owned(), p["range"]["start"]["line"].as_u64().unwrap())
        };
        places.iter().map(place).collect()
    };
    let manifests = |of: &[u64]| -> Vec<(String, u64)> {
        of.iter().map(|line| ("tazuna.yaml".to_owned(), *line)).collect()
    };
    assert_eq!(lines(2, 10), manifests(&[2]));
    assert_eq!(lines(5, 21), manifests(&[2, 3]));
    assert_eq!(lines(3, 8), []);
    assert_eq!(lines(0, 12), [("base.toml".to_owned(), 0)]);
}

#[test]
fn a_renamed_unit_gets_its_new_name_in_expectations() {
    let tazuna = "spec:\n  manifests:\n    - {name: db, type: kustomize, path: ./x}\n    - {name: web, type: \
                  kustomize, path: ./x, dependsOn: [db]}\n";
    let folder = Folder::new(&[
        ("tazuna.yaml", tazuna),
        ("x/kustomization.yaml", "resources: []\n"),
        (
            "applyorder.toml",
            "[[expect]]\nfirst = 'db'\nthen = \"web\"\n[[expect]]\nno-edges = { from = \"d*\", to = \"\\u0064b\" }\n",
        ),
    ]);
    let uri = folder.uri("tazuna.yaml");
    let config = folder.uri("applyorder.toml");
    let mut client = Client::start(&folder);
    client.open(&uri, tazuna);
    let answer = client
        .request(
            "textDocument/rename",
            json!({
                "textDocument": { "uri": uri },
                "position": { "line": 2, "character": 14 },
                "newName": "store",
            }),
        )
        .unwrap();
    let documents = answer["documentChanges"].as_array().unwrap();
    let of_config = documents
        .iter()
        .find(|d| d["textDocument"]["uri"] == config)
        .unwrap();
    let edits = of_config["edits"].as_array().unwrap();
    let edits: Vec<_> = edits
        .iter()
        .map(|e| (range(&e["range"]), e["newText"].as_str().unwrap()))
        .collect();
    assert_eq!(edits, [([1, 9, 1, 11], "store"), ([4, 31, 4, 40], "\"store\"")]);
}

#[test]
fn keys_are_explained_by_the_schema() {
    let told = hover("[[kapp.app]]\nname = \"a\"\nfi|les = []\n").unwrap();
    assert_eq!(
        told,
        "**kapp.app.files** · list of strings\n\nFiles and directories in the order of the `-f` flags."
    );
    let told = hover("|ci = \"off\"\n").unwrap();
    assert!(
        told.starts_with("**ci** · `auto`, `off` · default `\"auto\"`\n\n"),
        "{told}"
    );
    let told = hover("ci = \"o|ff\"\n").unwrap();
    assert_eq!(told, "**off**\n\nNo annotations.");
    let told = hover("[rules]\n\"cy|cle\" = \"off\"\n").unwrap();
    assert!(
        told.starts_with("**cycle** · error\n\n") && told.contains("docs/rules/cycle.md"),
        "{told}"
    );
    let told = hover("[rules]\n\"kapp/|*\" = \"off\"\n").unwrap();
    assert!(told.contains("only kapp has"), "{told}");
    assert!(hover("[ka|pp]\n").unwrap().starts_with("**kapp** · table"));
    for nothing in [
        "kap|a = 1\n",
        "# ci |\n",
        "[rules]\n\"no/su|ch\" = \"off\"\n",
        "|\nci = \"off\"\n",
    ] {
        assert_eq!(hover(nothing), None, "{nothing}");
    }
}

#[test]
fn a_key_that_has_a_value_is_replaced_without_it() {
    for (marked, label, written) in [
        ("fai|l = \"error\"\n", "fail-on", "fail-on"),
        ("fai|\n", "fail-on", "fail-on = "),
        ("[rules]\n\"cy|\" = \"off\"\n", "cycle", "cycle"),
    ] {
        let answer = asked("completion", marked);
        let items = answer["items"].as_array().unwrap();
        let item = items.iter().find(|item| item["label"] == label).unwrap();
        assert_eq!(item["textEdit"]["newText"], written, "{marked}");
    }
}

#[test]
fn paths_are_proposed_from_the_directory_of_the_file() {
    let folder = Folder::new(&[
        ("b.yaml", ""),
        ("config/one.yaml", ""),
        ("config/.two.yaml", ""),
        ("base.toml", ""),
    ]);
    for (marked, expected) in [
        (
            "[[kapp.app]]\nfiles = [\"|\"]\n",
            &["\"config\"", "\"b.yaml\"", "\"base.toml\""][..],
        ),
        (
            "[[kapp.app]]\nfiles = [|]\n",
            &["\"config\"", "\"b.yaml\"", "\"base.toml\""],
        ),
        (
            "[[kapp.app]]\nfiles = |\n",
            &["[\"config\"]", "[\"b.yaml\"]", "[\"base.toml\"]"],
        ),
        (
            "[[kapp.app]]\nfiles = [\"b.yaml\", \"./config/|\"]\n",
            &["\"./config/one.yaml\""],
        ),
        (
            "[[kapp.app]]\nfiles = [\"config/.|\"]\n",
            &["\"config/.two.yaml\"", "\"config/one.yaml\""],
        ),
        ("[[kapp.app]]\nfiles = [\"config/on|", &["\"config/one.yaml\""]),
        ("extend = |", &["\"config\"", "\"b.yaml\"", "\"base.toml\""]),
        ("extend = \"gone/|\"\n", &[]),
    ] {
        let answer = asked_in(&folder, "completion", marked);
        let items = answer["items"].as_array().unwrap().iter();
        let written: Vec<&str> = items
            .map(|item| item["textEdit"]["newText"].as_str().unwrap())
            .collect();
        assert_eq!(written, expected, "{marked}");
    }
}

#[test]
fn keys_rules_and_words_are_proposed() {
    let proposed = |marked: &str| {
        let answer = asked("completion", marked);
        labels(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let has = |found: &[String], wanted: &[&str]| {
        for label in wanted {
            assert!(found.iter().any(|l| l == label), "{label} in {found:?}");
        }
    };
    let top = proposed("[kapp.scopes]\n[[kapp.app]]\n[tazuna]\n|");
    has(&top, &["[kapp]", "[[kapp.app]]"]);
    assert!(
        !top.contains(&"[tazuna]".to_owned()) && !top.contains(&"[kapp.scopes]".to_owned()),
        "{top:?}"
    );
    let top = proposed("preview = true\n|");
    has(
        &top,
        &[
            "fail-on",
            "extend",
            "[rules]",
            "[kapp]",
            "[[kapp.app]]",
            "[[expect]]",
        ],
    );
    assert!(
        !top.contains(&"preview".to_owned()) && !top.contains(&"kapp".to_owned()),
        "{top:?}"
    );
    assert_eq!(proposed("fail-on = |\n").len(), 4);
    assert_eq!(
        proposed("[rules]\ncycle = \"|\n"),
        ["off", "hint", "info", "warning", "error"]
    );
    let rules = proposed("[rules]\ncycle = \"off\"\n\"ka|\n");
    has(&rules, &["kapp", "kapp/*", "unknown-dependency", "spacelift/*"]);
    assert!(!rules.contains(&"cycle".to_owned()));
    let app = proposed("[[kapp.app]]\nname = \"a\"\n\n[[kapp.app]]\n|");
    has(&app, &["name", "files", "into-ns"]);
    assert_eq!(
        proposed("[[ka|"),
        ["[[expect]]", "[[overrides]]", "[[kapp.app]]", "[[ankaios.apply]]"]
    );
    assert_eq!(proposed("[[kapp.|"), ["[[app]]"]);
    assert_eq!(proposed("[terramate]\nroot = |"), ["true", "false"]);
    assert_eq!(proposed("# fail|"), [""; 0]);
    let answer = asked("completion", "[rules]\n\"terramate/ref|\n");
    let item = answer["items"].as_array().unwrap();
    let item = item
        .iter()
        .find(|item| item["label"] == "terramate/ref-broad")
        .unwrap();
    assert_eq!(item["textEdit"]["newText"], "\"terramate/ref-broad\" = ");
    assert_eq!(range(&item["textEdit"]["range"]), [1, 0, 1, 14]);
    assert!(
        item["documentation"]["value"]
            .as_str()
            .unwrap()
            .contains("docs/rules/terramate/ref-broad.md")
    );
}

#[test]
fn files_that_are_there_are_links() {
    let text =
        "extend = \"base.toml\"\n[[kapp.app]]\nname = \"a\"\nfiles = ['k/a.yaml', \"k\", \"gone.yaml\"]\n";
    let folder = Folder::new(&[("applyorder.toml", text), ("base.toml", ""), ("k/a.yaml", "")]);
    let uri = folder.uri("applyorder.toml");
    let mut client = Client::start(&folder);
    client.open(&uri, text);
    let links = client
        .request(
            "textDocument/documentLink",
            json!({ "textDocument": { "uri": uri } }),
        )
        .unwrap();
    let links = links.as_array().unwrap();
    let links: Vec<_> = links
        .iter()
        .map(|l| (range(&l["range"]), l["target"].clone()))
        .collect();
    assert_eq!(
        links,
        [
            ([0, 10, 0, 19], json!(folder.uri("base.toml"))),
            ([3, 10, 3, 18], json!(folder.uri("k/a.yaml"))),
        ]
    );
}

/// Line, first column and message of each finding of the file on the command line.
fn on_the_command_line(folder: &Folder) -> Vec<(u64, u64, String)> {
    let out = Command::new(env!("CARGO_BIN_EXE_applyorder"))
        .args(["lint", "--format", "json"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&out.stdout).unwrap();
    let mut all: Vec<Value> = report["diagnostics"].as_array().unwrap().clone();
    for project in report["projects"].as_array().unwrap() {
        all.extend(project["diagnostics"].as_array().unwrap().iter().cloned());
    }
    let here = all.iter().filter(|d| d["place"]["path"] == "applyorder.toml");
    let mut found: Vec<_> = here
        .map(|d| {
            let start = &d["place"]["start"];
            (
                start["line"].as_u64().unwrap(),
                start["column_utf16"].as_u64().unwrap(),
                d["message"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    found.sort();
    found
}

#[test]
fn the_editor_finds_in_it_what_the_command_line_finds() {
    for (text, count) in [
        ("[kapp\n", 1),
        ("fial-on = \"error\"\n[kap]\n", 2),
        ("fail-on = \"eror\"\n", 1),
        ("[rules]\ncyle = \"off\"\n\"kapp/nothing\" = \"off\"\n", 2),
        ("[kapp]\nversoin = \"1\"\n", 1),
        (
            "[[kapp.app]]\nname = \"ü\"\nfiles = [\"a.yaml\", \"gone\", \"*.yaml\"]\n",
            2,
        ),
        ("[[ankaios.apply]]\nname = \"a\"\nfiles = [\"gone.yaml\"]\n", 1),
        ("extend = \"gone.toml\"\n", 1),
        ("fail-on = \"info\"\n[rules]\ncycle = \"warning\"\n", 0),
    ] {
        let folder = Folder::new(&[("applyorder.toml", text), ("a.yaml", "kind: ConfigMap\n")]);
        let told = on_the_command_line(&folder);
        assert_eq!(told.len(), count, "{text}: {told:?}");
        let mut client = Client::start(&folder);
        let uri = folder.uri("applyorder.toml");
        client.open(&uri, text);
        let shown = client.diagnostics(&uri);
        let mut shown: Vec<_> = shown
            .iter()
            .map(|d| {
                let [line, column, ..] = range(&d["range"]);
                // The editor shows it without Markdown.
                let message = d["data"]["message"].as_str().unwrap();
                assert!(
                    d["message"]
                        .as_str()
                        .unwrap()
                        .starts_with(&message.replace('`', ""))
                );
                (line + 1, column + 1, message.to_owned())
            })
            .collect();
        shown.sort();
        assert_eq!(shown, told, "{text}");
    }
}

#[test]
fn what_was_probably_meant_is_a_quick_fix() {
    let text = "[rules]\ncyle = 'warnin'\n[[expect]]\nfirst = \"dB\"\nthen = \"web\"\n";
    let tree = "kind: Tazuna\nspec:\n  manifests:\n    - {name: db, type: kustomize, path: .}\n    - {name: web, type: \
                kustomize, path: ., dependsOn: [db]}\n";
    let folder = Folder::new(&[("applyorder.toml", text), ("tazuna.yaml", tree)]);
    let mut client = Client::start(&folder);
    let uri = folder.uri("applyorder.toml");
    client.open(&uri, text);
    let found = client.diagnostics(&uri);
    let mut replaced: Vec<(String, u64, u64, u64, String)> = Vec::new();
    for finding in &found {
        let asked = json!({
            "textDocument": { "uri": uri }, "range": finding["range"], "context": { "diagnostics": [finding] }
        });
        let actions = client.request("textDocument/codeAction", asked).unwrap();
        for action in actions.as_array().unwrap() {
            let title = action["title"].as_str().unwrap();
            if title.starts_with("Replace with") {
                let edit = &action["edit"]["documentChanges"][0]["edits"][0];
                let [line, from, _, to] = range(&edit["range"]);
                let new = edit["newText"].as_str().unwrap().to_owned();
                replaced.push((title.to_owned(), line, from, to, new));
            }
        }
    }
    replaced.sort();
    let fix = |name: &str, line, from, to, new: &str| {
        (format!("Replace with {name}"), line, from, to, new.to_owned())
    };
    assert_eq!(
        replaced,
        [
            fix("cycle", 1, 0, 4, "cycle"),
            fix("warning", 1, 7, 15, "'warning'")
        ]
    );
}
