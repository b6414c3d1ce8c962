//! Single edits whose effect was once noticed too late.

use std::sync::Arc;
use std::time::Duration;

use applyorder_analysis::engine::{Offer, RunOptions};
use applyorder_analysis::fixture::ChangingFiles;
use applyorder_analysis::workspace::Workspace;
use camino::Utf8PathBuf;

use super::{findings, load_config, picture};

fn disk_of(files: &[(&str, &str)]) -> ChangingFiles {
    let disk = ChangingFiles::default();
    for (path, text) in files {
        disk.insert(*path, text);
    }
    disk
}

/// A new workspace for what is on the disk, with the unsaved text of a file.
fn opened(disk: &ChangingFiles, unsaved: Option<(&str, &str)>) -> Workspace {
    let mut workspace = Workspace::new(
        applyorder_engines::all(),
        Arc::new(disk.clone()),
        RunOptions::default(),
    );
    workspace.offer(&disk.paths(), Offer::Found);
    if let Some((path, text)) = unsaved {
        workspace.set_text(path.into(), text.into());
    }
    load_config(&mut workspace);
    workspace.refresh();
    workspace.search_hints();
    workspace
}

/// Checks that after a text replaces another in a file, the result equals that of a new workspace, and differs
/// from before. Returns the files in which it finds something.
#[track_caller]
fn follows(files: &[(&str, &str)], path: &str, [from, to]: [&str; 2]) -> Vec<Utf8PathBuf> {
    let disk = disk_of(files);
    let open = |text: Option<&str>| opened(&disk, text.map(|text| (path, text)));
    let mut workspace = open(None);
    let before = picture(&workspace.analysis());
    let text = disk.text(path.into()).unwrap();
    assert!(text.contains(from));
    let text = text.replacen(from, to, 1);
    workspace.set_text(path.into(), text.as_str().into());
    load_config(&mut workspace);
    workspace.refresh();
    workspace.search_hints();
    let after = picture(&workspace.analysis());
    assert_ne!(after, before);
    assert_eq!(after, picture(&open(Some(&text)).analysis()));
    findings(&workspace.analysis()).into_keys().collect()
}

const STACK: &str =
    "resource \"spacelift_stack\" \"s\" {\n  name = \"s\"\n  repository = \"r\"\n  branch = \"main\"\n}\n";

/// A call, and a stack next to it.
fn calling(source: &str, rest: &str) -> String {
    format!("module \"m\" {{\n  source = {source}\n}}\n{rest}{STACK}")
}

#[test]
fn the_source_of_a_call_that_opentofu_computes() {
    let main = calling("local.dir", "");
    let files = [
        ("/w/main.tofu", &*main),
        ("/w/l.tf", "locals {\n  dir = \"./a\"\n}\n"),
        ("/w/a/main.tf", STACK),
        ("/w/b/main.tf", ""),
    ];
    follows(&files, "/w/l.tf", ["./a", "./b"]);
}

#[test]
fn the_directory_of_an_installed_module() {
    let others = "module \"a\" {\n  source = \"./a\"\n}\nmodule \"b\" {\n  source = \"./b\"\n}\n";
    // They come first, so that the files keep their order.
    let main = format!("{others}{}", calling("\"reg/m/x\"", ""));
    let list = "{\"Modules\": [{\"Key\": \"m\", \"Source\": \"reg/m/x\", \"Dir\": \"a\"}]}";
    let files = [
        ("/w/main.tf", &*main),
        ("/w/.terraform/modules/modules.json", list),
        ("/w/a/main.tf", STACK),
        ("/w/b/main.tf", ""),
    ];
    follows(
        &files,
        "/w/.terraform/modules/modules.json",
        ["\"Dir\": \"a\"", "\"Dir\": \"b\""],
    );
}

