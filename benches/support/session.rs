//! A language client that measures: from a `didChange` written to the standard input of the real server to the
//! `publishDiagnostics` of the same version read back.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What a keystroke took: until its diagnostics were there, and of the server's processors.
#[derive(Clone, Copy)]
pub(crate) struct Took {
    wall: Duration,
    /// Nothing where the system does not tell.
    processor: Duration,
}

/// The heading of a table of [`print_row`]s.
pub(crate) fn print_head() {
    println!(
        "{:<18} {:>6} {:>10} {:>10} {:>10}   {:>10} {:>10}",
        "edit", "count", "p50", "p95", "max", "CPU p50", "CPU p95"
    );
}

/// One kind of edit: how many were measured, and how long they took.
pub(crate) fn print_row(name: &str, times: Vec<Took>) {
    let sorted = |of: fn(&Took) -> Duration| {
        let mut times: Vec<Duration> = times.iter().map(of).collect();
        times.sort();
        move |percent: usize| times[(times.len() * percent / 100).min(times.len() - 1)]
    };
    let (wall, processor) = (sorted(|t| t.wall), sorted(|t| t.processor));
    println!(
        "{name:<18} {:>6} {:>10.1?} {:>10.1?} {:>10.1?}   {:>10.1?} {:>10.1?}",
        times.len(),
        wall(50),
        wall(95),
        wall(100),
        processor(50),
        processor(95),
    );
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
    stdout: BufReader<ChildStdout>,
}

impl Session {
    /// Starts the server on a folder.
    pub(crate) fn start(folder: &Path) -> Self {
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

    /// Opens a file and waits until it was looked at.
    pub(crate) fn open(&mut self, path: &Path, language: &str) -> Document {
        let uri = format!("file://{}", path.to_str().expect("UTF-8"));
        let text = std::fs::read_to_string(path).expect("the file");
        let message = serde_json::json!({
            "jsonrpc": "2.0",
            "method": "textDocument/didOpen",
            "params": { "textDocument": { "uri": uri, "languageId": language, "version": 0, "text": text } },
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
    pub(crate) fn edit(&mut self, document: &mut Document, at: usize, removed: usize, typed: &str) -> Took {
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
        let before = self.processor_time();
        let started = Instant::now();
        self.send(&message);
        self.read_until(|m| {
            m.contains("publishDiagnostics") && m.contains(&document.uri) && m.contains(&version)
        });
        Took {
            wall: started.elapsed(),
            processor: self.processor_time().saturating_sub(before),
        }
    }

    /// The time that the server's threads spent on processors, once they rest.
    fn processor_time(&self) -> Duration {
        let mut last = Duration::ZERO;
        loop {
            let now = self.processor_time_now();
            if now == last {
                return now;
            }
            last = now;
            std::thread::sleep(Duration::from_micros(300));
        }
    }

    fn processor_time_now(&self) -> Duration {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let tasks = tasks.into_iter().flatten().flatten();
        let of = |task: std::fs::DirEntry| {
            let text = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split(' ').next()?.parse::<u64>().ok()
        };
        Duration::from_nanos(tasks.filter_map(of).sum())
    }

    /// Types something into one document after the other and takes it back: two keystrokes a round. `place` says
    /// where, in which text, and what.
    pub(crate) fn measure(
        &mut self,
        documents: &mut [Document],
        rounds: usize,
        place: impl Fn(&str, usize) -> (usize, &'static str),
    ) -> Vec<Took> {
        let mut times = Vec::new();
        let count = documents.len();
        for round in 0..rounds / 2 {
            let document = &mut documents[(round * 7) % count];
            let (at, typed) = place(&document.text, round);
            times.push(self.edit(document, at, 0, typed));
            times.push(self.edit(document, at, typed.len(), ""));
        }
        times
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
