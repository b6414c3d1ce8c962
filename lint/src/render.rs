//! Commands of the configuration whose output is read instead of their sources.

use std::io::Read;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use applyorder_analysis::config::Configs;
use applyorder_analysis::engine::{EngineIx, Engines, Render};
use applyorder_analysis::files::{MAX_FILE_SIZE, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use crate::escape;

/// The commands for what the user asked about: those below a named directory, and those with a named file or directory
/// as a source. Without paths, those below the current directory.
#[must_use]
pub fn wanted(
    engines: Engines,
    configs: &Configs,
    engine: Option<EngineIx>,
    named: &[Utf8PathBuf],
    cwd: &Utf8Path,
) -> Vec<Render> {
    let here = [cwd.to_owned()];
    let named = if named.is_empty() { &here } else { named };
    let asked = |render: &Render| {
        named.iter().any(|path| {
            let of_sources = render
                .sources
                .iter()
                .any(|source| path.starts_with(source) || source.starts_with(path));
            of_sources || render.cwd.starts_with(path)
        })
    };
    engines
        .iter()
        .filter(|(index, _)| engine.is_none_or(|only| only == *index))
        .flat_map(|(_, engine)| engine.renders(configs))
        .filter(asked)
        .collect()
}

/// How long a command may run.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The message for a command that the user did not allow.
#[must_use]
pub fn not_run(render: &Render) -> String {
    format!(
        "`{}`, which renders {}, was not run; use --render, or `applyorder trust {}`",
        escape::line(&render.argv.join(" ")),
        escape::line(&render.name),
        escape::line(render.cwd.as_str())
    )
}

/// Runs a command and returns its output. It inherits our standard error. After a minute it is stopped, with all that
/// it started.
///
/// # Errors
/// A message for the user when it cannot be started, fails, takes too long, or its output cannot be read.
pub fn run(render: &Render) -> Result<Arc<str>, String> {
    run_for(render, TIME_LIMIT)
}

fn run_for(render: &Render, limit: Duration) -> Result<Arc<str>, String> {
    let shown = escape::line(&render.argv.join(" ")).into_owned();
    let failed = |why: String| format!("`{shown}`, which renders {}: {why}", escape::line(&render.name));
    let Some((program, arguments)) = render.argv.split_first() else {
        return Err(failed("names no program".to_owned()));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(&render.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn().map_err(|e| failed(e.to_string()))?;
    let end = Instant::now() + limit;
    let (sender, output) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        let reader = move || {
            let mut bytes = Vec::new();
            let read = stdout.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes);
            // The receiver may be gone.
            let _ = sender.send(read.map(|_| bytes));
        };
        let thread = std::thread::Builder::new().name("render".to_owned());
        thread.spawn(reader).map_err(|e| failed(e.to_string()))?;
    }
    let read = output.recv_timeout(limit);
    let too_large = matches!(&read, Ok(Ok(bytes)) if bytes.len() as u64 > MAX_FILE_SIZE);
    let status = if too_large { None } else { wait(&mut child, end) };
    stop(&mut child);
    let bytes = match read {
        Ok(Ok(bytes)) if too_large => {
            return Err(failed(ReadError::TooLarge(bytes.len() as u64).to_string()));
        }
        Ok(Ok(bytes)) => bytes,
        Ok(Err(e)) => return Err(failed(e.to_string())),
        Err(_) => return Err(failed(format!("stopped after {} s", limit.as_secs()))),
    };
    let Some(status) = status else {
        return Err(failed(format!("stopped after {} s", limit.as_secs())));
    };
    if !status.success() {
        return Err(failed(match status.code() {
            Some(code) => format!("ended with exit code {code}"),
            None => "was ended by a signal".to_owned(),
        }));
    }
    String::from_utf8(bytes)
        .map(Arc::from)
        .map_err(|e| failed(ReadError::NotUtf8(e.utf8_error().valid_up_to()).to_string()))
}

/// The exit status of a process; `None` if it has not ended by the given time.
fn wait(child: &mut Child, end: Instant) -> Option<ExitStatus> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => std::thread::sleep(Duration::from_millis(2)),
            _ => return None,
        }
    }
}

/// Stops a process and, if the system supports it, its children.
fn stop(child: &mut Child) {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn render(argv: &[&str]) -> Render {
        Render {
            name: "app".to_owned(),
            argv: argv.iter().map(|a| (*a).to_owned()).collect(),
            cwd: "/".into(),
            sources: Vec::new(),
            into: "/rendered:app".into(),
        }
    }

    #[test]
    fn output_is_used_and_failure_is_reported() {
        assert_eq!(&*run(&render(&["printf", "%s", "a: $HOME"])).unwrap(), "a: $HOME");
        let failure = run(&render(&["false"])).unwrap_err();
        assert_eq!(failure, "`false`, which renders app: ended with exit code 1");
        assert!(run(&render(&["there-is-no-such-program"])).is_err());
        assert!(run(&render(&[])).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_takes_too_long_is_stopped_with_what_it_started() {
        let started = Instant::now();
        let command = render(&["sh", "-c", "echo a; sleep 100 & sleep 100"]);
        let failure = run_for(&command, Duration::from_secs(1)).unwrap_err();
        assert!(failure.ends_with("stopped after 1 s"), "{failure}");
        // The output is no longer open: the background process is gone as well.
        let command = render(&["sh", "-c", "sleep 100 & echo a"]);
        assert!(run_for(&command, Duration::from_secs(1)).is_err());
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}
