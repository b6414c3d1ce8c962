//! `applyorder mcp`, used as by an agent: one JSON message per line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Tree, command, examples};

/// A server and the client's end of its streams.
struct Agent {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    asked: u64,
}

impl Agent {
    /// Initialized, below some directories.
    fn below(cwd: &Path, args: &[&str]) -> Self {
        let mut agent = Self::start(cwd, args);
        let hello = agent.ask(
            "initialize",
            json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "1" } }),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "applyorder", "{hello}");
        assert_eq!(hello["result"]["protocolVersion"], "2025-06-18", "{hello}");
        assert!(hello["result"]["capabilities"]["tools"].is_object(), "{hello}");
        agent.tell("notifications/initialized", json!({}));
        agent
    }

    fn start(cwd: &Path, args: &[&str]) -> Self {
        let mut child = command(cwd)
            .arg("mcp")
            .args(args)
            // Variables that mirror flags of commands must not affect the tools.
            .env("APPLYORDER_FIX", "1")
            .env("APPLYORDER_RENDER", "1")
            .env("APPLYORDER_FORMAT", "human")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            asked: 0,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        self.answer(id)
    }

    fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().unwrap();
            if message["id"] == id {
                return message;
            }
        }
    }

    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let length = self.output.read_line(&mut line).unwrap();
        (length > 0).then(|| serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}")))
    }

    fn tools(&mut self) -> Vec<Value> {
        let list = self.ask("tools/list", json!({}));
        list["result"]["tools"].as_array().unwrap().clone()
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({ "name": tool, "arguments": arguments }));
        assert!(answer["error"].is_null(), "{answer}");
        answer["result"].clone()
    }

    /// The data of an answer, validated against the requirements of the protocol.
    fn data(&mut self, tool: &str, arguments: Value) -> Value {
        let schema = self.tools().into_iter().find(|t| t["name"] == tool).unwrap()["outputSchema"].clone();
        let result = self.call(tool, arguments);
        assert_ne!(result["isError"], true, "{result}");
        let data = result["structuredContent"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), data);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let wrong: Vec<String> = validator.iter_errors(&data).map(|e| e.to_string()).collect();
        assert!(wrong.is_empty(), "{tool}: {wrong:?}");
        data
    }

    fn error(&mut self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], true, "{result}");
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        text["error"].as_str().unwrap().to_owned()
    }

    /// Closes the input; returns how long the server then takes to exit.
    fn leave(mut self) -> Duration {
        let start = Instant::now();
        drop(self.input.take());
        while self.next().is_some() {}
        assert!(self.child.wait().unwrap().success());
        start.elapsed()
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const MANIFESTS: &str = "spec:\n  manifests:\n    - {name: crds, type: kustomize, path: .}\n    \
                         - {name: operator, type: kustomize, path: ., dependsOn: [crds]}\n    \
                         - {name: app, type: kustomize, path: ., dependsOn: [operator, gone]}\n";

#[test]
fn every_tool_is_described_and_read_only() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    let mut agent = Agent::below(&tree.root(), &[]);
    let tools = agent.tools();
    let names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "lint", "order", "why", "deps", "simulate", "diff", "graph", "explain"
        ]
    );
    for tool in &tools {
        assert!(tool["description"].as_str().unwrap().len() > 40, "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
        assert_eq!(tool["annotations"]["destructiveHint"], false, "{tool}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            jsonschema::meta::validate(&tool[schema]).unwrap_or_else(|e| panic!("{e}"));
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{tool}");
    }
    let options = &tools[0]["inputSchema"]["properties"]["options"]["properties"];
    assert!(
        options["env"].is_object() && options["namespace"].is_object(),
        "{options}"
    );
}

#[test]
fn tools_answer_as_the_command_line_does() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    let mut agent = Agent::below(&tree.root(), &[]);

    let lint = agent.data("lint", json!({ "paths": ["tazuna.yaml"] }));
    let expected = tree.run(&["lint", "--format", "json"]).json();
    let found = lint["findings"].as_array().unwrap();
    assert_eq!(found.len(), 1, "{lint}");
    let theirs = &expected["projects"][0]["diagnostics"][0];
    for key in ["rule", "severity", "message", "fingerprint", "units", "enforced"] {
        assert_eq!(found[0][key], theirs[key], "{key}");
    }
    assert_eq!(found[0]["place"]["path"], "tazuna.yaml");
    assert_eq!(found[0]["place"]["line"], theirs["place"]["start"]["line"]);
    assert_eq!(lint["projects"][0]["verdicts"][0]["ok"], false);

    let order = agent.data("order", json!({}));
    let expected = tree.run(&["order", "--format", "json"]).json();
    let run = &order["projects"][0]["runs"][0];
    assert_eq!(run["layers"], expected["projects"][0]["order"]["apply"]["layers"]);
    assert_eq!(run["units"].as_array().unwrap().len(), 3);
    let backwards = agent.data("order", json!({ "operation": "delete", "limit": 1 }));
    let run = &backwards["projects"][0]["runs"][0];
    assert_eq!(
        run["layers"],
        expected["projects"][0]["order"]["delete"]["layers"]
    );
    assert_eq!(
        (&run["left_out"], run["units"].as_array().unwrap().len()),
        (&json!(2), 1)
    );

    let why = agent.data("why", json!({ "from": "app", "to": "crds" }));
    let steps: Vec<&str> = why["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| e["to"].as_str().unwrap())
        .collect();
    assert_eq!(steps, ["operator", "crds"]);

    let deps = agent.data("deps", json!({ "unit": "crds", "reverse": true }));
    assert_eq!(deps["total"], 2);
    let direct = agent.data("deps", json!({ "unit": "crds", "reverse": true, "depth": 1 }));
    assert_eq!(direct["units"][0]["name"], "operator");
    assert_eq!(direct["total"], 1);

    let explain = agent.data("explain", json!({ "rule": "cycle" }));
    assert!(
        explain["page"].as_str().unwrap().contains("## Use instead"),
        "{explain}"
    );
}

#[test]
fn a_partial_run_is_predicted() {
    let mut agent = Agent::below(&examples().join("terramate"), &[]);
    let units = agent.data("order", json!({}));
    let first = units["projects"][0]["runs"][0]["units"][0]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    let run = agent.data("simulate", json!({ "changed": [first] }));
    let units = run["projects"][0]["runs"][0]["units"].as_array().unwrap();
    assert!(
        units.iter().any(|u| u["selected"] == true) && units.iter().any(|u| u["selected"] == false),
        "{run}"
    );
    assert!(agent.error("simulate", json!({})).contains("changed"));
}

#[test]
fn the_order_is_drawn_and_compared() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    if !crate::selection::git(&tree, &["init", "-q", "-b", "main"]) {
        crate::skipped::skip("git", "it cannot be run");
        return;
    }
    crate::selection::commit(&tree, "one");
    tree.write("tazuna.yaml", MANIFESTS.replace("[operator, gone]", "[]"));
    let mut agent = Agent::below(&tree.root(), &[]);
    let diff = agent.data("diff", json!({ "revision": "HEAD" }));
    let expected = tree.run(&["diff", "HEAD", "--format", "json"]).json();
    assert_eq!(diff["diff"], expected);
    assert!(diff.to_string().contains("operator"), "{diff}");
    assert!(
        agent
            .error("diff", json!({ "revision": "nope" }))
            .contains("unknown git revision")
    );
    assert!(
        !agent
            .error("diff", json!({ "revision": "--output=RAN" }))
            .is_empty()
    );
    assert!(!tree.path("RAN").exists());
    let graph = agent.data("graph", json!({}));
    assert!(
        graph["mermaid"].as_str().unwrap().contains("flowchart"),
        "{graph}"
    );
    let around = agent.data("graph", json!({ "focus": "app" }));
    assert!(
        !around["mermaid"].as_str().unwrap().contains("operator"),
        "{around}"
    );
}

