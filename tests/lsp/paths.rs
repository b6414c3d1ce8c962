//! Paths in files: links to them, and what renaming files must rewrite, for every engine.

use serde_json::{Value, json};

use crate::client::{Client, Folder, range};

const TAZUNA: &str = "\
spec:
  manifests:
    - name: app
      type: kustomize
      path: ./apps/web
    - includes:
        - path: parts/b.yaml
    - name: db
      type: helmfile
      path: helm
      helmfile:
        extraValueFiles: [../values/db.yaml]
  providers:
    - {name: local, type: envfile, envfile: {path: dev.env}}
";

const PART: &str = "spec:\n  manifests:\n    - {name: b, type: kustomize, path: apps/b}\n";

const STACKS: &str = "\
resource \"spacelift_stack\" \"a\" {
  name        = \"a\"
  branch      = \"main\"
  repository  = \"r\"
  description = file(\"${path.module}/texts/a.txt\")
}
module \"m\" {
  source = \"./mods/m\"
}
";

const CONFIG: &str = "\
exclude = [\"vendor/**\", \"gen\"]

[[kapp.app]]
name = \"shop\"
files = [\"k/config\", 'k/more.yaml']

[[ankaios.apply]]
name = \"car\"
files = [\"ank/startup.yaml\"]

[spacelift]
var-files = [\"./tf/prod.tfvars\"]
";

const MAP: &str = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n  annotations:\n    kapp.k14s.io/change-group: g\n";

const WORKLOADS: &str =
    "apiVersion: v1\nworkloads:\n  a:\n    runtime: podman\n    agent: x\n    runtimeConfig: \"image: i\"\n";

fn folder() -> Folder {
    Folder::new(&[
        ("tz/tazuna.yaml", TAZUNA),
        ("tz/parts/b.yaml", PART),
        ("tz/apps/web/kustomization.yaml", "resources: []\n"),
        ("tz/helm/helmfile.yaml", "releases: []\n"),
        ("tz/values/db.yaml", "a: 1\n"),
        ("tz/dev.env", "A=1\n"),
        ("tf/main.tf", STACKS),
        ("tf/texts/a.txt", "a\n"),
        ("tf/prod.tfvars", ""),
        (
            "tf/mods/m/main.tf",
            "resource \"spacelift_space\" \"s\" {\n  name = \"s\"\n}\n",
        ),
        ("applyorder.toml", CONFIG),
        ("k/config/a.yaml", MAP),
        ("k/more.yaml", MAP),
        ("ank/startup.yaml", WORKLOADS),
    ])
}

/// What a rename rewrites: file, line, new text.
fn renamed(folder: &Folder, client: &mut Client, old: &str, new: &str) -> Vec<(String, u64, String)> {
    let files = json!({ "files": [{ "oldUri": folder.uri(old), "newUri": folder.uri(new) }] });
    let answer = client.request("workspace/willRenameFiles", files).unwrap();
    let top = folder.uri("");
    let mut found: Vec<(String, u64, String)> = Vec::new();
    for document in answer["documentChanges"].as_array().unwrap_or(&Vec::new()) {
        let uri = document["textDocument"]["uri"].as_str().unwrap();
        let path = uri.strip_prefix(top.as_str()).unwrap().trim_start_matches('/');
        for edit in document["edits"].as_array().unwrap() {
            let [line, ..] = range(&edit["range"]);
            found.push((
                path.to_owned(),
                line,
                edit["newText"].as_str().unwrap().to_owned(),
            ));
        }
    }
    found.sort();
    found
}

#[test]
fn what_names_a_moved_file_follows_whatever_the_engine() {
    let folder = folder();
    let mut client = Client::start(&folder);
    client.settle();
    for (old, new, expected) in [
        (
            "tz/apps",
            "tz/charts",
            vec![
                ("tz/parts/b.yaml", 2, "charts/b"),
                ("tz/tazuna.yaml", 4, "./charts/web"),
            ],
        ),
        (
            "tz/parts/b.yaml",
            "tz/c.yaml",
            vec![("tz/tazuna.yaml", 6, "c.yaml")],
        ),
        ("tf/mods", "modules", vec![("tf/main.tf", 7, "\"../modules/m\"")]),
        ("tf/texts/a.txt", "tf/a.txt", vec![("tf/main.tf", 4, "/a.txt")]),
        ("k/config", "kapp", vec![("applyorder.toml", 4, "kapp")]),
        (
            "k",
            "x/k",
            vec![
                ("applyorder.toml", 4, "x/k/config"),
                ("applyorder.toml", 4, "x/k/more.yaml"),
            ],
        ),
        (
            "ank/startup.yaml",
            "ank/car.yaml",
            vec![("applyorder.toml", 8, "ank/car.yaml")],
        ),
        (
            "tf/prod.tfvars",
            "tf/live.tfvars",
            vec![("applyorder.toml", 11, "./tf/live.tfvars")],
        ),
        (
            "vendor",
            "third/party",
            vec![("applyorder.toml", 0, "third/party/**")],
        ),
        (
            "tz/values",
            "values",
            vec![("tz/tazuna.yaml", 11, "../../values/db.yaml")],
        ),
        (
            "tz/dev.env",
            "dev.env",
            vec![("tz/tazuna.yaml", 13, "../dev.env")],
        ),
        ("gen", "made", vec![]),
        ("tz", "other", vec![]),
    ] {
        let found = renamed(&folder, &mut client, old, new);
        let found: Vec<(&str, u64, &str)> = found
            .iter()
            .map(|(path, line, text)| (path.as_str(), *line, text.as_str()))
            .collect();
        assert_eq!(found, expected, "{old} to {new}");
    }
}

fn links(folder: &Folder, client: &mut Client, path: &str) -> Vec<(u64, String)> {
    let document = json!({ "textDocument": { "uri": folder.uri(path) } });
    let found = client.request("textDocument/documentLink", document).unwrap();
    let top = folder.uri("");
    let link = |link: &Value| {
        let target = link["target"].as_str().unwrap();
        let target = target.strip_prefix(top.as_str()).unwrap().trim_start_matches('/');
        (range(&link["range"])[0], target.to_owned())
    };
    found.as_array().unwrap().iter().map(link).collect()
}

#[test]
fn a_path_leads_to_its_file_whatever_the_engine() {
    let folder = folder();
    let mut client = Client::start(&folder);
    client.settle();
    for (path, expected) in [
        (
            "tz/tazuna.yaml",
            vec![
                (4, "tz/apps/web/kustomization.yaml"),
                (6, "tz/parts/b.yaml"),
                (9, "tz/helm/helmfile.yaml"),
                (11, "tz/values/db.yaml"),
                (13, "tz/dev.env"),
            ],
        ),
        (
            "tf/main.tf",
            vec![(4, "tf/texts/a.txt"), (7, "tf/mods/m/main.tf")],
        ),
        (
            "applyorder.toml",
            vec![
                (4, "k/more.yaml"),
                (8, "ank/startup.yaml"),
                (11, "tf/prod.tfvars"),
            ],
        ),
    ] {
        let found = links(&folder, &mut client, path);
        let found: Vec<(u64, &str)> = found.iter().map(|(line, to)| (*line, to.as_str())).collect();
        assert_eq!(found, expected, "{path}");
    }
}
