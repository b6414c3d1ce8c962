//! A language client that measures: from a `didChange` written to the standard input of the real server to the
//! `publishDiagnostics` of the same version read back.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// How long something took: until its answer arrived, and on the server's processors.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    /// Zero if the system does not report it.
    pub(crate) processor: Duration,
}

/// An open document.
pub(crate) struct Document {
    uri: String,
    pub(crate) text: String,
    version: i64,
}

/// A session with the server.
pub(crate) struct Session {
    child: Child,
    stdin: ChildStdin,
    /// What the server sent, and when it arrived.
    messages: Receiver<(Instant, Vec<u8>)>,
    /// The rules of each file's findings, except for hints, which come at any time.
    found: HashMap<String, Vec<String>>,
    folder: PathBuf,
    asked: u64,
    /// The server's trace of edits and their steps.
    traced: Vec<Trace>,
}

/// The duration of an edit according to the server's trace: the total, and its steps.
pub(crate) struct Trace {
    pub(crate) whole: Duration,
    pub(crate) steps: Vec<(String, Duration)>,
}

impl Trace {
    /// Parses the parameters of a `$/logTrace`. The message of the edit ends when its work continues in other threads:
    /// their work follows as steps without a message.
    fn read(params: &Value, traced: &mut Vec<Self>) -> Option<()> {
        let (what, whole) = params["message"].as_str()?.rsplit_once(": ")?;
        let within = params["verbose"].as_str().unwrap_or_default().lines();
        let step = |line: &str| {
            let (what, time) = line.trim().rsplit_once(": ")?;
            let name = what.split(' ').next().unwrap_or_default();
            Some((name.to_owned(), duration(time)?))
        };
        let whole = duration(whole)?;
        let steps = within.filter_map(step);
        match what.split(' ').next().unwrap_or_default() {
            "textDocument/didChange" => traced.push(Self {
                whole,
                steps: steps.collect(),
            }),
            message if message.contains('/') => {}
            name => {
                let edit = traced.last_mut()?;
                edit.whole += whole;
                let known = edit.steps.len();
                edit.steps.extend(steps);
                if edit.steps.len() == known {
                    edit.steps.push((name.to_owned(), whole));
                }
            }
        }
        Some(())
    }
}

