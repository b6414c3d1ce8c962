//! A small synchronous client, and a workspace in a temporary directory.

use std::collections::{HashMap, VecDeque};
use std::io::{BufRead, BufReader, Read as _, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(30);

/// A directory with files.
pub struct Folder {
    dir: tempfile::TempDir,
}

impl Folder {
    /// Files by their paths relative to the directory.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let dir = crate::temp::temporary();
        let folder = Self { dir };
        for (path, text) in files {
            folder.write(path, text);
        }
        folder
    }

    pub fn path(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn remove(&self, path: &str) {
        std::fs::remove_file(self.path().join(path)).unwrap();
    }

    pub fn uri(&self, path: &str) -> String {
        uri_of(&self.path().join(path))
    }
}

pub fn uri_of(path: &Path) -> String {
    let mut out = "file://".to_owned();
    for byte in path.to_str().unwrap().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' | b'~' => {
                out.push(byte as char);
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// A session with the server.
pub struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// The server's log, if it was requested: read continuously, so that the server never waits.
    log: Option<JoinHandle<String>>,
    /// Read, but not used yet.
    unread: VecDeque<Value>,
    /// The version of each document that was sent last.
    versions: HashMap<String, i64>,
    /// Whether the client supports versions in diagnostics.
    gets_versions: bool,
    last_id: i64,
}

impl Client {
    /// A server without any messages yet.
    pub fn spawn() -> Self {
        Self::spawn_with(&[])
    }

    /// The same with flags.
    pub fn spawn_with(flags: &[&str]) -> Self {
        Self::spawn_in(flags, &[])
    }

    /// The same with environment variables.
    pub fn spawn_in(flags: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_applyorder"));
        for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("APPLYORDER_")) {
            command.env_remove(name);
        }
        command.envs(variables.iter().copied());
        let mut child = command
            .arg("server")
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(if flags.contains(&"--log") {
                Stdio::piped()
            } else {
                Stdio::inherit()
            })
            .spawn()
            .unwrap();
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().unwrap();
        let log = child.stderr.take().map(|mut stderr| {
            std::thread::spawn(move || {
                let mut log = String::new();
                stderr.read_to_string(&mut log).unwrap();
                log
            })
        });
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            stdin,
            messages,
            log,
            unread: VecDeque::new(),
            versions: HashMap::new(),
            gets_versions: false,
            last_id: 0,
        }
    }

    /// A server that is ready, with one folder and a client with all capabilities.
    pub fn start(folder: &Folder) -> Self {
        Self::start_with(&[folder], &capabilities())
    }

    pub fn start_with(folders: &[&Folder], capabilities: &Value) -> Self {
        let mut client = Self::spawn();
        client.initialize(folders, capabilities);
        client
    }

    /// The same with settings from the start.
    pub fn start_with_settings(folder: &Folder, settings: &Value) -> Self {
        let mut client = Self::spawn();
        client.initialize_with(&[folder], &capabilities(), settings);
        client
    }

    pub fn initialize(&mut self, folders: &[&Folder], capabilities: &Value) -> Value {
        self.initialize_with(folders, capabilities, &Value::Null)
    }

    pub fn initialize_with(&mut self, folders: &[&Folder], capabilities: &Value, settings: &Value) -> Value {
        let published = &capabilities["textDocument"]["publishDiagnostics"];
        self.gets_versions = published["versionSupport"] == true;
        let folders: Vec<Value> = folders
            .iter()
            .map(|f| json!({ "uri": uri_of(&f.path()), "name": "folder" }))
            .collect();
        let result = self
            .request(
                "initialize",
                json!({
                    "processId": std::process::id(),
                    "rootUri": null,
                    "workspaceFolders": folders,
                    "initializationOptions": settings,
                    "capabilities": capabilities,
                }),
            )
            .unwrap();
        self.notify("initialized", json!({}));
        result
    }

    pub fn send(&mut self, message: &Value) {
        self.send_raw(message.to_string().as_bytes());
    }

    pub fn send_raw(&mut self, body: &[u8]) {
        let stdin = self.stdin.as_mut().unwrap();
        write!(stdin, "Content-Length: {}\r\n\r\n", body.len()).unwrap();
        stdin.write_all(body).unwrap();
        stdin.flush().unwrap();
    }

    pub fn stdin(&mut self) -> &mut ChildStdin {
        self.stdin.as_mut().unwrap()
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and returns its ID.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// Waits for the answer to a request: its result, or its error.
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let mut message = self.wait_for(|m| m.get("method").is_none() && m["id"] == id);
        match message.get_mut("error") {
            Some(error) => Err(error.take()),
            None => Ok(message["result"].take()),
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    /// The first matching message, read before or still to arrive.
    pub fn wait_for(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.unread.iter().position(&wanted) {
            return self.unread.remove(at).unwrap();
        }
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).unwrap_or_else(|_| {
                panic!(
                    "the server never sent what was wanted; unread: {:#?}",
                    self.unread
                )
            });
            if wanted(&message) {
                return message;
            }
            self.unread.push_back(message);
        }
    }

    /// The process ID of the server.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Reads everything that the server has sent up to now.
    pub fn settle(&mut self) {
        // Everything sent before is answered before.
        let _ = self.request("workspace/symbol", json!({ "query": "" }));
        while let Ok(message) = self.messages.try_recv() {
            self.unread.push_back(message);
        }
    }

    /// Takes the messages with a method that were read but not used yet.
    pub fn take(&mut self, method: &str) -> Vec<Value> {
        let (taken, unread) = std::mem::take(&mut self.unread)
            .into_iter()
            .partition::<Vec<_>, _>(|m| m["method"] == method);
        self.unread = unread.into();
        taken
    }

    /// Waits for diagnostics of a file and returns the newest.
    pub fn diagnostics(&mut self, uri: &str) -> Vec<Value> {
        self.published(uri)["diagnostics"].as_array().unwrap().clone()
    }

    pub fn published(&mut self, uri: &str) -> Value {
        let is_it = |m: &Value| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri;
        self.settle();
        let mut newest = self.wait_for(is_it);
        loop {
            while let Some(at) = self.unread.iter().position(is_it) {
                newest = self.unread.remove(at).unwrap();
            }
            // Diagnostics of an earlier text, or of the file before it was opened, may be read before the server has
            // reached the last edit.
            let seen = newest["params"]["version"].as_i64();
            let sent = self.versions.get(uri).filter(|_| self.gets_versions);
            match sent {
                Some(sent) if seen.is_none_or(|seen| seen < *sent) => newest = self.wait_for(is_it),
                _ => return newest["params"].take(),
            }
        }
    }

    /// Whether diagnostics of a file were sent but not used yet.
    pub fn has_unread_diagnostics(&mut self, uri: &str) -> bool {
        self.settle();
        self.unread
            .iter()
            .any(|m| m["method"] == "textDocument/publishDiagnostics" && m["params"]["uri"] == uri)
    }

    /// Whether there is no unread request of the server to the client.
    pub fn nothing_asked(&self) -> bool {
        self.unread
            .iter()
            .all(|m| m.get("method").is_none() || m.get("id").is_none())
    }

    /// Waits until the diagnostics of a file have these rules, whatever was sent for it before.
    pub fn comes_to(&mut self, uri: &str, rules: &[&str]) {
        self.wait_for(|m| {
            m["method"] == "textDocument/publishDiagnostics"
                && m["params"]["uri"] == uri
                && codes(m["params"]["diagnostics"].as_array().unwrap()) == rules
        });
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        self.versions.insert(uri.to_owned(), 1);
        self.notify(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "yaml", "version": 1, "text": text } }),
        );
    }

    /// Replaces a range, given as `[line, column, line, column]`.
    pub fn edit(&mut self, uri: &str, version: i32, range: [u32; 4], text: &str) {
        self.versions.insert(uri.to_owned(), version.into());
        let [l1, c1, l2, c2] = range;
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{
                    "range": {
                        "start": { "line": l1, "character": c1 },
                        "end": { "line": l2, "character": c2 },
                    },
                    "text": text,
                }],
            }),
        );
    }

    pub fn replace(&mut self, uri: &str, version: i32, text: &str) {
        self.versions.insert(uri.to_owned(), version.into());
        self.notify(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri, "version": version },
                "contentChanges": [{ "text": text }],
            }),
        );
    }

    pub fn close(&mut self, uri: &str) {
        self.versions.remove(uri);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    /// Sends a request about a position.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Result<Value, Value> {
        self.request(
            &format!("textDocument/{method}"),
            json!({
                "textDocument": { "uri": uri },
                "position": { "line": line, "character": character },
            }),
        )
    }

    /// Sends a request about the start of a document, without waiting.
    pub fn ask_at_start(&mut self, method: &str, uri: &str) -> i64 {
        let position = json!({ "line": 0, "character": 0 });
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        self.ask(&format!("textDocument/{method}"), params)
    }

    pub fn watched(&mut self, uri: &str, kind: u32) {
        self.notify(
            "workspace/didChangeWatchedFiles",
            json!({ "changes": [{ "uri": uri, "type": kind }] }),
        );
    }

    /// Ends the session as the protocol requires.
    pub fn shut_down(mut self) -> ExitStatus {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        self.wait_for_exit()
    }

    /// Ends the session, and returns the output of a server with `--log`.
    pub fn shut_down_and_read_log(mut self) -> String {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        let log = self.log.take().unwrap().join().unwrap();
        assert_eq!(self.wait_for_exit().code(), Some(0));
        log
    }

    pub fn close_stdin(&mut self) {
        self.stdin = None;
    }

    pub fn wait_for_exit(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < until, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(input: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok()?,
            _ if line.trim().is_empty() => break,
            _ => panic!("unknown header {line:?}"),
        }
    }
    let mut body = vec![0; length];
    input.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).unwrap())
}

/// The capabilities of a client that supports everything except pulled diagnostics.
pub fn capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": {
            "publishDiagnostics": {
                "relatedInformation": true,
                "versionSupport": true,
                "codeDescriptionSupport": true,
                "dataSupport": true,
            },
            "hover": { "contentFormat": ["markdown"] },
            "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
            "rename": { "prepareSupport": true },
        },
        "workspace": {
            "workspaceEdit": { "documentChanges": true },
            "didChangeWatchedFiles": { "dynamicRegistration": true, "relativePatternSupport": true },
            "workspaceFolders": true,
        },
    })
}

/// A range as `[line, column, line, column]`.
pub fn range(value: &Value) -> [u64; 4] {
    [
        value["start"]["line"].as_u64().unwrap(),
        value["start"]["character"].as_u64().unwrap(),
        value["end"]["line"].as_u64().unwrap(),
        value["end"]["character"].as_u64().unwrap(),
    ]
}

/// The rules of the errors and warnings among some diagnostics, in order.
pub fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics
        .iter()
        .filter(|d| d["severity"].as_u64().unwrap() <= 2)
        .map(|d| d["code"].as_str().unwrap())
        .collect()
}
