//! A complete project linted by a new process: its time, and its peak memory.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::shapes;

/// How many units the projects have.
pub(crate) const UNITS: usize = 10_000;
const ROUNDS: usize = 7;

/// A project to lint.
pub(crate) struct Cold {
    pub(crate) name: &'static str,
    shape: &'static str,
}

/// The measurements of linting it.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    pub(crate) times: Vec<Duration>,
    /// In kibibytes.
    pub(crate) memory: u64,
}

pub(crate) fn all() -> [Cold; 6] {
    [
        ("cold lint tazuna/plain", "tazuna/plain"),
        ("cold lint tazuna/ten a file", "tazuna/ten a file"),
        ("cold lint terramate/plain", "terramate/plain"),
        ("cold lint kapp/plain", "kapp/plain"),
        ("cold lint ankaios/plain", "ankaios/plain"),
        ("cold lint spacelift/plain", "spacelift/plain"),
    ]
    .map(|(name, shape)| Cold { name, shape })
}

pub(crate) fn measure(program: &Path, project: &Cold) -> Result<Row, String> {
    let dir = crate::directory()?;
    let shapes = shapes::all();
    let shape = shapes
        .iter()
        .find(|s| s.name == project.shape)
        .ok_or("no such shape")?;
    (shape.write)(dir.path(), UNITS);
    let lint = || {
        let mut command = Command::new(program);
        command.args(["lint", "--isolated"]).arg(dir.path());
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    let mut times = Vec::new();
    for round in 0..=ROUNDS {
        let started = Instant::now();
        let status = lint().status().map_err(|e| e.to_string())?;
        if status.code().is_none_or(|code| code > 1) {
            return Err(format!("lint failed: {status}"));
        }
        // In the first round, no file is in the page cache.
        if round > 0 {
            times.push(started.elapsed());
        }
    }
    let mut memory: Vec<u64> = (0..3).map(|_| peak(&mut lint())).collect::<Result<_, _>>()?;
    memory.sort_unstable();
    Ok(Row {
        name: project.name,
        times,
        memory: memory[1],
    })
}

/// The peak memory of a process, in kibibytes; 0 if the system does not report it.
fn peak(command: &mut Command) -> Result<u64, String> {
    let mut child = command.spawn().map_err(|e| e.to_string())?;
    let status = format!("/proc/{}/status", child.id());
    let mut most = 0;
    while child.try_wait().map_err(|e| e.to_string())?.is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let now = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        most = most.max(now.unwrap_or(0));
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(most)
}
