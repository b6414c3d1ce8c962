//! What Terramate's own language server gets wrong (0.17.2), done correctly.

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities, codes, range, uri_of};

const ROOT: &str = "terramate {\n  required_version = \">= 0.1\"\n}\n";

fn project(files: &[(&str, &str)]) -> Folder {
    let mut all = vec![("terramate.tm", ROOT)];
    all.extend(files);
    Folder::new(&all)
}

/// Where the definitions of a place are: path relative to the folder, and line.
fn definitions(folder: &Folder, answer: &Value) -> Vec<(String, u64)> {
    let base = folder.uri("");
    let list = match answer {
        Value::Array(list) => list.clone(),
        Value::Null => Vec::new(),
        one => vec![one.clone()],
    };
    let mut found: Vec<(String, u64)> = list
        .iter()
        .map(|l| {
            let uri = l["uri"].as_str().or(l["targetUri"].as_str()).unwrap();
            let at = if l["range"].is_null() {
                &l["targetSelectionRange"]
            } else {
                &l["range"]
            };
            let path = uri.trim_start_matches(base.trim_end_matches('/'));
            (path.to_owned(), at["start"]["line"].as_u64().unwrap())
        })
        .collect();
    found.sort();
    found
}

const APP: &str = "stack {\n  after = [\n    \"../net\",\n    \"../../team/net/vpc\",\n    \"/data\",\n    \"tag:base\",\n  ]\n}\n";

fn linked() -> Folder {
    project(&[
        ("team/app/stack.tm", APP),
        ("team/net/vpc/stack.tm", "# of the network\nstack {\n}\n"),
        ("team/net/dns/stack.tm", "stack {\n  tags = [\"base\"]\n}\n"),
        ("data/db/stack.tm", "stack {\n  tags = [\"base\"]\n}\n"),
    ])
}

#[test]
fn relative_references_count_from_their_own_directory() {
    let folder = linked();
    let (vpc, dns, db) = (
        ("/team/net/vpc/stack.tm".to_owned(), 1),
        ("/team/net/dns/stack.tm".to_owned(), 0),
        ("/data/db/stack.tm".to_owned(), 0),
    );
    // Whichever directory the editor has opened.
    for opened in ["", "team", "team/app"] {
        let mut client = Client::spawn();
        let dir = folder.path().join(opened);
        client
            .request(
                "initialize",
                json!({
                    "processId": null,
                    "workspaceFolders": [{ "uri": uri_of(&dir), "name": "x" }],
                    "capabilities": capabilities(),
                }),
            )
            .unwrap();
        client.notify("initialized", json!({}));
        let uri = folder.uri("team/app/stack.tm");
        client.open(&uri, APP);
        let mut at = |line| {
            let answer = client.at("definition", &uri, line, 7).unwrap();
            definitions(&folder, &answer)
        };
        // A directory means the stacks in it.
        assert_eq!(at(2), [dns.clone(), vpc.clone()], "{opened}");
        assert_eq!(at(3), std::slice::from_ref(&vpc), "{opened}");
        assert_eq!(at(4), std::slice::from_ref(&db), "{opened}");
        // For a filter, the stacks that match it.
        assert_eq!(at(5), [db.clone(), dns.clone()], "{opened}");
    }
}

#[test]
fn references_of_a_stack_are_found_however_they_are_written() {
    let folder = linked();
    let mut client = Client::start(&folder);
    let uri = folder.uri("team/net/vpc/stack.tm");
    client.open(&uri, "# of the network\nstack {\n}\n");
    let answer = client
        .request(
            "textDocument/references",
            json!({
                "textDocument": { "uri": uri },
                "position": { "line": 1, "character": 2 },
                "context": { "includeDeclaration": false },
            }),
        )
        .unwrap();
    let lines: Vec<(String, u64)> = definitions(&folder, &answer);
    let app = |line| ("/team/app/stack.tm".to_owned(), line);
    assert!(lines.contains(&app(2)) && lines.contains(&app(3)), "{lines:?}");
}