/// A duration in Rust's format.
fn duration(text: &str) -> Option<Duration> {
    let units = [("ns", 1e-9), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let (number, unit) = units
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    Some(Duration::from_secs_f64(number.parse::<f64>().ok()? * unit))
}

pub(crate) fn uri_of(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Session {
    /// Starts the server on a folder, and waits until it has read it.
    pub(crate) fn start(server: &Path, folder: &Path) -> Result<Self, String> {
        let mut child = Command::new(server)
            .arg("server")
            .env_remove("APPLYORDER_LOG")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|e| format!("{}: {e}", server.display()))?;
        let stdin = child.stdin.take().ok_or("no stdin")?;
        let mut stdout = BufReader::with_capacity(1 << 16, child.stdout.take().ok_or("no stdout")?);
        let (sender, messages) = channel();
        // On a separate thread, so that the server never waits for a reader.
        std::thread::spawn(move || {
            while let Some(body) = next_message(&mut stdout) {
                if sender.send((Instant::now(), body)).is_err() {
                    break;
                }
            }
        });
        let mut session = Self {
            child,
            stdin,
            messages,
            found: HashMap::new(),
            folder: folder.to_owned(),
            asked: 0,
            traced: Vec::new(),
        };
        session.ask(
            "initialize",
            &json!({
                "processId": null,
                "rootUri": uri_of(folder),
                "capabilities": {
                    "general": { "positionEncodings": ["utf-8"] },
                    "textDocument": { "publishDiagnostics": {
                        "relatedInformation": true, "versionSupport": true, "codeDescriptionSupport": true,
                        "dataSupport": true,
                    } },
                    "workspace": { "didChangeWatchedFiles": {
                        "dynamicRegistration": true, "relativePatternSupport": true,
                    } },
                },
            }),
        )?;
        session.notify("initialized", &json!({}))?;
        session.settle()?;
        Ok(session)
    }

    /// Waits until everything sent so far is done: an answer comes after what was sent before its question.
    fn rest(&mut self) -> Result<Instant, String> {
        let uri = uri_of(&self.folder.join("none"));
        self.ask(
            "textDocument/foldingRange",
            &json!({ "textDocument": { "uri": uri } }),
        )
    }

    /// The same, and takes messages after the answer: answers and notifications may overtake each other.
    pub(crate) fn settle(&mut self) -> Result<(), String> {
        self.rest()?;
        self.processor_time();
        while let Ok((_, body)) = self.messages.recv_timeout(Duration::from_millis(1)) {
            self.note(&parsed(&body)?)?;
        }
        Ok(())
    }

    /// Switches the server's trace on or off.
    pub(crate) fn trace(&mut self, is_on: bool) -> Result<(), String> {
        let value = if is_on { "verbose" } else { "off" };
        self.notify("$/setTrace", &json!({ "value": value }))
    }

    /// The trace since then.
    pub(crate) fn traced(&mut self) -> Vec<Trace> {
        std::mem::take(&mut self.traced)
    }

    /// Opens a file and waits until the server has analyzed it.
    pub(crate) fn open(&mut self, path: &Path, language: &str) -> Result<(Document, Took), String> {
        let uri = uri_of(path);
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let message = note(
            "textDocument/didOpen",
            &json!({
                "textDocument": { "uri": uri, "languageId": language, "version": 0, "text": text },
            }),
        );
        let took = self.timed(&message, |session| session.published(&uri, 0))?;
        let version = 0;
        Ok((Document { uri, text, version }, took))
    }

    /// Makes one edit and waits for the diagnostics of the new text.
    pub(crate) fn edit(
        &mut self,
        document: &mut Document,
        at: usize,
        removed: usize,
        typed: &str,
    ) -> Result<Took, String> {
        let position = |offset: usize| {
            let before = &document.text[..offset];
            let line = before.matches('\n').count();
            let character = before.len() - before.rfind('\n').map_or(0, |i| i + 1);
            json!({ "line": line, "character": character })
        };
        let (start, end) = (position(at), position(at + removed));
        document.version += 1;
        let message = note(
            "textDocument/didChange",
            &json!({
                "textDocument": { "uri": document.uri, "version": document.version },
                "contentChanges": [{ "range": { "start": start, "end": end }, "text": typed }],
            }),
        );
        document.text.replace_range(at..at + removed, typed);
        let (uri, version) = (document.uri.clone(), document.version);
        self.timed(&message, |session| session.published(&uri, version))
    }

    /// Reports files that changed on the disk, and waits until the server has handled it.
    pub(crate) fn changed_on_disk(&mut self, paths: &[PathBuf]) -> Result<Took, String> {
        let changes: Vec<Value> = paths
            .iter()
            .map(|path| json!({ "uri": uri_of(path), "type": 2 }))
            .collect();
        let message = note("workspace/didChangeWatchedFiles", &json!({ "changes": changes }));
        self.timed(&message, |session| session.rest())
    }

    /// Only a request, as a baseline for other measurements that end with a request.
    pub(crate) fn nothing(&mut self) -> Result<Took, String> {
        let before = self.processor_time();
        let started = Instant::now();
        let arrived = self.rest()?;
        Ok(Took {
            wall: arrived.saturating_duration_since(started),
            processor: self.processor_time().saturating_sub(before),
        })
    }

    /// The rules of a document's findings, without hints.
    pub(crate) fn found(&self, document: &Document) -> &[String] {
        self.found.get(&document.uri).map_or(&[], Vec::as_slice)
    }

    /// How many files have findings other than hints, and one of these files.
    pub(crate) fn files_with_findings(&self) -> (usize, Option<String>) {
        let mut with = self.found.iter().filter(|(_, rules)| !rules.is_empty());
        let first = with.next().map(|(uri, rules)| format!("{uri}: {}", rules[0]));
        (first.iter().count() + with.count(), first)
    }

    fn timed(
        &mut self,
        message: &str,
        wait: impl FnOnce(&mut Self) -> Result<Instant, String>,
    ) -> Result<Took, String> {
        let before = self.processor_time();
        let started = Instant::now();
        self.send(message)?;
        let arrived = wait(self)?;
        Ok(Took {
            wall: arrived.saturating_duration_since(started),
            processor: self.processor_time().saturating_sub(before),
        })
    }

    fn published(&mut self, uri: &str, version: i64) -> Result<Instant, String> {
        self.read_until(|m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && m["params"]["version"] == version
        })
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Instant, String> {
        self.asked += 1;
        let id = self.asked;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string())?;
        self.read_until(|m| m["id"] == id && m["method"].is_null())
    }

    fn notify(&mut self, method: &str, params: &Value) -> Result<(), String> {
        self.send(&note(method, params))
    }

    fn send(&mut self, message: &str) -> Result<(), String> {
        // In one write, as clients do it.
        let frame = format!("Content-Length: {}\r\n\r\n{message}", message.len());
        let written = self.stdin.write_all(frame.as_bytes());
        written
            .and_then(|()| self.stdin.flush())
            .map_err(|e| format!("the server does not read: {e}"))
    }

    /// Takes messages until a matching one, and returns when it arrived.
    fn read_until(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Instant, String> {
        loop {
            let (arrived, body) = self
                .messages
                .recv_timeout(PATIENCE)
                .map_err(|e| format!("the server does not answer: {e}"))?;
            let message = parsed(&body)?;
            self.note(&message)?;
            if wanted(&message) {
                return Ok(arrived);
            }
        }
    }

    fn note(&mut self, message: &Value) -> Result<(), String> {
        match (message["method"].as_str(), message.get("id")) {
            (Some("textDocument/publishDiagnostics"), _) => {
                let params = &message["params"];
                let items = params["diagnostics"].as_array().map_or(&[][..], Vec::as_slice);
                let rules = items
                    .iter()
                    .filter(|d| d["severity"] != 4)
                    .filter_map(|d| Some(d["code"].as_str()?.to_owned()))
                    .collect();
                let uri = params["uri"].as_str().unwrap_or_default();
                self.found.insert(uri.to_owned(), rules);
                Ok(())
            }
            (Some("$/logTrace"), _) => {
                let _ = Trace::read(&message["params"], &mut self.traced);
                Ok(())
            }
            (Some(_), Some(id)) => {
                self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": null }).to_string())
            }
            _ => Ok(()),
        }
    }

    /// The time that the server's threads spent on processors, once they are idle.
    fn processor_time(&self) -> Duration {
        let started = Instant::now();
        let mut at_rest = 0;
        // The time of a running thread is updated only now and then; that of a sleeping one is exact.
        while at_rest < 2 && started.elapsed() < Duration::from_secs(5) {
            at_rest = if self.is_running() { 0 } else { at_rest + 1 };
            std::thread::sleep(Duration::from_micros(200));
        }
        let nanos = self.of_threads("schedstat", |text| text.split(' ').next()?.parse::<u64>().ok());
        Duration::from_nanos(nanos.into_iter().sum())
    }

    fn is_running(&self) -> bool {
        let state = |text: String| text.rsplit_once(") ")?.1.chars().next();
        self.of_threads("stat", state).contains(&'R')
    }

    fn of_threads<T>(&self, file: &str, read: impl Fn(String) -> Option<T>) -> Vec<T> {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let of = |thread: std::fs::DirEntry| read(std::fs::read_to_string(thread.path().join(file)).ok()?);
        threads.into_iter().flatten().flatten().filter_map(of).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn note(method: &str, params: &Value) -> String {
    json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string()
}

fn parsed(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|e| format!("the server sends what is no JSON: {e}"))
}

/// The next message of a stream; `None` at its end.
pub(crate) fn next_message(from: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line.strip_prefix("Content-Length: ") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    Some(body)
}
