//! A request about one project does not wait for the work on another.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::client::{Client, Folder, capabilities};

/// So many that a pass over them takes long on any machine.
const MANY: u32 = 1500;

const CONFIG: &str = "[rules]\nunknown-dependency = \"info\"\n";

const SMALL: &str = "\
kind: Tazuna
spec:
  manifests:
    - {name: a, type: kustomize, path: .}
    - {name: b, type: kustomize, path: ., dependsOn: [a]}
";

/// One large project of Terramate and a small one of Tazuna.
fn folder(stacks: u32) -> Folder {
    let root = "terramate {\n  required_version = \">= 0.1\"\n}\n";
    let folder = Folder::new(&[
        ("large/terramate.tm.hcl", root),
        ("small/tazuna.yaml", SMALL),
        ("small/kustomization.yaml", "resources: []\n"),
    ]);
    for i in 0..stacks {
        let text = format!(
            "stack {{\n  name = \"s{i}\"\n  tags = [\"t{}\"]\n  after = [\"tag:t{}\", \"/gone\"]\n}}\n",
            i / 50,
            (i / 50).wrapping_sub(1)
        );
        folder.write(&format!("large/s{i}/stack.tm.hcl"), &text);
    }
    folder
}

/// A field of the findings about unknown names.
fn of_unknown(diagnostics: &[Value], field: &str) -> Vec<Value> {
    let unknown = diagnostics.iter().filter(|d| d["code"] == "unknown-dependency");
    unknown.map(|d| d[field].clone()).collect()
}

#[test]
fn a_small_project_answers_while_a_large_one_is_passed_over() {
    let _turn = crate::turn();
    let folder = folder(MANY);
    let config = folder.uri("applyorder.toml");
    let (large, small) = (
        folder.uri("large/s0/stack.tm.hcl"),
        folder.uri("small/tazuna.yaml"),
    );
    let mut client = Client::start(&folder);
    client.open(&small, SMALL);
    client.open(&config, "");
    client.settle();
    client.take("textDocument/publishDiagnostics");
    // Everything is analyzed again.
    client.replace(&config, 2, CONFIG);
    let position = json!({ "line": 3, "character": 13 });
    let params = json!({ "textDocument": { "uri": small }, "position": position });
    let about_small = client.ask("textDocument/hover", params);
    let about_large = client.ask_at_start("documentSymbol", &large);
    let is_answer = |id: i64| move |m: &Value| m.get("method").is_none() && m["id"] == id;
    // For the new configuration: hints for the previous state may still arrive.
    let is_told = |m: &Value| {
        m["method"] == "textDocument/publishDiagnostics"
            && m["params"]["uri"] == *large
            && of_unknown(m["params"]["diagnostics"].as_array().unwrap(), "severity").contains(&json!(3))
    };
    let first = client.wait_for(|m| is_answer(about_small)(m) || is_answer(about_large)(m) || is_told(m));
    assert!(is_answer(about_small)(&first), "the small project waited");
    assert!(!first["result"].is_null());
    // A request about the large project is answered with its new state.
    let told = client.wait_for(|m| is_answer(about_large)(m) || is_told(m));
    assert!(is_told(&told));
    assert!(!client.answer(about_large).unwrap().is_null());
}

#[test]
fn edits_during_a_pass_are_seen_after_it() {
    let _turn = crate::turn();
    let folder = folder(300);
    let config = folder.uri("applyorder.toml");
    let large = folder.uri("large/s0/stack.tm.hcl");
    let mut client = Client::start(&folder);
    let text = |name: &str| format!("stack {{\n  name = \"s\"\n  after = [\"/{name}\"]\n}}\n");
    client.open(&large, &text("a"));
    client.open(&config, "");
    client.settle();
    client.replace(&config, 2, CONFIG);
    for (version, name) in (2..).zip(["b", "c", "d", "s1"]) {
        client.replace(&large, version, &text(name));
        folder.write(&format!("large/{name}/stack.tm.hcl"), "stack {\n}\n");
        client.watched(&folder.uri(&format!("large/{name}/stack.tm.hcl")), 1);
        // A request about the small project passes the edits to the analysis.
        client.ask_at_start("documentSymbol", &folder.uri("small/tazuna.yaml"));
    }
    client.replace(&large, 9, &text("nowhere"));
    client.settle();
    let told = of_unknown(&client.diagnostics(&large), "message");
    assert!(
        told.len() == 1 && told[0].to_string().contains("/nowhere"),
        "{told:?}"
    );
    client.replace(&large, 10, &text("d"));
    client.settle();
    let told = of_unknown(&client.diagnostics(&large), "message");
    assert!(told.is_empty(), "{told:?}");
}