#[test]
fn columns_count_utf_16_after_any_text() {
    // Before the wrong entry: letters of two bytes, of two UTF-16 units, a letter with a combining mark, and a family
    // of seven code points that is displayed as one character.
    for (before, units) in [("größe", 5), ("🙂🙂", 4), ("e\u{301}e\u{301}", 4), ("👨‍👩‍👧", 8)]
    {
        let text = format!(
            "stack {{\n  tags  = [\"x\"] # {before}\n  name  = \"{before}\" /* {before} */\n  after = [\"{before}/../gone\", /* {before} */ \"weg\"]\n}}\n"
        );
        let folder = project(&[("s/stack.tm", &text)]);
        let uri = folder.uri("s/stack.tm");
        let mut client = Client::start(&folder);
        client.open(&uri, &text);
        let found = client.diagnostics(&uri);
        let columns: Vec<[u64; 4]> = found
            .iter()
            .filter(|d| d["code"] == "unknown-dependency")
            .map(|d| range(&d["range"]))
            .collect();
        // `  after = ["` is eleven units, `/../gone"` nine more after the text, `, /* ` five, ` */ ` four.
        let first = [3, 11, 3, 11 + 1 + units + 9];
        let start = first[3] + 5 + units + 4;
        assert_eq!(columns, [first, [3, start, 3, start + 5]], "{before}");
    }
}

#[test]
fn an_edit_changes_the_diagnostics_of_every_directory() {
    let a = "stack {\n  after = [\"/b\"]\n}\n";
    let b = "stack {\n  id = \"one\"\n}\n";
    let folder = project(&[
        ("a/stack.tm", a),
        ("b/stack.tm", b),
        (
            "c/stack.tm",
            "stack {\n  id = \"two\"\n  wants = [\"tag:late\"]\n}\n",
        ),
        ("d/stack.tm", "stack {\n  tags = [\"other\"]\n}\n"),
    ]);
    let uris = ["a", "b", "c"].map(|dir| folder.uri(&format!("{dir}/stack.tm")));
    let mut client = Client::start(&folder);
    // Files that are not open have findings too.
    client.comes_to(&uris[2], &["unknown-dependency"]);
    client.open(&uris[1], b);
    // An ID that another directory has, a tag with `wants`, and a cycle.
    client.replace(
        &uris[1],
        2,
        "stack {\n  id = \"TWO\"\n  tags = [\"late\"]\n  after = [\"../a\"]\n}\n",
    );
    client.comes_to(&uris[0], &["cycle"]);
    client.comes_to(&uris[2], &["duplicate-name"]);
    // No longer a stack: references to the directory dangle.
    client.replace(&uris[1], 3, "globals {\n}\n");
    client.comes_to(&uris[0], &["unknown-dependency"]);
    client.comes_to(&uris[2], &["unknown-dependency"]);
    client.replace(&uris[1], 4, b);
    client.comes_to(&uris[0], &[]);
}

#[test]
fn an_error_in_an_imported_file_is_reported_at_the_import() {
    let folder = project(&[
        ("a/x.tm", "import {\n  source = \"../lib/y.hcl\"\n}\n"),
        ("lib/y.hcl", "globals {\n"),
    ]);
    let uri = folder.uri("a/x.tm");
    let mut client = Client::start(&folder);
    let found = client.diagnostics(&uri);
    assert_eq!(codes(&found), ["syntax-error"]);
    let related = &found[0]["relatedInformation"][0]["location"];
    assert_eq!(related["uri"], folder.uri("lib/y.hcl"));
}

#[test]
fn the_root_is_that_of_git_and_not_the_nearest_version() {
    let folder = Folder::new(&[
        (".git/HEAD", "ref: refs/heads/main\n"),
        (".git/config", "[core]\n\trepositoryformatversion = 0\n"),
        (".git/refs/heads/.keep", ""),
        (".git/objects/.keep", ""),
        ("top/stack.tm", "stack {\n}\n"),
        ("sub/terramate.tm", ROOT),
        ("sub/s/stack.tm", "stack {\n  after = [\"/top\"]\n}\n"),
    ]);
    let mut client = Client::start(&folder);
    let uri = folder.uri("sub/s/stack.tm");
    let text = "stack {\n  after = [\"/top\"]\n}\n";
    client.open(&uri, text);
    assert!(codes(&client.diagnostics(&uri)).is_empty());
    let answer = client.at("definition", &uri, 1, 13).unwrap();
    assert_eq!(definitions(&folder, &answer), [("/top/stack.tm".to_owned(), 0)]);
}

#[test]
fn a_folder_without_a_project_does_not_fail() {
    let folder = Folder::new(&[("s/stack.tm", "stack {\n  after = [\n"), ("t/x.tm", "")]);
    let mut client = Client::start(&folder);
    let uri = folder.uri("s/stack.tm");
    client.open(&uri, "stack {\n  after = [\n");
    for method in ["hover", "definition", "completion"] {
        let _ = client.at(method, &uri, 1, 11).unwrap();
    }
    client.replace(&uri, 2, "");
    client.settle();
    assert_eq!(client.shut_down().code(), Some(0));
}
