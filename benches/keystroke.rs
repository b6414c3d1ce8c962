//! From a keystroke to its diagnostics: the time from a `didChange` written to the standard input of the
//! real server to the `publishDiagnostics` of the same version read back, on 10,000 manifests in 1,000 files
//! that one root includes.
//!
//! `cargo bench --bench keystroke`. Edits are spread over names, dependencies, comments and broken text.
#![allow(
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::unwrap_used
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 1_000;
const PER_FILE: usize = 10;
/// How many documents are open.
const OPEN: usize = 40;
/// How many edits of each kind are measured.
const ROUNDS: usize = 200;

fn main() {
    let dir = tempfile::tempdir().expect("a directory");
    let folder = dir.path().canonicalize().expect("a path");
    write_workspace(&folder);
    let mut session = Session::start(&folder);
    let mut documents: Vec<Document> = (0..OPEN)
        .map(|i| session.open(&folder, FILES / 10 + i * (FILES - FILES / 10) / OPEN))
        .collect();
    println!("{FILES} files of {PER_FILE} manifests, {OPEN} of them open; keystroke to diagnostics:");
    println!(
        "{:<14} {:>6} {:>10} {:>10} {:>10}",
        "edit", "count", "p50", "p95", "max"
    );
    let mut all = Vec::new();
    for kind in [Kind::Comment, Kind::Name, Kind::Dependency, Kind::Broken] {
        measure(&mut session, &mut documents, kind, 10);
        let times = measure(&mut session, &mut documents, kind, ROUNDS);
        print_row(kind.name(), times.clone());
        all.extend(times);
    }
    print_row("all", all);
}

/// A root that includes all files. A tenth of the manifests waits for nothing, every other one for three of the
/// tenth before its own: 27,000 dependencies, none of them redundant.
fn write_workspace(folder: &Path) {
    let mut root = String::from("kind: Tazuna\nspec:\n  manifests:\n    - includes:\n");
    std::fs::create_dir_all(folder.join("parts")).expect("a directory");
    std::fs::create_dir_all(folder.join("units")).expect("a directory");
    for file in 0..FILES {
        root.push_str(&format!("        - path: parts/part-{file:05}.yaml\n"));
        let mut text = String::from("kind: Tazuna\nspec:\n  manifests:\n");
        for unit in file * PER_FILE..(file + 1) * PER_FILE {
            text.push_str(&format!(
                "    - name: unit-{unit:06}\n      type: kustomize\n      path: ./units\n"
            ));
            let tenth = FILES * PER_FILE / 10;
            if let Some(before) = (unit / tenth).checked_sub(1) {
                text.push_str("      dependsOn:\n");
                for i in 0..3 {
                    let to = before * tenth + (unit * 7 + i * 331) % tenth;
                    text.push_str(&format!("        - unit-{to:06}\n"));
                }
            }
        }
        std::fs::write(folder.join(format!("parts/part-{file:05}.yaml")), text).expect("a file");
    }
    std::fs::write(folder.join("tazuna.yaml"), root).expect("a file");
}

#[derive(Clone, Copy)]
enum Kind {
    Comment,
    Name,
    Dependency,
    Broken,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::Name => "name",
            Self::Dependency => "dependsOn",
            Self::Broken => "broken text",
        }
    }

    /// A place in a text and what is typed there.
    fn edit(self, text: &str, round: usize) -> (usize, &'static str) {
        let nth = |word: &str| {
            let places: Vec<usize> = text.match_indices(word).map(|(i, _)| i + word.len()).collect();
            // The manifests of the first tenth wait for nothing.
            places
                .get(round % places.len().max(1))
                .copied()
                .unwrap_or(text.len())
        };
        match self {
            Self::Comment => (text.len(), "# a"),
            // A letter behind `unit-`: the name, and with it what its dependents refer to, is another.
            Self::Name => (nth("- name: unit-"), "x"),
            Self::Dependency => (nth("        - unit-"), "7"),
            Self::Broken => (nth("      type: "), ["[", "\"", "{a: ", "- x: ]\n"][round % 4]),
        }
    }
}

