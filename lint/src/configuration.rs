//! The configuration selected by `--config`, `--isolated` and `--preview`.

use applyorder_analysis::config::{Choice, ConfigSource, Configs, Glob, SourceError};
use applyorder_analysis::engine::Engines;
use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::store::Store;
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, RunArgs};
use crate::escape;
use crate::exit::Failure;
use crate::start::{absolute, current_dir};

/// The configurations for some directories, according to the flags.
///
/// # Errors
/// When a flag names a file that does not exist, or an override that is invalid.
pub fn load_configs(
    engines: Engines,
    global: &Global,
    dirs: &[Utf8PathBuf],
    disk: &dyn Files,
    store: &Store,
    cwd: &Utf8Path,
) -> Result<Configs, Failure> {
    source(global, cwd)
        .load(dirs, disk, store, &engines.known())
        .map_err(|e| no_config(&e))
}

/// The source of the configuration according to the flags.
#[must_use]
pub fn source(global: &Global, cwd: &Utf8Path) -> ConfigSource {
    let file = global.config.iter().rfind(|c| !c.contains('='));
    let settings = global.config.iter().filter_map(|c| c.split_once('='));
    ConfigSource {
        file: file.map(|file| absolute(cwd, Utf8Path::new(file))),
        isolated: global.isolated,
        settings: settings
            .chain(global.preview.then_some(("preview", "true")))
            .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
            .collect(),
        choice: Choice {
            dir: cwd.to_owned(),
            ..Choice::default()
        },
    }
}

/// What a run excludes, and which excluded paths the user names explicitly.
///
/// # Errors
/// When a pattern cannot be parsed.
pub fn choice(run: &RunArgs, named: &[Utf8PathBuf], cwd: &Utf8Path) -> Result<Choice, Failure> {
    let read = |pattern: &String| {
        let failed = |e: String| Failure::new(format!("--exclude {}: {e}", escape::line(pattern)));
        Glob::try_from(pattern.clone()).map_err(failed)
    };
    Ok(Choice {
        exclude: run.exclude.iter().map(read).collect::<Result<_, _>>()?,
        dir: cwd.to_owned(),
        named: if run.force_exclude {
            Vec::new()
        } else {
            named.to_vec()
        },
        everything: run.exclude_nothing,
    })
}

/// Turns an error of the selected configuration into a failure.
pub(crate) fn no_config(error: &SourceError) -> Failure {
    Failure::new(format!("--config {}", escape::line(&error.to_string())))
}

/// The source of the configuration for a language server with these flags.
///
/// # Errors
/// When a flag names a file that does not exist, or an override that is invalid.
pub fn of_server(engines: Engines, global: &Global) -> Result<ConfigSource, Failure> {
    let source = source(global, &current_dir()?);
    let tried = source.load(&[], &DiskFiles::default(), &Store::default(), &engines.known());
    tried.map_err(|e| no_config(&e))?;
    Ok(source)
}