#[test]
fn files_are_read_again_for_each_call() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    let mut agent = Agent::below(&tree.root(), &[]);
    assert_eq!(agent.data("lint", json!({}))["total"], 1);
    tree.write("tazuna.yaml", MANIFESTS.replace(", gone", ""));
    assert_eq!(agent.data("lint", json!({}))["total"], 0);
}

#[test]
fn the_answer_counts_omitted_entries() {
    let names: String = (0..30).map(|i| format!("u{i}, ")).collect();
    let tree = Tree::new(&[("tazuna.yaml", &MANIFESTS.replace("gone", &names))]);
    let mut agent = Agent::below(&tree.root(), &[]);
    let lint = agent.data("lint", json!({ "limit": 4 }));
    assert_eq!(lint["findings"].as_array().unwrap().len(), 4);
    assert_eq!((&lint["total"], &lint["left_out"]), (&json!(30), &json!(26)));
}

#[test]
fn too_large_an_answer_is_an_error_that_says_so() {
    let name = "n".repeat(200);
    let units: String = (0..6000)
        .map(|i| format!("    - {{name: {name}{i}, type: kustomize, path: .}}\n"))
        .collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{units}"))]);
    let mut agent = Agent::below(&tree.root(), &[]);
    assert!(agent.error("order", json!({})).contains("larger than 1024 KiB"));
    assert_eq!(agent.data("lint", json!({}))["total"], 0);
}

