//! `order`: the layers and the sequence in which units are applied or deleted. An order that the engine does not run,
//! because it rejects the project, is shown, and the exit code is 1.

mod columns;
mod people;

use std::io::{self, Write};

use applyorder_analysis::engine::{Engines, Operation, OrderOf, UnitIx, Variant, Verdict};
use applyorder_analysis::graph::NodeId;
use applyorder_analysis::syntax::text::Encoding;
use applyorder_analysis::workspace::{Project, ProjectIx};
use applyorder_drawing::Picture;

pub(super) use self::people::{Answer, pasted};
use super::graph;
use super::lint::plural;
use super::nothing_found;
use super::simulate::Partial;
use crate::args::{EdgesArg, Global, OrderArgs, OrderFormat, To};
use crate::escape;
use crate::exit::{Exit, Failure};
use crate::formats::json;
use crate::look::Look;
use crate::output::Output;
use crate::place::Position;
use crate::session::Session;
use crate::table::{self, Align};
use crate::units;

/// Runs the command.
///
/// # Errors
/// When no answer can be given.
pub fn run(engines: Engines, global: &Global, args: &OrderArgs, out: &mut Output) -> Result<Exit, Failure> {
    if args.null && args.format.iter().any(|to| to.format == OrderFormat::Json) {
        return Err(Failure::new(
            "--null separates names, and cannot be used with --format json",
        ));
    }
    let session = Session::open_since(engines, global, &args.run, args.changed_since.as_deref(), out)?;
    let formats: Vec<To<OrderFormat>> = if args.null {
        vec![To {
            format: OrderFormat::Plain,
            file: None,
        }]
    } else {
        args.format.clone()
    };
    let shown = Shown {
        operation: Operation::from(args.operation),
        edges: args.edges,
        end: if args.null { '\0' } else { '\n' },
        left_alone: false,
        partial: None,
    };
    let exit = answer(&session, shown, &formats, out)?;
    if session.selected.is_empty() {
        nothing_found::say(engines, &session, &args.run, out);
    }
    Ok(exit)
}

/// What to show of an order.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a> {
    pub(super) operation: Operation,
    pub(super) edges: EdgesArg,
    /// The terminator of each name.
    pub(super) end: char,
    /// Whether to list units that the run does not touch.
    pub(super) left_alone: bool,
    /// The partial run, in human-readable output.
    pub(super) partial: Option<&'a Partial<'a>>,
}

