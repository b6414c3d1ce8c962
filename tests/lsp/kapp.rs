//! kapp in the editor: positions inside the text of an annotation.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, range};

const A: &str = "\
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: db
  annotations:
    kapp.k14s.io/change-group: \"shop/db\"
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: cache
  annotations:
    kapp.k14s.io/change-group: shop/db
    kapp.k14s.io/change-group.other: shop/cache
";

const B: &str = "\
apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  annotations:
    kapp.k14s.io/change-rule: \"upsert  after upserting shop/db\"
    kapp.k14s.io/change-rule.db: 'upsert after upserting shop/db'
";

const CONFIG: &str = "\
apiVersion: kapp.k14s.io/v1alpha1
kind: Config
changeGroupBindings:
- name: shop/db
  resourceMatchers: [{apiVersionKindMatcher: {apiVersion: v1, kind: Secret}}]
changeRuleBindings:
- rules: [\"delete before deleting shop/db\"]
  resourceMatchers: [{apiVersionKindMatcher: {apiVersion: batch/v1, kind: Job}}]
";

struct Opened {
    folder: Folder,
    client: Client,
}

fn opened() -> Opened {
    let folder = Folder::new(&[("a.yaml", A), ("b.yaml", B), ("config.yaml", CONFIG)]);
    let mut client = Client::start(&folder);
    for (name, text) in [("a.yaml", A), ("b.yaml", B), ("config.yaml", CONFIG)] {
        client.open(&folder.uri(name), text);
    }
    Opened { folder, client }
}

impl Opened {
    fn at(&mut self, method: &str, file: &str, line: u32, column: u32) -> Value {
        let uri = self.folder.uri(file);
        self.client.at(method, &uri, line, column).unwrap()
    }

    fn places(&self, locations: &Value) -> Vec<(String, [u64; 4])> {
        let root = self.folder.uri("");
        let name = |l: &Value| l["uri"].as_str().unwrap().trim_start_matches(&root).to_owned();
        let mut places: Vec<_> = locations
            .as_array()
            .unwrap()
            .iter()
            .map(|l| (name(l), range(&l["range"])))
            .collect();
        places.sort();
        places
    }
}

#[test]
fn a_finding_marks_the_fault_inside_the_text() {
    let mut o = opened();
    let uri = o.folder.uri("b.yaml");
    o.client.settle();
    let found = o.client.diagnostics(&uri);
    assert_eq!(codes(&found), ["invalid-value"]);
    // The doubled space, after the quote.
    assert_eq!(range(&found[0]["range"]), [5, 38, 5, 39]);
}

#[test]
fn each_word_of_a_rule_is_completed() {
    let mut o = opened();
    let labels = |list: &Value| -> Vec<String> {
        let items = list.get("items").unwrap_or(list).as_array().unwrap();
        items
            .iter()
            .map(|i| i["label"].as_str().unwrap().to_owned())
            .collect()
    };
    for (column, expected) in [
        (38, &["upsert", "delete"][..]),
        (45, &["before", "after"]),
        (51, &["upserting", "deleting"]),
    ] {
        let list = o.at("completion", "b.yaml", 6, column);
        assert_eq!(labels(&list), expected, "{column}");
    }
    let groups = labels(&o.at("completion", "b.yaml", 6, 62));
    assert_eq!(groups[..2], ["shop/db", "shop/cache"]);
    assert!(
        groups.iter().any(|g| g == "change-groups.kapp.k14s.io/crds"),
        "{groups:?}"
    );
}

#[test]
fn hover_shows_what_a_rule_does_and_matches() {
    let mut o = opened();
    let text = |hover: Value| hover["contents"]["value"].as_str().unwrap().to_owned();
    let rule = text(o.at("hover", "b.yaml", 6, 60));
    for part in [
        "When `Job/migrate` is applied, it waits for the members of `shop/db` that are applied in the same run",
        "**2 resources**\n\n- `StatefulSet/db` · **after** nothing",
        "\n- `StatefulSet/cache` · ",
        "**Without this entry**",
    ] {
        assert!(rule.contains(part), "{part} is not in\n{rule}");
    }
    let verb = text(o.at("hover", "b.yaml", 6, 36));
    assert!(verb.contains("it waits for the members of `shop/db`"), "{verb}");
    let group = text(o.at("hover", "a.yaml", 5, 34));
    assert!(
        group.contains("**change group `shop/db`** · 2 resources"),
        "{group}"
    );
    assert!(
        group.contains("**members** `StatefulSet/db`, `StatefulSet/cache` · **named by** `Job/migrate`"),
        "{group}"
    );
    let unit = text(o.at("hover", "b.yaml", 3, 10));
    for part in [
        "**after** `StatefulSet/db`",
        "part of app of ",
        "the nearest directory with a kapp Config",
    ] {
        assert!(unit.contains(part), "{part} is not in\n{unit}");
    }
}

#[test]
fn a_rule_shows_how_it_goes_on_while_it_is_typed() {
    let mut o = opened();
    let at = |o: &mut Opened, column| o.at("signatureHelp", "b.yaml", 6, column);
    let help = at(&mut o, 60);
    let signature = &help["signatures"][0];
    assert_eq!(
        signature["label"],
        "upsert|delete before|after upserting|deleting GROUP"
    );
    assert_eq!(
        signature["documentation"],
        "when this resource is created or updated, it waits for the members of the group that are created or updated"
    );
    assert_eq!(signature["activeParameter"], 3);
    assert_eq!(at(&mut o, 36)["signatures"][0]["activeParameter"], 0);
    assert_eq!(at(&mut o, 3), Value::Null);
    // After the last word, the value has ended.
    let uri = o.folder.uri("c.yaml");
    let rule = "    kapp.k14s.io/change-rule: upsert after ";
    let text = format!("apiVersion: v1\nkind: Secret\nmetadata:\n  name: c\n  annotations:\n{rule}\n");
    o.client.open(&uri, &text);
    let help = o.at("signatureHelp", "c.yaml", 5, u32::try_from(rule.len()).unwrap());
    assert_eq!(help["signatures"][0]["activeParameter"], 2, "{help}");
    assert_eq!(
        help["signatures"][0]["documentation"],
        "when this resource is created or updated, it waits for the members of the group"
    );
}

#[test]
fn a_group_leads_to_its_members_and_rules() {
    let mut o = opened();
    let definition = o.at("definition", "b.yaml", 6, 60);
    let members = [
        ("a.yaml".to_owned(), [5, 31, 5, 40]),
        ("a.yaml".to_owned(), [12, 31, 12, 38]),
    ];
    let found = o.places(&definition);
    for member in &members {
        assert!(found.contains(member), "{member:?} is not in {found:?}");
    }
    let uri = o.folder.uri("a.yaml");
    let params = json!({
        "textDocument": {"uri": uri}, "position": {"line": 12, "character": 34},
        "context": {"includeDeclaration": true}
    });
    let references = o.client.request("textDocument/references", params).unwrap();
    let expected: Vec<(String, [u64; 4])> = vec![
        ("a.yaml".to_owned(), [5, 31, 5, 40]),
        ("a.yaml".to_owned(), [12, 31, 12, 38]),
        ("b.yaml".to_owned(), [6, 57, 6, 64]),
        ("config.yaml".to_owned(), [3, 8, 3, 15]),
        ("config.yaml".to_owned(), [6, 34, 6, 41]),
    ];
    let found = o.places(&references);
    for place in &expected {
        assert!(found.contains(place), "{place:?} is not in {found:?}");
    }
}

#[test]
fn a_group_is_renamed_in_annotations_and_bindings() {
    let mut o = opened();
    let uri = o.folder.uri("a.yaml");
    let params = json!({
        "textDocument": {"uri": uri}, "position": {"line": 12, "character": 34}, "newName": "shop/data"
    });
    let edit = o.client.request("textDocument/rename", params).unwrap();
    let root = o.folder.uri("");
    let mut edits: Vec<(String, [u64; 4], String)> = Vec::new();
    let changes = edit["documentChanges"].as_array().unwrap();
    for change in changes {
        let file = change["textDocument"]["uri"]
            .as_str()
            .unwrap()
            .trim_start_matches(&root)
            .to_owned();
        for e in change["edits"].as_array().unwrap() {
            edits.push((
                file.clone(),
                range(&e["range"]),
                e["newText"].as_str().unwrap().to_owned(),
            ));
        }
    }
    edits.sort();
    let apply = |file: &str, text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for (_, r, new) in edits.iter().rev().filter(|(f, _, _)| f == file) {
            lines[r[0] as usize].replace_range(r[1] as usize..r[3] as usize, new);
        }
        lines.join("\n") + "\n"
    };
    assert_eq!(apply("a.yaml", A), A.replace("shop/db", "shop/data"));
    // The faulty rule is not a valid rule yet, so it stays.
    let other = B.replace("upserting shop/db'", "upserting shop/data'");
    assert_eq!(apply("b.yaml", B), other);
    assert_eq!(
        apply("config.yaml", CONFIG),
        CONFIG.replace("shop/db", "shop/data")
    );
}

