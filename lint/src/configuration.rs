//! Which configuration the flags `--config`, `--isolated` and `--preview` want.

use applyorder_analysis::config::{ConfigSource, Configs, SourceError};
use applyorder_analysis::engine::Engines;
use applyorder_analysis::files::{DiskFiles, Files};
use applyorder_analysis::store::Store;
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::Global;
use crate::escape;
use crate::exit::Failure;
use crate::start::{absolute, current_dir};

/// The configurations that hold in some directories, as the flags want them.
///
/// # Errors
/// When a flag names a file that is none, or sets what cannot be set.
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

/// Where the flags want the configuration from.
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
    }
}

fn no_config(error: &SourceError) -> Failure {
    Failure::new(format!("--config {}", escape::line(&error.to_string())))
}

/// Where a language server with these flags takes its configuration from.
///
/// # Errors
/// When a flag names a file that is none, or sets what cannot be set.
pub fn of_server(engines: Engines, global: &Global) -> Result<ConfigSource, Failure> {
    let source = source(global, &current_dir()?);
    let tried = source.load(&[], &DiskFiles::default(), &Store::default(), &engines.known());
    tried.map_err(|e| no_config(&e))?;
    Ok(source)
}