/// Writes the orders of the projects that were asked about.
pub(super) fn answer(
    session: &Session,
    shown: Shown<'_>,
    formats: &[To<OrderFormat>],
    out: &mut Output,
) -> Result<Exit, Failure> {
    let usual = [usual(out)];
    let formats = if formats.is_empty() { &usual[..] } else { formats };
    for to in formats {
        out.answer_looking(to, |w, look| match to.format {
            OrderFormat::Human | OrderFormat::Columns => {
                write_for_people(w, session, shown, to.format == OrderFormat::Columns, look)
            }
            OrderFormat::Table => write_tables(w, session, shown, look),
            OrderFormat::Plain => write_plain(w, session, shown),
            OrderFormat::Json => {
                let asked = json::EdgeOptions {
                    operation: shown.operation,
                    edges: shown.edges,
                };
                json::write(w, session, &[], asked)
            }
        })?;
    }
    let said = formats
        .iter()
        .any(|to| to.format.is_for_people() && to.file.is_none());
    let mut all = true;
    for (ix, project) in session.projects() {
        for variant in &project.resolution.variants {
            let order = variant.order_of(shown.operation);
            if sequence(order).is_some() {
                if let Some(refused) = refusal(session, project, variant, shown.operation) {
                    all = false;
                    out.warning(&format!("{}: {refused}", session.key(ix)));
                } else if let Some(because) = order.because.as_deref().filter(|_| !said) {
                    out.warning(&format!("{}: {}", session.key(ix), escape::line(because)));
                }
            } else {
                all = false;
                if said {
                    continue;
                }
                let because = order
                    .because
                    .as_deref()
                    .unwrap_or("its units form a dependency cycle");
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
    Ok(match (session.failed(), all) {
        (true, _) => Exit::Failed,
        (false, true) => Exit::Yes,
        (false, false) => Exit::No,
    })
}

/// The default format.
fn usual(out: &Output) -> To<OrderFormat> {
    To {
        format: if out.is_terminal() {
            OrderFormat::Human
        } else {
            OrderFormat::Table
        },
        file: None,
    }
}

/// Whether standard output gets tables.
pub(super) fn shows_tables(formats: &[To<OrderFormat>], out: &Output) -> bool {
    let is_table = |to: &To<OrderFormat>| to.file.is_none() && to.format == OrderFormat::Table;
    formats.iter().any(is_table) || (formats.is_empty() && is_table(&usual(out)))
}

/// Why nothing is run although there is an order: the engine rejects the project.
fn refusal(session: &Session, project: &Project, variant: &Variant, operation: Operation) -> Option<String> {
    let engine = project.engine();
    let command = engine.command_of(operation, &session.options)?;
    let refuses = |v: &&Verdict| {
        v.command == command && v.ok == Some(false) && variant.environments.contains(&v.environment)
    };
    let verdict = project.resolution.verdicts.iter().find(refuses)?;
    let words = verdict
        .errors
        .first()
        .filter(|error| !error.message.is_empty() && !session.redacted_rules(project).contains(error.rule))
        .map_or_else(String::new, |error| format!(": {}", escape::line(&error.message)));
    Some(format!(
        "`{}` would reject this project{words}; see `applyorder lint`",
        engine.meta().command_line(command)
    ))
}

/// The engine's own sequence, else the concatenated layers.
fn sequence(order: &OrderOf) -> Option<Vec<UnitIx>> {
    order
        .sequence
        .clone()
        .or_else(|| order.layers.as_ref().map(|layers| layers.concat()))
}

fn write_plain(w: &mut dyn Write, session: &Session, shown: Shown<'_>) -> io::Result<()> {
    for (ix, project) in session.projects() {
        // If environments differ, the first is used; `--env` selects another.
        let Some(variant) = project.resolution.variants.first() else {
            continue;
        };
        let order = variant.order_of(shown.operation);
        let name = |node: NodeId| match variant.units.get(node.index()) {
            Some(unit) => session.unit_name(ix, &unit.name),
            None => escape::line(&variant.name_of(&order.graph, node)).into_owned(),
        };
        if shown.edges == EdgesArg::All {
            for edge in order.graph.named_edges() {
                let (from, to) = (name(edge.from), name(edge.to));
                write!(w, "{}\t{to}{}", escape::line_start(&from), shown.end)?;
            }
            continue;
        }
        for unit in sequence(order).unwrap_or_default() {
            write!(w, "{}{}", escape::line_start(&name(NodeId(unit.0))), shown.end)?;
        }
    }
    Ok(())
}

fn write_for_people(
    w: &mut dyn Write,
    session: &Session,
    shown: Shown<'_>,
    columns: bool,
    look: Look,
) -> io::Result<()> {
    let pictures = pictures(session, shown.operation);
    let runs = session.projects().flat_map(|(ix, project)| {
        project
            .resolution
            .variants
            .iter()
            .map(move |variant| (ix, project, variant))
    });
    for (n, ((ix, project, variant), picture)) in runs.zip(&pictures).enumerate() {
        if n > 0 {
            writeln!(w)?;
        }
        let order = variant.order_of(shown.operation);
        let answer = Answer {
            session,
            ix,
            project,
            variant,
            order,
            picture,
            columns,
            look,
        };
        if let Some(partial) = shown.partial.filter(|_| !columns && sequence(order).is_some()) {
            partial.write(w, answer)?;
            continue;
        }
        people::write(w, answer)?;
        write_rest(w, session, (ix, project), variant, shown)?;
    }
    Ok(())
}

/// The displayed pictures of each run, project by project.
fn pictures(session: &Session, operation: Operation) -> Vec<Picture> {
    let asked = graph::DrawRequest {
        operation,
        focus: None,
        depth: None,
        links: &graph::Links::None,
    };
    graph::drawing(session, asked, false).whole().pictures
}

fn write_tables(w: &mut dyn Write, session: &Session, shown: Shown<'_>, look: Look) -> io::Result<()> {
    let color = look.color;
    let mut first = true;
    let ordered = |variant: &Variant| sequence(variant.order_of(shown.operation)).is_some();
    let mut variants = session
        .projects()
        .flat_map(|(_, project)| &project.resolution.variants);
    let pictures = if variants.all(ordered) {
        Vec::new()
    } else {
        pictures(session, shown.operation)
    };
    let mut at = 0;
    for (ix, project) in session.projects() {
        for variant in &project.resolution.variants {
            at += 1;
            if !std::mem::take(&mut first) {
                writeln!(w)?;
            }
            write_table(w, session, (ix, project), variant, shown.operation, color)?;
            if let Some(picture) = pictures.get(at - 1).filter(|_| !ordered(variant)) {
                let order = variant.order_of(shown.operation);
                let answer = Answer {
                    session,
                    ix,
                    project,
                    variant,
                    order,
                    picture,
                    columns: false,
                    look,
                };
                people::without_order(w, answer)?;
            }
            write_rest(w, session, (ix, project), variant, shown)?;
        }
    }
    Ok(())
}

/// What follows the order of a run: units that it does not include, what is unknown, the edges.
fn write_rest(
    w: &mut dyn Write,
    session: &Session,
    (ix, project): (ProjectIx, &Project),
    variant: &Variant,
    shown: Shown<'_>,
) -> io::Result<()> {
    if shown.left_alone {
        write_unchanged(w, session, (ix, project), variant)?;
    }
    let unresolved = project.unresolved();
    for (_, text) in unresolved.filter(|(place, _)| place.is_none()) {
        writeln!(w, "not known: {}", escape::line(text))?;
    }
    if shown.edges == EdgesArg::All {
        write_edges(w, variant, variant.order_of(shown.operation))?;
    }
    Ok(())
}

/// The maximum number of units outside the run that are listed individually.
const MOST_UNCHANGED: usize = 20;

fn write_unchanged(
    w: &mut dyn Write,
    session: &Session,
    (ix, project): (ProjectIx, &Project),
    variant: &Variant,
) -> io::Result<()> {
    let Some(selected) = &variant.selected else {
        return Ok(());
    };
    let mut takes_part = vec![false; variant.units.len()];
    for unit in selected {
        if let Some(takes_part) = takes_part.get_mut(unit.0 as usize) {
            *takes_part = true;
        }
    }
    // The engine's own word if it has one: what does not change, or what fails.
    let mut left: Vec<(&str, Vec<String>)> = Vec::new();
    for (at, (unit, _)) in variant
        .units
        .iter()
        .zip(takes_part)
        .enumerate()
        .filter(|(_, (_, t))| !t)
    {
        let action = match variant.actions.get(at).copied() {
            None | Some("noop") => "unchanged",
            Some(action) => action,
        };
        let name = session.unit_name(ix, &unit.name);
        match left.iter_mut().find(|(known, _)| *known == action) {
            Some((_, names)) => names.push(name),
            None => left.push((action, vec![name])),
        }
    }
    let meta = project.engine().meta();
    for (action, mut names) in left {
        let count = plural(names.len(), [meta.unit, meta.units]);
        let more = names.len().saturating_sub(MOST_UNCHANGED);
        names.truncate(MOST_UNCHANGED);
        let rest = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        writeln!(w, "{action}: {count}: {}{rest}", names.join(", "))?;
    }
    Ok(())
}

fn write_edges(w: &mut dyn Write, variant: &Variant, order: &OrderOf) -> io::Result<()> {
    let name = |node| escape::line(&variant.name_of(&order.graph, node)).into_owned();
    for edge in order.graph.named_edges() {
        let (_, reason, _) = json::origin(variant, edge.kind);
        let reason = reason.map_or_else(String::new, |r| format!(": {}", escape::line(r)));
        let from = name(edge.from);
        writeln!(
            w,
            "{} waits for {}{reason}",
            escape::line_start(&from),
            name(edge.to)
        )?;
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
    let meta = project.engine().meta();
    let words = [meta.unit, meta.units];
    let order = variant.order_of(operation);
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
    if project.seed.inferred {
        writeln!(w, "  inferred project: {}", escape::line(&project.seed.why))?;
    }
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
    // Actions are known for applying only.
    let shows_action = std::ptr::eq(order, &variant.apply) && !variant.actions.is_empty();
    headings.extend(shows_action.then_some(("run", Align::Left)));
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
        row.extend(shows_action.then(|| {
            let action = variant.actions.get(ix.0 as usize).copied();
            action.unwrap_or("").to_owned()
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