#[test]
fn arguments_that_are_wrong_are_errors_of_the_tool() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    let mut agent = Agent::below(&tree.root(), &[]);
    for (tool, arguments, part) in [
        ("lint", json!({ "fix": true }), "unknown field `fix`"),
        ("lint", json!({ "paths": "tazuna.yaml" }), "invalid type"),
        ("lint", json!({ "engine": "helm" }), "unknown engine"),
        ("lint", json!({ "select": ["no-such-rule"] }), "no-such-rule"),
        (
            "lint",
            json!({ "options": { "render": "1" } }),
            "unknown option render",
        ),
        ("lint", json!({ "min_severity": "all" }), "all"),
        ("lint", json!({ "paths": ["nowhere.yaml"] }), "nowhere.yaml"),
        ("why", json!({ "from": "app" }), "missing field `to`"),
        (
            "why",
            json!({ "from": "app", "to": "crd" }),
            "did you mean `crds`?",
        ),
        ("deps", json!({ "unit": "--reverse" }), "unknown unit"),
        ("deps", json!({ "unit": "app", "depth": 0 }), "depth"),
        ("order", json!({ "operation": "destroy" }), "unknown variant"),
        ("explain", json!({ "rule": "cycles" }), "did you mean `cycle`?"),
    ] {
        let error = if tool == "lint" && arguments["paths"][0] == "nowhere.yaml" {
            let data = agent.data(tool, arguments.clone());
            assert_eq!(data["complete"], false, "{data}");
            data["notes"].to_string()
        } else {
            agent.error(tool, arguments.clone())
        };
        assert!(error.contains(part), "{tool} {arguments}: {error}");
    }
    let unknown = agent.ask("tools/call", json!({ "name": "mv", "arguments": {} }));
    assert_eq!(unknown["error"]["code"], -32602, "{unknown}");
    let long = agent.error("explain", json!({ "rule": "x".repeat(3_000_000) }));
    assert!(
        long.starts_with("unknown rule") && long.len() < 2_000,
        "{}",
        long.len()
    );
    // After all that, it still answers.
    assert_eq!(agent.data("lint", json!({}))["total"], 1);
}