/// So many manifests in one file that processing them takes long on any machine.
const MANIFESTS: usize = 4000;

fn manifests(on: &str) -> String {
    let mut text =
        "kind: Tazuna\nspec:\n  manifests:\n    - {name: m0, type: kustomize, path: .}\n".to_owned();
    for i in 1..MANIFESTS {
        let on = if i == 7 {
            on.to_owned()
        } else {
            format!("m{}", i - 1)
        };
        text.push_str(&format!(
            "    - {{name: m{i}, type: kustomize, path: ., dependsOn: [{on}]}}\n"
        ));
    }
    text
}

/// Sends requests about the small project until the client receives the expected message: how long that took, and the
/// longest time of an answer.
fn asked_until(client: &mut Client, small: &str, wanted: impl Fn(&Value) -> bool) -> (Duration, Duration) {
    let since = Instant::now();
    let mut longest = Duration::ZERO;
    loop {
        let asked = Instant::now();
        assert!(!client.at("hover", small, 3, 13).unwrap().is_null());
        longest = longest.max(asked.elapsed());
        if client
            .take("textDocument/publishDiagnostics")
            .iter()
            .any(|message| wanted(&message["params"]))
        {
            return (since.elapsed(), longest);
        }
        assert!(since.elapsed() < Duration::from_secs(120), "it is never told");
    }
}

/// The longest time of an answer about the small project while a large one was opened, edited and read again from the
/// disk.
fn held_up() -> [Duration; 3] {
    let folder = folder(MANY);
    folder.write("big/tazuna.yaml", &manifests("gone"));
    let (small, big) = (folder.uri("small/tazuna.yaml"), folder.uri("big/tazuna.yaml"));
    let mut client = Client::start(&folder);
    client.open(&small, SMALL);
    assert!(!client.at("hover", &small, 3, 13).unwrap().is_null());
    client.open(&big, &manifests("gone"));
    let says = |uri: &str, word: &str| {
        let (uri, word) = (uri.to_owned(), word.to_owned());
        move |params: &Value| params["uri"] == *uri && params["diagnostics"].to_string().contains(&word)
    };
    let (_, opened) = asked_until(&mut client, &small, says(&big, "gone"));
    client.settle();
    client.take("textDocument/publishDiagnostics");
    client.replace(&big, 2, &manifests("lost"));
    let (_, edited) = asked_until(&mut client, &small, says(&big, "lost"));
    client.settle();
    client.take("textDocument/publishDiagnostics");
    let stack = |i: u32| format!("large/s{i}/stack.tm.hcl");
    let changes: Vec<Value> = (0..MANY)
        .map(|i| {
            folder.write(
                &stack(i),
                &format!("stack {{\n  name = \"s{i}\"\n  after = [\"/nowhere\"]\n}}\n"),
            );
            json!({ "uri": folder.uri(&stack(i)), "type": 2 })
        })
        .collect();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    let last = folder.uri(&stack(MANY - 1));
    let (_, rescanned) = asked_until(&mut client, &small, says(&last, "nowhere"));
    [opened, edited, rescanned]
}

/// The longest time that a request may wait for work on another project.
const MOST: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(500)
} else {
    Duration::from_millis(50)
};

/// Other tests run at the same time.
const ATTEMPTS: usize = 12;

/// Runs a measurement until each answer was fast enough once. If the owner did the work itself, every answer would wait
/// for it, every time; on a busy machine, one waits now and then.
fn each_is_quick<const N: usize>(measured: impl Fn() -> [Duration; N]) {
    let mut least = [Duration::MAX; N];
    let mut seen = Vec::new();
    for _ in 0..ATTEMPTS {
        let longest = measured();
        least = std::array::from_fn(|i| least[i].min(longest[i]));
        if least.iter().all(|longest| *longest < MOST) {
            return;
        }
        seen.push(longest);
    }
    panic!("{seen:?}");
}

#[test]
fn nothing_that_is_done_with_a_large_project_holds_up_a_small_one() {
    let _turn = crate::turn();
    each_is_quick(held_up);
}

/// So many projects that examining each of them takes long on any machine.
const PROJECTS: u32 = if cfg!(debug_assertions) { 1_000 } else { 2_000 };

/// So many findings that writing them takes long on any machine; beyond 10,000 findings, the rest is not published.
const FINDINGS: usize = 9_000;

