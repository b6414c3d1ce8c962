//! `man`: the manual page, with a section for every command.

use applyorder_analysis::engine::Engines;

use crate::args;
use crate::exit::{Exit, Failure};
use crate::output::Output;

/// Runs the command.
///
/// # Errors
/// When the output cannot be written.
pub fn run(engines: Engines, out: &mut Output) -> Result<Exit, Failure> {
    let mut page = Vec::new();
    let mut command = args::command(engines);
    command.build();
    // Each command has its section below, and no page of its own.
    let man = clap_mangen::Man::new(command.clone());
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    man.render_extra_section(&mut page)?;
    man.render_version_section(&mut page)?;
    for sub in command.get_subcommands().filter(|c| c.get_name() != "help") {
        let name = format!("applyorder {}", sub.get_name());
        let man = clap_mangen::Man::new(sub.clone().display_name(&name).name(name));
        page.extend_from_slice(b"\n");
        man.render_name_section(&mut page)?;
        man.render_synopsis_section(&mut page)?;
        man.render_options_section(&mut page)?;
    }
    out.print(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Yes)
}