/// Types something into one document after the other and takes it back: two keystrokes a round.
fn measure(session: &mut Session, documents: &mut [Document], kind: Kind, rounds: usize) -> Vec<Duration> {
    let mut times = Vec::new();
    let count = documents.len();
    for round in 0..rounds / 2 {
        let document = &mut documents[(round * 7) % count];
        let (at, typed) = kind.edit(&document.text, round);
        times.push(session.edit(document, at, 0, typed));
        times.push(session.edit(document, at, typed.len(), ""));
    }
    times
}

fn print_row(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)];
    println!(
        "{name:<14} {:>6} {:>10.1?} {:>10.1?} {:>10.1?}",
        times.len(),
        at(50),
        at(95),
        at(100)
    );
}

struct Document {
    uri: String,
    text: String,
    version: i64,
}

struct Session {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    fn start(folder: &Path) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_applyorder"))
            .arg("server")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the server starts");
        let stdin = child.stdin.take().expect("stdin");
        let stdout = BufReader::new(child.stdout.take().expect("stdout"));
        let mut session = Self { child, stdin, stdout };
        let folder = folder.to_str().expect("UTF-8");
        session.send(&format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"processId":null,"rootUri":"file://{folder}","capabilities":{{"general":{{"positionEncodings":["utf-8"]}},"textDocument":{{"publishDiagnostics":{{"relatedInformation":true,"versionSupport":true}}}}}}}}}}"#
        ));
        session.read_until(|m| m.contains(r#""id":1"#));
        session.send(r#"{"jsonrpc":"2.0","method":"initialized","params":{}}"#);
        session
    }

    fn open(&mut self, folder: &Path, file: usize) -> Document {
        let path = folder.join(format!("parts/part-{file:05}.yaml"));
        let uri = format!("file://{}", path.to_str().expect("UTF-8"));
        let text = std::fs::read_to_string(path).expect("the file");
        let message = serde_json::json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didOpen",
            "params": { "textDocument": { "uri": uri, "languageId": "yaml", "version": 0, "text": text } },
        });
        self.send(&message.to_string());
        self.read_until(|m| m.contains("publishDiagnostics") && m.contains(&uri));
        Document {
            uri,
            text,
            version: 0,
        }
    }

    /// Makes one edit and waits for the diagnostics of the new text.
    fn edit(&mut self, document: &mut Document, at: usize, removed: usize, typed: &str) -> Duration {
        let position = |offset: usize| {
            let before = &document.text[..offset];
            let line = before.matches('\n').count();
            let character = before.len() - before.rfind('\n').map_or(0, |i| i + 1);
            serde_json::json!({ "line": line, "character": character })
        };
        let (start, end) = (position(at), position(at + removed));
        document.version += 1;
        let message = serde_json::json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didChange",
            "params": {
                "textDocument": { "uri": document.uri, "version": document.version },
                "contentChanges": [{ "range": { "start": start, "end": end }, "text": typed }],
            },
        })
        .to_string();
        document.text.replace_range(at..at + removed, typed);
        let version = format!("\"version\":{}", document.version);
        let started = Instant::now();
        self.send(&message);
        self.read_until(|m| {
            m.contains("publishDiagnostics") && m.contains(&document.uri) && m.contains(&version)
        });
        started.elapsed()
    }

    fn send(&mut self, message: &str) {
        write!(self.stdin, "Content-Length: {}\r\n\r\n{message}", message.len()).expect("the server reads");
        self.stdin.flush().expect("the server reads");
    }

    fn read_until(&mut self, wanted: impl Fn(&str) -> bool) {
        loop {
            let mut length = 0;
            loop {
                let mut line = String::new();
                let read = self.stdout.read_line(&mut line).expect("the server writes");
                assert!(read > 0, "the server has ended");
                if let Some(value) = line.strip_prefix("Content-Length: ") {
                    length = value.trim().parse().expect("a length");
                }
                if line == "\r\n" {
                    break;
                }
            }
            let mut body = vec![0; length];
            self.stdout.read_exact(&mut body).expect("the server writes");
            if wanted(std::str::from_utf8(&body).expect("UTF-8")) {
                return;
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