fn many_projects() -> Folder {
    let folder = Folder::new(&[
        ("small/tazuna.yaml", SMALL),
        ("small/kustomization.yaml", "resources: []\n"),
    ]);
    for i in 0..PROJECTS {
        folder.write(&project(i), &on_gone("gone"));
    }
    folder
}

fn project(i: u32) -> String {
    format!("many/p{i}/tazuna.yaml")
}

fn on_gone(name: &str) -> String {
    format!(
        "kind: Tazuna\nspec:\n  manifests:\n    - {{name: m, type: kustomize, path: ., dependsOn: [{name}]}}\n"
    )
}

/// Sends requests about the small project until the client has received the expected message for a number of files: the
/// longest time of an answer.
fn wait_until_notified(
    client: &mut Client,
    small: &str,
    count: usize,
    wanted: impl Fn(&Value) -> bool,
) -> Duration {
    let mut told = std::collections::HashSet::new();
    let told_all = std::cell::RefCell::new(&mut told);
    let (_, longest) = asked_until(client, small, |params| {
        let mut told = told_all.borrow_mut();
        if wanted(params) {
            told.insert(params["uri"].as_str().unwrap().to_owned());
        }
        told.len() >= count
    });
    longest
}

/// The longest time of an answer about the small project while many others were read, changed, reconfigured, deleted,
/// and restored; and the longest time that the owner of the state worked without checking for requests.
fn held_up_by_many(capabilities: &Value) -> [Duration; 6] {
    let folder = many_projects();
    let small = folder.uri("small/tazuna.yaml");
    let mut client = Client::spawn_with(LOGGING);
    client.initialize(&[&folder], capabilities);
    client.open(&small, SMALL);
    assert!(!client.at("hover", &small, 3, 13).unwrap().is_null());
    let is_many = |params: &Value| params["uri"].as_str().unwrap().contains("/many/");
    let severity = |params: &Value| params["diagnostics"][0]["severity"].clone();
    let count = PROJECTS as usize;
    let told = |client: &mut Client, paths: &[String], kind: u32, wanted: &dyn Fn(&Value) -> bool| {
        if capabilities["workspace"]["didChangeWatchedFiles"].is_object() {
            let change = |path: &String| json!({ "uri": folder.uri(path), "type": kind });
            let changes: Vec<Value> = paths.iter().map(change).collect();
            client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
        }
        let longest = wait_until_notified(client, &small, count, |params| is_many(params) && wanted(params));
        client.settle();
        client.take("textDocument/publishDiagnostics");
        longest
    };
    let read = wait_until_notified(&mut client, &small, count, |params| {
        is_many(params) && severity(params) == 1
    });
    // The watched directories are checked again.
    std::thread::sleep(Duration::from_millis(700));
    client.settle();
    client.take("textDocument/publishDiagnostics");
    let all: Vec<String> = (0..PROJECTS).map(project).collect();
    for path in &all {
        folder.write(path, &on_gone("lost"));
    }
    let changed = told(&mut client, &all, 2, &|p| p.to_string().contains("lost"));
    folder.write("many/applyorder.toml", CONFIG);
    let config = ["many/applyorder.toml".to_owned()];
    let configured = told(&mut client, &config, 1, &|p| severity(p) == 3);
    let many = ["many".to_owned()];
    let elsewhere = folder.path().join(".many");
    std::fs::rename(folder.path().join("many"), &elsewhere).unwrap();
    let deleted = told(&mut client, &many, 3, &|p| severity(p).is_null());
    std::fs::rename(&elsewhere, folder.path().join("many")).unwrap();
    let came_back = told(&mut client, &many, 1, &|p| severity(p) == 3);
    let stretch = longest_stretch(&client.shut_down_and_read_log());
    [read, changed, configured, deleted, came_back, stretch]
}

#[test]
fn nothing_that_is_done_with_many_projects_holds_up_another() {
    let _turn = crate::turn();
    each_is_quick(|| held_up_by_many(&capabilities()));
}

#[test]
fn the_own_watcher_delays_no_request() {
    let _turn = crate::turn();
    each_is_quick(|| held_up_by_many(&json!({})));
}

