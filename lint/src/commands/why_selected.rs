//! `why --selected`: why a unit is part of a run, or is not.

use std::borrow::Cow;
use std::io::{self, Write};

use applyorder_analysis::engine::{Engines, WhySelected};

use crate::args::{AnswerFormat, Global, RunArgs, WhyArgs};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json::{self, model};
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::units::{self, Found};

/// Runs the command.
///
/// # Errors
/// When the unit is not found, or its engine cannot answer.
pub(super) fn run(
    engines: Engines,
    global: &Global,
    args: &WhyArgs,
    unit: &str,
    out: &mut Output,
) -> Result<Exit, Failure> {
    // Without two units, the positional arguments are paths.
    let before = [&args.from, &args.to].into_iter().flatten().map(Into::into);
    let run = RunArgs {
        paths: before.chain(args.run.paths.iter().cloned()).collect(),
        ..args.run.clone()
    };
    let session = Session::open_since(engines, global, &run, args.changed_since.as_deref(), out)?;
    let found = units::find(&session, unit)?;
    let answer = found.iter().find_map(|f| {
        let (engine, index) = (f.project.engine(), f.project.seed.engine);
        Some((*f, engine.why_selected(index, &f.project.resolution, f.unit)?))
    });
    let Some((found, why)) = answer else {
        let title = found.first().map(|f| f.project.engine());
        return Err(Failure::new(format!(
            "--selected: what {} selects cannot be explained yet",
            title.map_or("the engine", |e| e.meta().title)
        )));
    };
    for to in &args.format {
        out.answer(to, |w, _| match to.format {
            AnswerFormat::Human => write(w, &session, found, &why),
            AnswerFormat::Json => json::write_value(w, &value(&session, found, &why)),
        })?;
    }
    Ok(match (session.failed(), why.selected) {
        (true, _) => Exit::Failed,
        (false, Some(true)) => Exit::Yes,
        (false, _) => Exit::No,
    })
}

fn write(w: &mut dyn Write, session: &Session, found: Found<'_>, why: &WhySelected) -> io::Result<()> {
    let name = found.variant.units.get(found.unit.0 as usize);
    let name = name.map_or_else(String::new, |u| session.unit_name(found.ix, &u.name));
    let is = match why.selected {
        Some(true) => "is part of the run",
        Some(false) => "is not part of the run",
        None => "may or may not be part of the run",
    };
    writeln!(w, "{} {is}:", escape::line_start(&name))?;
    for (text, place) in &why.reasons {
        let at = place.map_or_else(String::new, |p| {
            format!("  at {}", Position::of(&session.analysis, p).show(&session.paths))
        });
        writeln!(w, "  - {}{at}", escape::line(text))?;
    }
    Ok(())
}

fn value<'a>(session: &Session, found: Found<'a>, why: &'a WhySelected) -> model::WhySelected<'a> {
    let unit = found.variant.units.get(found.unit.0 as usize);
    model::WhySelected {
        version: model::VERSION,
        project: session.key(found.ix),
        unit: unit.map(|u| Cow::Borrowed(&*u.name)),
        selected: why.selected,
        reasons: why
            .reasons
            .iter()
            .map(|(text, place)| model::SelectionReason {
                message: Cow::Borrowed(text),
                place: place.map(|p| json::place(session, p)),
            })
            .collect(),
    }
}