#[cfg(unix)]
#[test]
fn nothing_outside_the_directories_is_read() {
    let secret =
        "spec:\n  manifests:\n    - {name: hunter2, type: kustomize, path: ., dependsOn: [password]}\n";
    let tree = Tree::new(&[
        (
            "in/tazuna.yaml",
            "spec:\n  manifests:\n    - name: group\n      includes: [{path: ../out/inc.yaml}, {path: link/inc.yaml}]\n    - {name: a, type: kustomize, path: .}\n",
        ),
        ("out/tazuna.yaml", secret),
        ("out/inc.yaml", secret),
        ("out/state.json", "hunter2"),
    ]);
    std::os::unix::fs::symlink(tree.path("out"), tree.path("in/link")).unwrap();
    std::os::unix::fs::symlink(tree.path("out/tazuna.yaml"), tree.path("in/linked.yaml")).unwrap();
    let mut agent = Agent::below(&tree.root(), &["in"]);
    let beside = tree.path("out").to_str().unwrap().to_owned();
    for path in [
        "..",
        "../out",
        "link",
        "link/tazuna.yaml",
        "linked.yaml",
        "a/../../out",
        "/",
        &beside,
    ] {
        for tool in ["lint", "order"] {
            let error = agent.error(tool, json!({ "paths": [path] }));
            assert!(error.contains("outside the directories"), "{path}: {error}");
        }
    }
    let error = agent.error("simulate", json!({ "options": { "state": "../out/state.json" } }));
    assert!(error.contains("outside the directories"), "{error}");
    // A file that the project includes from there is not read either, which is reported but is not an error of the
    // project.
    let lint = agent.data("lint", json!({ "min_severity": "hint" }));
    assert!(
        !lint.to_string().contains("hunter2") && !lint.to_string().contains("password"),
        "{lint}"
    );
    let rules: Vec<&str> = lint["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| f["rule"].as_str().unwrap())
        .collect();
    assert!(rules.contains(&"limit-reached"), "{lint}");
    assert!(
        !rules.contains(&"missing-file") && !rules.contains(&"unreadable-file"),
        "{lint}"
    );
    assert_eq!(lint["projects"][0]["verdicts"][0]["ok"], Value::Null, "{lint}");
}

#[cfg(unix)]
#[test]
fn nothing_is_written_and_no_command_is_run() {
    let tree = Tree::new(&[
        (
            "applyorder.toml",
            "[[kapp.app]]\nname = \"h\"\nfiles = [\"k\"]\nrender = [\"sh\", \"-c\", \"touch RAN\"]\n",
        ),
        (
            "k/a.yaml",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n",
        ),
        // With a safe fix.
        ("tazuna.yaml", &MANIFESTS.replace("[crds]", "[crds, crds]")),
    ]);
    let before = list(&tree.root());
    let mut agent = Agent::below(&tree.root(), &[]);
    let lint = agent.data("lint", json!({ "min_severity": "hint" }));
    assert!(lint["notes"].to_string().contains("was not run"), "{lint}");
    assert!(
        lint["findings"].to_string().contains("\"safety\":\"safe\""),
        "{lint}"
    );
    agent.data("order", json!({}));
    assert_eq!(list(&tree.root()), before);
}

#[cfg(unix)]
fn list(dir: &Path) -> Vec<(String, Vec<u8>)> {
    let mut out = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            out.extend(list(&path));
        } else {
            out.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    out.sort();
    out
}

#[test]
fn text_of_files_is_data_inside_of_json() {
    let tree = crate::escaping::tree();
    let mut agent = Agent::below(&tree.root(), &["--isolated"]);
    let lint = agent.data("lint", json!({}));
    assert!(lint.to_string().contains("\u{202e}"), "the data is whole");
    let result = agent.call("lint", json!({}));
    let content = result["content"].as_array().unwrap();
    assert_eq!(content.len(), 1);
    let text = content[0]["text"].as_str().unwrap();
    assert!(!text.contains(['\u{1b}', '\u{202e}', '\u{9b}', '\n']), "{text:?}");
    let result = agent.call("deps", json!({ "unit": "no\u{1b}[31m\n::error::" }));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(!text.contains(['\u{1b}', '\n']), "{text:?}");
}

#[test]
fn a_cancelled_call_ends_and_the_next_one_is_answered() {
    let units: String = (0..20_000)
        .map(|i| format!("    - {{name: n{i}, type: kustomize, path: .}}\n"))
        .collect();
    let tree = Tree::new(&[("tazuna.yaml", &format!("spec:\n  manifests:\n{units}"))]);
    let mut agent = Agent::below(&tree.root(), &[]);
    for id in 100..110 {
        let params = json!({ "name": "lint", "arguments": {} });
        agent.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
        agent.tell(
            "notifications/cancelled",
            json!({ "requestId": id, "reason": "no" }),
        );
    }
    agent.asked = 200;
    let page = agent.data("explain", json!({ "rule": "cycle" }));
    assert_eq!(page["rule"], "cycle");
    assert!(agent.leave() < Duration::from_secs(10));
}

#[test]
fn the_server_leaves_with_its_input() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    assert!(Agent::below(&tree.root(), &[]).leave() < Duration::from_secs(3));
    assert!(
        Agent::start(&tree.root(), &[]).leave() < Duration::from_secs(3),
        "before anything was said"
    );
    // What was asked before is still answered.
    let mut agent = Agent::below(&tree.root(), &[]);
    let params = json!({ "name": "lint", "arguments": {} });
    agent.send(&json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params }));
    drop(agent.input.take());
    assert_eq!(agent.answer(7)["result"]["structuredContent"]["total"], 1);
}

#[test]
fn garbage_does_not_end_it() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    let mut agent = Agent::below(&tree.root(), &[]);
    for line in [
        "{",
        "[]",
        "null",
        "\u{0}",
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 7}",
    ] {
        writeln!(agent.input.as_mut().unwrap(), "{line}").unwrap();
    }
    assert_eq!(agent.data("lint", json!({}))["total"], 1);
}

#[test]
fn a_missing_directory_is_reported() {
    let tree = Tree::new(&[("tazuna.yaml", MANIFESTS)]);
    for dir in ["nowhere", "tazuna.yaml"] {
        let answer = tree.run(&["mcp", dir]);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{answer:?}");
        assert!(answer.stderr.contains(dir), "{answer:?}");
    }
}
