//! `order`: in which layers and sequence units are applied or deleted.

use std::io::{self, Write};

use applyorder_analysis::engines::{Operation, OrderOf, UnitIx, Variant};
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{Project, ProjectIx};

use super::lint::plural;
use crate::args::{Global, OrderArgs, OrderFormat, To};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json;
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::table::{self, Align};
use crate::units;

/// Runs the command.
///
/// # Errors
/// When it gives no answer at all.
pub fn run(global: &Global, args: &OrderArgs, out: &mut Output) -> Result<Exit, Failure> {
    let session = Session::open(global, &args.run, out)?;
    let operation = Operation::from(args.operation);
    if session.selected.is_empty() {
        out.error("no project found");
        return Ok(Exit::Failed);
    }
    let formats: Vec<To<OrderFormat>> = if args.null {
        vec![To {
            format: OrderFormat::Plain,
            file: None,
        }]
    } else {
        args.format.clone()
    };
    for to in &formats {
        out.answer(to, |w, color| match to.format {
            OrderFormat::Table => write_tables(w, &session, operation, color),
            OrderFormat::Plain => write_plain(w, &session, operation, if args.null { '\0' } else { '\n' }),
            OrderFormat::Json => json::write(w, &session, &[]),
        })?;
    }
    let said = formats
        .iter()
        .any(|to| to.format == OrderFormat::Table && to.file.is_none());
    let mut all = true;
    for (ix, project) in session.projects() {
        for variant in &project.resolution.variants {
            let order = units::order_of(variant, operation);
            if sequence(order).is_none() {
                all = false;
                if said {
                    continue;
                }
                let because = order
                    .because
                    .as_deref()
                    .unwrap_or("its units wait for each other in a circle");
                let runs = units::environments(project, variant)
                    .map_or_else(String::new, |e| format!(" (environments: {e})"));
                out.error(&format!(
                    "{}{runs} has no order: {}",
                    session.key(ix),
                    escape::line(because)
                ));
            }
        }
    }
    Ok(match (session.failed, all) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Yes,
        (false, false) => Exit::No,
    })
}

/// The engine's own sequence, else the layers one after the other.
fn sequence(order: &OrderOf) -> Option<Vec<UnitIx>> {
    order
        .sequence
        .clone()
        .or_else(|| order.layers.as_ref().map(|layers| layers.concat()))
}

fn write_plain(w: &mut dyn Write, session: &Session, operation: Operation, end: char) -> io::Result<()> {
    for (ix, project) in session.projects() {
        // Where environments differ the first is meant; `--env` chooses another.
        let Some(variant) = project.resolution.variants.first() else {
            continue;
        };
        for unit in sequence(units::order_of(variant, operation)).unwrap_or_default() {
            if let Some(unit) = variant.units.get(unit.0 as usize) {
                write!(
                    w,
                    "{}{end}",
                    escape::line_start(&session.unit_name(ix, &unit.name))
                )?;
            }
        }
    }
    Ok(())
}

fn write_tables(w: &mut dyn Write, session: &Session, operation: Operation, color: bool) -> io::Result<()> {
    let mut first = true;
    for (ix, project) in session.projects() {
        for variant in &project.resolution.variants {
            if !std::mem::take(&mut first) {
                writeln!(w)?;
            }
            write_table(w, session, (ix, project), variant, operation, color)?;
        }
    }
    Ok(())
}

fn write_table(
    w: &mut dyn Write,
    session: &Session,
    (ix, project): (ProjectIx, &Project),
    variant: &Variant,
    operation: Operation,
    color: bool,
) -> io::Result<()> {
    let meta = project.engine().map(|e| e.meta());
    let words = meta.map_or(["unit", "units"], |m| [m.unit, m.units]);
    let order = units::order_of(variant, operation);
    let (bold, plain) = if color { ("\x1b[1m", "\x1b[0m") } else { ("", "") };
    let ordered = sequence(order);
    let mut head = vec![match operation {
        Operation::Apply => "apply".to_owned(),
        Operation::Delete => "delete".to_owned(),
    }];
    if let Some(environments) = units::environments(project, variant) {
        head.push(format!("environments: {environments}"));
    }
    head.extend(
        variant
            .properties
            .iter()
            .map(|(k, v)| format!("{k} {}", escape::line(v))),
    );
    match (&order.layers, &ordered) {
        (Some(layers), Some(all)) => {
            head.push(format!(
                "{} in {}",
                plural(all.len(), words),
                plural(layers.len(), ["layer", "layers"])
            ));
        }
        (None, Some(all)) => head.push(plural(all.len(), words)),
        (_, None) => head.push("no order".to_owned()),
    }
    writeln!(
        w,
        "{bold}{}{plain}: {}",
        escape::line_start(&session.key(ix)),
        head.join(", ")
    )?;
    if let Some(because) = order.because.as_deref() {
        writeln!(w, "  {}", escape::line(because))?;
    } else if !order.guaranteed && ordered.is_some() {
        writeln!(w, "  the engine does not guarantee this order")?;
    }
    if let Some(all) = ordered.filter(|all| !all.is_empty()) {
        let (headings, rows) = rows(session, variant, order, &all, words[0]);
        table::write(w, &headings, &rows, color)?;
    }
    Ok(())
}

/// One row per unit: layer by layer, or, where the engine's sequence crosses the layers, by sequence.
fn rows<'w>(
    session: &Session,
    variant: &Variant,
    order: &OrderOf,
    all: &[UnitIx],
    unit_word: &'w str,
) -> (Vec<(&'w str, Align)>, Vec<Vec<String>>) {
    let layered: Option<Vec<(usize, UnitIx)>> = order.layers.as_ref().map(|layers| {
        let numbered = layers.iter().zip(1..);
        numbered
            .flat_map(|(layer, n)| layer.iter().map(move |u| (n, *u)))
            .collect()
    });
    let mut position = vec![0usize; variant.units.len()];
    for (unit, n) in all.iter().zip(1..) {
        if let Some(p) = position.get_mut(unit.0 as usize) {
            *p = n;
        }
    }
    let shows_sequence = order.layers.as_ref().is_some_and(|layers| layers.concat() != all);
    let listed = layered.unwrap_or_else(|| all.iter().map(|u| (0, *u)).collect());
    let shows_layer = order.layers.is_some();
    let mut headings = Vec::new();
    headings.extend(shows_layer.then_some(("layer", Align::Right)));
    headings.extend(shows_sequence.then_some(("runs", Align::Right)));
    headings.extend([(unit_word, Align::Left), ("file", Align::Left)]);
    let row = |(layer, ix): (usize, UnitIx)| {
        let unit = variant.units.get(ix.0 as usize)?;
        let at = Position::of(&session.analysis, unit.header);
        let mut row = Vec::new();
        row.extend(shows_layer.then(|| layer.to_string()));
        row.extend(shows_sequence.then(|| match position.get(ix.0 as usize) {
            Some(n) if *n > 0 => n.to_string(),
            _ => String::new(),
        }));
        row.push(escape::line(&unit.name).into_owned());
        row.push(format!(
            "{}:{}",
            escape::line(&session.paths.show(at.path)),
            u64::from(at.start(Encoding::Utf32).line) + 1
        ));
        Some(row)
    };
    (headings, listed.into_iter().filter_map(row).collect())
}