const APP: &str = "[[kapp.app]]\nname = \"web\"\nfiles = [\"config\"]\nrender = [\"cat\", \"out.txt\"]\n";

#[test]
fn sources_are_rendered_only_in_a_trusted_workspace_where_the_user_agreed() {
    let template = "#@ x = 1\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kapp.k14s.io/change-rule: upsert after upserting gone\n";
    let rendered = template.trim_start_matches("#@ x = 1\n");
    for (trusted, agreed) in [(true, false), (false, true), (true, true)] {
        let folder = Folder::new(&[
            ("applyorder.toml", APP),
            ("config/a.yaml", template),
            ("out.txt", rendered),
        ]);
        let mut client = Client::spawn();
        client
            .request(
                "initialize",
                json!({
                    "rootUri": folder.uri(""), "capabilities": capabilities(),
                    "initializationOptions": {"render": agreed, "trusted": trusted}
                }),
            )
            .unwrap();
        client.notify("initialized", json!({}));
        let uri = folder.uri("config/a.yaml");
        client.open(&uri, template);
        if agreed && trusted {
            client.comes_to(&uri, &["unknown-dependency"]);
            // The effect of a save on the sources is seen.
            folder.write("out.txt", &rendered.replace("upserting gone", "upsert gone"));
            client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
            client.comes_to(&uri, &[]);
        } else {
            let found = client.diagnostics(&uri);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!(found[0]["code"], "unresolved");
            client.settle();
            // Once the folder has been searched, the same may be published again; rendered files never are.
            while client.has_unread_diagnostics(&uri) {
                assert_eq!(client.diagnostics(&uri), found);
            }
        }
    }
}

