//! `config show` and `config schema`.

use applyorder_analysis::config::json_schema;
use applyorder_analysis::engine::Engines;
use applyorder_analysis::files::{DiskFiles, FileKind, Files};
use applyorder_analysis::store::Store;
use camino::Utf8Path;

use crate::args::{ConfigCommand, Global};
use crate::configuration::load_configs;
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::place::Paths;
use crate::start::{absolute, current_dir};

/// Runs the command.
///
/// # Errors
/// When the path is none.
pub fn run(
    engines: Engines,
    global: &Global,
    command: &ConfigCommand,
    out: &mut Output,
) -> Result<Exit, Failure> {
    match command {
        ConfigCommand::Show { path } => show(engines, global, path, out),
        ConfigCommand::Schema => {
            out.print(&schema(engines))?;
            Ok(Exit::Yes)
        }
    }
}

/// The JSON Schema of a configuration file.
#[must_use]
pub fn schema(engines: Engines) -> String {
    let schema = json_schema(&engines.known());
    let mut text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    text.push('\n');
    text
}

fn show(engines: Engines, global: &Global, path: &Utf8Path, out: &mut Output) -> Result<Exit, Failure> {
    let cwd = current_dir()?;
    let disk = DiskFiles::default();
    let full = absolute(&cwd, path);
    let dir = match disk.kind(&full, true) {
        Some(FileKind::Directory) => full,
        Some(_) => full.parent().unwrap_or(&full).to_owned(),
        None => {
            let shown = escape::line(path.as_str()).into_owned();
            return Err(Failure::new(format!("{shown}: no such file or directory")));
        }
    };
    let store = Store::default();
    let configs = load_configs(engines, global, std::slice::from_ref(&dir), &disk, &store, &cwd)?;
    let paths = Paths { cwd };
    for problem in configs.diagnostics() {
        let file = store.path(problem.place.file);
        out.error(&format!(
            "{}: {}",
            escape::line(&paths.show(&file)),
            escape::line(&problem.message)
        ));
    }
    let config = configs.of(&dir);
    let from = config.file.as_ref().map_or_else(
        || "no configuration file: the defaults".to_owned(),
        |file| escape::line(&paths.show(file)).into_owned(),
    );
    out.print(&format!("# {from}\n"))?;
    let text = toml::to_string(&config.show(&engines.known()))
        .map_err(|e| Failure::new(format!("the configuration: {e}")))?;
    out.print(&text)?;
    Ok(if configs.diagnostics().is_empty() {
        Exit::Yes
    } else {
        Exit::Failed
    })
}
