//! The message if no project was found.

use std::collections::BTreeSet;

use applyorder_analysis::engine::Engines;

use super::lint::plural;
use crate::args::RunArgs;
use crate::escape;
use crate::output::Output;
use crate::session::Session;

/// How many paths without projects are named.
const MOST_PLACES: usize = 3;

/// Says what was searched for and where. If no named path exists, that was already reported, and this would be noise.
pub(super) fn say(engines: Engines, session: &Session, args: &RunArgs, out: &mut Output) {
    if session.is_anything_named() {
        out.summary(&text(engines, session, args));
    }
}

fn text(engines: Engines, session: &Session, args: &RunArgs) -> String {
    let places: Vec<String> = args
        .paths
        .iter()
        .map(|path| escape::line(path.as_str()).into_owned())
        .collect();
    let places = match places.as_slice() {
        [] => ".".to_owned(),
        some if some.len() <= MOST_PLACES => some.join(", "),
        some => format!("{} paths", some.len()),
    };
    let looked_at = plural(session.found.named, ["file", "files"]);
    let mut text = format!("nothing to check: no project in {places} ({looked_at} looked at)");
    let asked = args.selection.engine.as_deref();
    let metas = engines.iter().map(|(index, engine)| (index, engine.meta()));
    let metas: Vec<_> = metas
        .filter(|(_, meta)| asked.is_none_or(|id| id == meta.id))
        .collect();
    let wide = metas.iter().map(|(_, meta)| meta.title.len()).max().unwrap_or(0);
    let mut help = BTreeSet::new();
    for (index, meta) in metas {
        let mut found = "none".to_owned();
        if let Some(recognised) = session.found.recognised.get(&index) {
            found = format!(
                "{}, none of a project",
                plural(recognised.count, ["file", "files"])
            );
            let mut mark = ':';
            for (left_out, count) in &recognised.left_out {
                found.push_str(&format!("{mark} {}", plural(*count, left_out.kind)));
                help.insert(left_out.help);
                mark = ',';
            }
        }
        text.push_str(&format!("\n  {:wide$}  {}: {found}", meta.title, meta.looks_for));
    }
    for help in help {
        text.push_str(&format!("\nwhat they are rendered to: {help}"));
    }
    text.push_str(
        "\nanother directory: applyorder lint PATH; other file names: applyorder lint --engine ENGINE PATH",
    );
    text
}
