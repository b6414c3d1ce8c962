//! `trust`: allows the commands of a configuration to run.

use std::sync::Arc;

use applyorder_analysis::engine::{Engines, Render};
use applyorder_analysis::files::{DiskFiles, FileKind, Files};
use applyorder_analysis::store::Store;
use camino::{Utf8Path, Utf8PathBuf};

use crate::args::{Global, TrustArgs};
use crate::configuration::{no_config, source};
use crate::discovery::discover;
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::output::Output;
use crate::start::{absolute, current_dir};
use crate::trust::Trust;

/// Runs the command.
///
/// # Errors
/// When a path is not a directory, or the user's file cannot be read or written.
pub fn run(engines: Engines, global: &Global, args: &TrustArgs, out: &mut Output) -> Result<Exit, Failure> {
    let mut trust = Trust::load()?;
    if args.list {
        for command in trust.commands() {
            out.print(&line(&command.dir, &command.argv))?;
        }
        return Ok(Exit::Yes);
    }
    let cwd = current_dir()?;
    let dir = absolute(&cwd, &args.dir);
    if args.revoke {
        let gone = trust.revoke(&dir);
        trust.save()?;
        for command in &gone {
            out.print(&line(&command.dir, &command.argv))?;
        }
        out.summary(&format!(
            "{} revoked",
            super::lint::plural(gone.len(), ["command", "commands"])
        ));
        return Ok(if gone.is_empty() { Exit::No } else { Exit::Yes });
    }
    let disk: Arc<dyn Files> = Arc::new(DiskFiles::default());
    if disk.kind(&dir, true) != Some(FileKind::Directory) {
        return Err(Failure::new(format!(
            "{}: not a directory",
            escape::line(args.dir.as_str())
        )));
    }
    let mut source = source(global, &cwd);
    source.choice.named.push(dir.clone());
    let load = |dirs: &[Utf8PathBuf]| {
        let configs = source.load(dirs, &*disk, &Store::default(), &engines.known());
        configs.map_err(|e| no_config(&e))
    };
    let found = discover(
        std::slice::from_ref(&dir),
        &[],
        &cwd,
        &disk,
        &load(std::slice::from_ref(&dir))?,
    );
    let configs = load(&found.dirs)?;
    let renders: Vec<Render> = engines
        .iter()
        .flat_map(|(_, engine)| engine.renders(&configs))
        .filter(|render| render.cwd.starts_with(&dir))
        .collect();
    for render in &renders {
        trust.add(render);
        out.print(&line(&render.cwd, &render.argv))?;
    }
    if renders.is_empty() {
        let dir = escape::line(args.dir.as_str());
        return Err(Failure::new(format!(
            "{dir}: no configuration in it has a command"
        )));
    }
    trust.save()?;
    out.summary(&format!(
        "{} trusted; a command that changes is not",
        super::lint::plural(renders.len(), ["command", "commands"])
    ));
    Ok(Exit::Yes)
}

fn line(dir: &Utf8Path, argv: &[String]) -> String {
    format!(
        "{}: {}\n",
        escape::line_start(dir.as_str()),
        escape::line(&argv.join(" "))
    )
}
