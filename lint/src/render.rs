//! Commands of the configuration whose output is read in place of their sources.

use std::io::Read;
use std::process::{Command, Stdio};
use std::sync::Arc;

use applyorder_analysis::config::Configs;
use applyorder_analysis::engine::{EngineIx, Engines, Render};
use applyorder_analysis::files::{MAX_FILE_SIZE, ReadError};
use camino::{Utf8Path, Utf8PathBuf};

use crate::escape;

/// The commands of what the user asked about: of everything below a directory that was named, and of what
/// a named file or directory is a source of. Without names, of everything below the current directory.
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

/// Runs a command and gives its output. What it says besides goes where our own messages go.
///
/// # Errors
/// A sentence for the user when it cannot be started, fails, or prints what cannot be read.
pub fn run(render: &Render) -> Result<Arc<str>, String> {
    let shown = escape::line(&render.argv.join(" ")).into_owned();
    let failed = |why: String| format!("`{shown}`, which renders {}: {why}", escape::line(&render.name));
    let Some((program, arguments)) = render.argv.split_first() else {
        return Err(failed("names no program".to_owned()));
    };
    let mut child = Command::new(program)
        .args(arguments)
        .current_dir(&render.cwd)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| failed(e.to_string()))?;
    let mut bytes = Vec::new();
    let read = match child.stdout.take() {
        Some(stdout) => stdout.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes),
        None => Ok(0),
    };
    if bytes.len() as u64 > MAX_FILE_SIZE {
        // Nobody reads the rest; it would wait for ever.
        let _ = child.kill();
    }
    let status = child.wait().map_err(|e| failed(e.to_string()))?;
    read.map_err(|e| failed(e.to_string()))?;
    if bytes.len() as u64 > MAX_FILE_SIZE {
        return Err(failed(ReadError::TooLarge(bytes.len() as u64).to_string()));
    }
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
    fn output_is_taken_and_failure_is_told() {
        assert_eq!(&*run(&render(&["printf", "%s", "a: $HOME"])).unwrap(), "a: $HOME");
        let failure = run(&render(&["false"])).unwrap_err();
        assert_eq!(failure, "`false`, which renders app: ended with exit code 1");
        assert!(run(&render(&["there-is-no-such-program"])).is_err());
        assert!(run(&render(&[])).is_err());
    }
}
