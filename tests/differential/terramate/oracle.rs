//! The real `terramate`: how to find it, and what its messages mean.

use super::{Answer, Outcome, Question};
use crate::skipped::skip;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

pub(crate) struct Oracle {
    program: PathBuf,
}

/// The real tool, if it is given or can be built; otherwise skipped with a message.
pub(crate) fn find() -> Option<Oracle> {
    if let Some(given) = std::env::var_os("APPLYORDER_TERRAMATE") {
        return Some(Oracle {
            program: given.into(),
        });
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let program = root.join("target/differential/terramate");
    // One builds, the others wait for it.
    static BUILDING: Mutex<()> = Mutex::new(());
    let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
    if !program.is_file() {
        let built = Command::new(root.join("tests/differential/build.sh"))
            .arg("terramate")
            .arg(&program)
            .output();
        if !built.as_ref().is_ok_and(|o| o.status.success()) {
            let why = built.map_or_else(
                |e| e.to_string(),
                |o| String::from_utf8_lossy(&o.stderr).into_owned(),
            );
            skip("real terramate", &format!("it cannot be built: {why}"));
            return None;
        }
    }
    Some(Oracle { program })
}

impl Oracle {
    /// Its path.
    pub(crate) fn program(&self) -> &Path {
        &self.program
    }

    /// The tool, in the directory of a question.
    pub(crate) fn command(&self, root: &Path, question: &Question) -> Command {
        let mut command = Command::new(&self.program);
        command.current_dir(root.join(question.cwd.trim_start_matches('/')));
        command.env("CHECKPOINT_DISABLE", "1").env("NO_COLOR", "1");
        command
    }

    /// Asks for the order. The tree must not be in a git work tree.
    pub(crate) fn ask(&self, root: &Path, question: &Question) -> (Answer, String) {
        let mut command = self.command(root, question);
        command.env("GIT_CEILING_DIRECTORIES", "/");
        command.args(if question.run {
            &["run", "-X", "--dry-run"][..]
        } else {
            &["list", "--run-order"]
        });
        for (flag, values) in [("--tags", &question.tags), ("--no-tags", &question.no_tags)] {
            for value in values {
                command.args([flag, value]);
            }
        }
        if question.run {
            command.args(["--", "true"]);
        }
        let output = command.output().unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let mut warnings: Vec<[String; 3]> = stderr.lines().filter_map(warning).collect();
        warnings.sort();
        let outcome = if output.status.success() {
            Outcome::Order(if question.run {
                entered(&stderr)
            } else {
                listed(&stdout, question)
            })
        } else {
            let root = root.to_string_lossy();
            let root = format!("{root}{}", question.root.trim_end_matches('/'));
            refused(&stderr, &root, &below(&question.cwd, &question.root))
        };
        (Answer { outcome, warnings }, stderr)
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn entered(stderr: &str) -> Vec<String> {
    let words = stderr.lines().filter_map(|l| l.split_once("Entering stack in "));
    words.map(|(_, path)| path.trim().to_owned()).collect()
}

/// The directories that `list` prints relative to the working directory.
fn listed(stdout: &str, question: &Question) -> Vec<String> {
    let lines = stdout.lines().filter(|l| !l.is_empty());
    let paths = lines.map(|l| applyorder_analysis::files::clean(&format!("{}/{l}", question.cwd)));
    paths.map(|path| below(path.as_str(), &question.root)).collect()
}

/// A path relative to a directory above it.
fn below(path: &str, root: &str) -> String {
    let rest = path.strip_prefix(root.trim_end_matches('/')).unwrap_or(path);
    if rest.is_empty() {
        "/".to_owned()
    } else {
        rest.to_owned()
    }
}

fn warning(line: &str) -> Option<[String; 3]> {
    let (_, rest) = line.split_once("Stack ")?;
    let (stack, rest) = rest.split_once(" references ")?;
    let (entry, rest) = rest.split_once('(')?.1.rsplit_once(") ")?;
    let attribute = rest.split('\'').nth(1)?;
    Some([
        stack.to_owned(),
        attribute.to_owned(),
        entry
            .trim_end_matches(") that is not a directory in the")
            .to_owned(),
    ])
}

fn refused(stderr: &str, root: &str, cwd: &str) -> Outcome {
    let flat = stderr.replace('\n', " ");
    if let Some((_, rest)) = flat.split_once("invalid order entry \"") {
        return Outcome::Filter(rest.split("\": ").next().unwrap_or_default().to_owned());
    }
    // A warning about `wants` with the same form of text precedes the error.
    if !flat.contains("unable to parse configuration")
        && !flat.contains("searching for stacks")
        && let Some((before, _)) = flat.rsplit_once(": checking node id")
        && let Some((_, path)) = before.rsplit_once(": ")
    {
        return Outcome::Cycle(
            path.trim_start_matches("Invalid stack configuration: ")
                .to_owned(),
        );
    }
    // One line per error, after a line that says what failed; else the single line.
    let flat = flat.split_once("Error: ").map_or(&*flat, |(_, error)| error);
    let complaint = |line: &str| (directory(line, root, cwd), sort(line));
    let details = stderr.lines().filter(|l| l.starts_with("> "));
    let mut found: BTreeSet<(String, &'static str)> = details.map(complaint).collect();
    if found.is_empty() {
        found.insert(complaint(flat));
    }
    Outcome::Refused(found)
}

/// The directory that Terramate was loading when it reported an error; empty if it does not say.
fn directory(line: &str, root: &str, cwd: &str) -> String {
    let named = |rest: &str| {
        let path = rest.split(':').next().unwrap_or_default();
        path.strip_prefix(root).map(str::to_owned)
    };
    if let Some((_, last)) = line.rsplit_once("loading from ") {
        return named(last).unwrap_or_default();
    }
    // The file: it is in a parent directory, or is imported by the root.
    let path = line.find(root).and_then(|at| named(&line[at..]));
    let Some(dir) = path
        .as_deref()
        .and_then(|p| p.rsplit_once('/'))
        .map(|(dir, _)| dir)
    else {
        return String::new();
    };
    if cwd == dir || cwd.starts_with(&format!("{dir}/")) && !dir.is_empty() {
        dir.to_owned()
    } else {
        "/".to_owned()
    }
}

/// The kind of an error.
pub(super) fn sort(text: &str) -> &'static str {
    // The path of the file could contain words of other kinds as well.
    let text = match text.strip_prefix("> /").and_then(|rest| rest.split_once(": ")) {
        Some((_, message)) => message,
        None => text,
    };
    SORTS
        .iter()
        .find(|(words, _)| text.contains(words))
        .map_or("other", |(_, sort)| sort)
}

/// Terramate's errors, identified by words in its messages.
const SORTS: [(&str, &str); 37] = [
    ("failed to evaluate \"", "evaluate"),
    ("There is no variable", "evaluate"),
    ("is not inside root", "import of outside"),
    ("is outside project root", "watch"),
    ("only permitted characters", "tag"),
    ("must be a", "type"),
    ("is not a", "type"),
    ("can only appear once", "once"),
    ("reading config file", "file"),
    ("HCL syntax error", "syntax"),
    ("same labels", "scripts"),
    ("unable to parse tag clauses", "--tags"),
    ("unable validate tag", "--no-tags"),
    ("version constraint", "version"),
    ("version check", "version"),
    ("redeclared", "redeclared"),
    ("same directory", "import of own"),
    ("same tree", "import of tree"),
    ("returned no matches", "import of nothing"),
    ("import directory", "import of directory"),
    ("already parsed", "import again"),
    ("import of stack", "import of stack"),
    ("evaluate import.source", "import source"),
    ("experimental feature", "experiment"),
    ("is required", "missing"),
    ("stack.watch must be", "watch"),
    ("invalid stack.watch", "watch"),
    ("invalid tag", "tag"),
    ("tags must", "tag"),
    ("duplicated ID", "id"),
    ("\"stack.id\"", "id"),
    ("duplicated stack blocks", "stacks"),
    ("duplicated entry", "entry"),
    ("unrecognized block", "block"),
    ("unrecognized attribute", "attribute"),
    ("must be a", "type"),
    ("import", "import"),
];
