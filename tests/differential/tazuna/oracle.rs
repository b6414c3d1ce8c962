//! The real `tazuna`, and its model: how to find them, and what their messages mean.

use crate::skipped::skip;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A program that computes Tazuna's verdict.
pub(crate) struct Oracle {
    program: PathBuf,
    is_model: bool,
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_model {
            "model of tazuna"
        } else {
            "tazuna"
        })
    }
}

/// The answer of an oracle.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) ok: bool,
    pub(crate) complaints: Vec<Complaint>,
    pub(crate) text: String,
}

/// An error in the vocabulary of the comparison: its kind, and its subject if every such error names it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Complaint {
    pub(crate) kind: &'static str,
    pub(crate) subject: String,
}

impl fmt::Debug for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.kind, self.subject)
    }
}

/// The real tool, if it is given or can be built, and the model, if it can be built.
pub(crate) fn find() -> Vec<Oracle> {
    static PROGRAMS: OnceLock<[Option<PathBuf>; 2]> = OnceLock::new();
    let [real, model] = PROGRAMS.get_or_init(|| [real(), model()]);
    let oracle = |(program, is_model): (&Option<PathBuf>, bool)| {
        program.clone().map(|program| Oracle { program, is_model })
    };
    [(real, false), (model, true)]
        .into_iter()
        .filter_map(oracle)
        .collect()
}

fn real() -> Option<PathBuf> {
    if let Some(given) = std::env::var_os("APPLYORDER_TAZUNA") {
        return Some(given.into());
    }
    let output = target().join("tazuna");
    if !output.is_file() {
        let built = Command::new(sources().join("../build.sh"))
            .arg("tazuna")
            .arg(&output)
            .output();
        if !built.as_ref().is_ok_and(|o| o.status.success()) {
            let why = built.map_or_else(
                |e| e.to_string(),
                |o| String::from_utf8_lossy(&o.stderr).into_owned(),
            );
            skip("real tazuna", &format!("it cannot be built:\n{why}"));
            return None;
        }
    }
    Some(output)
}

fn model() -> Option<PathBuf> {
    let output = target().join("tazuna-model");
    let mut go = Command::new("go");
    go.args(["build", "-mod=readonly", "-o"])
        .arg(&output)
        .arg(".")
        .current_dir(sources().join("model"));
    let built = go.output();
    if built.as_ref().is_ok_and(|o| o.status.success()) {
        return Some(output);
    }
    let why = built.map_or_else(
        |e| e.to_string(),
        |o| String::from_utf8_lossy(&o.stderr).into_owned(),
    );
    skip("model of tazuna", &format!("it cannot be built:\n{why}"));
    None
}

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/tazuna")
}

fn target() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/differential")
}

impl Oracle {
    /// The commands that can be asked: with the real tool only `check`, because the others require a cluster.
    pub(crate) fn commands(&self) -> &'static [&'static str] {
        if self.is_model {
            &["check", "apply", "destroy"]
        } else {
            &["check"]
        }
    }

    /// Whether it restates the rules instead of being the tool.
    pub(crate) fn is_model(&self) -> bool {
        self.is_model
    }

    /// Renders templates, given and answered as lines of JSON; only the model supports this.
    pub(crate) fn render(&self, input: String) -> String {
        let mut child = Command::new(&self.program)
            .arg("render")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Runs a command on the `tazuna.yaml` of a directory.
    pub(crate) fn run(&self, command: &str, dir: &Path, environment: Option<&str>) -> Verdict {
        let mut process = Command::new(&self.program);
        process.current_dir(dir).args([command, "-f", "tazuna.yaml"]);
        if let Some(environment) = environment {
            process.args(["-e", environment]);
        }
        let output = process.output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let ok = output.status.success();
        let complaints = if ok { Vec::new() } else { complaints(&text, dir) };
        Verdict { ok, complaints, text }
    }
}

/// The errors in what Tazuna prints.
pub(crate) fn complaints(text: &str, dir: &Path) -> Vec<Complaint> {
    let from_error = text
        .find("error: ")
        .map_or(text, |at| &text[at + "error: ".len()..]);
    let mut found: Vec<Complaint> = Vec::new();
    for line in from_error.lines() {
        let complaint = complaint(line, dir);
        // The first line always is an error; further ones are, where errors are joined by newlines.
        let joined = ["name", "dependency"].iter().any(|k| complaint.kind.ends_with(k));
        if found.is_empty() || joined {
            found.push(complaint);
        }
    }
    found.sort();
    found
}

/// The error that one line of Tazuna's output describes.
pub(crate) fn complaint(line: &str, dir: &Path) -> Complaint {
    let path = |text: &str| {
        let joined = dir.join(text.trim());
        let clean = applyorder_analysis::files::clean(&joined.to_string_lossy());
        clean
            .strip_prefix(dir)
            .map_or_else(|_| clean.to_string(), ToString::to_string)
    };
    let is = |kind, subject: &str| Complaint {
        kind,
        subject: subject.to_owned(),
    };
    if line.contains("as a Go template") {
        return is("template-error", "");
    }
    if let Some((_, rest)) = line.split_once("include file not found: ") {
        return is("missing-include", &path(rest));
    }
    if let Some((_, rest)) = line.split_once("nested includes are not allowed in include file: ") {
        return is("nested-include", &path(rest));
    }
    for unreadable in ["failed to open include file: ", "failed to parse include file: "] {
        if let Some((_, rest)) = line.split_once(unreadable) {
            return is("unreadable-include", &path(rest.split(": ").next().unwrap_or("")));
        }
    }
    if line.contains("circular dependency detected") {
        return is("cycle", "");
    }
    if line.contains("error converting YAML to JSON") || line.contains("json: unsupported value") {
        return is("yaml-error", "");
    }
    if line.contains("manifest type") {
        return is("invalid-type", &index(line));
    }
    if line.contains("name is required") && line.contains("manifest[") {
        return is("missing-name", &index(line));
    }
    let quoted = quoted(line);
    let first = quoted.first().copied().unwrap_or("");
    let second = quoted.get(1).copied().unwrap_or("");
    if line.contains(" is reserved") && line.contains("manifest[") {
        is("reserved-name", first)
    } else if line.contains(" is too long (") || line.contains(" contains invalid characters (") {
        is("invalid-name", first)
    } else if let Some((_, times)) = line.split_once(" is duplicated (") {
        is(
            "duplicate-name",
            &format!("{first} {}", times.trim_end_matches(" times)")),
        )
    } else if line.contains(" depends on itself") {
        is("self-dependency", first)
    } else if line.contains("dependsOn references unknown manifest") {
        // Apply names only the dependency.
        is("unknown-dependency", &format!("{first} {second}"))
    } else {
        is("schema", "")
    }
}

/// The `manifest[i]` in a line.
fn index(line: &str) -> String {
    let at = line.find("manifest[").unwrap_or(line.len());
    line[at..].split_inclusive(']').next().unwrap_or("").to_owned()
}

/// The parts of a line in Go's double quotes, still escaped.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = None;
    let mut escaped = false;
    for (i, c) in line.char_indices() {
        match (c, start) {
            _ if escaped => escaped = false,
            ('\\', Some(_)) => escaped = true,
            ('"', None) => start = Some(i + 1),
            ('"', Some(from)) => {
                found.push(&line[from..i]);
                start = None;
            }
            _ => {}
        }
    }
    found
}