#[test]
fn a_resource_of_a_called_module_that_is_imported_to() {
    let import = "import {\n  to = module.m.module.n.spacelift_stack.s\n  id = \"x\"\n}\n";
    let main = calling("\"./a\"", import);
    let files = [
        ("/w/main.tf", &*main),
        ("/w/a/main.tf", "module \"n\" {\n  source = \"../b\"\n}\n"),
        ("/w/b/main.tf", STACK),
    ];
    follows(&files, "/w/b/main.tf", ["\"s\"", "\"t\""]);
    follows(&files, "/w/b/main.tf", ["  name", "  count = 1\n  name"]);
}

#[test]
fn an_app_of_which_no_file_is_named() {
    let files = [
        (
            "/w/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {kapp.k14s.io/exists: \"\"}}\n",
        ),
        (
            "/w/applyorder.toml",
            "[[kapp.app]]\nname = \"a\"\nfiles = [\"a.yaml\"]\n",
        ),
    ];
    let told = follows(&files, "/w/applyorder.toml", ["files = [\"a.yaml\"]\n", ""]);
    // And not in a file that happens to be the first.
    assert_eq!(told, ["/w/applyorder.toml"]);
}

#[test]
fn the_text_that_a_fix_keeps() {
    let main = format!(
        "locals {{\n  name = 1\n  x    = upper(local.nmae)\n}}\noutput \"o\" {{\n  value = spacelift_stack.s[0].id\n}}\n{STACK}"
    );
    let files = [("/w/main.tf", &*main)];
    follows(&files, "/w/main.tf", ["local.nmae", "local. nmae"]);
    follows(&files, "/w/main.tf", ["stack.s[0]", "stack.s[ 0 ]"]);
    follows(&files, "/w/main.tf", ["s[0].id", "s[0] .id"]);
}

#[test]
fn a_text_that_was_seen_while_another_one_was_read() {
    let config = "apiVersion: kapp.k14s.io/v1alpha1\nkind: Config\n";
    let disk = disk_of(&[("/w/config.yaml", config), ("/w/other/config.yaml", config)]);
    let mut workspace = opened(&disk, None);
    let (other, third) = ("/w/other/config.yaml".into(), "/w/third/config.yaml");
    let map =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {kapp.k14s.io/exists: \"\"}}\n";
    workspace.set_text(other, map.into());
    let (_, reading) = workspace.begin(Duration::ZERO);
    workspace.set_text(other, map.replace("name: a", "name: b").as_str().into());
    // A search for projects sees that text.
    disk.insert(third, config);
    workspace.offer(&[third.into()], Offer::Found);
    workspace.refresh();
    workspace.close(other);
    reading.unwrap().run(&|| {});
    workspace.take_over();
    workspace.refresh();
    workspace.search_hints();
    let afresh = picture(&opened(&disk, None).analysis());
    assert_eq!(picture(&workspace.analysis()), afresh);
}

#[test]
fn a_file_that_was_gone_and_is_back_before_the_next_read() {
    let workload = |name: &str, on: &str| {
        format!(
            "apiVersion: v1\nworkloads:\n  {name}:\n    runtime: podman\n    agent: a\n    runtimeConfig: x\n    \
             dependencies: {{{on}}}\n"
        )
    };
    let (base, shop) = (workload("db", ""), workload("web", "db: ADD_COND_RUNNING"));
    let (third, now) = (workload("a", ""), workload("b", ""));
    let disk = disk_of(&[
        ("/w/base.yaml", &base),
        ("/w/shop.yaml", &shop),
        ("/w/third.yaml", &third),
    ]);
    let mut workspace = opened(&disk, None);
    disk.remove("/w/base.yaml".into());
    workspace.set_text("/w/third.yaml".into(), now.as_str().into());
    workspace.refresh();
    disk.insert("/w/base.yaml", &base);
    workspace.changed_on_disk(&["/w/base.yaml"]);
    workspace.refresh();
    workspace.search_hints();
    let afresh = picture(&opened(&disk, Some(("/w/third.yaml", &now))).analysis());
    assert!(afresh.contains("declared in another manifest"), "{afresh}");
    assert_eq!(picture(&workspace.analysis()), afresh);
}
