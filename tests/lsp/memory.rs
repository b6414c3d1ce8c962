//! The memory for a workspace of 10,000 files, without the pages of the program itself: their number depends on how it
//! was built, and a released binary has about 15 MB of them.
#![cfg(target_os = "linux")]

use serde_json::json;

use crate::client::{Client, Folder, capabilities};

const PROJECTS: usize = 100;
/// The files of each project. Each unit except the first waits for the one before.
const FILES: usize = 100;

/// A unit's file: its name in its project, and its text. Its unit is called `uPROJECTxFILE`, or a name that contains
/// it.
type File = fn(usize, usize) -> (String, String);

/// The minimum of [`taken_once`] in a few runs: which thread reads what, and so how much memory the allocator keeps for
/// each thread, varies between runs.
fn taken(most: u64, beside: Option<(&str, &str)>, file: File) -> u64 {
    let mut least = u64::MAX;
    for _ in 0..3 {
        least = least.min(taken_once(beside, file));
        if least < most {
            break;
        }
    }
    least
}

/// Makes the server read 10,000 files and returns its peak memory, in megabytes. `beside`: an additional file of each
/// project that is not the file of a unit.
fn taken_once(beside: Option<(&str, &str)>, file: File) -> u64 {
    let folder = Folder::new(&[(".git/HEAD", "")]);
    let root = folder.path();
    let write = |path: &str, text: &str| {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    for project in 0..PROJECTS {
        for (name, text) in (0..FILES).map(|number| file(project, number)) {
            write(&format!("p{project}/{name}"), &text);
        }
        if let Some((name, text)) = beside {
            write(&format!("p{project}/{name}"), text);
        }
    }
    // Each thread keeps some memory of its own.
    let mut client = Client::spawn_in(&[], &[("RAYON_NUM_THREADS", "2")]);
    client.initialize(&[&folder], &capabilities());
    client.settle();
    let last = format!("u{}x{}", PROJECTS - 1, FILES - 1);
    let found = client.request("workspace/symbol", json!({ "query": last }));
    assert!(
        found.unwrap().to_string().contains(&last),
        "not everything was read"
    );
    let status = std::fs::read_to_string(format!("/proc/{}/status", client.process_id())).unwrap();
    let kilobytes = |name: &str| -> u64 {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    };
    (kilobytes("VmHWM:") - kilobytes("RssFile:")) / 1000
}

/// The limit if the total should be below 100 MB.
const LEAN: u64 = 85;
/// The same if a file is more: also a project, or a syntax tree.
const WITH_MORE: u64 = 100;

#[test]
fn tazuna_is_lean() {
    let root = |files: usize| {
        let includes = (0..files).map(|number| format!("    - includes: [{{path: part-{number}.yaml}}]\n"));
        format!(
            "kind: Tazuna\nspec:\n  manifests:\n{}",
            includes.collect::<String>()
        )
    };
    let took = taken(LEAN, Some(("tazuna.yaml", &root(FILES))), |project, number| {
        let needs = number
            .checked_sub(1)
            .map(|before| format!("u{project}x{before}"))
            .unwrap_or_default();
        let text = format!(
            "apiVersion: tazuna.pepabo.com/v1\nkind: Tazuna\nspec:\n  manifests:\n    - name: u{project}x{number}\n      \
             type: kustomize\n      path: .\n      dependsOn: [{needs}]\n"
        );
        (format!("part-{number}.yaml"), text)
    });
    assert!(took < LEAN, "{took} MB");
}

#[test]
fn terramate_is_lean() {
    let root = "terramate {\n  required_version = \">= 0.1\"\n}\n";
    let took = taken(LEAN, Some(("../terramate.tm.hcl", root)), |project, number| {
        let after = match number.checked_sub(1) {
            Some(before) => format!("\"../u{project}x{before}\""),
            None => String::new(),
        };
        let text = format!("stack {{\n  after = [{after}]\n}}\n");
        (format!("u{project}x{number}/stack.tm.hcl"), text)
    });
    assert!(took < LEAN, "{took} MB");
}

#[test]
fn kapp_is_lean() {
    let app = "[[kapp.app]]\nname = \"shop\"\nfiles = [\"config\"]\n";
    let took = taken(LEAN, Some(("applyorder.toml", app)), |project, number| {
        let rule = number.checked_sub(1).map(|before| {
            format!("    kapp.k14s.io/change-rule: \"upsert after upserting shop/g{before}\"\n")
        });
        let text = format!(
            "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: u{project}x{number}\n  namespace: shop\n  \
             annotations:\n    kapp.k14s.io/change-group: \"shop/g{number}\"\n{}",
            rule.unwrap_or_default()
        );
        (format!("config/r{number}.yaml"), text)
    });
    assert!(took < LEAN, "{took} MB");
}

/// Each file is also a project of its own: a startup manifest.
#[test]
fn ankaios_is_not_larger_than_its_projects() {
    let files: Vec<String> = (0..FILES).map(|number| format!("part-{number}.yaml")).collect();
    let apply = format!("[[ankaios.apply]]\nname = \"all\"\nfiles = {files:?}\n");
    let took = taken(WITH_MORE, Some(("applyorder.toml", &apply)), |project, number| {
        let dependencies = number
            .checked_sub(1)
            .map(|before| format!("    dependencies:\n      u{project}x{before}: ADD_COND_RUNNING\n"));
        let text = format!(
            "apiVersion: v1\nworkloads:\n  u{project}x{number}:\n    runtime: podman\n    agent: agent_A\n    \
             runtimeConfig: |\n      image: x\n{}",
            dependencies.unwrap_or_default()
        );
        (format!("part-{number}.yaml"), text)
    });
    assert!(took < WITH_MORE, "{took} MB");
}

/// A file keeps the tree from which its values are computed.
#[test]
fn spacelift_is_not_larger_than_its_trees() {
    let took = taken(WITH_MORE, None, |project, number| {
        let name = format!("u{project}x{number}");
        let mut text = format!(
            "resource \"spacelift_stack\" \"{name}\" {{\n  name       = \"{name}\"\n  repository = \"r\"\n  branch     = \
             \"main\"\n}}\n"
        );
        if let Some(before) = number.checked_sub(1) {
            text.push_str(&format!(
                "resource \"spacelift_stack_dependency\" \"{name}\" {{\n  stack_id            = \
                 spacelift_stack.{name}.id\n  depends_on_stack_id = spacelift_stack.u{project}x{before}.id\n}}\n"
            ));
        }
        (format!("{name}.tf"), text)
    });
    assert!(took < WITH_MORE, "{took} MB");
}
