//! `config show` and `config schema`.

use applyorder_analysis::config::{Origin, json_schema};
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
/// When the path does not exist.
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
    let table = config.show(&engines.known());
    let origin = |key: &[String]| match config.origin(key) {
        Some(Origin::File(file)) => escape::line(&paths.show(file)).into_owned(),
        Some(Origin::CommandLine) => "command line".to_owned(),
        None => "default".to_owned(),
    };
    out.print(&with_origins(&table, origin))?;
    Ok(if configs.diagnostics().is_empty() {
        Exit::Yes
    } else {
        Exit::Failed
    })
}

/// A table as TOML, each value followed by its origin.
fn with_origins(table: &toml::Table, origin: impl Fn(&[String]) -> String) -> String {
    let mut text = String::new();
    let mut left: Vec<(Vec<String>, &toml::Table)> = vec![(Vec::new(), table)];
    while let Some((path, table)) = left.pop() {
        let key_of = |key: &str| [&path[..], &[key.to_owned()]].concat();
        let header = |path: &[String]| path.iter().map(|key| shown(key)).collect::<Vec<_>>().join(".");
        let mut lines = String::new();
        for (key, value) in table.iter().filter(|(_, value)| !is_table(value)) {
            let line = format!("{} = {value}", shown(key));
            lines.push_str(&format!("{line:<32}  # {}\n", origin(&key_of(key))));
        }
        if !path.is_empty() && !lines.is_empty() {
            text.push_str(&format!("\n[{}]\n", header(&path)));
        }
        text.push_str(&lines);
        for (key, value) in table {
            let path = key_of(key);
            let tables = value.as_array().filter(|_| is_table(value)).into_iter().flatten();
            for own in tables.filter_map(toml::Value::as_table) {
                text.push_str(&format!("\n[[{}]]  # {}\n", header(&path), origin(&path)));
                for (key, value) in own {
                    text.push_str(&format!("{} = {value}\n", shown(key)));
                }
            }
        }
        let tables = table.iter().rev();
        left.extend(tables.filter_map(|(key, value)| Some((key_of(key), value.as_table()?))));
    }
    text
}

/// Whether a value takes separate lines: a table, or a list of tables.
fn is_table(value: &toml::Value) -> bool {
    match value {
        toml::Value::Table(_) => true,
        toml::Value::Array(list) => !list.is_empty() && list.iter().all(toml::Value::is_table),
        _ => false,
    }
}

/// A key in TOML syntax.
fn shown(key: &str) -> String {
    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !key.is_empty() && key.chars().all(is_bare) {
        key.to_owned()
    } else {
        toml::Value::String(key.to_owned()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_the_configuration_again() {
        let text = "b = true\n[[e]]\nf = [\"a#b\"]\nr = { \"x/*\" = \"off\" }\n[[e]]\nf = []\n\
            [t.\"u v\"]\nw = \"\\\"\\n\"\n[t]\nx = 1\n[[t.y]]\nz = 1\n";
        let table: toml::Table = text.parse().unwrap();
        let shown = with_origins(&table, |key| key.join("/"));
        assert_eq!(shown.parse::<toml::Table>().unwrap(), table, "{shown}");
        for origin in [
            "# b\n",
            "[[e]]  # e\n",
            "# t/u v/w\n",
            "# t/x\n",
            "[[t.y]]  # t/y\n",
        ] {
            assert!(shown.contains(origin), "{origin} in {shown}");
        }
    }
}