/// The same when the folder of the others is removed from the workspace.
#[test]
fn a_removed_folder_delays_no_request() {
    let _turn = crate::turn();
    each_is_quick(|| {
        let (one, many) = (Folder::new(&[("tazuna.yaml", SMALL)]), many_projects());
        let small = one.uri("tazuna.yaml");
        let mut client = Client::spawn_with(LOGGING);
        client.initialize(&[&one, &many], &capabilities());
        client.open(&small, SMALL);
        let is_many = |params: &Value| params["uri"].as_str().unwrap().contains("/many/");
        let has_some = |params: &Value| !params["diagnostics"].as_array().unwrap().is_empty();
        let count = PROJECTS as usize;
        wait_until_notified(&mut client, &small, count, |params| {
            is_many(params) && has_some(params)
        });
        client.settle();
        client.take("textDocument/publishDiagnostics");
        let removed = json!([{ "uri": crate::client::uri_of(&many.path()), "name": "many" }]);
        client.notify(
            "workspace/didChangeWorkspaceFolders",
            json!({ "event": { "added": [], "removed": removed } }),
        );
        let left = wait_until_notified(&mut client, &small, count, |params| {
            is_many(params) && !has_some(params)
        });
        [left, longest_stretch(&client.shut_down_and_read_log())]
    });
}

/// Makes the server log how long its owner works without interruption.
const LOGGING: &[&str] = &["--log", "applyorder_server::main_loop=debug"];

/// The longest time that the owner of the state worked without interruption, according to the server's log: processor
/// time, because it takes longer on a busy machine.
fn longest_stretch(log: &str) -> Duration {
    let worked = |line: &str| {
        let (_, worked) = line.split_once("worked=")?;
        let digits = worked.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, unit) = worked.split_at(digits);
        let units = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
        let (_, unit) = units.iter().find(|(name, _)| unit.starts_with(name))?;
        Some(Duration::from_secs_f64(number.parse::<f64>().ok()? * unit))
    };
    let lines = log.lines().filter(|line| line.contains("was busy for long"));
    lines.filter_map(worked).max().unwrap_or_default()
}

/// The longest time that the owner may work without interruption on one file: writing all its findings takes longer.
const STRETCH: Duration = if cfg!(debug_assertions) {
    Duration::from_millis(200)
} else {
    Duration::from_millis(20)
};

#[test]
fn a_file_with_many_findings_delays_no_request() {
    let _turn = crate::turn();
    let on = |name: &str| {
        let entries: Vec<String> = (0..FINDINGS).map(|i| format!("{name}{i}")).collect();
        on_gone(&entries.join(", "))
    };
    let folder = Folder::new(&[("big/tazuna.yaml", &on("gone"))]);
    let big = folder.uri("big/tazuna.yaml");
    let mut client = Client::spawn_with(LOGGING);
    client.initialize(&[&folder], &capabilities());
    let comes_to = |client: &mut Client, word: &str| {
        client.wait_for(|m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == *big
                && m["params"]["diagnostics"].as_array().unwrap().len() == FINDINGS
                && m["params"]["diagnostics"][0].to_string().contains(word)
        });
    };
    comes_to(&mut client, "gone");
    client.open(&big, &on("lost"));
    comes_to(&mut client, "lost");
    client.close(&big);
    comes_to(&mut client, "gone");
    let stretch = longest_stretch(&client.shut_down_and_read_log());
    assert!(stretch < STRETCH, "{stretch:?}");
}

#[test]
fn a_pass_that_an_edit_makes_stale_is_stopped() {
    let _turn = crate::turn();
    let folder = folder(MANY);
    let (config, large) = (folder.uri("applyorder.toml"), folder.uri("large/s0/stack.tm.hcl"));
    let mut client = Client::spawn_with(&["--log", "applyorder_analysis::workspace::passes=debug"]);
    client.initialize(&[&folder], &capabilities());
    let text = |name: &str| format!("stack {{\n  name = \"s0\"\n  after = [\"/{name}\"]\n}}\n");
    client.open(&large, &text("a"));
    client.open(&config, "");
    client.settle();
    let whole = Instant::now();
    client.replace(&config, 2, CONFIG);
    client.settle();
    let whole = whole.elapsed();
    client.replace(&config, 3, "");
    // A request passes the edit to the analysis.
    let small = folder.uri("small/tazuna.yaml");
    for (version, name) in [(2, "b"), (3, "c"), (4, "d")] {
        assert!(client.at("hover", &small, 3, 13).is_ok());
        std::thread::sleep(whole / 3);
        client.replace(&large, version, &text(name));
    }
    client.settle();
    let told = of_unknown(&client.diagnostics(&large), "message");
    assert!(told.len() == 1 && told[0].to_string().contains("/d"), "{told:?}");
    let log = client.shut_down_and_read_log();
    let stopped = log
        .lines()
        .filter(|line| line.contains("stopped") && line.contains("/large"));
    assert!(stopped.count() > 0, "{log}");
}
