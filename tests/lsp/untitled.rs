//! Unsaved documents: what their text alone shows.

use serde_json::json;

use crate::client::{Client, Folder};

fn open(client: &mut Client, uri: &str, language: &str, text: &str) {
    let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
}

#[test]
fn a_document_that_was_never_saved_has_findings_and_hovers_by_its_text() {
    let folder = Folder::new(&[("readme.txt", "nothing of ours\n")]);
    let mut client = Client::start(&folder);
    let tazuna = "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n    - {name: a, type: kustomize, path: \
                  .}\n    - {name: b, type: kustomize, path: ., dependsOn: [a, gone]}\n";
    let kapp = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-rule: \"apply \
                after x\"\n";
    let ankaios = "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n    \
                   dependencies:\n      gone: ADD_COND_RUNNING\n";
    let spacelift = "resource \"spacelift_stack_dependency\" \"d\" {\n  stack_id            = spacelift_stack.a.id\n  \
                     depends_on_stack_id = spacelift_stack.a.id\n}\nresource \"spacelift_stack\" \"a\" {\n  name       = \
                     \"a\"\n  branch     = \"main\"\n  repository = \"r\"\n}\n";
    let terramate = "stack {\n  after = 1\n}\n";
    for (number, language, text, rule) in [
        (1, "yaml", tazuna, "unknown-dependency"),
        (2, "yaml", kapp, "invalid-value"),
        (3, "yaml", ankaios, "unknown-dependency"),
        (4, "terraform", spacelift, "self-dependency"),
        (5, "terramate", terramate, "wrong-type"),
    ] {
        let uri = format!("untitled:Untitled-{number}");
        open(&mut client, &uri, language, text);
        let found = client.diagnostics(&uri);
        let has = found.iter().any(|d| d["code"] == rule);
        assert!(has, "{language}: {found:?}");
    }
    let hover = client.at("hover", "untitled:Untitled-1", 5, 14).unwrap();
    let shown = hover["contents"]["value"].as_str().unwrap();
    assert!(shown.contains("layer 2 of 2"), "{shown}");
    // It follows edits, and disappears when it is closed.
    client.replace("untitled:Untitled-1", 2, &tazuna.replace(", gone", ""));
    client.comes_to("untitled:Untitled-1", &[]);
    client.close("untitled:Untitled-2");
    client.comes_to("untitled:Untitled-2", &[]);
}

/// The findings in an unsaved document.
fn found(client: &mut Client, number: u32, language: &str, text: &str) -> Vec<String> {
    let uri = format!("untitled:Untitled-{number}");
    open(client, &uri, language, text);
    let found = client.diagnostics(&uri);
    let mut found: Vec<String> = found
        .iter()
        .map(|d| d["code"].as_str().unwrap().to_owned())
        .collect();
    found.sort();
    found
}

#[test]
fn what_paths_of_a_document_without_a_directory_lead_to_is_unknown() {
    let folder = Folder::new(&[("readme.txt", "nothing of ours\n")]);
    let mut client = Client::start(&folder);
    let head = "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n";
    let a = "    - {name: a, type: kustomize, path: ./a, dependsOn: [gone]}\n";
    let b = "    - {name: b, type: helmfile, path: ../../../b.yaml, dependsOn: [c]}\n";
    let c = "    - {name: c, type: kustomize, path: ./c, dependsOn: [b]}\n";
    let include = "    - includes: [{path: ./platform.yaml}]\n";
    // The name may be in the included file; problems within the text are reported.
    let tazuna = format!("{head}{include}{a}");
    assert_eq!(found(&mut client, 1, "yaml", &tazuna), [""; 0]);
    assert_eq!(
        found(&mut client, 2, "yaml", &format!("{head}{a}")),
        ["unknown-dependency"]
    );
    let cycle = format!("{head}{include}{a}{b}{c}");
    assert!(found(&mut client, 3, "yaml", &cycle).contains(&"cycle".to_owned()));
    let twice = found(&mut client, 4, "yaml", &format!("{head}{include}{a}{a}"));
    assert!(twice.contains(&"duplicate-name".to_owned()), "{twice:?}");
    // Another stack, or another Terraform file, may be next to it.
    let terramate =
        "stack {\n  id    = \"a\"\n  after = [\"/platform/cluster\", \"../dns\", \"tag:core\"]\n}\n";
    assert_eq!(found(&mut client, 5, "terramate", terramate), [""; 0]);
    let spacelift = "module \"m\" {\n  source = \"./m\"\n}\nresource \"spacelift_stack_dependency\" \"d\" {\n  stack_id            = \
                     spacelift_stack.a.id\n  depends_on_stack_id = spacelift_stack.gone.id\n}\nresource \"spacelift_stack\" \
                     \"a\" {\n  name       = \"a\"\n  branch     = \"main\"\n  repository = \"r\"\n}\n";
    assert_eq!(found(&mut client, 6, "terraform", spacelift), [""; 0]);
}
