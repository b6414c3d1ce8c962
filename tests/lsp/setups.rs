//! The setups under `editors/` for which no editor runs here: that they are well-formed, and start the server.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

fn editors() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("editors")
}

fn json(path: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(editors().join(path)).unwrap()).unwrap()
}

/// The words of a command line with double quotes.
fn words(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    parts
        .flat_map(|(at, part)| match at % 2 {
            0 => part.split_whitespace().map(str::to_owned).collect(),
            _ => vec![part.to_owned()],
        })
        .collect()
}

#[test]
fn the_template_for_jetbrains_starts_the_server() {
    let template = json("jetbrains/applyorder/template.json");
    let patterns: Vec<&str> = template["fileTypeMappings"]
        .as_array()
        .unwrap()
        .iter()
        .inspect(|mapping| assert!(mapping["languageId"].is_string(), "{mapping}"))
        .flat_map(|mapping| mapping["fileType"]["patterns"].as_array().unwrap())
        .map(|pattern| pattern.as_str().unwrap())
        .collect();
    for wanted in ["*.yaml", "*.tf", "*.tm", "*.tm.hcl", "applyorder.toml"] {
        assert!(patterns.contains(&wanted), "{wanted} in {patterns:?}");
    }
    assert!(json("jetbrains/applyorder/initializationOptions.json").is_object());

    let words = words(template["programArgs"]["default"].as_str().unwrap());
    let bin = Path::new(env!("CARGO_BIN_EXE_applyorder")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let mut child = Command::new(&words[0])
        .args(&words[1..])
        .env("PATH", path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}"#;
    let stdin = child.stdin.as_mut().unwrap();
    write!(stdin, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut header = String::new();
    stdout.read_line(&mut header).unwrap();
    let length = header.trim().strip_prefix("Content-Length: ").unwrap();
    let mut answer = vec![0; length.parse::<usize>().unwrap() + 2];
    stdout.read_exact(&mut answer).unwrap();
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    assert_eq!(answer["result"]["serverInfo"]["name"], "applyorder");
    drop(child.stdin.take());
    child.wait().unwrap();
}

#[test]
fn extensions_have_the_version_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    let zed = std::fs::read_to_string(editors().join("zed/extension.toml")).unwrap();
    let zed: toml::Table = zed.parse().unwrap();
    assert_eq!(zed["version"].as_str(), Some(version));
    assert_eq!(json("vscode/package.json")["version"], version);
    let languages = zed["language_servers"]["applyorder"]["languages"]
        .as_array()
        .unwrap();
    assert!(languages.iter().any(|l| l.as_str() == Some("YAML")));
}