#[test]
fn a_command_that_the_user_trusts_runs_unless_the_workspace_is_not_trusted() {
    let template = "#@ x = 1\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kapp.k14s.io/change-rule: upsert after upserting gone\n";
    for (options, runs) in [(json!({}), true), (json!({ "trusted": false }), false)] {
        let folder = Folder::new(&[
            ("applyorder.toml", APP),
            ("config/a.yaml", template),
            ("out.txt", template.trim_start_matches("#@ x = 1\n")),
        ]);
        let home = Folder::new(&[]);
        let dir = folder.path();
        let trusted = format!(
            "[[command]]\ndir = {:?}\nargv = [\"cat\", \"out.txt\"]\n",
            dir.to_str().unwrap()
        );
        home.write("applyorder/trust.toml", &trusted);
        let variables = [("XDG_CONFIG_HOME", home.path().to_str().unwrap().to_owned())];
        let variables: Vec<(&str, &str)> = variables.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let mut client = Client::spawn_in(&[], &variables);
        client.initialize_with(&[&folder], &capabilities(), &options);
        let uri = folder.uri("config/a.yaml");
        client.open(&uri, template);
        if runs {
            client.comes_to(&uri, &["unknown-dependency"]);
        } else {
            let found = client.diagnostics(&uri);
            assert_eq!(found[0]["code"], "unresolved", "{found:?}");
            std::thread::sleep(std::time::Duration::from_millis(500));
            client.settle();
            while client.has_unread_diagnostics(&uri) {
                assert_eq!(client.diagnostics(&uri), found);
            }
        }
    }
}

#[test]
fn findings_without_a_source_are_shown_at_the_render_command() {
    let template = "#@ x = 1\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: #@ name\n";
    let folder = Folder::new(&[
        ("applyorder.toml", APP),
        ("config/a.yaml", template),
        (
            "out.txt",
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: m\n  annotations:\n    kapp.k14s.io/change-rule: upsert after upserting gone\n",
        ),
    ]);
    let mut client = Client::spawn();
    client
        .request(
            "initialize",
            json!({
                "rootUri": folder.uri(""), "capabilities": capabilities(),
                "initializationOptions": {"render": true, "trusted": true}
            }),
        )
        .unwrap();
    client.notify("initialized", json!({}));
    client.open(&folder.uri("config/a.yaml"), template);
    let uri = folder.uri("applyorder.toml");
    let found = client.wait_for(|m| {
        m["params"]["uri"] == uri && m["params"]["diagnostics"][0]["code"] == "unknown-dependency"
    });
    let found = &found["params"]["diagnostics"][0];
    let message = found["message"].as_str().unwrap();
    assert!(message.starts_with("line 6 of the rendered text: "), "{message}");
    assert_eq!(found["range"]["start"], json!({"line": 3, "character": 9}));
}
